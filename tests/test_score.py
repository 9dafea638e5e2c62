"""Settlements against the referee's, on deals made to be hard, and the options that no preset uses."""

import os
from collections import Counter
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from differential import Shard, differences
from hands import DECK, KINDS, nasty_deal
from referee import HOUSES, house
from referee import score as referee_score
from settling import check_sums, read

from chinese_poker import Arrangement, Deal, DealError, Foul, Natural, Player, RuleSet, evaluate, parse_hand, score
from chinese_poker.matchup import State, scoops, settle
from chinese_poker.presets import load_rules, read_rules, rule_names
from chinese_poker.rules import SegmentValue

DEALS = int(os.environ.get("CHINESE_POKER_DEALS", "300"))
"""Deals of each kind against the referee for each preset; the variable asks for more, ``differential.py`` for most."""
ENOUGH = 300
"""From so many on everything that a house pays is seen."""


def test_the_referee_knows_every_preset() -> None:
    assert set(HOUSES) == set(rule_names())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HOUSES)
def test_totals_and_matchups_are_as_the_referee_says(name: str, kind: str) -> None:
    values, seen = house(name), Counter[str]()
    assert not list(differences(Shard(kind, name, 0, DEALS), seen))
    assert seen["deal"] == DEALS
    if kind == "random" or DEALS < ENOUGH:
        return
    payments = {  # what the house pays, and so the deals should show
        "segment": True,
        "a tie": values["ties"] == "push" or values["banker"] == "may",
        "bonus": values["bonuses"],
        "bonus_cap": values["cap"],
        "majority": values["majority"],
        "scoop": values["scoop"],
        "scoop_factor": values["scoop_factor"] > 1,
        "a home run": values["home_run_factor"],
        "home_run": values["home_run_factor"],
        "foul": True,
        "natural": values["naturals"],
        "surrender": values["surrender"],
    }
    assert not {event for event, is_paid in payments.items() if is_paid} - seen.keys()


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
    assert declared or DEALS < ENOUGH


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
# Options that no preset uses. The name of each case says how the first player's units come about.

LEADER = "Ad Ac Kd | 9s Th Jd Qc Kh | 6s 6h 6d Qs Qh"  # beats each of the next three in all segments
LOSERS = (
    "Tc 9h 8c | Ks 7h 7s 2c 2h | Ah As 5d 5h 5s",
    "Ts 5c 2d | Qd 8d 8h 3c 3d | Jh Js 4c 4h 4s",
    "7d 4d 2s | Td 9d 8s 3h 3s | Kc Jc 9c 7c 6c",
)
LOSER_FOULED = "Ts 5c 2d | Jh Js 4c 4h 4s | Qd 8d 8h 3c 3d"
RICH = "5s 5h 5d | 8s 8h 8d 2c 2d | Js Jh Jd Jc 3s"  # front trips, middle full house, back quads
POOR = "9d 4c 3d | Qd Qc 7d 6d 4s | Ac Ad Kc Kd 3c"
POOR_FOULED = "9d 4c 3d | Ac Ad Kc Kd 3c | Qd Qc 7d 6d 4s"
TRIPS_FOULED = "Kh Kc Ks | 7h 7d 6c 6d 4c | Td 9d 4s 3h 2s"
FIVES_FOULED = "5s 5h 5d | 8s 8d 2c 2d 3s | Js Jh 9c 7c 3c"
HALF_RICH = "4s 4c 4d | 7s 7h 7d 6c 6d | Ks Kh Kc 9c 9d"  # loses all to RICH, with front trips and middle full house
FOURS = "4s 4c 4d | 8s 8c 8d 6h 6c | As Ah Ac 9c 9d"  # wins front and back against the next
THREES = "3s 3h 3d | Ts Th Td 2s 2h | Kd Kc Kh Jd Jc"
ROYAL = "Qd Jc 4d | 9s 9h 6d 6c 2s | As Ks Qs Js Ts"
TWO_ROYALS = "Kh Kd 4d | Ac Kc Qc Jc Tc | As Ks Qs Js Ts"
KING_HIGH = "Kd Jc 4d | 9h 9c 6d 6c 2s | Ks Qs Js Ts 9s"
PLAIN = "Jh 8c 3d | 7h 7d 4h 4c 2h | Ad Ah 8d 8s 5d"  # loses all to each of these
DRAGON = "2c 3d 4h | 5s 6c 7d 8h 9s | Tc Jd Qh Ks Ac"
NO_SPADES = "2c 3d 4h | 5h 6c 7d 8h 9d | Tc Jd Qh Kd Ac"
SUITED = "2s 3s 4s | 5s 6s 7s 8s 9s | Ts Js Qs Ks As"
SIX_PAIRS = "5c 4c 4d | Jc Jh 8d 8c 5d | Kd Kc Qd Qc 9c"
THE_SAME_PAIRS = "5s 4s 4h | Js Jd 8s 8h 5h | Ks Kh Qs Qh 9h"

