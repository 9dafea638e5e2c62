"""The searches, in words that the interpreter and numba both take.

A hand stands in *engine order*: ascending in rank and, within a rank, the cards of long suits (five cards or
more, which can make a flush) before the plain ones. A set of cards is a mask of 13 bits, the lowest card bit 0.
Plain cards of one rank are interchangeable, so an arrangement is looked at only in the form in which the back
takes such cards from below and the front from above.

A found arrangement is packed so that integers compare as (back, middle, front)::

    back value   middle value   front value   mask of back   mask of front
      60..48        47..35         34..26        25..13          12..0

A *code* is a value over a mask, ``value << 13 | mask``.
"""

# ruff: noqa: PLR1730 (a call of max costs the interpreter more)

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ._jit import kernel, kernel_for, trailing_zeros
from .tables import FIVE_VALUES, FRONT_VALUES, Array, Ints, Lookup

Numbers: TypeAlias = list[float] | Array
Hands: TypeAlias = list[list[int]] | Array

WHOLE = 8191
"""The mask of all thirteen cards."""

WORD = 6
"""Compiled words have ``2 ** WORD`` bits."""
LONG_WORD = 9
"""In the interpreter one word of ``2 ** LONG_WORD`` bits is enough for all fronts."""


class Work(NamedTuple):
    """Memory for one hand at a time: all lists, or all arrays."""

    cards: Ints
    """(13,): the hand in engine order, as card indices."""
    values: Ints
    """(8192,) by mask of five: its five-card value."""
    backs: Ints
    """(1287,): codes of the backs worth a look, ascending."""
    fronts: Ints
    """(286,): codes of the fronts, ascending."""
    masks: Ints
    """(286,): the masks of the fronts from the strongest down; so the next two."""
    legal: Ints
    """(286,): the least five-card value that is legal behind the front."""
    level: Ints
    """(286,): the place of the front's value among the distinct ones, the strongest 0."""
    front_at: Ints
    """(286,) by level: the front value."""
    best: Ints
    """(286,) by level: the best middle found with a front of this level or a stronger one; never falls."""
    taken: Ints
    """(13 * words,): for each card the fronts, in words of bits by place, that hold it."""
    bits: Ints
    """(13,) int16: scratch."""
    spare: Ints
    """(1287,): scratch of the sort."""
    counts: Ints
    """(256,): scratch of the sort."""


_SIZES = (13, 8192, 1287, 286, 286, 286, 286, 286, 286, 13 * 5, 13, 1287, 256)
_TYPES = ("i1", "i2", "i4", "i4", "i2", "i2", "i2", "i2", "i2", "i8", "i2", "i4", "i4")


def list_work() -> Work:
    return Work(*([0] * size for size in _SIZES))


def array_work() -> Work:
    return Work(*(np.zeros(size, kind) for size, kind in zip(_SIZES, _TYPES, strict=True)))


def sort(codes: Ints, n: int, work: Work) -> None:
    """Sort the first ``n`` codes by value; codes of equal value that ascend in their masks stay so."""
    codes[:n] = sorted(codes[:n])


@kernel_for(sort)
def radix_sort(codes: Ints, n: int, work: Work) -> None:
    spare, counts = work.spare, work.counts
    for digit in range(256):
        counts[digit] = 0
    for i in range(n):
        value = codes[i] >> 13
        counts[value & 127] += 1
        counts[128 + (value >> 7)] += 1
    low = 0
    high = 0
    for digit in range(128):
        low, counts[digit] = low + counts[digit], low
        high, counts[128 + digit] = high + counts[128 + digit], high
    for i in range(n):
        digit = codes[i] >> 13 & 127
        spare[counts[digit]] = codes[i]
        counts[digit] += 1
    for i in range(n):
        digit = 128 + (spare[i] >> 20)
        codes[counts[digit]] = spare[i]
        counts[digit] += 1


@kernel
def order(hand: Ints, work: Work) -> int:
    """Put the hand in engine order; returns the mask of cards that are interchangeable with the card above them."""
    cards, keys, suits = work.cards, work.bits, work.counts
    for suit in range(4):
        suits[suit] = 0
    for i in range(13):
        suits[hand[i] & 3] += 1
    for i in range(13):
        card = hand[i]
        key = (card >> 2) << 3 | (card & 3)
        if suits[card & 3] < 5:
            key |= 4
        place = i
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key
    alike = 0
    for i in range(13):
        cards[i] = keys[i] >> 3 << 2 | keys[i] & 3
        if i > 0 and keys[i] >> 3 == keys[i - 1] >> 3 and keys[i - 1] & 4:
            alike |= 1 << (i - 1)
    return alike


