"""How strong a segment is: three and five cards on one scale, higher is stronger.

A strength is an integer of six nibbles::

    category   1st   2nd   3rd   4th   5th      ranks 2..14, from the most grouped down
     23..20   19-16 15-12  11-8   7-4   3-0     0 where there is no further card

so a comparison of integers compares the category, then the ranks, and a missing kicker is lower than a deuce. All five
ranks of a straight are written: the ace of A-2-3-4-5 is 1 where that is the lowest straight, 14 where it is the second
highest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import Literal, get_args

from . import _treys
from .cards import Card
from .errors import ArrangementError

CategoryName = Literal[
    "high_card",
    "one_pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]
_CATEGORY_NAMES: tuple[CategoryName, ...] = get_args(CategoryName)


class Category(IntEnum):
    """What kind of segment it is; a royal flush is the best straight flush."""

    HIGH_CARD = 0
    ONE_PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9

    @property
    def word(self) -> CategoryName:
        """The name in JSON and rule files.

        >>> Category.FULL_HOUSE.word
        'full_house'
        """
        return _CATEGORY_NAMES[self]


class Wheel(StrEnum):
    """Where A-2-3-4-5 stands among the straights."""

    LOWEST = "lowest"
    SECOND_HIGHEST = "second_highest"

    __hash__ = str.__hash__


_WORDS = (
    *("", "ace", "deuce", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king", "ace"),
)
# treys' worst rank of each category, from https://github.com/ihendley/treys/blob/master/treys/lookup.py
_WORST_RANK = (
    (1, Category.ROYAL_FLUSH),
    (10, Category.STRAIGHT_FLUSH),
    (166, Category.FOUR_OF_A_KIND),
    (322, Category.FULL_HOUSE),
    (1599, Category.FLUSH),
    (1609, Category.STRAIGHT),
    (2467, Category.THREE_OF_A_KIND),
    (3325, Category.TWO_PAIR),
    (6185, Category.ONE_PAIR),
    (7462, Category.HIGH_CARD),
)


class Strength(int):
    """The comparable worth of a segment; see the head of the module for its layout.

    >>> from chinese_poker.cards import parse_cards
    >>> front, middle = evaluate(parse_cards("KsKhQd")), evaluate(parse_cards("KdKcQsJsTs"))
    >>> front < middle, front.category.word, front.ranks
    (True, 'one_pair', (13, 12))
    """

    __slots__ = ()

    @property
    def category(self) -> Category:
        """The category: high card to royal flush."""
        return Category(self >> 20)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks from the most grouped down, one each of a pair or more; 2..14, 1 for the ace of a low wheel."""
        return tuple(rank for rank in ((self >> shift) & 15 for shift in (16, 12, 8, 4, 0)) if rank)

    def describe(self) -> str:
        """In plain English.

        >>> from chinese_poker.cards import parse_cards
        >>> for text in ("QsQhQd4s4h", "KsKhAd", "As2d3h4c5s", "2d3h4c5s6s", "AsKd9h4c2s", "TsThTd"):
        ...     print(evaluate(parse_cards(text)).describe())
        queens full of fours
        pair of kings, ace kicker
        five-high straight
        six-high straight
        ace high, king-nine-four-deuce kickers
        three tens
        """
        first, *rest = (_WORDS[rank] for rank in self.ranks)
        match self.category:
            case Category.ROYAL_FLUSH:
                return "royal flush"
            case Category.STRAIGHT_FLUSH | Category.STRAIGHT as run:
                top = "five" if (first, rest[0]) == ("ace", "five") else first
                return f"{top}-high {run.word.replace('_', ' ')}"
            case Category.FULL_HOUSE:
                return f"{_plural(first)} full of {_plural(rest[0])}"
            case Category.TWO_PAIR:
                return f"{_plural(first)} and {_plural(rest[0])}{_kickers(rest[1:])}"
            case Category.FLUSH:
                return f"{first}-high flush{_kickers(rest)}"
            case Category.HIGH_CARD:
                return f"{first} high{_kickers(rest)}"
            case kind:
                count = {Category.ONE_PAIR: "pair of", Category.THREE_OF_A_KIND: "three"}.get(kind, "four")
                return f"{count} {_plural(first)}{_kickers(rest)}"


def _plural(word: str) -> str:
    return word + ("es" if word == "six" else "s")


def _kickers(words: Sequence[str]) -> str:
    return f", {'-'.join(words)} kicker{'s' if len(words) > 1 else ''}" if words else ""


# A key that adds up over cards: three bits for the count of each rank, and above them three for the count of each suit,
# where five cards of a suit are the only 0b101.
_CARD_KEYS = tuple(1 << 3 * (card.rank - 2) | 1 << 3 * (13 + card.suit) for card in Card)
_key_of = _CARD_KEYS.__getitem__
_RANK_MASK = (1 << 39) - 1
_FLUSH_BITS = 0b001001001001 << 39

_known: dict[Wheel, dict[int, Strength]] = {wheel: {} for wheel in Wheel}


def evaluate(cards: Sequence[Card], wheel: Wheel = Wheel.LOWEST) -> Strength:
    """The strength of three or five different cards, in any order.

    Three cards are a high card, a pair or trips: three in a row or of a suit do not count. Five are ranked by treys.

    :raises ArrangementError: ``unrankable`` for another number of cards.

    >>> from chinese_poker.cards import parse_cards
    >>> evaluate(parse_cards("As2d3h4c5s")) < evaluate(parse_cards("2s3d4h5c6s"))
    True
    >>> evaluate(parse_cards("As2d3h4c5s"), Wheel.SECOND_HIGHEST) > evaluate(parse_cards("9sTdJhQcKs"))
    True
    """
    suited = sum(map(_key_of, cards))
    key = suited & _RANK_MASK | (suited & suited >> 2 & _FLUSH_BITS)
    known = _known[wheel]
    strength = known.get(key)
    if strength is None:
        strength = known[key] = _evaluate(cards, wheel)
    return strength


def _evaluate(cards: Sequence[Card], wheel: Wheel) -> Strength:
    groups = sorted(((count, rank) for rank, count in Counter(card.rank for card in cards).items()), reverse=True)
    ranks = [rank for _, rank in groups]
    if len(cards) == 5:
        category = next(kind for worst, kind in _WORST_RANK if _treys.rank5(cards) <= worst)
        if ranks == [14, 5, 4, 3, 2] and category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
            ranks = [5, 4, 3, 2, 1] if wheel is Wheel.LOWEST else ranks
    elif len(cards) == 3:
        category = {1: Category.THREE_OF_A_KIND, 2: Category.ONE_PAIR, 3: Category.HIGH_CARD}[len(ranks)]
    else:
        raise ArrangementError("unrankable", f"{len(cards)} is no number of cards to rank; a segment has 3 or 5")
    return Strength(category << 20 | sum(rank << shift for rank, shift in zip(ranks, (16, 12, 8, 4, 0), strict=False)))