TABLE = {
    "front": {"three_of_a_kind": 3},
    "middle": {"full_house": 2, "four_of_a_kind": 8, "straight_flush": 10},
    "back": {"four_of_a_kind": 4, "straight_flush": 5},
}
ADDED = {**TABLE, "mode": "add"}
REPLACED = {**TABLE, "mode": "replace"}
WITH_BONUSES = {"pays": "scoop_with_bonuses"}
ROYALS = {
    "mode": "replace",
    "middle": {"straight_flush": 10, "royal_flush": 14},
    "back": {"straight_flush": 5, "royal_flush": 7},
}
FRONT_FIVE = {"by_category": {"front": {"three_of_a_kind": 5}}}
TRIPLE = {"scoop": {"factor": 2}, "home_run": {"factor": 3}, "foul": {"pays": "scoop"}}
DOUBLE_ALL = {"factor": 2, "factor_on": "all"}
DOUBLE = {"factor": 2, "factor_on": "regular"}


def deal(*sets: str, banker: int | None = None, declare: tuple[str | None, ...] = (None,) * 4) -> Deal:
    players = [
        Player(f"P{seat}", Arrangement.parse(cards), declare=declared)
        for seat, (cards, declared) in enumerate(zip(sets, declare, strict=False))
    ]
    return Deal(tuple(players), banker)


def naturals(between: str, order: str = "worth", **worth: int) -> dict[str, Any]:
    return {"naturals": {"worth": worth, "between": between, "order": order}, "foul": {"pays": "scoop"}}


GIVEN_UP = Player("North", surrender=True)
WITH_FOUL = Player("East", Arrangement.parse(TRIPS_FOULED))
FOUL = deal(RICH, POOR_FOULED)
SCOOP = deal(RICH, POOR)
FOUR = deal(LEADER, *LOSERS)
OVER_A_FOUL = deal(LEADER, LOSERS[0], LOSER_FOULED, LOSERS[2])
DRAGON_PAIRS = deal(DRAGON, SIX_PAIRS, declare=("dragon", "six_pairs"))
TWICE_SIX_PAIRS = deal(SIX_PAIRS, THE_SAME_PAIRS, declare=("six_pairs", "six_pairs"))
DRAGONS = deal(SUITED, NO_SPADES, declare=("suited_dragon", "dragon"))

