"""The settlement of a deal: every matchup settled once, every unit an item with its reason.

Items add up to their matchup, matchups to the players' totals, and the totals of a deal to zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, cast

from .arrangement import LEGAL, Foul
from .cards import Card
from .deal import Deal, Player
from .errors import DealError
from .evaluate import Strength
from .matchup import Item, Sides, State, scoops, settle
from .naturals import Natural, find_naturals
from .rules import Banker, RuleSet, Ties
from .shown import Printer, html_view, print_view, text_view


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

    def __str__(self) -> str:
        return text_view(self)

    def _repr_html_(self) -> str:
        return html_view(self)

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        print_view(self, printer, cycle)


class Seat(NamedTuple):
    """A player as the settlement of a deal sees one: ``strengths`` are of the ``segments``, where they are set."""

    state: State
    foul: Foul = LEGAL
    strengths: tuple[Strength | None, Strength | None, Strength | None] = (None, None, None)
    segments: tuple[Sequence[Card], Sequence[Card], Sequence[Card]] = ((), (), ())


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
    matchups, home_run = settle_table(seats, rules, deal.banker)
    totals = dict.fromkeys(seats, 0)
    for (first, second), _, total in matchups:
        totals[first] += total
        totals[second] -= total
    players = tuple(
        PlayerResult(
            player.name, totals[i], seats[i].foul, seats[i].state.natural, player.surrender, seats[i].strengths
        )
        if player
        else None
        for i, player in enumerate(deal.players)
    )
    return DealResult(rules, players, matchups, home_run)


def settle_table(
    seats: Mapping[int, Seat], rules: RuleSet, banker: int | None = None
) -> tuple[tuple[Matchup, ...], int | None]:
    """Every matchup of a table, and the seat that hits a home run.

    :param seats: by number, in ascending order.
    :param banker: the seat that each other is matched against, in place of all against all.

    >>> plain = Seat(State(values=RuleSet(name="plain").plain_values))
    >>> settle_table({0: plain, 2: Seat(State(foul=True))}, RuleSet(name="plain"))[0][0].total
    3
    """
    pairs = [pair for pair in combinations(seats, 2) if banker is None or banker in pair]
    sides = {(i, j): _compare(seats[i], seats[j], rules, (i == banker) - (j == banker)) for i, j in pairs}
    home_run = _home_run(seats, sides, rules)
    matchups = []
    for pair in pairs:
        first, second = pair
        items = settle(seats[first].state, seats[second].state, sides[pair], rules, home_run in pair)
        matchups.append(Matchup(pair, items, sum([item.units for item in items])))
    return tuple(matchups), home_run


def banker_problems(banker: int | None, rules: RuleSet) -> Iterator[DealError]:
    """What is wrong with naming this seat as the banker's, or none, under a rule set."""
    if banker is not None and rules.banker is Banker.NONE:
        fault = f"{rules.name} is played without a banker; leave it out"
        yield DealError("no_banker", fault, pointer="/banker")
    if banker is None and rules.banker is Banker.REQUIRED:
        fault = f'{rules.name} is played against a banker; name the seat, as in "banker": 0'
        yield DealError("missing_banker", fault)


def _take_seats(deal: Deal, rules: RuleSet, auto_declare: bool) -> dict[int, Seat]:
    problems = list(banker_problems(deal.banker, rules))
    seats = {}
    for i, player in enumerate(deal.players):
        if player:
            try:
                seats[i] = _take_seat(player, rules, auto_declare)
            except DealError as problem:
                problems.append(problem.at(f"/players/{i}"))
    if problems:
        raise DealError.of(problems)
    return seats


def _take_seat(player: Player, rules: RuleSet, auto_declare: bool) -> Seat:
    if player.surrender:
        if rules.surrender is None:
            raise DealError("no_surrender", f"{rules.name} knows no surrender; leave it out", pointer="/surrender")
        return Seat(State(surrender=True))
    natural = None
    if player.declare is not None:
        try:
            natural = _declared(player.cards, player.declare, rules)
        except DealError as error:
            raise error.at("/declare") from None
    elif auto_declare:
        natural = next(iter(played_naturals(player.cards, rules)), None)
    if player.arrangement is None:
        if natural is None:
            fault = f"{player.name}'s hand is not set; give its segments, declare a natural, or name a strategy"
            raise DealError("not_set", fault, pointer="/hand")
        return Seat(State(natural=natural))
    foul, strengths = player.arrangement.judge(rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
    if natural:
        return Seat(State(natural=natural), LEGAL, strengths)
    state = _FOUL if foul else _legal_state(*[strength >> 20 for strength in strengths if strength is not None], rules)
    return Seat(state, foul, strengths, player.arrangement.segments)


_FOUL = State(foul=True)


@lru_cache(maxsize=1 << 12)
def _legal_state(front: int, middle: int, back: int, rules: RuleSet) -> State:
    """The state of a legal arrangement whose segments have these categories."""
    return State(values=(rules.values[0][front], rules.values[1][middle], rules.values[2][back]))


def _declared(cards: Sequence[Card], name: str, rules: RuleSet) -> Natural:
    declared = rules.natural(name)
    held = played_naturals(cards, rules)
    if declared not in held:
        fault = f"the cards hold no {declared}; they hold {', '.join(held) or 'no natural'}"
        raise DealError("natural_not_held", fault)
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


def _compare(first: Seat, second: Seat, rules: RuleSet, banker: int) -> Sides:
    if not (first.state.values and second.state.values):
        return (0, 0, 0)
    (a, b, c), (x, y, z) = first.strengths, second.strengths
    front, middle, back = sides = ((a > x) - (a < x), (b > y) - (b < y), (c > z) - (c < z))  # type: ignore[operator]
    if rules.ties is Ties.PUSH or (front and middle and back):
        return sides
    return (
        front or _break_tie(first, second, 0, rules, banker),
        middle or _break_tie(first, second, 1, rules, banker),
        back or _break_tie(first, second, 2, rules, banker),
    )


def _break_tie(first: Seat, second: Seat, segment: int, rules: RuleSet, banker: int) -> int:
    if rules.ties is Ties.BANKER:
        return banker
    a, b = (_best_suit(seat, segment, rules) for seat in (first, second))
    return (a > b) - (a < b)


def _best_suit(seat: Seat, segment: int, rules: RuleSet) -> int:
    """The highest suit among the cards that the strength names first: the pair of a pair, the five of a low wheel."""
    strength = cast(Strength, seat.strengths[segment])
    leading = [card for card in seat.segments[segment] if card.rank == strength.ranks[0]]
    return max(rules.suit_worth[card.suit] for card in leading)


def _home_run(seats: Mapping[int, Seat], sides: dict[tuple[int, int], Sides], rules: RuleSet) -> int | None:
    """The seat that scoops every other player, where the rule set pays for that."""
    if not rules.pays_home_runs(len(seats)):
        return None
    counts_others = rules.home_run.counts_fouls or rules.home_run.counts_naturals
    if not counts_others and not any(abs(sum(matchup)) == len(matchup) for matchup in sides.values()):
        return None
    found = {(i, j): scoops(seats[i].state, seats[j].state, matchup, rules) for (i, j), matchup in sides.items()}
    scooped = {(i, j) if side > 0 else (j, i) for (i, j), side in found.items() if side}
    return next((i for i in seats if all((i, j) in scooped for j in seats if j != i)), None)
