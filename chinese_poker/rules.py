"""A rule set: everything in which houses differ, as frozen data.

The defaults are the plainest game there is: one unit a segment and nothing else. A rule file has the same keys, a table
for each part below; :mod:`chinese_poker.presets` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, NamedTuple

from .arrangement import SEGMENTS, SIZES
from .cards import RANKS, SUITS
from .errors import DealError, RuleSetError
from .evaluate import Category, CategoryName, Wheel
from .naturals import BIG, DRAGONS, SMALL, Natural
from .shown import Shown
from .texts import LONGEST_TEXT, did_you_mean, one_line, quote, text_fault

UnitsByCategory = Mapping[CategoryName, int]
MOST_UNITS = 1_000_000
"""No figure of a rule set is larger, so that no sum of a deal leaves 64 bits."""
LONGEST_NOTE = 1000
"""Characters of a title, a source, or a remark."""


class Ties(StrEnum):
    """Who wins a segment of equal strength."""

    PUSH = "push"
    BANKER = "banker"
    SUIT = "suit"


class Banker(StrEnum):
    """Whether one player is matched against each other player, in place of all against all."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


class MajorityRule(StrEnum):
    """What a majority of a matchup is."""

    TWO_OF_THREE = "two_of_three"
    MORE_THAN_OPPONENT = "more_than_opponent"


class BonusMode(StrEnum):
    """Whether a bonus stands in place of the segment's unit or is added to it."""

    REPLACE = "replace"
    ADD = "add"


class PaidTo(StrEnum):
    """Who is paid a bonus: the segment's winner, or both players for what each holds, win or lose."""

    WINNER = "winner"
    BOTH = "both"


class FactorOn(StrEnum):
    """What the scoop and home run factors multiply: the segments' own units, or everything in the matchup."""

    REGULAR = "regular"
    ALL = "all"


class HomeRunMode(StrEnum):
    """Whether the home run's factor stands in place of the scoop's or multiplies once more."""

    IN_PLACE = "in_place"
    ON_TOP = "on_top"


class FoulPays(StrEnum):
    """What a foul pays to each other player."""

    FLAT = "flat"
    SCOOP = "scoop"
    SCOOP_WITH_BONUSES = "scoop_with_bonuses"


class BetweenNaturals(StrEnum):
    """What one declared natural pays to another.

    ``dragon_first``: a dragon beats any other at the dragon's worth, all else is nothing. ``higher_wins``: the higher
    is paid its worth. ``push``: nothing. ``difference``: the difference of the two worths.
    """

    DRAGON_FIRST = "dragon_first"
    HIGHER_WINS = "higher_wins"
    PUSH = "push"
    DIFFERENCE = "difference"


class NaturalsOrder(StrEnum):
    """Which natural is higher: the one worth more, or the one listed first."""

    WORTH = "worth"
    LISTED = "listed"


_DOCUMENT = {"extra": "forbid", "strict": True}


class _Part:
    __pydantic_config__: ClassVar[dict[str, object]] = _DOCUMENT


@dataclass(frozen=True, kw_only=True)
class ByCategory(_Part):
    """Units for a category in a segment. A royal flush without its own figure takes the straight flush's."""

    front: UnitsByCategory = field(default_factory=dict)
    middle: UnitsByCategory = field(default_factory=dict)
    back: UnitsByCategory = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Units(_Part):
    """Regular units of a won segment; ``by_category`` stands in place of them where it has a figure."""

    front: int = 1
    middle: int = 1
    back: int = 1
    by_category: ByCategory = ByCategory()


@dataclass(frozen=True, kw_only=True)
class Majority(_Part):
    """Units for a majority of a matchup."""

    units: int = 0
    rule: MajorityRule = MajorityRule.TWO_OF_THREE


@dataclass(frozen=True, kw_only=True)
class Bonuses(ByCategory):
    """Bonus units; ``cap`` is the most that one player takes from one opponent in bonuses."""

    mode: BonusMode = BonusMode.ADD
    paid_to: PaidTo = PaidTo.WINNER
    cap: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scoop(_Part):
    """Extra units for a scoop, and what it multiplies."""

    units: int = 0
    factor: int = 1
    factor_on: FactorOn = FactorOn.REGULAR


@dataclass(frozen=True, kw_only=True)
class HomeRun(_Part):
    """A scoop against every opponent, from ``players`` at the table on; it multiplies what the scoop multiplies."""

    factor: int = 1
    mode: HomeRunMode = HomeRunMode.IN_PLACE
    players: int = 4
    counts_fouls: bool = False
    counts_naturals: bool = False


@dataclass(frozen=True, kw_only=True)
class FoulRule(_Part):
    """What a foul pays; ``units`` goes with ``flat``."""

    pays: FoulPays = FoulPays.SCOOP
    units: int | None = None