OPTIONS: dict[str, tuple[dict[str, Any], Deal, int]] = {
    # A foul
    "foul, flat: 7": ({"foul": {"pays": "flat", "units": 7}, "bonuses": ADDED}, FOUL, 7),
    "foul, flat: 0": ({"foul": {"pays": "flat", "units": 0}}, FOUL, 0),
    "foul, flat: 7, not doubled": ({"foul": {"pays": "flat", "units": 7}, "scoop": DOUBLE_ALL}, FOUL, 7),
    "foul, scoop: 1 + 1 + 1": ({"foul": {"pays": "scoop"}, "bonuses": ADDED}, FOUL, 3),
    "foul, scoop: 3 + majority 1 + scoop 2": (
        {"foul": {"pays": "scoop"}, "bonuses": ADDED, "majority": {"units": 1}, "scoop": {"units": 2}},
        FOUL,
        6,
    ),
    "foul, scoop: 3 x2": ({"foul": {"pays": "scoop"}, "scoop": DOUBLE}, FOUL, 6),
    "foul, scoop: 1 + 2 + 3": ({"foul": {"pays": "scoop"}, "units": {"front": 1, "middle": 2, "back": 3}}, FOUL, 6),
    "foul, scoop: 3, trips or not": ({"foul": {"pays": "scoop"}, "units": FRONT_FIVE}, FOUL, 3),
    "foul, bonuses in place: 3 + 2 + 4": ({"foul": WITH_BONUSES, "bonuses": REPLACED}, FOUL, 9),
    "foul, bonuses added: 3 + 3 + 2 + 4": ({"foul": WITH_BONUSES, "bonuses": ADDED}, FOUL, 12),
    "foul, bonuses: 12 x2": ({"foul": WITH_BONUSES, "bonuses": ADDED, "scoop": DOUBLE_ALL}, FOUL, 24),
    "foul, bonuses: 3 x2 + 9": ({"foul": WITH_BONUSES, "bonuses": ADDED, "scoop": DOUBLE}, FOUL, 15),
    "foul, bonuses capped: 3 + 5": ({"foul": WITH_BONUSES, "bonuses": {**ADDED, "cap": 5}}, FOUL, 8),
    "foul, units by category: 5 + 1 + 1": ({"foul": WITH_BONUSES, "units": FRONT_FIVE}, FOUL, 7),
    "foul, bonuses to both: 3 + 9, none for the foul's own": (
        {"foul": WITH_BONUSES, "bonuses": {**ADDED, "paid_to": "both"}},
        deal(RICH, TRIPS_FOULED),
        12,
    ),
    "two fouls: 0": ({"foul": WITH_BONUSES, "bonuses": ADDED}, deal(TRIPS_FOULED, FIVES_FOULED), 0),
    # A home run
    "home run: 9 from each": (TRIPLE, FOUR, 27),
    "home run: of three no more than 6 from each": (TRIPLE, deal(LEADER, *LOSERS[:2]), 12),
    "home run from three players: 9 from each": (
        {**TRIPLE, "home_run": {"factor": 3, "players": 3}},
        deal(LEADER, *LOSERS[:2]),
        18,
    ),
    "home run from two players: 9": ({**TRIPLE, "home_run": {"factor": 3, "players": 2}}, SCOOP, 9),
    "home run on top: 3 x2 x3 from each": ({**TRIPLE, "home_run": {"factor": 3, "mode": "on_top"}}, FOUR, 54),
    "home run without a scoop factor: 3 x3 from each": ({"home_run": {"factor": 3}}, FOUR, 27),
    "home run of the banker: 9 from each": ({**TRIPLE, "banker": "required"}, deal(LEADER, *LOSERS, banker=0), 27),
    "home run, a foul is no scoop: 6 + 6 + 6": (TRIPLE, OVER_A_FOUL, 18),
    "home run, a foul counts: 9 + 9 + 9": (
        {**TRIPLE, "home_run": {"factor": 3, "counts_fouls": True}},
        OVER_A_FOUL,
        27,
    ),
    "home run, a foul counts and pays 4: 9 + 4 + 9": (
        {**TRIPLE, "home_run": {"factor": 3, "counts_fouls": True}, "foul": {"pays": "flat", "units": 4}},
        OVER_A_FOUL,
        22,
    ),
    # A cap on the matchup
    "cap: 5 of 12": ({"bonuses": ADDED, "cap": 5}, SCOOP, 5),
    "cap: -5 of -12": ({"bonuses": ADDED, "cap": 5}, deal(POOR, RICH), -5),
    "cap: 12 of 12": ({"bonuses": ADDED, "cap": 12}, SCOOP, 12),
    "cap: 0": ({"bonuses": ADDED, "cap": 0}, SCOOP, 0),
    "cap: on each matchup, 5 + 5 + 5 of 27": ({**TRIPLE, "cap": 5}, FOUR, 15),
    "cap: on a foul, 5 of 7": ({"foul": {"pays": "flat", "units": 7}, "cap": 5}, FOUL, 5),
    "cap: on a natural, 5 of 13": (
        {**naturals("push", dragon=13), "cap": 5},
        deal(DRAGON, SIX_PAIRS, declare=("dragon", None)),
        5,
    ),
    # A royal flush
    "royal flush: 1 + 1 + 7": ({"bonuses": ROYALS}, deal(ROYAL, PLAIN), 9),
    "royal flush in middle and back: 1 + 14 + 7": ({"bonuses": ROYALS}, deal(TWO_ROYALS, PLAIN), 22),
    "royal flush as a straight flush: 1 + 10 + 5": ({"bonuses": REPLACED}, deal(TWO_ROYALS, PLAIN), 16),
    "king-high straight flush beside a royal's 7: 1 + 1 + 5": ({"bonuses": ROYALS}, deal(KING_HIGH, PLAIN), 7),
    # Units of a segment
    "units: 1 + 2 + 3": ({"units": {"front": 1, "middle": 2, "back": 3}}, SCOOP, 6),
    "units by category: 5 + 1 + 1": ({"units": FRONT_FIVE}, SCOOP, 7),
    "units by category: 7 x2": ({"units": FRONT_FIVE, "scoop": DOUBLE}, SCOOP, 14),
    "units by category and bonuses: 5 + 3, 1 + 2, 1 + 4": ({"units": FRONT_FIVE, "bonuses": ADDED}, SCOOP, 16),
    "units by category, bonus in place: 3 + 2 + 4": ({"units": FRONT_FIVE, "bonuses": REPLACED}, SCOOP, 9),
    # Bonuses paid to both, and what a factor multiplies
    "bonuses to the winner: 1 + 3 + 1 - (1 + 2)": ({"bonuses": ADDED}, deal(FOURS, THREES), 2),
    "bonuses to both: 1 + 3 + 2 + 1 - (3 + 1 + 2)": (
        {"bonuses": {**ADDED, "paid_to": "both"}},
        deal(FOURS, THREES),
        1,
    ),
    "bonuses to both in a scoop: 3 + 9 - 5": ({"bonuses": {**ADDED, "paid_to": "both"}}, deal(RICH, HALF_RICH), 7),
    "bonuses to both, each capped: 3 + 6 - 5": (
        {"bonuses": {**ADDED, "paid_to": "both", "cap": 6}},
        deal(RICH, HALF_RICH),
        4,
    ),
    "bonuses to both, all doubled: 7 x2": (
        {"bonuses": {**ADDED, "paid_to": "both"}, "scoop": DOUBLE_ALL},
        deal(RICH, HALF_RICH),
        14,
    ),
    "bonuses to both, regular doubled: 3 x2 + 9 - 5": (
        {"bonuses": {**ADDED, "paid_to": "both"}, "scoop": DOUBLE},
        deal(RICH, HALF_RICH),
        10,
    ),
    "majority and scoop units, all doubled: (3 + 1 + 3) x2": (
        {"majority": {"units": 1}, "scoop": {**DOUBLE_ALL, "units": 3}},
        SCOOP,
        14,
    ),
    "majority and scoop units, regular doubled: 3 x2 + 1 + 3": (
        {"majority": {"units": 1}, "scoop": {**DOUBLE, "units": 3}},
        SCOOP,
        10,
    ),
    # Two naturals
    "naturals, push: 0": (naturals("push", dragon=13, six_pairs=6), DRAGON_PAIRS, 0),
    "naturals, difference: 13 - 6": (naturals("difference", dragon=13, six_pairs=6), DRAGON_PAIRS, 7),
    "naturals, difference: 3 - 6": (naturals("difference", dragon=3, six_pairs=6), DRAGON_PAIRS, -3),
    "naturals, the higher wins: 13": (naturals("higher_wins", dragon=13, six_pairs=6), DRAGON_PAIRS, 13),
    "naturals, the higher by worth: -6": (naturals("higher_wins", dragon=3, six_pairs=6), DRAGON_PAIRS, -6),
    "naturals, the higher as listed: 3": (naturals("higher_wins", "listed", dragon=3, six_pairs=6), DRAGON_PAIRS, 3),
    "naturals, the higher of equal worth: 0": (naturals("higher_wins", dragon=6, six_pairs=6), DRAGON_PAIRS, 0),
    "naturals, of equal worth as listed: -6": (
        naturals("higher_wins", "listed", six_pairs=6, dragon=6),
        DRAGON_PAIRS,
        -6,
    ),
    "naturals, the dragon first: 3": (naturals("dragon_first", dragon=3, six_pairs=6), DRAGON_PAIRS, 3),
    **{
        f"naturals, twice the same, {between}, {order}: 0": (
            naturals(between, order, dragon=13, six_pairs=6),
            TWICE_SIX_PAIRS,
            0,
        )
        for between, order in product(("push", "difference", "higher_wins", "dragon_first"), ("worth", "listed"))
    },
    "naturals, two dragons, the dragon first: 0": (naturals("dragon_first", suited_dragon=26, dragon=13), DRAGONS, 0),
    "naturals, two dragons, the higher wins: 26": (naturals("higher_wins", suited_dragon=26, dragon=13), DRAGONS, 26),
}


