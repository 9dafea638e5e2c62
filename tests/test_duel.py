"""Duels: luck cancels exactly, every unit is the core's, intervals hold what they say, and threads change nothing."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pexpect
import pytest
from commanding import COMMAND, run

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.cards import DECK
from chinese_poker.deal import Deal, Player
from chinese_poker.duel import LEAST, DuelResult, duel, seatings
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.declaring import natural_states
from chinese_poker.engine.settlement import settlement
from chinese_poker.errors import DealError
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.rules import Banker
from chinese_poker.score import score
from chinese_poker.setting import Setting
from chinese_poker.strategy import strategies, strategy

BASIC, MANDARIN, MALAYA = map(load_rules, ("basic", "mandarin", "malaya"))
BASE = ("basic", "eastern", "western", "mandarin")


class Wild:
    """Plays by lot, the same for the same hand: as another does, in any order, a natural, a surrender, a foul."""

    name = "wild"

    def __init__(self, seed: int = 0, of: str = "greedy") -> None:
        self.seed, self.of = seed, strategy(of)

    def arrange(self, hands, rules, players):
        settled = settlement(rules)
        cards, declared, _ = self.of.arrange(hands, rules, players)
        cards, states = np.array(cards), np.full(len(cards), -1, np.int16)
        for row, hand in enumerate(np.sort(hands, axis=1).tolist()):
            dealer = random.Random(f"{self.seed} {hand}")
            kind = dealer.randrange(6)
            if kind == 0:
                cards[row] = dealer.sample(hand, 13)
            elif kind == 1:
                states[row] = settled.foul
            elif kind == 2 and rules.surrender is not None:
                states[row] = len(settled.states) - 1
            elif declared[row] >= 0:
                states[row] = declared[row]
        return Setting(cards, states)


def player_of(cards, state, settled):
    state = settled.states[state] if state >= 0 else None
    hand = [DECK[card] for card in cards.tolist()]
    if state and state.surrender:
        return Player("x", surrender=True)
    if state and state.natural:
        return Player("x", hand=tuple(hand), declare=str(state.natural))
    if state and state.foul:
        return Player("x", Arrangement(tuple(hand[:4]), tuple(hand[4:8]), tuple(hand[8:])))
    return Player("x", Arrangement.of(hand))


def by_the_core(contestants, rules, seed, deals, players):
    """Units per deal of each from each, by reason and in all, from ``score`` on every seating and bank."""
    settled, c = settlement(rules), len(contestants)
    hands = deal(seed, 0, deals)[:, : 13 * players].reshape(deals, players, 13)
    sets = [each.arrange(hands.reshape(-1, 13), rules, players) for each in contestants]
    least, over = divmod(players, c)
    seatings = set()
    for extra in itertools.combinations(range(c), over):
        seatings |= set(itertools.permutations([*range(c)] * least + [*extra]))
    gains = np.zeros((deals, c, c))
    reasons = [Counter() for _ in range(c)]
    for number, seats in itertools.product(range(deals), seatings):
        seated = [
            player_of(sets[k].cards[number * players + seat], sets[k].states[number * players + seat], settled)
            for seat, k in enumerate(seats)
        ]
        for banker in range(players) if rules.banker is Banker.REQUIRED else [None]:
            for (i, j), items, total in score(Deal(tuple(seated), banker), rules).matchups:
                first, second = seats[i], seats[j]
                if first != second:
                    gains[number, first, second] += total
                    gains[number, second, first] -= total
                    for item in items:
                        fouled = items[0].reason == "foul"
                        reason = "foul" if fouled else item.segment if item.reason == "segment" else item.reason
                        reason = {"bonus_cap": "bonus", "scoop_factor": "scoop"}.get(reason, reason)
                        reasons[first][reason] += item.units
                        reasons[second][reason] -= item.units
    return gains, reasons


CASES = [
    ("basic", 2, 2),
    ("basic", 2, 3),
    ("mandarin", 2, 4),
    ("mandarin", 4, 4),
    ("malaya", 2, 4),
    ("malaya", 3, 3),
    ("indonesia", 3, 4),
    ("indonesia", 2, 2),
    ("fujian", 2, 4),
    ("us-1-4", 2, 3),
    ("palomar-eastern", 2, 2),
]


@pytest.mark.parametrize(("rule_set", "contestants", "players"), CASES)
def test_every_unit_is_that_of_the_core(rule_set, contestants, players):
    rules, deals = load_rules(rule_set), 12
    pool = [strategy("greedy"), Wild(1), strategy("expected"), Wild(2, "heuristic")][:contestants]
    gains, reasons = by_the_core(pool, rules, 5, deals, players)
    result = duel(pool, rules, seed=5, deals=deals, players=players, batch=5)
    for i, j in itertools.permutations(range(contestants), 2):
        matchups = int(result.matchups[i, j])
        a_deal = gains[:, i, j] / matchups
        assert result.estimate(i, j).mean == pytest.approx(a_deal.mean(), abs=1e-12)
        half_width = 1.959964 * a_deal.std(ddof=1) / np.sqrt(deals)
        assert result.estimate(i, j).half_width == pytest.approx(half_width, abs=1e-12)
    for found, expected in zip(result.contestants, reasons, strict=True):
        assert {part: units for part, units in found.gained.items() if units} == {
            k: v for k, v in expected.items() if v
        }
        assert sum(found.gained.values()) == pytest.approx(found.units.mean * found.matchups)


@pytest.mark.parametrize("rule_set", rule_names())
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_strategy_against_itself_gains_nothing_on_any_deal(rule_set, players):
    for contestants in ([Wild(3), Wild(3)], [strategy("expected")] * players):
        result = duel(contestants, load_rules(rule_set), seed=1, deals=30, players=players)
        for i, j in itertools.product(range(len(contestants)), repeat=2):
            assert result.estimate(i, j) == (0, 0)
        assert not any(units for each in result.contestants for units in each.gained.values())


@pytest.mark.parametrize(("rules", "players"), [(BASIC, 3), (MANDARIN, 4), (MALAYA, 4)])
def test_the_order_of_the_contestants_changes_nothing(rules, players):
    names = ["greedy", "heuristic", "expected"]
    first = duel(names, rules, seed=2, deals=60, players=players)
    by_name = {each.name: each for each in first.contestants}
    for order in itertools.permutations(names):
        again = duel(order, rules, seed=2, deals=60, players=players)
        assert {each.name: each for each in again.contestants} == by_name
    for one, other in itertools.permutations(names, 2):
        assert by_name[one].over[other].mean == -by_name[other].over[one].mean
        assert by_name[one].over[other].half_width == by_name[other].over[one].half_width


@pytest.mark.parametrize(("contestants", "players"), [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)])
@pytest.mark.parametrize("bank", [False, True])
def test_seatings_are_closed_under_rotation_and_exchange(contestants, players, bank):
    found = set(seatings(contestants, players, bank=bank))
    for seats, banker in found:
        assert set(seats) == set(range(contestants))
        turned = None if banker is None else (banker + 1) % players
        assert (seats[-1:] + seats[:-1], turned) in found
        for exchange in itertools.permutations(range(contestants)):
            assert (tuple(exchange[each] for each in seats), banker) in found
    assert len({banker for _, banker in found}) == (players if bank else 1)


@pytest.mark.parametrize("rule_set", BASE)
def test_each_shipped_strategy_beats_those_before(rule_set):
    result = duel(strategies()[:3], load_rules(rule_set), seed=3, deals=6_000)
    for worse, better in itertools.combinations(range(3), 2):
        gain = result.estimate(better, worse)
        print(rule_set, result.names[better], "over", result.names[worse], gain)
        assert gain.mean > gain.half_width


@pytest.mark.parametrize("rules", [BASIC, MALAYA])
def test_workers_and_batches_change_nothing(rules):
    options = {"seed": 4, "deals": 700, "players": 3}
    document = duel([Wild(1), "expected"], rules, **options).document()
    for workers, batch in ((2, 500), (3, 90), (1, 700)):
        assert duel([Wild(1), "expected"], rules, **options, workers=workers, batch=batch).document() == document


def test_a_seed_is_a_duel_and_the_first_deals_are_the_same():
    documents = [duel(["greedy", "expected"], BASIC, seed=seed, deals=50).document() for seed in (1, 1, 2)]
    assert documents[0] == documents[1]
    assert documents[0]["contestants"] != documents[2]["contestants"]


def test_it_stops_at_the_precision_whatever_the_workers():
    results = [duel(["greedy", "heuristic"], BASIC, precision=0.05, workers=workers) for workers in (1, 3)]
    assert results[0].document() == results[1].document()
    stopped = results[0]
    assert stopped.stopped == "precision"
    assert stopped.half_width <= 0.05
    assert stopped.deals >= LEAST
    before = duel(["greedy", "heuristic"], BASIC, deals=stopped.deals - 500)
    assert before.half_width > 0.05 or before.deals < LEAST


def test_it_stops_at_the_deals_before_the_precision():
    result = duel(["greedy", "heuristic"], BASIC, precision=0.0001, deals=1_200)
    assert (result.stopped, result.deals) == ("deals", 1_200)


def test_alike_players_stop_at_the_least_number_of_deals():
    result = duel(["greedy", "greedy"], BASIC, precision=0.002)
    assert (result.deals, result.half_width, result.names) == (LEAST, 0, ("greedy (1)", "greedy (2)"))


def test_one_deal_has_no_interval():
    result = duel(["greedy", "expected"], BASIC, deals=1)
    assert result.half_width == np.inf
    assert result.document()["contestants"][0]["half_width"] is None


def test_intervals_hold_the_long_run_value_as_often_as_they_say():
    long_run = duel(["heuristic", "greedy"], MANDARIN, seed=1_000, deals=20_000).estimate(0, 0).mean
    found = [duel(["heuristic", "greedy"], MANDARIN, seed=seed, deals=60).estimate(0, 0) for seed in range(250)]
    held = sum(abs(mean - long_run) <= half_width for mean, half_width in found)
    assert 0.91 * 250 <= held <= 0.985 * 250  # 95 % of 250: 237.5, standard deviation 3.4


def test_duplicate_is_narrower_than_deals_played_once():
    """The interval is that of deals, whose luck has cancelled; played once they scatter far more."""
    contestants = [strategy("expected"), strategy("heuristic")]
    result = duel(contestants, BASIC, seed=6, deals=300)
    hands = deal(6, 0, 300)[:, :26].reshape(300, 2, 13)
    expected, heuristic = (each.arrange(hands.reshape(-1, 13), BASIC, 2) for each in contestants)
    settled = settlement(BASIC)
    single = [
        score(
            Deal(
                (
                    player_of(expected.cards[2 * n], expected.states[2 * n], settled),
                    player_of(heuristic.cards[2 * n + 1], heuristic.states[2 * n + 1], settled),
                )
            ),
            BASIC,
        ).totals[0]
        for n in range(300)
    ]
    assert result.half_width < 1.959964 * np.std(single, ddof=1) / np.sqrt(300) / 3


def test_counts_of_hands():
    contestants = [Wild(8), strategy("expected")]
    rules = load_rules("us-1-4")
    result = duel(contestants, rules, seed=9, deals=400, players=3)
    hands = deal(9, 0, 400)[:, :39].reshape(-1, 13)
    settled = settlement(rules)
    wild, expected = result.contestants
    states = contestants[0].arrange(hands, rules, 3).states
    natural = natural_states(hands, settled)
    assert wild.hands == expected.hands == 1200
    assert wild.surrenders == (states == len(settled.states) - 1).sum() > 0
    assert wild.naturals == ((states > settled.foul) & (states < len(settled.states) - 1)).sum() > 0
    assert wild.fouls >= (states == settled.foul).sum() > 0
    assert (wild.bad_answers, expected.bad_answers, expected.fouls) == (0, 0, 0)
    assert expected.naturals == (natural >= 0).sum()


BAD_OPTIONS = [
    ({"players": 5}, "5 players"),
    ({"players": 1}, "1 players"),
    ({"deals": 0}, "0 deals"),
    ({"deals": 10**13}, "deals; play 1 to"),
    ({"precision": 0}, "precision"),
    ({"precision": float("nan")}, "precision"),
    ({"workers": 0}, "workers"),
    ({"workers": 257}, "257 workers; have 1 to 256"),
    ({"batch": 10**6}, "deals in a batch"),
]


@pytest.mark.parametrize(("options", "told"), BAD_OPTIONS)
def test_bad_options(options, told):
    with pytest.raises(DealError, match=told) as caught:
        duel(["greedy", "expected"], BASIC, **options)
    assert caught.value.code == "bad_option"


@pytest.mark.parametrize("contestants", [[], ["greedy"], ["greedy"] * 5])
def test_one_or_five_cannot_play(contestants):
    with pytest.raises(DealError, match=r"contestants?; name 2 to 4"):
        duel(contestants, BASIC)


def test_a_bank_goes_round_where_the_rules_leave_it_open():
    hong_kong = load_rules("hong-kong")
    assert duel(["greedy", "expected"], hong_kong, deals=5).seatings == 2
    assert duel(["greedy", "expected"], hong_kong, deals=5, bank=True).seatings == 4
    with pytest.raises(DealError, match="played without a banker"):
        duel(["greedy", "expected"], BASIC, deals=5, bank=True)
    with pytest.raises(DealError, match="against a banker"):
        duel(["greedy", "expected"], MALAYA, deals=5, bank=False)


# ----------------------------------------------------------------------------------------------------
# The command


def test_the_table_fits_a_terminal_of_80_columns():
    for names in (["expected", "greedy"], ["expected", "heuristic", "greedy", "expected"]):
        done = run("duel", *names, "--deals", "40", "--rules", "mandarin", "--players", "4", COLUMNS="80")
        assert (done.returncode, done.stderr) == (0, b"")
        text = done.stdout.decode()
        assert max(map(len, text.splitlines())) <= 80
        assert text.startswith("mandarin, 4 players, 40 deals, each in ")
        assert re.search(r"^ units +[+-]\d\.\d{3} ± \d\.\d{3}", text, re.MULTILINE)


def test_json_is_the_result():
    done = run("duel", "expected", "greedy", "--deals", "1e2", "--seed", "5", "--rules", "malaya", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    result = duel(["expected", "greedy"], MALAYA, seed=5, deals=100)
    assert isinstance(result, DuelResult)
    assert json.loads(done.stdout) == json.loads(json.dumps(result.document()))


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["greedy"], 1, "duel: bad_option: 1 contestant; name 2 to 4"),
        (["greedy", "best"], 2, "'best' is no strategy"),
        (["greedy", "nowhere:Bot"], 2, "there is no module 'nowhere'"),
        (["greedy", "expected", "--deals", "0"], 2, "is not above 0"),
        (["greedy", "expected", "--deals", "1e99"], 2, "is not above 0 and below 1e18"),
        (["greedy", "expected", "--precision", "-1"], 1, "a precision of -1.0"),
        (["greedy", "expected", "--bank"], 1, "/banker: no_banker"),
        (["greedy", "--cmd", "./nothing-here"], 1, "no_program: './nothing-here' cannot be run"),
        (["greedy", "--cmd", "'"], 1, "is no command: No closing quotation"),
        (["greedy", "--cmd", ""], 1, "an empty command"),
    ],
)
def test_what_goes_wrong_is_one_line(arguments, status, told):
    done = run("duel", *arguments)
    assert (done.returncode, done.stdout) == (status, b"")
    assert told in done.stderr.decode().splitlines()[-1]
    assert b"Traceback" not in done.stderr


def test_ctrl_c_prints_what_is_done():
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "duel", "greedy", "expected", "--precision", "0.000001", "--workers", "2"],
        env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
        dimensions=(24, 100),
        encoding="utf-8",
        timeout=60,
    )
    child.expect(r"± \d\.\d{4}")
    child.sendintr()
    child.expect(r"deals, each in 2 seatings, interrupted")
    child.expect("chinese-poker: interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_help_names_the_ways_to_name_a_contestant():
    told = run("duel", "--help").stdout.decode()
    assert "module:attribute" in told
    assert "--cmd" in told
    protocol = run("duel", "--protocol").stdout.decode()
    hand, arrangement = re.findall('"([^"]{38,})"', protocol)
    assert set(parse_hand(hand)) == set(Arrangement.parse(arrangement).cards)
    assert not Arrangement.parse(arrangement).foul()
    for word in ("front | middle | back", "declare NATURAL", "surrender"):
        assert word in protocol
    assert max(map(len, protocol.splitlines())) <= 80


def test_numbers_of_deals_as_people_write_them(tmp_path: Path):
    for text in ("20", "2e1", "2_0", "20.0"):
        done = run("duel", "greedy", "greedy", "--deals", text, "--json", folder=tmp_path)
        assert json.loads(done.stdout)["deals"] == 20
