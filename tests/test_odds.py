"""Odds: exact against simulation, simulation against the core, and what the command makes of them."""

import json
from collections import Counter
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from commanding import lines, run
from plain import as_arrangement, legal_arrangements

from chinese_poker import odds
from chinese_poker.cards import DECK
from chinese_poker.counting import HANDS, best_five_counts, best_natural_counts
from chinese_poker.engine.batch import score_batch
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.declaring import natural_states
from chinese_poker.engine.settlement import settlement
from chinese_poker.errors import DealError
from chinese_poker.evaluate import Category
from chinese_poker.odds import (
    Exact,
    Simulated,
    best_odds,
    deals_odds,
    hands_odds,
    naturals_odds,
    play_odds,
    segments_odds,
)
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Naturals, RuleSet
from chinese_poker.score import played_naturals
from chinese_poker.strategy import strategy

BASIC = load_rules("basic")
MANDARIN = load_rules("mandarin")


def within(found: float, expected: float, error: float, errors: float = 4) -> bool:
    return abs(found - expected) <= errors * error


# ----------------------------------------------------------------------------------------------------
# Exact against simulation


@pytest.fixture(scope="module")
def hands():
    return deal(41, 0, 15_000).reshape(-1, 13)


@pytest.mark.parametrize("name", rule_names())
def test_the_best_naturals_come_as_often_as_they_are_counted(name, hands):
    rules = load_rules(name)
    states = natural_states(hands, settlement(rules))
    for natural, state in settlement(rules).naturals.items():
        chance = best_natural_counts(rules)[natural] / HANDS
        assert within((states == state).mean(), chance, sqrt(chance * (1 - chance) / len(hands))), natural


def test_a_house_that_plays_naturals_by_its_own_ranks():
    worth = dict.fromkeys(("all_small", "all_big", "one_colour"), 1)
    rules = RuleSet(name="ours", naturals=Naturals(worth=worth, big="6789TJQKA", small="A23456789"))
    table = naturals_odds(rules)
    dealt = deal(43, 0, 25_000).reshape(-1, 13).tolist()
    held = [played_naturals([DECK[card] for card in hand], rules) for hand in dealt]
    first = Counter(naturals[0] for naturals in held if naturals)
    assert first.keys() >= {"all_small", "all_big"}
    for natural in worth:
        chance = table.rows[natural.replace("_", " ")]["the best"].chance
        assert within(first[natural] / len(dealt), chance, sqrt(chance / len(dealt)))


@pytest.mark.parametrize("name", ["basic", "taiwan", "hong-kong"])
def test_somebody_holds_a_natural_as_often_as_deals_without_counting_say(name):
    rules, n = load_rules(name), 10_000
    table = deals_odds(rules, deals=20_000, seed=1)
    held = (natural_states(deal(77, 0, n).reshape(-1, 13), settlement(rules)) >= 0).reshape(n, 4)
    for players in (1, 2, 3, 4):
        chance = table.rows[f"{players} player{'s' * (players > 1)}"]["somebody"]
        somebody = held[:, :players].any(axis=1).mean()
        error = sqrt(somebody * (1 - somebody) / n + getattr(chance, "error", 0.0) ** 2)
        assert within(somebody, chance.chance, error), players
        assert players == 1 or 0 < chance.error < error / 2


def test_the_best_back_is_the_best_five(hands):
    table = best_odds(BASIC, deals=2_000, seed=2)
    sampled = odds._sampled(lambda first, count: odds._best_set(BASIC, 2, first, count), 2_000, None)
    cells = odds._Cells(sampled["best"], 2_000, 2)
    for category, count in best_five_counts().items():
        found = cells[2, category]
        assert within(found.chance, count / HANDS, max(found.error, sqrt(count / HANDS / 2_000)))
        assert table.rows[category.word.replace("_", " ")]["back"] == Exact(count, HANDS)


# ----------------------------------------------------------------------------------------------------
# Simulation against the core