def house_of(rules: dict[str, Any]) -> RuleSet:
    return read_rules({"name": "house", **rules})


@pytest.mark.parametrize("about", OPTIONS)
def test_options_that_no_preset_uses(about: str) -> None:
    rules, table, units = OPTIONS[about]
    result = score(table, house_of(rules))
    assert result.totals[0] == units
    check_sums(result)


def turned(table: Deal) -> Deal:
    """The same players, sitting the other way round."""
    return Deal(table.players[::-1], None if table.banker is None else len(table.players) - 1 - table.banker)


def check_turned(table: Deal, rules: RuleSet) -> None:
    """What one gains the other loses, item by item, whoever sits first."""
    there, back = score(table, rules), score(turned(table), rules)
    last = len(table.players) - 1
    assert back.totals == there.totals[::-1]
    assert {
        (last - matchup.players[1], last - matchup.players[0]): sorted(
            (item.reason, item.segment or "", -item.units) for item in matchup.items
        )
        for matchup in back.matchups
    } == {
        matchup.players: sorted((item.reason, item.segment or "", item.units) for item in matchup.items)
        for matchup in there.matchups
    }


@pytest.mark.parametrize("about", OPTIONS)
def test_options_are_the_same_for_both_players(about: str) -> None:
    rules, table, _ = OPTIONS[about]
    check_turned(table, house_of(rules))


