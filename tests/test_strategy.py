"""Strategies: always legal, never dominated, blind to order and suits, and each better than the one before."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from test_engine_search import FAMILIES

from chinese_poker import DealError
from chinese_poker.arrangement import Arrangement
from chinese_poker.cards import DECK
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.field import judged
from chinese_poker.engine.search import undominated
from chinese_poker.engine.settlement import settlement
from chinese_poker.opponents import as_set
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Ties
from chinese_poker.strategy import strategies, strategy

BASIC = load_rules("basic")
BASE = ("basic", "eastern", "western", "mandarin")
HANDS = np.array([*deal(80, 0, 15).reshape(-1, 13).tolist(), *itertools.chain(*(f[:3] for f in FAMILIES.values()))])

each = pytest.mark.parametrize("name", strategies())


@each
@pytest.mark.parametrize("rule_set", rule_names())
def test_legal_by_the_core_and_not_dominated(name, rule_set):
    rules = load_rules(rule_set)
    options = {"wheel": rules.wheel, "middle_may_equal_back": rules.middle_may_equal_back}
    found = strategy(name).arrange(HANDS, rules, 4)
    best = undominated(HANDS, **options)
    values = judged(found.cards, rules).values if rules.ties is not Ties.SUIT else judged(found.cards, BASIC).values
    for i, (hand, cards) in enumerate(zip(HANDS.tolist(), found.cards.tolist(), strict=True)):
        assert sorted(cards) == sorted(hand)
        dealt = [DECK[card] for card in cards]
        set_hand = Arrangement(tuple(dealt[:3]), tuple(dealt[3:8]), tuple(dealt[8:]))
        assert not set_hand.judge(**options)[0]
        assert values[i].tolist() in best.of_hand(i).values.tolist()


@each
@pytest.mark.parametrize("rule_set", BASE)
def test_order_of_cards_and_names_of_suits_change_nothing(name, rule_set):
    dealer = random.Random(81)
    other = []
    for hand in HANDS.tolist():
        renamed = dealer.sample(range(4), 4)
        other.append([card // 4 * 4 + renamed[card % 4] for card in dealer.sample(hand, 13)])
    rules = load_rules(rule_set)
    played, again = (strategy(name).arrange(hands, rules, 4) for hands in (HANDS, other))
    assert np.array_equal(judged(played.cards, rules).values, judged(again.cards, rules).values)
    assert np.array_equal(played.states, again.states)


@each
@pytest.mark.parametrize("rule_set", ["basic", "mandarin", "vietnam", "washington"])
def test_interpreter_and_machine_code_play_alike(name, rule_set):
    rules = load_rules(rule_set)
    interpreted, compiled = (strategy(name).arrange(HANDS, rules, 4, compile=compile) for compile in (False, True))
    assert np.array_equal(interpreted.cards, compiled.cards)
    assert np.array_equal(interpreted.states, compiled.states)


def test_greedy_takes_the_strongest_back_then_middle():
    every = undominated(HANDS)
    strongest = [max(every.of_hand(i).values[:, ::-1].tolist()) for i in range(len(HANDS))]
    greedy = strategy("greedy").arrange(HANDS, BASIC, 4)
    assert judged(greedy.cards, BASIC).values[:, ::-1].tolist() == strongest


@pytest.fixture(scope="module")
def shared_deals():
    return deal(82, 0, 20_000).reshape(-1, 13)


def _gain(first, second, hands, rules):
    """(deals,) units per opponent: all hands of a deal set by the first against the others set by the second."""
    settled = settlement(rules)
    values, states = [], []
    for name in (first, second):
        field = as_set(hands, strategy(name), rules, 4)
        values.append(field.values.reshape(-1, 4, 3).astype(np.int64))
        states.append(field.states.reshape(-1, 4))
    total = 0
    for i, j in itertools.permutations(range(4), 2):
        code = 13 + np.sign(values[0][:, i] - values[1][:, j]) @ np.array([9, 3, 1])
        total = total + settled.units[states[0][:, i], states[1][:, j], code, 0]
    return total / 12


@pytest.mark.parametrize("rule_set", BASE)
def test_each_beats_the_one_before(rule_set, shared_deals):
    rules = load_rules(rule_set)
    for worse, better in itertools.pairwise(strategies()):
        gain = _gain(better, worse, shared_deals, rules)
        mean, error = gain.mean(), gain.std() / np.sqrt(len(gain))
        print(f"{rule_set}: {better} gains {mean:.4f} ± {error:.4f} units per opponent over {worse}")
        assert mean > 5 * error


def test_against_itself_nothing_is_gained(shared_deals):
    assert _gain("expected", "expected", shared_deals[:400], load_rules("mandarin")).sum() == 0


def test_an_unknown_strategy():
    with pytest.raises(DealError, match="'best' is no strategy; known: greedy, heuristic, expected") as caught:
        strategy("best")
    assert caught.value.code == "unknown_strategy"
