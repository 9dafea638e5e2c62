"""What arrangements of a hand are worth: mean units over the opponents that they may meet.

Units are settled pair by pair, so their mean needs no deal of the whole table: each unknown opponent is one hand out of
the cards that are not seen. Only a home run couples the opponents; for it whole tables are dealt. All candidates meet
the same opponents, so that their differences are measured far better than their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..rules import RuleSet, Ties
from .field import Field
from .settlement import CODES, SIDES, WEIGHTS, Settlement, settlement
from .tables import Array

SEPARATED = 3.3
"""Standard errors by which the best must lead for sampling to stop: 1 in 2,000 by chance."""
_FEWEST = 100
"""Opponents from which on errors are known well enough to stop by them."""
_SCREEN = 512
_FIRST = 2_048
_SPENT = 24_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """Whom a hand meets: known opponents, unknown ones, and how."""

    rules: RuleSet
    known: Field
    """Opponents whose arrangements are known."""
    unknown: int
    """How many more there are."""
    sample: Field
    """Hands that an unknown opponent may hold, each as likely; empty where all opponents are known."""
    origins: Array
    """(n,) int: alike for hands of the sample that are as good as one, so that n of them say less than n others."""
    exact: bool
    """Whether the sample is all that there is."""
    tables: Field
    """Whole tables for home runs, known and unknown opponents of each in turn; empty where none is paid."""
    banks: bool | None = None
    """In a banker game whether the hand is the banker's (True) or a player's, whose one opponent the banker is."""

    @property
    def opponents(self) -> int:
        """How many the hand plays against."""
        return len(self.known) + self.unknown

    @property
    def tie(self) -> int:
        """Who wins a segment of equal strength: 1 the hand, -1 its opponent, 0 neither."""
        if self.banks is None or self.rules.ties is not Ties.BANKER:
            return 0
        return 1 if self.banks else -1


@dataclass(frozen=True, eq=False)
class Values:
    """Candidates with what they are worth, best first; figures are units per opponent."""

    rows: Array
    """(k,) int: the candidates that were sampled to the end."""
    mean: Array
    """(k,) float."""
    error: Array
    """(k,) float: standard error of the mean."""
    behind: Array
    """(k,) float: how much less than the best."""
    behind_error: Array
    """(k,) float: standard error of that difference."""
    samples: int
    """Opponents that each of them met."""
    how: str
    """``exact``, ``separated`` from the next best, or ``budget`` where sampling ended with the sample."""


def codes(mine: Field, theirs: Field, tie: int = 0) -> Array:
    """(k, n) int8: who wins the segments, as the code of the settlement, for each of mine against each of theirs.

    :param tie: who wins a tie: 1 mine, -1 theirs, 0 nobody.
    """
    found = np.full((len(mine), len(theirs)), CODES // 2, np.int8)
    for segment, weight in enumerate(WEIGHTS):
        distinct, place = np.unique(mine.values[:, segment], return_inverse=True)
        held = theirs.values[:, segment]
        above, below = distinct[:, None] > held, distinct[:, None] < held
        side = above.view(np.int8) - below.view(np.int8)
        if tie:
            side += np.int8(tie) * ~(above | below)
        found += (side * np.int8(weight))[place]
    return found


def codes_by_row(first: Field, second: Field, tie: int = 0) -> Array:
    """(n,) int64: who wins the segments, as the code of the settlement, row by row of two fields of ``n``.

    :param tie: who wins a tie: 1 the first, -1 the second, 0 nobody.
    """
    code = np.full(len(first), CODES // 2)
    for segment, weight in enumerate(WEIGHTS):
        a, b = first.values[:, segment], second.values[:, segment]
        code += weight * np.where(a == b, tie, np.where(a > b, 1, -1))
    return code


def looked_up(table: Array, mine: Field, theirs: Field, found: Array) -> Array:
    """(k, n): a table (s, s, 27) of the settlement at the states of mine and theirs and their codes."""
    cells = found + (theirs.states.astype(np.int16) * np.int16(CODES))
    result = np.empty(found.shape, table.dtype)
    for state in np.unique(mine.states):
        rows = mine.states == state
        result[rows] = table[state].ravel().take(cells[rows])
    return result


def units(mine: Field, theirs: Field, rules: RuleSet, tie: int = 0) -> Array:
    """(k, n) int32: what each of mine gains from each of theirs, without home runs."""
    return looked_up(settlement(rules).units[..., 0], mine, theirs, codes(mine, theirs, tie))


def home_run_units(mine: Field, table: Table) -> Array:
    """(k, j) int32: what home runs, mine or against me, add at each of the whole tables."""
    settled, tie = settlement(table.rules), table.tie
    p = table.opponents
    seats = [table.tables[slice(seat, None, p)] for seat in range(p)]
    found = [codes(mine, seat, tie) for seat in seats]
    scoop = [looked_up(settled.scoops, mine, seat, code) for seat, code in zip(seats, found, strict=True)]
    more = settled.units[..., 1] - settled.units[..., 0]
    gain = [looked_up(more, mine, seat, code) for seat, code in zip(seats, found, strict=True)]
    total: Array = np.logical_and.reduce([side == 1 for side in scoop]) * sum(gain)
    for i in range(p) if table.banks is None or p == 1 else ():
        others = [_scoops_row(seats[i], seats[j], settled, -tie) for j in range(p) if j != i]
        elsewhere = np.logical_and.reduce([row == 1 for row in others]) if others else True
        total += ((scoop[i] == -1) & elsewhere) * gain[i]
    return total


def _scoops_row(first: Field, second: Field, settled: Settlement, tie: int) -> Array:
    """(n,) int8: who scoops, row by row of two fields of ``n``."""
    row: Array = settled.scoops[first.states, second.states, codes_by_row(first, second, tie)]
    return row


def value(mine: Field, table: Table, *, top: int = 1, keep: Sequence[int] = ()) -> Values:
    """What each candidate is worth, sampling until the best is separated from the next.

    :param mine: (c) candidates.
    :param top: how many of the best are wanted with values from all the opponents sampled.
    :param keep: rows that are wanted too, however far behind.
    """
    race = _Race(mine, table, keep)
    if table.unknown == 0 or table.exact:
        return race.to(len(table.sample), exact=True)
    end = len(table.sample)
    race.to(min(_SCREEN, end))
    race.drop(top, 5.0)
    sampled = min(_FIRST, end)
    while True:
        values = race.to(sampled)
        if values.how == "separated" or sampled == end:
            return values
        race.drop(top, 5.0)
        sampled = min(4 * sampled, end)


class _Race:
    """Candidates in the running, and the units that each has gained from each opponent so far."""

    def __init__(self, mine: Field, table: Table, keep: Sequence[int]) -> None:
        self.mine, self.table, self.keep = mine, table, keep
        self.rows = np.arange(len(mine))
        self.gained = np.zeros((len(mine), 0), np.int32)
        self.known = units(mine, table.known, table.rules, table.tie).sum(axis=1)
        self.coupled = home_run_units(mine, table) if len(table.tables) else np.zeros((len(mine), 1), np.int32)

    def to(self, sampled: int, exact: bool = False) -> Values:
        """Meet the sample's first ``sampled`` opponents, and say where the candidates stand."""
        more = self.table.sample[slice(self.gained.shape[1], sampled)]
        mine, rules, tie = self.mine[self.rows], self.table.rules, self.table.tie
        step = max(1, _SPENT // max(1, len(more)))
        met = [units(mine[slice(i, i + step)], more, rules, tie) for i in range(0, len(mine), step)]
        self.gained = np.concatenate([self.gained, np.concatenate(met)], axis=1)
        return self._stand(exact)

    def drop(self, top: int, errors: float) -> None:
        """Take out the candidates that are surely behind, beyond the ``top`` best."""
        values = self._stand(False)
        alive = values.behind <= errors * values.behind_error + 1e-9
        alive[:top] = True
        alive |= np.isin(values.rows, self.keep)
        kept = np.flatnonzero(np.isin(self.rows, values.rows[alive]))
        self.rows, self.gained = self.rows[kept], self.gained[kept]
        self.known, self.coupled = self.known[kept], self.coupled[kept]

    def _stand(self, exact: bool) -> Values:
        p, share = self.table.opponents, self.table.unknown / self.table.opponents
        n, j = max(1, self.gained.shape[1]), self.coupled.shape[1]
        _, alike = np.unique(self.table.origins[:n], return_counts=True)
        mean = share * self.gained.sum(axis=1) / n + self.known / p + self.coupled.mean(axis=1) / p
        order = np.lexsort((self.rows, -mean))
        best = order[0]

        def error(gained: Array, coupled: Array) -> Array:
            if exact:
                return np.zeros(len(gained))
            spread: Array = share**2 * gained.var(axis=1) * (alike @ alike) / n**2 + coupled.var(axis=1) / (p**2 * j)
            return np.sqrt(spread)

        alone = error(self.gained, self.coupled)
        pairs = error(self.gained[best] - self.gained, self.coupled[best] - self.coupled)
        behind = mean[best] - mean
        apart = (behind >= SEPARATED * pairs) & ((behind > 0) | (pairs == 0))
        separated = n >= _FEWEST and apart[order[1:]].all()
        how = "exact" if exact else "separated" if separated else "budget"
        return Values(self.rows[order], mean[order], alone[order], behind[order], pairs[order], n, how)


@dataclass(frozen=True)
class Odds:
    """How often a candidate wins, ties or loses, over the opponents sampled."""

    win: tuple[float, float, float]
    tie: tuple[float, float, float]
    scoop: float
    scooped: float
    bonus: float
    """Net bonus units per opponent."""


def odds(mine: Field, table: Table) -> list[Odds]:
    """The odds of each candidate against an opponent of the table, known and unknown weighted by their number."""
    settled = settlement(table.rules)
    counts, bonus = np.zeros((len(mine), CODES)), np.zeros(len(mine))
    for theirs, number in ((table.known, len(table.known)), (table.sample, table.unknown)):
        if number:
            found = codes(mine, theirs, table.tie)
            compared = found[:, theirs.states < settled.foul]
            met = np.stack([np.bincount(row, minlength=CODES) for row in compared])
            counts += met * number / len(theirs)
            bonus += looked_up(settled.bonus, mine, theirs, found).sum(axis=1) * number / len(theirs)
    sides = np.array(SIDES)
    shares = [counts @ (sides > 0), counts @ (sides == 0), counts[:, -1], counts[:, 0], bonus]
    rows = zip(*((share / table.opponents).tolist() for share in shares), strict=True)
    return [Odds(tuple(win), tuple(tie), scoop, scooped, more) for win, tie, scoop, scooped, more in rows]
