"""The best response to a population of set hands.

What an arrangement gains against the population depends on its three values alone, but for the cards that the hand
takes away from the others. So the gain is tabulated on a grid of *knots*, some values of each segment, by one count of
the population; in between it is interpolated by how often a value wins, in which it is nearly linear. The cards are
then weighed in by their ranks and suits: from the population's hands that hold more or fewer of each follows how often
a segment wins when I hold so many, and from that, by the slope of the gain, what it gains.

Ties are pushed. Home runs enter as if the opponents' hands were independent of each other.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..rules import RuleSet
from . import _kernels
from .declaring import natural_states
from .field import Field, plain_values
from .search import Arrangements, best_gain
from .settlement import CODES, Settlement, settlement
from .tables import FIVE_VALUES, FRONT_VALUES, VALUES, Array, tables

KNOTS = (40, 56, 56)
"""How many knots front, middle and back have, about."""
_FIRST = (0, FRONT_VALUES, FRONT_VALUES + FIVE_VALUES)
_TIED = CODES // 2
_COARSE = 1 << _kernels.COARSE


class Knots(NamedTuple):
    """Ascending values of each segment, among them the least and the greatest of every category."""

    front: Array
    middle: Array
    back: Array


class Population(NamedTuple):
    """How the hands of a population are set, as shares of it.

    A segment's *cells* are its knots and the gaps before, between and after them: gap 0, knot 0, gap 1, ... Arrays over
    cells of all segments have those of the front first, then the middle's, then the back's.
    """

    cells: Array
    """(2 * fronts + 1, 2 * middles + 1, 2 * backs + 1): of the legal arrangements, by cells."""
    values: Array
    """(15379,): by value, those of the three segments one after the other."""
    ranks: Array
    """(13, 5, cells): by how many cards of each rank the hand holds, and cell."""
    suits: Array
    """(14, cells): by how many cards of a suit the hand holds, and cell; mean of the suits."""
    others: Array
    """(s,): of what compares nothing, by state."""

    def mixed(self, other: Population, share: float) -> Population:
        """The population of which ``share`` is another."""
        return Population(*(mine + share * (theirs - mine) for mine, theirs in zip(self, other, strict=True)))


class Response(NamedTuple):
    """The best response to a population under one rule set."""

    gains: _kernels.Gains
    """Arrays."""
    offers: Array
    """(s,) float64: what a state that compares nothing gains."""


def knots_of(met: Field, rules: RuleSet) -> Knots:
    """Knots where the values of a population are: at equal shares of it, and at the bounds of the categories."""
    table = tables(rules.wheel)
    strengths = (table.strength_of_front, table.strength_of_five, table.strength_of_five)
    return Knots(*map(_knots, plain_values(met, rules).T, strengths, KNOTS))


def _knots(values: Array, strengths: Array, number: int) -> Array:
    last = np.flatnonzero(np.diff(strengths >> 20))
    bounds = np.concatenate([[0, len(strengths) - 1], last, last + 1])
    n = max(2, number - len(bounds))
    return np.unique(np.concatenate([bounds, np.quantile(values, (np.arange(n) + 0.5) / n, method="nearest")]))


def population(met: Field, knots: Knots, rules: RuleSet) -> Population:
    """Count a population of set hands."""
    settled = settlement(rules)
    plays = met.states < settled.foul
    values, hands, share = plain_values(met, rules)[plays], met.cards[plays], 1 / len(met)
    cells = [_cell_of(k, size)[column] for k, size, column in zip(knots, VALUES, values.T, strict=True)]
    sizes = [2 * len(k) + 1 for k in knots]
    n = sum(sizes)
    starts = np.cumsum([0, *sizes[:-1]])
    place = np.stack([start + cell for start, cell in zip(starts, cells, strict=True)])
    ranks = [(hands >> 2 == rank).sum(axis=1) for rank in range(13)]
    suits = [(hands & 3 == suit).sum(axis=1) for suit in range(4)]
    by_rank = [np.bincount((held * n + place).ravel(), minlength=5 * n) for held in ranks]
    by_suit = np.sum([np.bincount((held * n + place).ravel(), minlength=14 * n) for held in suits], axis=0)
    by_value = np.bincount((values + np.array(_FIRST)).ravel(), minlength=sum(VALUES))
    by_cells = np.bincount(np.ravel_multi_index(cells, sizes), minlength=int(np.prod(sizes)))
    return Population(
        by_cells.reshape(sizes) * share,
        by_value * share,
        np.stack(by_rank).reshape(13, 5, n) * share,
        by_suit.reshape(14, n) * (share / 4),
        np.bincount(met.states[~plays], minlength=len(settled.states)) * share,
    )


def _cell_of(knots: Array, size: int) -> Array:
    """(size,) the cell of every value of a segment."""
    values = np.arange(size)
    return np.searchsorted(knots, values, "left") + np.searchsorted(knots, values, "right")


def response(met: Population, knots: Knots, rules: RuleSet, players: int) -> Response:
    """The best response to a population.

    :param players: at the table, 2 to 4; it counts where home runs are paid.
    """
    settled = settlement(rules)
    places = [_between(*both) for both in zip(knots, np.split(met.values, _FIRST[1:]), strict=True)]
    by_rank, by_suit = _shifts(met, knots)
    gains = _kernels.Gains(
        np.concatenate([knot for knot, _ in places]).astype(np.int16),
        np.concatenate([part for _, part in places]),
        _gain(met, knots, settled, players).ravel(),
        _slope(met, knots, settled).ravel(),
        by_rank.ravel(),
        by_suit.ravel(),
        *map(len, knots),
    )
    held = _states(_held(knots), settled)
    shares = met.others + np.bincount(held.ravel(), met.cells.ravel(), len(settled.states))
    return Response(gains, settled.units[:, :, _TIED, 0] @ shares)


def respond(
    hands: npt.ArrayLike, best: Response, rules: RuleSet, *, compile: bool | None = None
) -> tuple[Arrangements, Array]:
    """Hands as a response sets them.

    :param hands: (n, 13) card indices.
    :returns: the arrangements, and (n,) int16 the state of the natural or the surrender that gains more, else -1.
    """
    found, gained = best_gain(
        hands, best.gains, wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back, compile=compile
    )
    settled = settlement(rules)
    declared = natural_states(hands, settled)
    declared[(declared >= 0) & (best.offers[declared] <= gained)] = -1
    for state in (i for i, state in enumerate(settled.states) if state.surrender):
        declared[(declared < 0) & (best.offers[state] > gained)] = state
    return found, declared


def _states(values: Knots, settled: Settlement) -> Array:
    """(fronts, middles, backs): the state of every arrangement of these values."""
    front, middle, back = settled.front[values.front], settled.middle[values.middle], settled.back[values.back]
    states: Array = front[:, None, None] + middle[:, None] + back
    return states


def _gain(met: Population, knots: Knots, settled: Settlement, players: int) -> Array:
    """(fronts, middles, backs): what a hand gains whose segments are knots."""
    figures = settled.units[None, ..., 0]
    home_runs = settled.rules.pays_home_runs(players)
    if home_runs:
        more = settled.units[..., 1] - settled.units[..., 0]
        scoops, scooped = settled.scoops > 0, settled.scoops < 0
        figures = np.concatenate([figures, [scoops, scoops * more]])
    gain: Array
    gain, *mine = _mean(met.cells, knots, knots, settled, figures)
    others = figures[..., _TIED][:, _states(knots, settled)] @ met.others
    gain += others[0]
    if home_runs:
        chance, from_mine = mine[0] + others[1], mine[1] + others[2]
        scoop_all = met.cells * _over_cells(chance) ** (players - 2)
        from_theirs = _mean(scoop_all, knots, knots, settled, (scooped * more)[None])
        gain += from_mine * chance ** (players - 2) + from_theirs[0]
    return gain


def _slope(met: Population, knots: Knots, settled: Settlement) -> Array:
    """(3, fronts, middles, backs), of coarse knots: what a segment's winning in place of losing gains."""
    coarse = Knots(*(k[np.minimum(np.arange(0, len(k), _COARSE) + _COARSE // 2, len(k) - 1)] for k in knots))
    units = settled.units[..., 0].reshape(*settled.units.shape[:2], 3, 3, 3)
    more = [np.broadcast_to(units.take([2], axis) - units.take([0], axis), units.shape) for axis in (2, 3, 4)]
    return _mean(met.cells, knots, coarse, settled, np.stack(more).reshape(3, *units.shape[:2], CODES))


def _mean(cells: Array, knots: Knots, at: Knots, settled: Settlement, figures: Array) -> Array:
    """(n, fronts, middles, backs): figures of every matchup, as means over the population that plays, times its share.

    :param cells: the population, by cells of ``knots``.
    :param at: the knots of my segments.
    :param figures: (n, s, s, 27) what is averaged.
    """
    mine, theirs = _by_state(at, settled), _by_state(_held(knots), settled)
    sides = [_sides(k, mine_at) for k, mine_at in zip(knots, at, strict=True)]
    fronts, middles, backs = map(len, at)
    n = len(figures)
    mean = np.zeros([n, fronts, middles, backs])
    for (front, held_f), (middle, held_m), (back, held_b) in product(*theirs):
        box = cells[held_f, held_m, held_b]
        if not box.any():
            continue
        of_front, of_middle, of_back = (s[..., held] for s, held in zip(sides, (held_f, held_m, held_b), strict=True))
        shares = of_middle.reshape(3 * middles, -1) @ (box @ of_back.reshape(3 * backs, -1).T)
        shares = shares.reshape(-1, 3, middles, 3, backs).transpose(1, 3, 0, 2, 4)
        for (own_m, at_m), (own_b, at_b) in product(*mine[1:]):
            part = shares[..., at_m, at_b]
            shape = part.shape[3:]
            part = part.reshape(9, -1)
            for own_f, at_f in mine[0]:
                figure = figures[:, own_f + own_m + own_b, front + middle + back].reshape(3 * n, 9)
                settled_part = (figure @ part).reshape(n, -1, shape[0] * shape[1])
                weights = of_front[:, at_f].swapaxes(0, 1).reshape(-1, settled_part.shape[1])
                mean[:, at_f, at_m, at_b] += (weights @ settled_part).reshape(n, -1, *shape)
    return mean


def _by_state(values: Knots, settled: Settlement) -> list[list[tuple[int, slice]]]:
    """For each segment the part of the state that its ascending values have, and which run of them has it."""
    runs = []
    for table, held in zip((settled.front, settled.middle, settled.back), values, strict=True):
        parts = table[held]
        bounds = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(parts)]
        runs.append([(int(parts[first]), slice(first, end)) for first, end in pairwise(bounds)])
    return runs


def _held(knots: Knots) -> Knots:
    """For each cell a value of the same category as those in it; the outermost gaps are empty."""
    return Knots(*(np.concatenate([k[:1], np.repeat(k, 2)]) for k in knots))


def _sides(knots: Array, at: Array) -> Array:
    """(3, n, cells): 1 where one of ``n`` knots loses to a cell, ties with it, or beats it."""
    own, cell = 2 * np.searchsorted(knots, at)[:, None] + 1, np.arange(2 * len(knots) + 1)
    return np.stack([own < cell, own == cell, own > cell]).astype(np.float64)


def _over_cells(of_knots: Array) -> Array:
    """A function of knots, over cells: in a gap the mean of the knots beside it."""
    for _ in range(3):
        padded = np.concatenate([of_knots[:1], of_knots, of_knots[-1:]])
        cells = np.empty((2 * len(of_knots) + 1, *of_knots.shape[1:]))
        cells[0::2], cells[1::2] = (padded[1:] + padded[:-1]) / 2, of_knots
        of_knots = np.moveaxis(cells, 0, -1)
    return of_knots


def _between(knots: Array, shares: Array) -> tuple[Array, Array]:
    """For every value of a segment the knot below it, and its part of the way to the next, in how often it wins.

    :param shares: (size,) of the population, by value.
    """
    wins = (np.cumsum(shares) - shares / 2) / shares.sum() + np.arange(len(shares)) * _STEP
    knot = np.minimum(np.searchsorted(knots, np.arange(len(shares)), "right") - 1, len(knots) - 2)
    below, above = wins[knots[knot]], wins[knots[knot + 1]]
    return knot, (wins - below) / (above - below)


_STEP = 1e-9
"""What the next value wins oftener at least, so that values that nobody holds lie apart."""


def _shifts(met: Population, knots: Knots) -> tuple[Array, Array]:
    """How much oftener the knots of all segments win for what I hold: (13, 5, knots) by rank, (14, knots) by suit.

    Holding ``a`` of a rank, I meet hands that hold ``b`` of it as often as these go together. What is so found for each
    rank is added up; as all ranks together have 13 cards, one that I hold more of means that I hold fewer of
    the others, and that is counted once too often: twelve parts of thirteen are right, of the four suits three.
    """
    sizes = np.array([2 * len(k) + 1 for k in knots])
    bounds = np.cumsum(sizes)[:-1]

    def wins(cells: Array) -> Array:
        parts = np.split(cells, bounds, axis=-1)
        upto = [np.cumsum(part, axis=-1) - part / 2 for part in parts]
        return np.concatenate([u[..., 1::2] / u[..., -1:] for u in upto], axis=-1)

    by_rank = wins(np.einsum("ab,rbc->rac", _together(4), met.ranks)) - wins(met.ranks.sum(axis=1))[:, None]
    by_suit = wins(_together(13) @ met.suits) - wins(met.suits.sum(axis=0))
    return by_rank * (12 / 13), by_suit * (3 / 4)


def _together(size: int) -> Array:
    """How much oftener than usual an opponent holds ``b`` of ``size`` cards where I hold ``a``; (a, b)."""
    held = np.arange(size + 1)
    rest = 52 - size
    usual = [comb(size, b) * comb(rest, 13 - b) / comb(52, 13) for b in held]
    return np.array(
        [[comb(size - a, b) * comb(rest - 13 + a, 13 - b) / comb(39, 13) / usual[b] for b in held] for a in held]
    )
