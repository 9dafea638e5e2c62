"""The game as toolkits for players see it: the moves of a hand by number, and what a deal pays.

A move of a player is a number, the same whatever the hand, the rule set and the number of players::

    0 .. 72,071   an arrangement, as places in the ascending hand: fronts in lexicographic order, for each the middles
                  out of what is left; number = 252 * (which front of 286) + (which middle of 252)
    72,072        declare the natural that the hand holds
    72,073        surrender

A reduced game is played with fewer cards, the highest ranks and suits of the deck (suits ascend c, d, h, s), and with
segments of other sizes, so small that it can be solved exactly. Its moves are numbered alike. Segments other than 3-5-5
have a ranking of their own, the core's carried over to any size: cards alike count as in poker, and a middle or a back
of at least two cards may be a flush (of one suit), a straight (neighbouring ranks, the ace high) or both, in the order
of the core's categories; a front may not. No natural is played with them. Units are settled by the core in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Self

import numpy as np

from ..arrangement import LEGAL, SIZES, Arrangement
from ..cards import DECK, Card, format_cards, parse_cards
from ..deal import SEAT_NAMES, SEATS, Deal, Player
from ..engine.field import candidates, judged, states_of
from ..engine.settlement import settlement
from ..engine.tables import Array, tables
from ..errors import DealError
from ..evaluate import Category, Strength
from ..matchup import State
from ..naturals import Natural
from ..presets import load_rules
from ..rules import RuleSet
from ..score import DealResult, Seat, banker_problems, played_naturals, score, settle_table
from ..strategy import Strategy
from ..texts import quote

Hand = tuple[int, ...]
"""Card indices, ascending."""

MOVES = ("legal", "undominated")
"""What a player may choose from: every legal arrangement, or only those that no other beats in all segments."""
_BY_GROUPS = {
    (1,): Category.HIGH_CARD,
    (2,): Category.ONE_PAIR,
    (2, 2): Category.TWO_PAIR,
    (3,): Category.THREE_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (4,): Category.FOUR_OF_A_KIND,
}


@dataclass(frozen=True, kw_only=True)
class Game:
    """One deal among two to four players.

    :param banker: the banker's seat.
    :param suits: how many, the highest of c, d, h, s.
    :param ranks: how many, down from the ace.
    :param front: the cards of the front.
    :param back: the cards of the back, and of the middle; no fewer than the front's.
    :param moves: ``legal`` or ``undominated``; the latter leaves about 120 of 22,000 and nothing that could be better.
    :raises DealError: ``bad_game``, ``no_banker``, ``missing_banker`` or ``banker_seat``.

    >>> game = Game(rules=load_rules("basic"), moves="undominated")
    >>> hand = game.sorted_hand("As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c")
    >>> [game.words(hand, move) for move in game.moves_of(hand).tolist()]
    ['2c 9s As | Tc Jd Qc Kd Ad | 3h 4h 6h 7h 8h', '2c Ad As | 9s Tc Jd Qc Kd | 3h 4h 6h 7h 8h']
    """

    rules: RuleSet
    players: int = 2
    banker: int | None = None
    suits: int = 4
    ranks: int = 13
    front: int = SIZES[0]
    back: int = SIZES[2]
    moves: str = "legal"

    def __post_init__(self) -> None:
        for fine, fault in (
            (2 <= self.players <= SEATS, f"players={self.players}; write 2 to {SEATS}"),
            (1 <= self.suits <= 4 and 1 <= self.ranks <= 13, "write suits 1 to 4 and ranks 1 to 13"),
            (1 <= self.front <= self.back <= 5, "write front and back 1 to 5, and no more cards in front than in back"),
            (self.moves in MOVES, f"moves={quote(self.moves)}; write {' or '.join(MOVES)}"),
            (
                self.players * self.hand_size <= self.suits * self.ranks,
                f"{self.players} hands of {self.hand_size} cards are more than {self.suits * self.ranks}; take fewer",
            ),
        ):
            if not fine:
                raise DealError("bad_game", fault)
        for problem in banker_problems(self.banker, self.rules):
            raise problem
        if self.banker is not None and not 0 <= self.banker < self.players:
            raise DealError("banker_seat", f"{self.banker} is no player's seat; seats count from 0")

    @classmethod
    def of(cls, *, rules: str = "basic", banker: int = -1, **others: int | str) -> Self:
        """A game from plain parameters.

        :param rules: a preset's name or alias, or a rule file (``./my-club.toml``).
        :param banker: the banker's seat, -1 for none.
        :raises RuleSetError: ``unknown_rules``, ``unreadable_rules``.
        :raises DealError: as :class:`Game`.

        >>> Game.of(rules="basic", suits=3, ranks=4, front=1, back=2).sizes
        (1, 2, 2)
        """
        return cls(rules=load_rules(rules), banker=None if banker == -1 else banker, **others)  # type: ignore[arg-type]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The cards of front, middle and back."""
        return self.front, self.back, self.back

    @cached_property
    def hand_size(self) -> int:
        """Cards in a hand."""
        return sum(self.sizes)

    @cached_property
    def deck(self) -> Hand:
        """The cards that are played with, ascending."""
        return tuple(int(card) for card in DECK if card.rank > 14 - self.ranks and card.suit >= 4 - self.suits)

    @cached_property
    def declare(self) -> int:
        """The move that declares a natural; those before it are arrangements."""
        return comb(self.hand_size, self.front) * comb(2 * self.back, self.back)

    @property
    def surrender(self) -> int:
        """The number of the move that surrenders."""
        return self.declare + 1

    @property
    def move_count(self) -> int:
        """How many numbers of moves there are."""
        return self.declare + 2

    @property
    def most_units(self) -> int:
        """No player wins or loses more in a deal."""
        return int(np.abs(settlement(self.rules).units).max()) * (self.players - 1)

    @property
    def is_core(self) -> bool:
        """Whether segments are the core's, so that the core judges and scores the whole deal."""
        return self.sizes == SIZES

    def sorted_hand(self, cards: str | Sequence[int]) -> Hand:
        """A hand as moves are numbered by: ascending."""
        return tuple(sorted(map(int, parse_cards(cards) if isinstance(cards, str) else cards)))

    def moves_of(self, hand: Hand) -> Array:
        """(k,) int64, ascending: the moves that a hand may choose from; read-only."""
        return _moves_of(self, hand)

    def split(self, hand: Hand, move: int) -> tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]:
        """Front, middle and back of an arrangement by number, the cards of each ascending."""
        middle = self.front + self.back
        cards = [DECK[hand[place]] for place in _splits(self.sizes)[move].tolist()]
        return tuple(cards[: self.front]), tuple(cards[self.front : middle]), tuple(cards[middle:])

    def move_of(self, hand: Hand, arrangement: Sequence[int]) -> int:
        """The number of an arrangement of a hand, given as cards, front first.

        >>> game = Game(rules=load_rules("basic"))
        >>> hand = game.sorted_hand(range(13))
        >>> game.move_of(hand, [12, 11, 10, 5, 6, 7, 8, 9, 4, 3, 2, 1, 0])
        72071
        """
        return int(_numbers(self, hand, np.array([arrangement]))[0])

    def move_by(self, strategy: Strategy, hand: Hand) -> int:
        """What a strategy does with a hand: one of the hand's moves, or one of equal strength among them.

        :raises DealError: ``bad_game`` in a reduced game: strategies set 13 cards as 3-5-5.
        """
        if not self.is_core:
            raise DealError("bad_game", f"{strategy.name} sets hands as 3-5-5; play those sizes")
        setting = strategy.arrange(np.array([hand], np.int8), self.rules, self.players)
        state = settlement(self.rules).states[setting.states[0]]
        if setting.states[0] >= 0 and not state.foul:
            return self.declare if state.natural else self.surrender
        move = self.move_of(hand, setting.cards[0].tolist())
        moves = self.moves_of(hand)
        if self.moves == "legal" or move in moves:
            return move
        values = judged(setting.cards, self.rules).values[0]
        offered = moves[moves < self.declare]
        alike = judged(np.array(hand, np.int8)[_splits(self.sizes)[offered]], self.rules).values == values
        return int(offered[np.flatnonzero(alike.all(axis=1))[0]])

    def words(self, hand: Hand, move: int) -> str:
        """A move as a person would write it."""
        if move == self.surrender:
            return "surrender"
        if move == self.declare:
            return f"declare {self.natural(hand) or 'nothing'}"
        return " | ".join(map(format_cards, self.split(hand, move)))

    def natural(self, hand: Hand) -> Natural | None:
        """The natural that the hand may declare: the highest that it holds."""
        if not self.is_core:
            return None
        return next(iter(played_naturals([DECK[card] for card in hand], self.rules)), None)

    def check(self, hand: Hand, move: int) -> None:
        """Whether a move can be settled; an arrangement always can, as a foul if need be.

        :raises DealError: ``bad_move``: no number of a move, or a natural or a surrender that cannot be declared.
        """
        possible = (
            self.natural(hand) is not None
            if move == self.declare
            else self.rules.surrender is not None
            if move == self.surrender
            else 0 <= move < self.declare
        )
        if not possible:
            what = "declares nothing" if move == self.declare else "is no move here"
            fault = f"{move} {what}; arrangements are 0 to {self.declare - 1}, the mask has the legal moves"
            raise DealError("bad_move", fault)

    def deal(self, hands: Sequence[Hand], moves: Sequence[int]) -> Deal:
        """A deal of the core, of hands as they were set; only for segments of 3-5-5.

        :raises DealError: ``bad_move``.
        """
        players = []
        for name, hand, move in zip(SEAT_NAMES, hands, moves, strict=False):
            self.check(hand, move)
            cards = tuple(DECK[card] for card in hand)
            if move < self.declare:
                players.append(Player(name, Arrangement(*self.split(hand, move))))
            else:
                surrenders = move == self.surrender
                players.append(Player(name, None, cards, None if surrenders else self.natural(hand), surrenders))
        return Deal(tuple(players), banker=self.banker)

    def result(self, hands: Sequence[Hand], moves: Sequence[int]) -> DealResult:
        """The deal settled by the core, itemised; only for segments of 3-5-5."""
        return score(self.deal(hands, moves), self.rules)

    def totals(self, hands: Sequence[Hand], moves: Sequence[int]) -> tuple[int, ...]:
        """Units won by each seat.

        >>> game = Game.of(rules="basic", suits=3, ranks=4, front=1, back=2)
        >>> north, south = game.sorted_hand("Jd Qd Kd Kh Ks"), game.sorted_hand("Jh Js Qh Ad Ah")
        >>> game.words(north, 11), game.words(south, 1), game.totals([north, south], [11, 1])
        ('Qd | Kh Ks | Jd Kd', 'Jh | Js Ad | Qh Ah', (2, -2))
        """
        if self.is_core:
            return self.result(hands, moves).totals
        seats = {}
        for seat, (hand, move) in enumerate(zip(hands, moves, strict=True)):
            self.check(hand, move)
            seats[seat] = Seat(State(surrender=True)) if move == self.surrender else _reduced_seat(self, hand, move)
        totals = [0] * self.players
        for (first, second), _, total in settle_table(seats, self.rules, self.banker)[0]:
            totals[first] += total
            totals[second] -= total
        return tuple(totals)