@kernel
def evaluate(lookup: Lookup, work: Work) -> None:
    """The value of every five of the ordered hand."""
    cards, values, steps, five = work.cards, work.values, lookup.steps, lookup.five
    for e in range(4, 13):
        index_e = steps[52 + (cards[e] >> 2)]
        for d in range(3, e):
            index_d = index_e + steps[39 + (cards[d] >> 2)]
            for c in range(2, d):
                index_c = index_d + steps[26 + (cards[c] >> 2)]
                mask_c = 1 << e | 1 << d | 1 << c
                for b in range(1, c):
                    index = index_c + steps[13 + (cards[b] >> 2)]
                    mask = mask_c | 1 << b
                    for a in range(b):
                        values[mask | 1 << a] = five[index + (cards[a] >> 2)]
    for suit in range(4):
        n = 0
        for i in range(13):
            if cards[i] & 3 == suit:
                work.bits[n] = i
                n += 1
        if n >= 5:
            evaluate_suit(n, lookup, work)


@kernel
def evaluate_suit(n: int, lookup: Lookup, work: Work) -> None:
    """The value of every five of the ``n`` cards of one suit, whose places are in ``work.bits``."""
    cards, values, places, flush = work.cards, work.values, work.bits, lookup.flush
    for e in range(4, n):
        for d in range(3, e):
            for c in range(2, d):
                mask_c = 1 << places[e] | 1 << places[d] | 1 << places[c]
                ranks_c = 1 << (cards[places[e]] >> 2) | 1 << (cards[places[d]] >> 2) | 1 << (cards[places[c]] >> 2)
                for b in range(1, c):
                    mask_b = mask_c | 1 << places[b]
                    ranks_b = ranks_c | 1 << (cards[places[b]] >> 2)
                    for a in range(b):
                        values[mask_b | 1 << places[a]] = flush[ranks_b | 1 << (cards[places[a]] >> 2)]


@kernel
def list_fronts(alike: int, lookup: Lookup, work: Work) -> int:
    """Fill ``masks``, ``legal``, ``level`` and ``front_at`` from the strongest front down; returns how many fronts."""
    cards, codes, steps, front = work.cards, work.fronts, lookup.steps, lookup.front
    n = 0
    for c in range(2, 13):
        for b in range(1, c):
            index = steps[26 + (cards[c] >> 2)] + steps[13 + (cards[b] >> 2)]
            for a in range(b):
                mask = 1 << c | 1 << b | 1 << a
                if mask & alike & ~(mask >> 1) == 0:
                    codes[n] = front[index + (cards[a] >> 2)] << 13 | mask
                    n += 1
    sort(codes, n, work)
    level = -1
    last = FRONT_VALUES
    for i in range(n):
        code = codes[n - 1 - i]
        value = code >> 13
        if value != last:
            level += 1
            last = value
            work.front_at[level] = value
            work.best[level] = -1
        work.masks[i] = code & WHOLE
        work.legal[i] = lookup.least_five[value]
        work.level[i] = level
    return n


@kernel
def list_backs(least: int, alike: int, lookup: Lookup, work: Work) -> int:
    """Fill ``backs`` with those of at least the value ``least``; returns how many."""
    values, codes, fives = work.values, work.backs, lookup.fives
    n = 0
    for i in range(1287):
        mask = fives[i]
        value = values[mask]
        if value >= least and (mask >> 1) & alike & ~mask == 0:
            codes[n] = value << 13 | mask
            n += 1
    sort(codes, n, work)
    return n


@kernel
def list_bits(mask: int, bits: Ints) -> None:
    """Fill ``bits`` with the bits of a mask, ascending."""
    n = 0
    while mask:
        bits[n] = mask & -mask
        mask &= mask - 1
        n += 1


@kernel
def best_middle(front: int, distinct: int, work: Work) -> int:
    """The best middle that goes with a front, be it legal there or not; -1 if none.

    :param distinct: 1 if the back has to be stronger than the middle, 0 if it may be equal.
    """
    values, bits = work.values, work.bits
    rest = WHOLE ^ front
    list_bits(rest, bits)
    best = -1
    for d in range(3, 9):
        for c in range(2, d):
            for b in range(1, c):
                back_b = bits[9] | bits[d] | bits[c] | bits[b]
                for a in range(b):
                    back = back_b | bits[a]
                    value = values[back]
                    other = values[rest ^ back]
                    if value > other:
                        value = other
                    elif distinct and value == other:
                        continue
                    if value > best:
                        best = value
    return best


