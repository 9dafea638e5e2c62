"""Deals settled matchup by matchup, with what it takes to say why: where each stands in the settlement's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..matchup import Item, settle
from ..rules import RuleSet
from .batch import matchups
from .field import Field
from .settlement import CODES, SIDES, Settlement, settlement
from .tables import Array
from .value import codes_by_row


class Matchups(NamedTuple):
    """One matchup of ``n`` deals."""

    first: int
    """A seat."""
    second: int
    cells: Array
    """(n,) int64: the place of each in the settlement's ``units``, flattened: what the first seat gains."""


def settled_matchups(seats: Sequence[Field], rules: RuleSet, banker: int | None = None) -> list[Matchups]:
    """Settle ``n`` deals, their hands by seat.

    :param seats: 2 to 4 fields of ``n`` hands.
    :param banker: the banker's seat, in all deals.

    >>> from chinese_poker.presets import load_rules
    >>> from .field import judged
    >>> rules = load_rules("basic")
    >>> lower, higher = judged([range(0, 26, 2)], rules), judged([range(26, 52, 2)], rules)
    >>> [(first, second, cells)] = settled_matchups([lower, higher], rules)
    >>> settlement(rules).units.ravel()[cells].tolist()
    [-4]
    """
    settled, players = settlement(rules), len(seats)
    found = []
    for first, second, tie in matchups(rules, players, banker):
        mine, theirs = seats[first], seats[second]
        code = codes_by_row(mine, theirs, tie)
        code[np.maximum(mine.states, theirs.states) >= settled.foul] = CODES // 2
        places = (len(settled.states) * mine.states.astype(np.int64) + theirs.states) * CODES + code
        found.append(Matchups(first, second, 2 * places))
    sweeps = swept(found, settled, players)
    if not sweeps:
        return found
    return [
        matchup._replace(cells=matchup.cells + (sweeps[matchup.first] | sweeps[matchup.second])) for matchup in found
    ]


def swept(found: Sequence[Matchups], settled: Settlement, players: int) -> list[Array]:
    """(n,) bool by seat: who hits a home run; nothing where none is paid."""
    if not settled.rules.pays_home_runs(players):
        return []
    scooped = np.zeros((players, len(found[0].cells)), np.int8)
    for first, second, cells in found:
        scoop = settled.scoops.ravel()[cells // 2]
        scooped[first] += scoop > 0
        scooped[second] += scoop < 0
    return list(scooped == players - 1)


def items_of(cell: int, settled: Settlement) -> tuple[Item, ...]:
    """The items of a matchup, from its place in the flattened ``units``: what the core's settlement says of it.

    >>> from chinese_poker.presets import load_rules
    >>> [item.units for item in items_of(2 * 26, settlement(load_rules("basic")))]
    [1, 1, 1, 1]
    """
    first, second, _, home_run = np.unravel_index(cell, settled.units.shape)
    return settle(settled.states[first], settled.states[second], sides_of(cell), settled.rules, home_run=bool(home_run))


def sides_of(cell: int) -> tuple[int, int, int]:
    """Who wins the segments in a place of the flattened ``units``; nobody where a player plays no arrangement."""
    return SIDES[cell // 2 % CODES]
