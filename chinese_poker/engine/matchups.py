"""Many deals settled matchup by matchup in numpy, so that each can be itemised and no compiler is needed.

What a matchup is worth hangs on its *cell* alone, its place in the settlement's tables: so the core itemises each cell
that occurs once, however many matchups share it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..matchup import Item
from ..rules import RuleSet
from .field import Field
from .reasons import items_of, settled_matchups, swept
from .settlement import settlement
from .tables import Array


@dataclass(frozen=True, eq=False)
class Matchups:
    """All matchups of ``n`` deals of ``p`` players each; a player is a place, 0 .. p - 1."""

    rules: RuleSet
    pairs: tuple[tuple[int, int], ...]
    """The two places of each of the ``m`` matchups."""
    cells: Array
    """(n, m) int64."""
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
        return [items_of(int(cell), settled) for cell in occurring], number[self.cells]


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
    found = settled_matchups([field[slice(seat, None, players)] for seat in range(players)], rules, banker)
    cells = np.stack([matchup.cells for matchup in found], axis=1)
    units = settled.units.ravel()[cells].astype(np.int64)
    totals = np.zeros((len(units), players), np.int64)
    for matchup, gained in zip(found, units.T, strict=True):
        totals[:, matchup.first] += gained
        totals[:, matchup.second] -= gained
    home_run = np.full(len(units), -1, np.int8)
    for seat, sweeps in enumerate(swept(found, settled, players)):
        home_run[sweeps] = seat
    pairs = tuple((matchup.first, matchup.second) for matchup in found)
    return Matchups(rules, pairs, cells, units, totals, home_run)
