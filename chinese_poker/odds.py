"""Odds: exact where counting can do it, else simulated with standard errors; each figure says which it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from .arrangement import SEGMENTS
from .counting import (
    HANDS,
    best_five_counts,
    best_natural_counts,
    held_five_counts,
    natural_counts,
    segment_counts,
)
from .engine.dealing import deal
from .engine.declaring import natural_states
from .engine.field import SEGMENTS as CARDS
from .engine.field import judged
from .engine.search import undominated
from .engine.settlement import settlement
from .engine.tables import Array, tables
from .errors import DealError
from .evaluate import Category, Strength
from .rules import RuleSet
from .strategy import Strategy, strategies, strategy

DEALS = 2_500
"""Deals of which the hands are set, where nothing else is said."""
DEALS_LOOKED_AT = 100_000
"""Deals of which no hand is set, where nothing else is said."""
CHUNK = 1_000
"""Deals that are in memory at once."""
CATEGORIES = tuple(reversed(Category))
"""From the strongest down, as tables list them."""

Progress = Callable[[int, int], object]
"""Called with the deals done and all of them."""


@dataclass(frozen=True)
class Exact:
    """A chance that was counted."""

    count: int
    of: int

    @property
    def chance(self) -> float:
        """The share, 0 to 1."""
        return self.count / self.of

    def document(self) -> dict[str, Any]:
        """The figure as JSON values."""
        return {"how": "exact", "chance": self.chance, "count": self.count, "of": self.of}


@dataclass(frozen=True)
class Simulated:
    """A chance that was sampled."""

    chance: float
    error: float
    """Standard error; not less than one over the hands, or pairs of hands, that tell."""
    deals: int
    seed: int

    def document(self) -> dict[str, Any]:
        """The figure as JSON values."""
        return {
            "how": "simulated",
            "chance": self.chance,
            "error": self.error,
            "deals": self.deals,
            "seed": self.seed,
        }


Chance = Exact | Simulated


@dataclass(frozen=True)
class OddsTable:
    """Chances in rows and columns; a cell that has nothing to say is left out."""

    name: str
    """A word for documents."""
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Chance]]
    """Row, in words, to column to chance."""
    context: Mapping[str, str | int] = field(default_factory=dict)
    """The rule set, strategy and players that it holds for."""
    of_what: str = "hands"
    """What was counted."""

    @property
    def how_known(self) -> str:
        """Which of the chances are exact and which simulated, for a person."""
        chances = [chance for row in self.rows.values() for chance in row.values()]
        wholes = dict.fromkeys(f"{chance.of:,}" for chance in chances if isinstance(chance, Exact))
        sampled = next((chance for chance in chances if isinstance(chance, Simulated)), None)
        if sampled is None:
            return f"exact: counted among all {' and '.join(wholes)} {self.of_what}"
        drawn = f"simulated ± standard error ({sampled.deals:,} deals, seed {sampled.seed})"
        return f"{drawn}; exact where no error is given" if wholes else drawn

    def documents(self) -> Iterator[dict[str, Any]]:
        """The figures as JSON values, one after the other."""
        for row, cells in self.rows.items():
            for column, chance in cells.items():
                yield {"table": self.name, "row": row, "column": column, **self.context, **chance.document()}


def in_words(name: str) -> str:
    """A natural, or a category, as a person says it.

    >>> in_words("six_pairs")
    'six pairs'
    """
    return name.replace("_", " ")


def one_in(chance: float) -> str:
    """One in how many, for a person.

    >>> one_in(67_108_864 / 635_013_559_600), one_in(4 / 635_013_559_600)
    ('9,462.44', '158,753,389,900')
    """
    return f"{1 / chance:,.{2 if 1 / chance < 1e6 else 0}f}"


def naturals_odds(rules: RuleSet) -> OddsTable:
    """How many of all hands hold each natural, and for how many it is the best that the rule set plays.

    The second column adds up: there a hand counts once.

    >>> from chinese_poker.presets import load_rules
    >>> naturals_odds(load_rules("basic")).rows["dragon"]["held"]
    Exact(count=67108864, of=635013559600)
    """
    held = natural_counts(rules.naturals.big, rules.naturals.small)
    best = best_natural_counts(rules)
    rows: dict[str, dict[str, Chance]] = {
        in_words(natural): {
            column: Exact(found[natural], HANDS)
            for column, found in (("held", held), ("the best", best))
            if natural in found
        }
        for natural in held
    }
    rows["any of them"] = {"the best": Exact(sum(best.values()), HANDS)}
    title = f"naturals held by 13 cards, and the best of those that {rules.name} plays"
    return OddsTable("naturals", title, ("held", "the best"), rows, {"rules": rules.name})


def segments_odds() -> OddsTable:
    """The categories of all segments of five and of three cards.

    >>> segments_odds().rows["flush"]["five cards"]
    Exact(count=5108, of=2598960)
    """
    sizes = {"five cards": 5, "three cards": 3}
    counts = {words: segment_counts(size) for words, size in sizes.items()}
    rows: dict[str, dict[str, Chance]] = {
        in_words(category.word): {
            words: Exact(counts[words][category], comb(52, size))
            for words, size in sizes.items()
            if category in counts[words]
        }
        for category in CATEGORIES
    }
    return OddsTable(
        "segments", "categories of segments drawn from the whole deck", tuple(sizes), rows, of_what="segments"
    )


def hands_odds() -> OddsTable:
    """What five of 13 cards make: whatever else they hold, and at best.

    >>> hands_odds().rows["four of a kind"]["at best"]
    Exact(count=21490969152, of=635013559600)
    """
    counts = {"held": held_five_counts(), "at best": best_five_counts()}
    rows: dict[str, dict[str, Chance]] = {
        in_words(category.word): {
            column: Exact(found[category], HANDS) for column, found in counts.items() if category in found
        }
        for category in CATEGORIES[:-1]
    }
    return OddsTable("hands", "what five of 13 cards make", tuple(counts), rows)


def best_odds(rules: RuleSet, *, deals: int = DEALS, seed: int = 0, progress: Progress | None = None) -> OddsTable:
    """The best category that each segment can be set to in a legal arrangement, one hand a deal.

    The best five cards may always be the back; that column is counted.

    >>> from chinese_poker.presets import load_rules
    >>> table = best_odds(load_rules("basic"), deals=40)
    >>> table.rows["one pair"]["front"].chance > 0.5, table.rows["straight"]["back"].of
    (True, 635013559600)
    """
    sampled = _sampled(lambda first, count: _best_set(rules, seed, first, count), deals, progress)
    found, backs = _Cells(sampled["best"], deals, seed), best_five_counts()
    rows: dict[str, dict[str, Chance]] = {}
    for category in CATEGORIES:
        cells: dict[str, Chance] = {
            segment: chance
            for place, segment in enumerate(_COLUMNS[:2])
            if (chance := found[place, category]) and chance.chance
        }
        if category in backs:
            cells["back"] = Exact(backs[category], HANDS)
        rows[in_words(category.word)] = cells
    title = f"the best that each segment can be set to under {rules.name}"
    return OddsTable("best", title, _COLUMNS, rows, {"rules": rules.name})


def deals_odds(
    rules: RuleSet, *, deals: int = DEALS_LOOKED_AT, seed: int = 0, progress: Progress | None = None
) -> OddsTable:
    """The chance that somebody at a table of 2, 3 or 4 holds a natural that the rule set plays.

    The number of naturals to expect is exact; sampled is how much of it comes from a second one in the deal.

    >>> from chinese_poker.presets import load_rules
    >>> deals_odds(load_rules("basic"), deals=2000).rows["2 players"]["somebody"].error < 0.001
    True
    """
    one = Exact(sum(best_natural_counts(rules).values()), HANDS)
    sampled = _sampled(lambda first, count: _seconds(rules, seed, first, count), deals, progress)
    seconds = _Cells(sampled["seconds"], deals, seed)
    rows: dict[str, dict[str, Chance]] = {"1 player": {"somebody": one}}
    for place, players in enumerate(_TABLES):
        if more := seconds[(place,)]:
            chance = players * one.chance - more.chance
            rows[f"{players} players"] = {"somebody": Simulated(chance, more.error, deals, seed)}
    title = f"somebody holds a natural that {rules.name} plays"
    return OddsTable("deals", title, ("somebody",), rows, {"rules": rules.name})


class Play(NamedTuple):
    """What comes of it where all play one strategy."""

    categories: OddsTable
    """What hands that play on set in each segment."""
    wins: OddsTable
    """How often a segment wins against one opponent who plays on as well, by category; a tie is no win."""
    strengths: OddsTable
    """The same by category and the rank that leads."""
    matchups: OddsTable
    """How matchups of two who play on end, and what else hands come to."""
    points: Mapping[str, Mapping[str, Sequence[tuple[int, float, float]]]]
    """The strengths as numbers: segment to category to leading rank (2 to 14), chance and error."""


def play_odds(
    rules: RuleSet,
    *,
    player: str | None = None,
    players: int = 4,
    deals: int = DEALS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Play:
    """Simulate deals that one strategy plays in all seats.

    :param player: its name; where none is given the strongest.
    :param players: 2 to 4.
    :raises DealError: ``bad_option``, ``unknown_strategy``.

    >>> from chinese_poker.presets import load_rules
    >>> play = play_odds(load_rules("basic"), player="greedy", players=2, deals=40)
    >>> play.wins.rows["one pair"]["front"].chance > play.wins.rows["high card"]["front"].chance
    True
    """
    if not 2 <= players <= 4:
        raise DealError("bad_option", f"{players} players; a deal has 2 to 4")
    plays = strategy(player or strategies()[-1])
    sampled = _sampled(lambda first, count: _played(rules, plays, players, seed, first, count), deals, progress)
    found = {measure: _Cells(ratios, deals, seed) for measure, ratios in sampled.items()}
    context: dict[str, str | int] = {"rules": rules.name, "strategy": plays.name, "players": players}
    how = f"as {plays.name} plays {rules.name}, {players} players"

    def table(name: str, title: str, rows: dict[str, int]) -> OddsTable:
        """Rows of the segments' chances; what has not come is left out."""
        cells: dict[str, dict[str, Chance]] = {
            row: {
                segment: chance
                for place, segment in enumerate(_COLUMNS)
                if (chance := found[name][place, group]) and (chance.chance or name != "categories")
            }
            for row, group in rows.items()
        }
        return OddsTable(name, f"{title}, {how}", _COLUMNS, {row: held for row, held in cells.items() if held}, context)

    by_category = {in_words(category.word): int(category) for category in CATEGORIES}
    by_strength = {_lead(group): group for group in range(_GROUPS) if 2 <= group & 15 <= 14}
    ends: dict[str, dict[str, Chance]] = {
        what: {"chance": chance}
        for i, what in enumerate(_ENDS)
        if (chance := found["matchups"][(i,)]) and chance.chance
    }
    points: dict[str, dict[str, list[tuple[int, float, float]]]] = {}
    for place, segment in enumerate(_COLUMNS):
        for group in range(_GROUPS):
            if chance := found["strengths"][place, group]:
                category = in_words(Category(group >> 4).word)
                line = points.setdefault(segment, {}).setdefault(category, [])
                line.append((group & 15, chance.chance, chance.error))
    return Play(
        table("categories", "categories", by_category),
        table("wins", "wins against one opponent", by_category),
        table("strengths", "wins against one opponent", dict(reversed(by_strength.items()))),
        OddsTable("matchups", f"matchups {how}", ("chance",), ends, context),
        points,
    )


