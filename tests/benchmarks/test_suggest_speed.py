"""Timings and regret of suggestions, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails. ``CHINESE_POKER_REGRET_HANDS=500`` measures the regret over as many hands, against a
hundred times the usual opponents, in a quarter of an hour.
"""

import os
import random
import subprocess
import sys
import time
from statistics import fmean, median, stdev

import numpy as np
import pytest
from test_engine_speed import race

from chinese_poker.arrangement import parse_hand
from chinese_poker.cards import DECK, format_cards
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.field import Field, candidates, judged
from chinese_poker.engine.search import undominated
from chinese_poker.engine.value import units
from chinese_poker.opponents import Pool, as_set, unseen_of_pool
from chinese_poker.presets import load_rules
from chinese_poker.strategy import strategy
from chinese_poker.suggest import suggest

REGRET_HANDS = int(os.environ.get("CHINESE_POKER_REGRET_HANDS", "30"))
OPPONENTS = 10_000


def random_hands(count, seed, deck=DECK):
    dealer = random.Random(seed)
    return [tuple(dealer.sample(deck, 13)) for _ in range(count)]


@pytest.fixture(scope="module")
def hands():
    return random_hands(60, 1)


@pytest.mark.parametrize("name", ["basic", "eastern", "mandarin", "indonesia", "palomar-eastern"])
def test_warm_suggest(benchmark, hands, name):
    """A call with 10,000 opponents at most, against the bare search for the candidates."""
    rules = load_rules(name)
    few = hands[:20]
    call, search = race(
        benchmark,
        5,
        call=lambda: [suggest(hand, rules, samples=OPPONENTS) for hand in few],
        search=lambda: [candidates(np.array(hand), rules) for hand in few],
    )
    benchmark.extra_info |= {"ms a hand": call / len(few) * 1e3, "ratio to the search": call / search}
    print(f"\n{name}: suggest {call / len(few) * 1e3:.1f} ms a hand, {call / search:.1f} times the search alone")


def test_value_of_all_candidates(benchmark, hands):
    """Every undominated arrangement against 10,000 opponents, against a copy of the units that come out."""
    rules = load_rules("basic")
    theirs = as_set(deal(2, 0, OPPONENTS)[:, :13], strategy("expected"), rules, 2)
    mine = [candidates(np.array(hand), rules) for hand in hands]
    found = [units(one, theirs, rules) for one in mine]
    value, copy = race(
        benchmark,
        7,
        value=lambda: [units(one, theirs, rules) for one in mine],
        copy=lambda: [gained.copy() for gained in found],
    )
    each, count = value / len(mine) * 1e3, fmean(map(len, mine))
    benchmark.extra_info |= {"ms a hand": each, "ratio to a copy": value / copy}
    print(f"\nunits: {each:.2f} ms a hand of {count:.0f} candidates, {value / copy:.1f} times a copy of the result")


@pytest.mark.parametrize("name", ["basic", "mandarin"])
def test_cold_command(benchmark, hands, name):
    """The command for one hand against a process that imports numpy, pydantic and click alone."""
    times = {"suggest": [], "imports": []}

    def pair():
        for key, command in (
            ("suggest", ("-m", "chinese_poker", "suggest", format_cards(hands[0]), "--rules", name)),
            ("imports", ("-c", "import numpy, pydantic, click")),
        ):
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            times[key].append(time.perf_counter() - start)

    benchmark.pedantic(pair, rounds=11, warmup_rounds=2)
    cold, alone = (median(times[key]) for key in ("suggest", "imports"))
    benchmark.extra_info |= {"ratio to the imports": cold / alone}
    print(f"\n{name}: the cold command takes {cold / alone:.2f} times the imports alone ({alone * 1e3:.0f} ms)")


