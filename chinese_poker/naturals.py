"""Naturals: patterns of all 13 cards that win without a comparison.

Each pattern is judged on the hand, whatever its layout, and returns a witness: the cards grouped so that a person sees
the pattern (for three flushes or straights its segments are those; elsewhere the most grouped cards are in the back).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import combinations_with_replacement

from .arrangement import Arrangement, parse_hand
from .cards import RANKS, Card, grouped
from .evaluate import evaluate


class Natural(StrEnum):
    """The fourteen patterns, from the rarest kinds down as most houses list them."""

    SUITED_DRAGON = "suited_dragon"
    DRAGON = "dragon"
    TWELVE_ROYALS = "twelve_royals"
    THREE_STRAIGHT_FLUSHES = "three_straight_flushes"
    THREE_QUADS = "three_quads"
    ALL_BIG = "all_big"
    ALL_SMALL = "all_small"
    ONE_COLOUR = "one_colour"
    TWELVE_OF_A_SUIT = "twelve_of_a_suit"
    FOUR_TRIPS = "four_trips"
    FIVE_PAIRS_AND_TRIPS = "five_pairs_and_trips"
    SIX_PAIRS = "six_pairs"
    THREE_FLUSHES = "three_flushes"
    THREE_STRAIGHTS = "three_straights"


DRAGONS = (Natural.SUITED_DRAGON, Natural.DRAGON)
BIG = "89TJQKA"
SMALL = "2345678"

_ACE_LOW = (14, *range(2, 15))
RUNS3 = tuple(_ACE_LOW[low : low + 3] for low in range(12))
RUNS5 = tuple(_ACE_LOW[low : low + 5] for low in range(10))
_ROYALS = (11, 12, 13, 14)


def find_naturals(
    hand: str | Iterable[str | Card], *, big: str = BIG, small: str = SMALL
) -> dict[Natural, Arrangement]:
    """Every natural that 13 cards hold, with a witness each.

    :param big: the ranks of ``all_big``.
    :param small: the ranks of ``all_small``.
    :raises CardError: ``unknown_card``.
    :raises ArrangementError: ``wrong_count`` or ``duplicate_card``.

    >>> for natural, witness in find_naturals("2h3s3d4c4h5s6d7cTsJhQdKcAs").items():
    ...     print(natural, "-", witness)
    three_straights - 2h 3s 4h | 3d 4c 5s 6d 7c | Ts Jh Qd Kc As
    """
    cards = sorted(parse_hand(hand))
    ranks = Counter(card.rank for card in cards)
    suits = Counter(card.suit for card in cards)
    found = ((natural, part(cards, ranks, suits)) for natural, part in _PARTITIONS.items())
    held = {natural: witness for natural, witness in found if witness}
    plain = [natural for natural, holds in _BY_RANKS.items() if holds(ranks)]
    plain += [natural for natural, holds in _BY_SUITS.items() if holds(suits)]
    for natural, within in ((Natural.ALL_BIG, big), (Natural.ALL_SMALL, small)):
        plain += [natural] if all(RANKS[rank - 2] in within for rank in ranks) else []
    held |= dict.fromkeys(plain, _grouped(cards))
    return {natural: held[natural] for natural in Natural if natural in held}


def _grouped(cards: Iterable[Card]) -> Arrangement:
    by_group = grouped(cards)
    return Arrangement(by_group[10:], by_group[5:10], by_group[:5])


def _ordered(front: Iterable[Card], *fives: Iterable[Card]) -> Arrangement:
    middle, back = sorted((tuple(five) for five in fives), key=evaluate)
    return Arrangement(tuple(front), middle, back)


def _three_flushes(cards: Sequence[Card], ranks: Counter[int], suits: Counter[int]) -> Arrangement | None:
    for front_suit in suits:
        left = suits - Counter({front_suit: 3})
        if suits[front_suit] >= 3 and all(count % 5 == 0 for count in left.values()):
            front = [card for card in cards if card.suit == front_suit][:3]
            rest = sorted((card for card in cards if card not in front), key=lambda card: (card.suit, card))
            return _ordered(front, rest[:5], rest[5:])
    return None


THREE_RUNS = {
    tuple(sorted(front + middle + back)): (front, middle, back)
    for front in RUNS3
    for middle, back in combinations_with_replacement(RUNS5, 2)
}


def _three_straights(cards: Sequence[Card], ranks: Counter[int], suits: Counter[int]) -> Arrangement | None:
    runs = THREE_RUNS.get(tuple(card.rank for card in cards))
    if runs is None:
        return None
    left = {rank: [card for card in cards if card.rank == rank] for rank in ranks}
    return _ordered(*([left[rank].pop() for rank in run] for run in runs))


def _three_straight_flushes(cards: Sequence[Card], ranks: Counter[int], suits: Counter[int]) -> Arrangement | None:
    if not all(count in (3, 5, 8, 10, 13) for count in suits.values()) or not _three_straights(cards, ranks, suits):
        return None
    held = set(cards)
    fives = [five for suit in suits for run in RUNS5 if (five := _suited(run, suit)) <= held]
    for front in (_suited(run, suit) for suit in suits for run in RUNS3):
        for middle in fives:
            back = held - front - middle
            if front <= held and len(back) == 5 and back in fives:
                return _ordered(*(sorted(segment) for segment in (front, middle, back)))
    return None


def _suited(run: Iterable[int], suit: int) -> set[Card]:
    return {Card(4 * (rank - 2) + suit) for rank in run}


_PARTITIONS: dict[Natural, Callable[[Sequence[Card], Counter[int], Counter[int]], Arrangement | None]] = {
    Natural.THREE_STRAIGHT_FLUSHES: _three_straight_flushes,
    Natural.THREE_FLUSHES: _three_flushes,
    Natural.THREE_STRAIGHTS: _three_straights,
}
_BY_RANKS: dict[Natural, Callable[[Counter[int]], bool]] = {
    Natural.DRAGON: lambda ranks: len(ranks) == 13,
    Natural.TWELVE_ROYALS: lambda ranks: sum(ranks[rank] for rank in _ROYALS) >= 12,
    Natural.THREE_QUADS: lambda ranks: sum(count == 4 for count in ranks.values()) == 3,
    Natural.FOUR_TRIPS: lambda ranks: sum(count >= 3 for count in ranks.values()) == 4,
    Natural.FIVE_PAIRS_AND_TRIPS: lambda ranks: sorted(count for count in ranks.values() if count % 2) == [3],
    Natural.SIX_PAIRS: lambda ranks: sum(count // 2 for count in ranks.values()) == 6,
}
_BY_SUITS: dict[Natural, Callable[[Counter[int]], bool]] = {
    Natural.SUITED_DRAGON: lambda suits: len(suits) == 1,
    Natural.ONE_COLOUR: lambda suits: not (suits[0] or suits[3]) or not (suits[1] or suits[2]),
    Natural.TWELVE_OF_A_SUIT: lambda suits: max(suits.values()) >= 12,
}
