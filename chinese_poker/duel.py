"""Duels: strategies against each other, in duplicate.

Each deal is played with every seating of the contestants, so that each holds every hand against every other: the luck
of the cards cancels, and a strategy against itself gains exactly nothing. All sums are whole numbers.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from .arrangement import SEGMENTS
from .cards import DECK, format_cards
from .deal import SEATS
from .engine.batch import matchups
from .engine.dealing import deal
from .engine.field import judged
from .engine.reasons import items_of, settled_matchups, sides_of
from .engine.settlement import Settlement, settlement
from .engine.tables import Array
from .errors import DealError
from .matchup import Item, Reason
from .outside import STOP
from .rules import Banker, RuleSet
from .score import banker_problems
from .setting import Setting, Strategy, checked
from .strategy import strategy
from .texts import LONGEST_TEXT, one_line

DEALS = 10_000
"""Deals that are played where neither their number nor a precision is given."""
LEAST = 1_000
"""Deals before which no precision is believed."""
BATCH = 500
"""Deals that are set at once."""
_MOST_DEALS = 10**12
_MOST_WORKERS = 256
_MOST_AT_ONCE = 100_000
_QUOTED = 3
"""Bad answers of a contestant that are quoted."""
_NORMAL = 1.959964
"""Standard errors to each side of a 95 % interval."""

_PARTS = {
    Reason.BONUS_CAP: Reason.BONUS,
    Reason.SCOOP_FACTOR: Reason.SCOOP,
}
PARTS = (
    *(str(segment) for segment in SEGMENTS),
    *(str(reason) for reason in Reason if reason is not Reason.SEGMENT and reason not in _PARTS),
)
"""Where units come from: won segments by segment, then what is paid more, by its reason."""


class Estimate(NamedTuple):
    """A mean over deals, in units per deal and opponent, and the half width of its 95 % interval."""

    mean: float
    half_width: float


@dataclass(frozen=True)
class Contestant:
    """How one did: ``units`` from all others, ``over`` each other, and where they come from.

    A *matchup* is one hand against one of another contestant, in one of the seatings of a deal.
    """

    name: str
    units: Estimate
    over: Mapping[str, Estimate]
    matchups: int
    gained: Mapping[str, int]
    """Units in all matchups, by :data:`PARTS`: they sum to ``units.mean * matchups``. All that a fouled matchup pays
    counts as foul."""
    won: tuple[float, float, float]
    """The share of matchups in which the front, middle, back is won."""
    scoops: float
    """The share of matchups in which all three are."""
    hands: int
    """Hands that were set: every hand of every deal once."""
    fouls: int
    naturals: int
    """Of these hands, those that were declared."""
    surrenders: int
    bad_answers: int
    """Of the fouls, those that were no arrangement of the hand."""
    quoted: tuple[tuple[str, str], ...]
    """The first few of them: the hand, and what was answered and is wrong."""

    @property
    def shares(self) -> dict[str, float]:
        """Units per deal and opponent by part."""
        return {part: units / self.matchups for part, units in self.gained.items()}


@dataclass(frozen=True, eq=False)
class DuelResult:
    """A duel as far as it has been played.

    ``seatings`` is in how many each deal was; ``stopped`` is ``precision``, ``deals``, or nothing while it goes on.
    """

    rules: RuleSet
    names: tuple[str, ...]
    players: int
    seed: int
    seatings: int
    matchups: Array
    """(c, c) int: matchups of two contestants in a deal, a contestant's with all others on the diagonal."""
    tally: Tally
    stopped: str = ""

    @property
    def deals(self) -> int:
        return self.tally.deals

    @property
    def half_width(self) -> float:
        """The widest of the contestants' intervals."""
        return max(self.estimate(i, i).half_width for i in range(len(self.names)))

    def estimate(self, first: int, second: int) -> Estimate:
        """What one contestant gains from another, or from all others where both are the same."""
        n, m = self.deals, int(self.matchups[first, second])
        total, squares = self.tally.gained[first, second], self.tally.squares[first, second]
        spread = n * squares - total * total
        return Estimate(total / (n * m), _NORMAL * math.sqrt(spread / (n - 1)) / (n * m) if n > 1 else math.inf)

    @cached_property
    def contestants(self) -> tuple[Contestant, ...]:
        """The contestants in the order given."""
        gained, won, scoops = self._reasons()
        found = []
        for i, name in enumerate(self.names):
            over = {other: self.estimate(i, j) for j, other in enumerate(self.names) if i != j}
            met = self.deals * int(self.matchups[i, i])
            fouls, naturals, surrenders, bad = self.tally.hands[i].tolist()
            contestant = Contestant(
                name=name,
                units=self.estimate(i, i),
                over=over,
                matchups=met,
                gained=gained[i],
                won=tuple(wins / met for wins in won[i]),  # type: ignore[arg-type]
                scoops=scoops[i] / met,
                hands=self.deals * self.players,
                fouls=fouls,
                naturals=naturals,
                surrenders=surrenders,
                bad_answers=bad,
                quoted=self.tally.quoted[i],
            )
            found.append(contestant)
        return tuple(found)

    def _reasons(self) -> tuple[list[dict[str, int]], list[list[int]], list[int]]:
        """Units by part, segments won and scoops, by contestant, from how often each kind of matchup was."""
        settled, c = settlement(self.rules), len(self.names)
        gained = [dict.fromkeys(PARTS, 0) for _ in range(c)]
        won, scoops = [[0] * len(SEGMENTS) for _ in range(c)], [0] * c
        for first, second, cell in np.argwhere(self.tally.cells).tolist():
            times = int(self.tally.cells[first, second, cell])
            items = items_of(cell, settled)
            for item in items:
                part = _part(item, items)
                gained[first][part] += times * item.units
                gained[second][part] -= times * item.units
            for winner, side in ((first, 1), (second, -1)):
                wins = [each == side for each in sides_of(cell)]
                won[winner] = [a + times * b for a, b in zip(won[winner], wins, strict=True)]
                scoops[winner] += times * all(wins)
        return gained, won, scoops

    def document(self) -> dict[str, Any]:
        """The result as JSON values; a half width of one deal is null."""
        return {
            "rules": self.rules.name,
            "revision": self.rules.revision,
            "players": self.players,
            "seed": self.seed,
            "deals": self.deals,
            "seatings": self.seatings,
            "stopped": self.stopped,
            "contestants": [
                {
                    "name": each.name,
                    **_document(each.units),
                    "over": [{"name": name, **_document(estimate)} for name, estimate in each.over.items()],
                    "matchups": each.matchups,
                    "gained": dict(each.gained),
                    "shares": each.shares,
                    "won": dict(zip(SEGMENTS, each.won, strict=True)),
                    "scoops": each.scoops,
                    "hands": each.hands,
                    "fouls": each.fouls,
                    "naturals": each.naturals,
                    "surrenders": each.surrenders,
                    "bad_answers": each.bad_answers,
                    "quoted": [{"hand": hand, "fault": fault} for hand, fault in each.quoted],
                }
                for each in self.contestants
            ],
        }


