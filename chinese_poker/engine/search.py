"""Exact searches over the arrangements of hands.

Hands are arrays of card indices. A few hands are searched in the interpreter, many by machine code, with the same
results; see :mod:`chinese_poker.engine._jit`.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..evaluate import Wheel
from . import _kernels
from ._jit import compiled
from .tables import VALUES, Array, Ints, tables

F = TypeVar("F", bound=Callable[..., Any])

WORTH_COMPILING = 1_000
"""Hands in a process from which on importing numba and loading the machine code is worth its time."""
_met = {"hands": 0}


@dataclass(frozen=True, eq=False)
class Arrangements:
    """Arrangements of a batch of ``n`` hands, ``k`` in all; hand ``i`` has ``offsets[i] .. offsets[i + 1] - 1``."""

    hands: Array
    """(n, 13) int8: the cards of each hand in engine order, to which the masks refer."""
    offsets: Array
    """(n + 1,) int64."""
    packed: Array
    """(k,) int64: back value, middle value, front value, mask of back, mask of front, from the highest bits down."""

    def __len__(self) -> int:
        return len(self.packed)

    def of_hand(self, i: int) -> Arrangements:
        """Those of one hand of the batch."""
        first, end = self.offsets[i : i + 2]
        return Arrangements(self.hands[i : i + 1], np.array([0, end - first]), self.packed[first:end])

    @property
    def values(self) -> Array:
        """(k, 3) int16: the front value and the five-card values of middle and back.

        See :mod:`~chinese_poker.engine.tables`.
        """
        return np.stack([self.packed >> 26 & 511, self.packed >> 35 & 8191, self.packed >> 48], axis=1).astype(np.int16)

    @property
    def masks(self) -> Array:
        """(k, 3) int16: front, middle and back as masks over the hand, its first card bit 0."""
        front, back = self.packed & 8191, self.packed >> 13 & 8191
        return np.stack([front, 8191 ^ front ^ back, back], axis=1).astype(np.int16)

    @property
    def owners(self) -> Array:
        """(k,) int64: the hand of each arrangement."""
        return np.repeat(np.arange(len(self.hands)), np.diff(self.offsets))

    def cards(self) -> Array:
        """(k, 13) int8: the card indices of front (3), middle (5) and back (5), each strongest rank first."""
        is_in = self.masks[:, :, None] >> np.arange(12, -1, -1) & 1
        segment = is_in[:, 1] + 2 * is_in[:, 2]
        order = np.argsort(segment, kind="stable")
        cards: Array = np.take_along_axis(self.hands[self.owners][:, ::-1], order, axis=1)
        return cards


def undominated(
    hands: npt.ArrayLike,
    *,
    wheel: Wheel = Wheel.LOWEST,
    middle_may_equal_back: bool = True,
    compile: bool | None = None,
) -> Arrangements:
    """The legal arrangements that no other legal one matches in all segments and beats in one.

    Every triple of values appears once, the strongest back first.

    :param hands: (n, 13) or (13,) card indices, in any order.
    :param compile: True for machine code, False for the interpreter, None for whichever is ready sooner.

    >>> found = undominated(range(0, 52, 4))  # a dragon of clubs
    >>> len(found), found.values[0].tolist()
    (10, [55, 7453, 7461])
    """
    return _search(hands, 0, wheel, middle_may_equal_back, compile)


def legal(
    hands: npt.ArrayLike,
    *,
    wheel: Wheel = Wheel.LOWEST,
    middle_may_equal_back: bool = True,
    compile: bool | None = None,
) -> Arrangements:
    """All legal arrangements, every triple of values once: for rules under which a weaker segment can be worth more.

    Parameters as for :func:`undominated`.
    """
    found = _search(hands, 1, wheel, middle_may_equal_back, compile)
    kept = []
    for first, end in itertools.pairwise(found.offsets.tolist()):
        part = found.packed[first:end]
        kept.append(part[np.unique(part >> 26, return_index=True)[1]][::-1])
    offsets = np.cumsum([0, *map(len, kept)])
    return Arrangements(found.hands, offsets, np.concatenate([found.packed[:0], *kept]))


def legal_count(
    hands: npt.ArrayLike,
    *,
    wheel: Wheel = Wheel.LOWEST,
    middle_may_equal_back: bool = True,
    compile: bool | None = None,
) -> Array:
    """(n,) int64: how many of the 72,072 arrangements of each hand are legal, every card taken as different.

    >>> legal_count(range(0, 52, 4)).tolist()
    [36036]
    """
    run = _Run(hands, wheel, middle_may_equal_back, compile)
    counts = run.zeros(run.n)
    run.use(_kernels.count_legal_many)(run.hands, run.distinct, run.lookup, run.work, counts)
    return np.asarray(counts, np.int64)


def best_sum(
    hands: npt.ArrayLike,
    of_front: npt.ArrayLike,
    of_middle: npt.ArrayLike,
    of_back: npt.ArrayLike,
    *,
    wheel: Wheel = Wheel.LOWEST,
    middle_may_equal_back: bool = True,
    compile: bool | None = None,
) -> Arrangements:
    """For each hand the one legal arrangement whose three segments are worth most in sum.

    Of equal sums that with the stronger back, then middle is taken, so it is undominated.

    :param of_front: (455,) worth by front value; it must not fall, nor must the next two.
    :param of_middle: (7462,) worth by five-card value.
    :param of_back: (7462,) worth by five-card value.
    :raises ValueError: tables of another shape, or that fall, under which a dominated arrangement could be best.

    >>> best_sum(range(0, 52, 4), np.arange(455), np.zeros(7462), np.zeros(7462)).values.tolist()
    [[285, 7453, 7458]]
    """
    worth = [np.asarray(table, np.float64) for table in (of_front, of_middle, of_back)]
    for table, size in zip(worth, VALUES, strict=True):
        if table.shape != (size,) or not (np.diff(table) >= 0).all():
            raise ValueError(f"a table of worth has {size} numbers that never fall")
    run = _Run(hands, wheel, middle_may_equal_back, compile)
    found = run.zeros(run.n)
    front, middle, back = worth if run.compile else (table.tolist() for table in worth)
    run.use(_kernels.best_sum_many)(
        run.hands, run.distinct, run.word, run.lookup, run.work, front, middle, back, found, run.ordered
    )
    return run.arrangements(np.arange(run.n + 1), found)


def best_gain(
    hands: npt.ArrayLike,
    gains: _kernels.Gains,
    *,
    wheel: Wheel = Wheel.LOWEST,
    middle_may_equal_back: bool = True,
    compile: bool | None = None,
) -> tuple[Arrangements, Array]:
    """For each hand the one undominated arrangement that gains most, and (n,) float64 what it gains.

    :param gains: arrays, as :func:`~chinese_poker.engine.response.response` makes them.
    """
    run = _Run(hands, wheel, middle_may_equal_back, compile)
    known = gains if run.compile else _as_lists(gains)
    found, scratch = run.zeros(run.n), run.zeros(8192)
    knots = gains.fronts + gains.middles + gains.backs
    shifts, gained = (np.zeros(n) if run.compile else [0.0] * n for n in (knots, run.n))
    many = run.use(_kernels.best_gain_many)
    done = 0
    while True:
        done = many(
            run.hands,
            done,
            run.distinct,
            run.word,
            run.lookup,
            run.work,
            known,
            shifts,
            scratch,
            found,
            gained,
            run.ordered,
        )
        if done == run.n:
            return run.arrangements(np.arange(run.n + 1), found), np.asarray(gained)
        scratch = run.grown(scratch)


def _as_lists(gains: _kernels.Gains) -> _kernels.Gains:
    return gains._replace(
        **{name: table.tolist() for name, table in gains._asdict().items() if isinstance(table, np.ndarray)}
    )


def _search(
    hands: npt.ArrayLike, every: int, wheel: Wheel, middle_may_equal_back: bool, compile: bool | None
) -> Arrangements:
    run = _Run(hands, wheel, middle_may_equal_back, compile)
    found, offsets = run.zeros(4096 + 128 * run.n), run.zeros(run.n + 1)
    search_many = run.use(_kernels.search_many)
    done = 0
    while True:
        done = search_many(
            run.hands, done, every, run.distinct, run.word, run.lookup, run.work, found, offsets, run.ordered
        )
        if done == run.n:
            return run.arrangements(offsets, found[: offsets[-1]])
        found = run.grown(found)


class _Run:
    """Hands, tables and memory for one call, all as lists or all as arrays."""

    def __init__(self, hands: npt.ArrayLike, wheel: Wheel, middle_may_equal_back: bool, compile: bool | None) -> None:
        array = _checked(hands)
        self.n = len(array)
        self.compile = _is_worth_compiling(self.n) if compile is None else compile
        self.distinct = int(not middle_may_equal_back)
        self.hands: _kernels.Hands
        self.ordered: _kernels.Hands
        if self.compile:
            self.hands, self.ordered = array, np.zeros_like(array)
            self.lookup, self.work, self.word = tables(wheel).arrays, _kernels.array_work(), _kernels.WORD
        else:
            self.hands, self.ordered = array.tolist(), np.zeros_like(array).tolist()
            self.lookup, self.work, self.word = tables(wheel).lists, _kernels.list_work(), _kernels.LONG_WORD

    def use(self, kernel: F) -> F:
        return compiled(kernel) if self.compile else kernel

    def zeros(self, size: int) -> Ints:
        return np.zeros(size, np.int64) if self.compile else [0] * size

    def grown(self, found: Ints) -> Ints:
        """``found`` with as much room again."""
        if isinstance(found, list):
            return found + [0] * len(found)
        return np.concatenate([found, np.zeros_like(found)])

    def arrangements(self, offsets: Ints, packed: Ints) -> Arrangements:
        ordered = np.asarray(self.ordered, np.int8).reshape(self.n, 13)
        return Arrangements(ordered, np.asarray(offsets, np.int64), np.asarray(packed, np.int64))


def is_compiling() -> bool:
    """Whether searches of many hands run as machine code."""
    return find_spec("numba") is not None


def _is_worth_compiling(n: int) -> bool:
    if "numba" in sys.modules:
        return True
    _met["hands"] += n
    return _met["hands"] >= WORTH_COMPILING and is_compiling()


def _checked(hands: npt.ArrayLike) -> Array:
    """The hands as (n, 13) int8."""
    array = np.asarray(hands)
    array = array[None] if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[1] != 13:
        raise ValueError(f"an array of hands has the shape (n, 13) or (13,), not {np.shape(hands)}")
    ascending = np.sort(array)
    different = (ascending[:, 1:] > ascending[:, :-1]).all()
    if array.dtype.kind not in "iu" or not different or array.min(initial=0) < 0 or array.max(initial=0) > 51:
        raise ValueError("a hand has 13 different cards, of the indices 0 to 51")
    return np.ascontiguousarray(array, np.int8)
