"""The referee must itself be right: on every published or hand-made case and on the rules' own examples."""

import json
import math
import random
from itertools import combinations, permutations
from typing import Any

import pytest
from referee import (
    CATEGORIES,
    FOUR_OF_SOURCE,
    HOUSES,
    SEGMENTS,
    category,
    is_foul,
    is_run,
    naturals,
    runs,
    score,
    splits_into,
    strength,
)

from chinese_poker.conformance import VECTORS as DATA


def cases(kind: str, file: str = "cases.jsonl") -> list[Any]:
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [pytest.param(case, id=case["id"]) for case in found if case["kind"] == kind]


def players_of(deal: dict[str, Any]) -> list[dict[str, Any] | None]:
    texts = (*SEGMENTS, "hand")
    return [
        player and {key: value.split() if key in texts else value for key, value in player.items()}
        for player in deal["players"]
    ]


def split(cards: str) -> list[str]:
    return cards.split()


def seat(front: str, middle: str, back: str, **more: Any) -> dict[str, Any]:
    return {"front": front.split(), "middle": middle.split(), "back": back.split(), **more}


def test_no_case_is_left_out() -> None:
    kinds = ("compare", "arrangement", "score", "naturals")
    lines = (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(len(cases(kind)) for kind in kinds) == len(lines)


@pytest.mark.parametrize("case", cases("compare"))
def test_compare(case: dict[str, Any]) -> None:
    one, two = case["a"].split(), case["b"].split()
    assert [category(one), category(two)] == case["categories"]
    left, right = strength(one), strength(two)
    assert ("a" if left > right else "b" if left < right else "tie") == case["winner"]


@pytest.mark.parametrize("case", cases("arrangement"))
def test_arrangement(case: dict[str, Any]) -> None:
    segments = [case["arrangement"][name].split() for name in SEGMENTS if name in case["arrangement"]]
    assert is_foul(*segments) is case["foul"]


@pytest.mark.parametrize("case", cases("naturals"))
def test_naturals(case: dict[str, Any]) -> None:
    found = naturals(case["hand"].split())
    if "naturals" in case:
        assert found & set(FOUR_OF_SOURCE) == set(case["naturals"])
    if "includes" in case:
        assert case["includes"] in found
    assert "naturals" in case or "includes" in case


@pytest.mark.parametrize("case", cases("score"))
def test_score(case: dict[str, Any]) -> None:
    totals, matchups = score(players_of(case["deal"]), case["deal"]["rules"])
    assert sum(totals) == 0
    if "totals" in case:
        assert totals == case["totals"]
    for one, two, units in case.get("matchups", []):
        assert matchups[one, two] == units
    assert "totals" in case or "matchups" in case


@pytest.mark.parametrize("case", cases("suggest", "suggest.jsonl"))
def test_suggest(case: dict[str, Any]) -> None:
    hand = case["hand"].split()
    if "naturals" in case:
        assert naturals(hand) & set(FOUR_OF_SOURCE) == set(case["naturals"])
    if "legal" not in case:
        return
    worth = {part: strength(part) for size in (3, 5) for part in combinations(hand, size)}
    legal: dict[tuple[Any, ...], int] = {}
    for front in combinations(hand, 3):
        rest = [card for card in hand if card not in front]
        for middle in combinations(rest, 5):
            back = tuple(card for card in rest if card not in middle)
            if worth[front] <= worth[middle] <= worth[back]:
                triple = (worth[front], worth[middle], worth[back])
                legal[triple] = legal.get(triple, 0) + 1
    assert sum(legal.values()) == case["legal"]
    undominated: list[tuple[Any, ...]] = []
    for low, mid, high in sorted(legal, reverse=True):
        if not any(low <= a and mid <= b and high <= c for a, b, c in undominated):
            undominated.append((low, mid, high))
    if "undominated" in case:
        assert len(undominated) == case["undominated"]
    if "best_categories" in case:
        assert case["best_categories"] in [[CATEGORIES[part[0]] for part in triple] for triple in undominated]
    if "must_not_be" in case:
        segments = [segment.split() for segment in case["must_not_be"].split("|")]
        assert is_foul(*segments) or tuple(strength(segment) for segment in segments) not in undominated


def test_category_names() -> None:
    assert category(split("As Ks Qs Js Ts")) == "royal_flush"
    assert category(split("Ks Qs Js Ts 9s")) == "straight_flush"
    assert category(split("Qs Ks As")) == "high_card"
    assert category(split("Qs Qh Qd")) == "three_of_a_kind"
    assert category(split("Qs Qh 2d 2c 3s")) == "two_pair"


def test_three_against_five_cards() -> None:
    assert strength(split("Ks Kh Ad")) > strength(split("Kd Kc Qs Js Ts"))
    assert strength(split("Ks Kh Qd")) < strength(split("Kd Kc Qs Js Ts"))
    assert strength(split("Qs Qh Qd")) > strength(split("As Ah Kd Kc 2s"))
    assert strength(split("As Kh 9d")) < strength(split("Ac Kd 9c 3h 2s"))


def test_the_wheel() -> None:
    wheel, six, king, ace = ("As 2d 3h 4c 5s", "2d 3h 4c 5s 6s", "9d Th Jc Qs Ks", "Td Jh Qc Ks As")
    assert strength(wheel.split()) < strength(six.split())
    lifted = strength(wheel.split(), "second_highest")
    assert strength(king.split(), "second_highest") < lifted < strength(ace.split(), "second_highest")
    segments = (split("3d 4h 6s"), split("9d Th Jc Qs Ks"), wheel.split())
    assert is_foul(*segments)
    assert not is_foul(*segments, wheel="second_highest")


def test_middle_equal_to_back() -> None:
    segments = (split("4c 3d 2s"), split("Ts 9h 8s 7d 6h"), split("Th 9s 8h 7c 6s"))
    assert not is_foul(*segments)
    assert is_foul(*segments, middle_may_equal_back=False)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        (
            "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s",
            "suited_dragon dragon three_straight_flushes one_colour twelve_of_a_suit three_flushes "
            + "three_straights",
        ),
        ("Ah Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s", "dragon twelve_of_a_suit three_straights"),
        ("As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Qc Js", "twelve_royals three_quads all_big six_pairs"),
        ("As Ah Ad Ac Ks Kh Kd Qs Qh Qd Js Jh 9d", "twelve_royals all_big"),
        ("As Ah Ad Ac Ks Kh Kd Qs Qh Qd Js Jh Jd", "twelve_royals four_trips all_big"),
        ("2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 5s 5h 5d", "all_small five_pairs_and_trips six_pairs"),
        ("2s 2h 2d 2c 3s 3h 3d 4s 4h 4d 5s 5h 5d", "four_trips all_small"),
        (
            "Ah Kh Qh 5d 6d 7d 8d 9d Ad 2d 3d 4d Td",
            "one_colour three_straight_flushes three_flushes three_straights",
        ),
        ("Ah Kh Jh 5d 6d 7d 8d 9d Ad 2d 3d 4d Jd", "one_colour three_flushes"),
        # Three straights and three flushes, but not by the same partition.
        ("Ah Kh Qh 2d 3d 4d 5d 7d 6s 8s 9s Ts As", "three_flushes three_straights"),
        ("Ah Kh Qh 5d 6d 7d 8d 9d Ac 2c 3c 4c 5c", "three_straight_flushes three_flushes three_straights"),
        ("As Ks Kd Qd Jd Td 9d 8h 7h 6h 5h 4h 2s", "three_flushes"),
        ("Qs Kd Ac 2h 3s 7d 7c 9h Ts Js 4d 4h 5c", ""),
    ],
)
def test_all_naturals(hand: str, expected: str) -> None:
    assert naturals(hand.split()) == set(expected.split())


