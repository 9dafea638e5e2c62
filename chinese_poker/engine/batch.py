"""Many deals scored at once, under any rule set, each as :func:`chinese_poker.score.score` would.

A segment is evaluated without sorting. Its *key* is the sum of the keys of its cards::

    spades   hearts   diamonds   clubs          sum of the numbers of the ranks
    47..44   43..40    39..36    35..32     26..11               10..0
          how many of each suit              place               bucket

A five starts with 3 of each suit, so that five more set the highest bit of the four. The numbers of the ranks and the
``shift`` of each bucket are such that place + shift is a slot of its own for every multiset of ranks, of three cards or
of five. Who wins what is then one look-up in the tables of :mod:`.settlement`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..errors import DealError
from ..rules import RuleSet, Ties
from ..score import banker_problems
from ._jit import compiled, kernel
from .search import is_compiling
from .settlement import settlement
from .tables import Array, Ints

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=tuple[Any, ...])

JUDGE = -1
"""In ``states``: the player plays the arrangement, whatever it is."""
WORTH_COMPILING = 20_000
"""Deals from which on importing numba and loading the machine code takes less time than the interpreter."""

SLOTS = 8192
BUCKETS = 2048
BUCKET_BITS = 11
FIVE = 0x3333 << 32
"""Where the key of a five starts; that of a front starts with 0."""
FLUSH = 0x8888 << 32


class Judging(NamedTuple):
    """What it takes to judge arrangements under a rule set; sequences are all lists, or all arrays."""

    key: Ints
    """(52,) by card."""
    shift: Ints
    """(2048,) by bucket."""
    value: Ints
    """(16384,) by slot: front and five-card values; fives of one suit in the second half."""
    least_five: Ints
    """(455,) by front value: the least legal five-card value behind it."""
    front: Ints
    """(455,) by front value: its part of the state; so the next two, by five-card value."""
    middle: Ints
    back: Ints
    foul: int
    distinct: int
    """1 if the back has to be stronger than the middle, 0 if it may be equal."""


class Settling(NamedTuple):
    """What it takes to settle deals of judged arrangements; sequences are all lists, or all arrays."""

    units: Ints
    """(s * s * 27 * 2,): the settlement's."""
    scoops: Ints
    """(s * s * 27,): the settlement's; empty where no home run can be."""
    states: int
    """s."""
    suit: Ints
    """(4,) by suit: 0 the lowest to 3; empty where suits break no ties."""
    lead_of_front: Ints
    """(455,) by front value: the rank, 0..12, that the strength names first."""
    lead_of_five: Ints
    """(7462,) by five-card value: so too."""
    first: Ints
    """(m,) by matchup: a seat; so the next."""
    second: Ints
    tie: Ints
    """(m,) by matchup: who wins a segment of equal strength, as 1, 0 or -1."""


class Work(NamedTuple):
    """Memory for one deal at a time, or for ``n`` deals that are kept: all lists, or all arrays."""

    values: Ints
    """(n * p * 3,) int16."""
    states: Ints
    """(n * p,) int16."""
    places: Ints
    """(n * m,) int64, by matchup: where its units are, in the flat tables of (s, s, 27)."""
    scooped: Ints
    """(4,) int8: how many other players each player scoops, of one deal."""


@kernel
def value_of(key: int, judging: Judging) -> int:
    """The front or five-card value of a segment, by its key."""
    slot = ((key >> BUCKET_BITS) + judging.shift[key & BUCKETS - 1]) & SLOTS - 1
    return judging.value[slot + SLOTS * (key & FLUSH != 0)]


@kernel
def judge_deal(cards: Ints, deal: int, players: int, judging: Judging, at: int, values: Ints, states: Ints) -> int:
    """Fill ``values`` and ``states`` from player ``at`` on.

    :returns: a mask of 13 bits a player if the cards are all different.
    """
    key = judging.key
    seen = 0
    for seat in range(players):
        start = 13 * (deal * players + seat)
        hand = cards[start : start + 13]
        of_front = 0
        of_middle = FIVE
        of_back = FIVE
        for k in range(13):
            seen ^= 1 << hand[k]
        for k in range(3):
            of_front += key[hand[k]]
        for k in range(3, 8):
            of_middle += key[hand[k]]
        for k in range(8, 13):
            of_back += key[hand[k]]
        front = value_of(of_front, judging)
        middle = value_of(of_middle, judging)
        back = value_of(of_back, judging)
        values[3 * (at + seat)] = front
        values[3 * (at + seat) + 1] = middle
        values[3 * (at + seat) + 2] = back
        if middle >= judging.least_five[front] and middle + judging.distinct <= back:
            states[at + seat] = judging.front[front] + judging.middle[middle] + judging.back[back]
        else:
            states[at + seat] = judging.foul
    return seen


