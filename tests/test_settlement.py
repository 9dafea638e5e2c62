"""Rule sets as tables against the core: every matchup of every kind of deal, and what makes domination safe."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hands import nasty_deal
from settling import read
from test_engine_batch import EVERY_RULES, RULES

from chinese_poker.engine.settlement import settlement
from chinese_poker.matchup import Reason
from chinese_poker.presets import load_rules, read_rules, rule_names
from chinese_poker.rules import (
    MOST_UNITS,
    Banker,
    Bonuses,
    ByCategory,
    FactorOn,
    HomeRun,
    HomeRunMode,
    Majority,
    MajorityRule,
    PaidTo,
    RuleSet,
    Scoop,
    Ties,
    Units,
)
from chinese_poker.score import score

DEALS = 100


def nasty_deals(rules, count):
    """Deals of 2 to 4 players with fouls, naturals and surrenders, the naturals named as the rule set has them."""
    random = Random(rules.name)
    house = {
        "surrender": rules.surrender,
        "naturals": [str(natural) for natural in rules.naturals.ranking],
        "big": rules.naturals.big,
        "small": rules.naturals.small,
        "banker": {Banker.NONE: "no", Banker.OPTIONAL: "may", Banker.REQUIRED: "must"}[rules.banker],
    }
    return [read(*nasty_deal(random, house)) for _ in range(count)]


def state_of(player, settled):
    """The state of a settled player."""
    if player.surrender:
        return next(i for i, state in enumerate(settled.states) if state.surrender)
    if player.natural:
        return settled.naturals[player.natural]
    if player.foul:
        return settled.foul
    front, middle, back = player.strengths
    table = settled.tables
    values = [table.value_of_front(front), table.value_of_five(middle), table.value_of_five(back)]
    return int(settled.state_of(np.array([values]))[0])


def code_of(matchup):
    """Who wins the segments, as the items of the core say: those of one segment have the sign of its winner."""
    weights = {"front": 9, "middle": 3, "back": 1}
    sides = {item.segment: np.sign(item.units) for item in matchup.items if item.segment}
    return 13 + sum(weights[segment] * int(side) for segment, side in sides.items())


@EVERY_RULES
def test_every_matchup_is_that_of_the_core(rules):
    settled = settlement(rules)
    met = set()
    for deal in nasty_deals(rules, DEALS):
        result = score(deal, rules)
        states = [player and state_of(player, settled) for player in result.players]
        for matchup in result.matchups:
            i, j = (states[seat] for seat in matchup.players)
            code = code_of(matchup)
            if rules.bonuses.paid_to is PaidTo.BOTH and max(i, j) < settled.foul:
                code = code_of_strengths(*(result.players[seat].strengths for seat in matchup.players))
                if code is None:
                    continue
            home_run = int(result.home_run in matchup.players)
            bonus = sum(item.units for item in matchup.items if item.reason in (Reason.BONUS, Reason.BONUS_CAP))
            met.add((i < settled.foul, j < settled.foul, home_run))
            assert settled.units[i, j, code, home_run] == matchup.total
            assert settled.bonus[i, j, code] == bonus
    assert len(met) >= 4


def code_of_strengths(first, second):
    """Where bonuses are paid win or lose the items do not tell; none where a segment is tied."""
    sides = [(a > b) - (a < b) for a, b in zip(first, second, strict=True)]
    return None if 0 in sides else 13 + 9 * sides[0] + 3 * sides[1] + sides[2]


@pytest.mark.parametrize("name", [name for name, rules in RULES.items() if rules.home_run.factor > 1])
def test_who_hits_a_home_run_is_as_in_the_core(name):
    rules = RULES[name]
    settled = settlement(rules)
    hits = 0
    for deal in nasty_deals(rules, 2 * DEALS):
        result = score(deal, rules)
        seats = [i for i, player in enumerate(result.players) if player]
        if len(seats) < rules.home_run.players:
            continue
        states = [player and state_of(player, settled) for player in result.players]
        scooped = set()
        for matchup in result.matchups:
            i, j = matchup.players
            sides = settled.scoops[states[i], states[j], code_of(matchup)]
            scooped |= {(i, j)} if sides > 0 else {(j, i)} if sides < 0 else set()
        found = [i for i in seats if all((i, j) in scooped for j in seats if j != i)]
        assert found == ([] if result.home_run is None else [result.home_run])
        hits += len(found)
    assert hits


@EVERY_RULES
def test_what_one_gains_the_other_loses(rules):
    settled = settlement(rules)
    for table in (*np.moveaxis(settled.units, 3, 0), settled.scoops, settled.bonus):
        assert np.array_equal(table, -table.transpose(1, 0, 2)[:, :, ::-1])


def test_the_largest_figures_fit():
    rules = RuleSet(
        name="large",
        units=Units(front=MOST_UNITS, middle=MOST_UNITS, back=MOST_UNITS),
        scoop=Scoop(factor=MOST_UNITS),
        home_run=HomeRun(factor=2),
    )
    assert settlement(rules).units[0, 0, 26].tolist() == [3 * MOST_UNITS**2, 6 * MOST_UNITS]


MONOTONE = {
    "plain": RuleSet(name="plain"),
    "cap on everything": RuleSet(name="cap", scoop=Scoop(factor=3), cap=5),
    "bonus that rises": RuleSet(name="rises", bonuses=Bonuses(back={"four_of_a_kind": 1, "straight_flush": 1})),
    "majority": RuleSet(name="majority", majority=Majority(units=3, rule=MajorityRule.MORE_THAN_OPPONENT)),
    "home run on top": RuleSet(
        name="on top", scoop=Scoop(factor=4), home_run=HomeRun(factor=2, mode=HomeRunMode.ON_TOP)
    ),
    "home run as much as the scoop": RuleSet(name="as much", scoop=Scoop(factor=3), home_run=HomeRun(factor=3)),
    "by suit": RuleSet(name="by suit", ties=Ties.SUIT),
}
"""Rule sets under which only undominated arrangements can be best."""

UNSAFE = {
    "bonus for a pair alone": RuleSet(name="pair", bonuses=Bonuses(front={"one_pair": 5})),
    "bonus for a flush alone": RuleSet(
        name="flush", bonuses=Bonuses(middle={"flush": 4, "full_house": 3, "four_of_a_kind": 9, "straight_flush": 9})
    ),
    "bonus won or lost": RuleSet(name="both", bonuses=Bonuses(paid_to=PaidTo.BOTH, back={"straight": 6})),
    "two pair worth less": RuleSet(
        name="less", units=Units(middle=3, by_category=ByCategory(middle={"two_pair": 1, "straight": 5}))
    ),
    "bonuses capped in place of units": load_rules("palomar-eastern"),
    "home run in place of a larger scoop": RuleSet(
        name="in place", scoop=Scoop(factor=4), home_run=HomeRun(factor=2, mode=HomeRunMode.IN_PLACE, players=3)
    ),
    "home run over fouls": RuleSet(
        name="fouls",
        scoop=Scoop(factor=3, factor_on=FactorOn.ALL),
        home_run=HomeRun(factor=2, players=2, counts_fouls=True),
    ),
}
"""Rule sets under which a dominated arrangement can be best."""


@pytest.mark.parametrize("rules", MONOTONE.values(), ids=MONOTONE)
def test_safe_domination_is_known(rules):
    assert settlement(rules).is_monotone


@pytest.mark.parametrize("rules", UNSAFE.values(), ids=UNSAFE)
def test_unsafe_domination_is_known(rules):
    assert not settlement(rules).is_monotone


@pytest.mark.parametrize("name", rule_names())
def test_domination_is_safe_under_every_preset_but_one(name):
    assert settlement(load_rules(name)).is_monotone is (name != "palomar-eastern")


def test_every_state_is_there_once():
    for rules in RULES.values():
        states = settlement(rules).states
        assert all(a != b for a, b in combinations(states, 2))
        assert states[settlement(rules).foul].foul


def test_a_home_run_that_costs_its_scoops_keeps_dominated_arrangements_in_play():
    rules = {"scoop": {"factor": 3}, "home_run": {"factor": 2}}
    assert not settlement(read_rules({"name": "less for more", **rules})).is_monotone
    flat = {"foul": {"pays": "flat", "units": 7}, "naturals": {"worth": {}}}  # so that the home run costs nothing else
    assert not settlement(read_rules({"name": "flat foul", **rules, **flat})).is_monotone
    assert settlement(read_rules({"name": "as much", **rules, "home_run": {"factor": 3}})).is_monotone


def test_a_scoop_that_multiplies_what_it_loses_keeps_dominated_arrangements_in_play():
    rules = {
        "bonuses": {"paid_to": "both", "back": {"four_of_a_kind": 10, "straight_flush": 10}},
        "scoop": {"factor": 2},
    }
    assert settlement(read_rules({"name": "regular", **rules})).is_monotone
    everything = {**rules, "scoop": {"factor": 2, "factor_on": "all"}}
    assert not settlement(read_rules({"name": "everything", **everything})).is_monotone


@pytest.mark.parametrize("segment", ["front", "middle", "back"])
def test_one_segment_alone_may_cost_by_winning(segment):
    """To win the cheap segment as well doubles what is lost to a bonus; to win a dear one gains more than that."""
    rules = {
        "units": {"front": 5, "middle": 5, "back": 5} | {segment: 1},
        "bonuses": {"paid_to": "both", "back": {"four_of_a_kind": 13, "straight_flush": 13}},
        "scoop": {"factor": 2, "factor_on": "all"},
    }
    settled = settlement(read_rules({"name": segment, **rules}))
    first, second = settled.back[[0, -1]]
    won = {"front": 26 - 9, "middle": 26 - 3, "back": 26 - 1}
    gains = {each: settled.units[first, second, [code, 26], 0].tolist() for each, code in won.items()}
    expected = {each: [6 - 13, -4] if each != segment else [10 - 13, -4] for each in won}
    assert gains == expected
    assert not settled.is_monotone
    cheaper = rules | {"bonuses": {"paid_to": "both", "back": {"four_of_a_kind": 12, "straight_flush": 12}}}
    assert settlement(read_rules({"name": f"{segment}, cheaper", **cheaper})).is_monotone


def test_the_states_and_the_wheel_are_those_of_the_rules():
    for rules in (RuleSet(name="plain"), load_rules("us-1-4"), RULES["suits upside down"]):
        settled = settlement(rules)
        assert settled.tables.wheel is rules.wheel
        assert [bool(state.surrender) for state in settled.states].count(True) == (rules.surrender is not None)
        assert [state.natural for state in settled.states if state.natural] == list(rules.naturals.ranking)
        assert settled.units.dtype == np.int32
        assert settled.scoops.dtype == np.int8
        assert (settled.front.dtype, settled.middle.dtype, settled.back.dtype) == (np.int16,) * 3
        assert settled.bonus.dtype == np.int64


def test_every_front_may_have_a_bonus():
    """Then no front has the worth of a category that three cards cannot make."""
    bonuses = Bonuses(front={"high_card": 1, "one_pair": 2, "three_of_a_kind": 3})
    settled = settlement(RuleSet(name="fronts", bonuses=bonuses))
    assert settled.front.tolist() == [0] * 286 + [1] * 156 + [2] * 13
    assert settled.units[[0, 1, 2], 0, 26, 0].tolist() == [4, 5, 6]