def test_big_and_small_are_the_houses() -> None:
    hand = split("As Ah Ad Ac 5s 5h 6s 7s 8s Ts Td Jc Qc")
    assert "all_big" not in naturals(hand)
    assert "all_big" in naturals(hand, big="56789TJQKA", small="A23456789T")
    hand = split("As Ah Ad Ac 5s 5h 6s 7s 8s Ts Td 2c 3c")
    assert naturals(hand, big="56789TJQKA", small="A23456789T") >= {"all_small"}


def test_three_flushes_are_four_shapes_of_suit_counts() -> None:
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    source = random.Random(13)
    shapes = ([13], [10, 3], [8, 5], [5, 5, 3])
    hits = 0
    for _ in range(600):
        hand = source.sample(deck[: source.choice((28, 36, 52))], 13)
        if source.random() < 0.5:
            hand = [card for card in deck if card[1] in "sh"][: source.choice((13, 20))]
            hand = source.sample(hand, 13)
        counts = sorted((sum(card[1] == suit for card in hand) for suit in "shdc"), reverse=True)
        expected = [count for count in counts if count] in shapes
        assert splits_into(hand, lambda part: len({card[1] for card in part}) == 1) is expected
        hits += expected
    assert hits > 40


def test_three_straights_are_three_runs_of_ranks() -> None:
    """The short way of `naturals` against every way to part the hand."""
    source, hits = random.Random(14), 0
    for _ in range(1_500):
        ranks = "".join(source.choice(runs(size)) for size in (3, 5, 5))
        if source.random() < 0.7:  # nearly
            place = source.randrange(13)
            ranks = ranks[:place] + source.choice("23456789TJQKA") + ranks[place + 1 :]
        if max(map(ranks.count, ranks)) > 4:
            continue
        hand = [rank + "shdc"[ranks[:place].count(rank)] for place, rank in enumerate(ranks)]
        expected = splits_into(hand, is_run)
        assert ("three_straights" in naturals(hand)) is expected, hand
        hits += expected
    assert 400 < hits < 1_300