def test_a_home_run_is_named_and_paid_to_the_seat_that_hit_it() -> None:
    result = score(deal(LOSERS[0], LOSERS[1], LEADER, LOSERS[2]), house_of(TRIPLE))
    assert result.home_run == 2
    assert result.totals[2] == 27
    assert {matchup.players: matchup.total for matchup in result.matchups if 2 in matchup.players} == {
        (0, 2): -9,
        (1, 2): -9,
        (2, 3): 9,
    }


def full_table(first: str, player: Player | None = None) -> Deal:
    """The first set declares a dragon; the others foul by 4-4-5, but for the last if it is given."""
    rest = [card for card in DECK if card not in first.split()]
    hands = [rest[at : at + 13] for at in (0, 13, 26)]
    sets = [" | ".join(" ".join(part) for part in (hand[:4], hand[4:8], hand[8:])) for hand in hands]
    players = deal(first, *sets, declare=("dragon", None, None, None)).players
    return Deal((*players[:3], player or players[3]))


@pytest.mark.parametrize(
    ("counts", "last", "seat"),
    [
        ((), None, None),
        (("counts_fouls",), None, None),
        (("counts_naturals",), None, 0),
        (("counts_naturals", "counts_fouls"), None, 0),
        (("counts_naturals", "counts_fouls"), Player("P3", surrender=True), None),
    ],
)
def test_a_natural_over_all_is_a_home_run_where_the_house_counts_it(
    counts: tuple[str, ...], last: Player | None, seat: int | None
) -> None:
    """Each matchup pays the natural's worth, 5, which no factor multiplies; a surrender pays 5, too."""
    run = {"home_run": {"factor": 3, **dict.fromkeys(counts, True)}}
    rules = house_of({**TRIPLE, **naturals("push", dragon=5), **run, "surrender": 5})
    result = score(full_table(DRAGON, last), rules)
    assert all(player and (player.foul or player.surrender) for player in result.players[1:])
    assert (result.home_run, result.totals[0]) == (seat, 15)


def test_a_natural_over_legal_hands_is_a_home_run_too() -> None:
    rules = {"home_run": {"factor": 3, "players": 2, "counts_naturals": True, "counts_fouls": True}}
    table = deal(DRAGON, "9c 5c 4c | 4d 5d Kd Kc 8d | Jc Jh Qd Qc 8c", declare=("dragon", None))
    result = score(table, house_of({**naturals("push", dragon=5), **rules}))
    assert (result.home_run, result.totals) == (0, (5, -5))


