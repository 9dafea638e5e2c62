"""Suggestions in Python and on the command: options, errors, documents, reviews, and raw deals that are set."""

from __future__ import annotations

import json
from random import Random

import pytest
from commanding import DRAGON, NORTH, SOUTH, deal, json_lines, lines, run
from plain import as_arrangement, dealt, gain, legal_arrangements, set_legally, unseen_by

from chinese_poker.arrangement import Arrangement, parse_hand
from chinese_poker.cards import format_cards, parse_cards
from chinese_poker.conformance import VECTORS
from chinese_poker.deal import Deal, Player
from chinese_poker.errors import ArrangementError, CardError, DealError
from chinese_poker.presets import load_rules
from chinese_poker.strategy import set_deal, strategy
from chinese_poker.suggest import review, review_deal, suggest, suggestions_document
from chinese_poker.wire import read_deal

BASIC, US, HONG_KONG, MALAYA = (load_rules(name) for name in ("basic", "us-1-6", "hong-kong", "malaya"))
HAND = "As Ad 8h 7c 6d Qs Jd 9h 4c 2s Kh Td 3c"
THEY = Arrangement.parse("KsKcQd | JsJhJc5d2d | TsTh6s6h6c")
OTHER = Arrangement.parse("AhAc2h | QhQc7s7d4d | 8s8d8c9s9d")
CLASHING = Arrangement.parse("KsKcAs | JsJhJc5d2d | TsTh6s6h6c")
CASES = [json.loads(line) for line in (VECTORS / "suggest.jsonl").read_text(encoding="utf-8").splitlines()]


# ----------------------------------------------------------------------------------------------------
# In Python


@pytest.mark.parametrize("name", ["basic", "eastern", "mandarin", "us-1-6"])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_suggestion_is_a_best_response(name, seed):
    rules, random = load_rules(name), Random(f"{name} {seed}")
    hand, *others = dealt(random, 4)
    known = [set_legally(random, other) for other in others[: 1 if seed % 2 else 3]]
    best = max(gain(arrangement, known, rules, None) for arrangement in legal_arrangements(hand, rules))
    found = suggest(hand, rules, known=known)
    assert found.best.ev == pytest.approx(best / len(known), abs=1e-12)
    assert gain(found.best.arrangement, known, rules, None) == best


def test_what_a_suggestion_says():
    found = suggest(HAND, US, known=[THEY], top=4)
    assert (found.opponents, found.how, found.samples) == (1, "exact", 1)
    assert found.hand == parse_hand(HAND)
    assert len(found.suggestions) == 4
    for suggestion in found.suggestions:
        assert sorted(suggestion.arrangement.cards) == sorted(found.hand)
        assert suggestion.strengths == suggestion.arrangement.judge().strengths
        assert suggestion.ev == gain(suggestion.arrangement, [THEY], US, None)
        assert suggestion.behind == found.best.ev - suggestion.ev
        won = [a > b for a, b in zip(suggestion.strengths, THEY.judge().strengths, strict=True)]
        assert suggestion.odds.win == tuple(map(float, won))
        assert (suggestion.odds.scoop, suggestion.odds.scooped) == (float(all(won)), float(not any(won)))
    assert found.best.ev == max(suggestion.ev for suggestion in found.suggestions)


def test_surrender_is_advised_where_it_is_cheaper():
    low = suggest("2c3d4h 5s7c8d9hTd 2h4d6d3s8h", US, known=[Arrangement.parse("KsKcQd | JsJhJc5d2d | TsThTc6s6h")])
    assert (low.best.ev, low.surrender.ev) == (-6, -3)
    assert low.advice == "surrender"
    assert suggest(HAND, US).advice == "play"
    assert suggest(HAND, BASIC).surrender is None


def test_a_natural_is_named_with_its_witness():
    found = suggest(DRAGON, load_rules("taiwan"), opponents=1)
    assert next(iter(found.naturals)) == "dragon"
    assert sorted(next(iter(found.naturals.values())).cards) == sorted(parse_hand(DRAGON))
    assert found.advice == "declare"
    assert found.declare.ev > 30 > found.best.ev