# Four seats that hold the cards of one deck. `SWEEP` wins all against each of the others.
SWEEP = seat("Ad Ac Kd", "9s Th Jd Qc Kh", "6s 6h 6d Qs Qh")
LOSERS = (
    seat("Tc 9h 8c", "Ks 7h 7s 2c 2h", "Ah As 5d 5h 5s"),
    seat("Ts 5c 2d", "Qd 8d 8h 3c 3d", "Jh Js 4c 4h 4s"),
    seat("7d 4d 2s", "Td 9d 8s 3h 3s", "Kc Jc 9c 7c 6c"),
)


@pytest.mark.parametrize(
    ("rules", "three", "four"),
    [
        ("basic", 4, 4),
        ("eastern", 3, 3),
        ("mandarin", 6, 9),
        ("california-mandarin", 6, 9),
        ("us-1-4", 4, 4),
        ("us-1-6", 6, 6),
        ("us-2-4", 4, 4),
        ("units-only", 3, 3),
        ("hong-kong", 3, 3),
        ("taiwan", 6, 12),
        ("fujian", 6, 12),
        ("vietnam", 6, 12),
        ("indonesia", 6, 12),
        ("philippines", 6, 6),
        ("panclub", 3, 3),
    ],
)
def test_scoop_and_home_run(rules: str, three: int, four: int) -> None:
    assert score([SWEEP, *LOSERS[:2]], rules)[0][0] == 2 * three
    assert score([SWEEP, *LOSERS], rules)[0][0] == 3 * four
    assert score([None, SWEEP, *LOSERS[1:]], rules)[0][1] == 2 * three


def test_no_home_run_over_a_foul() -> None:
    fouled = seat("7d 4d 3s", "Kc Jc 9c 7c 6c", "Td 9d 8s 3h 2s")
    assert score([SWEEP, *LOSERS[:2], fouled], "mandarin")[0][0] == 6 + 6 + 4
    assert score([SWEEP, *LOSERS[:2], fouled], "taiwan")[0][0] == 6 + 6 + 6


