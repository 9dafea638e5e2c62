"""Deals from a seed, the same on every machine and for every way of sharding.

The keys of a deal's cards are numbers of a splitmix64 stream, addressed by deal and card, so that deal 1,000,000 needs
none before it; the cards in the order of their keys are the shuffled deck.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .tables import Array

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_BITS = np.uint64(6)
"""A key's lowest bits are its card."""
_CARD = np.uint64(63)


def deal(seed: int, first: int, count: int) -> Array:
    """Shuffled decks ``first .. first + count - 1`` of a seed.

    :param seed: any integer; it counts modulo 2 ** 64.
    :returns: (count, 52) int8 card indices; hand ``j`` of a deal is its columns ``13 * j .. 13 * j + 12``.

    >>> deal(seed=1, first=0, count=3)[2, :13].tolist() == deal(seed=1, first=2, count=1)[0, :13].tolist()
    True
    """
    return _shuffled(seed, first, count, 52)


def deal_hands(seed: int, count: int, *, first: int = 0) -> Array:
    """The hands of a seed's deals, four of each, from deal ``first`` on.

    :returns: (count, 13) int8 card indices.

    >>> deal_hands(seed=1, count=6)[5].tolist() == deal(seed=1, first=1, count=1)[0, 13:26].tolist()
    True
    """
    hands: Array = deal(seed, first, -(-count // 4)).reshape(-1, 13)[:count]
    return hands


def deal_from(seed: int, cards: npt.ArrayLike, count: int, hands: int, *, first: int = 0, size: int = 13) -> Array:
    """Hands dealt from the cards that are not seen, each time from all of them.

    :param seed: any integer; it counts modulo 2 ** 64.
    :param cards: (m,) different card indices, in any order: it changes nothing.
    :param first: the first deal of the seed to take.
    :param size: the cards of a hand.
    :returns: (count, hands, size) int8 card indices.
    :raises ValueError: fewer than ``size * hands`` cards, or repeated ones.

    >>> deal_from(seed=1, cards=range(26, 52), count=5, hands=2).shape
    (5, 2, 13)
    """
    unseen = np.unique(np.asarray(cards, np.int8))
    if len(unseen) != np.size(cards) or len(unseen) < size * hands:
        raise ValueError(
            f"{hands} hands need {size * hands} different cards, not {np.size(cards)} of which {len(unseen)}"
        )
    order = _shuffled(seed, first, count, len(unseen))[:, : size * hands]
    dealt: Array = unseen[order].reshape(count, hands, size)
    return dealt


def permutation(seed: int, size: int) -> Array:
    """(size,) int64: the numbers from 0 in an order of the seed.

    >>> sorted(permutation(seed=1, size=4).tolist())
    [0, 1, 2, 3]
    """
    start = _mixed(np.array([seed % 2**64], np.uint64))
    order: Array = np.argsort(_mixed(start + np.arange(1, size + 1, dtype=np.uint64) * _GAMMA))
    return order


def _shuffled(seed: int, first: int, count: int, size: int) -> Array:
    """(count, size) int8: permutations of ``0 .. size - 1``."""
    start = _mixed(np.array([seed % 2**64], np.uint64))
    deals = np.uint64(first % 2**64) + np.arange(count, dtype=np.uint64)
    cards = np.arange(size, dtype=np.uint64)
    place = (deals[:, None] << _BITS) + cards + np.uint64(1)
    keys = _mixed(start + place * _GAMMA) & ~_CARD | cards
    keys.sort(axis=1)
    return (keys & _CARD).astype(np.int8)


def _mixed(words: Array) -> Array:
    """The output function of splitmix64."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed: Array = words ^ words >> np.uint64(31)
    return mixed
