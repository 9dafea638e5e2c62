"""One matchup settled: what one player gains from another, every unit an item with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from .arrangement import SEGMENTS, Segment
from .naturals import DRAGONS, Natural
from .rules import (
    BetweenNaturals,
    FactorOn,
    FoulPays,
    HomeRunMode,
    MajorityRule,
    NaturalsOrder,
    PaidTo,
    RuleSet,
    SegmentValue,
)

Sides = tuple[int, int, int]
"""Who wins front, middle and back: 1 the first player, -1 the second, 0 neither."""


class Reason(StrEnum):
    """Why an item is paid."""

    SEGMENT = "segment"
    BONUS = "bonus"
    BONUS_CAP = "bonus_cap"
    MAJORITY = "majority"
    SCOOP = "scoop"
    SCOOP_FACTOR = "scoop_factor"
    HOME_RUN = "home_run"
    FOUL = "foul"
    NATURAL = "natural"
    SURRENDER = "surrender"
    CAP = "cap"

    __hash__ = str.__hash__


class Item(NamedTuple):
    """One line of a settlement: units gained by the matchup's first player, negative where the second gains."""

    reason: Reason
    units: int
    segment: Segment | None = None


class State(NamedTuple):
    """What a settlement has to know of a player: exactly one of a legal arrangement, a foul, a natural, a surrender.

    ``values`` is what each segment of a legal arrangement is worth if it wins.
    """

    values: tuple[SegmentValue, ...] = ()
    foul: bool = False
    natural: Natural | None = None
    surrender: bool = False


@lru_cache(maxsize=1 << 16)
def settle(first: State, second: State, sides: Sides, rules: RuleSet, home_run: bool = False) -> tuple[Item, ...]:
    """The items of one matchup, from the first player's side: the one settlement there is.

    :param sides: who wins each segment; all 0 where a player has no legal arrangement to compare.
    :param home_run: whether this matchup belongs to a home run.

    >>> plain = State(values=(SegmentValue(1, 0),) * 3)
    >>> [(item.segment.value, item.units) for item in settle(plain, plain, (1, 1, -1), RuleSet(name="plain"))]
    [('front', 1), ('middle', 1), ('back', -1)]
    >>> settle(State(foul=True), plain, (0, 0, 0), RuleSet(name="plain"))[0].reason
    <Reason.FOUL: 'foul'>
    """
    if first.values and second.values:
        items = _segments(sides, first.values, second.values, rules, home_run)
    elif first.surrender or second.surrender:
        items = _surrendered(first, second, rules)
    elif first.natural or second.natural:
        items = _declared_naturals(first, second, rules)
    else:
        items = _fouled(first, second, rules, home_run)
    if rules.cap is not None:
        total = sum([item.units for item in items])
        if abs(total) > rules.cap:
            return *items, Item(Reason.CAP, (rules.cap if total > 0 else -rules.cap) - total)
    return items


def scoops(first: State, second: State, sides: Sides, rules: RuleSet) -> int:
    """1 if the first player scoops, for a home run's sake, -1 if the second does, else 0."""
    if abs(sum(sides)) == len(sides):
        return sides[0]
    scoop = 0
    if rules.home_run.counts_naturals and not (first.surrender or second.surrender):
        scoop = bool(first.natural) - bool(second.natural)
    if rules.home_run.counts_fouls and (first.values or second.values):
        scoop = scoop or second.foul - first.foul
    return scoop


def _surrendered(first: State, second: State, rules: RuleSet) -> tuple[Item, ...]:
    side = second.surrender - first.surrender
    owed = 0 if first.foul or second.foul else rules.surrender or 0
    return (Item(Reason.SURRENDER, side * owed),)