def test_a_natural_is_not_declared_where_playing_on_is_worth_more():
    rules = load_rules("mandarin")
    royal = suggest("AsKsQsJsTs 9s8s7s6s5s 4s3s2s", rules, opponents=1)
    assert royal.declare.ev < royal.best.ev
    assert royal.advice == "play"


def test_known_opponents_of_other_sizes_are_fouls():
    foul = Arrangement.parse("KsKcQdJs | JhJc5d2d | TsTh6s6h6c")
    assert suggest(HAND, BASIC, known=[foul]).best.ev == 4
    lapse = review(foul, BASIC, [OTHER])
    assert lapse.given_away > 0
    best = max(gain(arrangement, [OTHER], BASIC, None) for arrangement in legal_arrangements(foul.cards, BASIC))
    assert lapse.given_away_seen == best + 4


BAD = {
    "12 cards": (HAND[:-3], {}, ArrangementError, "wrong_count"),
    "14 cards": (HAND + " Ks", {}, ArrangementError, "wrong_count"),
    "no cards": ("", {}, ArrangementError, "wrong_count"),
    "repeated": (HAND[:-2] + "As", {}, ArrangementError, "duplicate_card"),
    "unreadable": (HAND[:-2] + "1x", {}, CardError, "unknown_card"),
    "known collides with the hand": (
        HAND,
        {"known": [CLASHING]},
        DealError,
        "duplicate_card",
    ),
    "known collide": (HAND, {"known": [THEY, THEY]}, DealError, "duplicate_card"),
    "dead collides with the hand": (HAND, {"dead": "As"}, DealError, "duplicate_card"),
    "dead collides with known": (HAND, {"known": [THEY], "dead": "Ks"}, DealError, "duplicate_card"),
    "dead twice": (HAND, {"dead": "Ks Ks"}, DealError, "duplicate_card"),
    "dead unreadable": (HAND, {"dead": "Ks1"}, CardError, "unknown_card"),
    "too many dead": (HAND, {"opponents": 3, "dead": unseen_by(parse_hand(HAND))[:1]}, DealError, "bad_option"),
    "no opponents": (HAND, {"opponents": 0}, DealError, "bad_option"),
    "four opponents": (HAND, {"opponents": 4}, DealError, "bad_option"),
    "fewer opponents than known": (HAND, {"opponents": 1, "known": [THEY, OTHER]}, DealError, "bad_option"),
    "no samples": (HAND, {"samples": 0}, DealError, "bad_option"),
    "no suggestions": (HAND, {"top": 0}, DealError, "bad_option"),
    "unknown strategy": (HAND, {"against": "best"}, DealError, "unknown_strategy"),
    "a bank where there is none": (HAND, {"banks": True}, DealError, "bad_option"),
    "no bank where there must be one": (HAND, {"rules": MALAYA}, DealError, "bad_option"),
    "two opponents of a banker's player": (
        HAND,
        {"rules": MALAYA, "banks": False, "opponents": 2},
        DealError,
        "bad_option",
    ),
}


@pytest.mark.parametrize(("hand", "options", "kind", "code"), BAD.values(), ids=BAD)
def test_errors(hand, options, kind, code):
    with pytest.raises(kind) as error:
        suggest(hand, **{"rules": BASIC, **options})
    assert error.value.code == code
    assert "\n" not in str(error.value)
    assert len(error.value.message) > 10


def test_as_many_dead_cards_as_there_can_be():
    dead = unseen_by(parse_hand(HAND))
    found = suggest(HAND, BASIC, opponents=1, dead=dead[13:])
    assert (found.how, found.samples) == ("exact", 1)
    assert suggest(HAND, BASIC, opponents=2, dead=dead[26:], samples=300).samples == 300
    assert suggest(HAND, BASIC, dead=dead[26:], samples=300).opponents == 2


