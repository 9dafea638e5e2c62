"""Naturals in arrays of hands: conditions on arrays sift, the core decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..cards import DECK, RANKS
from ..naturals import Natural
from ..rules import RuleSet
from ..score import played_naturals
from .settlement import Settlement
from .tables import Array


def natural_states(hands: npt.ArrayLike, settlement: Settlement) -> Array:
    """The state of the best natural of the rule set that each hand holds.

    :param hands: (n, 13) card indices, in any order.
    :returns: (n,) int16 index into ``settlement.states``; -1 where the hand holds none.

    >>> from chinese_poker.engine.settlement import settlement
    >>> from chinese_poker.presets import load_rules
    >>> basic = settlement(load_rules("basic"))
    >>> dragon, nothing = natural_states([range(0, 52, 4), [*range(0, 48, 4), 1]], basic).tolist()
    >>> str(basic.states[dragon].natural), nothing
    ('dragon', -1)
    """
    array = np.asarray(hands, np.int8)
    states = np.full(len(array), -1, np.int16)
    for i in np.flatnonzero(_may_hold_one(array, settlement.rules)):
        held = played_naturals([DECK[card] for card in array[i].tolist()], settlement.rules)
        if held:
            states[i] = settlement.naturals[held[0]]
    return states


class _Counts(NamedTuple):
    """What the conditions look at, and the ranks that count as big and as small."""

    ranks: Array
    """(n, 13) int8: how many cards of each rank."""
    suits: Array
    """(n, 4) int8."""
    big: str
    small: str


def _may_hold_one(hands: Array, rules: RuleSet) -> Array:
    """(n,) bool: no hand that holds a natural of the rule set is left out."""
    ranks, suits = hands >> 2, hands & 3
    counts = _Counts(
        np.stack([(ranks == rank).sum(axis=1, dtype=np.int8) for rank in range(13)], axis=1),
        np.stack([(suits == suit).sum(axis=1, dtype=np.int8) for suit in range(4)], axis=1),
        rules.naturals.big,
        rules.naturals.small,
    )
    found = np.zeros(len(hands), bool)
    for natural in rules.naturals.ranking:
        found |= _CONDITIONS[natural](counts)
    return found


def _three_flushes(counts: _Counts) -> Array:
    whole: Array = np.logical_and.reduce(np.isin(counts.suits, (0, 3, 5, 8, 10, 13)), axis=1)
    return whole


_PLACES = 5 ** np.arange(13, dtype=np.int64)
"""Sums of at most four of each tell how many of each there are."""


def _runs(length: int) -> Array:
    """The runs of a length, the ace low and high, as sums of the places of their ranks."""
    return np.array([_PLACES[np.arange(low, low + length) % 13].sum() for low in range(-1, 14 - length)])


_THREE_RUNS = np.unique(_runs(3)[:, None, None] + _runs(5)[:, None] + _runs(5))


def _three_straights(counts: _Counts) -> Array:
    return np.isin(counts.ranks @ _PLACES, _THREE_RUNS)


def _within(counts: _Counts, ranks: str) -> Array:
    within: Array = counts.ranks[:, [RANKS.index(rank) for rank in ranks]].sum(axis=1) == 13
    return within


_CONDITIONS: dict[Natural, Callable[[_Counts], Array]] = {
    Natural.SUITED_DRAGON: lambda counts: counts.suits.max(axis=1) == 13,
    Natural.DRAGON: lambda counts: counts.ranks.max(axis=1) == 1,
    Natural.TWELVE_ROYALS: lambda counts: counts.ranks[:, 9:].sum(axis=1) >= 12,
    Natural.THREE_STRAIGHT_FLUSHES: lambda counts: _three_flushes(counts) & _three_straights(counts),
    Natural.THREE_QUADS: lambda counts: (counts.ranks == 4).sum(axis=1) == 3,
    Natural.ALL_BIG: lambda counts: _within(counts, counts.big),
    Natural.ALL_SMALL: lambda counts: _within(counts, counts.small),
    Natural.ONE_COLOUR: lambda counts: np.isin(counts.suits[:, 0] + counts.suits[:, 3], (0, 13)),
    Natural.TWELVE_OF_A_SUIT: lambda counts: counts.suits.max(axis=1) >= 12,
    Natural.FOUR_TRIPS: lambda counts: (counts.ranks >= 3).sum(axis=1) == 4,
    Natural.FIVE_PAIRS_AND_TRIPS: lambda counts: (counts.ranks // 2).sum(axis=1) == 6,
    Natural.SIX_PAIRS: lambda counts: (counts.ranks // 2).sum(axis=1) == 6,
    Natural.THREE_FLUSHES: _three_flushes,
    Natural.THREE_STRAIGHTS: _three_straights,
}
