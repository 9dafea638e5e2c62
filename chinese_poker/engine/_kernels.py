"""The searches, in words that the interpreter and numba both take.

A hand stands in *engine order*: ascending in rank and, within a rank, the cards of long suits (five cards or more, which
can make a flush) before the plain ones. A set of cards is a mask of 13 bits, the lowest card bit 0. Plain cards of one
rank are interchangeable, so an arrangement is looked at only in the form in which the back takes such cards from below
and the front from above.

A found arrangement is packed so that integers compare as (back, middle, front)::

    back value   middle value   front value   mask of back   mask of front
      60..48        47..35         34..26        25..13          12..0

A *code* is a value over a mask, ``value << 13 | mask``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._jit import kernel, kernel_for, trailing_zeros
from .tables import FRONT_VALUES, Array, Ints, Lookup

WHOLE = 8191


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
    """(13,): scratch."""
    spare: Ints
    """(1287,): scratch of the sort."""
    counts: Ints
    """(256,): scratch of the sort."""


_SIZES = (13, 8192, 1287, 286, 286, 286, 286, 286, 286, 13 * 5, 13, 1287, 256)
_TYPES = "i1 i2 i4 i4 i2 i2 i2 i2 i2 i8 i2 i4 i4".split()

WORD = 6
"""Compiled words have ``2 ** WORD`` bits; the interpreter has one word for all fronts."""
LONG_WORD = 9


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
    counts[:] = 0
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
        work.masks[i] = code & 8191
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
def best_middle(front: int, distinct: int, work: Work) -> int:
    """The best middle that goes with a front, be it legal there or not; -1 if none.

    :param distinct: 1 if the back has to be stronger than the middle, 0 if it may be equal.
    """
    values, bits = work.values, work.bits
    rest = 8191 ^ front
    n = 0
    for i in range(13):
        if rest >> i & 1:
            bits[n] = 1 << i
            n += 1
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
def undominated(hand: Ints, distinct: int, word: int, lookup: Lookup, work: Work, found: Ints, n_found: int) -> int:
    """Append the undominated arrangements of a hand to ``found``, packed, the strongest back first.

    From the strongest back down, only that arrangement is new whose middle beats ``best`` of its front. Fronts below
    ``end`` can gain nothing more, for behind them stands a middle as strong as the back; fronts above ``start`` are
    illegal from here on.

    :param distinct: 1 if the back has to be stronger than the middle, 0 if it may be equal.
    :param n_found: how many there are in ``found`` already.
    :returns: how many there are now, or -1 if there was no room.
    """
    alike = order(hand, work)
    evaluate(lookup, work)
    n_fronts = list_fronts(alike, lookup, work)
    i = list_backs(least_back(n_fronts, distinct, work), alike, lookup, work) - 1
    index_fronts(n_fronts, word, work)
    values, backs, best, taken = work.values, work.backs, work.best, work.taken
    masks, legal, level = work.masks, work.legal, work.level
    low_bits = (1 << word) - 1
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
            back = backs[i] & 8191
            i -= 1
            rest = 8191 ^ back
            b0 = trailing_zeros(back)
            back_ = back & (back - 1)
            b1 = trailing_zeros(back_)
            back_ &= back_ - 1
            b2 = trailing_zeros(back_)
            back_ &= back_ - 1
            b3 = trailing_zeros(back_)
            b4 = trailing_zeros(back_ & (back_ - 1))
            for w in range(start >> word, (end - 1 >> word) + 1):
                at = 13 * w
                free = ~(taken[at + b0] | taken[at + b1] | taken[at + b2] | taken[at + b3] | taken[at + b4])
                if w == start >> word:
                    free &= -1 << (start & low_bits)
                if w == end - 1 >> word:
                    free &= (2 << (end - 1 & low_bits)) - 1
                while free:
                    j = w << word | trailing_zeros(free)
                    free &= free - 1
                    middle = values[rest ^ masks[j]]
                    at_level = level[j]
                    if middle <= best[at_level] or middle < legal[j] or middle > most:
                        continue
                    if n_found == room:
                        return -1
                    found[n_found] = middle << 22 | back << 9 | j
                    n_found += 1
                    while at_level < n_fronts and best[at_level] < middle:
                        best[at_level] = middle
                        at_level += 1
        n_found = settle(first, n_found, back_value, work, found)
    return n_found


@kernel
def settle(first: int, n_found: int, back_value: int, work: Work, found: Ints) -> int:
    """Of the finds with one back value keep those that no later one of them dominates, and pack them in full."""
    best, level, front_at, masks = work.best, work.level, work.front_at, work.masks
    kept = first
    for i in range(first, n_found):
        find = found[i]
        middle = find >> 22
        j = find & 511
        at_level = level[j]
        if best[at_level] == middle and (at_level == 0 or best[at_level - 1] < middle):
            values = back_value << 22 | middle << 9 | front_at[at_level]
            found[kept] = values << 26 | (find >> 9 & 8191) << 13 | masks[j]
            kept += 1
    return kept