@kernel
def are_different(seen: int, players: int) -> bool:
    """Whether a mask of 52 bits holds as many cards as were dealt, so that none was dealt twice."""
    n = 0
    while seen:
        seen &= seen - 1
        n += 1
    return n == 13 * players


@kernel
def judge_deals(cards: Ints, players: int, first: int, end: int, judging: Judging, values: Ints, states: Ints) -> int:
    """Judge the deals ``first .. end - 1``; returns the first that has a card twice, or -1."""
    for deal in range(first, end):
        seen = judge_deal(cards, deal, players, judging, deal * players, values, states)
        if not are_different(seen, players):
            return deal
    return -1


@kernel
def best_suit(cards: Ints, player: int, segment: int, leads: Ints, value: int, suit: Ints) -> int:
    """The highest suit among the cards of the rank that the segment's strength names first."""
    start = 13 * player + max(0, 5 * segment - 2)
    best = 0
    for k in range(start, start + (5 if segment else 3)):
        if cards[k] >> 2 == leads[value]:
            best = max(best, suit[cards[k] & 3])
    return best


@kernel
def compare_suits(cards: Ints, player: int, other: int, segment: int, value: int, settling: Settling) -> int:
    """Who of two wins a segment of equal value: 1 or -1."""
    leads = settling.lead_of_five if segment else settling.lead_of_front
    mine = best_suit(cards, player, segment, leads, value, settling.suit)
    theirs = best_suit(cards, other, segment, leads, value, settling.suit)
    return 1 if mine > theirs else -1


@kernel
def pay_home_run(at: int, seat: int, settling: Settling, met: int, places: Ints, totals: Ints) -> None:
    """Add what the matchups of the player in ``seat``, from ``met`` on, pay more for belonging to a home run."""
    for m in range(len(settling.first)):
        i = settling.first[m]
        j = settling.second[m]
        if seat in (i, j):
            place = places[met + m]
            more = settling.units[2 * place + 1] - settling.units[2 * place]
            totals[at + i] += more
            totals[at + j] -= more


@kernel
def score_deals(
    cards: Ints,
    players: int,
    given: Ints,
    first: int,
    end: int,
    judging: Judging,
    settling: Settling,
    keep: int,
    work: Work,
    totals: Ints,
) -> int:
    """Score the deals ``first .. end - 1``; returns the first that has a card twice, or -1.

    :param given: the states that stand in place of the arrangement's, or -1, by player.
    :param keep: 1 if every deal has memory of its own in ``work``, 0 if all use that of deal 0.
    """
    values, states, places, scooped = work
    by_suit = len(settling.suit) > 0
    may_sweep = len(settling.scoops) > 0
    for deal in range(first, end):
        at = deal * players
        own = keep * at
        met = keep * deal * len(settling.first)
        seen = judge_deal(cards, deal, players, judging, own, values, states)
        if not are_different(seen, players):
            return deal
        for seat in range(players):
            scooped[seat] = 0
            if given[at + seat] >= 0:
                states[own + seat] = given[at + seat]
        for m in range(len(settling.first)):
            i = settling.first[m]
            j = settling.second[m]
            place = settling.states * states[own + i] + states[own + j]
            for segment in range(3):
                a = values[3 * (own + i) + segment]
                b = values[3 * (own + j) + segment]
                side = (a > b) - (a < b) + settling.tie[m] * (a == b)
                if by_suit and a == b:
                    side = compare_suits(cards, at + i, at + j, segment, a, settling)
                place = 3 * place + side + 1
            gain = settling.units[2 * place]
            totals[at + i] += gain
            totals[at + j] -= gain
            places[met + m] = place
            if may_sweep:
                scooped[i] += settling.scoops[place] > 0
                scooped[j] += settling.scoops[place] < 0
        if may_sweep:
            for seat in range(players):
                if scooped[seat] == players - 1:
                    pay_home_run(at, seat, settling, met, places, totals)
    return -1


