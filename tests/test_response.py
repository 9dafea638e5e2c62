"""The best response to a population: its gains against a plain mean over the population, its cards against counting."""

from __future__ import annotations

import numpy as np
import pytest

from chinese_poker.engine import response as module
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.field import Field, candidates, plain_values
from chinese_poker.engine.response import knots_of, population, respond, response
from chinese_poker.engine.search import undominated
from chinese_poker.engine.settlement import settlement
from chinese_poker.engine.value import units
from chinese_poker.opponents import as_set
from chinese_poker.presets import load_rules
from chinese_poker.strategy import strategy

HANDS = deal(70, 0, 60).reshape(-1, 13)


def _population(name, players=2, hands=HANDS):
    rules = load_rules(name)
    met = as_set(hands, strategy("heuristic"), rules, players)
    return rules, met, knots_of(met, rules)


def _interpolated(gains, values):
    """The gain without the cards of the hand, by numpy."""
    n = [gains.fronts, gains.middles, gains.backs]
    table = gains.gain.reshape(n)
    at = values + np.array(module._FIRST)
    total = 0
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod([(gains.part if up else 1 - gains.part)[at[:, i]] for i, up in enumerate(corner)], axis=0)
        total += weight * table[tuple(gains.knot[at[:, i]] + up for i, up in enumerate(corner))]
    return total


@pytest.mark.parametrize("name", ["basic", "eastern", "mandarin", "taiwan", "us-1-6", "vietnam", "washington"])
def test_at_its_knots_a_gain_is_the_mean_over_the_population(name):
    """The mean is that of the units of every pair, by the code that values suggestions."""
    rules, met, knots = _population(name)
    best = response(population(met, knots, rules), knots, rules, 2)
    chance = np.random.default_rng(71)
    values = np.stack([chance.choice(k, 200) for k in knots], axis=1)
    mine = Field(np.zeros((200, 13), np.int8), values, settlement(rules).state_of(values))
    assert _interpolated(best.gains, values) == pytest.approx(units(mine, met, rules).mean(axis=1), abs=1e-9)


def test_between_knots_a_gain_lies_near_the_mean():
    rules, met, knots = _population("basic", hands=deal(72, 0, 2_000).reshape(-1, 13))
    best = response(population(met, knots, rules), knots, rules, 2)
    mine = met[slice(0, 500)]
    plays = mine.states < settlement(rules).foul
    apart = _interpolated(best.gains, plain_values(mine, rules)) - units(mine, met, rules).mean(axis=1)
    assert np.abs(apart[plays]).max() < 0.05
    assert np.sqrt((apart[plays] ** 2).mean()) < 0.01


@pytest.mark.parametrize("name", ["mandarin", "us-1-6"])
def test_what_compares_nothing_is_offered_its_mean(name):
    rules, met, knots = _population(name)
    best = response(population(met, knots, rules), knots, rules, 2)
    none = settlement(rules).units[:, met.states, 13, 0].mean(axis=1)
    ends = slice(settlement(rules).foul + 1, None)
    assert best.offers[ends] == pytest.approx(none[ends], abs=1e-12)


def test_home_runs_are_those_of_opponents_independent_of_each_other():
    """Against every pair of opponents out of the population: what the third player's home runs and mine add."""
    rules = load_rules("fujian")
    _, met, knots = _population("fujian", 4, HANDS[:40])
    counted = population(met, knots, rules)
    settled = settlement(rules)
    chance = np.random.default_rng(73)
    values = np.stack([chance.choice(k, 30) for k in knots], axis=1)
    mine = Field(np.zeros((30, 13), np.int8), values, settled.state_of(values))
    plain = module._gain(counted, knots, settled, 2)
    with_home_runs = module._gain(counted, knots, settled, 4)
    at = tuple(np.searchsorted(k, v) for k, v in zip(knots, values.T, strict=True))

    def sides(a, b):
        code = 13 + np.sign(a.values[:, None].astype(int) - b.values.astype(int)) @ np.array([9, 3, 1])
        states = a.states[:, None], b.states[None, :]
        more = settled.units[..., 1] - settled.units[..., 0]
        return settled.scoops[(*states, code)], more[(*states, code)]

    scoops, more = sides(mine, met)
    won = (scoops > 0).mean(axis=1)
    of_mine = ((scoops > 0) * more).mean(axis=1) * won**2
    theirs = (sides(met, met)[0] > 0).mean(axis=1)
    against = ((scoops < 0) * more * theirs**2).mean(axis=1)
    added = (with_home_runs - plain)[at]
    exact = of_mine + against
    assert np.abs(added).max() > 0.05
    assert added == pytest.approx(exact, abs=0.02)  # an opponent's own chance is that of its cell