def test_a_surrender_to_a_foul_is_no_home_run() -> None:
    rules = {"surrender": 3, "home_run": {"factor": 2, "players": 2, "counts_fouls": True, "counts_naturals": True}}
    for players in ((GIVEN_UP, WITH_FOUL), (WITH_FOUL, GIVEN_UP)):
        result = score(Deal(players), house_of(rules))
        assert (result.home_run, result.totals) == (None, (0, 0))


@pytest.mark.parametrize(
    ("rules", "table", "items"),
    [
        # A bonus in place of the unit leaves no segment item; a segment won without a bonus does.
        ({"bonuses": REPLACED}, SCOOP, "bonus front 3, bonus middle 2, bonus back 4"),
        ({"bonuses": REPLACED}, deal(KING_HIGH, PLAIN), "segment front 1, segment middle 1, bonus back 5"),
        (
            {"bonuses": ADDED},
            deal(PLAIN, KING_HIGH),
            "segment front -1, segment middle -1, segment back -1, bonus back -5",
        ),
        # A tied segment is an item of nothing.
        (
            {"majority": {"units": 1}},
            two_players(0, 1, 1),
            "segment front 0, segment middle 1, segment back 1, majority 1",
        ),
        # A cap that is not reached, or just so, is no item.
        ({"bonuses": {**REPLACED, "cap": 9}, "cap": 9}, SCOOP, "bonus front 3, bonus middle 2, bonus back 4"),
        (
            {"bonuses": {**REPLACED, "cap": 8}, "cap": 7},
            SCOOP,
            "bonus front 3, bonus middle 2, bonus back 4, bonus_cap -1, cap -1",
        ),
        (
            {
                "bonuses": ADDED,
                "scoop": {"units": 3, "factor": 2},
                "home_run": {"players": 2, "factor": 2, "mode": "on_top"},
            },
            deal(KING_HIGH, PLAIN),
            "segment front 1, segment middle 1, segment back 1, bonus back 5, scoop 3, scoop_factor 3, home_run 6",
        ),
        ({"foul": {"pays": "flat", "units": 4}}, FOUL, "foul 4"),
        ({"surrender": 3}, Deal((GIVEN_UP, two_players(1, 1, 1).players[0])), "surrender -3"),
        ({"surrender": 0}, Deal((GIVEN_UP, two_players(1, 1, 1).players[0])), "surrender 0"),
        # Nobody has the majority of segments where both have won one.
        (
            {"majority": {"units": 1, "rule": "more_than_opponent"}},
            two_players(1, -1, 0),
            "segment front 1, segment middle -1, segment back 0",
        ),
        (naturals("difference", dragon=13, six_pairs=6), DRAGON_PAIRS, "natural 7"),
    ],
)
def test_every_unit_is_an_item_with_its_reason(rules: dict[str, Any], table: Deal, items: str) -> None:
    (matchup,) = score(table, house_of(rules)).matchups
    found = [[item.reason, *([item.segment] if item.segment else []), str(item.units)] for item in matchup.items]
    assert ", ".join(" ".join(parts) for parts in found) == items
    check_turned(table, house_of(rules))


LEGAL = State(values=(SegmentValue(1, 0),) * 3)
NATURAL = State(natural=Natural.DRAGON)
FOULED = State(foul=True)
GONE = State(surrender=True)


@pytest.mark.parametrize(
    ("first", "second", "sides", "naturals", "fouls", "both"),
    [
        (LEGAL, LEGAL, 1, 1, 1, 1),
        (LEGAL, LEGAL, 0, 0, 0, 0),
        (NATURAL, LEGAL, 0, 1, 0, 1),
        (NATURAL, NATURAL, 0, 0, 0, 0),
        (NATURAL, FOULED, 0, 1, 0, 1),
        (NATURAL, GONE, 0, 0, 0, 0),
        (LEGAL, FOULED, 0, 0, 1, 1),
        (FOULED, FOULED, 0, 0, 0, 0),
        (FOULED, GONE, 0, 0, 0, 0),
        (LEGAL, GONE, 0, 0, 0, 0),
    ],
)
def test_who_scoops_for_a_home_runs_sake(
    first: State, second: State, sides: int, naturals: int, fouls: int, both: int
) -> None:
    """Where naturals count, where fouls do, and where both do; the other way round it is the other."""
    for scoop, counts in ((naturals, ("naturals",)), (fouls, ("fouls",)), (both, ("naturals", "fouls"))):
        rules = house_of({"home_run": {"factor": 2, **{f"counts_{what}": True for what in counts}}})
        found = scoops(first, second, (sides,) * 3, rules), scoops(second, first, (-sides,) * 3, rules)
        assert found == (scoop, -scoop)
        assert None not in found