@pytest.mark.parametrize(("name", "players"), [("basic", 4), ("mandarin", 3), ("vietnam", 2), ("indonesia", 4)])
def test_what_is_played_is_what_the_core_makes_of_each_deal(name, players):
    """Categories by ``judge``, wins by comparing strengths (or what ``score`` says where suits count), one by one."""
    rules, deals, seed = load_rules(name), 60, 5
    play = play_odds(rules, player="heuristic", players=players, deals=deals, seed=seed)
    dealt = deal(seed, 0, deals)[:, : 13 * players].reshape(-1, 13)
    setting = strategy("heuristic").arrange(dealt, rules, players)
    shares, met, won, ends = Counter(), Counter(), Counter(), Counter()
    by_suit = rules.ties == "suit"
    for first in range(0, len(dealt), players):
        seats = [
            as_arrangement(setting.cards[row].tolist()) if setting.states[row] < 0 else None
            for row in range(first, first + players)
        ]
        strengths = [seat and seat.judge(rules.wheel).strengths for seat in seats]
        suits = [seat and [best_suit(cards, rules) for cards in seat.segments] for seat in seats]
        ends["natural"] += sum(seat is None for seat in seats)
        for mine in filter(None, strengths):
            shares["hands"] += 1
            shares.update((place, strength.category) for place, strength in enumerate(mine))
        scooped = Counter()
        for i, j in permutations(range(players), 2):
            if not (strengths[i] and strengths[j]):
                continue
            keys = [
                [(strength, suit if by_suit else 0) for strength, suit in zip(strengths[k], suits[k], strict=True)]
                for k in (i, j)
            ]
            wins = [a > b for a, b in zip(*keys, strict=True)]
            losses = [a < b for a, b in zip(*keys, strict=True)]
            for place, strength in enumerate(strengths[i]):
                met[place, strength.category] += 1
                won[place, strength.category] += wins[place]
            ends["matchups"] += 1
            ends["scoop"] += all(wins)
            ends["more"] += sum(wins) > sum(losses) and not all(wins)
            ends["even"] += sum(wins) == sum(losses)
            scooped[i] += all(wins)
        ends["all"] += any(count == players - 1 for count in scooped.values())
    for table, counts, bases in (
        (play.categories, shares, lambda _: shares["hands"]),
        (play.wins, won, lambda key: met[key]),
    ):
        for place, segment in enumerate(("front", "middle", "back")):
            for category in Category:
                cell = table.rows.get(category.word.replace("_", " "), {}).get(segment)
                base = bases((place, category))
                expected = counts[place, category] / base if base else 0
                assert (cell.chance if cell else 0) == pytest.approx(expected), (table.name, segment, category)
    found = {row: cells["chance"].chance for row, cells in play.matchups.rows.items()}
    assert found == pytest.approx(
        {
            row: figure
            for row, figure in {
                "a hand scoops its opponent": ends["scoop"] / ends["matchups"],
                "wins more segments, without a scoop": ends["more"] / ends["matchups"],
                "wins as many as its opponent": ends["even"] / ends["matchups"],
                "somebody scoops all others": ends["all"] / deals,
                "a hand declares a natural": ends["natural"] / len(dealt),
            }.items()
            if figure
        }
    )


def best_suit(cards, rules):
    """The best suit among the cards of the rank that leads."""
    counts = Counter(card.rank for card in cards)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    run = sorted(counts) == [2, 3, 4, 5, 14] and rules.wheel == "lowest"
    lead = 5 if run else ranks[0]
    return max(rules.suit_worth[card.suit] for card in cards if card.rank == lead)


def test_the_best_segments_by_all_arrangements():
    rules, deals = MANDARIN, 12
    table = best_odds(rules, deals=deals, seed=9)
    best = Counter()
    for hand in deal(9, 0, deals)[:, :13].tolist():
        judged = [found.judge().strengths for found in legal_arrangements([DECK[card] for card in hand], rules)]
        for place, segment in enumerate(("front", "middle")):
            best[segment, max(strengths[place] for strengths in judged).category] += 1
    found = {
        (segment, category): cell.chance * deals
        for category in Category
        for segment, cell in table.rows[category.word.replace("_", " ")].items()
        if segment != "back"
    }
    assert found == pytest.approx(best)


def test_errors_are_as_large_as_the_figures_scatter():
    """One figure of each kind over 60 seeds: their spread against the mean of the errors that they claim."""
    cells = {
        "a share": lambda play: play.categories.rows["full house"]["back"],
        "a chance to win": lambda play: play.wins.rows["one pair"]["front"],
        "scoops": lambda play: play.matchups.rows["a hand scoops its opponent"]["chance"],
    }
    plays = [play_odds(BASIC, player="greedy", deals=80, seed=seed) for seed in range(60)]
    for name, cell in cells.items():
        found = [cell(play) for play in plays]
        spread = np.std([chance.chance for chance in found], ddof=1)
        claimed = sqrt(np.mean([chance.error**2 for chance in found]))
        assert 0.7 < spread / claimed < 1.35, name


def test_the_same_figures_however_the_deals_are_cut(monkeypatch):
    def figures():
        play = play_odds(MANDARIN, player="greedy", players=3, deals=50, seed=4)
        return [list(table.documents()) for table in play[:4]], play.points

    whole = figures()
    monkeypatch.setattr(odds, "CHUNK", 7)
    assert figures() == whole


def test_shares_and_backs_make_up_all_hands():
    play = play_odds(BASIC, player="greedy", deals=100)
    for segment in play.categories.columns:
        assert sum(row[segment].chance for row in play.categories.rows.values() if segment in row) == pytest.approx(1)
    for table in (segments_odds(), hands_odds()):
        column = table.columns[0] if table.name == "segments" else "at best"
        cells = [row[column] for row in table.rows.values() if column in row]
        assert sum(cell.count for cell in cells) == cells[0].of


