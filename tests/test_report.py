"""What is said of results: every unit in words, and every option of a rule set."""

import re
from dataclasses import replace
from typing import Any

import pytest
from test_score import (
    ADDED,
    DOUBLE,
    DOUBLE_ALL,
    DRAGON,
    FOUL,
    GIVEN_UP,
    OPTIONS,
    SCOOP,
    TABLE,
    WITH_BONUSES,
    house_of,
    naturals,
    two_players,
)

from chinese_poker import Arrangement, Deal, Natural, Player, parse_hand, score
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.report import explain, rules_lines
from chinese_poker.suggest import Offer, Suggestions, explain_suggestions, suggest, suggestions_document


def explained(table: Deal, rules: dict[str, Any]) -> list[str]:
    return list(explain(table, score(table, house_of(rules))))


@pytest.mark.parametrize("about", OPTIONS)
def test_the_units_in_words_add_up(about: str) -> None:
    rules, table, units = OPTIONS[about]
    total = told = 0
    for line in explained(table, rules):
        if match := re.fullmatch(r"(\S+) wins (\d+) from (\S+)", line):
            total += int(match[2]) * ((match[1] == "P0") - (match[3] == "P0"))
            others = {match[1], match[3]}
        elif match := re.fullmatch(r"(\S+) and (\S+) are even", line):
            others = {match[1], match[2]}
        elif not line.endswith(": nothing"):
            who, amount = line.rsplit(": ", 1)[1].split(" ")
            assert amount.startswith("+")
            assert who in others
            told += int(amount) * (1 if who == "P0" else -("P0" in others))
    assert total == told == units


SAID: list[tuple[dict[str, Any], Deal, list[str]]] = [
    (
        {"foul": WITH_BONUSES, "bonuses": ADDED, "scoop": DOUBLE_ALL},
        FOUL,
        [
            "P0 wins 24 from P1",
            "  P1 fouls (middle beats back) and pays as if scooped: nothing",
            "  front: P0 +1",
            "  front: bonus for three fives: P0 +3",
            "  middle: P0 +1",
            "  middle: bonus for eights full of deuces: P0 +2",
            "  back: P0 +1",
            "  back: bonus for four jacks, three kicker: P0 +4",
            "  scoop, doubled: P0 +12",
        ],
    ),
    (
        {
            "bonuses": {**ADDED, "cap": 8},
            "majority": {"units": 1},
            "scoop": {**DOUBLE, "factor": 5, "units": 3},
            "home_run": {"factor": 3, "players": 2, "mode": "on_top"},
            "cap": 20,
        },
        SCOOP,
        [
            "P0 wins 20 from P1",
            "  front: three fives over nine high, four-three kickers: P0 +1",
            "  front: bonus for three fives: P0 +3",
            "  middle: eights full of deuces over pair of queens, seven-six-four kickers: P0 +1",
            "  middle: bonus for eights full of deuces: P0 +2",
            "  back: four jacks, three kicker over aces and kings, three kicker: P0 +1",
            "  back: bonus for four jacks, three kicker: P0 +4",
            "  bonuses from one opponent are at most 8: P1 +1",
            "  majority of the segments: P0 +1",
            "  scoop: P0 +3",
            "  scoop, times 5: P0 +12",
            "  home run, tripled again: P0 +30",
            "  a matchup pays at most 20: P1 +37",
        ],
    ),
    (
        {"home_run": {"factor": 3, "players": 2, "mode": "in_place"}, "scoop": DOUBLE},
        SCOOP,
        ["P0 wins 9 from P1", "  home run, tripled: P0 +6"],
    ),
    (
        naturals("push", dragon=13),
        Deal(
            (
                Player("Ann", hand=parse_hand(DRAGON.replace("|", "")), declare="dragon"),
                Player("Bo", Arrangement.parse("9c 5c 4c | 4d 5d Kd Kc 8d | Jc Jh Qd Qc 8c")),
            )
        ),
        ["Ann wins 13 from Bo", "  Ann's dragon: Ann +13"],
    ),
    ({"surrender": 3}, Deal((GIVEN_UP, GIVEN_UP)), ["North (seat 0) and North (seat 1) are even"]),
    (
        {"surrender": 3},
        Deal((GIVEN_UP, two_players(1, 1, 1).players[1])),
        ["P1 wins 3 from North", "  North surrenders: P1 +3"],
    ),
    ({"foul": {"pays": "flat", "units": 4}}, FOUL, ["P0 wins 4 from P1", "  P1 fouls (middle beats back): P0 +4"]),
    (
        {},
        two_players(0, 1, -1),
        [
            "P0 and P1 are even",
            "  front: both pair of queens, four kicker: nothing",
            "  middle: sevens and threes, deuce kicker over sevens and deuces, five kicker: P0 +1",
            "  back: tens and eights, ace kicker over tens and eights, nine kicker: P1 +1",
        ],
    ),
    (
        {"ties": "suit"},
        two_players(0, 1, 1),
        ["  front: both pair of queens, four kicker, decided by the tie rule: P0 +1"],
    ),
]


