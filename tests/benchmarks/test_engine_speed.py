"""Timings of the engine, as ratios within one run: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails.
"""

import time
from itertools import combinations

import numpy as np
import pytest

from chinese_poker._treys import rank5
from chinese_poker.cards import DECK
from chinese_poker.engine.batch import score_batch
from chinese_poker.engine.search import best_sum, undominated
from chinese_poker.engine.tables import tables
from chinese_poker.evaluate import evaluate
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Banker

DEALS = 200_000


def race(benchmark, rounds, **runners):
    """Seconds of each of some functions, called in turns: the least, which other processes disturb least."""
    times = {name: [] for name in runners}

    def turn():
        for name, run in runners.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)

    benchmark.pedantic(turn, rounds=rounds, warmup_rounds=1)
    return [min(times[name]) for name in runners]


@pytest.fixture(scope="module")
def hands():
    numbers = np.random.default_rng(1)
    return numbers.permuted(np.tile(np.arange(52, dtype=np.int8), (DEALS // 20, 1)), axis=1).reshape(-1, 13)


@pytest.fixture(scope="module")
def deals(hands):
    """(200,000, 4, 13): hands set legally, with some weight on every segment; the same 10,000 deals again and again."""
    front, middle, back = (np.linspace(0, 1, size) for size in (455, 7462, 7462))
    cards = best_sum(hands, front, middle, back, compile=True).cards().reshape(-1, 4, 13)
    return np.tile(cards, (20, 1, 1))


@pytest.mark.parametrize("name", rule_names())
def test_score_batch(benchmark, deals, name):
    """Four-player deals on one thread, under a preset and under basic."""
    rules, basic = load_rules(name), load_rules("basic")
    banker = 0 if rules.banker is Banker.REQUIRED else None
    this, plain = race(
        benchmark,
        7,
        this=lambda: score_batch(deals, rules, banker=banker, compile=True),
        basic=lambda: score_batch(deals, basic, compile=True),
    )
    benchmark.extra_info |= {"deals a second": len(deals) / this, "ratio to basic": plain / this}
    print(f"\n{name}: {len(deals) / this / 1e6:.1f} million deals a second, {plain / this:.2f} times basic")


def test_score_batch_on_two_threads(benchmark, deals):
    rules = load_rules("basic")
    one, two = race(
        benchmark,
        7,
        one=lambda: score_batch(deals, rules, compile=True),
        two=lambda: score_batch(deals, rules, compile=True, threads=2),
    )
    benchmark.extra_info |= {"ratio to one thread": one / two}
    print(f"\ntwo threads score {one / two:.2f} times as many deals as one")


def test_score_batch_interpreted(benchmark, deals):
    rules, few = load_rules("basic"), deals[:2000]
    slow, fast = race(
        benchmark,
        3,
        interpreted=lambda: score_batch(few, rules, compile=False),
        compiled=lambda: score_batch(deals, rules, compile=True),
    )
    ratio = slow / len(few) / (fast / len(deals))
    benchmark.extra_info |= {"interpreted to compiled": ratio}
    print(f"\nbatch scoring: {slow / len(few) * 1e6:.1f} us a deal in the interpreter, {ratio:.0f} times the compiled")


_MASKS = {size: [(sum(1 << i for i in part), part) for part in combinations(range(13), size)] for size in (3, 5)}
_SPLITS = [
    (front, [(five, 8191 ^ front ^ five) for five, _ in _MASKS[5] if not five & front and five < 8191 ^ front ^ five])
    for front, _ in _MASKS[3]
]


def plain_undominated(hand):
    """The values of a hand's undominated arrangements: treys once for each five, the rest in plain Python."""
    table = tables()
    least_five = table.lists.least_five
    value = {mask: 7462 - rank5([hand[i] for i in part]) for mask, part in _MASKS[5]}
    strengths = [evaluate([DECK[hand[i]] for i in part]) for _, part in _MASKS[3]]
    backs = {}
    for front, (_, splits) in zip(table.value_of_front(strengths).tolist(), _SPLITS, strict=True):
        least = least_five[front]
        for one, other in splits:
            middle, back = value[one], value[other]
            if middle > back:
                middle, back = back, middle
            if middle >= least and backs.get((middle, front), -1) < back:
                backs[middle, front] = back
    found, stairs = [], []
    for back, middle, front in sorted(((back, *key) for key, back in backs.items()), reverse=True):
        if not any(m >= middle and f >= front for m, f in stairs):
            stairs = [(m, f) for m, f in stairs if m > middle or f > front] + [(middle, front)]
            found.append((front, middle, back))
    return found


def test_undominated(benchmark, hands):
    """The exact undominated set of a hand: compiled, interpreted, and without the engine."""
    few, many = hands[:20], hands[:2000]
    assert sorted(map(tuple, undominated(few[0]).values.tolist())) == sorted(plain_undominated(few[0].tolist()))
    fast, slow, plain = race(
        benchmark,
        3,
        compiled=lambda: undominated(many, compile=True),
        interpreted=lambda: undominated(few, compile=False),
        plain=lambda: [plain_undominated(hand) for hand in few.tolist()],
    )
    fast, slow, plain = fast / len(many), slow / len(few), plain / len(few)
    benchmark.extra_info |= {"plain to compiled": plain / fast, "interpreted to compiled": slow / fast}
    print(f"\nundominated: {fast * 1e6:.0f} us a hand, {slow / fast:.0f} times that in the interpreter,", end=" ")
    print(f"{plain / fast:.0f} times with treys once a subset and plain Python")