_GROUPS = 16 * len(Category)
"""Strengths told apart by their category and the rank that leads."""
_ENDS = (
    "a hand scoops its opponent",
    "wins more segments, without a scoop",
    "wins as many as its opponent",
    "somebody scoops all others",
    "a hand declares a natural",
    "a hand surrenders",
    "a hand is a foul",
)
_COLUMNS = tuple(str(segment) for segment in SEGMENTS)
_TABLES = (2, 3, 4)


def _lead(group: int) -> str:
    """Strengths of a category that one rank leads, in words.

    >>> [_lead(category << 4 | 14) for category in (Category.ONE_PAIR, Category.TWO_PAIR, Category.FULL_HOUSE)]
    ['pair of aces', 'aces up', 'aces full']
    """
    words = Strength(group << 16 | 2 << 12).describe().partition(",")[0]
    return words.replace(" full of deuces", " full").replace(" and deuces", " up")


class _Ratios(NamedTuple):
    """Ratios a / b of sums over deals: a is how often, b out of how many; the moments of both."""

    a: Array
    b: Array
    aa: Array
    ab: Array
    bb: Array

    @staticmethod
    def of(a: Array, b: Array) -> _Ratios:
        """From figures by deal (n, ...); those of ``b`` may be shared by the cells."""
        each = np.asarray(a, np.float64)
        base = np.broadcast_to(np.asarray(b, np.float64), each.shape)
        return _Ratios(*(x.sum(axis=0) for x in (each, base, each * each, each * base, base * base)))

    def plus(self, other: _Ratios) -> _Ratios:
        """Those of both samples."""
        return _Ratios(*(mine + more for mine, more in zip(self, other, strict=True)))


