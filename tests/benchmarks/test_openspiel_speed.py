"""Random playouts in OpenSpiel and PettingZoo, as ratios: ``pytest tests/benchmarks --benchmark-only -s``.

None of them passes or fails.
"""

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python import games  # noqa: F401
from test_engine_speed import race

import chinese_poker.adapters.openspiel  # noqa: F401
from chinese_poker.adapters.pettingzoo import parallel_env

PLAYOUTS = 20
SHIPPED = "python_block_dominoes"
"""A game in Python of OpenSpiel's own, with 14 tiles dealt one by one."""


def playouts(name, count=PLAYOUTS):
    game, chance = pyspiel.load_game(name), random.Random(1)

    def run():
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    cards, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choices(cards, weights)[0])
                elif state.is_simultaneous_node():
                    players = range(game.num_players())
                    state.apply_actions([chance.choice(state.legal_actions(player)) for player in players])
                else:
                    state.apply_action(chance.choice(state.legal_actions()))
            state.returns()

    return run


@pytest.mark.parametrize(
    "parameters",
    ["suits=3,ranks=4,front=1,back=2", "", "moves=undominated", "players=4,rules=mandarin"],
    ids=["12 cards", "legal", "undominated", "four players"],
)
def test_playouts(benchmark, parameters):
    mine, shipped = race(benchmark, 5, mine=playouts(f"python_chinese_poker({parameters})"), shipped=playouts(SHIPPED))
    benchmark.extra_info |= {"games a second over the shipped game's": shipped / mine}
    print(f"\n({parameters}): {shipped / mine:.2f} times the games a second of {SHIPPED}")


def test_parallel_env(benchmark):
    """Random episodes in PettingZoo against the same game in OpenSpiel."""
    env, chance = parallel_env(), random.Random(1)
    env.reset(seed=1)

    def episodes():
        for _ in range(PLAYOUTS):
            seen, _ = env.reset()
            env.step({agent: chance.choice(np.flatnonzero(seen[agent]["action_mask"])) for agent in seen})

    mine, other = race(benchmark, 5, mine=episodes, other=playouts("python_chinese_poker"))
    print(f"\nPettingZoo: {other / mine:.2f} times the games a second of OpenSpiel")