def test_documents_are_plain_json():
    found = suggest(DRAGON, US, opponents=2, samples=500, against="expected")
    document = json.loads(json.dumps(suggestions_document(found)))
    assert document["declare"]["natural"] == "dragon"
    assert document["surrender"] == {"ev": -3, "error": 0}
    assert [entry["ev"] for entry in document["suggestions"]] == [suggestion.ev for suggestion in found.suggestions]


# ----------------------------------------------------------------------------------------------------
# Reviews and raw deals


def test_a_review_against_what_happened():
    """In hindsight by the core's score over all arrangements; beforehand never below nothing."""
    random = Random(1)
    for name in ("eastern", "mandarin"):
        rules = load_rules(name)
        mine, *others = (set_legally(random, hand) for hand in dealt(random, 4))
        found = review(mine, rules, others)
        best = max(gain(arrangement, others, rules, None) for arrangement in legal_arrangements(mine.cards, rules))
        assert found.given_away_seen == best - gain(mine, others, rules, None)
        assert gain(found.best_seen, others, rules, None) == best
        first = suggest(mine.cards, rules, opponents=3)
        assert found.best.judge() == first.best.arrangement.judge()
        assert found.given_away > 4 * found.error > 0


def test_the_best_arrangement_gives_nothing_away():
    best = suggest(HAND, BASIC).best.arrangement
    others = [set_legally(Random(i), hand) for i, hand in enumerate(dealt(Random(3), 3, unseen_by(parse_hand(HAND))))]
    found = review(best, BASIC, others)
    assert (found.given_away, found.error) == (0, 0)
    assert found.best == best


def test_players_who_declare_or_surrender_are_opponents_but_not_reviewed():
    random = Random(2)
    mine, other = (set_legally(random, hand) for hand in dealt(random, 2, unseen_by(parse_hand(DRAGON))))
    dragon = parse_hand(DRAGON)
    seats = (Player("A", mine), None, Player("B", other), Player("C", as_arrangement(dragon), declare="dragon"))
    lapses = review_deal(Deal(seats), BASIC)
    assert [lapse.name for lapse in lapses] == ["A", "B"]
    alone = review(mine, BASIC, [other])
    assert lapses[0].review.given_away == pytest.approx(2 * alone.given_away)
    assert lapses[0].review.given_away_seen == alone.given_away_seen
    assert review_deal(Deal((Player("A", mine), Player("C", hand=dragon, declare="dragon"))), BASIC) == []


def test_players_of_a_banker_are_reviewed_against_the_banker():
    random = Random(4)
    seats = tuple(Player(name, set_legally(random, hand)) for name, hand in zip("ABC", dealt(random, 3), strict=True))
    lapses = {lapse.name: lapse.review for lapse in review_deal(Deal(seats, banker=1), HONG_KONG)}
    a, b, c = (player.arrangement for player in seats)
    assert lapses["A"] == review(a, HONG_KONG, [b], banks=False)
    assert lapses["B"] == review(b, HONG_KONG, [a, c], banks=True)


def test_raw_deals_are_set_by_a_strategy():
    first, second, third = dealt(Random(5), 3)
    players = (Player("A", hand=first), None, Player("B", set_legally(Random(6), second)), Player("C", hand=third))
    for name in ("greedy", "heuristic", "expected"):
        settled = set_deal(Deal(players), BASIC, name)
        expected = strategy(name).arrange([first], BASIC, 4).cards[0].tolist()
        assert list(settled.players[0].arrangement.cards) == expected
        assert settled.players[1:3] == players[1:3]
        assert not settled.players[3].arrangement.foul()


# ----------------------------------------------------------------------------------------------------
# The command