# Front trips, middle full house, back quads, over three segments without a bonus.
RICH = seat("5s 5h 5d", "8s 8h 8d 2c 2d", "Js Jh Jd Jc 3s")
RICHER = seat("5s 5h 5d", "6h 7h 8h 9h Th", "9s Ts Js Qs Ks")
POOR = seat("9d 4c 3d", "Qd Qc 7d 6d 4s", "Ac Ad Kc Kd 3c")


@pytest.mark.parametrize(
    ("rules", "rich", "richer"),
    [
        ("basic", 4, 4),
        ("eastern", 3 + 2 + 4, 3 + 10 + 5),
        ("palomar-eastern", 3 + 2 + 4, 12),
        # Front trips are three regular units, so that a scoop doubles them.
        ("mandarin", (3 + 1 + 1) * 2 + 2 + 4, (3 + 1 + 1) * 2 + 10 + 5),
        ("california-mandarin", 6 + 3 + 2 + 4, 6 + 3 + 10 + 5),
        ("swc", 4 + 2 + 1 + 3, 4 + 2 + 4 + 4),
        ("hong-kong", 9, 18),
        ("taiwan", 18, 36),
        ("fujian", 18, 36),
        ("vietnam", 18, 36),
        ("indonesia", 6 + 4 + 8, 6 + 20 + 10),
        ("philippines", 6, 6),
    ],
)
def test_bonuses_in_a_scoop(rules: str, rich: int, richer: int) -> None:
    assert score([RICH, POOR], rules)[0] == [rich, -rich]
    assert score([POOR, RICHER], rules)[0] == [-richer, richer]


def test_factor_spares_only_the_bonus_segments_in_indonesia() -> None:
    plain_back = seat("5s 5h 5d", "8s 8h 8d 2c 2d", "9c 9h 9s Tc Th")
    assert score([plain_back, POOR], "indonesia")[0][0] == 6 + 4 + 2


def test_cap_is_on_what_each_takes_in_bonuses() -> None:
    plain_front = seat("Kh Kc 2d", "6h 7h 8h 9h Th", "7s 8s 9s Ts Js")
    aces = seat("9d 4c 3d", "Qd Qc 7d 6d 4s", "Ac Ad Ah As 3c")
    assert score([plain_front, aces], "palomar-eastern")[0][0] == 1 + 12  # of 10 + 5
    assert score([plain_front, aces], "eastern")[0][0] == 1 + 15
    tied_back = seat("5s 5h 5d", "6h 7h 8h 9h Th", "Ts Js Qs Ks As")
    other = seat("4s 4h 4d", "2c 3c 4c 5c 6c", "Td Jd Qd Kd Ad")
    assert score([tied_back, other], "palomar-eastern")[0][0] == 12  # of 3 + 10
    assert score([tied_back, other], "eastern")[0][0] == 13
    kings = seat("5s 5h 5d", "Qs Qh Qc 6d 4s", "Ks Kh Kd Kc 3s")
    assert score([other, kings], "palomar-eastern")[0][0] == 12 - 3  # of 10 + 5


def test_malaya_pays_extras_win_or_lose_and_needs_a_bank() -> None:
    low = seat("2s 2h 2d", "5s 5h 5d 6c 6d", "8s 8h 8d 8c 3s")
    high = seat("4s 4h 4d", "7s 7h 7d 9c 9d", "Ts Js Qs Ks As")
    units = -3 + (2 + 2 + 4) - (2 + 2 + 6)
    assert score([low, high], "malaya", banker=1) == ([units, -units], {(0, 1): units})
    with pytest.raises(ValueError, match="banker"):
        score([low, high], "malaya")
    with pytest.raises(ValueError, match="banker"):
        score([low, high], "basic", banker=0)


