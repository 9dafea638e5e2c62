"""What a segment is worth by its value, in units per opponent: tables trained by fictitious play.

The game is cut into its segments: a segment of a value meets the opponent's, while my two other segments come from one
hand of a population and the opponent from another. So majority, scoop and bonuses enter by what the segment changes in
them. Each round a fresh sample of hands is set by the average of the tables so far; the worth of every value against
that population enters the average. Iterated best response without the average runs in circles.

Ties are pushed, home runs are left out and every hand is set, those with naturals too: who plays the same matchups has
the same tables. ``python -m chinese_poker.engine.worth`` trains those of the presets anew.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import platformdirs

from ..rules import RuleSet
from .dealing import deal
from .search import best_sum
from .settlement import Settlement, settlement
from .tables import FIVE_VALUES, FRONT_VALUES, Array

Progress = Callable[[int, int], object]
"""Called after each round of training with the rounds done and all rounds."""

SEED = 13
ROUNDS = 16
HANDS = 20_000
"""The sample of a round where numba is there."""
FEW_HANDS = 1_000
"""The sample of a round where the interpreter sets it."""
PAIRS = 400_000
"""Pairs of hands that are compared in a round, about."""
_SIZES = (FRONT_VALUES, FIVE_VALUES, FIVE_VALUES)
_SHIPPED = Path(__file__).with_name("worth.npz")


class Worth(NamedTuple):
    """Units per opponent that a segment gains, by its value; the tables never fall."""

    front: Array
    """(455,) float64 by front value."""
    middle: Array
    """(7462,) float64 by five-card value."""
    back: Array
    """(7462,) float64 by five-card value."""


def train(
    rules: RuleSet, seed: int = SEED, rounds: int = ROUNDS, hands: int = HANDS, progress: Progress | None = None
) -> Worth:
    """Tables of a rule set by fictitious play; the same arguments give the same numbers.

    :param hands: how many hands are set in a round.

    >>> from chinese_poker.presets import load_rules
    >>> worth = train(load_rules("basic"), seed=1, rounds=1, hands=40)
    >>> bool(worth.front[0] < 0 < worth.front[-1])
    True
    """
    game = settlement(rules)
    average = Worth(*(np.arange(size) / size for size in _SIZES))
    for i in range(rounds):
        dealt = deal(seed, i * -(-hands // 4), -(-hands // 4)).reshape(-1, 13)[:hands]
        options = {"wheel": rules.wheel, "middle_may_equal_back": rules.middle_may_equal_back}
        values = best_sum(dealt, *average, **options).values
        response = _worth_against(values, game)
        average = Worth(*(_rising(old + (new - old) * 2 / (i + 2)) for old, new in zip(average, response, strict=True)))
        if progress:
            progress(i + 1, rounds)
    return average


def _rising(table: Array) -> Array:
    """The table without its falls: rounding makes some, and rules under which a stronger segment gains less."""
    rising: Array = np.maximum.accumulate(table)
    return rising


def _worth_against(values: Array, game: Settlement) -> list[Array]:
    """The worth of every value of each segment, the other two and the opponent taken from a population (n, 3)."""
    n = len(values)
    totals = [np.zeros(size) for size in _SIZES]
    shifts = range(1, min(n, 1 + max(1, PAIRS // n)))
    for shift in shifts:
        for total, new in zip(totals, _worth_of_pairs(values, np.roll(values, shift, axis=0), game), strict=True):
            total += new
    return [total / (n * len(shifts)) for total in totals]


def _worth_of_pairs(mine: Array, theirs: Array, game: Settlement) -> list[Array]:
    """For each segment (size,): by value, the units in sum over pairs of hands if the first hand's segment had it.

    For one state of the segment a pair gives three figures: the segment wins, ties or loses. All values below the
    opponent's lose, those above win: sums over the opponents in order of value.
    """
    parts = [table[mine[:, i]] for i, table in enumerate((game.front, game.middle, game.back))]
    opponents = game.state_of(theirs)
    sides = np.sign(mine - theirs)
    places = np.array([9, 3, 1])
    code = 13 + sides @ places
    totals = []
    for i, (table, size) in enumerate(zip((game.front, game.middle, game.back), _SIZES, strict=True)):
        others = sum(part for j, part in enumerate(parts) if j != i)
        tied = code - sides[:, i] * places[i]
        total = np.zeros(size)
        for state in np.unique(table):
            lost, level, won = (
                np.bincount(
                    theirs[:, i],
                    game.units[others + state, opponents, tied + side * places[i], 0].astype(np.float64),
                    size,
                )
                for side in (-1, 0, 1)
            )
            by_value = np.cumsum(won) - won + level + lost.sum() - np.cumsum(lost)
            total[table == state] = by_value[table == state]
        totals.append(total)
    return totals


def game_digest(game: Settlement) -> str:
    """Names what decides the tables: two rule sets of one digest play the same matchups of legal arrangements.

    >>> from chinese_poker.presets import load_rules
    >>> game_digest(settlement(load_rules("basic"))) == game_digest(settlement(load_rules("western")))
    True
    """
    k = game.foul
    digest = sha256(f"{game.rules.wheel} {game.rules.middle_may_equal_back}".encode())
    for table in (game.front, game.middle, game.back):
        digest.update(table.astype("<i2").tobytes())
    digest.update(game.units[:k, :k, :, 0].astype("<i4").tobytes())
    return digest.hexdigest()


@cache
def worth(rules: RuleSet, progress: Progress | None = None) -> Worth:
    return train(rules, hands=4000, rounds=6)