@pytest.fixture(scope="module")
def answers():
    """Of every case, in one run of the command."""
    stream = json_lines({"id": case["id"], "hand": case["hand"], "_note": "kept"} for case in CASES)
    done = run("suggest", "-", "--json", "--all", stdin=stream)
    assert done.returncode == 0, done.stderr
    return {answer["id"]: answer for answer in lines(done.stdout)}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_cases(case, answers):
    answer = answers[case["id"]]
    assert answer["_note"] == "kept"
    assert answer["legal"] == case.get("legal", answer["legal"])
    assert answer["undominated"] == case.get("undominated", answer["undominated"])
    assert sorted(answer["naturals"]) == sorted(case.get("naturals", answer["naturals"]))
    best = answer["suggestions"][0]
    assert best["categories"] == case.get("best_categories", best["categories"])
    sets = [Arrangement.parse(f"{s['front']}|{s['middle']}|{s['back']}") for s in answer["suggestions"]]
    assert 0 < len(sets) <= answer["undominated"]
    assert not any(arrangement.foul() for arrangement in sets)
    if "must_not_be" in case:
        wrong = {frozenset(segment) for segment in Arrangement.parse(case["must_not_be"]).segments}
        assert all({frozenset(segment) for segment in arrangement.segments} != wrong for arrangement in sets)


def test_text_and_explanation():
    done = run("suggest", HAND, "--explain", "--rules", "eastern", "--opponents", "2", "--samples", "500")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    first = suggest(HAND, load_rules("eastern"), opponents=2, samples=500).best
    for said in ("eastern, 2 opponents", f"{first.ev:+.2f}", "undominated", "The best wins", "The next best"):
        assert said in text
    assert all(str(card) in text for card in first.arrangement.cards)


def test_options_reach_the_suggestion():
    """JSON of the command is the document of the same call."""
    known = ("--opponent", str(THEY), "--opponent", str(OTHER))
    done = run("suggest", HAND, "--json", *known, "--top", "2", "--rules", "us-1-6")
    expected = suggestions_document(suggest(HAND, US, known=[THEY, OTHER], top=2))
    assert lines(done.stdout) == [expected]
    assert expected["how"] == "exact"
    options = ("--opponents", "1", "--dead", "Ks", "--against", "greedy", "--samples", "300", "--seed", "3")
    done = run("suggest", HAND, "--json", *options)
    found = suggest(HAND, BASIC, opponents=1, dead="Ks", against="greedy", samples=300, seed=3)
    assert lines(done.stdout) == [suggestions_document(found)]
    done = run("suggest", HAND, "--json", "--rules", "malaya", "--bank", "theirs", "--samples", "300")
    assert lines(done.stdout) == [suggestions_document(suggest(HAND, MALAYA, banks=False, samples=300))]


@pytest.mark.parametrize("from_file", [True, False])
def test_a_bad_line_stops_nothing(tmp_path, from_file):
    good = {"id": 1, "hand": HAND}
    bad = [{"hand": HAND[3:]}, {"hand": HAND, "dead": ["As"]}, {"hand": HAND, "cards": 1}, {}]
    stream = json_lines([good, bad[0]]) + b"{oops\n" + json_lines([*bad[1:], {**good, "id": "z", "dead": "Ks Kc"}])
    (tmp_path / "hands.jsonl").write_bytes(stream)
    source = "hands.jsonl" if from_file else "-"
    done = run("suggest", source, "--json", "--samples", "200", "--opponents", "1", stdin=stream, folder=tmp_path)
    assert done.returncode == 1
    assert [answer["id"] for answer in lines(done.stdout)] == [1, "z"]
    reported = done.stderr.decode().splitlines()
    assert [line.split(": ")[0].rpartition(":")[2] for line in reported] == ["2", "3", "4", "5", "6"]
    for line, code in zip(reported, ["wrong_count", "", "duplicate_card", "unknown_key", ""], strict=True):
        assert code in line


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((HAND[3:],), 1),
        ((HAND + "Ks",), 1),
        ((HAND, "--dead", "As"), 1),
        ((HAND, "--dead", "Xx"), 1),
        ((HAND, "--opponent", str(THEY), "--opponent", str(THEY)), 1),
        ((HAND, "--opponents", "1", "--opponent", str(THEY), "--opponent", str(OTHER)), 1),
        ((HAND, "--bank", "mine"), 1),
        ((HAND, "--rules", "malaya"), 1),
        (("nowhere.jsonl",), 1),
        ((HAND, "--opponents", "4"), 2),
        ((HAND, "--against", "best"), 2),
        ((HAND, "--opponent", "As | Kd"), 2),
        ((HAND, "--opponent", "As | Kd | Qx"), 2),
        ((HAND, "--rules", "nobodys"), 2),
        ((HAND, "--top", "0"), 2),
        ((), 2),
    ],
)
def test_errors_of_the_command(arguments, status):
    done = run("suggest", *arguments)
    assert done.returncode == status
    assert done.stdout == b""
    said = done.stderr.decode().splitlines()
    assert len(said) == 1 if status == 1 else said[-1].startswith("Error: ")
    assert "Traceback" not in done.stderr.decode()


