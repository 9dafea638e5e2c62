"""Settlements against the referee's, on deals made to be hard, and the options that no preset uses."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest
from hands import nasty_deal
from referee import HOUSES, house
from referee import score as referee_score

from chinese_poker import Arrangement, Deal, DealResult, Player, RuleSet, parse_hand, score
from chinese_poker.presets import load_rules, read_rules, rule_names

DEALS = int(os.environ.get("CHINESE_POKER_DEALS", "400"))
"""Deals against the referee for each preset; the variable asks for more."""


def player_of(seat: int, player: dict[str, Any] | None) -> Player | None:
    if player is None:
        return None
    parts = [player.get(segment) for segment in ("front", "middle", "back")]
    arrangement = Arrangement.parse(" | ".join(" ".join(part) for part in parts)) if all(parts) else None
    hand = parse_hand(player["hand"]) if "hand" in player else ()
    return Player(f"P{seat}", arrangement, hand, player.get("declare"), player.get("surrender", False))


def read(players: Iterable[dict[str, Any] | None], banker: int | None = None) -> Deal:
    return Deal(tuple(player_of(seat, player) for seat, player in enumerate(players)), banker)


def check_sums(result: DealResult) -> None:
    """Items add up to their matchup, matchups to the players' totals, totals to zero."""
    totals = [0] * len(result.players)
    for matchup in result.matchups:
        first, second = matchup.players
        assert sum(item.units for item in matchup.items) == matchup.total
        assert matchup.items
        totals[first] += matchup.total
        totals[second] -= matchup.total
    assert list(result.totals) == totals
    assert sum(totals) == 0


def reasons(result: DealResult) -> Iterator[str]:
    """What happened, for the count of what a test has seen."""
    if result.home_run is not None:
        yield "a home run"
    for matchup in result.matchups:
        for item in matchup.items:
            yield f"{item.reason}" if item.units else f"{item.reason}, nothing"


def test_the_referee_knows_every_preset() -> None:
    assert set(HOUSES) == set(rule_names())


@pytest.mark.parametrize("name", HOUSES)
def test_totals_and_matchups_are_as_the_referee_says(name: str) -> None:
    random, rules, values = Random(name), load_rules(name), house(name)
    seen: Counter[str] = Counter()
    for _ in range(DEALS):
        players, banker = nasty_deal(random, values)
        totals, matchups = referee_score(players, name, banker)
        result = score(read(players, banker), rules)
        assert {matchup.players: matchup.total for matchup in result.matchups} == matchups, (players, banker)
        assert list(result.totals) == totals, (players, banker)
        check_sums(result)
        seen.update(reasons(result))
    expected = {"segment", "segment, nothing", "foul", "foul, nothing"}
    expected |= {"bonus"} if values["bonuses"] else set()
    expected |= {"majority"} if values["majority"] else set()
    expected |= {"scoop"} if values["scoop"] else set()
    expected |= {"scoop_factor"} if values["scoop_factor"] > 1 else set()
    expected |= {"a home run", "home_run"} if values["home_run_factor"] else set()
    expected |= {"bonus_cap"} if values["cap"] is not None else set()
    expected |= {"natural", "natural, nothing"} if values["naturals"] else set()
    expected |= {"surrender", "surrender, nothing"} if values["surrender"] else set()
    assert not expected - seen.keys(), "the deals do not show all that the house pays"


