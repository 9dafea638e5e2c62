"""The equilibrium strategy: what is shipped, training, and what a best response gains."""

from __future__ import annotations

import numpy as np
import pytest

from chinese_poker import equilibrium as module
from chinese_poker import user_cache
from chinese_poker.cards import DECK
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.settlement import settlement
from chinese_poker.equilibrium import POOL_HANDS, best_response, equilibrium, packed, train, trained, unpacked
from chinese_poker.errors import RuleSetError
from chinese_poker.exploitability import exploitability
from chinese_poker.opponents import as_set
from chinese_poker.presets import load_rules, read_rules, rule_names
from chinese_poker.score import played_naturals
from chinese_poker.strategy import strategy

PLAYER = strategy("equilibrium")


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_preset_is_shipped(name, players):
    rules = load_rules(name)
    assert module._shipped(rules, players) is not None
    met = equilibrium(rules, players)
    assert len(met) == POOL_HANDS
    assert not (met.states == settlement(rules).foul).any()


def test_what_is_shipped_is_small():
    assert module.SHIPPED.stat().st_size + module.SHIPPED.parent.joinpath("engine", "worth.npz").stat().st_size < 2e6


def test_home_runs_make_other_games_of_larger_tables():
    def games(name):
        return len({module._game(load_rules(name), players) for players in (2, 3, 4)})

    assert [games(name) for name in ("basic", "mandarin", "fujian")] == [1, 2, 2]
    assert module._game(load_rules("basic"), 2) == module._game(load_rules("western"), 4)
    assert module._game(read_rules({"base": "basic", "naturals": {"worth": {"dragon": 3}}}), 2) != module._game(
        load_rules("basic"), 2
    )


@pytest.mark.parametrize("name", ["basic", "us-1-6", "indonesia"])
def test_packing_keeps_every_hand(name):
    rules = load_rules(name)
    met = equilibrium(rules, 2)
    again = unpacked(packed(met, rules), rules)
    assert np.array_equal(met.cards, again.cards)
    assert np.array_equal(met.states, again.states)


@pytest.mark.parametrize("name", ["basic", "taiwan"])
def test_declared_naturals_are_held(name):
    rules = load_rules(name)
    met = equilibrium(rules, 4)
    settled = settlement(rules)
    declared = np.flatnonzero(met.states > settled.foul)
    assert len(declared) > 300
    for row in declared[:40]:
        held = played_naturals([DECK[card] for card in met.cards[row].tolist()], rules)
        assert settled.states[met.states[row]].natural == held[0]


def test_the_same_seed_trains_the_same_strategy():
    rules = load_rules("mandarin")
    runs = [train(rules, 4, seed, rounds=2, hands=400) for seed in (1, 1, 2)]
    assert np.array_equal(runs[0].gains.gain, runs[1].gains.gain)
    assert not np.array_equal(runs[0].gains.gain, runs[2].gains.gain)


def test_training_comes_to_what_is_shipped():
    """Another processor may round otherwise, and now and then a hand is set otherwise for that."""
    rules = load_rules("basic")
    again = unpacked(trained(rules, 2), rules)
    met = equilibrium(rules, 2)
    assert (again.values == met.values).all(axis=1).mean() > 0.995


def test_a_house_is_trained_once_and_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(user_cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(module, "POOL_HANDS", 1_024)
    monkeypatch.setattr(module, "HANDS", 500)
    rules = read_rules({"base": "basic", "name": "house", "units": {"front": 2}})
    first = equilibrium.__wrapped__(rules, 2)
    kept = [path for path in tmp_path.iterdir() if path.name.startswith("equilibrium")]
    assert len(kept) == 1

    def must_not(*_arguments, **_options):
        raise AssertionError("trained again")

    with monkeypatch.context() as patched:
        patched.setattr(module, "trained", must_not)
        again = equilibrium.__wrapped__(rules, 2)
    assert np.array_equal(first.cards, again.cards)
    kept[0].write_bytes(kept[0].read_bytes()[:-1] + b"!")
    third = equilibrium.__wrapped__(rules, 2)
    assert np.array_equal(first.cards, third.cards)


def test_a_surrender_is_taken_where_playing_on_costs_more():
    rules = load_rules("us-1-6")
    surrender = next(i for i, state in enumerate(settlement(rules).states) if state.surrender)
    hands = deal(77, 0, 2_000).reshape(-1, 13)
    given_up = as_set(hands, PLAYER, rules, 2).states == surrender
    assert best_response(rules, 2).offers[surrender] == pytest.approx(rules.surrender * -1, abs=0.3)
    assert 0 < given_up.mean() < 0.2
    ranks = np.sort(hands >> 2, axis=1)[:, ::-1][:, :4].mean(axis=1)
    assert ranks[given_up].mean() < ranks[~given_up].mean()


@pytest.mark.parametrize(("name", "least"), [("greedy", 1.0), ("heuristic", 0.03)])
def test_what_weak_players_give_up_is_found(name, least):
    found = exploitability(strategy(name), load_rules("basic"), hands=60, pool_hands=20_000, seed=5)
    assert found.gain - 3 * found.error > 0
    assert found.gain + 3 * found.error > least


def test_little_is_gained_on_the_equilibrium():
    found = exploitability(PLAYER, load_rules("basic"), hands=60, pool_hands=60_000, seed=6)
    assert found.gain < 0.01
    assert found == exploitability(PLAYER, load_rules("basic"), hands=60, pool_hands=60_000, seed=6)


def test_a_best_response_declares_and_surrenders_too():
    """Against players who surrender next to never: one who never declares gives up most of what a natural is worth."""
    from chinese_poker.strategy import Setting

    class NeverDeclares:
        name = "never"

        def arrange(self, hands, rules, players):
            setting = strategy("expected").arrange(hands, rules, players)
            return Setting(setting.cards, np.full_like(setting.states, -1))

    rules = load_rules("basic")
    never, always = (exploitability(player, rules, hands=400, pool_hands=8_000) for player in (NeverDeclares(), PLAYER))
    assert never.gain > always.gain + 0.03


def test_the_games_of_some_presets_are_made_again_and_the_others_kept(monkeypatch, tmp_path):
    """``western`` plays the game of ``basic``."""
    monkeypatch.setattr(module, "trained", lambda rules, players: np.zeros((4, 8), np.uint8))
    told = []
    module.regenerate(["western", "malaya"], tmp_path / "made.npz", told.append)
    assert [text.partition(":")[0] for text in told] == ["basic, 2 players", "malaya, 2 players"]
    with np.load(tmp_path / "made.npz") as made, np.load(module.SHIPPED) as shipped:
        assert set(made) == set(shipped)
        anew = {name for name in made if made[name].shape == (4, 8)}
        assert len(anew) == 2
        assert all((made[name] == shipped[name]).all() for name in set(made) - anew)
    with pytest.raises(RuleSetError, match="unknown_rules"):
        module.regenerate(["westren"], tmp_path / "made.npz", told.append)
