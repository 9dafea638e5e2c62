"""Naturals in arrays of hands are those that the core finds."""

from __future__ import annotations

import sys
from functools import cache
from random import Random

import numpy as np
import pytest
from hands import PATTERNS, swapped

from chinese_poker.cards import DECK, RANKS, parse_cards
from chinese_poker.engine import declaring
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.declaring import natural_states
from chinese_poker.engine.settlement import settlement
from chinese_poker.naturals import Natural, find_naturals
from chinese_poker.presets import load_rules, read_rules, rule_names
from chinese_poker.score import played_naturals


@pytest.fixture(scope="module")
def hands():
    """20,000 hands: random ones, and for each natural ones that hold it or miss it by a card."""
    random = Random(70)
    made = [maker(random) for maker in PATTERNS.values() for _ in range(200)]
    made += [swapped(random, hand) for hand in made]
    return np.concatenate([[parse_cards(" ".join(hand)) for hand in made], deal(70, 0, 3600).reshape(-1, 13)])


@pytest.fixture(scope="module")
def found_once():
    found = cache(find_naturals)
    return lambda cards, **ranks: found(tuple(cards), **ranks)


@pytest.mark.parametrize("name", rule_names())
def test_equal_to_the_core(name, hands, found_once, monkeypatch):
    monkeypatch.setattr(sys.modules[played_naturals.__module__], "find_naturals", found_once)
    rules = load_rules(name)
    settled = settlement(rules)
    assert len(hands) == 20_000
    held = [played_naturals([DECK[card] for card in hand], rules) for hand in hands.tolist()]
    expected = [settled.naturals[naturals[0]] if naturals else -1 for naturals in held]
    assert natural_states(hands, settled).tolist() == expected


def test_no_hands():
    assert natural_states(np.zeros((0, 13), np.int8), settlement(load_rules("taiwan"))).shape == (0,)


@pytest.mark.parametrize("name", [str(natural) for natural in Natural])
def test_one_natural_alone(name, hands, found_once, monkeypatch):
    """A sift may let more through than the core takes: six pairs, say, where only those with trips are played."""
    monkeypatch.setattr(sys.modules[played_naturals.__module__], "find_naturals", found_once)
    settled = settlement(read_rules({"name": f"{name} alone", "naturals": {"worth": {name: 3}}}))
    held = [name in found_once([DECK[card] for card in hand]) for hand in hands[::4].tolist()]
    assert any(held)
    assert natural_states(hands[::4], settled).tolist() == [settled.naturals[name] if each else -1 for each in held]


def few_hands():
    """300 hands: of each natural some that hold it or miss it by a card, and random ones."""
    random = Random(71)
    made = [maker(random) for maker in PATTERNS.values() for _ in range(9)]
    made += [swapped(random, hand) for hand in made]
    dealt = deal(71, 0, 12).reshape(-1, 13).tolist()
    return [*([DECK[card] for card in hand] for hand in dealt), *(parse_cards(" ".join(hand)) for hand in made)]


ALL = read_rules({"name": "all", "naturals": {"worth": {str(natural): 3 for natural in Natural}}})
ALONE = [
    read_rules({"name": natural, "naturals": {"worth": {natural: 3}}})
    for natural in ("six_pairs", "three_straights", "one_colour", "all_big")
]
FEW = [(rules, [(hand, played_naturals(hand, rules)) for hand in few_hands()]) for rules in (ALL, *ALONE)]


def test_a_few_hands_hold_what_the_core_finds():
    for rules, hands in FEW:
        settled = settlement(rules)
        expected = [settled.naturals[held[0]] if held else -1 for _, held in hands]
        states = natural_states([hand for hand, _ in hands], settled)
        assert states.tolist() == expected
        assert states.dtype == np.int16


def test_a_sift_looks_at_the_suits_that_make_flushes():
    ways = [(13, 0, 0, 0), (10, 3, 0, 0), (8, 5, 0, 0), (5, 5, 3, 0), (3, 10, 0, 0), (0, 5, 0, 8)]
    none = [(12, 1, 0, 0), (9, 4, 0, 0), (7, 6, 0, 0), (6, 4, 3, 0), (11, 2, 0, 0), (4, 3, 3, 3), (5, 5, 2, 1)]
    counts = declaring._Counts(np.zeros((13, 13), np.int8), np.array(ways + none, np.int8), "", "")
    assert declaring._three_flushes(counts).tolist() == [True] * len(ways) + [False] * len(none)


@pytest.mark.parametrize("length", [3, 5])
def test_runs_have_the_ace_low_and_high(length):
    ranks = f"A{RANKS}"
    runs = [ranks[low : low + length] for low in range(len(ranks) - length + 1)]
    assert declaring._runs(length).tolist() == [sum(5 ** RANKS.index(rank) for rank in run) for run in runs]