def _declared_naturals(first: State, second: State, rules: RuleSet) -> tuple[Item, ...]:
    worth, ranking = rules.naturals.worth, rules.naturals.ranking
    a, b = first.natural, second.natural
    if a is None or b is None:
        units = worth[a] if a else -worth[b] if b else 0
    else:
        match rules.naturals.between:
            case BetweenNaturals.DIFFERENCE:
                units = worth[a] - worth[b]
            case BetweenNaturals.PUSH:
                units = 0
            case BetweenNaturals.DRAGON_FIRST:
                side = (a in DRAGONS) - (b in DRAGONS)
                units = side * worth[a if side > 0 else b]
            case _:  # the higher wins
                if rules.naturals.order is NaturalsOrder.WORTH:
                    side = (worth[a] > worth[b]) - (worth[a] < worth[b])
                else:
                    side = (ranking.index(a) < ranking.index(b)) - (ranking.index(a) > ranking.index(b))
                units = side * worth[a if side > 0 else b]
    return (Item(Reason.NATURAL, units),)


def _fouled(first: State, second: State, rules: RuleSet, home_run: bool) -> tuple[Item, ...]:
    side = second.foul - first.foul
    fault = Item(Reason.FOUL, side * (rules.foul.units or 0))
    if not side or rules.foul.pays is FoulPays.FLAT:
        return (fault,)
    values: Sequence[SegmentValue] = rules.plain_values
    if rules.foul.pays is FoulPays.SCOOP_WITH_BONUSES:
        values = (first if side > 0 else second).values
    nothing = (SegmentValue(0, 0),) * len(values)
    mine, theirs = (values, nothing) if side > 0 else (nothing, values)
    return fault, *_segments((side, side, side), mine, theirs, rules, home_run)


def _segments(
    sides: Sides, mine: Sequence[SegmentValue], theirs: Sequence[SegmentValue], rules: RuleSet, home_run: bool
) -> tuple[Item, ...]:
    """The items of two compared arrangements: what each segment is worth to the first player and to the second."""
    items: list[Item] = []
    regular = gained = lost = 0
    both = rules.bonuses.paid_to is PaidTo.BOTH
    for segment, side, my, their in zip(SEGMENTS, sides, mine, theirs, strict=True):
        won = my if side > 0 else their
        if not side or won.regular or not won.bonus:
            units = side * won.regular
            regular += units
            items.append(Item(Reason.SEGMENT, units, segment))
        if my.bonus and (side > 0 or both):
            gained += my.bonus
            items.append(Item(Reason.BONUS, my.bonus, segment))
        if their.bonus and (side < 0 or both):
            lost += their.bonus
            items.append(Item(Reason.BONUS, -their.bonus, segment))
    cap = rules.bonuses.cap
    if cap is not None:
        items += [Item(Reason.BONUS_CAP, cap - gained)] if gained > cap else []
        items += [Item(Reason.BONUS_CAP, lost - cap)] if lost > cap else []
    lead = sum(sides)
    if rules.majority.units:
        items += _majority(sides, lead, rules)
    if abs(lead) == len(sides):
        side = sides[0]
        if rules.scoop.units:
            items.append(Item(Reason.SCOOP, side * rules.scoop.units))
        on_all = rules.scoop.factor_on is FactorOn.ALL
        items += _factors(sum([item.units for item in items]) if on_all else regular, rules, home_run)
    return tuple(items)


def _majority(sides: Sides, lead: int, rules: RuleSet) -> list[Item]:
    if rules.majority.rule is MajorityRule.TWO_OF_THREE and max(sides.count(1), sides.count(-1)) < 2:
        return []
    side = (lead > 0) - (lead < 0)
    return [Item(Reason.MAJORITY, side * rules.majority.units)] if side else []


def _factors(base: int, rules: RuleSet, home_run: bool) -> list[Item]:
    items = []
    in_place = home_run and rules.home_run.mode is HomeRunMode.IN_PLACE
    if rules.scoop.factor > 1 and not in_place:
        items.append(Item(Reason.SCOOP_FACTOR, base * (rules.scoop.factor - 1)))
        base *= rules.scoop.factor
    if home_run:
        items.append(Item(Reason.HOME_RUN, base * (rules.home_run.factor - 1)))
    return items
