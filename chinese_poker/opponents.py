"""Opponents for a hand: what the cards that are not seen may hold, as a strategy sets it.

A pool of hands that a strategy has set once serves every hand: those that share no card with the cards seen are an exact
sample of what an opponent holds. As suits are all alike, each of the 24 ways to rename them gives a sample more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb

import numpy as np

from .engine.dealing import deal, deal_from
from .engine.declaring import natural_states
from .engine.field import Field, judged
from .engine.search import is_compiling
from .engine.settlement import settlement
from .engine.tables import Array
from .rules import RuleSet, Ties
from .strategy import Strategy

POOL_HANDS = 16_384
"""Hands in a pool: with the 24 names of the suits about 5,000 opponents for 13 cards seen."""
_POOL_SEED = 13


@dataclass(frozen=True, eq=False)
class Pool:
    """Hands that a strategy has set, to be met by any hand that shares no card with them."""

    masks: Array
    """(n,) uint64: the cards of each hand as bits."""
    field: Field


@dataclass(frozen=True, eq=False)
class Drawn:
    """``n`` opponents of a hand, each as likely as the others; ``exact`` where they are all that there can be."""

    field: Field
    exact: bool


def as_set(hands: Array, strategy: Strategy, rules: RuleSet) -> Field:
    """Hands (n, 13) as a strategy sets them, naturals declared."""
    found = strategy.arrange(hands, rules)
    return judged(found.cards(), rules, natural_states(hands, settlement(rules)))


def draw(seen: Array, strategy: Strategy, rules: RuleSet, count: int, seed: int) -> Drawn:
    """Opponents' hands out of the cards that are not seen.

    :param seen: card indices that no opponent holds.
    :param count: how many to draw at most; fewer where there cannot be more different ones.
    """
    unseen = np.setdiff1d(np.arange(52), seen)
    compiling = is_compiling()
    if comb(len(unseen), 13) <= (2500 if compiling else 600):
        every = np.array(list(combinations(unseen.tolist(), 13)), np.int8)
        return Drawn(as_set(every, strategy, rules), exact=True)
    field = _unseen_of_pool(pool(strategy, rules), seen, rules)
    field = field[np.random.default_rng(seed).permutation(len(field))[:count]]
    wanted = min(count, 2000 if compiling else 300) - len(field)
    if wanted > 0:
        fresh = deal_from(seed, unseen, wanted, 1)[:, 0]
        field = Field.joined([field, as_set(fresh, strategy, rules)])
    return Drawn(field, exact=False)


def draw_tables(unseen: Array, strategy: Strategy, rules: RuleSet, hands: int, count: int, seed: int) -> Field:
    """``count`` times ``hands`` opponents at one table, out of cards that are not seen; (count * hands) rows."""
    dealt = deal_from(seed + 1, unseen, count, hands)
    return as_set(dealt.reshape(-1, 13), strategy, rules)


@lru_cache(maxsize=32)
def pool(strategy: Strategy, rules: RuleSet, hands: int = POOL_HANDS) -> Pool:
    """The pool of a strategy, set once in a process."""
    dealt = deal(_POOL_SEED, 0, hands // 4).reshape(-1, 13)
    masks = (np.uint64(1) << dealt.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return Pool(masks, as_set(dealt, strategy, rules))


def _unseen_of_pool(met_by_all: Pool, seen: Array, rules: RuleSet) -> Field:
    rows, cards = [], []
    met: set[int] = set()
    for names in permutations(range(4)):
        mask = sum(1 << int(card) for card in seen // 4 * 4 + np.array(names)[seen % 4])
        if mask not in met:
            met.add(mask)
            free = np.flatnonzero(met_by_all.masks & np.uint64(mask) == 0)
            rows.append(free)
            held = met_by_all.field.cards[free]
            cards.append(held // 4 * 4 + np.argsort(names).astype(np.int8)[held % 4])
    field = met_by_all.field[np.concatenate(rows)]
    renamed = np.concatenate(cards)
    if rules.ties is Ties.SUIT:
        return judged(renamed, rules, np.where(field.states > settlement(rules).foul, field.states, -1))
    return Field(renamed, field.values, field.states)
