"""What suggestions are worth, against full enumeration and plain simulation by the core alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from math import hypot, sqrt
from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest
from plain import (
    all_arrangements,
    as_arrangement,
    bank_of,
    dealt,
    gain,
    legal_arrangements,
    opponents,
    set_legally,
    unseen_by,
)

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.cards import DECK, parse_cards
from chinese_poker.deal import Player
from chinese_poker.engine.field import Field, judged
from chinese_poker.engine.settlement import settlement
from chinese_poker.engine.value import Table, home_run_units, odds, units, value
from chinese_poker.opponents import as_set, draw
from chinese_poker.presets import load_rules
from chinese_poker.rules import Banker, HomeRun, HomeRunMode, RuleSet, Scoop, Ties
from chinese_poker.strategy import strategy
from chinese_poker.suggest import suggest as suggest_against

suggest = partial(suggest_against, against="expected")
"""Against a player who declares every natural, as the plain opponents of these tests do."""
BASE = ("basic", "eastern", "western", "mandarin")
DRAGON = "2h3s4d5c6h7s8d9cThJsQdKcAh"
THREE_STRAIGHTS = "2h3s3d4c4h5s6d7cTsJhQdKcAs"


def simulated(random, mine, rules, unknown, deals, *, against="expected", known=(), dead=(), bank=None):
    """Mean units per opponent and its standard error, of what a player does against hands dealt from unseen cards."""
    deck = unseen_by(mine.cards, dead, *(other.cards for other in known))
    hands = [hand for _ in range(deals) for hand in dealt(random, unknown, deck)]
    met = opponents(hands, against, rules)
    tables = [[*known, *met[i : i + unknown]] for i in range(0, len(met), unknown)]
    gained = [gain(mine, others, rules, bank) / len(others) for others in tables]
    return fmean(gained), stdev(gained) / sqrt(deals)


# ----------------------------------------------------------------------------------------------------
# Reduced games


def reduced(seed, unseen, rules):
    """A hand, dead cards that leave a few, and every opponent that there can be."""
    hand, *_ = dealt(Random(seed), 1)
    rest = unseen_by(hand)
    Random(seed).shuffle(rest)
    held = list(combinations(rest[:unseen], 13))
    return hand, rest[unseen:], opponents(held, "expected", rules)


@pytest.mark.parametrize("name", [*BASE, "us-1-6", "taiwan", "indonesia", "vietnam", "washington", "palomar-eastern"])
@pytest.mark.parametrize("unseen", [13, 15])
def test_values_are_those_of_full_enumeration(name, unseen):
    rules = load_rules(name)
    hand, dead, others = reduced(f"{name} {unseen}", unseen, rules)
    found = suggest(hand, rules, opponents=1, dead=dead, top=6)
    assert (found.how, found.samples) == ("exact", len(others))
    for suggestion in found.suggestions:
        expected = fmean(gain(suggestion.arrangement, [other], rules, None) for other in others)
        assert suggestion.ev == pytest.approx(expected, abs=1e-9)
        assert suggestion.behind == pytest.approx(found.best.ev - expected, abs=1e-9)
        assert suggestion.error == suggestion.behind_error == 0


@pytest.mark.parametrize("name", ["eastern", "palomar-eastern"])
def test_the_best_of_a_reduced_game_is_the_best_of_all_arrangements(name):
    rules = load_rules(name)
    hand, dead, others = reduced(name, 14, rules)
    best = max(
        fmean(gain(arrangement, [other], rules, None) for other in others)
        for arrangement in legal_arrangements(hand, rules)
    )
    assert suggest(hand, rules, opponents=1, dead=dead).best.ev == pytest.approx(best, abs=1e-9)


def test_sixteen_unseen_cards_are_enumerated():
    rules = load_rules("mandarin")
    hand, dead, others = reduced(3, 16, rules)
    found = suggest(hand, rules, opponents=1, dead=dead)
    assert (found.how, found.samples, len(others)) == ("exact", 560, 560)
    expected = fmean(gain(found.best.arrangement, [other], rules, None) for other in others)
    assert found.best.ev == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("known", [0, 1])
def test_home_runs_of_reduced_games_are_enumerated_too(known):
    rules = RuleSet(name="x", scoop=Scoop(factor=2), home_run=HomeRun(factor=5, players=2))
    random = Random(8)
    hand, other = dealt(random, 2)
    shown, held = [set_legally(random, other)], random.sample(unseen_by(hand, other), 15)
    others = opponents(list(combinations(held, 13)), "expected", rules)
    dead = unseen_by(hand, held, *([other] if known else []))
    found = suggest(hand, rules, opponents=1 + known, dead=dead, known=shown[:known], top=20)
    assert found.how == "exact"
    for suggestion in found.suggestions:
        each = [gain(suggestion.arrangement, [*shown[:known], other], rules, None) / (1 + known) for other in others]
        assert suggestion.ev == pytest.approx(fmean(each), abs=1e-9)


def test_odds_are_those_of_full_enumeration():
    rules = load_rules("eastern")
    hand, dead, others = reduced(11, 15, rules)
    best = suggest(hand, rules, opponents=1, dead=dead).best
    strengths = best.arrangement.judge().strengths
    compared = [other.arrangement.judge().strengths for other in others if not other.declare]
    sides = [[(a > b) - (a < b) for a, b in zip(strengths, other, strict=True)] for other in compared]
    n = len(others)
    assert best.odds.win == pytest.approx([sum(side[i] == 1 for side in sides) / n for i in range(3)])
    assert best.odds.tie == pytest.approx([sum(side[i] == 0 for side in sides) / n for i in range(3)])
    assert best.odds.scoop == pytest.approx(sides.count([1, 1, 1]) / n)
    assert best.odds.scooped == pytest.approx(sides.count([-1, -1, -1]) / n)


# ----------------------------------------------------------------------------------------------------
# Whole tables: the engine's units deal by deal

WITH_HOME_RUNS = {name: load_rules(name) for name in ("mandarin", "indonesia", "taiwan", "vietnam", "fujian")} | {
    "of three, over fouls and naturals": replace(
        load_rules("mandarin"),
        name="of three",
        home_run=HomeRun(factor=4, players=3, mode=HomeRunMode.ON_TOP, counts_fouls=True, counts_naturals=True),
    ),
    "banker": RuleSet(
        name="bank", banker=Banker.OPTIONAL, scoop=Scoop(factor=2), home_run=HomeRun(factor=3, players=2)
    ),
    "banker wins ties": RuleSet(
        name="bank",
        revision=2,
        banker=Banker.OPTIONAL,
        ties=Ties.BANKER,
        scoop=Scoop(factor=2),
        home_run=HomeRun(factor=3, players=2),
    ),
}


@pytest.mark.parametrize("rules", WITH_HOME_RUNS.values(), ids=WITH_HOME_RUNS)
@pytest.mark.parametrize("how", ["strong", "weak", "tied"])
def test_pairs_and_home_runs_add_up_to_the_core_total(rules, how):
    """Strong and weak hands, so that both I and others scoop everybody; opponents foul, declare and tie, too."""
    random = Random(f"{rules.name} {how}")
    ranks = {"strong": "TJQKA", "weak": "23456789", "tied": "23456789TJQKA"}[how]
    good = [card for card in DECK if str(card)[0] in ranks]
    hand = dealt(random, 1, good)[0] if how != "tied" else parse_hand("2c3c7d4c4h9sJhQc6d6h8sTdKc")
    mine = [as_arrangement(hand)] if how == "tied" else []
    mine += [set_legally(random, hand) for _ in range(4 - len(mine))]
    count, deals = max(1, rules.home_run.players - 1), 150
    met = []
    for _ in range(deals):
        others = opponents(dealt(random, count, unseen_by(hand)), "heuristic", rules)
        if random.random() < 0.3:
            others[0] = Player("", as_arrangement(random.sample(list(others[0].cards), 13)))
        if how == "tied":
            twin = as_arrangement(card ^ 1 for card in mine[0].cards)
            others[-1] = Player("", twin)
            rest = dealt(random, count - 1, unseen_by(hand, twin.cards))
            others[:-1] = opponents(rest, "greedy", rules) if rest else []
        met.append(others)
    for banks in [None] if rules.banker is Banker.NONE else [None, True, False]:
        settled, rows = settlement(rules), [other for others in met for other in others]
        declared = [settled.naturals[other.declare] if other.declare else -1 for other in rows]
        theirs = judged([other.arrangement.cards for other in rows], rules, declared)
        my_field = judged([arrangement.cards for arrangement in mine], rules)
        table = Table(rules, theirs[slice(0, 0)], count, theirs, np.arange(len(theirs)), False, theirs, banks)
        pairs = units(my_field, theirs, rules, table.tie).reshape(len(mine), deals, count).sum(axis=2)
        more = home_run_units(my_field, table)
        expected = [[gain(arrangement, others, rules, bank_of(rules, banks)) for others in met] for arrangement in mine]
        assert (pairs + more).tolist() == expected
        assert more.any() or how == "tied"


# ----------------------------------------------------------------------------------------------------
# Plain simulation


@cache
def z_scores(name, count):
    """By how many standard errors suggestions for some hands differ from plain simulation, best and last."""
    rules = load_rules(name)
    random = Random(name)
    found = []
    for hand in dealt(random, 4)[:4] + [hand for _ in range((count - 1) // 4) for hand in dealt(random, 4)]:
        best = suggest(hand, rules, opponents=3).best
        mean, error = simulated(random, best.arrangement, rules, 3, 400)
        found.append((best.ev - mean) / hypot(error, best.error))
    return found[:count]


@pytest.mark.parametrize("name", BASE)
def test_values_are_those_of_plain_simulation(name):
    found = z_scores(name, 20)
    assert len(found) == 20
    assert max(map(abs, found)) < 4
    assert sqrt(fmean(z * z for z in found)) < 1.5
    assert abs(fmean(found)) < 0.9


@pytest.mark.parametrize(
    ("name", "banks"),
    [("hong-kong", None), ("hong-kong", True), ("hong-kong", False), ("malaya", True), ("malaya", False)],
)
def test_games_against_a_banker(name, banks):
    rules, random = load_rules(name), Random(f"{name} {banks}")
    for hand in dealt(random, 2):
        found = suggest(hand, rules, banks=banks)
        assert found.opponents == (1 if banks is False else 3)
        bank = bank_of(rules, banks)
        mean, error = simulated(random, found.best.arrangement, rules, found.opponents, 600, bank=bank)
        assert abs(found.best.ev - mean) < 4 * hypot(error, found.best.error)


def test_ties_go_to_the_banker():
    """An opponent who holds the same ranks: who banks decides."""
    rules = load_rules("hong-kong")
    mine, twin = parse_hand("KhJh7s 5sAh4c3c2c KdQcJdTh9h"), Arrangement.parse("KsJs7h | As5h4d3d2d | KcQdJcTs9s")
    for banks, expected in ((None, 0), (True, 3), (False, -1)):
        legal = legal_arrangements(mine, rules)
        assert max(gain(arrangement, [twin], rules, bank_of(rules, banks)) for arrangement in legal) == expected
        assert suggest(mine, rules, known=[twin], banks=banks).best.ev == expected


@pytest.mark.parametrize("name", ["eastern", "mandarin", "indonesia"])
def test_known_and_unknown_opponents(name):
    rules, random = load_rules(name), Random(name)
    hand, *others = dealt(random, 3)
    known = [set_legally(random, other) for other in others]
    for shown in (known, known[:1]):
        found = suggest(hand, rules, known=shown, opponents=3)
        mean, error = simulated(random, found.best.arrangement, rules, 3 - len(shown), 600, known=shown)
        assert abs(found.best.ev - mean) < 4 * hypot(error, found.best.error) + 1e-9


def test_dead_cards_are_not_dealt():
    rules, random = load_rules("basic"), Random(5)
    hand = parse_hand("2h2d5c 7c7d9sTsJh QsQdKc4h3d")
    dead = parse_cards("AsAhAdAcKsKhKd")
    found = suggest(hand, rules, opponents=2, dead=dead)
    mean, error = simulated(random, found.best.arrangement, rules, 2, 600, dead=dead)
    assert abs(found.best.ev - mean) < 4 * hypot(error, found.best.error)


@pytest.mark.parametrize("against", ["greedy", "heuristic"])
def test_opponents_of_other_strategies(against):
    rules, random = load_rules("eastern"), Random(against)
    hand, *_ = dealt(random, 1)
    found = suggest(hand, rules, opponents=1, against=against)
    mean, error = simulated(random, found.best.arrangement, rules, 1, 1000, against=against)
    assert abs(found.best.ev - mean) < 4 * hypot(error, found.best.error)


@pytest.mark.parametrize(("name", "hand"), [("basic", THREE_STRAIGHTS), ("taiwan", DRAGON), ("mandarin", DRAGON)])
def test_naturals_of_all_players_count_in_the_offer_to_declare(name, hand):
    """A dragon, or three straights, of which the opponents take four suits' worth of their own."""
    rules, random = load_rules(name), Random(name)
    cards = parse_hand(hand)
    found = suggest(cards, rules, opponents=1)
    player = Player("", hand=cards, declare=next(iter(found.naturals)))
    met = opponents([dealt(random, 1, unseen_by(cards))[0] for _ in range(1500)], "expected", rules)
    gained = [gain(player, [other], rules, None) for other in met]
    assert abs(found.declare.ev - fmean(gained)) < 4 * hypot(stdev(gained) / sqrt(1500), found.declare.error) + 1e-9
    assert found.declare.ev <= rules.naturals.worth[player.declare]
    assert found.advice == "declare"


