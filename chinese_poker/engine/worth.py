"""What a segment is worth by its value, in units per opponent: tables trained by fictitious play.

The game is cut into its segments: a segment of a value meets the opponent's, while my two other segments come from one
hand of a population and the opponent from another. So majority, scoop and bonuses enter by what the segment changes in
them. Each round a fresh sample of hands is set by the average of the tables so far; the worth of every value against
that population enters the average, later rounds with more weight. Best response upon best response, without the
average, runs in circles.

Ties are pushed, home runs are left out and every hand is set, those with naturals too: so rule sets that play the same
matchups have the same tables. ``python -m chinese_poker.engine.worth`` trains those of all presets anew, in one to
three minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import user_cache
from ..rules import RuleSet
from .dealing import deal
from .search import best_sum, is_compiling
from .settlement import CODES, WEIGHTS, Settlement, settlement
from .tables import VALUES, Array

Progress = Callable[[int, int], object]
"""Called after each round of training with the rounds done and all rounds."""

SEED = 13
ROUNDS = 16
HANDS = 20_000
"""The sample of a round."""
FEW_HANDS = 500
"""The sample of a round where numba is not installed."""
PAIRS = 400_000
"""Pairs of hands that are compared in a round, about."""
SHIPPED = Path(__file__).with_name("worth.npz")


class Worth(NamedTuple):
    """Units per opponent that a segment gains, by its value; the tables never fall."""

    front: Array
    """(455,) float64 by front value."""
    middle: Array
    """(7462,) float64 by five-card value."""
    back: Array
    """(7462,) float64 by five-card value."""


_known: dict[RuleSet, Worth] = {}
_MOST_KNOWN = 64


def worth(rules: RuleSet, progress: Progress | None = None) -> Worth:
    """The tables of a rule set: those shipped for an equal game, else trained, once, and kept in the user's cache.

    Training takes five to ten seconds of one core, with numba or, on a smaller sample, without.

    :param progress: called only where tables are trained.

    >>> from chinese_poker.presets import load_rules
    >>> basic = worth(load_rules("basic"))
    >>> pair_of_twos, pair_of_aces = basic.front[[286, 440]]
    >>> bool(-0.2 < pair_of_twos < 0.2 < 1 < pair_of_aces)
    True
    """
    if rules not in _known:
        game = game_digest(settlement(rules))
        packed = _shipped().get(game) or _trained(rules, game, progress)
        if len(_known) == _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[rules] = _unpacked(packed)
    return _known[rules]


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
    average = Worth(*(np.arange(size) / size for size in VALUES))
    for i in range(rounds):
        dealt = deal(seed, i * hands, hands)[:, :13]
        found = best_sum(dealt, *average, wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
        response = _worth_against(found.values, game)
        weight = 2 / (i + 2)
        average = Worth(*(_rising(old + weight * (new - old)) for old, new in zip(average, response, strict=True)))
        if progress:
            progress(i + 1, rounds)
    return average


def _rising(table: Array) -> Array:
    """The table without its falls: rounding makes some, and rules under which a stronger segment gains less."""
    rising: Array = np.maximum.accumulate(table)
    return rising


def _worth_against(values: Array, game: Settlement) -> list[Array]:
    """The worth of every value of each segment, the two others and the opponent taken from a population (n, 3).

    For one state of the segment a pair of hands gives three figures: it loses, ties or wins. It wins against the
    opponents of lesser values and loses to those of greater ones: running sums over the opponents in order of value.
    """
    n = len(values)
    shifts = range(1, 1 + max(1, min(n - 1, PAIRS // n)))
    mine = np.tile(values, (len(shifts), 1))
    theirs = np.concatenate([np.roll(values, shift, axis=0) for shift in shifts])
    sides = np.sign(mine - theirs).astype(np.int64)
    units = game.units[..., 0].astype(np.float64).ravel()
    row = np.int64(len(game.states) * CODES)
    settled = game.state_of(mine) * row + game.state_of(theirs) * np.int64(CODES) + 13 + sides @ WEIGHTS
    response = []
    for i, (table, size, side) in enumerate(zip((game.front, game.middle, game.back), VALUES, WEIGHTS, strict=True)):
        tied_in_state_0 = settled - table[mine[:, i]] * row - sides[:, i] * side
        worth_of_value = np.zeros(size)
        for state in np.unique(table):
            tied = tied_in_state_0 + state * row
            loses, ties, wins = (np.bincount(theirs[:, i], units[tied + step], size) for step in (-side, 0, side))
            in_state = table == state
            worth_of_value[in_state] = (loses.sum() - np.cumsum(loses) + ties + np.cumsum(wins) - wins)[in_state]
        response.append(worth_of_value / len(mine))
    return response


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


class _Packed(NamedTuple):
    """Tables in 30 KB: each is ``low + step * (the sum of its rises so far)``, in that form unable to fall."""

    scales: Array
    """(3, 2) float64: low and step of each table."""
    rises: Array
    """(15379,) uint16: of the three tables, one after the other."""


_ENDS = np.cumsum(VALUES)
_SCALES_BYTES = 3 * 2 * 8
_PACKED_BYTES = _SCALES_BYTES + 2 * int(_ENDS[-1])
_FINEST = 2**16 - 1


def _packed(tables: Worth) -> _Packed:
    scales = np.array([(table[0], (table[-1] - table[0]) / _FINEST) for table in tables])
    steps = [
        np.diff(np.rint((table - low) / (step or 1)), prepend=0)
        for table, (low, step) in zip(tables, scales, strict=True)
    ]
    return _Packed(scales, np.concatenate(steps).astype(np.uint16))


def _unpacked(packed: _Packed) -> Worth:
    parts = np.split(packed.rises, _ENDS[:-1])
    tables = [low + step * np.cumsum(part) for (low, step), part in zip(packed.scales, parts, strict=True)]
    for table in tables:
        table.setflags(write=False)
    return Worth(*tables)


@cache
def _shipped() -> dict[str, _Packed]:
    """The shipped tables by game."""
    with np.load(SHIPPED, allow_pickle=False) as file:
        games, scales, rises = (file[name] for name in ("games", "scales", "rises"))
    return {game: _Packed(*tables) for game, *tables in zip(games.tolist(), scales, rises, strict=True)}


def regenerate(path: Path = SHIPPED, progress: Callable[[str], object] = print) -> None:
    """Train the tables of every game that a preset plays, and write the file that is shipped.

    :param progress: called with the name of each preset that is trained.
    """
    from ..presets import load_rules, rule_names

    games: dict[str, _Packed] = {}
    for rules in map(load_rules, rule_names()):
        game = game_digest(settlement(rules))
        if game not in games:
            progress(rules.name)
            games[game] = _packed(train(rules))
    scales, rises = (np.stack(column) for column in zip(*games.values(), strict=True))
    np.savez_compressed(path, games=np.array(list(games)), scales=scales, rises=rises)


def _trained(rules: RuleSet, game: str, progress: Progress | None) -> _Packed:
    """The tables of a house's rules, from the user's cache if they are there and whole."""
    hands = HANDS if is_compiling() else FEW_HANDS
    key = f"1 {SEED} {ROUNDS} {hands} {PAIRS} {game}"
    kept = user_cache.read("worth", key)
    if kept is not None and len(kept) == _PACKED_BYTES:
        scales = np.frombuffer(kept[:_SCALES_BYTES], "<f8").reshape(3, 2)
        return _Packed(scales, np.frombuffer(kept[_SCALES_BYTES:], "<u2"))
    packed = _packed(train(rules, hands=hands, progress=progress))
    user_cache.write("worth", key, packed.scales.astype("<f8").tobytes() + packed.rises.astype("<u2").tobytes())
    return packed


if __name__ == "__main__":
    regenerate()
