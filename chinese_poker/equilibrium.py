"""The strategy that is hard to gain on: a population of set hands that is its own best response, nearly.

Fictitious play: each round a sample of hands is set by the best response to all rounds so far, later ones with more
weight. What comes of it is kept as 32,768 hands set by the last response. They are the strategy, for it sets whatever
hand it is given by the best response to them; and they are the opponents whom a suggestion is valued against. When a
natural is declared and a hand surrendered is part of it: whenever that gains more than playing on.

Home runs make the game another one at larger tables, so it is trained for each. ``python -m chinese_poker.equilibrium``
trains what is shipped, in a quarter of an hour on two cores, after ``python -m chinese_poker.engine.worth``; with names
of presets behind it, only those.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from . import user_cache
from .engine.dealing import deal_hands
from .engine.declaring import natural_states
from .engine.field import Field, judged
from .engine.response import Response, knots_of, population, respond, response
from .engine.search import best_sum, is_compiling
from .engine.settlement import settlement
from .engine.tables import Array
from .engine.worth import game_digest, worth
from .presets import load_rules, rule_names
from .rules import RuleSet

SEED = 13
ROUNDS = 12
HANDS = 40_000
"""The sample of a round."""
POOL_HANDS = 32_768
"""Hands of the population that is kept."""
FEW_HANDS = 1_024
"""The same, and the sample of a round, where numba is not installed."""
SHIPPED = Path(__file__).with_name("equilibrium.npz")
_TABLES = (2, 3, 4)
_FORMAT = 1

Progress = Callable[[int, int, Response], object]
"""Called after each round with the rounds done, all rounds, and the response of that round."""


def train(
    rules: RuleSet,
    players: int,
    seed: int = SEED,
    rounds: int = ROUNDS,
    hands: int = HANDS,
    progress: Progress | None = None,
) -> Response:
    """The best response to the population of fictitious play; the same arguments give the same one on any machine.

    :param players: at the table, 2 to 4; it counts where home runs are paid.
    :param hands: how many hands are set in a round.

    >>> from chinese_poker.presets import load_rules
    >>> best = train(load_rules("basic"), 2, seed=1, rounds=1, hands=200)
    >>> best.offers.shape  # playing on, foul, dragon, three flushes, three straights, six pairs
    (6,)
    """
    started = _sample(seed, 0, hands)
    found = best_sum(started, *worth(rules), wheel=rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
    first = judged(found.cards(), rules, natural_states(started, settlement(rules)))
    knots = knots_of(first, rules)
    met = population(first, knots, rules)
    with threadpool_limits(1, "blas"):
        for i in range(rounds):
            best = response(met, knots, rules, players)
            set_by_it = _set(_sample(seed, i + 1, hands), best, rules)
            met = met.mixed(population(set_by_it, knots, rules), 2 / (i + 3))
            if progress:
                progress(i + 1, rounds, best)
        return response(met, knots, rules, players)


def _sample(seed: int, number: int, hands: int) -> Array:
    return deal_hands(seed, hands, first=number * -(-hands // 4))


def _set(hands: Array, best: Response, rules: RuleSet) -> Field:
    """Hands as a response sets them, by as many threads as there are cores."""

    def part(some: Array) -> Field:
        found, declared = respond(some, best, rules)
        return judged(found.cards(), rules, declared)

    cores = (os.cpu_count() or 1) if is_compiling() else 1
    with ThreadPoolExecutor(cores) as pool:
        return Field.joined(list(pool.map(part, np.array_split(hands, cores))))


@lru_cache(maxsize=32)
def equilibrium(rules: RuleSet, players: int) -> Field:
    """The population, ``n`` hands as they are set: shipped for every preset, else trained once and kept in the cache.

    Training takes some twenty seconds of one core, with numba or, on a smaller sample, without.

    >>> from chinese_poker.presets import load_rules
    >>> len(equilibrium(load_rules("basic"), 2))
    32768
    """
    packed = _shipped(rules, players)
    if packed is None:
        hands = POOL_HANDS if is_compiling() else FEW_HANDS
        key = f"{_FORMAT} {SEED} {ROUNDS} {HANDS} {hands} {_game(rules, players)}"
        kept = user_cache.read("equilibrium", key)
        if kept is not None and len(kept) == 4 * hands:
            packed = np.frombuffer(kept, np.uint8).reshape(4, hands)
        else:
            packed = trained(rules, players, hands=hands)
            user_cache.write("equilibrium", key, packed.tobytes())
    return unpacked(packed, rules)


@lru_cache(maxsize=32)
def best_response(rules: RuleSet, players: int) -> Response:
    """The best response to the population: the strategy's."""
    met = equilibrium(rules, players)
    knots = knots_of(met, rules)
    with threadpool_limits(1, "blas"):
        return response(population(met, knots, rules), knots, rules, players)