def reduced_strength(cards: Sequence[Card], *, runs: bool) -> Strength:
    """The strength of a segment of any size, on the core's scale; see the head of the module.

    :param runs: whether flushes and straights count.

    >>> from ..cards import parse_cards
    >>> for text in ("As", "Ks Kh", "Qs Ks", "9s As", "9s Th"):
    ...     print(reduced_strength(parse_cards(text), runs=True).category.word)
    high_card
    one_pair
    straight_flush
    flush
    straight
    """
    counts = Counter(card.rank for card in cards)
    groups = sorted(((count, rank) for rank, count in counts.items()), reverse=True)
    ranks = [rank for _, rank in groups]
    category = _BY_GROUPS[tuple(count for count, _ in groups if count > 1) or (1,)]
    if runs and len(cards) > 1:
        straight = len(ranks) == len(cards) == ranks[0] - ranks[-1] + 1
        flush = len({card.suit for card in cards}) == 1
        if straight and flush:
            category = Category.ROYAL_FLUSH if ranks[0] == 14 else Category.STRAIGHT_FLUSH
        elif straight or flush:
            category = Category.STRAIGHT if straight else Category.FLUSH
    return Strength(category << 20 | sum(rank << shift for rank, shift in zip(ranks, (16, 12, 8, 4, 0), strict=False)))