@pytest.mark.parametrize(("rules", "table", "lines"), SAID)
def test_what_is_said_of_a_matchup(rules: dict[str, Any], table: Deal, lines: list[str]) -> None:
    said = explained(table, rules)
    assert said == lines if len(lines) > 4 else [line for line in said if line in lines] == lines


FULL: dict[str, Any] = {
    "wheel": "second_highest",
    "ties": "suit",
    "suits": "hscd",
    "middle_may_equal_back": False,
    "banker": "optional",
    "units": {"front": 2, "by_category": {"front": {"three_of_a_kind": 5}}},
    "majority": {"units": 1, "rule": "more_than_opponent"},
    "bonuses": {**TABLE, "mode": "add", "paid_to": "both", "cap": 9},
    "scoop": {"units": 2, "factor": 2, "factor_on": "all"},
    "home_run": {"factor": 4, "mode": "on_top", "players": 3, "counts_fouls": True, "counts_naturals": True},
    "foul": {"pays": "scoop_with_bonuses"},
    "surrender": 3,
    "naturals": {"worth": {"six_pairs": 3, "dragon": 13}, "between": "higher_wins", "order": "listed"},
    "cap": 40,
}


def test_every_option_is_told() -> None:
    assert dict(rules_lines(house_of(FULL))) == {
        "front": "2 a win, three of a kind 5 in place of it, three of a kind 3 more",
        "middle": "1 a win, full house 2 more, four of a kind 8 more, straight flush 10 more",
        "back": "1 a win, four of a kind 4 more, straight flush 5 more",
        "bonuses": "paid to both, win or lose, at most 9 from one opponent",
        "majority": "1 more (more than opponent)",
        "scoop": "2 more, everything, bonuses too, doubled",
        "home run": "times 4 again, from 3 players, fouls count, naturals count",
        "foul": "pays each as if scooped, bonuses too",
        "surrender": "pays 3 to each who neither surrendered nor fouled",
        "naturals": "six pairs 3, dragon 13",
        "two naturals": "higher wins, by listed",
        "ties": "by suit, hscd",
        "banker": "optional",
        "A-2-3-4-5": "the second highest straight",
        "middle = back": "a foul",
        "cap": "40 units a matchup",
    }


def test_the_plainest_house_is_told_in_few_words() -> None:
    assert dict(rules_lines(house_of({}))) == {
        "front": "1 a win",
        "middle": "1 a win",
        "back": "1 a win",
        "scoop": "nothing more",
        "foul": "pays each as if scooped, without bonuses",
        "naturals": "none",
        "ties": "nothing",
        "banker": "none",
        "A-2-3-4-5": "the lowest straight",
        "middle = back": "legal",
    }


