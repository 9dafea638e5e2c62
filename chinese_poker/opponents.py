"""Opponents for a hand: what the cards that are not seen may hold, as a strategy sets it.

A pool of hands that a strategy has set once serves every hand: those that share no card with the cards seen are an
exact sample of what an opponent holds. As suits are all alike, each of the 24 ways to rename them gives a sample more.
``python -m chinese_poker.opponents`` sets the shipped pools anew, after ``python -m chinese_poker.engine.worth``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from pathlib import Path

import numpy as np

from .engine.dealing import deal, deal_from, permutation
from .engine.declaring import natural_states
from .engine.field import Field, judged
from .engine.search import is_compiling
from .engine.settlement import settlement
from .engine.tables import Array
from .engine.worth import game_digest
from .presets import load_rules, rule_names
from .rules import RuleSet, Ties
from .strategy import Strategy
from .strategy import strategy as strategy_named

POOL_HANDS = 32_768
"""Hands in a pool: with the 24 names of the suits about 10,000 opponents for 13 cards seen."""
FEW_HANDS = 1_024
"""Hands in a pool that the interpreter has to set."""
POOL_SERVES = 10_000
"""Opponents that are drawn out of the pool alone; who asks for more has them set one by one."""
_FEWEST = 1_000
"""Opponents there are at least, where the pool has too few without the cards that are seen."""
_MOST_ENUMERATED = 2_500
_SEED = 13
_SHIPPED = Path(__file__).with_name("pools.npz")


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


def _judged(hands: Array, cards: Array, rules: RuleSet) -> Field:
    return judged(cards, rules, natural_states(hands, settlement(rules)))


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
    field, origins = _unseen_of_pool(pool(strategy, rules, players), seen, rules)
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
    """The pool of a strategy, set once in a process; that of ``expected`` under a preset's game is shipped.

    >>> from chinese_poker.presets import load_rules
    >>> from chinese_poker.strategy import strategy
    >>> len(pool(strategy("expected"), load_rules("basic"), 4).field)
    32768
    """
    shipped = _shipped(strategy, rules)
    hands = _hands(POOL_HANDS if shipped is not None or is_compiling() else FEW_HANDS)
    field = (
        as_set(hands, strategy, rules, players) if shipped is None else _judged(hands, _unpacked(hands, shipped), rules)
    )
    masks = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return Pool(masks, field)


def _hands(count: int) -> Array:
    """(count, 13) int8, the cards of each hand ascending."""
    return np.sort(deal(_SEED, 0, count // 4).reshape(-1, 13), axis=1)


def _shipped(strategy: Strategy, rules: RuleSet) -> Array | None:
    if strategy.name != "expected":
        return None
    with np.load(_SHIPPED, allow_pickle=False) as file:
        game = game_digest(settlement(rules))
        masks: Array | None = file.get(game)
        return masks


def _packed(hands: Array, cards: Array) -> Array:
    """(2, n) uint16: front and back of arrangements (n, 13) as masks over the ascending hands."""
    place = (cards[:, :, None] > hands[:, None, :]).sum(axis=2)
    bits = (1 << place).astype(np.uint16)
    return np.stack([bits[:, :3].sum(axis=1), bits[:, 8:].sum(axis=1)]).astype(np.uint16)


def _unpacked(hands: Array, masks: Array) -> Array:
    """The arrangements (n, 13) of which :func:`_packed` made the masks."""
    front, back = ((mask[:, None] >> np.arange(13) & 1).astype(np.int8) for mask in masks)
    order = np.argsort(1 + back - front, axis=1, kind="stable")
    return np.take_along_axis(hands, order, axis=1)


def regenerate(path: Path = _SHIPPED) -> None:
    """Set the pools that are shipped, and write their file: seconds with numba."""
    hands, player = _hands(POOL_HANDS), strategy_named("expected")
    games = {game_digest(settlement(rules)): rules for rules in map(load_rules, rule_names())}
    packed = {game: _packed(hands, player.arrange(hands, rules, 4).cards) for game, rules in games.items()}
    np.savez_compressed(path, allow_pickle=False, **packed)


def _unseen_of_pool(met_by_all: Pool, seen: Array, rules: RuleSet) -> tuple[Field, Array]:
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


if __name__ == "__main__":
    regenerate()
