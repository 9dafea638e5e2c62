"""Hands counted, not dealt: how many of all C(52, 13) hold what.

A hand is a table of 13 ranks by 4 suits. Some patterns hang on how many cards it has of each rank, others on how many
of each suit, and all that the two have to do with each other is the *shape* of the ranks: how many have one card, two,
three and four. Ranks of a shape take their suits in as many ways as the product of elementary symmetric polynomials
says that has one factor for each rank, where the exponents of a term are the cards of each suit.

Only straight flushes ask which card goes with which. Hands of three of them are listed one by one; hands without one
are counted rank by rank, with the length of the run that each suit has come to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod

import numpy as np

from .arrangement import HAND_SIZE
from .cards import DECK, RANKS, Card
from .evaluate import Category, evaluate
from .naturals import BIG, RUNS3, RUNS5, SMALL, THREE_RUNS, Natural, find_naturals
from .rules import RuleSet

HANDS = comb(52, 13)

Shape = tuple[int, int, int, int]
"""How many ranks have one card, two, three and four."""
Four = tuple[int, int, int, int]
"""How many cards of each suit."""
Held = frozenset[Natural]
_Ways = dict[tuple[int, Shape, int, bool, bool], tuple[int, tuple[int, ...]]]
"""Cards, shape, court cards, all big, all small, to how many ways there are and the counts of the ranks in one."""

_NO_SHAPE: Shape = (0, 0, 0, 0)
_OF_SUITS = {Natural.SUITED_DRAGON, Natural.ONE_COLOUR, Natural.TWELVE_OF_A_SUIT, Natural.THREE_FLUSHES}
"""What hangs on how many cards of each suit there are; the others on the ranks, three straight flushes on both."""
_BY_CARDS = {Natural.THREE_STRAIGHT_FLUSHES}
_BY_RUNS = {Natural.THREE_STRAIGHTS}


@cache
def suit_ways(shape: Shape) -> Mapping[Four, int]:
    """In how many ways ranks of a shape take their suits, by the number of cards of each suit.

    >>> suit_ways((13, 0, 0, 0))[13, 0, 0, 0], sum(suit_ways((13, 0, 0, 0)).values()) == 4**13
    (1, True)
    """
    if shape == _NO_SHAPE:
        return {(0, 0, 0, 0): 1}
    count = next(k for k in range(4) if shape[k])
    ways: Counter[Four] = Counter()
    for suits, number in suit_ways(_with(shape, count + 1, -1)).items():
        for taken in combinations(range(4), count + 1):
            a, b, c, d = (suits[suit] + (suit in taken) for suit in range(4))
            ways[a, b, c, d] += number
    return ways


def _with(shape: Shape, count: int, ranks: int = 1) -> Shape:
    """The shape with so many more ranks that have ``count`` cards."""
    one, two, three, four = (held + ranks * (k == count) for k, held in enumerate(shape, start=1))
    return one, two, three, four


@cache
def natural_sets(big: str = BIG, small: str = SMALL) -> Mapping[Held, int]:
    """How many hands hold each set of naturals and no other, as :func:`~chinese_poker.naturals.find_naturals` finds.

    :param big: the ranks of ``all_big``.
    :param small: the ranks of ``all_small``.

    >>> sets = natural_sets()
    >>> sum(sets.values()) == HANDS, sum(number for held, number in sets.items() if Natural.DRAGON in held)
    (True, 67108864)
    """
    by_ranks, by_suits = _rank_patterns(big, small), _suit_patterns()
    sets: Counter[Held] = Counter()
    for shape, patterns in by_ranks.items():
        ways: Counter[Held] = Counter()
        for suits, number in suit_ways(shape).items():
            ways[by_suits[suits]] += number
        for (of_ranks, times), (of_suits, number) in product(patterns.items(), ways.items()):
            sets[of_ranks | of_suits] += times * number
    for hand in _three_straight_flushes():
        of_ranks = _held_by_ranks(_counted((card.rank for card in hand), range(2, 15)), big, small)
        held = of_ranks | by_suits[_counted((card.suit for card in hand), range(4))]
        sets[held] -= 1
        sets[held | _BY_CARDS] += 1
    return +sets


def _rank_patterns(big: str, small: str) -> dict[Shape, Counter[Held]]:
    """How many ways there are to have so many cards of each rank, by shape and by what the ranks hold.

    Ways that are alike in shape, court cards, and whether all is big or small differ in nothing but three straights;
    those are taken out and looked at one by one.
    """
    court = [rank >= 11 for rank in range(2, 15)]
    within = [(letter in big, letter in small) for letter in RANKS]
    ways: _Ways = {(0, _NO_SHAPE, 0, True, True): (1, ())}
    for rank in range(13):
        longer: _Ways = {}
        for (cards, shape, courts, all_big, all_small), (number, counts) in ways.items():
            for count in range(min(4, HAND_SIZE - cards) + 1):
                is_big, is_small = within[rank] if count else (True, True)
                alike = (
                    cards + count,
                    _with(shape, count),
                    courts + count * court[rank],
                    all_big and is_big,
                    all_small and is_small,
                )
                longer[alike] = longer.get(alike, (0,))[0] + number, (*counts, count)
        ways = longer

    patterns: dict[Shape, Counter[Held]] = {}
    for (cards, shape, *_), (number, counts) in ways.items():
        if cards == HAND_SIZE:
            held = _held_by_ranks(counts, big, small) - _BY_RUNS
            patterns.setdefault(shape, Counter())[held] += number
    for ranks in THREE_RUNS:
        counts = _counted(ranks, range(2, 15))
        held = _held_by_ranks(counts, big, small)
        shape = _shape_of(counts)
        patterns[shape][held - _BY_RUNS] -= 1
        patterns[shape][held] += 1
    return patterns


def _counted(numbers: Iterable[int], each: Iterable[int]) -> tuple[int, ...]:
    times = Counter(numbers)
    return tuple(times[number] for number in each)


def _shape_of(counts: Sequence[int]) -> Shape:
    one, two, three, four = (counts.count(count) for count in range(1, 5))
    return one, two, three, four


@cache
def _held_by_ranks(counts: tuple[int, ...], big: str, small: str) -> Held:
    """What hands with so many cards of each rank hold, whatever the suits."""
    hand = [DECK[4 * rank + suit] for rank, count in enumerate(counts) for suit in range(count)]
    return frozenset(find_naturals(hand, big=big, small=small)) - _OF_SUITS - _BY_CARDS


@cache
def _suit_patterns() -> Mapping[tuple[int, ...], Held]:
    """What the suits hold, by the number of cards of each."""
    found: dict[tuple[int, ...], Held] = {}
    for suits in product(range(14), repeat=4):
        if sum(suits) == HAND_SIZE:
            hand = [DECK[4 * rank + suit] for suit, count in enumerate(suits) for rank in range(count)]
            found[suits] = frozenset(find_naturals(hand)) & _OF_SUITS
    return found


def _three_straight_flushes() -> Iterator[tuple[Card, ...]]:
    """Every hand of three straight flushes, once."""
    fronts, fives = (
        [sum(1 << 4 * (rank - 2) + suit for rank in run) for run in runs for suit in range(4)]
        for runs in (RUNS3, RUNS5)
    )
    hands = {
        front | middle | back
        for middle, back in combinations(fives, 2)
        if not middle & back
        for front in fronts
        if not front & (middle | back)
    }
    for hand in sorted(hands):
        yield tuple(card for card in DECK if hand >> card & 1)


def natural_counts(big: str = BIG, small: str = SMALL) -> dict[Natural, int]:
    """How many hands hold each natural, whatever else they hold.

    >>> natural_counts()[Natural.THREE_FLUSHES]
    5705516392
    """
    sets = natural_sets(big, small)
    return {natural: sum(number for held, number in sets.items() if natural in held) for natural in Natural}


def best_natural_counts(rules: RuleSet) -> dict[Natural, int]:
    """For how many hands each natural that a rule set plays is the best, highest first: each hand counts once.

    >>> from chinese_poker.presets import load_rules
    >>> best_natural_counts(load_rules("basic"))[Natural.DRAGON]
    67108864
    """
    ranking = rules.naturals.ranking
    counts = dict.fromkeys(ranking, 0)
    for held, number in natural_sets(rules.naturals.big, rules.naturals.small).items():
        best = next((natural for natural in ranking if natural in held), None)
        if best:
            counts[best] += number
    return counts


def segment_counts(size: int) -> dict[Category, int]:
    """How many segments of three or five cards are of each category, of all that the deck has.

    >>> {category.word: number for category, number in segment_counts(3).items()}
    {'high_card': 18304, 'one_pair': 3744, 'three_of_a_kind': 52}
    """
    counts: Counter[Category] = Counter()
    for ranks in combinations_with_replacement(range(13), size):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        ways = prod(comb(4, count) for count in times.values())
        if len(times) == 5:
            counts[evaluate([DECK[4 * rank] for rank in ranks]).category] += 4
            ways -= 4
        mixed = [DECK[4 * rank + (ranks[:place].count(rank) or place == 0)] for place, rank in enumerate(ranks)]
        counts[evaluate(mixed).category] += ways
    return dict(sorted(counts.items()))


@cache
def best_five_counts() -> Mapping[Category, int]:
    """How many hands have each category as the best that five of their cards make.

    >>> counts = best_five_counts()
    >>> sum(counts.values()) == HANDS, counts[Category.ROYAL_FLUSH]
    (True, 1257761100)
    """
    pure = _without_straight_flush()
    short = _without_flush()
    royal = _holding_a_royal_flush()
    plain = pure[_SINGLES] + pure[_PAIRS] + pure[_TRIPS]
    return {
        Category.ROYAL_FLUSH: royal,
        Category.STRAIGHT_FLUSH: HANDS - sum(pure) - royal,
        Category.FOUR_OF_A_KIND: pure[_QUADS],
        Category.FULL_HOUSE: pure[_FULL],
        Category.FLUSH: plain - sum(number for (kind, _), number in short.items() if kind in _PLAIN),
        Category.STRAIGHT: sum(short[kind, True] for kind in _PLAIN),
        Category.THREE_OF_A_KIND: short[_TRIPS, False],
        Category.TWO_PAIR: short[_PAIRS, False],
    }


@cache
def held_five_counts() -> Mapping[Category, int]:
    """How many hands hold five cards of each category or what it is part of, whatever else they hold.

    A straight is five ranks in a row and a flush five cards of a suit, so that a straight flush is either; three of a
    kind are in four, and two pairs in a full house.

    >>> held_five_counts()[Category.STRAIGHT_FLUSH]  # https://oeis.org/A143314
    10644616240
    """
    held: Counter[Category] = Counter()
    for (shape, straight), times in _shapes().items():
        hands = times * prod(comb(4, count) ** ranks for count, ranks in enumerate(shape, start=1))
        _, two, three, four = shape
        held[Category.FOUR_OF_A_KIND] += hands * (four > 0)
        held[Category.FULL_HOUSE] += hands * (three + four > 0 and two + three + four > 1)
        held[Category.STRAIGHT] += hands * straight
        held[Category.THREE_OF_A_KIND] += hands * (three + four > 0)
        held[Category.TWO_PAIR] += hands * (two + three + four > 1)
        held[Category.ONE_PAIR] += hands * (two + three + four > 0)
    held[Category.ROYAL_FLUSH] = _holding_a_royal_flush()
    held[Category.STRAIGHT_FLUSH] = HANDS - sum(_without_straight_flush())
    held[Category.FLUSH] = HANDS - sum(_without_flush().values())
    return dict(sorted(held.items(), reverse=True))


_KINDS = range(5)
"""What the ranks hold, as far as it beats or is beaten by a flush: nothing, pairs, trips alone, more, and quads."""
_SINGLES, _PAIRS, _TRIPS, _FULL, _QUADS = _KINDS
_PLAIN = (_SINGLES, _PAIRS, _TRIPS)
_NEXT_KIND = (
    (_SINGLES, _PAIRS, _TRIPS, _FULL, _QUADS),
    (_SINGLES, _PAIRS, _TRIPS, _FULL, _QUADS),
    (_PAIRS, _PAIRS, _FULL, _FULL, _QUADS),
    (_TRIPS, _FULL, _FULL, _FULL, _QUADS),
    (_QUADS,) * 5,
)
"""The kind after a rank of 0 to 4 cards, by the kind before it."""


@cache
def _shapes() -> Counter[tuple[Shape, bool]]:
    """How many ways there are to have so many cards of each rank, by shape and whether five ranks are in a row."""
    runs = [sum(1 << (rank - 2) for rank in run) for run in RUNS5]
    supports = Counter((mask.bit_count(), any(mask & run == run for run in runs)) for mask in range(1 << 13))
    ways: Counter[tuple[Shape, bool]] = Counter()
    for shape in product(range(14), range(7), range(5), range(4)):
        ranks = sum(shape)
        if sum(count * times for count, times in enumerate(shape, start=1)) == HAND_SIZE:
            orders = factorial(ranks) // prod(map(factorial, shape))
            for straight in (False, True):
                ways[shape, straight] = orders * supports[ranks, straight]
    return ways


@cache
def _without_flush() -> Counter[tuple[int, bool]]:
    """How many hands have at most four cards of each suit, by kind and whether five ranks are in a row."""
    hands: Counter[tuple[int, bool]] = Counter()
    for (shape, straight), times in _shapes().items():
        kind = _SINGLES
        for count, ranks in enumerate(shape, start=1):
            for _ in range(ranks):
                kind = _NEXT_KIND[count][kind]
        ways = sum(number for suits, number in suit_ways(shape).items() if max(suits) < 5)
        hands[kind, straight] += times * ways
    return hands


def _holding_a_royal_flush() -> int:
    """By inclusion and exclusion: no hand holds more than two."""
    return 4 * comb(47, 8) - comb(4, 2) * comb(42, 3)


@cache
def _without_straight_flush() -> tuple[int, ...]:
    """How many hands hold no straight flush, by kind.

    Rank by rank from the low ace, as an array by the length of the run that each suit has come to, 0 to 4, the number
    of cards, and the kind. The ace ends the highest run as well; as the suits are alike, so are aces of as many suits.
    """
    total = np.zeros(len(_KINDS), np.int64)
    for aces in range(5):
        hands = np.zeros((5, 5, 5, 5, HAND_SIZE + 1, len(_KINDS)), np.int64)
        hands[(*(int(suit < aces) for suit in range(4)), aces, _NEXT_KIND[aces][_SINGLES])] = comb(4, aces)
        for _ in range(12):
            longer = np.zeros_like(hands)
            for count in range(5):
                for taken in combinations(range(4), count):
                    moved = _added(hands, taken)
                    for kind in _KINDS:
                        longer[..., _NEXT_KIND[count][kind]] += moved[..., kind]
            hands = longer
        ends = tuple(slice(4 if suit < aces else 5) for suit in range(4))
        total += hands[ends][..., HAND_SIZE, :].sum(axis=(0, 1, 2, 3))
    return tuple(total.tolist())


def _added(hands: np.ndarray, taken: tuple[int, ...]) -> np.ndarray:
    """The hands with one more card of each suit that is taken; those that come to a straight flush are left out."""
    for suit in range(4):
        moved = np.zeros_like(hands)
        at, to = np.moveaxis(hands, suit, 0), np.moveaxis(moved, suit, 0)
        if suit in taken:
            to[1:] = at[:-1]
        else:
            to[0] = at.sum(axis=0)
        hands = moved
    moved = np.zeros_like(hands)
    count = len(taken)
    moved[:, :, :, :, count:] = hands[:, :, :, :, : HAND_SIZE + 1 - count]
    return moved