@pytest.mark.parametrize("name", [name for name in HOUSES if house(name)["naturals"]])
def test_auto_declare_is_declaring_all_that_is_held(name: str) -> None:
    random, rules, values = Random(f"{name} auto"), load_rules(name), house(name)
    declared = 0
    for _ in range(DEALS // 10):
        players, banker = nasty_deal(random, values)
        result = score(read(players, banker), rules, auto_declare=True)
        check_sums(result)
        for player, outcome in zip(players, result.players, strict=True):
            if player and outcome and outcome.natural and not player.get("declare"):
                player["declare"] = outcome.natural
                declared += 1
        assert list(result.totals) == referee_score(players, name, banker)[0]
    assert declared


# ----------------------------------------------------------------------------------------------------
# Hand-made segments that win, tie or lose against each other's; each set is of different cards.

FRONT = {"own": "Qs Qh 4s", 1: "Jd Jc 4h", 0: "Qd Qc 4h", -1: "Kd Kc 4h"}
MIDDLE = {"own": "7s 7h 3s 3h 2s", 1: "7d 7c 2d 2c 5h", 0: "7d 7c 3d 3c 2h", -1: "7d 7c 3d 3c 9c"}
BACK = {"own": "Ts Th 8s 8h 9s", 1: "Td Tc 6s 6h 9h", 0: "Td Tc 8d 8c 9h", -1: "Td Tc 8d 8c Ah"}


def two_players(front: int, middle: int, back: int) -> Deal:
    """The first player wins (1), ties (0) or loses (-1) each segment; no bonus hand is there."""
    sets = (
        [FRONT["own"], MIDDLE["own"], BACK["own"]],
        [FRONT[front], MIDDLE[middle], BACK[back]],
    )
    return Deal(tuple(Player(f"P{seat}", Arrangement.parse(" | ".join(parts))) for seat, parts in enumerate(sets)))


UNITS = {  # wins-losses-ties: basic and western, eastern, mandarin, and with a majority of more than the opponent's
    "3-0-0": (4, 3, 6, 4),
    "2-1-0": (2, 1, 1, 2),
    "2-0-1": (3, 2, 2, 3),
    "1-0-2": (1, 1, 1, 2),
    "1-1-1": (0, 0, 0, 0),
    "0-0-3": (0, 0, 0, 0),
}


@pytest.mark.parametrize("sides", list(product((1, 0, -1), repeat=3)), ids=str)
def test_the_table_of_units(sides: tuple[int, int, int]) -> None:
    ahead = 1 if sum(sides) >= 0 else -1
    units = UNITS[f"{sides.count(ahead)}-{sides.count(-ahead)}-{sides.count(0)}"]
    houses = {"basic": units[0], "western": units[0], "eastern": units[1], "mandarin": units[2]}
    more = read_rules({"base": "basic", "majority": {"rule": "more_than_opponent"}})
    for rules, expected in [*((load_rules(name), worth) for name, worth in houses.items()), (more, units[3])]:
        result = score(two_players(*sides), rules)
        assert result.totals == (ahead * expected, -ahead * expected), rules.name
        check_sums(result)


# ----------------------------------------------------------------------------------------------------
# Options that no preset uses. What each should pay is worked out in the comment beside it.

# LEADER beats each of THIRD, FOURTH and FIFTH in all segments; RICH is a leader with bonus hands throughout.
LEADER = "Ad Ac Kd | 9s Th Jd Qc Kh | 6s 6h 6d Qs Qh"
LOSERS = (
    "Tc 9h 8c | Ks 7h 7s 2c 2h | Ah As 5d 5h 5s",
    "Ts 5c 2d | Qd 8d 8h 3c 3d | Jh Js 4c 4h 4s",
    "7d 4d 2s | Td 9d 8s 3h 3s | Kc Jc 9c 7c 6c",
)
FOULED = "Ts 5c 2d | Jh Js 4c 4h 4s | Qd 8d 8h 3c 3d"
RICH = "5s 5h 5d | 8s 8h 8d 2c 2d | Js Jh Jd Jc 3s"
RICH_FOULED = "Kh Kc Ks | 7h 7d 6c 6d 4c | Td 9d 4s 3h 2s"
POOR = "9d 4c 3d | Qd Qc 7d 6d 4s | Ac Ad Kc Kd 3c"
ROYAL = "Qd Jc 4d | 9s 9h 6d 6c 2s | As Ks Qs Js Ts"
PLAIN = "Jh 8c 3d | 7h 7d 4h 4c 2h | Ac Ad Ah 6s 5d"
ROYAL_MIDDLE = "Kh Kd 4d | Ac Kc Qc Jc Tc | As Ks Qs Js Ts"
MIDDLE_AND_BACK = "Jh 8d 3d | 2h 3h 4h 5h 6h | 5d 6d 7d 8h 9d"
DRAGON = "2c 3d 4h | 5s 6c 7d 8h 9s | Tc Jd Qh Ks Ac"
SIX_PAIRS = "5c 4c 4d | Jc Jh 8d 8c 5d | Kd Kc Qd Qc 9c"
TRIPS_WITH_ACES = "4s 4c 4d | Ks Kh 9s 8d 7c | As Ah 9c 9d 2c"
FULL_AND_TRIPS = "3s 3h 3d | Ts Th Td 2s 2h | Kd Kc Jd Jc 6h"

TABLE = {
    "front": {"three_of_a_kind": 3},
    "middle": {"full_house": 2, "four_of_a_kind": 8, "straight_flush": 10},
    "back": {"four_of_a_kind": 4, "straight_flush": 5},
}
HOME_RUN = {"scoop": {"factor": 2}, "home_run": {"factor": 3}, "foul": {"pays": "scoop"}}


def deal(*sets: str, declare: dict[int, str] | None = None, banker: int | None = None) -> Deal:
    players = [
        Player(f"P{seat}", Arrangement.parse(cards), declare=(declare or {}).get(seat)) for seat, cards in enumerate(sets)
    ]
    return Deal(tuple(players), banker)


OPTIONS: list[Any] = []


def option(about: str, rules: dict[str, Any], table: Deal, totals: tuple[int, ...]) -> None:
    OPTIONS.append(pytest.param(rules, table, totals, id=about))


# A foul.
FOUL_PAYS = deal(RICH, FOULED)
option("flat", {"foul": {"pays": "flat", "units": 7}, "bonuses": TABLE}, FOUL_PAYS, (7, -7))
option("a flat foul of nothing", {"foul": {"pays": "flat", "units": 0}}, FOUL_PAYS, (0, 0))
option("as scooped: 1 + 1 + 1, no bonus", {"foul": {"pays": "scoop"}, "bonuses": TABLE}, FOUL_PAYS, (3, -3))
option(
    "as scooped with a majority and scoop units: 3 + 1 + 2",
    {"foul": {"pays": "scoop"}, "bonuses": TABLE, "majority": {"units": 1}, "scoop": {"units": 2}},
    FOUL_PAYS,
    (6, -6),
)
option(
    "as scooped where a scoop doubles: 3 x2",
    {"foul": {"pays": "scoop"}, "scoop": {"factor": 2}, "bonuses": TABLE},
    FOUL_PAYS,
    (6, -6),
)
option(
    "with bonuses in place of the units: 3 + 2 + 4",
    {"foul": {"pays": "scoop_with_bonuses"}, "bonuses": {**TABLE, "mode": "replace"}},
    FOUL_PAYS,
    (9, -9),
)
option(
    "with bonuses added: 3 + 3 + 2 + 4",
    {"foul": {"pays": "scoop_with_bonuses"}, "bonuses": {**TABLE, "mode": "add"}},
    FOUL_PAYS,
    (12, -12),
)
option(
    "with bonuses added, all doubled: 12 x2",
    {
        "foul": {"pays": "scoop_with_bonuses"},
        "bonuses": {**TABLE, "mode": "add"},
        "scoop": {"factor": 2, "factor_on": "all"},
    },
    FOUL_PAYS,
    (24, -24),
)
option(
    "with bonuses added, the regular units doubled: 3 x2 + 9",
    {
        "foul": {"pays": "scoop_with_bonuses"},
        "bonuses": {**TABLE, "mode": "add"},
        "scoop": {"factor": 2, "factor_on": "regular"},
    },
    FOUL_PAYS,
    (15, -15),
)
option(
    "with bonuses to both: the foul's own front trips earn nothing: 3 + 9",
    {"foul": {"pays": "scoop_with_bonuses"}, "bonuses": {**TABLE, "paid_to": "both"}},
    deal(RICH, RICH_FOULED),
    (12, -12),
)
option(
    "with bonuses, two fouls: nothing",
    {"foul": {"pays": "scoop_with_bonuses"}, "bonuses": TABLE},
    deal(FOULED, RICH_FOULED.replace("4s", "5s")),
    (0, 0),
)
option(
    "with bonuses and units by category: front trips 5 in place of 1: 5 + 1 + 1",
    {"foul": {"pays": "scoop_with_bonuses"}, "units": {"by_category": {"front": {"three_of_a_kind": 5}}}},
    FOUL_PAYS,
    (7, -7),
)
option(
    "as scooped, whatever the category: 1 + 1 + 1",
    {"foul": {"pays": "scoop"}, "units": {"by_category": {"front": {"three_of_a_kind": 5}}}},
    FOUL_PAYS,
    (3, -3),
)

# A home run, and what counts for it. Against a foul the leader is paid as if scooped.
FOUR = deal(LEADER, *LOSERS)
OVER_A_FOUL = deal(LEADER, LOSERS[0], FOULED, LOSERS[2])
option("a home run: 3 x3 from each of three", HOME_RUN, FOUR, (27, -9, -6, -12))
option("none of three: 3 x2 from each of two", HOME_RUN, deal(LEADER, *LOSERS[:2]), (12, 0, -12))