@dataclass(frozen=True)
class _Cells:
    """Ratios with errors as of deals drawn apart: the hands of one deal do not count as drawn apart."""

    ratios: _Ratios
    deals: int
    seed: int

    def __getitem__(self, cell: tuple[int, ...]) -> Simulated | None:
        a, b, aa, ab, bb = (float(figure[cell]) for figure in self.ratios)
        if not b:
            return None
        share = a / b
        spread = aa - 2 * share * ab + share * share * bb
        return Simulated(share, max(spread, 1.0) ** 0.5 / b, self.deals, self.seed)


def _sampled(
    sample: Callable[[int, int], dict[str, _Ratios]], deals: int, progress: Progress | None
) -> dict[str, _Ratios]:
    """What a sample of deals comes to, taken chunk by chunk."""
    if deals < 2:
        raise DealError("bad_option", f"{deals} deals; an error takes at least 2")
    total: dict[str, _Ratios] = {}
    for first in range(0, deals, CHUNK):
        count = min(CHUNK, deals - first)
        for measure, ratios in sample(first, count).items():
            total[measure] = total[measure].plus(ratios) if measure in total else ratios
        if progress:
            progress(first + count, deals)
    return total


def _best_set(rules: RuleSet, seed: int, first: int, count: int) -> dict[str, _Ratios]:
    """The best category in each segment, of the first hand of each deal."""
    found = undominated(
        deal(seed, first, count)[:, :13], wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back
    )
    best = np.maximum.reduceat(found.values, found.offsets[:-1], axis=0)
    strengths = _strengths(best, rules)
    hits = strengths[:, :, None] >> 20 == np.arange(len(Category))
    return {"best": _Ratios.of(hits, np.ones(1))}