@dataclass(frozen=True, kw_only=True)
class Naturals(_Part):
    """The naturals that are played, each with its worth, highest first (a worth of 0: not played).

    ``big`` and ``small`` are the ranks of ``all_big`` and ``all_small``.
    """

    worth: Mapping[Natural, int] = field(default_factory=dict)
    between: BetweenNaturals = BetweenNaturals.DRAGON_FIRST
    order: NaturalsOrder = NaturalsOrder.WORTH
    big: str = BIG
    small: str = SMALL

    def __eq__(self, other: object) -> bool:
        """Equal if listed in the same order, too: rule sets that settle differently must not pass for each other."""
        if not isinstance(other, Naturals):
            return NotImplemented
        return self._listed() == other._listed()

    def __hash__(self) -> int:
        return hash(self._listed())

    def _listed(self) -> tuple[object, ...]:
        return tuple(self.worth.items()), self.between, self.order, self.big, self.small

    @cached_property
    def ranking(self) -> tuple[Natural, ...]:
        """The naturals that are played, highest first.

        >>> Naturals(worth={Natural.SIX_PAIRS: 3, Natural.DRAGON: 13}).ranking
        (<Natural.DRAGON: 'dragon'>, <Natural.SIX_PAIRS: 'six_pairs'>)
        """
        ranking = [natural for natural, worth in self.worth.items() if worth]
        if self.order is NaturalsOrder.WORTH:
            ranking.sort(key=lambda natural: -self.worth[natural])
        if self.between is BetweenNaturals.DRAGON_FIRST:
            ranking.sort(key=lambda natural: natural not in DRAGONS)
        return tuple(ranking)


class SegmentValue(NamedTuple):
    """What a segment won by a category is worth: its regular units, and bonus units."""

    regular: int
    bonus: int