def test_a_matchup_belongs_to_no_home_run_unless_it_is_said() -> None:
    rules = house_of(TRIPLE)
    assert settle(LEGAL, LEGAL, (1, 1, 1), rules) == settle(LEGAL, LEGAL, (1, 1, 1), rules, False)
    assert settle(LEGAL, LEGAL, (1, 1, 1), rules) != settle(LEGAL, LEGAL, (1, 1, 1), rules, True)


def test_rule_sets_that_list_naturals_in_another_order_are_kept_apart() -> None:
    """They differ in nothing else, not in their names either."""
    dragon, pairs = (
        house_of(naturals("higher_wins", "listed", **dict.fromkeys(names, 6)))
        for names in (("dragon", "six_pairs"), ("six_pairs", "dragon"))
    )
    assert dragon != pairs
    assert (score(DRAGON_PAIRS, dragon).totals, score(DRAGON_PAIRS, pairs).totals) == ((6, -6), (-6, 6))


def test_a_rule_set_may_charge_for_surrender() -> None:
    players = [
        GIVEN_UP,
        Player("South", Arrangement.parse(RICH)),
        WITH_FOUL,
    ]
    result = score(Deal(tuple(players)), house_of({"surrender": 5, "foul": {"pays": "flat", "units": 4}}))
    assert {matchup.players: matchup.total for matchup in result.matchups} == {(0, 1): -5, (0, 2): 0, (1, 2): 4}


@pytest.mark.parametrize(
    ("rules", "player", "banker", "code", "pointer"),
    [
        ("basic", Player("North", surrender=True), None, "no_surrender", "/players/1/surrender"),
        (
            "basic",
            Player("North", Arrangement.parse(SIX_PAIRS), declare="dragon"),
            None,
            "natural_not_held",
            "/players/1/declare",
        ),
        (
            "basic",
            Player("North", Arrangement.parse(SIX_PAIRS), declare="four_trips"),
            None,
            "unknown_natural",
            "/players/1/declare",
        ),
        (
            "units-only",
            Player("North", Arrangement.parse(SIX_PAIRS), declare="six_pairs"),
            None,
            "unknown_natural",
            "/players/1/declare",
        ),
        ("basic", Player("North", hand=parse_hand(SIX_PAIRS.replace("|", ""))), None, "not_set", "/players/1/hand"),
        ("basic", Player("North", Arrangement.parse(SIX_PAIRS)), 0, "no_banker", "/banker"),
        ("malaya", Player("North", Arrangement.parse(SIX_PAIRS)), None, "missing_banker", ""),
    ],
)
def test_deals_that_a_house_cannot_settle(
    rules: str, player: Player, banker: int | None, code: str, pointer: str
) -> None:
    table = Deal((Player("East", Arrangement.parse(DRAGON)), player), banker)
    with pytest.raises(DealError) as caught:
        score(table, load_rules(rules))
    assert [(problem.code, problem.pointer) for problem in caught.value.problems] == [(code, pointer)]


# ----------------------------------------------------------------------------------------------------
# What is told of each player


def test_a_natural_counts_undeclared_where_it_is_asked_for() -> None:
    table = deal(DRAGON, SIX_PAIRS)
    for asked, naturals_, totals in ((False, [None, None], None), (True, ["dragon", "six_pairs"], (4, -4))):
        result = score(table, load_rules("basic"), auto_declare=asked)
        assert [player and player.natural for player in result.players] == naturals_
        assert totals in (None, result.totals)
    assert [player and player.natural for player in score(table, load_rules("basic")).players] == [None, None]


def test_a_player_is_told_by_name_with_what_is_set() -> None:
    table = deal(DRAGON, SIX_PAIRS, declare=("dragon", None))
    first, second = score(table, load_rules("basic")).players
    assert first
    assert second
    assert (first.name, second.name, first.surrender, second.surrender) == ("P0", "P1", False, False)
    assert first.foul is second.foul is Foul.NONE
    for player, seat in ((first, table.players[0]), (second, table.players[1])):
        assert seat
        assert seat.arrangement
        assert player.strengths == tuple(map(evaluate, seat.arrangement.segments))
    gone, _ = score(Deal((GIVEN_UP, *two_players(1, 1, 1).players[:1])), house_of({"surrender": 3})).players
    assert gone
    assert (gone.surrender, gone.foul, gone.strengths) == (True, Foul.NONE, (None, None, None))