@kernel
def least_back(n_fronts: int, distinct: int, work: Work) -> int:
    """The best middle of the strongest front that is legal: whatever has a weaker back is dominated."""
    for i in range(n_fronts):
        middle = best_middle(work.masks[i], distinct, work)
        if middle >= work.legal[i]:
            return middle
    return 0


@kernel
def index_fronts(n_fronts: int, word: int, work: Work) -> None:
    """Fill ``taken``, in words of ``2 ** word`` bits."""
    taken, masks = work.taken, work.masks
    for i in range(13 * ((n_fronts - 1 >> word) + 1)):
        taken[i] = 0
    for i in range(n_fronts):
        start = 13 * (i >> word)
        bit = 1 << (i & (1 << word) - 1)
        mask = masks[i]
        while mask:
            taken[start + trailing_zeros(mask)] |= bit
            mask &= mask - 1


@kernel
def free_fronts(back: int, w: int, start: int, end: int, word: int, taken: Ints) -> int:
    """Word ``w`` of the fronts in ``start .. end - 1`` that share no card with a back."""
    at = 13 * w
    held = 0
    while back:
        held |= taken[at + trailing_zeros(back)]
        back &= back - 1
    free = ~held
    if w == start >> word:
        free &= -1 << (start & (1 << word) - 1)
    if w == end - 1 >> word:
        free &= (2 << (end - 1 & (1 << word) - 1)) - 1
    return free


@kernel
def search(
    hand: Ints, every: int, distinct: int, word: int, lookup: Lookup, work: Work, found: Ints, n_found: int
) -> int:
    """Append arrangements of a hand to ``found``, packed, the strongest back first.

    From the strongest back down, only that arrangement is undominated whose middle beats ``best`` of its front.
    Fronts from ``end`` on can gain nothing more, for a middle as strong as the back was found with a front as strong;
    fronts before ``start`` are illegal from here on.

    :param every: 0 for the undominated ones, each triple of values once; 1 for all legal ones, some triples again.
    :param distinct: 1 if the back has to be stronger than the middle, 0 if it may be equal.
    :param n_found: how many there are in ``found`` already.
    :returns: how many there are now, or -1 if there was no room.
    """
    alike = order(hand, work)
    evaluate(lookup, work)
    n_fronts = list_fronts(alike, lookup, work)
    least = 0 if every else least_back(n_fronts, distinct, work)
    i = list_backs(least, alike, lookup, work) - 1
    index_fronts(n_fronts, word, work)
    values, backs, best, taken = work.values, work.backs, work.best, work.taken
    masks, legal, level = work.masks, work.legal, work.level
    room = len(found)
    start = 0
    end = n_fronts
    while i >= 0:
        back_value = backs[i] >> 13
        most = back_value - distinct
        while end > 0 and best[level[end - 1]] >= most:
            end -= 1
        while start < end and legal[start] > most:
            start += 1
        if start >= end:
            break
        first = n_found
        while i >= 0 and backs[i] >> 13 == back_value:
            back = backs[i] & WHOLE
            i -= 1
            rest = WHOLE ^ back
            for w in range(start >> word, (end - 1 >> word) + 1):
                free = free_fronts(back, w, start, end, word, taken)
                while free:
                    j = w << word | trailing_zeros(free)
                    free &= free - 1
                    middle = values[rest ^ masks[j]]
                    at = level[j]
                    if middle <= best[at] or middle < legal[j] or middle > most:
                        continue
                    if n_found == room:
                        return -1
                    found[n_found] = middle << 22 | back << 9 | j
                    n_found += 1
                    while not every and at < n_fronts and best[at] < middle:
                        best[at] = middle
                        at += 1
        n_found = settle(first, n_found, every, back_value, work, found)
    return n_found


@kernel
def settle(first: int, n_found: int, every: int, back_value: int, work: Work, found: Ints) -> int:
    """Of the finds with one back value keep those that no later one of them dominates, and pack them in full.

    The values of two segments leave no choice of ranks for the third, so a find is dominated by a better middle only.
    """
    best, level, front_at, masks = work.best, work.level, work.front_at, work.masks
    kept = first
    for i in range(first, n_found):
        find = found[i]
        middle = find >> 22
        j = find & 511
        at = level[j]
        if every or best[at] == middle:
            found[kept] = pack(back_value, middle, front_at[at], find >> 9 & WHOLE, masks[j])
            kept += 1
    return kept


@kernel
def pack(back_value: int, middle_value: int, front_value: int, back: int, front: int) -> int:
    return (back_value << 22 | middle_value << 9 | front_value) << 26 | back << 13 | front