@pytest.mark.parametrize("name", rule_names())
def test_houses_that_settle_alike_are_told_alike_and_no_others(name: str) -> None:
    told = tuple(rules_lines(load_rules(name)))
    same = {other for other in rule_names() if tuple(rules_lines(load_rules(other))) == told}
    assert same <= {"basic", "western"} or same == {name}


# ----------------------------------------------------------------------------------------------------
# Suggestions


@pytest.fixture(scope="module")
def found() -> Suggestions:
    they = Arrangement.parse("Qs Qh 4d | As Ah 9c 7d 2s | Kd Kc 8s 8h 3c")
    return suggest("Jd Jc 5s Qd Qc 9d 6s 2c Ad Ac 5h 5d 3d", load_rules("us-1-4"), known=[they], top=2)


def with_second(found: Suggestions, how: str = "separated", **figures: Any) -> list[str]:
    """What is said of the runner-up where its figures are these."""
    best = found.best
    second = replace(best, **{"behind": 0.25, "behind_error": 0.01, **figures})
    said = list(explain_suggestions(replace(found, how=how, suggestions=(best, second))))
    assert len(said) == 3
    return said[2:]


def test_the_runner_up_in_words(found: Suggestions) -> None:
    odds = replace(found.best.odds, win=(0.99, 0.5, 1.0))
    assert with_second(found) == ["The next best is 0.250 ± 0.010 behind: its segments win as often."]
    assert with_second(found, "exact", odds=odds) == [
        "The next best is 0.250 behind: it wins the middle 50 points less often, the front 1 point less often."
    ]
    assert with_second(found, behind=0.0004, behind_error=0.1) == [
        "The next best is as good: its segments win as often."
    ]
    assert with_second(found, "budget", behind=0.02) == [
        "The next best may be as good, 0.020 ± 0.010 behind: its segments win as often."
    ]


def test_what_ends_the_hand_in_words(found: Suggestions) -> None:
    best = replace(found.best, ev=-3.5, odds=replace(found.best.odds, bonus=-0.75))
    given_up = replace(found, surrender=Offer(-3.0, 0), suggestions=(best,))
    assert given_up.advice == "surrender"
    said = " ".join(explain_suggestions(given_up))
    assert said.startswith("Surrender: it costs 3.00 an opponent, playing on 3.50. The best wins the front ")
    assert said.endswith(" Bonuses bring -0.75.")
    assert "Surrender" not in " ".join(explain_suggestions(replace(given_up, surrender=Offer(-4.0, 0))))
    witness = Arrangement.parse("2c 3d 4h | 5s 6c 7d 8h 9s | Tc Jd Qh Ks Ac")
    for worth, advice, better in ((4.0, "declare", "declare"), (-4.0, "play", "play on")):
        declared = replace(found, naturals={Natural.SIX_PAIRS: witness}, declare=Offer(worth, 0), surrender=None)
        declared = replace(declared, suggestions=(best,))
        assert declared.advice == advice
        said = " ".join(explain_suggestions(declared))
        assert said.startswith(
            f"The hand holds a natural, six pairs: declaring it is worth {worth:+.2f} an opponent, "
            f"playing on -3.50; {better}. The best "
        )


def test_offers_are_in_the_document(found: Suggestions) -> None:
    witness = Arrangement.parse("2c 3d 4h | 5s 6c 7d 8h 9s | Tc Jd Qh Ks Ac")
    offered = replace(found, naturals={Natural.DRAGON: witness}, declare=Offer(4.0, 0.5), surrender=Offer(-3.0, 0.0))
    document = suggestions_document(offered)
    assert document["surrender"] == {"ev": -3.0, "error": 0.0}
    assert document["declare"] == {
        "ev": 4.0,
        "error": 0.5,
        "natural": "dragon",
        "front": "2c 3d 4h",
        "middle": "5s 6c 7d 8h 9s",
        "back": "Tc Jd Qh Ks Ac",
    }
    assert document["naturals"] == ["dragon"]