@dataclass(frozen=True, kw_only=True)
class RuleSet(_Part, Shown):
    """One house's rules.

    :raises RuleSetError: ``out_of_range``, ``bad_text`` or ``contradiction``, with the place.

    >>> RuleSet(name="ours", foul=FoulRule(pays=FoulPays.FLAT))
    Traceback (most recent call last):
    chinese_poker.errors.RuleSetError: /foul/units: contradiction: a flat foul needs its units
    """

    name: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    revision: int = 1
    sources: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    wheel: Wheel = Wheel.LOWEST
    ties: Ties = Ties.PUSH
    suits: str = "shdc"
    middle_may_equal_back: bool = True
    banker: Banker = Banker.NONE
    units: Units = Units()
    majority: Majority = Majority()
    bonuses: Bonuses = Bonuses()
    scoop: Scoop = Scoop()
    home_run: HomeRun = HomeRun()
    foul: FoulRule = FoulRule()
    surrender: int | None = None
    naturals: Naturals = Naturals()
    cap: int | None = None

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise RuleSetError.of(problems)

    def __hash__(self) -> int:
        return hash((self.name, self.revision))

    def pays_home_runs(self, players: int) -> bool:
        """Whether a home run is worth more than its scoops at a table of so many."""
        return self.home_run.factor > 1 and players >= self.home_run.players

    def natural(self, name: str) -> Natural:
        """The natural that players call so, of those that are played; in capitals, with spaces or hyphens, too.

        :raises DealError: ``unknown_natural``.

        >>> RuleSet(name="x", naturals=Naturals(worth={Natural.SIX_PAIRS: 3})).natural("Six pairs")
        <Natural.SIX_PAIRS: 'six_pairs'>
        """
        plain = "_".join(name.lower().replace("-", " ").split())
        played = self.naturals.ranking
        for natural in played:
            if natural == plain:
                return natural
        known = f"it plays {', '.join(played) or 'none'}"
        fault = f"{quote(name)} is no natural of {self.name}{did_you_mean(plain, played)} {known}"
        raise DealError("unknown_natural", fault)

    @cached_property
    def values(self) -> tuple[tuple[SegmentValue, ...], ...]:
        """What a won segment is worth, by segment (front, middle, back) and category.

        >>> eastern = RuleSet(name="x", bonuses=Bonuses(mode=BonusMode.REPLACE, middle={"full_house": 2}))
        >>> eastern.values[1][Category.FULL_HOUSE], eastern.values[2][Category.FULL_HOUSE]
        (SegmentValue(regular=0, bonus=2), SegmentValue(regular=1, bonus=0))
        """
        table = []
        for segment in SEGMENTS:
            base: int = getattr(self.units, segment)
            regulars: UnitsByCategory = getattr(self.units.by_category, segment)
            bonuses: UnitsByCategory = getattr(self.bonuses, segment)
            row = []
            for category in Category:
                bonus = _of(category, bonuses, 0)
                replaced = bonus and self.bonuses.mode is BonusMode.REPLACE
                row.append(SegmentValue(0 if replaced else _of(category, regulars, base), bonus))
            table.append(tuple(row))
        return tuple(table)

    @cached_property
    def suit_worth(self) -> tuple[int, ...]:
        """How high each suit is where ties go by suit, by suit: 3 the highest to 0.

        >>> RuleSet(name="x", suits="shdc").suit_worth
        (0, 1, 2, 3)
        """
        return tuple(len(SUITS) - 1 - self.suits.index(suit) for suit in SUITS)

    @property
    def plain_values(self) -> tuple[SegmentValue, ...]:
        """What the segments are worth whatever the category: what a foul loses."""
        units = self.units
        return SegmentValue(units.front, 0), SegmentValue(units.middle, 0), SegmentValue(units.back, 0)

    def _problems(self) -> Iterator[RuleSetError]:
        figures: list[tuple[str, int | None, int]] = [
            ("/revision", self.revision, 1),
            ("/majority/units", self.majority.units, 0),
            ("/bonuses/cap", self.bonuses.cap, 0),
            ("/scoop/units", self.scoop.units, 0),
            ("/scoop/factor", self.scoop.factor, 1),
            ("/home_run/factor", self.home_run.factor, 1),
            ("/foul/units", self.foul.units, 0),
            ("/surrender", self.surrender, 0),
            ("/cap", self.cap, 0),
            *((f"/naturals/worth/{natural}", worth, 0) for natural, worth in self.naturals.worth.items()),
        ]
        for segment, size in zip(SEGMENTS, SIZES, strict=True):
            figures.append((f"/units/{segment}", getattr(self.units, segment), 0))
            tables = (("/units/by_category", self.units.by_category), ("/bonuses", self.bonuses))
            for pointer, table in tables:
                for category, units in getattr(table, segment).items():
                    figures.append((f"{pointer}/{segment}/{category}", units, 0))
                    if size == 3 and category not in ("high_card", "one_pair", "three_of_a_kind"):
                        fault = "a front is high_card, one_pair or three_of_a_kind"
                        yield RuleSetError("contradiction", fault, pointer=f"{pointer}/{segment}/{category}")
        for pointer, units, least in figures:
            if units is not None and not least <= units <= MOST_UNITS:
                fault = f"{one_line(str(units), 9)} is out of range; write {least} to {MOST_UNITS}"
                yield RuleSetError("out_of_range", fault, pointer=pointer)
        if not 2 <= self.home_run.players <= 4:
            yield RuleSetError("out_of_range", "a home run needs 2 to 4 players", pointer="/home_run/players")
        if sorted(self.suits) != sorted(SUITS):
            yield RuleSetError("out_of_range", "write the four suits, highest first: shdc", pointer="/suits")
        for name, ranks in (("big", self.naturals.big), ("small", self.naturals.small)):
            if not ranks or not set(ranks) <= set(RANKS) or len(set(ranks)) < len(ranks):
                yield RuleSetError("out_of_range", f"write ranks out of {RANKS}", pointer=f"/naturals/{name}")
        yield from self._text_problems()
        yield from self._contradictions()

    def _text_problems(self) -> Iterator[RuleSetError]:
        texts = [("/name", self.name, 1, LONGEST_TEXT), ("/title", self.title, 0, LONGEST_NOTE)]
        for key in ("aliases", "sources", "inferred", "open"):
            texts += [(f"/{key}/{index}", text, 0, LONGEST_NOTE) for index, text in enumerate(getattr(self, key))]
        for pointer, text, least, most in texts:
            if (wrong := text_fault(text, least=least, most=most)) is not None:
                yield RuleSetError("bad_text", wrong, pointer=pointer)

    def _contradictions(self) -> Iterator[RuleSetError]:
        if self.foul.pays is FoulPays.FLAT and self.foul.units is None:
            yield RuleSetError("contradiction", "a flat foul needs its units", pointer="/foul/units")
        if self.foul.pays is not FoulPays.FLAT and self.foul.units is not None:
            fault = f"a foul that pays '{self.foul.pays}' has no units of its own; write pays = 'flat' with them"
            yield RuleSetError("contradiction", fault, pointer="/foul/units")
        if self.ties is Ties.BANKER and self.banker is Banker.NONE:
            fault = "the banker cannot win ties where banker = 'none'; write banker = 'optional'"
            yield RuleSetError("contradiction", fault, pointer="/ties")
        if self.bonuses.mode is BonusMode.REPLACE and self.bonuses.paid_to is PaidTo.BOTH:
            fault = "a bonus paid win or lose cannot replace the winner's unit; write mode = 'add'"
            yield RuleSetError("contradiction", fault, pointer="/bonuses/paid_to")


def _of(category: Category, table: UnitsByCategory, default: int) -> int:
    fallback = Category.STRAIGHT_FLUSH if category is Category.ROYAL_FLUSH else category
    by_word = {Category[word.upper()]: units for word, units in table.items()}
    return by_word.get(category, by_word.get(fallback, default))
