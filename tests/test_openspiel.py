"""The game in OpenSpiel: its own tests, its own measures, its own players."""

import pickle
import random
import re
import subprocess
import sys
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from absl.flags import FLAGS
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import best_response, cfr, exploitability, generate_playthrough
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.algorithms.get_all_states import get_all_states
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

from chinese_poker import ChinesePokerError
from chinese_poker.adapters.exact import Exact
from chinese_poker.adapters.openspiel import HandPolicy, StrategyBot
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Banker
from chinese_poker.strategy import strategies, strategy

PLAYTHROUGHS = sorted((Path(__file__).parent / "data" / "playthroughs").glob("*.txt"))
"""Made by ``generate_playthrough.playthrough(game, None, seed=1)``."""
FLAGS.mark_as_parsed()  # OpenSpiel's playthroughs have some
TINY = "suits=2,ranks=5,front=1,back=2"
SMALL = "suits=3,ranks=4,front=1,back=2"


def load(parameters="", in_turns=False):
    game = pyspiel.load_game(f"python_chinese_poker({parameters})")
    return pyspiel.convert_to_turn_based(game) if in_turns else game


each_game = pytest.mark.parametrize(
    "parameters",
    [
        "",
        "players=3,rules=us-1-6,moves=undominated",
        "players=4,rules=mandarin,moves=undominated",
        "players=4,rules=malaya,banker=2,moves=undominated",
        "players=4,rules=indonesia,suits=4,ranks=5,front=1,back=2",
        SMALL,
        f"{TINY},rules=eastern,moves=undominated",
    ],
)
in_turns_too = pytest.mark.parametrize("in_turns", [False, True], ids=["at once", "in turns"])


@each_game
@in_turns_too
def test_random_sim_test(parameters, in_turns):
    pyspiel.random_sim_test(load(parameters, in_turns), num_sims=2, serialize=True, verbose=False)


@each_game
def test_games_sim_test(parameters):
    """With pickling and copies."""
    games_sim_test.GamesSimTest().sim_game(load(parameters))


@pytest.mark.parametrize("name", rule_names())
def test_every_rule_set_is_a_parameter(name):
    banker = 0 if load_rules(name).banker is Banker.REQUIRED else -1
    game = load(f"rules={name},banker={banker},moves=undominated")
    assert game.get_parameters()["rules"] == name
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


def test_a_rule_file_is_a_parameter(tmp_path):
    file = tmp_path / "club.toml"
    file.write_text('base = "basic"\nfoul = { pays = "flat", units = 9 }\n')
    game = pyspiel.load_game("python_chinese_poker", {"rules": str(file)})
    assert game.max_utility() == 9
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


class TestPartialTree(api_test.EnforceAPIOnPartialTreeBase):
    """OpenSpiel's checks of 400 states."""

    game_name = "python_chinese_poker"

    @classmethod
    def setUpClass(cls):
        cls.game = load("players=3,moves=undominated")
        super().setUpClass()


class TestPartialTreeInTurns(api_test.EnforceAPIOnPartialTreeBase):
    game_name = "python_chinese_poker in turns"

    @classmethod
    def setUpClass(cls):
        cls.game = load(SMALL, in_turns=True)
        super().setUpClass()


class TestFullTree(api_test.EnforceAPIOnFullTreeBase):
    """OpenSpiel's checks of every state of a reduced game in turns, and how many there are."""

    game_name = "chinese_poker of 8 cards in turns"

    @classmethod
    def setUpClass(cls):
        cls.game = load("suits=2,ranks=4,front=1,back=1", in_turns=True)
        super().setUpClass()

    def setUp(self):
        deck = [4 * rank + suit for rank in range(9, 13) for suit in (2, 3)]
        deals = [
            (hand, other)
            for hand in combinations(deck, 3)
            for other in combinations([card for card in deck if card not in hand], 3)
        ]
        counts = {hand: _orders(hand) for hand, _ in deals}
        chance = len({(*hand, *other)[:k] for hand, other in deals for k in range(6)})
        playable = sum(1 + counts[hand] for hand, _ in deals)
        api_test.TOTAL_NUM_STATES[self.game_name] = (
            chance,
            playable,
            sum(counts[hand] * counts[other] for hand, other in deals),
        )
        api_test.PERFECT_RECALL_NUM_STATES[self.game_name] = 2 * comb(8, 3)