def test_ties() -> None:
    tied = [
        seat("Qd Jc 4d", "As Jh 9h 8s 3c", "Kd Kh 9c 7d 2s"),
        seat("Qs Js 4s", "Ad Jd 9s 8c 3d", "Ks Kc 9d 7h 2c"),
    ]
    assert score(tied, "basic")[0] == [0, 0]
    assert score(tied, "hong-kong")[0] == [0, 0]
    assert score(tied, "hong-kong", banker=1)[0] == [-3, 3]
    assert score(tied, "philippines", banker=0)[0] == [6, -6]
    assert score(tied, "malaya", banker=0)[0] == [3, -3]
    # Spades lead the front and the back of the second, and the middle of the first.
    assert score(tied, "indonesia")[0] == [-1, 1]


def test_a_wheel_ties_by_the_suit_of_its_five() -> None:
    tied = [
        seat("9d 4c 3d", "Qd Qc 7d 6d 4s", "As 2d 3h 4h 5d"),
        seat("9h 8c 7h", "Qs Qh 8d Tc Td", "Ac 2c 3c 4d 5s"),
    ]
    assert score(tied, "indonesia")[0] == [-6, 6]


def test_houses_differ_in_what_fouls() -> None:
    lifted = seat("3d 4h 6s", "9d Th Jc Qs Ks", "As 2d 3h 4c 5s")
    other = seat("3s 4d 6h", "8s 8h Jd Jh Ac", "9c Tc Jc Qc Kh")
    assert score([lifted, other], "taiwan")[0] == [-6, 6]  # a foul
    assert score([lifted, other], "vietnam")[0] == [2, -2]  # the wheel wins the back
    equal = seat("4c 3d 2s", "Ts 9h 8s 7d 6h", "Th 9s 8h 7c 6s")
    assert score([equal, LOSERS[0]], "units-only")[0] == [1 - 1 - 1, 1]
    assert score([equal, LOSERS[0]], "washington")[0] == [-3, 3]
    wrong_sizes = seat("4c 3d 2s 6s", "Ts 9h 8s 7d", "Th 9s 8h 7c 6h")
    assert score([wrong_sizes, equal, LOSERS[0]], "us-1-6")[0][0] == -12


def test_only_the_bankers_matchups_are_played() -> None:
    totals, matchups = score([SWEEP, *LOSERS], "hong-kong", banker=0)
    assert set(matchups) == {(0, 1), (0, 2), (0, 3)}
    assert totals == [9, -3, -3, -3]


DRAGON = {"hand": split("Ad Kd Qs Jc Th 9h 8s 7s 6h 5d 4c 3d 2c"), "declare": "dragon"}
SUITED = {"hand": split("Ah Kh Qh Jh Th 9h 8h 7h 6h 5h 4h 3h 2h"), "declare": "three_flushes"}
PAIRS = {"hand": split("Kc Ks Js Jd Tc Td 7c 7d 6d 6s 3c 3s 2d"), "declare": "six_pairs"}
TRIPS = {"hand": split("Kc Ks Js Jd Tc Td 7c 7d 6d 6s 3c 3s 3d"), "declare": "six_pairs"}


@pytest.mark.parametrize(
    ("rules", "one", "two", "units"),
    [
        ("basic", DRAGON, PAIRS, 4),
        ("eastern", DRAGON, PAIRS, 3),
        ("mandarin", PAIRS, DRAGON, -6),
        ("us-1-6", DRAGON, PAIRS, 6),
        ("basic", TRIPS, PAIRS, 0),
        ("basic", DRAGON, SUITED, 0),
        ("hong-kong", DRAGON, PAIRS, 13),
        ("hong-kong", TRIPS, PAIRS, 0),
        ("taiwan", DRAGON, SUITED, -108),
        ("taiwan", TRIPS, PAIRS, 5),
        ("fujian", DRAGON, SUITED, -104),
        ("fujian", TRIPS, PAIRS, 0),
        ("vietnam", DRAGON, SUITED, -26),
        ("vietnam", TRIPS, PAIRS, 6),
        ("panclub", DRAGON, SUITED, -13),
        ("panclub", TRIPS, PAIRS, 4),
    ],
)
def test_two_naturals(rules: str, one: dict[str, Any], two: dict[str, Any], units: int) -> None:
    assert score([one, two], rules)[0] == [units, -units]