@lru_cache(maxsize=1 << 16)
def _reduced_seat(game: Game, hand: Hand, move: int) -> Seat:
    segments = game.split(hand, move)
    front, middle, back = strengths = (
        reduced_strength(segments[0], runs=False),
        reduced_strength(segments[1], runs=True),
        reduced_strength(segments[2], runs=True),
    )
    if front > middle or middle > back or (middle == back and not game.rules.middle_may_equal_back):
        return Seat(State(foul=True))
    values = tuple(row[strength.category] for row, strength in zip(game.rules.values, strengths, strict=True))
    return Seat(State(values=values), LEGAL, strengths, segments)


@lru_cache(maxsize=64)
def _moves_of(game: Game, hand: Hand) -> Array:
    found = _core_arrangements(game, hand) if game.is_core else _reduced_arrangements(game, hand)
    more = [game.declare] if game.natural(hand) else []
    more += [game.surrender] if game.rules.surrender is not None else []
    moves: Array = np.concatenate([found, np.array(more, np.int64)])
    moves.setflags(write=False)
    return moves


def _core_arrangements(game: Game, hand: Hand) -> Array:
    cards = np.array(hand, np.int8)
    if game.moves == "undominated":
        return np.sort(_numbers(game, hand, candidates(cards, game.rules).cards))
    table = tables(game.rules.wheel)
    fronts, fives, which = _subsets()
    of_front, of_five = table.values_of(cards[fronts]), table.values_of(cards[fives])
    values = np.stack([of_front[which[0]], of_five[which[1]], of_five[which[2]]], axis=1)
    return np.flatnonzero(states_of(values, game.rules) != settlement(game.rules).foul)


