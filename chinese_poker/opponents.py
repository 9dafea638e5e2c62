"""Opponents for a hand: what the cards that are not seen may hold, as a strategy sets it.

A pool of hands that a strategy has set once serves every hand: those that share no card with the cards seen are an
exact sample of what an opponent holds. As suits are all alike, each of the 24 ways to rename them gives a sample more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb

import numpy as np

from .engine.dealing import deal_from, deal_hands, permutation
from .engine.field import Field, judged
from .engine.search import is_compiling
from .engine.settlement import settlement
from .engine.tables import Array
from .equilibrium import FEW_HANDS, POOL_HANDS, equilibrium
from .rules import RuleSet, Ties
from .strategy import Strategy, registered

POOL_SERVES = 10_000
"""Opponents that are drawn out of the pool alone; who asks for more has them set one by one."""
_FEWEST = 1_000
"""Opponents there are at least, where the pool has too few without the cards that are seen."""
_MOST_ENUMERATED = 2_500
_SEED = 13


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
    origins: Array
    """(n,) int: alike for opponents that are one hand of the pool by other names of the suits."""
    exact: bool


def as_set(hands: Array, strategy: Strategy, rules: RuleSet, players: int) -> Field:
    """Hands (n, 13) as a strategy sets them."""
    setting = strategy.arrange(hands, rules, players)
    return judged(setting.cards, rules, setting.states)


def draw(seen: Array, strategy: Strategy, rules: RuleSet, players: int, count: int, seed: int) -> Drawn:
    """Opponents' hands out of the cards that are not seen.

    :param seen: card indices that no opponent holds.
    :param players: how many are at the table.
    :param count: how many to draw: out of the pool as far as that goes, of more than 10,000 the others one by one.
    """
    unseen = np.setdiff1d(np.arange(52), seen)
    if comb(len(unseen), 13) <= _MOST_ENUMERATED:
        every = np.array(list(combinations(unseen.tolist(), 13)), np.int8)
        return Drawn(as_set(every, strategy, rules, players), np.arange(len(every)), exact=True)
    field, origins = unseen_of_pool(pool(strategy, rules, players), seen, rules)
    order = permutation(seed, len(field))[:count]
    field, origins = field[order], origins[order]
    wanted = (count if count > POOL_SERVES else min(count, _FEWEST)) - len(field)
    if wanted > 0:
        fresh = deal_from(seed, unseen, wanted, 1)[:, 0]
        field = Field.joined([field, as_set(fresh, strategy, rules, players)])
        origins = np.concatenate([origins, POOL_HANDS + np.arange(wanted)])
    return Drawn(field, origins, exact=False)


def draw_tables(
    unseen: Array, strategy: Strategy, rules: RuleSet, players: int, hands: int, count: int, seed: int
) -> Field:
    """``count`` times ``hands`` opponents at one table, out of cards that are not seen; (count * hands) rows."""
    dealt = deal_from(seed + 1, unseen, count, hands)
    return as_set(dealt.reshape(-1, 13), strategy, rules, players)


@lru_cache(maxsize=32)
def pool(strategy: Strategy, rules: RuleSet, players: int) -> Pool:
    """The pool of a strategy, set once in a process; for ``equilibrium`` it is the population that is the strategy.

    >>> from chinese_poker.presets import load_rules
    >>> from chinese_poker.strategy import strategy
    >>> len(pool(strategy("equilibrium"), load_rules("basic"), 4).field)
    32768
    """
    if strategy == registered("equilibrium"):
        field = equilibrium(rules, players)
        return Pool(_masks(field.cards), field)
    count = POOL_HANDS if is_compiling() else FEW_HANDS
    return pooled(deal_hands(_SEED, count), strategy, rules, players)


def pooled(hands: Array, strategy: Strategy, rules: RuleSet, players: int) -> Pool:
    """A pool of these hands (n, 13)."""
    return Pool(_masks(hands), as_set(hands, strategy, rules, players))


def _masks(hands: Array) -> Array:
    masks: Array = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return masks


def unseen_of_pool(met_by_all: Pool, seen: Array, rules: RuleSet) -> tuple[Field, Array]:
    """The hands of a pool that hold no card seen, by each name of the suits, and their places in the pool."""
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
    origins = np.concatenate(rows)
    field = met_by_all.field[origins]
    renamed = np.concatenate(cards)
    if rules.ties is Ties.SUIT:
        declared = np.where(field.states > settlement(rules).foul, field.states, -1)
        return judged(renamed, rules, declared), origins
    return Field(renamed, field.values, field.states), origins