def test_what_surrender_costs():
    rules = load_rules("us-1-6")
    found = suggest("2c3d4h5s7c8d9hTs2h4d6cJd8h", rules, opponents=3)
    assert found.surrender.ev == -rules.surrender
    assert found.surrender.error == 0
    foul = Arrangement.parse("AsAhAd | KsKhQsQh9d | 3c3h5d5c6h")
    assert suggest("2c3d4h5s7c8d9hTs2h4d6cJd8h", rules, known=[foul]).surrender.ev == 0


# ----------------------------------------------------------------------------------------------------
# Errors, seeds, symmetries


def test_errors_shrink_as_samples_grow():
    hand = "AsAd8h7c6d QsJd9h4c2s KhTd3c"
    few, many = (suggest(hand, load_rules("eastern"), opponents=1, samples=n, top=2) for n in (250, 4000))
    assert (few.samples, many.samples) == (250, 4000)
    assert few.best.error / many.best.error == pytest.approx(4, rel=0.25)


def test_differences_are_surer_than_values():
    found = suggest("AsAd8h7c6d QsJd9h4c2s KhTd3c", load_rules("eastern"), top=3)
    for other in found.suggestions[1:]:
        assert 0 < other.behind_error < found.best.error / 2
        assert other.behind == pytest.approx(found.best.ev - other.ev)


