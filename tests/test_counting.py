"""Counts against published figures, and against a second way of counting."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, factorial, prod
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hands import PATTERNS, swapped

from chinese_poker import Natural, find_naturals
from chinese_poker.cards import DECK, RANKS
from chinese_poker.counting import (
    HANDS,
    best_five_counts,
    best_natural_counts,
    held_five_counts,
    natural_counts,
    natural_sets,
    segment_counts,
)
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.tables import tables
from chinese_poker.evaluate import Category, evaluate
from chinese_poker.presets import load_rules, rule_names

PUBLISHED = [json.loads(line) for line in Path(__file__).with_name("data").joinpath("odds.jsonl").open()]
HONG_KONG = {"big": "56789TJQKA", "small": "A23456789T"}
BASIC = (Natural.DRAGON, Natural.SIX_PAIRS, Natural.THREE_FLUSHES, Natural.THREE_STRAIGHTS)


@pytest.mark.parametrize("figures", PUBLISHED, ids=[figures["source"][:40] for figures in PUBLISHED])
def test_published_figures(figures):
    if figures["what"] == "naturals":
        counted = {str(natural): count for natural, count in natural_counts().items()}
    else:
        by_category = segment_counts(figures["size"]) if figures["what"] == "segments" else held_five_counts()
        counted = {category.word: count for category, count in by_category.items()}
        if figures["what"] == "segments":
            assert sum(figures["counts"].values()) == comb(52, figures["size"])
    assert {what: counted[what] for what in figures["counts"]} == figures["counts"]


# ----------------------------------------------------------------------------------------------------
# Naturals one by one, in closed form


def of_suits(*kinds: tuple[int, ...]) -> int:
    """Hands whose suits have so many cards each, in any order."""
    return sum(
        prod(comb(13, count) for count in suits) for kind in kinds for suits in set(permutations((*kind, 0, 0, 0)[:4]))
    )


def of_ranks(*kinds: tuple[int, ...]) -> int:
    """Hands with so many ranks of one card, of two, three and four."""
    return sum(
        factorial(13) // prod(map(factorial, (*kind, 13 - sum(kind)))) * 4 ** kind[0] * 6 ** kind[1] * 4 ** kind[2]
        for kind in kinds
    )


RUNS = {size: [("A" + RANKS)[low : low + size] for low in range(15 - size)] for size in (3, 5)}
RUN_RANKS = {
    tuple(sorted(front + middle + back))
    for front in RUNS[3]
    for middle, back in combinations_with_replacement(RUNS[5], 2)
}


def suited_runs(size: int) -> list[frozenset[str]]:
    return [frozenset(rank + suit for rank in run) for run in RUNS[size] for suit in "cdhs"]


@cache
def straight_flush_hands() -> frozenset[frozenset[str]]:
    return frozenset(
        hand
        for front, (middle, back) in product(suited_runs(3), combinations(suited_runs(5), 2))
        if len(hand := front | middle | back) == 13
    )


CLOSED = {
    "suited_dragon": lambda: 4,
    "dragon": lambda: 4**13,
    "twelve_royals": lambda: comb(16, 12) * 36 + comb(16, 13),
    "three_straight_flushes": lambda: len(straight_flush_hands()),
    "three_quads": lambda: of_ranks((1, 0, 0, 3)),
    "all_big": lambda: comb(28, 13),
    "all_small": lambda: comb(28, 13),
    "one_colour": lambda: 2 * comb(26, 13),
    "twelve_of_a_suit": lambda: 4 * (13 * 39 + 1),
    "four_trips": lambda: of_ranks((1, 0, 4, 0), (0, 0, 3, 1)),
    "five_pairs_and_trips": lambda: of_ranks((0, 5, 1, 0), (0, 3, 1, 1), (0, 1, 1, 2)),
    "six_pairs": lambda: of_ranks(
        *((1, 6 - 2 * quads, 0, quads) for quads in range(4)), *((0, 5 - 2 * quads, 1, quads) for quads in range(3))
    ),
    "three_flushes": lambda: of_suits((13,), (10, 3), (8, 5), (5, 5, 3)),
    "three_straights": lambda: sum(prod(comb(4, n) for n in Counter(ranks).values()) for ranks in RUN_RANKS),
}


@pytest.mark.parametrize("natural", Natural)
def test_naturals_are_as_many_as_a_formula_says(natural):
    assert natural_counts()[natural] == CLOSED[natural]()


def test_facts_of_the_design():
    counts = natural_counts()
    assert [counts[natural] for natural in BASIC] == [67_108_864, 2_856_863_152, 5_705_516_392, 2_029_579_776]
    assert round(HANDS / counts[Natural.DRAGON], 2) == 9_462.44


def test_big_and_small_are_the_houses_choice():
    counts = natural_counts(**HONG_KONG)
    assert counts[Natural.ALL_BIG] == counts[Natural.ALL_SMALL] == comb(40, 13)


# ----------------------------------------------------------------------------------------------------
# Naturals together


def test_sets_make_up_all_hands():
    for ranks in ({}, HONG_KONG):
        sets = natural_sets(**ranks)
        assert sum(sets.values()) == HANDS
        assert min(sets.values()) > 0


@pytest.fixture(scope="module")
def rank_counts():
    """(n, 13): every way to have so many cards of each rank."""
    counts = np.zeros((1, 0), np.int8)
    for rank in range(13):
        left = 13 - counts.sum(axis=1)
        rows = [
            np.insert(counts[(left >= more) & (left - more <= 4 * (12 - rank))], rank, more, axis=1)
            for more in range(5)
        ]
        counts = np.concatenate(rows)
    return counts


@pytest.mark.parametrize("ranks", [{}, HONG_KONG, {"big": "A", "small": "23JQ"}], ids=["usual", "Hong Kong", "odd"])
def test_what_the_ranks_hold_together_by_all_their_counts(ranks, rank_counts):
    ways = np.prod([np.array([1, 4, 6, 4, 1])[rank_counts[:, i]] for i in range(13)], axis=0)
    assert ways.sum() == HANDS
    runs = np.array([[text.count(rank) for rank in RANKS] for text in RUN_RANKS]) @ 5 ** np.arange(13)
    within = {
        side: rank_counts[:, [RANKS.index(rank) for rank in ranks.get(side, usual)]].sum(axis=1) == 13
        for side, usual in (("big", "89TJQKA"), ("small", "2345678"))
    }
    held = {
        Natural.DRAGON: rank_counts.max(axis=1) == 1,
        Natural.TWELVE_ROYALS: rank_counts[:, 9:].sum(axis=1) >= 12,
        Natural.THREE_QUADS: (rank_counts == 4).sum(axis=1) == 3,
        Natural.ALL_BIG: within["big"],
        Natural.ALL_SMALL: within["small"],
        Natural.FOUR_TRIPS: (rank_counts >= 3).sum(axis=1) == 4,
        Natural.FIVE_PAIRS_AND_TRIPS: ((rank_counts // 2).sum(axis=1) == 6) & ((rank_counts == 3).sum(axis=1) == 1),
        Natural.SIX_PAIRS: (rank_counts // 2).sum(axis=1) == 6,
        Natural.THREE_STRAIGHTS: np.isin(sum(rank_counts[:, i].astype(int) * 5**i for i in range(13)), runs),
    }
    pattern = sum(row.astype(int) << place for place, row in enumerate(held.values()))
    expected = Counter()
    for number in np.unique(pattern):
        members = frozenset(natural for place, natural in enumerate(held) if number >> place & 1)
        expected[members] = int(ways[pattern == number].sum())
    found = Counter()
    for naturals, count in natural_sets(**ranks).items():
        found[naturals.intersection(held)] += count
    assert found == expected


FLUSH_SUITS = {(13, 0, 0, 0), (10, 3, 0, 0), (8, 5, 0, 0), (5, 5, 3, 0)}


def in_three_flushes(ranks: str) -> int:
    """In how many ways cards of these ranks are three flushes, card by card."""
    ways = Counter({(0, 0, 0, 0): 1})
    for count in Counter(ranks).values():
        more = Counter()
        for suits, number in ways.items():
            for taken in combinations(range(4), count):
                more[tuple(suits[suit] + (suit in taken) for suit in range(4))] += number
        ways = more
    return sum(number for suits, number in ways.items() if tuple(sorted(suits, reverse=True)) in FLUSH_SUITS)


def pairs(ranks: str) -> int:
    return sum(count // 2 for count in Counter(ranks).values())


def six_pairs_in_three_flushes() -> int:
    """Ranks are alike, so the longest suit may be the lowest ones; the others are all gone through."""
    total = 0
    for suits in FLUSH_SUITS - {(13, 0, 0, 0)}:
        first, second, third, _ = suits
        masks = [[sum(1 << bit for bit in bits) for bits in combinations(range(13), size)] for size in (second, third)]
        both = np.array(list(product(*masks)))
        bits = both[:, :, None] >> np.arange(13) & 1
        counts = bits.sum(axis=1) + (np.arange(13) < first)
        total += int(((counts // 2).sum(axis=1) == 6).sum()) * comb(13, first) * len(set(permutations(suits)))
    return total


def test_the_union_of_the_basic_naturals_by_inclusion_and_exclusion():
    counts = natural_counts()
    straights_in_pairs = sum(
        prod(comb(4, n) for n in Counter(ranks).values()) for ranks in RUN_RANKS if pairs(ranks) == 6
    )
    straights_in_flushes = {ranks: in_three_flushes(ranks) for ranks in RUN_RANKS}
    dragons_in_flushes = in_three_flushes(RANKS)
    both = {
        frozenset((Natural.DRAGON, Natural.THREE_FLUSHES)): dragons_in_flushes,
        frozenset((Natural.DRAGON, Natural.THREE_STRAIGHTS)): counts[Natural.DRAGON],
        frozenset((Natural.DRAGON, Natural.SIX_PAIRS)): 0,
        frozenset((Natural.SIX_PAIRS, Natural.THREE_FLUSHES)): six_pairs_in_three_flushes(),
        frozenset((Natural.SIX_PAIRS, Natural.THREE_STRAIGHTS)): straights_in_pairs,
        frozenset((Natural.THREE_FLUSHES, Natural.THREE_STRAIGHTS)): sum(straights_in_flushes.values()),
    }
    for naturals, count in both.items():
        assert sum(number for held, number in natural_sets().items() if naturals <= held) == count, naturals
    all_of_three = dragons_in_flushes + sum(count for ranks, count in straights_in_flushes.items() if pairs(ranks) == 6)
    union = sum(CLOSED[natural]() for natural in BASIC) - sum(both.values()) + all_of_three
    assert sum(best_natural_counts(load_rules("basic")).values()) == union


def made() -> Iterator[list[str]]:
    random = Random(5)
    for maker in PATTERNS.values():
        for _ in range(60):
            hand = maker(random)
            yield hand
            yield swapped(random, hand)


def test_no_hand_holds_a_set_that_is_not_counted():
    sets = natural_sets()
    found = {frozenset(find_naturals(hand)) for hand in made()}
    assert found <= sets.keys()
    assert len(found) > 25


def test_hands_of_three_straight_flushes_are_so_by_the_core_too():
    for hand in Random(1).sample(sorted(map(sorted, straight_flush_hands())), 300):
        assert Natural.THREE_STRAIGHT_FLUSHES in find_naturals(hand)


@pytest.fixture(scope="module")
def dealt():
    return [[DECK[card] for card in hand] for hand in deal(17, 0, 10_000).reshape(-1, 13).tolist()]


def test_dealt_hands_hold_naturals_as_often(dealt):
    n = len(dealt)
    found = Counter(frozenset(find_naturals(hand)) for hand in dealt)
    compared = 0
    for held, count in natural_sets().items():
        chance = count / HANDS
        if chance * n > 5:
            compared += 1
            assert abs(found[held] / n - chance) < 4 * (chance * (1 - chance) / n) ** 0.5, held
    assert compared >= 4


@pytest.mark.parametrize("name", rule_names())
def test_the_best_of_a_rule_set_count_once_in_its_order(name):
    rules = load_rules(name)
    best = best_natural_counts(rules)
    held = natural_sets(rules.naturals.big, rules.naturals.small)
    assert tuple(best) == rules.naturals.ranking
    assert sum(best.values()) == sum(count for naturals, count in held.items() if naturals & best.keys())
    if best:
        highest, *_, lowest = best
        assert best[highest] == natural_counts(rules.naturals.big, rules.naturals.small)[highest]
        alone = [count for naturals, count in held.items() if naturals & best.keys() == {lowest}]
        assert best[lowest] == sum(alone)


# ----------------------------------------------------------------------------------------------------
# Categories


def test_segments_of_three_cards_one_by_one():
    assert segment_counts(3) == Counter(evaluate(cards).category for cards in combinations(DECK, 3))


def test_segments_of_five_cards_one_by_one():
    found = np.zeros(len(Category), np.int64)
    table = tables()
    for first in range(48):
        rest = np.fromiter(combinations(range(first + 1, 52), 4), np.dtype((np.int8, 4)))
        cards = np.insert(rest, 0, first, axis=1)
        found += np.bincount(table.strength_of_five[table.values_of(cards)] >> 20, minlength=len(Category))
    assert [segment_counts(5)[category] for category in Category] == found.tolist()


MASKS = range(1 << 13)
LOW_ACE = [(mask << 1 | mask >> 12) & 0x3FFF for mask in MASKS]
HAS_RUN = [bool(m & m >> 1 & m >> 2 & m >> 3 & m >> 4) for m in LOW_ACE]


def without(run: bool, ranks: int) -> int:
    """Ways for the suits to hold 13 cards, each all of these ranks, and no straight flush (``run``)."""
    sizes = [0] * 14
    for mask in MASKS:
        if mask & ranks == ranks and not (run and HAS_RUN[mask]):
            sizes[mask.bit_count()] += 1
    polynomial = np.array(sizes, dtype=object)
    squared = np.convolve(polynomial, polynomial)
    return int(np.convolve(squared, squared)[13])


def test_hands_without_straight_flush_or_quads_by_inclusion_and_exclusion():
    best, held = best_five_counts(), held_five_counts()
    royal_or_straight = best[Category.ROYAL_FLUSH] + best[Category.STRAIGHT_FLUSH]
    assert HANDS - without(True, 0) == royal_or_straight == held[Category.STRAIGHT_FLUSH]

    def free_of_quads(run):
        signed = {size: (-1) ** size * comb(13, size) for size in range(4)}
        if not run:  # ranks are alike
            return sum(times * without(False, (1 << size) - 1) for size, times in signed.items())
        every = (sum(1 << rank for rank in ranks) for size in range(4) for ranks in combinations(range(13), size))
        return sum((-1) ** ranks.bit_count() * without(True, ranks) for ranks in every)

    assert HANDS - free_of_quads(False) == held[Category.FOUR_OF_A_KIND]
    assert without(True, 0) - free_of_quads(True) == best[Category.FOUR_OF_A_KIND]


def test_royal_flushes_by_the_cards_left():
    sizes = np.array([0] * 14, dtype=object)
    for mask in MASKS:
        if mask >> 8 != 31:
            sizes[mask.bit_count()] += 1
    squared = np.convolve(sizes, sizes)
    assert HANDS - np.convolve(squared, squared)[13] == held_five_counts()[Category.ROYAL_FLUSH]


def test_the_best_categories_make_up_all_hands():
    assert sum(best_five_counts().values()) == HANDS


def test_dealt_hands_make_the_categories_as_often(dealt):
    """By all 1,287 fives of each hand, evaluated by the tables that treys made."""
    table, fives = tables(), np.array(list(combinations(range(13), 5)))
    hands = deal(17, 0, 1_000).reshape(-1, 13)
    strengths = table.strength_of_five[table.values_of(hands[:, fives].reshape(-1, 5))].reshape(len(hands), -1)
    categories = strengths >> 20
    best = Counter(categories.max(axis=1).tolist())
    for category in Category:
        chance = best_five_counts().get(category, 0) / HANDS
        assert abs(best[category] / len(hands) - chance) <= 4 * (chance * (1 - chance) / len(hands)) ** 0.5, category
    for category in (Category.ONE_PAIR, Category.THREE_OF_A_KIND, Category.TWO_PAIR, Category.FOUR_OF_A_KIND):
        chance = held_five_counts()[category] / HANDS
        counts = [Counter(card >> 2 for card in hand) for hand in hands.tolist()]
        least = {Category.ONE_PAIR: 2, Category.TWO_PAIR: 2, Category.THREE_OF_A_KIND: 3, Category.FOUR_OF_A_KIND: 4}
        needed = 2 if category is Category.TWO_PAIR else 1
        found = sum(sum(n >= least[category] for n in held.values()) >= needed for held in counts)
        assert abs(found / len(hands) - chance) <= 4 * (chance * (1 - chance) / len(hands)) ** 0.5, category