def structured_hands():
    """Two suits, two ranks of colours, quads thrice, pairs, low cards, and hands with thousands of arrangements."""
    dealer = random.Random(3)
    quads = []
    for _ in range(5):
        ranks = dealer.sample(range(13), 4)
        quads.append((*(DECK[4 * rank + suit] for rank in ranks[:3] for suit in range(4)), DECK[4 * ranks[3]]))
    pairs = []
    for _ in range(5):
        ranks = dealer.sample(range(13), 7)
        pairs.append(tuple(DECK[4 * rank + suit] for rank in ranks for suit in dealer.sample(range(4), 2))[:13])
    sampled = [hand for seed in range(5) for hand in random_hands(400, 100 + seed)]
    monsters = sorted(sampled, key=lambda hand: len(undominated(np.array(hand))))[-10:]
    return {
        "one suit": [tuple(DECK[suit::4]) for suit in range(4)],
        "two suits": random_hands(5, 4, [card for card in DECK if card.suit < 2]),
        "quads thrice": quads,
        "six pairs": pairs,
        "low": random_hands(5, 5, DECK[:24]),
        "thousands": [*monsters, *map(parse_hand, THOUSANDS)],
    }


THOUSANDS = ("2h3c4d6c7c8c9hJsQdKhAdAhAs", "2c3c4s6s7h8h9dJdQhKcKsAdAs")
"""Hands of 6,615 and 4,935 undominated arrangements."""


@pytest.mark.parametrize("name", ["basic", "mandarin"])
def test_slowest_hand(benchmark, hands, name):
    """The slowest of the hardest hands against the median of random ones."""
    rules = load_rules(name)

    def seconds(hand):
        start = time.perf_counter()
        suggest(hand, rules)
        return time.perf_counter() - start

    usual = median(seconds(hand) for hand in hands)
    slowest = {
        family: max(min(seconds(hand) for _ in range(3)) for hand in members)
        for family, members in structured_hands().items()
    }
    benchmark.pedantic(lambda: suggest(hands[0], rules), rounds=3)
    family = max(slowest, key=slowest.__getitem__)
    benchmark.extra_info |= {"slowest to median": slowest[family] / usual}
    print(f"\n{name}: the slowest hand ({family}) takes {slowest[family] / usual:.1f} times the median", end=" ")
    print(f"of {usual * 1e3:.1f} ms;", ", ".join(f"{key} {value / usual:.1f}" for key, value in slowest.items()))


@pytest.mark.parametrize("name", ["basic", "eastern"])
def test_regret(benchmark, name):
    """What the first suggestion loses, in units per opponent, against the best by far more opponents of the same kind.

    Those come from a pool of their own, a hundred times as large as the usual one in the full run.
    """
    rules = load_rules(name)
    pool = large_pool(rules, 1_600_000 if REGRET_HANDS >= 500 else 160_000)
    lost, met = [], []

    def measure():
        for hand in random_hands(REGRET_HANDS, 6):
            found = suggest(hand, rules, top=8)
            mine = judged([suggestion.arrangement.cards for suggestion in found.suggestions], rules)
            mean, count = fine_means(mine, hand, pool, rules)
            lost.append(mean.max() - mean[0])
            met.append(count)

    benchmark.pedantic(measure, rounds=1)
    regret, spread = fmean(lost), stdev(lost) / len(lost) ** 0.5
    benchmark.extra_info |= {"regret": regret, "standard error": spread, "hands": len(lost), "opponents": fmean(met)}
    print(f"\n{name}: mean regret {regret:.5f} ± {spread:.5f} units per opponent over {len(lost)} hands,", end=" ")
    print(f"{sum(loss > 0 for loss in lost)} of them not the best, dearest {max(lost):.4f},", end=" ")
    print(f"by {fmean(met):,.0f} opponents each")


def large_pool(rules, count):
    """Hands that ``expected`` sets, of a seed that no suggestion uses."""
    parts, masks = [], []
    for first in range(0, count // 4, 25_000):
        dealt = deal(77, first, min(25_000, count // 4 - first)).reshape(-1, 13)
        parts.append(as_set(dealt, strategy("expected"), rules, 2))
        masks.append((np.uint64(1) << dealt.astype(np.uint64)).sum(axis=1, dtype=np.uint64))
    return Pool(np.concatenate(masks), Field.joined(parts))


def fine_means(mine, hand, pool, rules):
    """Mean units of each of mine, and how many opponents were met."""
    theirs, _ = unseen_of_pool(pool, np.array(hand, np.int8), rules)
    total = np.zeros(len(mine))
    for first in range(0, len(theirs), 100_000):
        total += units(mine, theirs[slice(first, first + 100_000)], rules).sum(axis=1)
    return total / len(theirs), len(theirs)