def trained(
    rules: RuleSet, players: int, seed: int = SEED, hands: int = POOL_HANDS, progress: Progress | None = None
) -> Array:
    """Train, and set the population that is kept.

    :param hands: how many it has; fewer than usual are a sign that training has to be short too.
    :returns: (4, hands) uint8, as :func:`unpacked` takes it.
    """
    sample = HANDS if hands == POOL_HANDS else hands
    best = train(rules, players, seed, hands=sample, progress=progress)
    return packed(_set(_hands(hands), best, rules), rules)


def strategy_digest(packed: Array) -> str:
    """Names a trained population.

    >>> strategy_digest(np.zeros((4, 8), np.uint8))[:8]
    '66687aad'
    """
    return sha256(packed.tobytes()).hexdigest()


def is_in_use(packed: Array, rules: RuleSet, players: int) -> bool:
    """Whether a trained population is that of the strategy ``equilibrium``."""
    met = equilibrium(rules, players)
    return packed.shape[1] == len(met) and bool((unpacked(packed, rules).cards == met.cards).all())


def _shipped(rules: RuleSet, players: int) -> Array | None:
    """(4, n) uint8: what is shipped for a game, if anything is."""
    if not SHIPPED.exists():
        return None
    with np.load(SHIPPED, allow_pickle=False) as file:
        found: Array | None = file.get(_game(rules, players))
    return found


def _game(rules: RuleSet, players: int) -> str:
    """Names what decides the strategy: two rule sets, or numbers of players, of one name are one game."""
    settled = settlement(rules)
    home_runs = rules.pays_home_runs(players)
    digest = sha256(game_digest(settled).encode())
    digest.update(settled.units[..., : 1 + home_runs].astype("<i4").tobytes())
    naturals = [str(natural) for natural in settled.naturals]
    digest.update(f"{naturals} {rules.naturals.big} {rules.naturals.small} {players if home_runs else 2}".encode())
    return digest.hexdigest()


def _hands(count: int) -> Array:
    """(count, 13) int8: the hands of a population, the cards of each ascending."""
    return np.sort(deal_hands(SEED, count), axis=1)


def _ascending(cards: int, taken: int) -> Array:
    """All masks of so many bits with so many set, ascending."""
    return np.sort([sum(1 << place for place in places) for places in combinations(range(cards), taken)])


_FRONTS = _ascending(13, 3)
"""(286,): over the ascending hand."""
_BACKS = _ascending(10, 5)
"""(252,): over the ten cards that the front leaves."""
_PLAYED = 255


def packed(met: Field, rules: RuleSet) -> Array:
    """How the hands of a population are set: rows of the front (two bytes), the back, and the state that is declared.

    :returns: (4, n) uint8.
    """
    hands = np.sort(met.cards, axis=1)
    places = (met.cards[:, :, None] > hands[:, None, :]).sum(axis=2)
    front, back = places[:, :3], places[:, 8:]
    back = back - (front[:, None, :] < back[:, :, None]).sum(axis=2)
    fronts = np.searchsorted(_FRONTS, (1 << front).sum(axis=1))
    backs = np.searchsorted(_BACKS, (1 << back).sum(axis=1))
    states = np.where(met.states > settlement(rules).foul, met.states, _PLAYED)
    return np.stack([fronts & 255, fronts >> 8, backs, states]).astype(np.uint8)


def unpacked(packed: Array, rules: RuleSet) -> Field:
    """The population of which :func:`packed` made this."""
    low, high, backs, states = packed.astype(np.int16)
    segment = 1 - (_FRONTS[low + 256 * high][:, None] >> np.arange(13) & 1)
    left = np.argsort(1 - segment, axis=1, kind="stable")[:, :10]
    np.put_along_axis(segment, left, 1 + (_BACKS[backs][:, None] >> np.arange(10) & 1), axis=1)
    order = np.argsort(segment, axis=1, kind="stable")
    cards = np.take_along_axis(_hands(packed.shape[1]), order, axis=1)
    return judged(cards, rules, np.where(states == _PLAYED, -1, states))


def regenerate(names: Collection[str], path: Path = SHIPPED, report: Callable[[str], object] = print) -> None:
    """Train what is shipped: every game that a preset plays at a table of 2 to 4.

    :param names: the presets that are trained; the games of the others stay as they are in the file.
    :param report: called with the name of each game when it is trained.
    :raises RuleSetError: ``unknown_rules``.
    """
    anew = {_game(load_rules(name), players) for name in names for players in _TABLES}
    games: dict[str, Array] = {}
    for rules in map(load_rules, rule_names()):
        for players in _TABLES:
            game = _game(rules, players)
            if game not in games:
                kept = None if game in anew else _shipped(rules, players)
                games[game] = trained(rules, players) if kept is None else kept
                if kept is None:
                    report(f"{rules.name}, {players} players: {strategy_digest(games[game])[:16]}")
    np.savez_compressed(path, allow_pickle=False, **games)


if __name__ == "__main__":
    regenerate(sys.argv[1:] or rule_names())
