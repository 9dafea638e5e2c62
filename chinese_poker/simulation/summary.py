"""What many deals came to, in whole numbers only, so that parts merge exactly and in any order.

Means, deviations, quantiles and shares are worked out of the numbers when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from operator import add
from typing import Any, NamedTuple, Self, TypeVar

from ..arrangement import SEGMENTS
from ..cards import RANKS
from ..errors import ChinesePokerError, SimulationError
from ..evaluate import Category
from ..naturals import Natural
from ..presets import kept_rules, rules_document
from ..rules import RuleSet

PLAYED, FOUL, SURRENDER = "played", "foul", "surrender"
OUTCOMES = (PLAYED, FOUL, SURRENDER, *Natural)
"""What a player may have done with a hand: a natural is one that was declared."""
QUANTILES = (1, 5, 25, 50, 75, 95, 99)
"""Percents that a document tells."""
STRENGTHS = {
    category << 4 | rank + 2: f"{category.word} {name}" for category in Category for rank, name in enumerate(RANKS)
}
"""The strengths of segments, told apart by category and leading rank: the upper bits of a strength, and the name."""
_PLACE_OF_STRENGTH = {name: place for place, name in enumerate(STRENGTHS.values())}

K = TypeVar("K")


class Figures(NamedTuple):
    """A number of deals, and the units won in them: their sum, and the sum of their squares."""

    deals: int
    units: int
    squares: int

    @property
    def mean(self) -> float:
        """Units a deal; 0 for no deals."""
        return float(Fraction(self.units, self.deals)) if self.deals else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of a deal's units."""
        if not self.deals:
            return 0.0
        return sqrt(Fraction(self.deals * self.squares - self.units**2, self.deals**2))

    @property
    def error(self) -> float:
        """The standard error of the mean.

        >>> Figures(deals=4, units=0, squares=16).error
        1.0
        """
        return self.deviation / sqrt(self.deals) if self.deals else 0.0

    def document(self) -> dict[str, Any]:
        """The figures as JSON values, with mean, deviation and standard error."""
        return self._asdict() | {"mean": self.mean, "deviation": self.deviation, "error": self.error}


class Record(NamedTuple):
    """Matchups in which two arrangements were compared, as a segment of one of them fared."""

    wins: int
    ties: int
    losses: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """The same as parts of all."""
        total = sum(self) or 1
        return self.wins / total, self.ties / total, self.losses / total


class Held(NamedTuple):
    """Deals in which a segment had one strength: the units that the player won in all, and how the segment fared."""

    deals: int
    units: int
    squares: int
    wins: int
    ties: int
    losses: int

    @property
    def figures(self) -> Figures:
        """The scores of the deals with this segment."""
        return Figures(*self[:3])

    @property
    def record(self) -> Record:
        """The matchups with this segment."""
        return Record(*self[3:])

    @property
    def can_be(self) -> bool:
        """Whether any deals come to these numbers: squares sum up to no less than their mean's."""
        return self.deals >= 0 and self.squares >= 0 and self.deals * self.squares >= self.units**2


_NOTHING_HELD = Held(0, 0, 0, 0, 0, 0)


class Outcome(NamedTuple):
    """Deals in which a player did one of :data:`OUTCOMES`, and the units won in them."""

    deals: int
    units: int


class Matchups(NamedTuple):
    """Matchups of a player, and what came of them.

    A scoop is all three segments won of one compared arrangement. Home runs are counted by deals, where the rule set
    has them at a table of so many: scoops of all others, with fouls and naturals if the rule set counts them. Bonus
    units are net of each matchup, without factors.
    """

    met: int
    scoops: int
    scooped: int
    home_runs: int
    bonus_won: int
    bonus_lost: int