def test_separated_is_said_only_of_a_clear_lead():
    said = set()
    for hand in dealt(Random(3), 4) + dealt(Random(4), 4) + dealt(Random(5), 4):
        found = suggest(hand, load_rules("basic"), top=10)
        leads = [other.behind / other.behind_error for other in found.suggestions[1:] if other.behind_error]
        assert (found.how == "separated") is (min(leads, default=9) > 3)
        said.add(found.how)
    assert said == {"separated", "budget"}


def test_a_handful_of_opponents_separates_nothing():
    for samples in (1, 2, 10):
        found = suggest("AsAd8h7c6d QsJd9h4c2s KhTd3c", load_rules("basic"), samples=samples)
        assert found.how == "budget"


def test_errors_are_as_large_as_they_are_said_to_be():
    """A hand of the pool counts once, however many names of the suits fit it: over 24 hands errors of one size."""
    rules, random, found = load_rules("basic"), Random(8), []
    for hand in (hand for _ in range(6) for hand in dealt(random, 4)):
        best, other = suggest(hand, rules, opponents=1, top=2, samples=9000).suggestions[:2]
        fresh = np.array([dealt(random, 1, unseen_by(hand))[0] for _ in range(14_000)], np.int8)
        mine = judged([best.arrangement.cards, other.arrangement.cards], rules)
        first, second = units(mine, as_set(fresh, strategy("expected"), rules, 2), rules)
        for said, error, gained in ((best.ev, best.error, first), (other.behind, other.behind_error, first - second)):
            found.append((said - gained.mean()) / hypot(error, gained.std() / sqrt(len(gained)), 1e-9))
    assert 0.75 < sqrt(fmean(z * z for z in found)) < 1.15