def judge_batch(
    cards: npt.ArrayLike, rules: RuleSet, *, threads: int = 1, compile: bool | None = None
) -> tuple[Array, Array]:
    """The values of all segments, and the state of every arrangement.

    Parameters and errors as for :func:`score_batch`.

    :returns: (n, p, 3) int16 front value, five-card values of middle and back, see
        :mod:`chinese_poker.engine.tables`; and (n, p) int16 states of the rule set's :class:`.settlement.Settlement`,
        its foul where the arrangement is one.

    >>> from chinese_poker.presets import load_rules
    >>> values, states = judge_batch([[range(13), range(13, 26)]], load_rules("basic"))
    >>> values.tolist(), states.tolist()  # 222 | 23333 | 44445 and 555 | 66667 | 77788
    ([[[442, 7308, 7322], [445, 7348, 7205]]], [[0, 1]])
    """
    run = _Run(cards, rules, threads, compile)
    values, states = run.zeros(3 * run.hands, np.int16), run.zeros(run.hands, np.int16)
    judge = run.use(judge_deals)
    run.spread(lambda first, end: judge(run.cards, run.players, first, end, run.judging, values, states))
    shape = (run.n, run.players)
    return np.asarray(values, np.int16).reshape(*shape, 3), np.asarray(states, np.int16).reshape(shape)


def score_batch(
    cards: npt.ArrayLike,
    rules: RuleSet,
    *,
    states: npt.ArrayLike | None = None,
    banker: int | None = None,
    threads: int = 1,
    compile: bool | None = None,
) -> Array:
    """Score many deals.

    :param cards: (n, p, 13) card indices of 2 to 4 players, each front (3), middle (5), back (5).
    :param states: (n, p) what players do in place of playing their arrangement, as states of ``settlement(rules)``: its
        ``foul``, one of its ``naturals``, its surrender (the last); ``JUDGE`` for who plays. That the cards hold the
        natural, and no higher one, is for the caller to see to.
    :param banker: the banker's seat, in all deals.
    :param threads: how many share the work of machine code.
    :param compile: True for machine code, False for the interpreter, None for whichever is done sooner.
    :returns: (n, p) int64 units won, each row in sum 0.
    :raises ValueError: another shape, what is no card, a card twice in a deal, or what is no state.
    :raises DealError: ``no_banker``, ``missing_banker`` or ``banker_seat``.

    >>> from chinese_poker.cards import parse_cards
    >>> from chinese_poker.presets import load_rules
    >>> north, south = "Qs Qh 4d As Ah 9c 7d 2s Kd Kc 8s 8h 3c", "Jd Jc 5s Qd Qc 9d 6s 2c Ad Ac 5h 5d 3d"
    >>> deals = [[parse_cards(north), parse_cards(south)], [range(13), range(13, 26)]]
    >>> score_batch(deals, load_rules("western")).tolist()
    [[2, -2], [4, -4]]
    """
    run = _Run(cards, rules, threads, compile)
    totals, *_ = _score(run, rules, states, banker, keep=False)
    return np.asarray(totals, np.int64).reshape(run.n, run.players)


class Settled(NamedTuple):
    """``n`` settled deals of ``p`` players, in ``m`` matchups each."""

    totals: Array
    """(n, p) int64 units won."""
    values: Array
    """(n, p, 3) int16 front value, five-card values of middle and back."""
    states: Array
    """(n, p) int16: states of the rule set's :class:`.settlement.Settlement`."""
    matchups: tuple[tuple[int, int], ...]
    """Two seats each."""
    places: Array
    """(n, m) int64: where a matchup is in a table of the settlement, (s, s, 27) made flat; modulo 27 its code."""


def settle_batch(
    cards: npt.ArrayLike,
    rules: RuleSet,
    *,
    states: npt.ArrayLike | None = None,
    banker: int | None = None,
    compile: bool | None = None,
) -> Settled:
    """Score many deals, and keep what each matchup came to.

    Parameters and errors as for :func:`score_batch`.

    >>> from chinese_poker.engine.settlement import SIDES
    >>> from chinese_poker.presets import load_rules
    >>> settled = settle_batch([[range(13), range(13, 26)]], load_rules("basic"))
    >>> settled.totals.tolist(), SIDES[settled.places[0, 0] % 27]  # 222 | 23333 | 44445 is a foul
    ([[4, -4]], (-1, -1, 1))
    """
    run = _Run(cards, rules, 1, compile)
    totals, settling, work = _score(run, rules, states, banker, keep=True)
    return Settled(
        np.asarray(totals, np.int64).reshape(run.n, run.players),
        np.asarray(work.values, np.int16).reshape(run.n, run.players, 3),
        np.asarray(work.states, np.int16).reshape(run.n, run.players),
        tuple((int(i), int(j)) for i, j in zip(settling.first, settling.second, strict=True)),
        np.asarray(work.places, np.int64).reshape(run.n, len(settling.first)),
    )


