"""The searches of the engine against plain enumeration of all 72,072 arrangements, on the strengths of the core."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import numpy as np
import pytest

from chinese_poker import engine
from chinese_poker._treys import rank5
from chinese_poker.cards import DECK, parse_cards
from chinese_poker.engine import _kernels
from chinese_poker.engine.tables import FIVE_VALUES, tables
from chinese_poker.evaluate import Wheel, evaluate

BOTH = pytest.mark.parametrize("compile", [False, True], ids=["interpreted", "compiled"])

_FIVES = list(itertools.combinations(range(13), 5))
_THREES = list(itertools.combinations(range(13), 3))
_FIVE_AT = {sum(1 << i for i in five): at for at, five in enumerate(_FIVES)}
_THREE_AT = {sum(1 << i for i in three): at for at, three in enumerate(_THREES)}
_ALL = np.array(
    [
        (_THREE_AT[8191 ^ middle ^ back], _FIVE_AT[middle], _FIVE_AT[back])
        for back in _FIVE_AT
        for middle in _FIVE_AT
        if not middle & back
    ]
)


def all_legal(hand, wheel=Wheel.LOWEST, middle_may_equal_back=True):
    """The strengths (front, middle, back) of all legal arrangements, one row each."""
    cards = [DECK[index] for index in hand]
    fives = np.array([evaluate([cards[i] for i in five], wheel) for five in _FIVES])
    threes = np.array([evaluate([cards[i] for i in three], wheel) for three in _THREES])
    front, middle, back = threes[_ALL[:, 0]], fives[_ALL[:, 1]], fives[_ALL[:, 2]]
    behind = middle <= back if middle_may_equal_back else middle < back
    return np.stack([front, middle, back], axis=1)[(front <= middle) & behind]


def brute_force(legal):
    """Of the rows those that no other one dominates, each once, ascending."""
    left, kept = ascending(legal)[::-1], []
    while len(left):
        kept.append(left[0])
        left = left[(left > left[0]).any(axis=1)]
    return np.array(kept)[::-1]


def ascending(rows):
    return rows[np.lexsort(rows.T[::-1])]


def strengths(found, wheel=Wheel.LOWEST):
    """The strengths (front, middle, back) of what the engine found, one row each, ascending."""
    table = tables(wheel)
    front, middle, back = found.values.T
    columns = (table.strength_of_front[front], table.strength_of_five[middle], table.strength_of_five[back])
    return ascending(np.stack(columns, axis=1))


def random_hands(n, seed, deck=range(52)):
    dealer = random.Random(seed)
    return [dealer.sample(list(deck), 13) for _ in range(n)]


def _cards(*ranks, suits="cdhs"):
    return [4 * "23456789TJQKA".index(rank) + "cdhs".index(suit) for rank in ranks for suit in suits]


def _with_groups(n, seed, *sizes):
    """Hands of whole groups of cards of one rank, filled up at random."""
    dealer = random.Random(seed)
    hands = []
    for _ in range(n):
        ranks = dealer.sample(range(13), 13)
        hand = [
            4 * rank + suit for rank, size in zip(ranks, sizes, strict=False) for suit in dealer.sample(range(4), size)
        ]
        rest = [card for card in range(52) if card // 4 not in ranks[: len(sizes)]]
        hands.append(hand + dealer.sample(rest, 13 - len(hand)))
    return hands


def _runs_twice(n, seed):
    """Hands in which middle and back can be the same straight."""
    dealer = random.Random(seed)
    hands = []
    for _ in range(n):
        lowest = dealer.randrange(9)
        hand = [4 * rank + suit for rank in range(lowest, lowest + 5) for suit in dealer.sample(range(4), 2)]
        hands.append(hand + dealer.sample(sorted(set(range(52)) - set(hand)), 3))
    return hands


def _no_flush(n, seed):
    found = (hand for hand in random_hands(100 * n, seed) if np.bincount(np.array(hand) % 4).max() < 5)
    return list(itertools.islice(found, n))


MANY = [parse_cards("2h 3c 4d 6c 7c 8c 9h Js Qd Kh Ad Ah As"), parse_cards("2c 3c 4s 6s 7h 8h 9d Jd Qh Kc Ks Ad As")]
"""Hands of 6,615 and 4,935 undominated arrangements."""

LATE = """\
2c 2d 2s 3c 4c 6d 7d 8c 8h 8s Td Kc Ad
2h 3s 4s 5h 7s 9d 9h 9s Th Js Ad Ah As
2d 3d 4d 6c 7c 9c 9h 9s Jd Qc Qd Kc Ks
2c 4d 5c 7c 8d 9c 9h 9s Td Qd Kc Kd Ks
3s 4h 4s 5d 5h 6c 6h 7d 7h 8c 8d Td Ah
3h 4d 4s 5h 5s 6d 6h 7c 7d 8c 8s Qd Kd
3d 3s 4d 4s 5d 5s 8d 8s 9d Jd Js Ad As"""
"""Hands in which of equal backs the later one leaves the better middle, or the same one again."""

FAMILIES = {
    "one suit": [list(range(suit, 52, 4)) for suit in range(4)],
    "two suits": random_hands(12, 1, [card for card in range(52) if card % 4 in (1, 3)]),
    "three suits": random_hands(8, 2, [card for card in range(52) if card % 4]),
    "no flush": _no_flush(8, 3),
    "no pair": _with_groups(12, 4, *[1] * 13),
    "quads": _with_groups(6, 5, 4),
    "quads twice": _with_groups(8, 6, 4, 4),
    "quads thrice": _with_groups(8, 7, 4, 4, 4, 1),
    "four trips": _with_groups(8, 8, 3, 3, 3, 3, 1),
    "trips": _with_groups(8, 9, 3, 3),
    "six pairs": _with_groups(12, 10, 2, 2, 2, 2, 2, 2, 1),
    "pairs and trips": _with_groups(8, 11, 3, 2, 2, 2, 2, 2),
    "runs twice": _runs_twice(40, 14),
    "all low": random_hands(12, 12, range(28)),
    "all high": random_hands(12, 13, range(24, 52)),
    "four ranks": [[*_cards("2", "3", "4"), 12], [*_cards("Q", "K", "A"), 3], [*_cards("2", "5", "A"), 20]],
    "two ranks of wheels": [_cards("A", "2", "3", suits="cdh") + _cards("4", "5", suits="ch")],
    "least of the legal": [parse_cards("Ac Ad Ah Kc Kd Ks Qc Qh Qs 3d 3h 2h 2s")],
    "late": [parse_cards(line) for line in LATE.splitlines()],
    "many": MANY,
}
RANDOM = random_hands(2000, 20)


@BOTH
@pytest.mark.parametrize("hands", FAMILIES.values(), ids=FAMILIES)
def test_a_family_equals_plain_enumeration(hands, compile):
    found = engine.undominated(hands, compile=compile)
    widened = engine.legal(hands, compile=compile)
    counts = engine.legal_count(hands, compile=compile)
    for i, hand in enumerate(hands):
        legal = all_legal(hand)
        assert np.array_equal(strengths(found.of_hand(i)), brute_force(legal))
        assert np.array_equal(strengths(widened.of_hand(i)), np.unique(legal, axis=0))
        assert counts[i] == len(legal)


def test_random_hands_equal_plain_enumeration():
    found = engine.undominated(RANDOM, compile=True)
    counts = engine.legal_count(RANDOM, compile=True)
    for i, hand in enumerate(RANDOM):
        legal = all_legal(hand)
        assert counts[i] == len(legal)
        assert np.array_equal(strengths(found.of_hand(i)), brute_force(legal))


@BOTH
@pytest.mark.parametrize("wheel", Wheel)
@pytest.mark.parametrize("equal", [False, True], ids=["distinct", "may be equal"])
def test_options_equal_plain_enumeration(wheel, equal, compile):
    wheels = [card for card in range(52) if card // 4 in (0, 1, 2, 3, 11, 12)]
    hands = random_hands(8, 30, wheels) + random_hands(4, 31) + FAMILIES["six pairs"][:4]
    options = {"wheel": wheel, "middle_may_equal_back": equal}
    found = engine.undominated(hands, **options, compile=compile)
    widened = engine.legal(hands, **options, compile=compile)
    counts = engine.legal_count(hands, **options, compile=compile)
    for i, hand in enumerate(hands):
        legal = all_legal(hand, **options)
        assert np.array_equal(strengths(found.of_hand(i), wheel), brute_force(legal))
        assert np.array_equal(strengths(widened.of_hand(i), wheel), np.unique(legal, axis=0))
        assert counts[i] == len(legal)


def test_interpreter_and_machine_code_find_the_same_arrangements():
    hands = RANDOM[:150]
    for search in (engine.undominated, engine.legal):
        interpreted, compiled = search(hands[:40], compile=False), search(hands[:40], compile=True)
        assert np.array_equal(interpreted.packed, compiled.packed)
        assert np.array_equal(interpreted.offsets, compiled.offsets)
        assert np.array_equal(interpreted.hands, compiled.hands)
    assert np.array_equal(engine.legal_count(hands[:20], compile=False), engine.legal_count(hands[:20], compile=True))


def test_the_cards_of_an_arrangement_have_its_values():
    found = engine.undominated(RANDOM[:50] + MANY)
    table = tables()
    for owner, cards, (front, middle, back) in zip(found.owners, found.cards(), found.values, strict=True):
        assert sorted(cards) == sorted(([*RANDOM[:50], *MANY])[owner])
        segments = [[DECK[card] for card in cards[part]] for part in (slice(3), slice(3, 8), slice(8, 13))]
        assert evaluate(segments[0]) == table.strength_of_front[front]
        assert evaluate(segments[1]) == table.strength_of_five[middle]
        assert evaluate(segments[2]) == table.strength_of_five[back]
    masks = found.masks
    assert (masks.sum(axis=1) == 8191).all()


@pytest.mark.parametrize(
    ("hand", "legal", "undominated"),
    [
        ("Ad Ks Kh Jd Td 9d 8h 6h 5s 4h 3c 2s 2d", 19716, None),
        ("Kh Qh Jd Jc 9h 8s 6s 5s 4s 4h 3s 2s 2h", 21421, None),
        ("As Kh Qd Jc 9s 8h 7d 6c 5s 4h 2s 2h 2d", 19295, 20),
        ("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s", 36036, 10),
        ("As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c", 17491, 2),
    ],
)
def test_published_counts(hand, legal, undominated):
    cards = parse_cards(hand)
    assert engine.legal_count(cards).tolist() == [legal]
    if undominated is not None:
        assert len(engine.undominated(cards)) == undominated


def test_order_of_cards_and_names_of_suits_change_nothing():
    dealer = random.Random(40)
    for hand in RANDOM[:20] + FAMILIES["two suits"] + FAMILIES["six pairs"]:
        expected = strengths(engine.undominated(hand))
        renamed = dealer.sample(range(4), 4)
        other = [card // 4 * 4 + renamed[card % 4] for card in dealer.sample(hand, 13)]
        assert np.array_equal(strengths(engine.undominated(other)), expected)


@BOTH
def test_best_sum_is_the_best_of_all_legal_arrangements(compile):
    numbers = np.random.default_rng(50)
    names = ("one suit", "two suits", "three suits", "quads thrice", "runs twice", "late")
    hands = RANDOM[:40] + list(itertools.chain(*map(FAMILIES.get, names)))
    everything = engine.legal(hands, compile=True)
    values = everything.values
    for steps in (numbers.random, lambda size: numbers.integers(0, 60, size) == 0, np.zeros):
        front, middle, back = (np.cumsum(steps(size)) / size for size in (455, 7462, 7462))
        best = engine.best_sum(hands, front, middle, back, compile=compile)
        total = back[values[:, 2]] + middle[values[:, 1]] + front[values[:, 0]]
        undominated = engine.undominated(hands, compile=True)
        for i, (first, end) in enumerate(itertools.pairwise(everything.offsets)):
            is_best = total[first:end] == total[first:end].max()
            assert best.packed[i] >> 26 == everything.packed[first:end][is_best].max() >> 26
            assert best.packed[i] >> 26 in undominated.of_hand(i).packed >> 26


@pytest.mark.parametrize("wheel", Wheel)
def test_values_stand_in_the_order_of_the_core(wheel):
    table = tables(wheel)
    dealer = random.Random(60)
    fives = [dealer.sample(DECK, 5) for _ in range(20_000)]
    fives += [list(five) for five in itertools.combinations(DECK[::4], 5)]
    for size, cards in ((5, fives), (3, list(itertools.combinations(DECK[::1], 3)))):
        known = table.strength_of_five if size == 5 else table.strength_of_front
        expected = np.array([evaluate(list(segment), wheel) for segment in cards])
        value = (table.value_of_five if size == 5 else table.value_of_front)(expected)
        assert np.array_equal(known[value], expected)
    assert (np.diff(table.strength_of_five) > 0).all()
    assert (np.diff(table.strength_of_front) > 0).all()


def test_values_are_those_of_treys():
    table = tables()
    dealer = random.Random(61)
    for cards in (dealer.sample(DECK, 5) for _ in range(5000)):
        assert table.value_of_five(evaluate(cards)) == 7462 - rank5(cards)


@pytest.mark.parametrize(
    "hands",
    [range(12), range(14), [0] * 13, range(40, 53), range(-1, 12), np.zeros((2, 2, 13)), np.arange(13) / 2],
    ids=["12", "14", "repeated", "52", "-1", "shape", "fractions"],
)
def test_what_is_no_hand_is_refused(hands):
    with pytest.raises(ValueError, match="hand"):
        engine.undominated(hands)


def test_tables_of_worth_may_not_fall():
    flat = np.zeros(7462)
    with pytest.raises(ValueError, match="never fall"):
        engine.best_sum(range(13), -np.arange(455), flat, flat)


def test_no_hands_are_no_arrangements():
    nothing = np.zeros((0, 13), int)
    for search in (engine.undominated, engine.legal):
        assert len(search(nothing)) == 0
    assert len(engine.legal_count(nothing)) == 0


def test_one_hand_is_searched_without_numba():
    code = (
        "import sys; from chinese_poker import engine; engine.undominated(range(13)); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ----------------------------------------------------------------------------------------------------
# What the compiler is given, run as it is


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 1287])
def test_the_sort_of_the_compiler_is_the_sort_of_the_interpreter(count: int) -> None:
    chance = random.Random(count)
    codes = sorted(chance.randrange(FIVE_VALUES) << 13 | chance.randrange(8192) for _ in range(count))
    codes.sort(key=lambda code: code & 8191)  # alike values in the order of their masks, as both are given them
    ours, theirs = [*codes, 5], [*codes, 5]
    _kernels.sort(ours, count, _kernels.list_work())
    _kernels.radix_sort(theirs, count, _kernels.list_work())
    assert [code >> 13 for code in theirs[:count]] == [code >> 13 for code in ours[:count]]
    assert theirs == [*sorted(codes, key=lambda code: code >> 13), 5]


def test_the_fronts_in_words_of_64_bits_are_those_in_one_word() -> None:
    chance = random.Random(11)
    taken = [chance.getrandbits(320) for _ in range(13)]
    words = [taken[card] >> 64 * w & (1 << 64) - 1 for w in range(5) for card in range(13)]
    for _ in range(200):
        back, start, end = chance.randrange(1, 8192), *sorted(chance.sample(range(1, 286), 2))
        whole = _kernels.free_fronts(back, 0, start, end, 9, taken) & (1 << end) - 1
        parts = {
            w: _kernels.free_fronts(back, w, start, end, 6, words) & (1 << 64) - 1
            for w in range(start >> 6, (end - 1 >> 6) + 1)
        }
        assert sum(part << 64 * w for w, part in parts.items()) == whole


def test_without_fronts_no_back_is_too_weak() -> None:
    assert _kernels.least_back(0, 0, _kernels.list_work()) == 0