def test_the_same_seed_gives_the_same():
    hand = "AsAd8h7c6d QsJd9h4c2s KhTd3c"
    for name in ("basic", "mandarin"):
        one, same = (suggest(hand, load_rules(name), seed=4, samples=1000) for _ in range(2))
        other = suggest(hand, load_rules(name), seed=5, samples=1000)
        assert one == same
        assert one.best.ev != other.best.ev


@pytest.mark.parametrize("name", ["basic", "mandarin", "indonesia"])
def test_the_order_of_the_cards_changes_nothing(name):
    random = Random(name)
    hand, other = dealt(random, 2)
    known = [set_legally(random, other)]
    first = suggest(hand, load_rules(name), known=known, opponents=2)
    again = suggest(random.sample(hand, 13), load_rules(name), known=known, opponents=2)
    assert first.suggestions == again.suggestions
    assert (first.legal, first.undominated, first.how) == (again.legal, again.undominated, again.how)


def renamed(cards, names):
    return [DECK[card // 4 * 4 + names[card % 4]] for card in cards]


@pytest.mark.parametrize("name", ["basic", "mandarin", "vietnam"])
def test_the_names_of_the_suits_change_no_exact_value(name):
    rules, random = load_rules(name), Random(name)
    hand, other, dead = dealt(random, 3)
    names = random.sample(range(4), 4)
    while names == sorted(names):
        names = random.sample(range(4), 4)
    known = set_legally(random, other)
    found, same = (
        [
            suggest(rename(hand), rules, known=[as_arrangement(rename(known.cards))], top=50),
            suggest(rename(hand), rules, opponents=1, dead=rename([*dead, *other[:12]]), top=50),
        ]
        for rename in (list, lambda cards: renamed(cards, names))
    )
    for first, second in zip(found, same, strict=True):
        assert first.how == second.how == "exact"
        assert (first.legal, first.undominated) == (second.legal, second.undominated)
        evs = [[suggestion.ev for suggestion in each.suggestions] for each in (first, second)]
        assert evs[0] == pytest.approx(evs[1], abs=1e-12)


def test_the_names_of_the_suits_change_sampled_values_within_their_errors():
    rules, hand = load_rules("eastern"), parse_hand("AsAd8h7c6d QsJd9h4c2s KhTd3c")
    first = suggest(hand, rules).best
    for names in ([3, 2, 1, 0], [1, 2, 3, 0]):
        second = suggest(renamed(hand, names), rules).best
        assert abs(first.ev - second.ev) < 4 * hypot(first.error, second.error)
        assert first.strengths == second.strengths


# ----------------------------------------------------------------------------------------------------
# The opponents that are met


@pytest.mark.parametrize("name", ["basic", "vietnam", "indonesia", "us-1-4"])
@pytest.mark.parametrize("dead", [0, 20])
def test_opponents_hold_cards_that_are_not_seen(name, dead):
    """Each sets thirteen of them legally or declares a natural; they are judged as by the core."""
    rules, random = load_rules(name), Random(name)
    seen = random.sample(range(52), 13 + dead)
    drawn = draw(np.array(seen, np.int8), strategy("expected"), rules, 2, 700, 0)
    settled, field = settlement(rules), drawn.field
    assert 300 <= len(field) <= 700
    assert not drawn.exact
    assert not np.isin(field.cards, seen).any()
    assert all(len(set(row)) == 13 for row in field.cards.tolist())
    fresh = judged(field.cards, rules)
    compared = field.states < settled.foul
    assert (field.states != settled.foul).all()
    assert np.array_equal(field.states[compared], fresh.states[compared])
    assert np.array_equal(field.values, fresh.values)
    for row, state in list(zip(field.cards.tolist(), field.states.tolist(), strict=True))[:200]:
        arrangement = as_arrangement(row)
        assert not arrangement.foul(rules.wheel, middle_may_equal_back=rules.middle_may_equal_back)
        (player,) = opponents([sorted(arrangement.cards)], "expected", rules)
        assert settled.states[state].natural == player.declare
        assert player.arrangement.judge(rules.wheel).strengths == arrangement.judge(rules.wheel).strengths


def test_every_unseen_card_is_held_as_often():
    """Of 39 cards each opponent holds a third; six standard errors."""
    seen = dealt(Random(9), 1)[0]
    field = draw(np.array(seen, np.int8), strategy("expected"), load_rules("basic"), 2, 10_000, 0).field
    held = np.bincount(field.cards.ravel(), minlength=52)[unseen_by(seen)] / len(field)
    assert len(field) > 3000
    assert abs(held - 1 / 3).max() < 6 * sqrt(2 / 9 / (len(field) / 2))


def test_more_candidates_than_are_asked_for_are_kept_where_wanted():
    rules, hand = load_rules("basic"), parse_hand("AsAd8h7c6d QsJd9h4c2s KhTd3c")
    mine = Field.joined([judged([set_legally(Random(1), hand).cards], rules), judged([hand], rules)])
    sample = draw(np.array(hand, np.int8), strategy("expected"), rules, 2, 3000, 0).field
    table = Table(rules, sample[slice(0, 0)], 3, sample, np.arange(len(sample)), False, sample[slice(0, 0)])
    assert set(value(mine, table, keep=[0, 1]).rows.tolist()) == {0, 1}
    assert len(odds(mine, table)) == 2


def test_a_whole_brute_force():
    """All 72,072 arrangements, fouls among them, one by one: the best is the first suggestion."""
    rules, random = load_rules("eastern"), Random(2)
    hand, other = dealt(random, 2)
    known = set_legally(random, other)
    best = max(gain(arrangement, [known], rules, None) for arrangement in all_arrangements(hand))
    assert suggest(hand, rules, known=[known]).best.ev == best