def _score(
    run: _Run, rules: RuleSet, states: npt.ArrayLike | None, banker: int | None, keep: bool
) -> tuple[Ints, Settling, Work]:
    """The totals, and the memory in which what led to them is kept or not."""
    _check_banker(banker, rules, run.players)
    given = run.flat(_checked_states(states, (run.n, run.players), len(settlement(rules).states)))
    settling = run.tables(_settling, rules, run.players, banker)
    totals = run.zeros(run.hands, np.int64)
    score = run.use(score_deals)

    def memory(deals: int) -> Work:
        hands = deals * run.players
        return Work(
            run.zeros(3 * hands, np.int16),
            run.zeros(hands, np.int16),
            run.zeros(deals * len(settling.first), np.int64),
            run.zeros(run.players, np.int8),
        )

    kept = memory(run.n if keep else 0)
    run.spread(
        lambda first, end: score(
            run.cards,
            run.players,
            given,
            first,
            end,
            run.judging,
            settling,
            int(keep),
            kept if keep else memory(1),
            totals,
        )
    )
    return totals, settling, kept


class _Run:
    """Deals and tables for one call, all as lists or all as arrays."""

    def __init__(self, cards: npt.ArrayLike, rules: RuleSet, threads: int, compile: bool | None) -> None:
        array = _checked_cards(cards)
        self.n, self.players, _ = array.shape
        self.hands = self.n * self.players
        self.threads = threads
        self.compile = _is_worth_compiling(self.n) if compile is None else compile
        self.cards = self.flat(array.view(np.uint8))
        self.judging = self.tables(_judging, rules)

    def use(self, kernel: F) -> F:
        return compiled(kernel) if self.compile else kernel

    def flat(self, array: Array) -> Ints:
        return array.ravel() if self.compile else array.ravel().tolist()

    def tables(self, build: Callable[..., T], *arguments: object) -> T:
        return build(*arguments) if self.compile else cast(T, _as_lists(build, *arguments))

    def zeros(self, size: int, kind: npt.DTypeLike) -> Ints:
        return np.zeros(size, kind) if self.compile else [0] * size

    def spread(self, work: Callable[[int, int], int]) -> None:
        """Do all deals, in as many chunks as threads.

        :raises ValueError: a deal that has a card twice.
        """
        bounds = np.linspace(0, self.n, self.threads + 1).astype(int).tolist()
        if self.threads == 1:
            stopped = [work(0, self.n)]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                stopped = list(pool.map(work, bounds[:-1], bounds[1:]))
        for deal in stopped:
            if deal >= 0:
                raise ValueError(f"deal {deal} has a card twice")


@cache
def _as_lists(build: Callable[..., Any], *arguments: object) -> object:
    tables = build(*arguments)
    return type(tables)(*(table.tolist() if isinstance(table, np.ndarray) else table for table in tables))


def _is_worth_compiling(n: int) -> bool:
    return "numba" in sys.modules or (n >= WORTH_COMPILING and is_compiling())


def _checked_cards(cards: npt.ArrayLike) -> Array:
    """The cards as (n, p, 13) int8."""
    array = np.asarray(cards)
    if array.ndim != 3 or not 2 <= array.shape[1] <= 4 or array.shape[2] != 13:
        raise ValueError(f"an array of deals has the shape (n, 2 to 4, 13), not {array.shape}")
    if array.dtype.kind not in "iu" or array.min(initial=0) < 0 or array.max(initial=0) > 51:
        raise ValueError("a card is an index, 0 to 51")
    return np.require(array, np.int8, ["C", "W"])  # for any other layout the kernels were compiled again


def _checked_states(states: npt.ArrayLike | None, shape: tuple[int, int], count: int) -> Array:
    """The states as (n, p) int16."""
    if states is None:
        return np.full(shape, JUDGE, np.int16)
    array = np.asarray(states)
    if array.shape != shape:
        raise ValueError(f"the states of these deals have the shape {shape}, not {array.shape}")
    if array.dtype.kind not in "iu" or array.min(initial=0) < JUDGE or array.max(initial=0) >= count:
        raise ValueError(f"a state of this rule set is an index, 0 to {count - 1}, or {JUDGE}")
    return np.require(array, np.int16, ["C", "W"])


