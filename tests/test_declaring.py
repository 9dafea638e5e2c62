"""Naturals in arrays of hands are those that the core finds."""

from __future__ import annotations

import sys
from functools import cache
from random import Random

import numpy as np
import pytest
from hands import PATTERNS, swapped

from chinese_poker.cards import DECK, parse_cards
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
