"""Hands set into front, middle and back, and the one test of whether they are legal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, StrEnum
from typing import NamedTuple, Self

from .cards import Card, format_cards, parse_cards
from .errors import ArrangementError
from .evaluate import Strength, Wheel, evaluate
from .shown import Shown

HAND_SIZE = 13


class Segment(StrEnum):
    """A part of an arrangement."""

    FRONT = "front"
    MIDDLE = "middle"
    BACK = "back"

    __hash__ = str.__hash__


SEGMENTS = tuple(Segment)
SIZES = (3, 5, 5)


class Foul(Flag):
    """Everything that makes an arrangement a foul; false where it is legal.

    >>> Foul.FRONT_BEATS_MIDDLE.reasons, bool(Foul.NONE)
    (('front_beats_middle',), False)
    """

    NONE = 0
    FRONT_SIZE = 1
    MIDDLE_SIZE = 2
    BACK_SIZE = 4
    FRONT_BEATS_MIDDLE = 8
    MIDDLE_BEATS_BACK = 16
    MIDDLE_EQUALS_BACK = 32

    @property
    def reasons(self) -> tuple[str, ...]:
        """The names of what is wrong, as in JSON."""
        return tuple(flag.name.lower() for flag in self if flag.name)


LEGAL = Foul.NONE


class Judgement(NamedTuple):
    """An arrangement's foul flags, and the strength of each segment (none for one of the wrong size)."""

    foul: Foul
    strengths: tuple[Strength | None, Strength | None, Strength | None]


@dataclass(frozen=True, slots=True)
class Arrangement(Shown):
    """Thirteen different cards in three segments, legal or not.

    :raises ArrangementError: ``wrong_count`` or ``duplicate_card``. A split other than 3-5-5 is a foul, not an error.

    >>> arrangement = Arrangement.parse("Ks Kh Ad | Kd Kc Qs Js Ts | As Ac 3d 3h 2c")
    >>> arrangement.foul()
    <Foul.FRONT_BEATS_MIDDLE: 8>
    >>> print(arrangement)
    Ks Kh Ad | Kd Kc Qs Js Ts | As Ac 3d 3h 2c
    """

    front: tuple[Card, ...]
    middle: tuple[Card, ...]
    back: tuple[Card, ...]

    def __post_init__(self) -> None:
        cards = self.cards
        if not len(set(cards)) == len(cards) == HAND_SIZE:
            raise ArrangementError.of(card_problems(self.parts, {}))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``front | middle | back``.

        :raises ArrangementError: ``wrong_segments``, ``wrong_count``, ``duplicate_card``.
        :raises CardError: ``unknown_card``.
        """
        parts = text.split("|")
        if len(parts) != len(SEGMENTS):
            raise wrong_segments(len(parts))
        return cls(*map(parse_cards, parts))

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Self:
        """Thirteen cards in the order front, middle, back, three, five and five.

        :raises ArrangementError: ``wrong_count``, ``duplicate_card``.
        """
        held = tuple(cards)
        return cls(held[:3], held[3:8], held[8:])

    @property
    def segments(self) -> tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]:
        """Front, middle and back."""
        return self.front, self.middle, self.back

    @property
    def parts(self) -> dict[str, tuple[Card, ...]]:
        """The segments under the keys of a document."""
        return {"front": self.front, "middle": self.middle, "back": self.back}

    @property
    def cards(self) -> tuple[Card, ...]:
        """The thirteen, front first."""
        return self.front + self.middle + self.back

    def judge(self, wheel: Wheel = Wheel.LOWEST, *, middle_may_equal_back: bool = True) -> Judgement:
        """Rank every segment and say what is out of order: the one legality test.

        >>> str(Arrangement.parse("KsKhQd|KdKcQsJsTs|AsAc3d3h2c").judge().foul)
        'Foul.NONE'
        """
        front, middle, back = strengths = (
            evaluate(self.front, wheel) if len(self.front) == 3 else None,
            evaluate(self.middle, wheel) if len(self.middle) == 5 else None,
            evaluate(self.back, wheel) if len(self.back) == 5 else None,
        )
        if front is not None and middle is not None and back is not None and front <= middle < back:
            return Judgement(LEGAL, strengths)
        foul = LEGAL
        if front is None or middle is None or back is None:
            for flag, strength in zip((Foul.FRONT_SIZE, Foul.MIDDLE_SIZE, Foul.BACK_SIZE), strengths, strict=True):
                foul |= flag if strength is None else LEGAL
        if front is not None and middle is not None and front > middle:
            foul |= Foul.FRONT_BEATS_MIDDLE
        if middle is not None and back is not None and middle >= back:
            if middle > back:
                foul |= Foul.MIDDLE_BEATS_BACK
            elif not middle_may_equal_back:
                foul |= Foul.MIDDLE_EQUALS_BACK
        return Judgement(foul, strengths)

    def foul(self, wheel: Wheel = Wheel.LOWEST, *, middle_may_equal_back: bool = True) -> Foul:
        """What makes this arrangement a foul, as flags; ``Foul.NONE`` where it is legal."""
        return self.judge(wheel, middle_may_equal_back=middle_may_equal_back).foul

    def __str__(self) -> str:
        return " | ".join(map(format_cards, self.segments))


def wrong_segments(count: int) -> ArrangementError:
    """What to say of a text that is cut into this many parts."""
    return ArrangementError("wrong_segments", f"{count} segments; write 'front | middle | back'")


def parse_hand(cards: str | Iterable[str | Card]) -> tuple[Card, ...]:
    """Read a hand of thirteen different cards.

    :raises CardError: ``unknown_card``.
    :raises ArrangementError: ``wrong_count`` or ``duplicate_card``.

    >>> len(parse_hand("2c3c4c5c6c7c8c9cTcJcQcKcAc"))
    13
    """
    hand = parse_cards(cards)
    problems = list(card_problems({"": hand}, {}))
    if problems:
        raise ArrangementError.of(problems)
    return hand


def parse_segment(cards: str) -> tuple[Card, ...]:
    """Read different cards, as many as there are.

    :raises CardError: ``unknown_card``.
    :raises ArrangementError: ``duplicate_card``.
    """
    segment = parse_cards(cards)
    repeated = next((card for card in segment if segment.count(card) > 1), None)
    if repeated is not None:
        raise ArrangementError("duplicate_card", f"{repeated} is there twice; a deal holds each card once")
    return segment


def card_problems(
    parts: Mapping[str, Sequence[Card]], seen: dict[Card, str], owner: str = ""
) -> Iterator[ArrangementError]:
    """Everything wrong with the cards of one hand: a card held twice, here or by whom ``seen`` names; a count but 13.

    :param parts: the cards under the key that leads to them in a document: ``front``, ``middle``, ``back`` or ``hand``.
    :param seen: card -> where it was first seen; this hand's cards are added.
    :param owner: whose hand it is, for the messages.
    """
    for key, cards in parts.items():
        place = f"{owner}'s {key}" if owner and key else key or owner or "the hand"
        for index, card in enumerate(cards):
            if card in seen:
                pointer = f"/{key}/{index}" if key else f"/{index}"
                where = "there twice" if seen[card] == place else f"also in {seen[card]}"
                fault = f"{card} is {where}; a deal holds each card once"
                yield ArrangementError("duplicate_card", fault, pointer=pointer)
            else:
                seen[card] = place
    count = sum(map(len, parts.values()))
    if count != HAND_SIZE:
        whose = f"{owner} has {count}" if owner else str(count)
        yield ArrangementError("wrong_count", f"{whose} card{'s' if count != 1 else ''}; a hand has 13")
