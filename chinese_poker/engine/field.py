"""Hands as they are set: the candidates of one player, and the opponents whom they may meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ..rules import RuleSet, Ties
from .search import legal, undominated
from .settlement import settlement
from .tables import Array, tables


@dataclass(frozen=True, eq=False)
class Field:
    """``n`` hands as they are set, ready to be settled against each other under one rule set."""

    cards: Array
    """(n, 13) int8: card indices; front (3), middle (5), back (5) where the hand is an arrangement."""
    values: Array
    """(n, 3) int16: what is compared, front with front and so on: values, or finer ones where ties go by suit."""
    states: Array
    """(n,) int16: the state in :class:`~chinese_poker.engine.settlement.Settlement`."""

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, rows: Array | slice) -> Field:
        return Field(self.cards[rows], self.values[rows], self.states[rows])

    @staticmethod
    def joined(fields: list[Field]) -> Field:
        """Several fields as one."""
        parts = ([getattr(field, name) for field in fields] for name in ("cards", "values", "states"))
        return Field(*(np.concatenate(part) for part in parts))


def judged(cards: npt.ArrayLike, rules: RuleSet, declared: npt.ArrayLike | None = None) -> Field:
    """Hands that are set, from their cards: legal ones, fouls, and what was declared in place of comparing.

    :param cards: (n, 13) card indices, front first.
    :param declared: (n,) the state of a natural or a surrender, -1 where the arrangement counts.

    >>> from chinese_poker.presets import load_rules
    >>> field = judged([range(0, 52, 4), range(51, -1, -4)], load_rules("basic"))
    >>> field.states.tolist(), settlement(load_rules("basic")).foul
    ([0, 1], 1)
    """
    table = tables(rules.wheel)
    dealt = np.asarray(cards, np.int8).reshape(-1, 13)
    values = np.stack([table.values_of(dealt[:, segment]) for segment in SEGMENTS], axis=1).astype(np.int16)
    states = states_of(values, rules)
    if declared is not None:
        states = np.where(np.asarray(declared) >= 0, declared, states)
    return Field(dealt, _compared(dealt, values, rules), states.astype(np.int16))


def states_of(values: Array, rules: RuleSet) -> Array:
    """(k,) int16: the states of arrangements, legal or foul.

    :param values: (k, 3) front value, five-card values of middle and back.
    """
    table, settled = tables(rules.wheel), settlement(rules)
    front, middle, back = values.T
    ordered = middle <= back if rules.middle_may_equal_back else middle < back
    legal = (table.arrays.least_five[front] <= middle) & ordered
    states: Array = np.where(legal, settled.state_of(values), settled.foul)
    return states


SEGMENTS = (slice(0, 3), slice(3, 8), slice(8, 13))
"""The columns of front, middle and back."""


def candidates(hand: npt.ArrayLike, rules: RuleSet) -> Field:
    """The arrangements of one hand among which the best is, each with values of its own.

    Where a stronger segment never gains less these are the undominated ones, else all legal ones.

    >>> from chinese_poker.presets import load_rules
    >>> dragon_of_clubs = range(0, 52, 4)
    >>> [len(candidates(dragon_of_clubs, load_rules(name))) for name in ("basic", "palomar")]
    [10, 36036]
    """
    if rules.ties is Ties.SUIT:
        return _candidates_by_suit(np.asarray(hand, np.int8), rules)
    search = undominated if settlement(rules).is_monotone else legal
    found = search(hand, wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
    return Field(found.cards(), found.values, settlement(rules).state_of(found.values))


def _compared(cards: Array, values: Array, rules: RuleSet) -> Array:
    """Values (n, 3) as they are compared: where ties go by suit, four times the value and the best leading suit."""
    if rules.ties is not Ties.SUIT:
        return values
    table = tables(rules.wheel)
    worth = np.array(rules.suit_worth, np.int8)
    finer = values * 4
    for i, segment in enumerate(SEGMENTS):
        strengths = (table.strength_of_five if i else table.strength_of_front)[values[:, i]]
        held = cards[:, segment]
        leads = (held >> 2) + 2 == (strengths >> 16 & 15)[:, None]
        finer[:, i] += np.where(leads, worth[held & 3], 0).max(axis=1)
    return finer


def plain_values(field: Field, rules: RuleSet) -> Array:
    """(n, 3) the values of a field's segments as the tables have them, however finely they are compared."""
    return field.values >> 2 if rules.ties is Ties.SUIT else field.values


def _candidates_by_suit(hand: Array, rules: RuleSet) -> Field:
    """All legal arrangements, less those that another matches in the finer values and beats in one."""
    field = judged(hand[_all_arrangements()], rules)
    field = field[np.flatnonzero(field.states != settlement(rules).foul)]
    front, middle, back = field.values.T.astype(np.int64)
    _, first = np.unique(back << 32 | middle << 16 | front, return_index=True)
    field = field[first[::-1]]
    return field[_skyline(field.values)] if settlement(rules).is_monotone else field


@cache
def _all_arrangements() -> Array:
    """(72072, 13) int8: every arrangement of 13 cards, as places in the hand."""
    everything = frozenset(range(13))
    rows = [
        (*front, *middle, *sorted(everything.difference(front, middle)))
        for front in combinations(range(13), 3)
        for middle in combinations(sorted(everything.difference(front)), 5)
    ]
    arrangements = np.array(rows, np.int8)
    arrangements.setflags(write=False)
    return arrangements


def _skyline(values: Array) -> Array:
    """The rows of different triples, in descending order of back, middle, front, that no row before dominates."""
    best_front = np.full(values[:, 1].max() + 1, -1)
    kept = []
    for row, (front, middle, _) in enumerate(values.tolist()):
        if front > best_front[middle]:
            kept.append(row)
            reached = best_front[: middle + 1]
            reached[reached < front] = front
    return np.array(kept)