def _document(estimate: Estimate) -> dict[str, float | None]:
    half_width = estimate.half_width if math.isfinite(estimate.half_width) else None
    return {"units": estimate.mean, "half_width": half_width}


def _part(item: Item, items: Sequence[Item]) -> str:
    if items[0].reason is Reason.FOUL:
        return str(Reason.FOUL)
    return str(item.segment if item.segment and item.reason is Reason.SEGMENT else _PARTS.get(item.reason, item.reason))


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted in some deals of ``c`` contestants; tallies of different deals add up."""

    deals: int
    gained: Array
    """(c, c) Python ints: units that each took from each; from all others on the diagonal."""
    squares: Array
    """(c, c) Python ints: the same of each deal squared."""
    cells: Array
    """(c, c, u) int64: how often a hand of the first met one of the second in each place of ``units``, flattened."""
    hands: Array
    """(c, 4) int64: fouls, naturals, surrenders, bad answers."""
    quoted: tuple[tuple[tuple[str, str], ...], ...]

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.deals + other.deals,
            self.gained + other.gained,
            self.squares + other.squares,
            self.cells + other.cells,
            self.hands + other.hands,
            tuple((a + b)[:_QUOTED] for a, b in zip(self.quoted, other.quoted, strict=True)),
        )


class Seating(NamedTuple):
    """Who sits where, and who banks."""

    seats: tuple[int, ...]
    """By seat, a contestant."""
    banker: int | None


def seatings(contestants: int, players: int, *, bank: bool) -> list[Seating]:
    """Every seating in which each contestant has as many seats as the others, or one more; in each seat the bank.

    >>> [seating.seats for seating in seatings(2, 3, bank=False)]
    [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
    """
    least, over = divmod(players, contestants)
    fair = {least, least + 1} if over else {least}
    fairly = [
        seats
        for seats in product(range(contestants), repeat=players)
        if {seats.count(contestant) for contestant in range(contestants)} <= fair
    ]
    bankers = range(players) if bank else (None,)
    return [Seating(seats, banker) for seats in fairly for banker in bankers]


def duel(
    strategies: Sequence[str | Strategy],
    rules: RuleSet,
    *,
    seed: int = 0,
    deals: int | None = None,
    precision: float | None = None,
    players: int | None = None,
    bank: bool | None = None,
    workers: int = 1,
    batch: int = BATCH,
    progress: Callable[[DuelResult], object] | None = None,
) -> DuelResult:
    """Play strategies against each other in duplicate.

    :param strategies: 2 to 4 contestants: names, references as ``module:attribute``, strategies,
        :class:`~chinese_poker.program.Program`.
    :param deals: stop after so many; without it and without ``precision`` 10,000.
    :param precision: stop, after 1,000 deals at least, when each contestant's units are known to so much on each side
        (95 %).
    :param players: seats at the table, as many as contestants or more, 4 at most; then contestants sit in several.
    :param bank: whether a bank goes round; where the rules need one it does.
    :param workers: threads that share the deals; they change nothing in the result.
    :param batch: deals that are set at once, and after which it is seen whether to stop.
    :param progress: called with the result so far after each batch.
    :raises DealError: ``unknown_strategy``, ``bad_option``, ``no_banker``, ``missing_banker``.
    :raises StrategyError: a strategy from outside that fails.

    >>> from chinese_poker.presets import load_rules
    >>> result = duel(["heuristic", "greedy"], load_rules("basic"), deals=100)
    >>> heuristic, greedy = result.contestants
    >>> heuristic.units.mean > heuristic.units.half_width, heuristic.units.mean == -greedy.units.mean
    (True, True)
    >>> duel(["greedy", "greedy"], load_rules("mandarin"), deals=10).contestants[0].units
    Estimate(mean=0.0, half_width=0.0)
    """
    contestants = [strategy(each) if isinstance(each, str) else each for each in strategies]
    seated = len(contestants) if players is None else players
    with_bank = rules.banker is Banker.REQUIRED if bank is None else bank
    for fault in _option_faults(len(contestants), deals, precision, seated, workers, batch):
        raise DealError("bad_option", fault)
    for problem in banker_problems(0 if with_bank else None, rules):
        raise problem
    most = deals if deals is not None else DEALS if precision is None else _MOST_DEALS
    table = seatings(len(contestants), seated, bank=with_bank)
    names, met = _names([each.name for each in contestants]), _matchups(table, rules, len(contestants))
    result = DuelResult(rules, names, seated, seed, len(table), met, _nothing(len(names), settlement(rules)))
    with closing(_batches(contestants, rules, seed, most, table, workers, batch)) as batches:
        for played in batches:
            result = replace(result, tally=result.tally + played)
            if progress:
                progress(result)
            if precision is not None and result.deals >= LEAST and result.half_width <= precision:
                return replace(result, stopped="precision")
    return replace(result, stopped="deals")


def _option_faults(
    contestants: int, deals: int | None, precision: float | None, players: int, workers: int, batch: int
) -> Iterator[str]:
    if not 2 <= contestants <= SEATS:
        yield f"{contestants} contestant{'' if contestants == 1 else 's'}; name 2 to {SEATS}"
    elif not contestants <= players <= SEATS:
        yield f"{players} players; {contestants} contestants sit at a table of {contestants} to {SEATS}"
    if deals is not None and not 1 <= deals <= _MOST_DEALS:
        yield f"{deals} deals; play 1 to {_MOST_DEALS:,}"
    if precision is not None and not (math.isfinite(precision) and precision > 0):
        yield f"a precision of {precision}; write units above 0, as in 0.002"
    for what, number, most in (("workers", workers, _MOST_WORKERS), ("deals in a batch", batch, _MOST_AT_ONCE)):
        if not 1 <= number <= most:
            yield f"{number} {what}; have 1 to {most:,}"


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """The names, each on one line, numbered where several are alike.

    >>> _names(["greedy", "expected", "greedy"])
    ('greedy (1)', 'expected', 'greedy (2)')
    """
    names = [one_line(name, LONGEST_TEXT) for name in given]
    return tuple(
        f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name for i, name in enumerate(names)
    )


def _matchups(table: Sequence[Seating], rules: RuleSet, contestants: int) -> Array:
    met = np.zeros((contestants, contestants), np.int64)
    for seating in table:
        for i, j, _ in matchups(rules, len(seating.seats), seating.banker):
            first, second = seating.seats[i], seating.seats[j]
            if first != second:
                met[first, second] += 1
                met[second, first] += 1
    return met + np.diag(met.sum(axis=1))


def _batches(
    contestants: Sequence[Strategy],
    rules: RuleSet,
    seed: int,
    deals: int,
    table: Sequence[Seating],
    workers: int,
    batch: int,
) -> Generator[Tally]:
    """The batches in their order, however many are played at once."""
    stop = Event()
    pending: deque[Future[Tally]] = deque()
    starts = iter(range(0, deals, batch))
    executor = ThreadPoolExecutor(workers)
    try:
        while True:
            for first in islice(starts, workers - len(pending)):
                context = copy_context()
                context.run(STOP.set, stop)
                size = min(batch, deals - first)
                pending.append(executor.submit(context.run, _play, contestants, rules, seed, first, size, table))
            if not pending:
                return
            yield pending.popleft().result()
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)


def _nothing(contestants: int, settled: Settlement) -> Tally:
    square = (contestants, contestants)
    none = np.zeros(square, object)
    cells = np.zeros((*square, settled.units.size), np.int64)
    return Tally(0, none, none, cells, np.zeros((contestants, 4), np.int64), ((),) * contestants)


def _play(
    contestants: Sequence[Strategy], rules: RuleSet, seed: int, first: int, size: int, table: Sequence[Seating]
) -> Tally:
    """Play the deals ``first .. first + size - 1`` of a seed."""
    settled, players, c = settlement(rules), len(table[0].seats), len(contestants)
    hands = deal(seed, first, size)[:, : 13 * players].reshape(-1, 13)
    settings = [checked(each.arrange(hands, rules, players), hands, rules, each.name) for each in contestants]
    fields = [judged(setting.cards, rules, setting.states) for setting in settings]
    by_seat = [[field[slice(seat, None, players)] for seat in range(players)] for field in fields]
    units = settled.units.ravel()
    gains, cells = np.zeros((size, c, c), np.int64), np.zeros((c, c, units.size), np.int64)
    for seats, banker in table:
        seated = [by_seat[contestant][seat] for seat, contestant in enumerate(seats)]
        for i, j, places in settled_matchups(seated, rules, banker):
            one, other = seats[i], seats[j]
            if one != other:
                gains[:, one, other] += units[places]
                gains[:, other, one] -= units[places]
                cells[one, other] += np.bincount(places, minlength=units.size)
    gains[:, range(c), range(c)] = gains.sum(axis=2)
    exact = gains.astype(object)
    return Tally(
        deals=size,
        gained=exact.sum(axis=0),
        squares=(exact * exact).sum(axis=0),
        cells=cells,
        hands=np.array(
            [_counts(field.states, settled, setting) for field, setting in zip(fields, settings, strict=True)]
        ),
        quoted=tuple(tuple((_shown(hands[row]), fault) for row, fault in each.bad[:_QUOTED]) for each in settings),
    )


def _counts(states: Array, settled: Settlement, setting: Setting) -> tuple[int, int, int, int]:
    met = Counter(states[states >= settled.foul].tolist())
    naturals = sum(met[state] for state in settled.naturals.values())
    return met[settled.foul], naturals, sum(met.values()) - met[settled.foul] - naturals, len(setting.bad)


def _shown(hand: Array) -> str:
    return format_cards(DECK[card] for card in sorted(hand.tolist(), reverse=True))