def test_strengths_are_wins_told_finer():
    play = play_odds(BASIC, player="greedy", deals=300)
    for segment, lines_ in play.points.items():
        for category, points in lines_.items():
            chances = [chance for _, chance, _ in points]
            assert min(chances) - 1e-9 <= play.wins.rows[category][segment].chance <= max(chances) + 1e-9
    ranks = [rank for rank, _, _ in play.points["front"]["one pair"]]
    assert ranks == sorted(ranks)
    assert play.strengths.rows["pair of aces"]["front"].chance == play.points["front"]["one pair"][-1][1]


def test_mean_score_follows_from_the_odds_of_units_only():
    """Where a segment is a unit and nothing else, chances to win and to lose must add up to what is scored: nothing."""
    rules, deals = load_rules("units-only"), 400
    play = play_odds(rules, player="heuristic", players=2, deals=deals, seed=6)
    setting = strategy("heuristic").arrange(deal(6, 0, deals)[:, :26].reshape(-1, 13), rules, 2)
    totals = score_batch(setting.cards.reshape(deals, 2, 13), rules, states=setting.states.reshape(deals, 2))
    won = play.matchups.rows["a hand scoops its opponent"]["chance"].chance
    assert (np.abs(np.asarray(totals)[:, 0]) == 3).mean() == pytest.approx(2 * won)


@pytest.mark.parametrize(("players", "deals"), [(1, 10), (5, 10), (4, 1)])
def test_sizes_that_cannot_be(players, deals):
    with pytest.raises(DealError, match="bad_option"):
        play_odds(BASIC, player="greedy", players=players, deals=deals)


# ----------------------------------------------------------------------------------------------------
# The command


def test_json_says_of_each_figure_how_it_is_known():
    done = run("odds", "naturals", "deals", "play", "--deals", "40", "--strategy", "greedy", "--json", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, b"")
    figures = lines(done.stdout)
    assert {figure["how"] for figure in figures} == {"exact", "simulated"}
    for figure in figures:
        if figure["how"] == "exact":
            assert figure["chance"] == figure["count"] / figure["of"]
        else:
            assert figure["error"] > 0
            assert (figure["deals"], figure["seed"]) == (40, 3)
    dragon = next(figure for figure in figures if figure["row"] == "dragon")
    assert dragon == {
        "table": "naturals",
        "row": "dragon",
        "column": "held",
        "rules": "basic",
        "how": "exact",
        "chance": 67_108_864 / 635_013_559_600,
        "count": 67_108_864,
        "of": 635_013_559_600,
    }
    played = [figure for figure in figures if figure["table"] == "wins"]
    assert {(figure["rules"], figure["strategy"], figure["players"]) for figure in played} == {("basic", "greedy", 4)}


def test_tables_say_it_too():
    shown = run("odds", "naturals", "deals", "--deals", "40", PYTHONIOENCODING="utf-8").stdout.decode()
    assert "exact: counted among all 635,013,559,600 hands" in shown
    assert "simulated ± standard error (40 deals, seed 0); exact where no error is given" in shown
    dragon = next(line.split() for line in shown.splitlines() if line.strip().startswith("dragon"))
    assert dragon == ["dragon", *["67,108,864", "0.01057", "9,462.44"] * 2]
    assert "1.660 exact" in shown


def test_rules_decide_what_is_the_best():
    figures = lines(run("odds", "naturals", "--rules", "taiwan", "--json").stdout)
    best = {figure["row"]: figure["count"] for figure in figures if figure["column"] == "the best"}
    assert best["any of them"] == sum(count for row, count in best.items() if row != "any of them")
    assert "twelve of a suit" not in best


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["odds", "nonsense"], "'nonsense' is not one of"),
        (["odds", "play", "--players", "5"], "5 is not in the range 2<=x<=4"),
        (["odds", "play", "--deals", "1"], "1 is not in the range"),
        (["odds", "play", "--deals", "1e99"], "is not a valid integer"),
        (["odds", "play", "--strategy", "best"], "'best' is no strategy"),
        (["odds", "--rules", "nowhere"], "'nowhere' is no rule set"),
        (["odds", "--plot", "all.png"], "A plot shows one subject"),
    ],
)
def test_wrong_command_lines(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert done.stdout == b""


def test_documents_are_json():
    for table in (segments_odds(), hands_odds(), naturals_odds(BASIC)):
        for document in table.documents():
            assert json.loads(json.dumps(document)) == document


def test_a_chance_seen_in_no_deal_has_an_error_still():
    ratios = odds._Ratios.of(np.zeros((50, 1)), np.full((50, 1), 4))
    assert odds._Cells(ratios, 50, 0)[(0,)] == Simulated(0.0, 1 / 200, 50, 0)
    assert odds._Cells(odds._Ratios.of(np.zeros((50, 1)), np.zeros((50, 1))), 50, 0)[(0,)] is None
