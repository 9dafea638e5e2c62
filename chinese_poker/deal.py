"""Deals: the hands of one round, two to four players in their seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .arrangement import HAND_SIZE, Arrangement, card_problems
from .cards import Card
from .errors import ChinesePokerError, DealError
from .shown import ShownAsText
from .texts import one_line

SEATS = 4
SEAT_NAMES = ("North", "East", "South", "West")
"""What players are called who have no name."""


@dataclass(frozen=True, slots=True)
class Player:
    """One player's hand: set as ``arrangement``, or thirteen cards of a declared natural, or given up.

    >>> Player("North", Arrangement.parse("QhQd2c|9s9h4d4c7s|AsKsJs8s3s")).cards[0]
    Card['Qh']
    """

    name: str
    arrangement: Arrangement | None = None
    hand: tuple[Card, ...] = ()
    declare: str | None = None
    surrender: bool = False

    @property
    def parts(self) -> dict[str, tuple[Card, ...]]:
        """The cards under the keys of a document: ``front``, ``middle`` and ``back``, or ``hand``, or nothing."""
        if self.arrangement:
            return self.arrangement.parts
        return {} if self.surrender and not self.hand else {"hand": self.hand}

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards known to be this player's: thirteen, or none of one who surrenders unseen."""
        return self.arrangement.cards if self.arrangement else self.hand


def labels(names: Sequence[str | None]) -> tuple[str, ...]:
    """What to call the player of each seat so that people tell them apart; ``None`` is a vacant seat.

    >>> labels(("Ann", None, "Ann", "Bo"))
    ('Ann (seat 0)', '', 'Ann (seat 2)', 'Bo')
    """
    return tuple(
        f"{name} (seat {seat})" if name and names.count(name) > 1 else name or "" for seat, name in enumerate(names)
    )


def too_many_seats(seats: int) -> DealError:
    """The error of a deal with more players than a table seats."""
    return DealError("too_many_players", f"{seats:,} seats; a deal has 2 to 4")


def deal_problems(
    names: Sequence[str | None], hands: Sequence[Mapping[str, Sequence[Card]]], banker: int | None = None
) -> Iterator[ChinesePokerError]:
    """Everything wrong with the seats of a deal and the cards in them, each with its pointer.

    :param names: by seat; ``None`` is a vacant seat.
    :param hands: by seat, the cards under the key that leads to them (``front``, ``middle``, ``back`` or ``hand``);
        empty where the seat is vacant or the cards are not known.
    """
    seated = len(names) - names.count(None)
    if seated < 2:
        fault = f"{seated} player{'' if seated == 1 else 's'}; a deal has 2 to 4"
        yield DealError("too_few_players", fault, pointer="/players")
    if len(names) > SEATS:
        yield too_many_seats(len(names)).at("/players")
        return
    if banker is not None and not (0 <= banker < len(names) and names[banker] is not None):
        fault = f"{one_line(str(banker), 9)} is no player's seat; seats count from 0"
        yield DealError("banker_seat", fault, pointer="/banker")
    seen: dict[Card, str] = {}
    for seat, (label, hand) in enumerate(zip(labels(names), hands, strict=True)):
        if hand:
            for problem in card_problems(hand, seen, label):
                yield problem.at(f"/players/{seat}")


@dataclass(frozen=True, slots=True)
class Deal(ShownAsText):
    """Seats in order, ``None`` where vacant; ``banker`` is a seat; ``strategy`` names who sets hands that are not set.

    :raises DealError: ``too_few_players``, ``too_many_players``, ``banker_seat``, ``duplicate_card``, ``wrong_count``.

    >>> Deal((Player("North", surrender=True), None))
    Traceback (most recent call last):
    chinese_poker.errors.DealError: /players: too_few_players: 1 player; a deal has 2 to 4
    """

    players: tuple[Player | None, ...]
    banker: int | None = None
    id: str | int | None = None
    strategy: str | None = None

    def __post_init__(self) -> None:
        cards = [card for player in self.players if player for card in player.cards]
        seated = len(self.players) - self.players.count(None)
        if (
            len(set(cards)) == len(cards) == HAND_SIZE * seated
            and 2 <= seated <= len(self.players) <= SEATS
            and self.banker is None
        ):
            return
        names = [player.name if player else None for player in self.players]
        hands = [player.parts if player else {} for player in self.players]
        problems = list(deal_problems(names, hands, self.banker))
        if problems:
            raise DealError.of(problems)