def _orders(hand):
    """How many ways there are to set three single cards in ascending ranks: cards of a rank change places."""
    ranks = [card // 4 for card in hand]
    return 2 if len(set(ranks)) < 3 else 1


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=[path.stem for path in PLAYTHROUGHS])
def test_playthroughs(path):
    expected, replayed = generate_playthrough.replay(str(path))
    assert replayed == expected


def test_playthroughs_are_found():
    assert len(PLAYTHROUGHS) == 2


def test_every_deal_is_one_history_and_as_likely_as_any():
    states = [(load(TINY).new_initial_state(), 1.0)]
    deals = []
    while states:
        state, chance = states.pop()
        if state.is_chance_node():
            assert sum(part for _, part in state.chance_outcomes()) == pytest.approx(1)
            states += [(state.child(card), chance * part) for card, part in state.chance_outcomes()]
        else:
            deals.append((state.hand(0), state.hand(1)))
            assert chance == pytest.approx(1 / comb(10, 5))
    assert len(set(deals)) == len(deals) == comb(10, 5)


def test_observations():
    """A player sees the own cards alone, and at the end what everybody did."""
    game = load("players=3,rules=us-1-6")
    state = game.new_initial_state()
    chance = random.Random(1)
    while state.is_chance_node():
        state.apply_action(chance.choice([card for card, _ in state.chance_outcomes()]))
    everybody = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    own, whole = make_observation(game), make_observation(game, everybody)
    for player in range(3):
        own.set_from(state, player)
        assert np.flatnonzero(own.dict["hand"]).tolist() == list(state.hand(player))
        assert own.dict["player"].tolist() == [seat == player for seat in range(3)]
        assert own.tensor.sum() == 14
        assert state.information_state_tensor(player) == own.tensor.tolist()
        assert state.information_state_string(player).count("hand") == 1
    moves = [
        int(chance.choice(state.legal_actions(0))),
        game.game.surrender,
        int(chance.choice(state.legal_actions(2))),
    ]
    state.apply_actions(moves)
    for observation in (own, whole):
        observation.set_from(state, 1)
        for seat in (0, 2):
            for segment, cards in enumerate(game.game.split(state.hand(seat), moves[seat])):
                assert np.flatnonzero(observation.dict["set"][seat, segment]).tolist() == list(cards)
        assert not observation.dict["set"][1].any()
        assert observation.dict["declared"].tolist() == [[0, 0], [0, 1], [0, 0]]
    assert [np.flatnonzero(row).tolist() for row in whole.dict["hands"]] == [
        list(state.hand(seat)) for seat in range(3)
    ]
    assert "set 1: surrender" in state.observation_string(0)
    with pytest.raises(ValueError, match="takes no parameters"):
        make_observation(game, None, {"more": 1})


@pytest.mark.parametrize(
    "parameters",
    [
        *(f"{TINY},moves=undominated,rules={name}" for name in ("basic", "eastern", "mandarin", "vietnam")),
        f"{TINY},moves=undominated,rules=us-1-6",
        f"{TINY},moves=undominated,rules=indonesia",
    ],
)
def test_exploitability_agrees_with_openspiel(parameters):
    """That of fictitious play, and of a strategy drawn by lot."""
    game = load(parameters)
    solver, turns = Exact.of(game.game), pyspiel.convert_to_turn_based(game)
    drawn = np.random.default_rng(1).random(len(solver.rows))
    drawn /= np.repeat(np.add.reduceat(drawn, solver.offsets[:-1]), np.diff(solver.offsets))
    for played in (solver.fictitious_play(200), drawn):
        policy = HandPolicy(turns, solver.chances(played).__getitem__)
        theirs = exploitability.exploitability(turns, policy)
        assert solver.exploitability(played) == pytest.approx(theirs, abs=1e-9)


