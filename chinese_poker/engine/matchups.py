"""Many deals settled matchup by matchup in numpy, so that each can be itemised and no compiler is needed.

What a matchup is worth hangs on its *cell* alone: the states of the two players, the code of who wins the segments, and
whether it belongs to a home run::

    cell = 2 * (27 * (states * first's + second's) + code) + home run

so the core itemises each cell that occurs once, however many matchups share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..matchup import Item, settle
from ..rules import RuleSet, Ties
from .field import Field, row_codes
from .settlement import CODES, SIDES, settlement
from .tables import Array


@dataclass(frozen=True, eq=False)
class Matchups:
    """All matchups of ``n`` deals of ``p`` players each; a player is a place, 0 .. p - 1."""

    rules: RuleSet
    pairs: tuple[tuple[int, int], ...]
    """The two places of each of the ``m`` matchups."""
    cells: Array
    """(n, m) int32."""
    units: Array
    """(n, m) int64: what the first gains."""
    totals: Array
    """(n, p) int64: units won, each row in sum 0."""
    home_run: Array
    """(n,) int8: the place that hit a home run, or -1."""

    def items(self) -> tuple[list[tuple[Item, ...]], Array]:
        """The items of each cell that occurs, and (n, m) which of them each matchup has."""
        settled = settlement(self.rules)
        number = np.zeros(settled.units.size, np.int32)
        number[self.cells] = 1
        occurring = np.flatnonzero(number)
        number[occurring] = np.arange(len(occurring))
        return [self._settle(int(cell)) for cell in occurring], number[self.cells]

    def _settle(self, cell: int) -> tuple[Item, ...]:
        states = settlement(self.rules).states
        pair, home_run = divmod(cell, 2)
        pair, code = divmod(pair, CODES)
        first, second = (states[state] for state in divmod(pair, len(states)))
        return settle(first, second, SIDES[code], self.rules, bool(home_run))


def settle_deals(field: Field, players: int, rules: RuleSet, banker: int | None = None) -> Matchups:
    """Settle deals whose hands are judged.

    :param field: (n * players) hands, deal by deal; see :func:`.field.judged`.
    :param banker: the banker's place in all deals; that the rule set has one is for the caller to see to.

    >>> from chinese_poker.cards import parse_cards
    >>> from chinese_poker.engine.field import judged
    >>> from chinese_poker.presets import load_rules
    >>> north, south = "Qs Qh 4d As Ah 9c 7d 2s Kd Kc 8s 8h 3c", "Jd Jc 5s Qd Qc 9d 6s 2c Ad Ac 5h 5d 3d"
    >>> western = load_rules("western")
    >>> matchups = settle_deals(judged([parse_cards(north), parse_cards(south)], western), 2, western)
    >>> matchups.totals.tolist(), [item.reason.value for item in matchups.items()[0][0]]
    ([[2, -2]], ['segment', 'segment', 'segment', 'majority'])
    """
    settled = settlement(rules)
    seats = [field[slice(seat, None, players)] for seat in range(players)]
    pairs = tuple(pair for pair in combinations(range(players), 2) if banker is None or banker in pair)
    n, count = len(seats[0]), len(settled.states)
    cells = np.zeros((n, len(pairs)), np.int32)
    for m, (i, j) in enumerate(pairs):
        tie = ((i == banker) - (j == banker)) if rules.ties is Ties.BANKER else 0
        compared = (seats[i].states < settled.foul) & (seats[j].states < settled.foul)
        code = np.where(compared, row_codes(seats[i], seats[j], tie), CODES // 2)
        cells[:, m] = CODES * (count * seats[i].states.astype(np.int32) + seats[j].states) + code
    home_run = np.full(n, -1, np.int8)
    if rules.pays_home_runs(players):
        side = settled.scoops.ravel()[cells]
        for seat in range(players):
            own = [side[:, m] if seat == i else -side[:, m] for m, (i, j) in enumerate(pairs) if seat in (i, j)]
            if len(own) == players - 1:
                home_run[np.logical_and.reduce([scoop == 1 for scoop in own])] = seat
    swept = np.stack([(home_run == i) | (home_run == j) for i, j in pairs], axis=1)
    cells = 2 * cells + swept
    units = settled.units.ravel()[cells].astype(np.int64)
    totals = np.zeros((n, players), np.int64)
    for m, (i, j) in enumerate(pairs):
        totals[:, i] += units[:, m]
        totals[:, j] -= units[:, m]
    return Matchups(rules, pairs, cells, units, totals, home_run)