def test_a_declaration_that_the_cards_do_not_hold_is_answered_with_what_they_hold() -> None:
    table = deal(DRAGON, SIX_PAIRS, declare=("six_pairs", None))
    with pytest.raises(DealError) as caught:
        score(table, load_rules("basic"))
    assert caught.value.message == "the cards hold no six_pairs; they hold dragon, three_straights"


def test_what_is_big_is_the_houses() -> None:
    big = "5s 5h 6d | 7s 8h 9d Tc Js | Ad Ac Kd Kc Qs"
    small = "As Ah 2d | 3s 4h 5d 6c 7h | Ts Td 9c 9h 8s"
    for cards, natural in ((big, "all_big"), (small, "all_small")):
        other = (
            "2c 2h 3d | 4s 4c 6h 6s Jd | Kh Ks Qd Qc 3h"
            if natural == "all_big"
            else "Jc Jd Qh | Kd Kh 3d 3c 4s | Qs Qd 4d 4c Ks"
        )
        result = score(deal(cards, other, declare=(natural, None)), load_rules("hong-kong"))
        assert (result.players[0] and result.players[0].natural, result.totals) == (natural, (3, -3))


def test_a_foul_is_one_by_the_houses_rules() -> None:
    equal = deal("2s 3h 4d | 7s 7h 8d 9c Js | 7c 7d 8h 9s Jd", "2c 3c 5d | 6s 6h 8c 9h Jc | Td Tc 5c 5h Ks")
    wheel = deal("2s 3s 4d | Kc Qd Jh Ts 9s | Ac 2c 3d 4h 5h", "2h 3h 5d | 6s 6h 8c 9h Jc | Td Tc 5c 8h Ks")
    for table, fouled, legal in ((equal, "washington", "units-only"), (wheel, "basic", "vietnam")):
        for name, foul in ((fouled, True), (legal, False)):
            first, second = score(table, load_rules(name)).players
            assert first
            assert second
            assert (bool(first.foul), bool(second.foul)) == (foul, False)


def test_the_leading_cards_of_the_tied_segment_break_the_tie() -> None:
    """The sevens of the middle, not the cards beside them, and not the back."""
    first = "Qs Qh 4s | 7s 7h 3h 3d 2c | Td Tc 8s 8h 9s"
    second = "Jd Jc 4h | 7d 7c 3s 3c 2h | Ts Th 6s 6h 9h"
    assert score(deal(first, second), house_of({"ties": "suit"})).totals == (3, -3)
    assert score(deal(first, second), house_of({"ties": "suit", "suits": "dchs"})).totals == (1, -1)
    assert score(deal(first, second), house_of({})).totals == (2, -2)


@pytest.mark.parametrize("name", ["Six pairs", "six-pairs", " SIX_PAIRS ", "Six  Pairs"])
def test_a_natural_is_declared_as_people_write_it(name: str) -> None:
    named, plain = (deal(SIX_PAIRS, DRAGON, declare=(written, None)) for written in (name, "six_pairs"))
    assert score(named, load_rules("basic")).totals == score(plain, load_rules("basic")).totals
    with pytest.raises(DealError) as caught:
        score(deal(SIX_PAIRS, DRAGON, declare=(name + "s", None)), load_rules("basic"))
    assert (caught.value.code, caught.value.pointer) == ("unknown_natural", "/players/0/declare")


def test_a_result_shows_itself_as_a_table() -> None:
    result = score(deal(DRAGON, SIX_PAIRS, declare=("dragon", None)), load_rules("basic"))
    assert all(told in str(result) for told in ("P0", "P1", "dragon", f"{result.totals[0]:+d}"))
    assert all(told in result._repr_html_() for told in ("<table", "P0", "P1", "dragon", f"{result.totals[0]:+d}"))
    told = []
    result._repr_pretty_(SimpleNamespace(text=told.append), cycle=False)
    assert told == [str(result)]