def _check_banker(banker: int | None, rules: RuleSet, players: int) -> None:
    for problem in banker_problems(banker, rules):
        raise problem
    if banker is not None and not 0 <= banker < players:
        raise DealError("banker_seat", f"{banker} is no player's seat; seats count from 0", pointer="/banker")


@cache
def _judging(rules: RuleSet) -> Judging:
    settled = settlement(rules)
    lookup = settled.tables.arrays
    ranks, shift = _places()
    cards = np.arange(52)
    value = np.zeros(2 * SLOTS, np.uint16)
    for size in (3, 5):
        hands = np.array(list(combinations_with_replacement(range(13), size)))
        hands = hands[hands[:, 0] < hands[:, -1]] if size == 5 else hands
        total = ranks[hands].sum(axis=1)
        slots = (total >> BUCKET_BITS) + shift[total % BUCKETS] & SLOTS - 1
        index = np.asarray(lookup.steps)[13 * np.arange(size) + hands].sum(axis=1)
        value[slots] = np.asarray(lookup.five if size == 5 else lookup.front)[index]
        if size == 5:
            distinct = (np.diff(hands) > 0).all(axis=1)
            value[SLOTS + slots[distinct]] = np.asarray(lookup.flush)[(1 << hands[distinct]).sum(axis=1)]
    return Judging(
        key=ranks[cards >> 2] + (1 << 32 + 4 * (cards & 3)),
        shift=shift,
        value=value,
        least_five=np.asarray(lookup.least_five, np.uint16),
        front=settled.front,
        middle=settled.middle,
        back=settled.back,
        foul=settled.foul,
        distinct=int(not rules.middle_may_equal_back),
    )


@cache
def _places() -> tuple[Array, Array]:
    """The numbers (13,) int64 of the ranks, and ``shift`` (2048,) int16: a perfect hash of 455 + 6,175 multisets.

    Buckets are placed one by one, the fullest first, each at the first shift that puts all of it in free slots.
    """
    ranks = np.array([pow(_BASE, rank + 1, _PRIME) for rank in range(13)])
    buckets: list[list[int]] = [[] for _ in range(BUCKETS)]
    for size in (3, 5):
        for hand in combinations_with_replacement(range(13), size):
            if size == 3 or hand[0] < hand[-1]:
                total = int(ranks[list(hand)].sum())
                buckets[total % BUCKETS].append((total >> BUCKET_BITS) % SLOTS)
    shift = np.zeros(BUCKETS, np.int16)
    whole = (1 << SLOTS) - 1
    taken = 0
    for bucket in sorted(range(BUCKETS), key=lambda bucket: -len(buckets[bucket])):
        blocked = 0
        for place in buckets[bucket]:
            blocked |= (taken | taken << SLOTS) >> place
        free = ~blocked & whole
        first = (free & -free).bit_length() - 1
        shift[bucket] = first
        for place in buckets[bucket]:
            taken |= 1 << (place + first) % SLOTS
    return ranks, shift


_PRIME = 16777213
_BASE = 6
"""A power of it for each rank, modulo the prime, keeps the multisets of a bucket apart."""


def matchups(rules: RuleSet, players: int, banker: int | None) -> list[tuple[int, int, int]]:
    """The pairs of seats that are settled, each with who wins a segment of equal strength: 1, -1, or 0 for neither.

    >>> from chinese_poker.presets import load_rules
    >>> matchups(load_rules("malaya"), 3, banker=1)
    [(0, 1, -1), (1, 2, 1)]
    """
    breaks = rules.ties is Ties.BANKER
    return [
        (first, second, breaks * ((first == banker) - (second == banker)))
        for first, second in combinations(range(players), 2)
        if banker is None or banker in (first, second)
    ]


@cache
def _settling(rules: RuleSet, players: int, banker: int | None) -> Settling:
    settled = settlement(rules)
    table = settled.tables
    first, second, tie = np.array(matchups(rules, players, banker), np.int8).T
    may_sweep = rules.pays_home_runs(players)
    suit = rules.suit_worth if rules.ties is Ties.SUIT else ()
    return Settling(
        units=settled.units.ravel(),
        scoops=settled.scoops.ravel() if may_sweep else np.zeros(0, np.int8),
        states=len(settled.states),
        suit=np.array(suit, np.int8),
        lead_of_front=(table.strength_of_front >> 16 & 15).astype(np.int8) - 2,
        lead_of_five=(table.strength_of_five >> 16 & 15).astype(np.int8) - 2,
        first=first.astype(np.uint8),
        second=second.astype(np.uint8),
        tie=tie,
    )
