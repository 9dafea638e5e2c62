"""The settlement of a deal: every matchup settled once, every unit an item with its reason.

Items add up to their matchup, matchups to the players' totals, and the totals of a deal to zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

from .arrangement import SEGMENTS, Foul, Segment
from .cards import Card, quote
from .deal import Deal, Player
from .errors import DealError
from .evaluate import Strength
from .naturals import DRAGONS, Natural, find_naturals
from .rules import (
    Banker,
    BetweenNaturals,
    FactorOn,
    FoulPays,
    HomeRunMode,
    MajorityRule,
    NaturalsOrder,
    PaidTo,
    RuleSet,
    SegmentValue,
    Ties,
)


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


class Item(NamedTuple):
    """One line of a settlement: units gained by the matchup's first player, negative where the second gains."""

    reason: Reason
    units: int
    segment: Segment | None = None


class Matchup(NamedTuple):
    """Two players compared: their seats, and what the first gains from the second."""

    players: tuple[int, int]
    items: tuple[Item, ...]
    total: int


class PlayerResult(NamedTuple):
    """What one player did, and the units won or lost in all.

    ``natural`` is the best natural of a player who declared; ``strengths`` is of the segments, where they are set.
    """

    name: str
    total: int
    foul: Foul
    natural: Natural | None
    surrender: bool
    strengths: tuple[Strength | None, Strength | None, Strength | None]


class DealResult(NamedTuple):
    """A settled deal: players by seat (``None`` where vacant), matchups by seats, and who hit a home run."""

    rules: RuleSet
    players: tuple[PlayerResult | None, ...]
    matchups: tuple[Matchup, ...]
    home_run: int | None

    @property
    def totals(self) -> tuple[int, ...]:
        """Units by seat; 0 for a vacant one."""
        return tuple(player.total if player else 0 for player in self.players)


class _Seat(NamedTuple):
    """A player as the settlement sees one; ``natural`` stands for the whole hand where it is declared."""

    player: Player
    foul: Foul
    strengths: tuple[Strength | None, Strength | None, Strength | None]
    natural: Natural | None
    is_banker: bool

    @property
    def is_compared(self) -> bool:
        return not (self.foul or self.natural or self.player.surrender)


_NOT_SET = (None, None, None)
_Sides = tuple[int, int, int]
"""Who wins front, middle and back: 1 the first player, -1 the second, 0 neither."""


def score(deal: Deal, rules: RuleSet, *, auto_declare: bool = False) -> DealResult:
    """Settle a deal under a rule set.

    :param auto_declare: whether a natural counts for a player who did not declare it.
    :raises DealError: ``unknown_natural``, ``natural_not_held``, ``not_set``, ``no_surrender``, ``no_banker`` or
        ``missing_banker``; its ``problems`` are all there are.

    >>> from chinese_poker.arrangement import Arrangement
    >>> from chinese_poker.rules import Majority
    >>> north = Player("North", Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c"))
    >>> south = Player("South", Arrangement.parse("JdJc5s | QdQc9d6s2c | AdAc5h5d3d"))
    >>> result = score(Deal((north, south)), RuleSet(name="western", majority=Majority(units=1)))
    >>> result.totals
    (2, -2)
    >>> [(str(item.reason), item.units) for item in result.matchups[0].items]
    [('segment', 1), ('segment', 1), ('segment', -1), ('majority', 1)]
    """
    seats = _take_seats(deal, rules, auto_declare)
    pairs = [pair for pair in combinations(seats, 2) if deal.banker is None or deal.banker in pair]
    sides = {(i, j): _compare(seats[i], seats[j], rules) for i, j in pairs}
    home_run = _home_run(seats, sides, rules)
    totals = dict.fromkeys(seats, 0)
    matchups = []
    for pair in pairs:
        first, second = pair
        items = _capped(_settle(seats[first], seats[second], sides[pair], rules, home_run in pair), rules)
        total = sum([item.units for item in items])
        matchups.append(Matchup(pair, items, total))
        totals[first] += total
        totals[second] -= total
    players = tuple(
        PlayerResult(player.name, totals[i], seats[i].foul, seats[i].natural, player.surrender, seats[i].strengths)
        if player
        else None
        for i, player in enumerate(deal.players)
    )
    return DealResult(rules, players, tuple(matchups), home_run)


def _take_seats(deal: Deal, rules: RuleSet, auto_declare: bool) -> dict[int, _Seat]:
    problems: list[DealError] = []
    if deal.banker is not None and rules.banker is Banker.NONE:
        fault = f"{rules.name} is played without a banker; leave it out"
        problems.append(DealError("no_banker", fault, pointer="/banker"))
    if deal.banker is None and rules.banker is Banker.REQUIRED:
        fault = f'{rules.name} is played against a banker; name the seat, as in "banker": 0'
        problems.append(DealError("missing_banker", fault))
    seats = {}
    for i, player in enumerate(deal.players):
        if player:
            try:
                seats[i] = _take_seat(player, rules, auto_declare, i == deal.banker)
            except DealError as problem:
                problems.append(problem.at(f"/players/{i}"))
    if problems:
        raise DealError.of(problems)
    return seats


