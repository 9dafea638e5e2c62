"""The kernels one by one in the interpreter, against plain enumeration of few hands: quick, for mutation testing."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from math import prod
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from test_engine_search import _ALL, _FIVES, _THREES

from chinese_poker.cards import DECK, parse_cards
from chinese_poker.engine import _kernels
from chinese_poker.engine.tables import FIVE_VALUES, FRONT_VALUES, tables
from chinese_poker.evaluate import Wheel, evaluate

MASK_OF_FIVE = np.array([sum(1 << i for i in five) for five in _FIVES])
MASK_OF_THREE = np.array([sum(1 << i for i in three) for three in _THREES])


class Known(NamedTuple):
    """What is to be found of a hand."""

    hand: list[int]
    wheel: Wheel
    ordered: list[int]
    alike: int
    five: dict[int, int]
    """By mask: the value."""
    three: dict[int, int]
    legal: dict[int, np.ndarray]
    """By whether the back has to be stronger: the legal arrangements, packed."""

    @property
    def lookup(self):
        return tables(self.wheel).lists

    def prepared(self):
        """Memory with the hand in order and its fives valued."""
        work = _kernels.list_work()
        work.cards[:] = self.ordered
        work.values[:] = [9999] * 8192  # what is no five has no value that counts
        for mask, value in self.five.items():
            work.values[mask] = value
        return work


def known_of(text, wheel=Wheel.LOWEST):
    hand, table = [int(card) for card in parse_cards(text)], tables(wheel)
    suits = Counter(card % 4 for card in hand)
    ordered = sorted(hand, key=lambda card: (card // 4, suits[card % 4] < 5, card % 4))
    alike = sum(
        1 << i for i, (a, b) in enumerate(pairwise(ordered)) if a // 4 == b // 4 and max(suits[a % 4], suits[b % 4]) < 5
    )
    cards = [DECK[card] for card in ordered]
    five = table.value_of_five([evaluate([cards[i] for i in places], wheel) for places in _FIVES])
    three = table.value_of_front([evaluate([cards[i] for i in places], wheel) for places in _THREES])
    front, middle, back = three[_ALL[:, 0]], five[_ALL[:, 1]], five[_ALL[:, 2]]
    values = back << 48 | middle << 35 | front << 26
    packed = values | MASK_OF_FIVE[_ALL[:, 2]] << 13 | MASK_OF_THREE[_ALL[:, 0]]
    behind = np.array(table.lists.least_five)[front] <= middle
    legal = {distinct: packed[behind & (middle + distinct <= back)] for distinct in (0, 1)}
    in_dict = (
        dict(zip(masks.tolist(), found.tolist(), strict=True))
        for masks, found in ((MASK_OF_FIVE, five), (MASK_OF_THREE, three))
    )
    return Known(hand, wheel, ordered, alike, *in_dict, legal)


KNOWN = [
    known_of("Ah 3s 2h 4s 5h 7s 9d 9h 9s Th Js Ad As"),
    known_of("2c 2d 2s 3c 4c 6d 7d 8c 8h 8s Td Kc Ad"),
    known_of("3h 4d 4s 5h 5s 6d 6h 7c 7d 8c 8s Qd Kd"),
    known_of("Ac Ad Ah Kc Kd Ks Qc Qh Qs 3d 3h 2h 2s"),
    known_of("Ac Ad Kc Kd Qc Qd 5c 5d 4c 4h 3c 2c 2d", Wheel.SECOND_HIGHEST),
    known_of("6c 6d 6h 6s 9c 9d 9h 9s Jc Jd Jh Js 2c"),
    known_of("Kc Kd Kh Ks 5c 5d 3c 2d Ah Qh Jh 9h 7h"),
    known_of("Ts Th 4h 4s 5d 5c 8c 8d Qd Qc 2h 2d 9s"),
]
"""Hands of flushes and none, pairs, trips and quads, straights twice, wheels, cards that are alike; with four kings,
kings and 5 3 2 are just enough behind kings and a 5; with the last, one front alone is left to be looked at."""
EVERY_HAND = pytest.mark.parametrize("known", KNOWN, ids=range(len(KNOWN)))
FEW = pytest.mark.parametrize("known", KNOWN[::2], ids=range(0, len(KNOWN), 2))


def undominated(packed):
    """The triples of values of arrangements that no other one dominates, greatest back, middle, front first."""
    triples = np.unique(packed >> 26)[::-1]
    left, kept = np.stack([triples >> 22, triples >> 9 & 8191, triples & 511], axis=1), []
    while len(left):
        kept.append(left[0])
        left = left[(left > left[0]).any(axis=1)]
    return [int(back << 22 | middle << 9 | front) for back, middle, front in kept]


UNDOMINATED = {
    (number, distinct): undominated(known.legal[distinct]) for number, known in enumerate(KNOWN) for distinct in (0, 1)
}


def test_memory_is_there_as_lists_and_as_arrays():
    lists, arrays = _kernels.list_work(), _kernels.array_work()
    assert [array.tolist() for array in arrays] == list(lists)
    assert {array.dtype.kind for array in arrays} == {"i"}


@EVERY_HAND
def test_the_order_of_a_hand(known):
    for hand in (known.hand, known.hand[::-1]):
        work = _kernels.list_work()
        work.counts[:4] = [9] * 4
        assert _kernels.order(hand, work) == known.alike
        assert work.cards == known.ordered


@EVERY_HAND
def test_every_five_has_its_value(known):
    work = _kernels.list_work()
    work.cards[:] = known.ordered
    _kernels.evaluate(known.lookup, work)
    assert {mask: value for mask, value in enumerate(work.values) if mask.bit_count() == 5} == known.five
    assert not any(value for mask, value in enumerate(work.values) if mask.bit_count() != 5)


@EVERY_HAND
def test_fronts_take_cards_that_are_alike_from_above(known):
    work = known.prepared()
    for alike in (0, known.alike):
        n = _kernels.list_fronts(alike, known.lookup, work)
        taken = [
            mask
            for mask in known.three
            if all(mask >> i + 1 & 1 for i in range(12) if alike >> i & 1 and mask >> i & 1)
        ]
        assert work.masks[:n] == sorted(taken, key=lambda mask: (known.three[mask], mask), reverse=True)
        values = [known.three[mask] for mask in work.masks[:n]]
        levels = sorted(set(values), reverse=True)
        assert work.front_at[: len(levels)] == levels
        assert work.best[: len(levels)] == [-1] * len(levels)
        assert work.level[:n] == [levels.index(value) for value in values]
        assert work.legal[:n] == [known.lookup.least_five[value] for value in values]


@FEW
def test_backs_take_cards_that_are_alike_from_below(known):
    work = known.prepared()
    for alike, least in ((0, 0), (known.alike, 0), (known.alike, sorted(known.five.values())[600])):
        n = _kernels.list_backs(least, alike, known.lookup, work)
        expected = [
            value << 13 | mask
            for mask, value in known.five.items()
            if value >= least and all(mask >> i & 1 for i in range(12) if alike >> i & 1 and mask >> i + 1 & 1)
        ]
        assert work.backs[:n] == sorted(expected)


def test_the_bits_of_a_mask():
    bits = [0] * 13
    _kernels.list_bits(0b1000000100101, bits)
    assert bits == [1, 4, 32, 4096, *[0] * 9]


@FEW
@pytest.mark.parametrize("distinct", [0, 1])
def test_the_best_middle_of_a_front(known, distinct):
    work = known.prepared()
    for front in [*known.three][::40]:
        rest = 8191 ^ front
        pairs = [(known.five[rest ^ back], value) for back, value in known.five.items() if not back & front]
        expected = max(middle for middle, back in pairs if middle + distinct <= back)
        assert _kernels.best_middle(front, distinct, work) == expected


def test_there_may_be_no_middle():
    work = _kernels.list_work()
    work.values[:] = [0] * 8192
    assert _kernels.best_middle(7, 1, work) == -1
    assert _kernels.best_middle(7, 0, work) == 0


@FEW
@pytest.mark.parametrize("distinct", [0, 1])
def test_the_least_back_is_the_middle_of_the_strongest_legal_front(known, distinct):
    work = known.prepared()
    n = _kernels.list_fronts(0, known.lookup, work)
    middle, front = known.legal[distinct] >> 35 & 8191, known.legal[distinct] >> 26 & 511
    of_mask = known.legal[distinct] & 8191
    first = next(mask for mask in work.masks[:n] if (of_mask == mask).any())
    assert front[of_mask == first].max() == front.max()
    assert _kernels.least_back(n, distinct, work) == middle[of_mask == first].max()


@pytest.mark.parametrize(("n", "word"), [(1, 6), (64, 6), (65, 6), (286, 6), (286, 9)])
def test_fronts_that_are_free(n, word):
    chance = Random(n)
    work = _kernels.list_work()
    masks = chance.sample(MASK_OF_THREE.tolist(), n)
    work.masks[:n] = masks
    work.taken[:] = [7] * len(work.taken)
    _kernels.index_fronts(n, word, work)
    words = (n - 1 >> word) + 1
    size = 1 << word
    assert work.taken == [
        *(
            sum(1 << j - (w << word) for j in range(w << word, min(n, w + 1 << word)) if masks[j] >> card & 1)
            for w in range(words)
            for card in range(13)
        ),
        *[7] * (65 - 13 * words),
    ]
    for back, _ in product(chance.sample(MASK_OF_FIVE.tolist(), 8), range(4)):
        start, end = sorted(chance.sample(range(n + 1), 2))
        for w in range(start >> word, (end - 1 >> word) + 1):
            free = _kernels.free_fronts(back, w, start, end, word, work.taken) & (1 << size) - 1
            expected = [j for j in range(start, end) if j >> word == w and not masks[j] & back]
            assert [j for j in range(w << word, w + 1 << word) if free >> j - (w << word) & 1] == expected


def test_values_and_masks_are_packed():
    packed = _kernels.pack(7461, 8000, 454, 0b11111, 0b11100000)
    assert packed == 7461 * 2**48 + 8000 * 2**35 + 454 * 2**26 + 31 * 2**13 + 224


def searched(known, every, distinct, before=(), room=5_000):
    found = [*before, *[0] * room]
    n = _kernels.search(
        known.hand, every, distinct, _kernels.LONG_WORD, known.lookup, _kernels.list_work(), found, len(before)
    )
    return found[:n] if n >= 0 else n


@pytest.mark.parametrize("distinct", [0, 1])
@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_what_is_undominated_is_found_once(number, distinct):
    known = KNOWN[number]
    found = searched(known, 0, distinct, before=[5, 6])
    assert found[:2] == [5, 6]
    assert sorted((packed >> 26 for packed in found[2:]), reverse=True) == UNDOMINATED[number, distinct]
    backs = [packed >> 48 for packed in found[2:]]
    assert backs == sorted(backs, reverse=True)
    assert np.isin(found[2:], known.legal[distinct]).all()


@pytest.mark.parametrize("known", [KNOWN[3], KNOWN[5], KNOWN[2]], ids=["trips", "quads", "pairs"])
@pytest.mark.parametrize("distinct", [0, 1])
def test_what_is_legal_is_found(known, distinct):
    found = searched(known, 1, distinct, room=40_000)
    assert {packed >> 26 for packed in found} == set((known.legal[distinct] >> 26).tolist())
    assert np.isin(found, known.legal[distinct]).all()
    backs = [packed >> 48 for packed in found]
    assert backs == sorted(backs, reverse=True)
    assert len(set(found)) == len(found)


@EVERY_HAND
def test_just_enough_room_is_enough(known):
    found = searched(known, 0, 1)
    dropped = 10 if known is KNOWN[1] else 0  # finds that a later one of the same back dominates
    assert searched(known, 0, 1, room=len(found) + dropped) == found
    assert searched(known, 0, 1, room=len(found) - 1) == -1


def worth(steps):
    return [np.cumsum(steps(size)).tolist() for size in (455, 7462, 7462)]


WORTH = [
    worth(lambda size: np.random.default_rng(size).random(size) / size),
    worth(lambda size: np.random.default_rng(size).integers(0, 40, size) == 0),
    worth(lambda size: np.zeros(size) - (np.arange(size) == 0)),
    [list(range(455)), [0] * 7462, [0] * 7462],
]
"""What the values of front, middle and back are worth: all differently, many the same, all the same and below zero, the
front alone."""


def best_of(known, distinct, worth):
    """The greatest triple of values that is worth most."""
    legal = known.legal[distinct]
    front, middle, back = (np.array(table, float) for table in worth)
    totals = back[legal >> 48] + middle[legal >> 35 & 8191] + front[legal >> 26 & 511]
    return (legal[totals == totals.max()] >> 26).max()


@pytest.mark.parametrize("tables_of_worth", WORTH, ids=range(len(WORTH)))
@pytest.mark.parametrize("distinct", [0, 1])
def test_the_best_sum_is_the_best_of_all(tables_of_worth, distinct):
    for known in KNOWN:
        best = _kernels.best_sum(
            known.hand, distinct, _kernels.LONG_WORD, known.lookup, _kernels.list_work(), *tables_of_worth
        )
        assert best >> 26 == best_of(known, distinct, tables_of_worth)
        assert best in known.legal[distinct]


@FEW
@pytest.mark.parametrize("distinct", [0, 1])
def test_every_legal_arrangement_counts(known, distinct):
    assert _kernels.count_legal(known.hand, distinct, known.lookup, _kernels.list_work()) == len(known.legal[distinct])


NOTHING_LEGAL = tables().lists._replace(least_five=[FIVE_VALUES] * FRONT_VALUES)


@pytest.mark.parametrize("distinct", [0, 1])
def test_nothing_may_be_legal(distinct):
    hand, work, found = list(range(13)), _kernels.list_work(), [5, 5]
    assert _kernels.search(hand, 0, distinct, 9, NOTHING_LEGAL, work, found, 1) == 1
    assert found == [5, 5]
    assert _kernels.best_sum(hand, distinct, 9, NOTHING_LEGAL, work, *WORTH[0]) == 0
    assert _kernels.best_sum(list(range(0, 52, 4)), distinct, 9, NOTHING_LEGAL, work, *WORTH[0]) == 0
    assert _kernels.count_legal(hand, distinct, NOTHING_LEGAL, work) == 0
    offsets = [0, 7, 7]
    assert _kernels.search_many([hand] * 2, 0, 0, distinct, 9, NOTHING_LEGAL, work, found, offsets, [hand[:]] * 2) == 2
    assert offsets == [0, 0, 0]


MANY = [known.hand for known in KNOWN[:3]]


def test_many_hands_are_searched_until_there_is_no_more_room():
    lookup, work = tables().lists, _kernels.list_work()
    expected = [searched(known, 0, 1) for known in KNOWN[:3]]
    ends = [0, *np.cumsum([len(each) for each in expected]).tolist()]
    found, offsets, ordered = [0] * (ends[3] - 1), [0] * 4, [[0] * 13 for _ in MANY]
    assert _kernels.search_many(MANY, 0, 0, 1, 9, lookup, work, found, offsets, ordered) == 2
    assert offsets[:3] == ends[:3]
    assert found[: ends[2]] == expected[0] + expected[1]
    assert ordered[:2] == [known.ordered for known in KNOWN[:2]]
    last = [None, None, MANY[2]]  # those before are done
    assert _kernels.search_many(last, 2, 0, 1, 9, lookup, work, found := [*found, 0], offsets, ordered) == 3
    assert found == expected[0] + expected[1] + expected[2]
    assert offsets == ends
    assert ordered[2] == KNOWN[2].ordered


def test_many_hands_one_after_the_other():
    lookup, work = tables().lists, _kernels.list_work()
    counts, found, ordered = [0] * 3, [0] * 3, [[0] * 13 for _ in MANY]
    _kernels.count_legal_many(MANY, 1, lookup, work, counts)
    assert counts == [len(known.legal[1]) for known in KNOWN[:3]]
    _kernels.best_sum_many(MANY, 1, 9, lookup, work, *WORTH[0], found, ordered)
    assert [packed >> 26 for packed in found] == [best_of(known, 1, WORTH[0]) for known in KNOWN[:3]]
    assert ordered == [known.ordered for known in KNOWN[:3]]


SIZES = (5, 9, 13)
COARSE = [(size - 1) // 4 + 1 for size in SIZES]


def _gains():
    chance = np.random.default_rng(3)
    sizes = np.repeat(SIZES, (455, 7462, 7462))
    return _kernels.Gains(
        knot=chance.integers(0, sizes - 1).tolist(),
        part=chance.random(len(sizes)).tolist(),
        gain=chance.random(prod(SIZES)).tolist(),
        slope=chance.random(3 * prod(COARSE)).tolist(),
        by_rank=chance.random(13 * 5 * sum(SIZES)).tolist(),
        by_suit=chance.random(14 * sum(SIZES)).tolist(),
        fronts=SIZES[0],
        middles=SIZES[1],
        backs=SIZES[2],
    )


GAINS = _gains()


def plain_shifts(hand):
    by_rank, by_suit = np.reshape(GAINS.by_rank, (13, 5, -1)), np.reshape(GAINS.by_suit, (14, -1))
    ranks, suits = Counter(card // 4 for card in hand), Counter(card % 4 for card in hand)
    return sum(by_rank[rank, ranks[rank]] for rank in range(13)) + sum(by_suit[suits[suit]] for suit in range(4))


def plain_gain(packed, shifts):
    values = packed >> 26 & 511, 455 + (packed >> 35 & 8191), 455 + 7462 + (packed >> 48)
    knots, parts = [GAINS.knot[value] for value in values], [GAINS.part[value] for value in values]
    grid, slopes = np.reshape(GAINS.gain, SIZES), np.reshape(GAINS.slope, (3, *COARSE))
    total = 0.0
    for corner in product((0, 1), repeat=3):
        weight = prod(part if up else 1 - part for part, up in zip(parts, corner, strict=True))
        total += weight * grid[tuple(knot + up for knot, up in zip(knots, corner, strict=True))]
    for segment, start in enumerate((0, SIZES[0], SIZES[0] + SIZES[1])):
        at = start + knots[segment]
        shift = np.interp(parts[segment], (0, 1), shifts[at : at + 2])
        total += slopes[segment][tuple(knot // 4 for knot in knots)] * shift
    return total


@EVERY_HAND
def test_what_an_arrangement_gains(known):
    shifts = [5.0] * sum(SIZES)
    _kernels.shift_knots(known.hand, GAINS, _kernels.list_work(), shifts)
    assert shifts == pytest.approx(plain_shifts(known.hand), rel=1e-9)
    for packed in known.legal[0][::2_000].tolist():
        assert _kernels.gain_of(packed, GAINS, shifts) == pytest.approx(plain_gain(packed, shifts), rel=1e-9)


def test_the_best_gain_of_many_hands():
    lookup, work = tables().lists, _kernels.list_work()
    hands = [KNOWN[2], KNOWN[3], KNOWN[0]]
    candidates = [searched(known, 0, 1) for known in hands]
    shifts, found, gained, ordered = [0.0] * sum(SIZES), [0] * 3, [0.0] * 3, [[0] * 13 for _ in hands]
    arguments = [known.hand for known in hands], (1, 9, lookup, work, GAINS, shifts), (found, gained, ordered)

    def gain_from(first, room):
        hands, before, after = arguments
        return _kernels.best_gain_many(hands, first, *before, [0] * room, *after)

    assert gain_from(0, len(candidates[2]) - 1) == 2
    arguments[0][:2] = [None, None]  # they are done
    assert gain_from(2, len(candidates[2])) == 3
    assert ordered == [known.ordered for known in hands]
    for known, each, best, total in zip(hands, candidates, found, gained, strict=True):
        gains = [plain_gain(packed, plain_shifts(known.hand)) for packed in each]
        assert total == pytest.approx(max(gains), rel=1e-9)
        assert best == each[int(np.argmax(gains))]


def test_of_equal_gains_the_first_is_taken():
    flat = GAINS._replace(gain=[-1.0] * len(GAINS.gain), slope=[0.0] * len(GAINS.slope))
    shifts, found, gained, ordered = [0.0] * sum(SIZES), [0], [0.0], [[0] * 13]
    lookup, work = tables().lists, _kernels.list_work()
    _kernels.best_gain_many(MANY[:1], 0, 1, 9, lookup, work, flat, shifts, [0] * 5_000, found, gained, ordered)
    assert found == searched(KNOWN[0], 0, 1)[:1]
    assert gained == [-1.0]