@kernel
def best_sum(
    hand: Ints,
    distinct: int,
    word: int,
    lookup: Lookup,
    work: Work,
    of_front: Numbers,
    of_middle: Numbers,
    of_back: Numbers,
) -> int:
    """The legal arrangement, packed, of the greatest ``of_front[f] + of_middle[m] + of_back[b]``.

    The three tables, by value, never fall. Of equal sums the greater triple (back, middle, front) is taken, so the
    answer is undominated. 0 if nothing is legal.
    """
    alike = order(hand, work)
    evaluate(lookup, work)
    n_fronts = list_fronts(alike, lookup, work)
    n_backs = list_backs(least_back(n_fronts, distinct, work), alike, lookup, work)
    index_fronts(n_fronts, word, work)
    values, backs, taken = work.values, work.backs, work.taken
    masks, legal, level, front_at = work.masks, work.legal, work.level, work.front_at
    start = 0
    end = n_fronts
    greatest = -np.inf
    answer = 0
    for i in range(n_backs - 1, -1, -1):
        back_value = backs[i] >> 13
        back = backs[i] & WHOLE
        rest = WHOLE ^ back
        most = back_value - distinct
        while start < end and legal[start] > most:
            start += 1
        at_most = of_back[back_value] + of_middle[most]
        while start < end and at_most + of_front[front_at[level[end - 1]]] < greatest:
            end -= 1
        if start >= end:
            break
        for w in range(start >> word, (end - 1 >> word) + 1):
            free = free_fronts(back, w, start, end, word, taken)
            while free:
                j = w << word | trailing_zeros(free)
                free &= free - 1
                middle = values[rest ^ masks[j]]
                if middle < legal[j] or middle > most:
                    continue
                front_value = front_at[level[j]]
                total = of_back[back_value] + of_middle[middle] + of_front[front_value]
                if total >= greatest:
                    packed = pack(back_value, middle, front_value, back, masks[j])
                    if total > greatest or packed >> 26 > answer >> 26:
                        greatest = total
                        answer = packed
    return answer


@kernel
def count_legal(hand: Ints, distinct: int, lookup: Lookup, work: Work) -> int:
    """How many of the 72,072 arrangements of a hand are legal, every card by itself."""
    order(hand, work)
    evaluate(lookup, work)
    n_fronts = list_fronts(0, lookup, work)
    values, bits = work.values, work.bits
    count = 0
    for i in range(n_fronts):
        least = work.legal[i]
        rest = WHOLE ^ work.masks[i]
        list_bits(rest, bits)
        for d in range(3, 9):
            for c in range(2, d):
                for b in range(1, c):
                    back_b = bits[9] | bits[d] | bits[c] | bits[b]
                    for a in range(b):
                        back = back_b | bits[a]
                        value = values[back]
                        other = values[rest ^ back]
                        if value >= least and other >= least:
                            count += 1 if value != other else 2 - 2 * distinct
    return count


@kernel
def search_many(
    hands: Hands,
    first: int,
    every: int,
    distinct: int,
    word: int,
    lookup: Lookup,
    work: Work,
    found: Ints,
    offsets: Ints,
    ordered: Hands,
) -> int:
    """:func:`search` from hand ``first`` on until there is no more room in ``found``.

    :param offsets: ``offsets[i] .. offsets[i + 1]`` is filled with the range in ``found`` of hand ``i``.
    :param ordered: filled with the hands in engine order.
    :returns: the number of hands done.
    """
    for i in range(first, len(hands)):
        n_found = search(hands[i], every, distinct, word, lookup, work, found, offsets[i])
        if n_found < 0:
            return i
        offsets[i + 1] = n_found
        for k in range(13):
            ordered[i][k] = work.cards[k]
    return len(hands)


@kernel
def best_sum_many(
    hands: Hands,
    distinct: int,
    word: int,
    lookup: Lookup,
    work: Work,
    of_front: Numbers,
    of_middle: Numbers,
    of_back: Numbers,
    found: Ints,
    ordered: Hands,
) -> None:
    """:func:`best_sum` of every hand."""
    for i in range(len(hands)):
        found[i] = best_sum(hands[i], distinct, word, lookup, work, of_front, of_middle, of_back)
        for k in range(13):
            ordered[i][k] = work.cards[k]


@kernel
def count_legal_many(hands: Hands, distinct: int, lookup: Lookup, work: Work, counts: Ints) -> None:
    """:func:`count_legal` of every hand."""
    for i in range(len(hands)):
        counts[i] = count_legal(hands[i], distinct, lookup, work)