def _take_seat(player: Player, rules: RuleSet, auto_declare: bool, is_banker: bool) -> _Seat:
    if player.surrender:
        if rules.surrender is None:
            raise DealError("no_surrender", f"{rules.name} knows no surrender; leave it out", pointer="/surrender")
        return _Seat(player, Foul.NONE, _NOT_SET, None, is_banker)
    natural = None
    if player.declare is not None:
        natural = _declared(player.cards, player.declare, rules)
    elif auto_declare:
        natural = next(iter(played_naturals(player.cards, rules)), None)
    if player.arrangement:
        foul, strengths = player.arrangement.judge(rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
        return _Seat(player, Foul.NONE if natural else foul, strengths, natural, is_banker)
    if natural is None:
        fault = f"{player.name}'s hand is not set; give front, middle and back, or declare a natural"
        raise DealError("not_set", fault, pointer="/hand")
    return _Seat(player, Foul.NONE, _NOT_SET, natural, is_banker)


def _declared(cards: Sequence[Card], declared: str, rules: RuleSet) -> Natural:
    if declared not in rules.naturals.ranking:
        played = ", ".join(rules.naturals.ranking) or "none"
        fault = f"{quote(declared)} is no natural of {rules.name}; it plays {played}"
        raise DealError("unknown_natural", fault, pointer="/declare")
    held = played_naturals(cards, rules)
    if declared not in held:
        fault = f"the cards hold no {declared}; they hold {', '.join(held) or 'no natural'}"
        raise DealError("natural_not_held", fault, pointer="/declare")
    return held[0]


def played_naturals(cards: Sequence[Card], rules: RuleSet) -> list[Natural]:
    """The naturals of a rule set that 13 cards hold, highest first: a declaration is paid as the first, once.

    >>> from chinese_poker.arrangement import parse_hand
    >>> from chinese_poker.rules import Naturals
    >>> rules = RuleSet(name="x", naturals=Naturals(worth={Natural.THREE_STRAIGHTS: 4, Natural.DRAGON: 4}))
    >>> played_naturals(parse_hand("2c3d4h5s6c7d8h9sTcJdQhKsAc"), rules)
    [<Natural.DRAGON: 'dragon'>, <Natural.THREE_STRAIGHTS: 'three_straights'>]
    """
    if not rules.naturals.ranking:
        return []
    held = find_naturals(cards, big=rules.naturals.big, small=rules.naturals.small)
    return [natural for natural in rules.naturals.ranking if natural in held]


def _compare(first: _Seat, second: _Seat, rules: RuleSet) -> _Sides:
    if not (first.is_compared and second.is_compared):
        return (0, 0, 0)
    front, middle, back = (
        (a > b) - (a < b) or _break_tie(first, second, i, rules)
        for i, (a, b) in enumerate(zip(first.strengths, second.strengths, strict=True))
        if a is not None and b is not None
    )
    return front, middle, back


def _break_tie(first: _Seat, second: _Seat, segment: int, rules: RuleSet) -> int:
    if rules.ties is Ties.BANKER:
        return first.is_banker - second.is_banker
    if rules.ties is Ties.SUIT:
        a, b = (_best_suit(seat, segment, rules) for seat in (first, second))
        return (a > b) - (a < b)
    return 0


def _best_suit(seat: _Seat, segment: int, rules: RuleSet) -> int:
    """The highest suit among the cards that the strength names first: the pair of a pair, the five of a low wheel."""
    strength, arrangement = seat.strengths[segment], seat.player.arrangement
    if strength is None or arrangement is None:
        raise ValueError("only set segments are compared")
    leading = [card for card in arrangement.segments[segment] if card.rank == strength.ranks[0]]
    return max(-rules.suits.index(card.name[1]) for card in leading)


def _scoops(first: _Seat, second: _Seat, sides: _Sides, rules: RuleSet) -> int:
    """1 if the first player scoops, for a home run's sake, -1 if the second does, else 0."""
    if abs(sum(sides)) == len(sides):
        return sides[0]
    scoop = 0
    if rules.home_run.counts_naturals and not (first.player.surrender or second.player.surrender):
        scoop = bool(first.natural) - bool(second.natural)
    if rules.home_run.counts_fouls and (first.is_compared or second.is_compared):
        scoop = scoop or bool(second.foul) - bool(first.foul)
    return scoop


def _home_run(seats: dict[int, _Seat], sides: dict[tuple[int, int], _Sides], rules: RuleSet) -> int | None:
    """The seat that scoops every other player, where the rule set pays for that."""
    if rules.home_run.factor == 1 or len(seats) < rules.home_run.players:
        return None
    scooped = dict.fromkeys(seats, 0)
    for (i, j), matchup_sides in sides.items():
        scoop = _scoops(seats[i], seats[j], matchup_sides, rules)
        scooped[i] += scoop == 1
        scooped[j] += scoop == -1
    return next((i for i, count in scooped.items() if count == len(seats) - 1), None)


def _settle(first: _Seat, second: _Seat, sides: _Sides, rules: RuleSet, home_run: bool) -> Iterator[Item]:
    """The items of one matchup, from the first player's side."""
    if first.player.surrender or second.player.surrender:
        return _surrendered(first, second, rules)
    if first.natural or second.natural:
        return _declared_naturals(first, second, rules)
    if first.foul or second.foul:
        return _fouled(first, second, rules, home_run)
    values = rules.values
    held = [
        (values[i][a >> 20], values[i][b >> 20])
        for i, (a, b) in enumerate(zip(first.strengths, second.strengths, strict=True))
        if a is not None and b is not None
    ]
    return _segments(sides, held, rules, home_run)


def _surrendered(first: _Seat, second: _Seat, rules: RuleSet) -> Iterator[Item]:
    side = second.player.surrender - first.player.surrender
    if side and not (first.foul or second.foul):
        yield Item(Reason.SURRENDER, side * (rules.surrender or 0))


def _declared_naturals(first: _Seat, second: _Seat, rules: RuleSet) -> Iterator[Item]:
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
            case BetweenNaturals.HIGHER_WINS:
                if rules.naturals.order is NaturalsOrder.WORTH:
                    side = (worth[a] > worth[b]) - (worth[a] < worth[b])
                else:
                    side = (ranking.index(a) < ranking.index(b)) - (ranking.index(a) > ranking.index(b))
                units = side * worth[a if side > 0 else b]
    yield Item(Reason.NATURAL, units)


def _fouled(first: _Seat, second: _Seat, rules: RuleSet, home_run: bool) -> Iterator[Item]:
    side = bool(second.foul) - bool(first.foul)
    yield Item(Reason.FOUL, side * (rules.foul.units or 0))
    if side and rules.foul.pays is not FoulPays.FLAT:
        values = list(rules.plain_values)
        if rules.foul.pays is FoulPays.SCOOP_WITH_BONUSES:
            strengths = (first if side > 0 else second).strengths
            values = [rules.values[i][strength >> 20] for i, strength in enumerate(strengths) if strength is not None]
        nothing = SegmentValue(0, 0)
        held = [(value, nothing) if side > 0 else (nothing, value) for value in values]
        yield from _segments((side, side, side), held, rules, home_run)


def _segments(
    sides: _Sides, held: Sequence[tuple[SegmentValue, SegmentValue]], rules: RuleSet, home_run: bool
) -> Iterator[Item]:
    """The items of two compared arrangements: ``held`` is what each segment is worth to the first and the second."""
    regular = 0
    income = {1: 0, -1: 0}
    paid_to_both = rules.bonuses.paid_to is PaidTo.BOTH
    for segment, side, (mine, theirs) in zip(SEGMENTS, sides, held, strict=True):
        won = mine if side > 0 else theirs
        if not side or won.regular or not won.bonus:
            regular += side * won.regular
            yield Item(Reason.SEGMENT, side * won.regular, segment)
        for player, value in ((1, mine), (-1, theirs)):
            if value.bonus and (player == side or paid_to_both):
                income[player] += value.bonus
                yield Item(Reason.BONUS, player * value.bonus, segment)
    for player, units in income.items():
        if rules.bonuses.cap is not None and units > rules.bonuses.cap:
            income[player] = rules.bonuses.cap
            yield Item(Reason.BONUS_CAP, player * (rules.bonuses.cap - units))
    everything = regular + income[1] - income[-1]
    lead = sum(sides)
    majority = (lead > 0) - (lead < 0)
    if rules.majority.rule is MajorityRule.TWO_OF_THREE and max(sides.count(1), sides.count(-1)) < 2:
        majority = 0
    if majority and rules.majority.units:
        everything += majority * rules.majority.units
        yield Item(Reason.MAJORITY, majority * rules.majority.units)
    if abs(lead) == len(sides):
        side = sides[0]
        if rules.scoop.units:
            everything += side * rules.scoop.units
            yield Item(Reason.SCOOP, side * rules.scoop.units)
        yield from _factors(everything if rules.scoop.factor_on is FactorOn.ALL else regular, rules, home_run)


def _factors(base: int, rules: RuleSet, home_run: bool) -> Iterator[Item]:
    in_place = home_run and rules.home_run.mode is HomeRunMode.IN_PLACE
    if rules.scoop.factor > 1 and not in_place:
        yield Item(Reason.SCOOP_FACTOR, base * (rules.scoop.factor - 1))
        base *= rules.scoop.factor
    if home_run:
        yield Item(Reason.HOME_RUN, base * (rules.home_run.factor - 1))


def _capped(items: Iterator[Item], rules: RuleSet) -> tuple[Item, ...]:
    settled = tuple(items)
    total = sum([item.units for item in settled])
    if rules.cap is None or abs(total) <= rules.cap:
        return settled
    return *settled, Item(Reason.CAP, (rules.cap if total > 0 else -rules.cap) - total)