@dataclass(frozen=True)
class Seat:
    """What one seat's deals came to, or several seats' together."""

    scores: Mapping[int, int]
    """Deals by the units won in them."""
    outcomes: Mapping[str, Outcome]
    """By what the player did, one of :data:`OUTCOMES`."""
    matchups: Matchups
    segments: tuple[Mapping[str, Held], ...]
    """Of the arrangements played: by segment, then by strength, one of :data:`STRENGTHS`."""

    def __add__(self, other: Self) -> Self:
        return type(self)(
            _merged(self.scores, other.scores, int.__add__),
            _merged(self.outcomes, other.outcomes, lambda a, b: Outcome._make(map(add, a, b))),
            Matchups._make(map(add, self.matchups, other.matchups)),
            tuple(
                _merged(mine, theirs, lambda a, b: Held._make(map(add, a, b)))
                for mine, theirs in zip(self.segments, other.segments, strict=True)
            ),
        )

    @property
    def figures(self) -> Figures:
        """Of the scores."""
        entries = self.scores.items()
        return Figures(sum(self.scores.values()), sum(x * n for x, n in entries), sum(x * x * n for x, n in entries))

    def quantile(self, percent: int) -> int:
        """The lowest score that at least so many of a hundred deals do not exceed; 0 for no deals.

        >>> Seat({-1: 3, 2: 1}, {}, Matchups(0, 0, 0, 0, 0, 0), ({}, {}, {})).quantile(75)
        -1
        """
        deals, reached = sum(self.scores.values()), 0
        for score in sorted(self.scores):
            reached += self.scores[score]
            if 100 * reached >= percent * deals:
                return score
        return 0

    def naturals(self) -> dict[Natural, Outcome]:
        """Those that were declared, from the rarest kinds down."""
        return {natural: self.outcomes[natural] for natural in Natural if natural in self.outcomes}

    def record(self, segment: int) -> Record:
        """How a segment fared; 0 is the front."""
        records = (held.record for held in self.segments[segment].values())
        return Record._make(map(sum, zip((0, 0, 0), *records, strict=True)))

    def categories(self, segment: int) -> dict[Category, Held]:
        """A segment's deals by category, from the lowest."""
        found = dict.fromkeys(Category, _NOTHING_HELD)
        for name, held in self.segments[segment].items():
            category = Category[name.partition(" ")[0].upper()]
            found[category] = Held._make(map(add, found[category], held))
        return {category: held for category, held in found.items() if held.deals}

    def strengths(self, segment: int) -> list[tuple[str, Held]]:
        """A segment's deals by strength, from the lowest."""
        return sorted(self.segments[segment].items(), key=lambda entry: _PLACE_OF_STRENGTH[entry[0]])

    def document(self) -> dict[str, Any]:
        """As JSON values, with what is worked out of the numbers."""
        return {
            "scores": {
                **self.figures.document(),
                "quantiles": {str(percent): self.quantile(percent) for percent in QUANTILES},
                "histogram": {str(score): self.scores[score] for score in sorted(self.scores)},
            },
            "outcomes": {outcome: self.outcomes[outcome]._asdict() for outcome in OUTCOMES if outcome in self.outcomes},
            "matchups": self.matchups._asdict(),
            "segments": {
                segment: {
                    **self.record(i)._asdict(),
                    "categories": {
                        category.word: _held_document(held) for category, held in self.categories(i).items()
                    },
                    "strengths": {name: _held_document(held) for name, held in self.strengths(i)},
                }
                for i, segment in enumerate(SEGMENTS)
            },
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Read back what :meth:`document` wrote."""
        return cls(
            {int(score): _count(deals) for score, deals in document["scores"]["histogram"].items()},
            {
                OUTCOMES[OUTCOMES.index(outcome)]: _row(Outcome, entry)
                for outcome, entry in document["outcomes"].items()
            },
            _row(Matchups, document["matchups"]),
            tuple(
                {name: _row(Held, held) for name, held in document["segments"][segment]["strengths"].items()}
                for segment in SEGMENTS
            ),
        )

    def adds_up(self, deals: int) -> bool:
        """Whether the parts are those of so many deals."""
        figures = self.figures
        played = self.outcomes.get(PLAYED, Outcome(0, 0))
        return (
            figures.deals == deals == sum(outcome.deals for outcome in self.outcomes.values())
            and figures.units == sum(outcome.units for outcome in self.outcomes.values())
            and all(number >= 0 for number in self.scores.values())
            and all(held.keys() <= _PLACE_OF_STRENGTH.keys() for held in self.segments)
            and all(each.can_be for held in self.segments for each in held.values())
            and all(sum(each.deals for each in held.values()) == played.deals for held in self.segments)
            and all(sum(each.units for each in held.values()) == played.units for held in self.segments)
        )


def _merged(mine: Mapping[K, Any], theirs: Mapping[K, Any], plus: Callable[[Any, Any], Any]) -> dict[K, Any]:
    merged = dict(mine)
    for key, value in theirs.items():
        merged[key] = plus(merged[key], value) if key in merged else value
    return merged


def _held_document(held: Held) -> dict[str, Any]:
    return held._asdict() | {"mean": held.figures.mean, "error": held.figures.error}


def _count(value: Any) -> int:  # noqa: ANN401
    if type(value) is not int:
        raise TypeError
    return value


def _row(kind: type[Any], document: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return kind(**{name: _count(document[name]) for name in kind._fields})


class Dealt(NamedTuple):
    """The deals ``first .. end - 1`` of a seed."""

    seed: int
    first: int
    end: int

    @property
    def deals(self) -> int:
        """How many."""
        return self.end - self.first


_NOBODY = Seat({}, {}, Matchups(0, 0, 0, 0, 0, 0), ({}, {}, {}))


@dataclass(frozen=True)
class Summary:
    """What deals of one game came to, by seat. ``+`` merges summaries of different deals.

    :raises SimulationError: by ``+``, ``other_game`` or ``dealt_twice``.

    >>> from chinese_poker.presets import load_rules
    >>> from chinese_poker.simulation import simulate
    >>> one, other = (simulate(20, load_rules("basic"), ["greedy"], seed=7, first=first) for first in (0, 20))
    >>> one + other == other + one == simulate(40, load_rules("basic"), ["greedy"], seed=7)
    True
    """

    rules: RuleSet
    strategies: tuple[str, ...]
    """By seat."""
    banker: int | None
    dealt: tuple[Dealt, ...]
    """Which deals these are, ascending, neighbours joined."""
    seats: tuple[Seat, ...]

    @classmethod
    def empty(cls, rules: RuleSet, strategies: tuple[str, ...], banker: int | None = None) -> Self:
        """Of no deals."""
        return cls(rules, strategies, banker, (), (_NOBODY,) * len(strategies))

    @property
    def deals(self) -> int:
        """How many there are."""
        return sum(dealt.deals for dealt in self.dealt)

    def __add__(self, other: Self) -> Self:
        game = (self.rules, self.strategies, self.banker)
        if game != (other.rules, other.strategies, other.banker):
            raise SimulationError(
                "other_game", "these summaries are of different rules, strategies, tables or bankers; merge like ones"
            )
        seats = tuple(map(add, self.seats, other.seats))
        return type(self)(*game, _joined((*self.dealt, *other.dealt)), seats)

    def by_strategy(self) -> dict[str, Seat]:
        """The seats of each strategy together."""
        found: dict[str, Seat] = {}
        for name, seat in zip(self.strategies, self.seats, strict=True):
            found[name] = found[name] + seat if name in found else seat
        return found

    def document(self) -> dict[str, Any]:
        """As JSON values, the rule set written out; :meth:`read` takes them back."""
        return {
            "rules": rules_document(self.rules),
            "players": len(self.strategies),
            "banker": self.banker,
            "deals": self.deals,
            "dealt": [dealt._asdict() for dealt in self.dealt],
            "seats": [
                {"seat": i, "strategy": name, **seat.document()}
                for i, (name, seat) in enumerate(zip(self.strategies, self.seats, strict=True))
            ],
        }

    @classmethod
    def read(cls, document: Any) -> Self:  # noqa: ANN401
        """A summary out of JSON values.

        :raises SimulationError: ``unreadable_summary``, also where its parts do not add up.
        """
        try:
            summary = cls(
                kept_rules(document["rules"]),
                tuple(str(seat["strategy"]) for seat in document["seats"]),
                None if document["banker"] is None else _count(document["banker"]),
                _joined(_row(Dealt, dealt) for dealt in document["dealt"]),
                tuple(Seat.read(seat) for seat in document["seats"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = error.message if isinstance(error, ChinesePokerError) else "its keys are not those of a summary"
            raise SimulationError("unreadable_summary", f"this is no summary: {why}") from None
        ordered = all(0 <= part.first < part.end for part in summary.dealt)
        if not (ordered and all(seat.adds_up(summary.deals) for seat in summary.seats)):
            raise SimulationError("unreadable_summary", "this summary does not add up; simulate again")
        return summary


def _joined(parts: Iterable[Dealt]) -> tuple[Dealt, ...]:
    """Ranges in order, neighbours joined."""
    joined: list[Dealt] = []
    for part in sorted(parts):
        if joined and part.seed == joined[-1].seed and part.first <= joined[-1].end:
            if part.first < joined[-1].end:
                fault = f"deal {part.first:,} of seed {part.seed} is in both summaries; merge those of different deals"
                raise SimulationError("dealt_twice", fault)
            joined[-1] = joined[-1]._replace(end=part.end)
        else:
            joined.append(part)
    return tuple(joined)


def missing(wanted: Dealt, dealt: Iterable[Dealt]) -> Iterator[Dealt]:
    """The deals of a range that are not among these ranges, which are in order.

    >>> [(part.first, part.end) for part in missing(Dealt(1, 0, 9), [Dealt(1, 2, 3), Dealt(1, 5, 9)])]
    [(0, 2), (3, 5)]
    """
    bounds = [wanted.first, *(bound for part in dealt for bound in part[1:]), wanted.end]
    for first, end in zip(bounds[::2], bounds[1::2], strict=True):
        if first < end:
            yield Dealt(wanted.seed, first, end)