class Gains(NamedTuple):
    """What arrangements gain by their values: a function on a grid of knots, which are values of each segment.

    Sequences over values or knots of all segments have those of the front first, then the middle's, then the back's.
    """

    knot: Ints
    """(15379,) by value: the highest knot that is not above it, but not the segment's last; from 0 in each segment."""
    part: Numbers
    """(15379,) by value: how far it is from that knot to the next, 0 to 1."""
    gain: Numbers
    """(front * middle * back,) by knots."""
    slope: Numbers
    """(3 * front * middle * back,) by coarse knots, each for four: what each segment gains by winning, not losing."""
    by_rank: Numbers
    """(13 * 5 * knots,): how much oftener a knot wins for holding 0 to 4 cards of a rank."""
    by_suit: Numbers
    """(14 * knots,): the same for holding 0 to 13 cards of a suit."""
    fronts: int
    """How many knots the front has; so the next two."""
    middles: int
    backs: int


COARSE = 2
"""A coarse knot stands for ``2 ** COARSE`` knots."""


@kernel
def shift_knots(hand: Ints, gains: Gains, work: Work, shifts: Numbers) -> None:
    """Fill ``shifts`` with how much oftener each knot wins for the cards that the hand takes from the others."""
    ranks, suits, n = work.bits, work.counts, len(shifts)
    for rank in range(13):
        ranks[rank] = 0
    for suit in range(4):
        suits[suit] = 0
    for i in range(13):
        ranks[hand[i] >> 2] += 1
        suits[hand[i] & 3] += 1
    for k in range(n):
        shifts[k] = 0.0
    for rank in range(13):
        start = (5 * rank + ranks[rank]) * n
        for k in range(n):
            shifts[k] += gains.by_rank[start + k]
    for suit in range(4):
        start = suits[suit] * n
        for k in range(n):
            shifts[k] += gains.by_suit[start + k]


@kernel
def gain_of(packed: int, gains: Gains, shifts: Numbers) -> float:
    """What an arrangement gains: interpolated between the eight knots around it, and moved by the shifts."""
    knot, part, gain, slope, middles, backs = (
        gains.knot,
        gains.part,
        gains.gain,
        gains.slope,
        gains.middles,
        gains.backs,
    )
    front = packed >> 26 & 511
    middle = FRONT_VALUES + (packed >> 35 & 8191)
    back = FRONT_VALUES + FIVE_VALUES + (packed >> 48)
    i, j, k = knot[front], knot[middle], knot[back]
    x, y, z = part[front], part[middle], part[back]
    at = (i * middles + j) * backs + k
    over = at + middles * backs
    low = (1 - y) * ((1 - z) * gain[at] + z * gain[at + 1]) + y * (
        (1 - z) * gain[at + backs] + z * gain[at + backs + 1]
    )
    high = (1 - y) * ((1 - z) * gain[over] + z * gain[over + 1]) + y * (
        (1 - z) * gain[over + backs] + z * gain[over + backs + 1]
    )
    coarse_middles = (middles - 1 >> COARSE) + 1
    coarse_backs = (backs - 1 >> COARSE) + 1
    coarse = ((i >> COARSE) * coarse_middles + (j >> COARSE)) * coarse_backs + (k >> COARSE)
    step = ((gains.fronts - 1 >> COARSE) + 1) * coarse_middles * coarse_backs
    j += gains.fronts
    k += gains.fronts + middles
    moved = slope[coarse] * (shifts[i] + x * (shifts[i + 1] - shifts[i]))
    moved += slope[coarse + step] * (shifts[j] + y * (shifts[j + 1] - shifts[j]))
    moved += slope[coarse + 2 * step] * (shifts[k] + z * (shifts[k + 1] - shifts[k]))
    total: float = (1 - x) * low + x * high + moved
    return total


@kernel
def best_gain_many(
    hands: Hands,
    first: int,
    distinct: int,
    word: int,
    lookup: Lookup,
    work: Work,
    gains: Gains,
    shifts: Numbers,
    scratch: Ints,
    found: Ints,
    gained: Numbers,
    ordered: Hands,
) -> int:
    """Of every hand from ``first`` on the undominated arrangement that gains most, until ``scratch`` has no room.

    :returns: the number of hands done.
    """
    for i in range(first, len(hands)):
        n = search(hands[i], 0, distinct, word, lookup, work, scratch, 0)
        if n < 0:
            return i
        for k in range(13):
            ordered[i][k] = work.cards[k]
        shift_knots(hands[i], gains, work, shifts)
        greatest = -np.inf
        for k in range(n):
            total = gain_of(scratch[k], gains, shifts)
            if total > greatest:
                greatest = total
                found[i] = scratch[k]
        gained[i] = greatest
    return len(hands)