def test_malaya_settles_the_difference_of_two_specials() -> None:
    assert score([SUITED, PAIRS], "malaya", banker=0)[0] == [22, -22]
    assert score([PAIRS, TRIPS], "malaya", banker=0)[0] == [-1, 1]


def test_vietnam_ranks_kinds_of_equal_worth() -> None:
    flushes = {"hand": split("2d 5d 6d 3h 4h Kh Ah 7h Qc 2c 9c Jc Ac"), "declare": "three_flushes"}
    assert score([PAIRS, flushes], "vietnam")[0] == [3, -3]
    assert score([PAIRS, flushes], "hong-kong")[0] == [0, 0]


def test_a_declaration_must_hold() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        score([{**PAIRS, "declare": "dragon"}, DRAGON], "basic")
    with pytest.raises(ValueError, match="pays no natural"):
        score([PAIRS, DRAGON], "washington")


def test_natural_against_a_foul_and_a_surrender() -> None:
    fouled = seat("Ac As 4s", "Qh Jd 9d 8d 7h", "Kh Qc 9c 8c 5h")
    gone = {**SUITED, "declare": None, "surrender": True}
    assert score([DRAGON, fouled], "vietnam")[0] == [13, -13]
    assert score([DRAGON, fouled], "us-1-6")[0] == [6, -6]
    assert score([DRAGON, gone, fouled, LOSERS[0]], "us-2-4")[1] == {
        (0, 1): 3,
        (0, 2): 4,
        (0, 3): 4,
        (1, 2): 0,
        (1, 3): -3,
        (2, 3): -4,
    }


@pytest.mark.parametrize("rules", sorted(HOUSES))
def test_seats_do_not_matter_and_units_sum_to_zero(rules: str) -> None:
    source = random.Random(rules)
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    for _ in range(10):
        source.shuffle(deck)
        players = []
        for start in (0, 13, 26, 39):
            hand = sorted(deck[start : start + 13], key=lambda card: "23456789TJQKA".index(card[0]))
            players.append({"front": hand[:3], "middle": hand[3:8], "back": hand[8:]})
        bank = 0 if rules == "malaya" else None
        totals, _ = score(players, rules, bank)
        assert sum(totals) == 0
        for order in permutations(range(4)):
            moved_bank = None if bank is None else order.index(bank)
            moved, _ = score([players[at] for at in order], rules, moved_bank)
            assert moved == [totals[at] for at in order]


def test_undeclared_natural_plays_as_set() -> None:
    player = seat("2h 5h 9h", "9s 8s 7s 6s 5s", "Ad Kd Jd 8d 3d")
    other = seat("Qs Qh 4d", "As Ah 9c 7d 2s", "Kc Kh Tc Ts 3c")
    assert score([player, other], "eastern")[0] == [-4, 4]
    assert score([{**player, "declare": "three_flushes"}, other], "eastern")[0] == [3, -3]


def test_naturals_are_as_rare_as_counted() -> None:
    """As in the exact counts over all C(52, 13) hands."""
    source = random.Random(2024)
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    hands = 1500
    seen = dict.fromkeys(("six_pairs", "three_flushes", "three_straights"), 0)
    for _ in range(hands):
        for name in naturals(source.sample(deck, 13)) & set(seen):
            seen[name] += 1
    exact = {"six_pairs": 2_856_863_152, "three_flushes": 5_705_516_392, "three_straights": 2_029_579_776}
    for name, count in exact.items():
        expected = hands * count / math.comb(52, 13)
        assert abs(seen[name] - expected) < 5 * math.sqrt(expected), name
