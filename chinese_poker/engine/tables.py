"""Dense values of segments, as tables built from treys.

The engine compares small integers in place of strengths::

    five-card value   0 .. 7461   the order of the strengths of all five-card segments, the royal flush highest
    front value       0 .. 454    the order of the strengths of all three-card segments, trip aces highest

With the low wheel a five-card value is ``7462 - treys rank``; with the second-highest wheel the same segments stand in
the order of that rule. Front and five-card values are two scales; ``least_five`` joins them.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _treys
from ..evaluate import Category, Wheel

Array: TypeAlias = npt.NDArray[Any]
Ints: TypeAlias = list[int] | Array
"""What a kernel indexes: a list in the interpreter, an array where compiled."""

FIVE_VALUES = 7462
FRONT_VALUES = 455
VALUES = (FRONT_VALUES, FIVE_VALUES, FIVE_VALUES)
"""How many values front, middle and back have."""


class Lookup(NamedTuple):
    """The tables in the form that kernels take: all lists, or all arrays.

    Ranks are 0..12 and ascend in a segment. ``r0 <= r1 <= ...`` has the index ``steps[r0] + steps[13 + r1] + ...``, its
    place among the multisets of ranks.
    """

    steps: Ints
    """(65,): ``steps[13 * i + r]`` is what rank ``r`` adds as card ``i`` of a segment."""
    five: Ints
    """(6188,) by index: the five-card value where the cards are not of one suit."""
    flush: Ints
    """(8192,) by the mask of ranks: the five-card value where the cards are of one suit."""
    front: Ints
    """(455,) by index: the front value."""
    least_five: Ints
    """(455,) by front value: the least five-card value that may stand behind that front."""
    fives: Ints
    """(1287,): the masks with 5 of 13 bits, ascending."""
    threes: Ints
    """(286,): the masks with 3 of 13 bits, ascending."""


class Tables(NamedTuple):
    """The tables of one rule for the wheel."""

    wheel: Wheel
    arrays: Lookup
    """int16 arrays."""
    lists: Lookup
    """The same numbers as lists."""
    strength_of_five: Array
    """(7462,) int32 by five-card value: the strength as the core has it; ascending."""
    strength_of_front: Array
    """(455,) int32 by front value: the strength; ascending."""

    def value_of_five(self, strength: npt.ArrayLike) -> Array:
        """The five-card values of strengths of five-card segments."""
        return np.searchsorted(self.strength_of_five, np.asarray(strength))

    def value_of_front(self, strength: npt.ArrayLike) -> Array:
        """The front values of strengths of three-card segments."""
        return np.searchsorted(self.strength_of_front, np.asarray(strength))

    def values_of(self, cards: Array) -> Array:
        """Values of segments of one size, from their cards.

        :param cards: (n, 5) or (n, 3) card indices in any order.
        :returns: (n,) int16 five-card values or front values.

        >>> tables().values_of(np.array([[51, 50, 49]])).tolist()  # trip aces
        [454]
        """
        ranks = np.sort(cards >> 2).astype(np.int64)
        index = _index(ranks, np.asarray(self.arrays.steps))
        if cards.shape[1] == 3:
            return np.asarray(self.arrays.front)[index]
        suits = cards & 3
        one_suit = (suits == suits[:, :1]).all(axis=1)
        flush = np.asarray(self.arrays.flush)[(1 << ranks).sum(axis=1) & 8191]
        return np.where(one_suit, flush, np.asarray(self.arrays.five)[index])


@cache
def tables(wheel: Wheel = Wheel.LOWEST) -> Tables:
    """The tables of a rule for the wheel, built once in a process.

    >>> table = tables()
    >>> table.value_of_five(table.strength_of_five[[0, 7461]]).tolist()
    [0, 7461]
    """
    ranks, five, suited, suited_five = _ranked_by_treys()
    strength = np.zeros(FIVE_VALUES, np.int32)
    strength[five] = _strengths(ranks, wheel)
    strength[suited_five] = _strengths(suited, wheel, one_suit=True)
    order = np.argsort(strength)
    value = np.argsort(order)

    fronts = _multisets(3)
    front_strength = _strengths(fronts, wheel)
    strength_of_front = np.sort(front_strength)
    strength_of_five = strength[order]

    steps = np.array([comb(rank + place, place + 1) for place in range(5) for rank in range(13)])
    by_index = np.zeros(6188, np.int16)
    by_index[_index(ranks, steps)] = value[five]
    by_flush = np.zeros(8192, np.int16)
    by_flush[(1 << suited).sum(axis=1)] = value[suited_five]
    by_front = np.zeros(FRONT_VALUES, np.int16)
    by_front[_index(fronts, steps)] = np.searchsorted(strength_of_front, front_strength)
    arrays = Lookup(
        steps=steps.astype(np.int16),
        five=by_index,
        flush=by_flush,
        front=by_front,
        least_five=np.searchsorted(strength_of_five, strength_of_front).astype(np.int16),
        fives=_masks(5),
        threes=_masks(3),
    )
    lists = Lookup(*(np.asarray(array).tolist() for array in arrays))
    return Tables(wheel, arrays, lists, strength_of_five, strength_of_front)


@cache
def _ranked_by_treys() -> tuple[Array, Array, Array, Array]:
    """Ranks (n, 5) and values (n,) of all multisets of mixed suits, then of all sets of one suit."""
    ranks = _multisets(5)
    ranks = ranks[ranks[:, 0] < ranks[:, 4]]
    distinct = (np.diff(ranks) > 0).all(axis=1)
    suited = ranks[distinct]
    cards = 4 * ranks + _repeats(ranks)
    cards[distinct, 4] += 1
    return ranks, _values(cards), suited, _values(4 * suited)


def _values(cards: Array) -> Array:
    return FIVE_VALUES - np.array([_treys.rank5(row) for row in cards.tolist()])


def _strengths(ranks: Array, wheel: Wheel, one_suit: bool = False) -> Array:
    """Strengths (n,) int32 of ascending ranks (n, 3 or 5), in the layout of :mod:`chinese_poker.evaluate`."""
    same = ranks[:, :, None] == ranks[:, None, :]
    counts = same.sum(axis=2)
    equal_pairs = (counts.sum(axis=1) - ranks.shape[1]) // 2
    category = np.array(
        [
            Category.HIGH_CARD,
            Category.ONE_PAIR,
            Category.TWO_PAIR,
            Category.THREE_OF_A_KIND,
            Category.FULL_HOUSE,
            0,
            Category.FOUR_OF_A_KIND,
        ]
    )[equal_pairs]
    grouped = np.where(_repeats(ranks) > 0, 0, counts << 4 | ranks + 2)
    nibbles = -np.sort(-grouped) & 15
    if ranks.shape[1] == 5:
        low = (ranks == [0, 1, 2, 3, 12]).all(axis=1)
        straight = (equal_pairs == 0) & (ranks[:, 4] - ranks[:, 0] == 4) | low
        category[straight] = Category.STRAIGHT_FLUSH if one_suit else Category.STRAIGHT
        if one_suit:
            category[~straight] = Category.FLUSH
            category[straight & (ranks[:, 0] == 8)] = Category.ROYAL_FLUSH
        if wheel is Wheel.LOWEST:
            nibbles[low] = [5, 4, 3, 2, 1]
    shifts = [16, 12, 8, 4, 0][: ranks.shape[1]]
    strengths: Array = (category << 20 | (nibbles << shifts).sum(axis=1)).astype(np.int32)
    return strengths


def _multisets(size: int) -> Array:
    return np.fromiter(combinations_with_replacement(range(13), size), np.dtype((np.int64, size)))


def _repeats(ranks: Array) -> Array:
    """For each card of ascending ranks, how many cards before it have its rank."""
    same = ranks[:, :, None] == ranks[:, None, :]
    repeats: Array = np.tril(same, -1).sum(axis=2)
    return repeats


def _index(ranks: Array, steps: Array) -> Array:
    index: Array = steps[ranks + 13 * np.arange(ranks.shape[1])].sum(axis=1)
    return index


def _masks(size: int) -> Array:
    return np.sort([sum(1 << bit for bit in bits) for bits in combinations(range(13), size)]).astype(np.int16)
