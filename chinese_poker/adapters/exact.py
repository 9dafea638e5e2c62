"""A reduced game of two players solved exactly: every deal, every move, best responses, exploitability.

It has nothing of OpenSpiel's, so that each can check the other::

    game = Game.of(rules="mandarin", suits=3, ranks=4, front=1, back=2, moves="undominated")
    solver = Exact.of(game)
    solver.exploitability(solver.fictitious_play(1000))

A strategy is an array (r,) of chances, a row for each hand and move of :attr:`Exact.rows`; those of a hand add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..engine.tables import Array
from ..errors import DealError
from .game import Game, Hand


@dataclass(frozen=True, eq=False)
class Exact:
    """All deals of a game, as what each row gains from each that it may meet.

    >>> solver = Exact.of(Game.of(suits=2, ranks=5, front=1, back=2))
    >>> len(solver.hands), solver.opponents, len(solver.rows)
    (252, 1, 3580)
    >>> uniform = solver.uniform()
    >>> bool(solver.exploitability(uniform) > solver.exploitability(solver.fictitious_play(100)) > 0)
    True
    """

    game: Game
    hands: tuple[Hand, ...]
    """Every hand, each as likely."""
    opponents: int
    """Hands that one may meet, each as likely."""
    rows: Array
    """(r,) int64: the moves of the first hand, then those of the second, and so on."""
    offsets: Array
    """(n + 1,) int64: where the rows of each hand begin."""
    starts: Array
    """(r,) int64: where each row begins in the two arrays that follow."""
    met: Array
    """(e,) int64: the rows that a row may meet."""
    units: Array
    """(e,) float: what it gains from them."""

    @classmethod
    def of(cls, game: Game) -> Exact:
        """Enumerate and settle every deal.

        :raises DealError: ``bad_game`` where it is no game of two, alike for both, with reduced hands.
        """
        if game.players != 2 or game.banker is not None or game.is_core:
            raise DealError("bad_game", "only a game of 2 with reduced hands and no banker is solved exactly")
        hands = tuple(combinations(game.deck, game.hand_size))
        moves = [game.moves_of(hand) for hand in hands]
        offsets = np.cumsum([0, *map(len, moves)])
        place = {hand: i for i, hand in enumerate(hands)}
        met: list[list[Array]] = [[] for _ in hands]
        units: list[list[Array]] = [[] for _ in hands]
        opponents = 0
        for i, j in _meetings(game, place):
            table = np.array(
                [[game.totals((hands[i], hands[j]), (a, b))[0] for b in moves[j]] for a in moves[i]], float
            )
            for mine, theirs, gains in ((i, j, table), (j, i, -table.T)):
                met[mine].append(np.arange(offsets[theirs], offsets[theirs + 1]))
                units[mine].append(gains)
            opponents = max(opponents, len(met[i]), len(met[j]))
        columns = [np.concatenate(parts) for parts in met]
        counts = np.repeat([len(found) for found in columns], np.diff(offsets))
        return cls(
            game,
            hands,
            opponents,
            np.concatenate(moves),
            offsets,
            np.cumsum([0, *counts[:-1]]),
            np.concatenate([np.tile(found, len(own)) for found, own in zip(columns, moves, strict=True)]),
            np.concatenate([np.concatenate(parts, axis=1).ravel() for parts in units]),
        )

    def uniform(self) -> Array:
        """The strategy that takes any move as soon as any other."""
        counts = np.diff(self.offsets)
        return np.repeat(1 / counts, counts)

    def replies(self, strategy: Array) -> Array:
        """(r,) what each row gains on average from opponents who play a strategy."""
        gained: Array = np.add.reduceat(self.units * strategy[self.met], self.starts) / self.opponents
        return gained

    def best_response(self, strategy: Array) -> Array:
        """The strategy that gains most from a strategy: for each hand its best move, of equal ones the first."""
        gained = self.replies(strategy)
        best = np.repeat(np.maximum.reduceat(gained, self.offsets[:-1]), np.diff(self.offsets))
        order = np.where(gained == best, np.arange(len(gained)), len(gained))
        response = np.zeros(len(gained))
        response[np.minimum.reduceat(order, self.offsets[:-1])] = 1
        return response

    def value(self, strategy: Array, other: Array) -> float:
        """Units a deal that a strategy gains from another."""
        return float(strategy @ self.replies(other)) / len(self.hands)

    def exploitability(self, strategy: Array) -> float:
        """Units a deal that the best response gains from a strategy; 0 in equilibrium, as both seats are alike."""
        return float(np.maximum.reduceat(self.replies(strategy), self.offsets[:-1]).mean())

    def fictitious_play(self, rounds: int) -> Array:
        """The mean of best responses, each to the mean of those before it; it begins with the uniform strategy."""
        mean = self.uniform()
        for played in range(1, rounds + 1):
            mean = mean + (self.best_response(mean) - mean) / (played + 1)
        return mean

    def chances(self, strategy: Array) -> dict[Hand, dict[int, float]]:
        """A strategy by hand and move."""
        bounds = zip(self.hands, self.offsets, self.offsets[1:], strict=False)
        return {hand: dict(zip(self.rows[i:j].tolist(), strategy[i:j].tolist(), strict=True)) for hand, i, j in bounds}


def _meetings(game: Game, place: dict[Hand, int]) -> Iterator[tuple[int, int]]:
    """Every two hands that share no card, once."""
    for hand, i in place.items():
        left = [card for card in game.deck if card not in hand]
        for other in combinations(left, game.hand_size):
            if i < place[other]:
                yield i, place[other]