def test_errors_as_json():
    done = run("suggest", HAND[3:], HAND + "Zz", "--errors", "json")
    assert done.returncode == 1
    assert [problem["code"] for problem in lines(done.stderr)] == ["wrong_count", "unknown_card"]


def test_review_on_the_command(tmp_path):
    night = [deal(id="h1"), deal(north={"front": "2cQd9h", "middle": "Qh9s4d4c7s"}, id="h2")]
    (tmp_path / "night.jsonl").write_bytes(json_lines(night) + b"{}\n")
    done = run("review", "night.jsonl", "--json", "--rules", "eastern", folder=tmp_path)
    assert done.returncode == 1
    assert b"night.jsonl:3: " in done.stderr
    found = lines(done.stdout)
    expected = [lapse.document() for each in night for lapse in review_deal(read_deal(each)[0], load_rules("eastern"))]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert [lapse["given_away"] for lapse in found] == sorted([lapse["given_away"] for lapse in found], reverse=True)
    done = run("review", "night.jsonl", "--rules", "eastern", folder=tmp_path)
    dearest = found[0]
    text = done.stdout.decode()
    for said in (f"{dearest['given_away']:.2f}", "North", "South", "h2", dearest["best"]["front"]):
        assert said in text


@pytest.mark.parametrize("named", ["option", "document"])
def test_raw_deals_are_scored(named):
    hands = [format_cards(hand) for hand in dealt(Random(7), 3)]
    players = [{"name": name, "hand": hand} for name, hand in zip("ABC", hands, strict=True)]
    document = {"players": players} | ({"strategy": "greedy"} if named == "document" else {})
    options = ["--strategy", "greedy"] if named == "option" else []
    done = run("score", "-", "--json", *options, stdin=json_lines([document]))
    assert (done.returncode, done.stderr) == (0, b"")
    (result,) = lines(done.stdout)
    sets = [strategy("greedy").arrange([parse_hand(hand)], BASIC, 4).cards[0] for hand in hands]
    for player, row in zip(result["players"], sets, strict=True):
        front, middle, back = as_arrangement(row).segments
        shown = [set(parse_cards(player[key]["cards"])) for key in ("front", "middle", "back")]
        assert shown == [set(front), set(middle), set(back)]


SOUTH_RAW = {"name": "South", "hand": SOUTH["front"] + SOUTH["middle"] + SOUTH["back"]}


def test_a_raw_deal_without_a_strategy_is_an_error():
    done = run("score", "-", stdin=json_lines([{"players": [NORTH, SOUTH_RAW]}]))
    assert done.returncode == 1
    assert b"not_set" in done.stderr
    done = run("score", "-", stdin=json_lines([{"players": [NORTH, SOUTH_RAW], "strategy": "best"}]))
    assert done.returncode == 1
    assert b"unknown_strategy" in done.stderr
    assert run("score", "-", "--strategy", "best", stdin=b"").returncode == 2