def test_exploitability_agrees_where_opponents_may_hold_anything():
    """12 cards, 16,632 deals: our fictitious play, measured by OpenSpiel's best response."""
    game = load(f"{SMALL},moves=undominated,rules=mandarin")
    solver, turns = Exact.of(game.game), pyspiel.convert_to_turn_based(game)
    found = solver.fictitious_play(1_000)
    response = best_response.BestResponsePolicy(turns, 0, HandPolicy(turns, solver.chances(found).__getitem__))
    theirs = response.value(turns.new_initial_state())
    print(f"exploitability of fictitious play: ours {solver.exploitability(found):.12f}, OpenSpiel's {theirs:.12f}")
    assert solver.exploitability(found) == pytest.approx(theirs, abs=1e-9)
    assert theirs < 0.01


def test_what_openspiel_finds_is_measured_alike():
    """Counterfactual regret minimisation by OpenSpiel, its exploitability by both."""
    game = load(f"{TINY},moves=undominated,rules=mandarin")
    solver, turns = Exact.of(game.game), pyspiel.convert_to_turn_based(game)
    trainer = cfr.CFRSolver(turns)
    for _ in range(5):
        trainer.evaluate_and_update_policy()
    found = trainer.average_policy()
    hands = {}
    for state in get_all_states(turns, include_terminals=False).values():
        player = state.current_player()
        hands[player, state.simultaneous_game_state().hand(player)] = found.action_probabilities(state)
    first, second = (
        np.array(
            [
                hands[player, hand][move]
                for i, hand in enumerate(solver.hands)
                for move in solver.rows[solver.offsets[i] : solver.offsets[i + 1]].tolist()
            ]
        )
        for player in (0, 1)
    )
    ours = (solver.exploitability(first) + solver.exploitability(second)) / 2
    assert ours == pytest.approx(exploitability.exploitability(turns, found), abs=1e-9)
    assert ours < solver.exploitability(solver.uniform()) / 2


@in_turns_too
@pytest.mark.parametrize("moves", ["legal", "undominated"])
def test_strategies_play(moves, in_turns):
    game = load(f"players=3,rules=mandarin,moves={moves}", in_turns)
    for name in strategies():
        bots = [StrategyBot(game, seat, strategy(name)) for seat in range(2)]
        bots.append(pyspiel.make_uniform_random_bot(2, 1))
        assert sum(evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(2))) == 0


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("players=7", "players=7; write 2 to 4"),
        ("rules=nobody", "'nobody' is no rule set"),
        ("moves=all", "undominated"),
    ],
)
def test_bad_parameters(parameters, says):
    with pytest.raises(ChinesePokerError, match=says):
        load(parameters)


def run(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize(
    ("module", "adapter", "extra"),
    [
        ("pyspiel", "openspiel", "openspiel"),
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("gymnasium", "pettingzoo", "pettingzoo"),
    ],
)
def test_a_missing_extra_is_one_line(module, adapter, extra):
    done = run("-c", f"import sys; sys.modules['{module}'] = None; import chinese_poker.adapters.{adapter}")
    says = f"missing_extra: {module} is missing: pip install 'chinese-poker[{extra}]'"
    assert done.stderr.splitlines()[-1] == f"chinese_poker.errors.ChinesePokerError: {says}"
    assert "ImportError" not in done.stderr
    assert "ModuleNotFoundError" not in done.stderr


def test_the_example():
    """It beats random play; what is trained beats it too."""
    done = run("-m", "chinese_poker.examples.evaluate_bots", "--deals", "8", "--rules", "mandarin")
    assert not done.stderr
    gains = re.findall(r"(\w+) against (\w+) +([+-]\d+\.\d\d) ± (\d+\.\d\d)", done.stdout)
    players = {"random", "trained", *strategies()}
    assert {frozenset(pair[:2]) for pair in gains} == set(map(frozenset, combinations(players, 2)))
    for name in players - {"random"}:
        gain, error = next(map(float, pair[2:]) for pair in gains if pair[:2] == (name, "random"))
        assert gain > 3 * error


def test_the_example_without_openspiel():
    blocked = "import sys, runpy; sys.modules['pyspiel'] = None; sys.argv = ['evaluate_bots']; "
    done = run("-c", blocked + "runpy.run_module('chinese_poker.examples.evaluate_bots', run_name='__main__')")
    assert done.stderr == "Error: missing_extra: pyspiel is missing: pip install 'chinese-poker[openspiel]'\n"
    assert done.returncode == 1
