"""The game in PettingZoo: its own tests, and what it pays."""

import random
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from chinese_poker import Arrangement, Deal, DealError, Player, score
from chinese_poker.adapters.pettingzoo import parallel_env
from chinese_poker.presets import load_rules

each_game = pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"players": 4, "rules": "mandarin"},
        {"players": 3, "rules": "us-1-6", "moves": "undominated"},
        {"players": 3, "rules": "malaya", "banker": 1},
        {"suits": 3, "ranks": 4, "front": 1, "back": 2},
    ],
)


@each_game
def test_parallel_api_test(parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(**parameters), num_cycles=20)


@each_game
def test_parallel_seed_test(parameters):
    parallel_seed_test(lambda: parallel_env(**parameters))


@each_game
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # a dict, for the mask
def test_api_test_in_turns(parameters):
    api_test(parallel_to_aec(parallel_env(**parameters)), num_cycles=20)
    seed_test(lambda: parallel_to_aec(parallel_env(**parameters)), num_cycles=20)


def test_render_test():
    render_test(lambda render_mode: parallel_to_aec(parallel_env(render_mode=render_mode)))


def chosen(env, observations, seed):
    chance = random.Random(seed)
    return {agent: chance.choice(np.flatnonzero(seen["action_mask"])) for agent, seen in observations.items()}


def test_rewards_are_the_units_of_the_core():
    env = parallel_env(players=4, rules="mandarin")
    for number in range(20):
        observations, infos = env.reset(seed=1 if number == 0 else None)
        for agent, seen in observations.items():
            assert env.observation_space(agent).contains(seen)
        actions = chosen(env, observations, number)
        players = []
        for agent, info in infos.items():
            hand = env.game.sorted_hand(info["hand"])
            assert np.flatnonzero(observations[agent]["observation"]).tolist() == list(hand)
            move = int(actions[agent])
            if move < 72_072:
                players.append(Player(agent, Arrangement.parse(env.game.words(hand, move))))
            else:
                players.append(Player(agent, hand=tuple(env.game.sorted_hand(hand)), declare=env.game.natural(hand)))
        after, rewards, ended, cut, _ = env.step(actions)
        assert tuple(rewards.values()) == score(Deal(tuple(players)), load_rules("mandarin")).totals
        assert all(ended.values())
        assert not any(cut.values())
        assert not any(seen["action_mask"].any() for seen in after.values())
        assert not env.agents


def test_seeds():
    def deals(env, seed):
        return [str(env.reset(seed=seed if number == 0 else None)[1]) for number in range(3)]

    env, other = parallel_env(), parallel_env()
    assert deals(env, 5) == deals(other, 5)
    assert deals(env, 5) != deals(other, 6)
    assert len(set(deals(env, 5))) == 3
    assert deals(parallel_env(), None) != deals(parallel_env(), None)


def test_what_the_mask_leaves_out_is_a_foul_or_an_error():
    env = parallel_env(rules="basic")
    observations, _ = env.reset(seed=2)
    foul = int(np.flatnonzero(observations["player_0"]["action_mask"][:72_072] == 0)[0])
    legal = int(np.flatnonzero(observations["player_1"]["action_mask"])[0])
    _, rewards, _, _, _ = env.step({"player_0": foul, "player_1": legal})
    assert rewards == {"player_0": -4.0, "player_1": 4.0}
    with pytest.raises(DealError, match="the deal is over"):
        env.step({"player_0": foul, "player_1": legal})
    env.reset()
    with pytest.raises(DealError, match="is no move here"):
        env.step({"player_0": 72_073, "player_1": legal})
    with pytest.raises(DealError, match="one move of each of player_0, player_1"):
        env.step({"player_0": legal})


def test_rendering():
    env = parallel_env(players=3, rules="mandarin", render_mode="ansi", moves="undominated")
    observations, infos = env.reset(seed=3)
    assert env.render().splitlines() == [
        f"{name}: {info['hand']}" for name, info in zip(("North", "East", "South"), infos.values(), strict=True)
    ]
    _, rewards, *_ = env.step(chosen(env, observations, 3))
    *_, first = (line for line in env.render().splitlines() if line.startswith("North: "))
    assert first.count("|") == 2
    for name, other in (("North", "East"), ("North", "South"), ("East", "South")):
        assert any({name, other} <= set(line.split()) for line in env.render().splitlines())
    assert sum(rewards.values()) == 0
    reduced = parallel_env(render_mode="ansi", suits=3, ranks=4, front=1, back=2)
    observations, _ = reduced.reset(seed=4)
    _, rewards, *_ = reduced.step(chosen(reduced, observations, 4))
    assert reduced.render().splitlines()[2:] == [
        f"North: {rewards['player_0']:+.0f}",
        f"East: {rewards['player_1']:+.0f}",
    ]


def test_bad_parameters():
    with pytest.raises(DealError, match="render_mode=rgb_array; write ansi or human"):
        parallel_env(render_mode="rgb_array")
    with pytest.raises(DealError, match="players=9; write 2 to 4"):
        parallel_env(players=9)
