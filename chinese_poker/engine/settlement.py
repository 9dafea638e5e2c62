"""A rule set as arrays: what every kind of player gains from every other, tabulated from the core's one settlement.

A player is a *state*: a legal arrangement with what its segments are worth (by category), a foul, a natural, or a
surrender. Who wins the segments is a *code*::

    code = 9 * (front + 1) + 3 * (middle + 1) + (back + 1)      each 1 won, 0 tied, -1 lost: 0 .. 26

so that the units of a matchup are ``units[first, second, code, home_run]``, and no rule is written a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, product

import numpy as np

from ..evaluate import Category
from ..matchup import Item, Reason, Sides, State, scoops, settle
from ..naturals import Natural
from ..rules import RuleSet, SegmentValue
from .tables import Array, Tables, tables

CODES = 27
WEIGHTS = (9, 3, 1)
"""What front, middle and back count in a code."""
SIDES: tuple[Sides, ...] = tuple((front, middle, back) for front, middle, back in product((-1, 0, 1), repeat=3))
"""Who wins front, middle and back, by code."""
_NOTHING: Sides = (0, 0, 0)
_SCOOPED = (0, CODES - 1)


@dataclass(frozen=True, eq=False)
class Settlement:
    """The tables of one rule set; ``s`` states."""

    rules: RuleSet
    states: tuple[State, ...]
    """Legal arrangements first, then the foul, then naturals from the highest down, then the surrender if any."""
    units: Array
    """(s, s, 27, 2) int32, or int64 for huge figures: what the first gains, without and with a home run."""
    scoops: Array
    """(s, s, 27) int8: 1 where the first scoops for a home run's sake, -1 where the second does."""
    front: Array
    """(455,) int16 by front value; the state of a legal arrangement is front + middle + back."""
    middle: Array
    """(7462,) int16 by five-card value."""
    back: Array
    """(7462,) int16 by five-card value."""

    @property
    def foul(self) -> int:
        """The state of a foul."""
        return next(i for i, state in enumerate(self.states) if state.foul)

    @cached_property
    def naturals(self) -> dict[Natural, int]:
        """The state of each natural of the rule set, highest first."""
        return {state.natural: i for i, state in enumerate(self.states) if state.natural}

    @property
    def tables(self) -> Tables:
        """The value tables that go with the rule set's wheel."""
        return tables(self.rules.wheel)

    def state_of(self, values: Array) -> Array:
        """(k,) int16: the states of legal arrangements.

        :param values: (k, 3) front value, five-card values of middle and back.
        """
        state: Array = self.front[values[:, 0]] + self.middle[values[:, 1]] + self.back[values[:, 2]]
        return state

    @cached_property
    def bonus(self) -> Array:
        """(s, s, 27) int64: the bonus units among ``units``, without any factor."""
        return _tabulate(self.states, lambda a, b, sides: _sum(settle(a, b, sides, self.rules), _BONUSES))

    @cached_property
    def is_monotone(self) -> bool:
        """Whether a stronger segment never gains less, so that only undominated arrangements can be best.

        Winning where one tied or lost must not cost, nor may a scoop that makes a home run of the others, nor a higher
        category in a segment, whoever wins it.
        """
        k, shape = self.foul, (3, 3, 3)
        compared = self.units[:k].reshape(k, len(self.states), *shape, 2)
        if any((np.diff(compared, axis=axis) < 0).any() for axis in (2, 3, 4)):
            return False
        if (np.diff(self.units[:k, :, -1]) < 0).any():
            return False
        rows = [_steps(array, values) for array, values in self._by_category()]
        for axis, row in enumerate(rows):
            others = [r for i, r in enumerate(rows) if i != axis]
            for lower, higher in pairwise(row):
                for rest in product(*others):
                    if (self.units[higher + sum(rest)] < self.units[lower + sum(rest)]).any():
                        return False
        return True

    def _by_category(self) -> list[tuple[Array, Array]]:
        table = self.tables
        five = table.strength_of_five >> 20
        return [(self.front, table.strength_of_front >> 20), (self.middle, five), (self.back, five)]


_BONUSES = (Reason.BONUS, Reason.BONUS_CAP)


def _sum(items: tuple[Item, ...], reasons: tuple[Reason, ...] = tuple(Reason)) -> int:
    return sum([item.units for item in items if item.reason in reasons])


def _steps(states: Array, categories: Array) -> list[int]:
    """The part of the state that a segment adds, from the lowest category to the highest."""
    return [int(states[np.argmax(categories == category)]) for category in sorted(set(categories.tolist()))]


@lru_cache(maxsize=64)
def settlement(rules: RuleSet) -> Settlement:
    """The tables of a rule set, built once in a process for the rule sets in use.

    >>> from chinese_poker.presets import load_rules
    >>> eastern = settlement(load_rules("eastern"))
    >>> full_house_wins = eastern.units[eastern.middle[7150], 0, 13 + 3, 0]
    >>> len(eastern.states), int(full_house_wins)
    (29, 2)
    """
    segments = [list(dict.fromkeys(row)) for row in rules.values]
    segments[0] = list(dict.fromkeys(rules.values[0][category] for category in _FRONT))
    legal = [State(values=values) for values in product(*segments)]
    declared = [State(natural=natural) for natural in rules.naturals.ranking]
    given_up = [State(surrender=True)] if rules.surrender is not None else []
    states = (*legal, State(foul=True), *declared, *given_up)

    plain = _tabulate(states, lambda a, b, sides: _sum(settle(a, b, sides, rules)))
    units = np.stack([plain, plain], axis=-1)
    if rules.home_run.factor > 1:
        k = len(legal)
        units[..., 1] = _tabulate(states, lambda a, b, sides: _sum(settle(a, b, sides, rules, True)), _SCOOPED)
        units[:k, :k, 1:-1, 1] = plain[:k, :k, 1:-1]
    swept = _tabulate(states, lambda a, b, sides: scoops(a, b, sides, rules), _SCOOPED).astype(np.int8)

    table = tables(rules.wheel)
    front, middle, back = (
        _segment_states(rules.values[i], segments[i], np.prod([len(s) for s in segments[i + 1 :]], dtype=int), strength)
        for i, strength in enumerate((table.strength_of_front, table.strength_of_five, table.strength_of_five))
    )
    if np.abs(units).max() <= np.iinfo(np.int32).max:
        units = units.astype(np.int32)
    return Settlement(rules, states, units, swept, front, middle, back)


_FRONT = (Category.HIGH_CARD, Category.ONE_PAIR, Category.THREE_OF_A_KIND)


def _segment_states(row: tuple[SegmentValue, ...], distinct: list[SegmentValue], step: int, strengths: Array) -> Array:
    by_category = np.array([step * distinct.index(value) if value in distinct else 0 for value in row], np.int16)
    states: Array = by_category[strengths >> 20]
    return states


def _tabulate(
    states: tuple[State, ...], settled: Callable[[State, State, Sides], int], codes: Iterable[int] = range(CODES)
) -> Array:
    """(s, s, 27) int64: a figure of every matchup, antisymmetric; the code matters only between legal arrangements."""
    table = np.zeros((len(states), len(states), CODES), np.int64)
    for i, first in enumerate(states):
        for j, second in enumerate(states[: i + 1]):
            if first.values and second.values:
                for code in codes:
                    table[i, j, code] = settled(first, second, SIDES[code])
            else:
                table[i, j] = settled(first, second, _NOTHING)
            table[j, i] = -table[i, j, ::-1]
    return table
