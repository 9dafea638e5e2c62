"""Deals of a seed, set by strategies and settled: what of them is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from .. import __version__
from ..deal import SEATS
from ..engine.batch import Settled, settle_batch
from ..engine.dealing import deal
from ..engine.settlement import CODES, SIDES, Settlement, settlement
from ..engine.tables import Array
from ..errors import SimulationError
from ..rules import Banker, RuleSet
from ..score import banker_problems
from ..strategy import Strategy, strategies, strategy
from .summary import FOUL, PLAYED, STRENGTHS, SURRENDER, Dealt, Held, Matchups, Outcome, Seat, Summary


@dataclass(frozen=True)
class Game:
    """What is simulated: rules, who sets the hands of each seat, and the banker's seat if there is one."""

    rules: RuleSet
    strategies: tuple[str | Strategy, ...]
    """By seat; a name is looked up where the hands are set, so that names travel in place of tables."""
    banker: int | None = None
    version: str = __version__
    """Of the package that is to play it: others might set hands in another way."""

    @classmethod
    def of(
        cls,
        rules: RuleSet,
        players_are: Sequence[str | Strategy],
        players: int | None = None,
        banker: int | None = None,
    ) -> Self:
        """A game out of what a person gives.

        :param players_are: one strategy for all seats, or one a seat; none for the strongest.
        :param players: 2 to 4; as many as there are strategies, 4 if there is one.
        :param banker: a seat; where the rule set must have a banker and none is given, seat 0.
        :raises SimulationError: ``wrong_players``, ``banker_seat``.
        :raises DealError: ``unknown_strategy``, ``no_banker``.
        """
        given = tuple(players_are) or strategies()[-1:]
        seats = players or (len(given) if len(given) > 1 else SEATS)
        if not 2 <= seats <= SEATS:
            raise SimulationError("wrong_players", f"{seats} players; a deal has 2 to {SEATS}")
        if len(given) not in (1, seats):
            fault = f"{len(given)} strategies for {seats} players; give one for all seats, or one a seat"
            raise SimulationError("wrong_players", fault)
        if banker is None and rules.banker is Banker.REQUIRED:
            banker = 0
        for problem in banker_problems(banker, rules):
            raise problem
        if banker is not None and not 0 <= banker < seats:
            raise SimulationError("banker_seat", f"{banker} is no player's seat; seats count from 0")
        game = cls(rules, given * (seats // len(given)), banker)
        _ = game.names
        return game

    @property
    def players(self) -> tuple[Strategy, ...]:
        """The strategies by seat."""
        return tuple(strategy(each) if isinstance(each, str) else each for each in self.strategies)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strategies by seat."""
        return tuple(player.name for player in self.players)

    def nothing(self) -> Summary:
        """The summary of no deals."""
        return Summary.empty(self.rules, self.names, self.banker)


class Played(NamedTuple):
    """``n`` deals as they were set and settled."""

    dealt: Dealt
    cards: Array
    """(n, p, 13) int8: front (3), middle (5), back (5)."""
    declared: Array
    """(n, p) int16: states in place of playing the arrangement, or -1."""
    settled: Settled


def play(game: Game, dealt: Dealt) -> Played:
    """Deal, set and settle.

    :raises SimulationError: ``other_version``, on a machine that has another version of this package.
    """
    if game.version != __version__:
        fault = f"version {game.version} asked, {__version__} is here; install the same everywhere"
        raise SimulationError("other_version", fault)
    n, players = dealt.deals, len(game.strategies)
    hands = deal(dealt.seed, dealt.first, n).reshape(n, SEATS, 13)[:, :players]
    cards, declared = np.empty_like(hands), np.empty((n, players), np.int16)
    by_seat = game.players
    for player in dict.fromkeys(by_seat):
        seats = [seat for seat, each in enumerate(by_seat) if each == player]
        setting = player.arrange(hands[:, seats].reshape(-1, 13), game.rules, players)
        cards[:, seats] = setting.cards.reshape(n, -1, 13)
        declared[:, seats] = setting.states.reshape(n, -1)
    return Played(dealt, cards, declared, settle_batch(cards, game.rules, states=declared, banker=game.banker))


def tally(game: Game, played: Played) -> Summary:
    """Deals counted."""
    rules, table, settled = game.rules, settlement(game.rules), played.settled
    n, players = settled.states.shape
    legal = settled.states < table.foul
    record = np.zeros((3, n, players, 3), np.int64)
    tallies = np.zeros((n, players, len(Matchups._fields)), np.int64)
    met, scoops, scooped, home_runs, won, lost = np.moveaxis(tallies, 2, 0)
    swept = np.zeros((n, players), np.int8)
    for m, pair in enumerate(settled.matchups):
        place = settled.places[:, m]
        compared = legal[:, pair[0]] & legal[:, pair[1]]
        sides = _SIDES[place % CODES]
        bonus = table.bonus.ravel()[place]
        for seat, side in zip(pair, (1, -1), strict=True):
            mine = side * sides
            for i, way in enumerate((1, 0, -1)):
                record[i, :, seat] += compared[:, None] & (mine == way)
            met[:, seat] += 1
            scoops[:, seat] += compared & (mine.sum(axis=1) == 3)
            scooped[:, seat] += compared & (mine.sum(axis=1) == -3)
            won[:, seat] += np.maximum(side * bonus, 0)
            lost[:, seat] += np.maximum(-side * bonus, 0)
            swept[:, seat] += side * table.scoops.ravel()[place] > 0
    if players >= rules.home_run.players:
        home_runs += swept == players - 1
    seats = tuple(
        Seat(
            _histogram(settled.totals[:, seat]),
            _outcomes(settled.states[:, seat], settled.totals[:, seat], table),
            Matchups._make(tallies[:, seat].sum(axis=0).tolist()),
            tuple(
                _held(
                    _strengths(settled.values[legal[:, seat], seat, segment], segment, table),
                    settled.totals[legal[:, seat], seat],
                    record[:, legal[:, seat], seat, segment],
                )
                for segment in range(3)
            ),
        )
        for seat in range(players)
    )
    return Summary(rules, game.names, game.banker, (played.dealt,) if n else (), seats)


_SIDES = np.array(SIDES, np.int8)


def _histogram(totals: Array) -> dict[int, int]:
    units, deals = np.unique(totals, return_counts=True)
    return dict(zip(units.tolist(), deals.tolist(), strict=True))


def outcome_names(table: Settlement) -> tuple[str, ...]:
    """What a player did, by state: one of :data:`.summary.OUTCOMES`."""
    return tuple(
        PLAYED if state.values else FOUL if state.foul else str(state.natural or SURRENDER) for state in table.states
    )


def _outcomes(states: Array, totals: Array, table: Settlement) -> dict[str, Outcome]:
    names = outcome_names(table)
    found: dict[str, Outcome] = {}
    for i in np.unique(states):
        rows = states == i
        deals, units = found.get(names[i], (0, 0))
        found[names[i]] = Outcome(deals + int(rows.sum()), units + int(totals[rows].sum()))
    return found


def _strengths(values: Array, segment: int, table: Settlement) -> Array:
    """(n,) int: category and leading rank of segments, as in :data:`.summary.STRENGTHS`."""
    strengths = table.tables.strength_of_five if segment else table.tables.strength_of_front
    places: Array = strengths[values] >> 16
    return places


def _held(strengths: Array, totals: Array, record: Array) -> dict[str, Held]:
    """Sums by strength, exact: counts of pairs of strength and score, times the scores as Python's integers."""
    units, of_units = np.unique(totals, return_inverse=True)
    found, of_found = np.unique(strengths, return_inverse=True)
    pairs = np.bincount(of_found * len(units) + of_units, minlength=len(found) * len(units))
    counts = pairs.reshape(len(found), len(units))
    most = int(np.abs(units).max(initial=0))
    exact = units if most**2 * len(totals) < 2**63 else units.astype(object)
    columns = [
        counts.sum(axis=1),
        counts @ exact,
        counts @ exact**2,
        *(np.bincount(of_found, each, len(found)).astype(np.int64) for each in record),
    ]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {STRENGTHS[place]: Held(*row) for place, row in zip(found.tolist(), rows, strict=True)}