@lru_cache(maxsize=1 << 12)
def _reduced_arrangements(game: Game, hand: Hand) -> Array:
    seats = {move: _reduced_seat(game, hand, move) for move in range(game.declare)}
    legal = {move: seat for move, seat in seats.items() if not seat.state.foul}
    if not legal:
        return np.arange(game.declare)  # where the rules let no arrangement be legal, each is a foul
    if game.moves == "undominated":
        first = {tuple(int(s or 0) for s in seat.strengths): move for move, seat in reversed(legal.items())}
        if settlement(game.rules).is_monotone:
            first = {strengths: move for strengths, move in first.items() if not _is_dominated(strengths, first)}
        return np.sort(list(first.values()))
    return np.array(list(legal))


def _is_dominated(strengths: tuple[int, ...], others: Iterable[tuple[int, ...]]) -> bool:
    return any(other != strengths and all(map(int.__ge__, other, strengths)) for other in others)


@lru_cache(maxsize=16)
def _splits(sizes: tuple[int, int, int]) -> Array:
    """(k, hand size) int8: every arrangement by number, as places in the ascending hand."""
    front, middle, _ = sizes
    everything = frozenset(range(sum(sizes)))
    rows = [
        (*first, *second, *sorted(everything.difference(first, second)))
        for first in combinations(sorted(everything), front)
        for second in combinations(sorted(everything.difference(first)), middle)
    ]
    splits = np.array(rows, np.int8)
    splits.setflags(write=False)
    return splits


def _numbers(game: Game, hand: Hand, arrangements: Array) -> Array:
    """(k,) int64: the numbers of arrangements (k, hand size) of a hand, given as cards, front first."""
    places = np.searchsorted(hand, arrangements)
    keys, numbers = _keys(game.sizes)
    return numbers[np.searchsorted(keys, _keys_of(places, game.sizes))]


def _keys_of(places: Array, sizes: tuple[int, int, int]) -> Array:
    """(k,) int64: the places of front and middle as bits."""
    bits = 1 << places.astype(np.int64)
    front, middle, _ = sizes
    keys: Array = (bits[:, :front].sum(axis=1) << sum(sizes)) + bits[:, front : front + middle].sum(axis=1)
    return keys


@lru_cache(maxsize=16)
def _keys(sizes: tuple[int, int, int]) -> tuple[Array, Array]:
    """The keys of all arrangements, ascending, and the number of each."""
    keys = _keys_of(_splits(sizes), sizes)
    numbers = np.argsort(keys)
    return keys[numbers], numbers


@lru_cache(maxsize=1)
def _subsets() -> tuple[Array, Array, Array]:
    """(286, 3) and (1287, 5): fronts and fives as places; (3, 72072): which of them each arrangement has."""
    fronts, fives = (list(combinations(range(13), size)) for size in (3, 5))
    front_of, five_of = ({places: i for i, places in enumerate(found)} for found in (fronts, fives))
    splits = [tuple(row) for row in _splits(SIZES).tolist()]
    which = [(front_of[row[:3]], five_of[row[3:8]], five_of[row[8:]]) for row in splits]
    return np.array(fronts), np.array(fives), np.array(which).T