def _strengths(values: Array, rules: RuleSet) -> Array:
    """(..., 3) int32: the strengths of front, middle and back, from their values."""
    table = tables(rules.wheel)
    scales = (table.strength_of_front, table.strength_of_five, table.strength_of_five)
    return np.stack([scale[values[..., i]] for i, scale in enumerate(scales)], axis=-1)


def _seconds(rules: RuleSet, seed: int, first: int, count: int) -> dict[str, _Ratios]:
    """How many naturals of a table of 2, 3 and 4 come on top of its first, in the mean of all such tables of a deal."""
    states = natural_states(deal(seed, first, count).reshape(-1, 13), settlement(rules))
    held = (states.reshape(count, 4) >= 0).sum(axis=1)
    more = [
        [players * held / 4 - 1 + comb(4 - held, players) / comb(4, players) for players in _TABLES]
        for held in range(5)
    ]
    return {"seconds": _Ratios.of(np.array(more)[held], np.ones(1))}


def _played(rules: RuleSet, player: Strategy, players: int, seed: int, first: int, count: int) -> dict[str, _Ratios]:
    """What comes of deals that one strategy plays in all seats."""
    settled = settlement(rules)
    setting = player.arrange(deal(seed, first, count)[:, : 13 * players].reshape(-1, 13), rules, players)
    field = judged(setting.cards, rules, setting.states)
    values = np.stack([settled.tables.values_of(field.cards[:, segment]) for segment in CARDS], axis=1)
    group = (_strengths(values, rules) >> 16).reshape(count, players, 3)
    states = field.states.reshape(count, players)
    compared = field.values.reshape(count, players, 3).astype(np.int32)

    plays = states < settled.foul
    meets = plays[:, :, None] & plays[:, None] & ~np.eye(players, dtype=bool)
    sides = np.sign(compared[:, :, None] - compared[:, None])
    scoops = meets & (sides == 1).all(axis=3)
    lead = sides.sum(axis=3)

    cells = (np.arange(count)[:, None, None] * 3 + np.arange(3)) * _GROUPS + group

    def tally(figures: Array) -> Array:
        """(count, 3, groups): figures (count, players, 3) summed by the strength of the segments."""
        weights = np.broadcast_to(figures, cells.shape).ravel()
        sums: Array = np.bincount(cells.ravel(), weights, count * 3 * _GROUPS).reshape(count, 3, _GROUPS)
        return sums

    def by_category(sums: Array) -> Array:
        of_categories: Array = sums.reshape(count, 3, len(Category), 16).sum(axis=3)
        return of_categories

    held, met = tally(plays[:, :, None]), tally(meets.sum(axis=2)[:, :, None])
    won = tally((meets[..., None] & (sides == 1)).sum(axis=2))
    natural, gave_up, foul = (
        np.array([bool(what(state)) for state in settled.states])[states].sum(axis=1)
        for what in (attrgetter("natural"), attrgetter("surrender"), attrgetter("foul"))
    )
    matchups, hands = meets.sum(axis=(1, 2)), np.full(count, players)
    ends = (
        (scoops.sum(axis=(1, 2)), matchups),
        ((meets & ~scoops & (lead > 0)).sum(axis=(1, 2)), matchups),
        ((meets & (lead == 0)).sum(axis=(1, 2)), matchups),
        ((scoops.sum(axis=2) == players - 1).any(axis=1), np.ones(count)),
        (natural, hands),
        (gave_up, hands),
        (foul, hands),
    )
    often, out_of = (np.stack(column, axis=1) for column in zip(*ends, strict=True))
    return {
        "categories": _Ratios.of(by_category(held), plays.sum(axis=1)[:, None, None]),
        "wins": _Ratios.of(by_category(won), by_category(met)),
        "strengths": _Ratios.of(won, met),
        "matchups": _Ratios.of(often, out_of),
    }