def test_cards_shift_a_knot_as_counting_says():
    """Of all hands of a deck of 52, those that leave out what I hold: the mean over hands that hold ``a`` of a rank."""
    rules, met, knots = _population("basic", hands=deal(74, 0, 6_000).reshape(-1, 13))
    by_rank, _ = module._shifts(population(met, knots, rules), knots)
    values = plain_values(met, rules)
    held = (met.cards >> 2 == 12).sum(axis=1)
    apart = deal(74, 0, 6_000).reshape(-1, 4, 13)
    mine = (apart >> 2 == 12).sum(axis=2)
    assert np.array_equal(mine.ravel(), held)
    knot = int(np.searchsorted(knots.front, np.quantile(values[:, 0], 0.8)))
    wins = (values[:, 0] < knots.front[knot]) + (values[:, 0] == knots.front[knot]) / 2
    for aces in (0, 1, 2):
        seats = mine[:, 0] == aces
        others = wins.reshape(-1, 4)[seats, 1:].mean()
        error = 0.5 / np.sqrt(seats.sum() * 3)
        assert by_rank[12, aces, knot] * 13 / 12 == pytest.approx(others - wins.mean(), abs=4 * error)


@pytest.mark.parametrize("name", ["basic", "mandarin", "us-1-6", "washington"])
def test_interpreter_and_machine_code_respond_alike(name):
    rules, met, knots = _population(name)
    best = response(population(met, knots, rules), knots, rules, 4)
    (found, declared), (again, also) = (respond(HANDS[:60], best, rules, compile=compile) for compile in (False, True))
    assert np.array_equal(found.packed, again.packed)
    assert np.array_equal(declared, also)


def test_the_response_gains_most_of_all_undominated_arrangements():
    """Chosen by the kernel, and by numpy with the shifts added up plainly."""
    rules, met, knots = _population("mandarin", hands=deal(75, 0, 500).reshape(-1, 13))
    best = response(population(met, knots, rules), knots, rules, 2)
    gains = best.gains
    hands = deal(76, 0, 15).reshape(-1, 13)
    found, _ = respond(hands, best, rules)
    k = gains.fronts + gains.middles + gains.backs
    by_rank, by_suit = gains.by_rank.reshape(13, 5, k), gains.by_suit.reshape(14, k)
    coarse = [(n - 1 >> 2) + 1 for n in (gains.fronts, gains.middles, gains.backs)]
    slopes = gains.slope.reshape(3, *coarse)
    starts = np.array([0, gains.fronts, gains.fronts + gains.middles])
    for i, hand in enumerate(hands):
        shift = sum(by_rank[r, (hand >> 2 == r).sum()] for r in range(13))
        shift = shift + sum(by_suit[(hand & 3 == s).sum()] for s in range(4))
        values = undominated(hand).values.astype(int)
        at = values + np.array(module._FIRST)
        knot, part = gains.knot[at], gains.part[at]
        moved = (1 - part) * shift[knot + starts] + part * shift[knot + starts + 1]
        slope = slopes[:, knot[:, 0] >> 2, knot[:, 1] >> 2, knot[:, 2] >> 2].T
        total = _interpolated(gains, values) + (moved * slope).sum(axis=1)
        chosen = (values == found.values[i]).all(axis=1)
        assert chosen.sum() == 1
        assert total[chosen][0] == pytest.approx(total.max(), abs=1e-12)


def test_a_natural_is_declared_where_that_gains_more():
    """A dragon that could be a royal flush over two straights plays on where the house pays next to nothing for it."""
    rules, met, knots = _population("basic")
    best = response(population(met, knots, rules), knots, rules, 2)
    dragon = np.arange(0, 52, 4)[None]
    state = next(iter(settlement(rules).naturals.values()))
    assert respond(dragon, best, rules)[1].tolist() == [state]
    poor = best._replace(offers=np.full_like(best.offers, -9.0))
    assert respond(dragon, poor, rules)[1].tolist() == [-1]


def test_candidates_are_met_by_suit_rules_too():
    rules, met, knots = _population("indonesia")
    assert plain_values(met, rules).max() < 7462
    best = response(population(met, knots, rules), knots, rules, 2)
    found, _ = respond(HANDS[:5], best, rules)
    for i, hand in enumerate(HANDS[:5]):
        finer = candidates(hand, rules).values.tolist()
        assert any([f // 4, m // 4, b // 4] == found.values[i].tolist() for f, m, b in finer)
