"""Documents into values and back: what is read at the limits and refused beyond them, and results in full."""

import json
from typing import Any

import pytest
from commanding import DRAGON, NORTH, SOUTH, deal
from jsonschema import Draft202012Validator

from chinese_poker import Arrangement, Card, ChinesePokerError, DealError, parse_cards, parse_hand, score, wire
from chinese_poker.errors import MOST_PROBLEMS, CardError
from chinese_poker.presets import load_rules, read_rules, rules_document
from chinese_poker.wire import (
    REQUESTS,
    SCHEMAS,
    check_arrangement,
    dumps,
    read_as,
    read_deal,
    read_hand,
    result_document,
    schema,
    user_keys,
)

Problem = tuple[str, str, str]


def refused(read: Any, *arguments: Any) -> list[Problem]:
    """Pointers, codes and messages."""
    with pytest.raises(ChinesePokerError) as caught:
        read(*arguments)
    return [(each.pointer, each.code, each.message) for each in caught.value.problems]


# ----------------------------------------------------------------------------------------------------
# What is read, and what is refused just beyond

HAND = parse_hand(DRAGON)
OTHER = "2s3d4s5c6d7c8c9cTdJhQcKcAc"
"""A dragon of cards that North does not hold."""
LINE = "Qh Qd 2c | 9s 9h 4d 4c 7s | As Ks Js 8s 3s"
SUGGEST: dict[str, Any] = {"hand": DRAGON}
ARRANGE: dict[str, Any] = {"hands": [DRAGON], "strategy": "greedy"}
REVIEW: dict[str, Any] = {"deal": {}, "seat": 0}
LIST = 'write cards as one string or a list, as in "AhKd5c" or ["Ah", "Kd", "5c"]'

READ: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("hand", {"hand": DRAGON, "dead": "As" * 500}, {"hand": HAND, "dead": (Card["As"],) * 500}),
    ("hand", {"hand": list(HAND), "dead": ["As"] * 1000}, {"hand": HAND, "dead": (Card["As"],) * 1000}),
    ("hand", {"hand": DRAGON, "dead": []}, {"hand": HAND, "dead": ()}),
    *(("hand", {"hand": "", "id": n}, {"hand": (), "id": n}) for n in (-(2**63), 2**63 - 1, 0, "x", "x" * 100)),
    ("arrangement", {"_a": {"b": None}}, {"_a": {"b": None}}),
    ("suggest request", {**SUGGEST, "known": [LINE] * 3}, {"hand": HAND, "known": [Arrangement.parse(LINE)] * 3}),
    ("suggest request", {**SUGGEST, "rules": {}, "bank": "mine"}, {"hand": HAND, "rules": {}, "bank": "mine"}),
    ("suggest request", {**SUGGEST, "rules": "x", "top": 1}, {"hand": HAND, "rules": "x", "top": 1}),
    ("deal request", {"players": 2, "seed": -(2**63)}, {"players": 2, "seed": -(2**63)}),
    ("deal request", {"players": 4, "seed": 2**63 - 1}, {"players": 4, "seed": 2**63 - 1}),
    ("arrange request", {**ARRANGE, "hands": [DRAGON] * 4}, {"hands": [HAND] * 4, "strategy": "greedy"}),
    ("review request", REVIEW, REVIEW),
    (
        "night",
        {"title": "十三", "players": ["Ann"] * 100, "_a": 1},
        {"title": "十三", "players": ["Ann"] * 100, "_a": 1},
    ),
]
BEYOND: list[tuple[str, Any, list[Problem]]] = [
    ("hand", {"hand": "As" * 501}, [("/hand", "bad_value", "1,002 characters; write at most 13 cards")]),
    ("hand", {"hand": ["As"] * 1001}, [("/hand", "bad_value", "1,001 cards; write at most 13 cards")]),
    ("hand", {"hand": 13}, [("/hand", "bad_value", LIST)]),
    ("hand", {"hand": {"As": 1}}, [("/hand", "bad_value", LIST)]),
    (
        "hand",
        {"hand": ["As", 7, "1s", []]},
        [(f"/hand/{place}", "bad_value", 'write a card as a text, as in "As"') for place in (1, 3)],
    ),
    *(
        (
            "hand",
            {"hand": "", "id": n},
            [("/id", "bad_value", "an id has at most 64 bits; write a longer one as a text")],
        )
        for n in (-(2**63) - 1, 2**63)
    ),
    ("hand", {"hand": "", "id": "x" * 101}, [("/id", "bad_text", "101 characters; write 1 to 100")]),
    ("hand", {"hand": "", "id": True}, [("/id", "bad_value", "write a text in quotes")]),
    ("hand", {"hand": "", "id": None}, [("/id", "bad_value", "write a text in quotes")]),
    ("hand", {}, [("/hand", "missing_key", "'hand' is missing; write it")]),
    (
        "hand",
        {"hand": "", "daed": "", "_daed": ""},
        [("/daed", "unknown_key", "'daed' is no key here, did you mean 'dead'? known: dead, hand, id")],
    ),
    (
        "hand",
        {"hand": 1, "x": ""},
        [("/x", "unknown_key", "'x' is no key here; known: dead, hand, id"), ("/hand", "bad_value", LIST)],
    ),
    *(
        (kind, value, [("", "bad_value", f"{name} is no {kind}; write a JSON object")])
        for kind, value, name in [
            ("hand", [], "a list"),
            ("night", "", "a text"),
            ("deal request", True, "true or false"),
            ("arrangement", None, "null"),
            ("suggest request", 0, "a number"),
            ("suggest request", 0.5, "a number"),
        ]
    ),
    (
        "suggest request",
        {**SUGGEST, "rules": 1},
        [("/rules", "bad_value", "write the name of a rule set, or the rules as an object")],
    ),
    ("suggest request", {**SUGGEST, "known": [1]}, [("/known/0", "bad_value", "write a text in quotes")]),
    (
        "suggest request",
        {**SUGGEST, "known": [LINE, "As|Ks"]},
        [("/known/1", "wrong_segments", "2 segments; write 'front | middle | back'")],
    ),
    ("deal request", {"players": 2.5}, [("/players", "bad_value", "write a whole number")]),
    # a review's deal is read by itself: neither its keys nor its players' are looked at here
    (
        "review request",
        {"deal": {"x": 1, "players": [{"x": 1}]}, "seat": "0", "players": [{"x": 1}]},
        [
            (
                "/players",
                "unknown_key",
                "'players' is no key here; known: against, deal, rules, samples, seat, seed, top",
            ),
            ("/seat", "bad_value", "write a whole number"),
        ],
    ),
]
OUT_OF_RANGE: list[tuple[str, dict[str, Any], str]] = [
    ("suggest request", {**SUGGEST, "known": [LINE] * 4}, "/known"),
    ("suggest request", {**SUGGEST, "bank": "ours"}, "/bank"),
    *(("suggest request", {**SUGGEST, key: 0}, f"/{key}") for key in ("top", "samples")),
    *(("review request", {**REVIEW, key: 0}, f"/{key}") for key in ("top", "samples")),
    *(("review request", {**REVIEW, "seat": seat}, "/seat") for seat in (-1, 4)),
    *(("deal request", {"players": 2, "seed": seed}, "/seed") for seed in (-(2**63) - 1, 2**63)),
    *(("deal request", {"players": players}, "/players") for players in (1, 5)),
    *(("arrange request", {**ARRANGE, "hands": [DRAGON] * hands}, "/hands") for hands in (0, 5)),
    ("night", {"players": ["Ann"] * 101}, "/players"),
]


@pytest.mark.parametrize(("kind", "value", "expected"), READ, ids=range(len(READ)))
def test_what_is_read_to_the_last(kind: str, value: Any, expected: Any) -> None:
    before = json.dumps(value)
    assert read_as(kind, value) == expected
    assert json.dumps(value) == before


@pytest.mark.parametrize(("kind", "value", "problems"), BEYOND, ids=range(len(BEYOND)))
def test_what_is_refused_and_in_which_words(kind: str, value: Any, problems: list[Problem]) -> None:
    assert refused(read_as, kind, value) == problems


@pytest.mark.parametrize(("kind", "value", "pointer"), OUT_OF_RANGE, ids=range(len(OUT_OF_RANGE)))
def test_what_is_out_of_range(kind: str, value: Any, pointer: str) -> None:
    assert [(pointer, code) for pointer, code, _ in refused(read_as, kind, value)] == [(pointer, "bad_value")]


def test_a_hundred_unknown_keys_are_told() -> None:
    assert len(refused(read_as, "hand", {"hand": "", **dict.fromkeys(map(str, range(500)))})) == MOST_PROBLEMS


def test_a_bad_card_is_the_readers_of_cards() -> None:
    with pytest.raises(DealError) as caught:
        read_as("hand", {"hand": ["As", "1s"]})
    assert [(each.pointer, type(each)) for each in caught.value.problems] == [("/hand/1", CardError)]


def test_a_hand_has_13_different_cards() -> None:
    assert read_hand({"hand": DRAGON, "dead": "2c2c"}) == {"hand": HAND, "dead": parse_cards("2c2c")}
    assert read_hand({"hand": DRAGON, "top": 2}, "suggest request") == {"hand": HAND, "top": 2}
    assert refused(read_hand, {"hand": "AsAs"}) == [
        ("/hand/1", "duplicate_card", "As is there twice; a deal holds each card once"),
        ("", "wrong_count", "2 cards; a hand has 13"),
    ]
    assert refused(read_hand, {"hand": DRAGON, "top": 2})[0][:2] == ("/top", "unknown_key")


# ----------------------------------------------------------------------------------------------------
# Deals

ONE_OF_TWO = "give the hand or its segments, not both"
GIVE = "missing; give front, middle and back, or hand"
UNKNOWN = "is no key here; known: back, declare, front, hand, middle, name, surrender"
SHAPES: list[tuple[dict[str, Any], list[Problem]]] = [
    ({}, [("", "missing_segment", f"front and middle and back {GIVE}")]),
    ({"surrender": False}, [("", "missing_segment", f"front and middle and back {GIVE}")]),
    ({"name": "Ann", "middle": ""}, [("", "missing_segment", f"front and back {GIVE}")]),
    ({"surrender": True, "front": "", "middle": ""}, [("", "missing_segment", f"back {GIVE}")]),
    ({"hand": "", "front": ""}, [("/hand", "contradiction", ONE_OF_TWO)]),
    ({**SOUTH, "hand": ""}, [("/hand", "contradiction", ONE_OF_TWO)]),
    (
        {"surrender": True, "declare": "dragon", "x": 1},
        [
            ("/x", "unknown_key", f"'x' {UNKNOWN}"),
            ("/surrender", "contradiction", "a hand is declared or given up, not both"),
        ],
    ),
]


@pytest.mark.parametrize(("player", "problems"), SHAPES, ids=range(len(SHAPES)))
def test_the_keys_of_a_player(player: dict[str, Any], problems: list[Problem]) -> None:
    expected = [("/players/1" + pointer, code, message) for pointer, code, message in problems]
    assert refused(read_deal, {"players": [NORTH, player]}) == expected


def test_everything_wrong_with_a_deal_is_told_in_order() -> None:
    document = {"x": 1, "players": [{**NORTH, "y": 1}, {}], "rules": {"base": "estern", "fowl": 1}}
    assert [problem[:2] for problem in refused(read_deal, document)] == [
        ("/x", "unknown_key"),
        ("/players/0/y", "unknown_key"),
        ("/players/1", "missing_segment"),
        ("/rules/base", "unknown_rules"),
        ("/rules/fowl", "unknown_key"),
    ]
    invalid = {"x": 1, "players": [{"y": 1, "front": 1}, None, 7, {"_z": 1}], "banker": "North"}
    assert [problem[:2] for problem in refused(read_deal, invalid)] == [
        ("/x", "unknown_key"),
        ("/players/0/y", "unknown_key"),
        ("/players/0/front", "bad_value"),
        ("/players/2", "bad_value"),
        ("/banker", "bad_value"),
    ]
    crowd = {"players": [{"y": 1}] * 5}
    assert [problem[0] for problem in refused(read_deal, crowd)] == [f"/players/{i}/y" for i in range(4)] + ["/players"]


def test_cards_of_a_deal_are_told_by_name_and_place() -> None:
    nameless = {"front": "QhKd5c", "middle": SOUTH["middle"], "back": SOUTH["back"]}
    assert refused(read_deal, {"players": [NORTH, None, nameless], "banker": 1}) == [
        ("/banker", "banker_seat", "1 is no player's seat; seats count from 0"),
        ("/players/2/front/0", "duplicate_card", "Qh is also in North's front; a deal holds each card once"),
    ]
    unseen = {"players": [{"hand": DRAGON}, {"surrender": True}, {"hand": DRAGON[:24], "surrender": True}]}
    problems = refused(read_deal, unseen)
    assert problems[0] == (
        "/players/2/hand/0",
        "duplicate_card",
        "2s is also in North's hand; a deal holds each card once",
    )
    assert problems[-1] == ("/players/2", "wrong_count", "South has 12 cards; a hand has 13")


def test_a_deal_as_it_is_read() -> None:
    document = {
        "id": "h17",
        "banker": 2,
        "strategy": "greedy",
        "players": [
            {key: NORTH[key] for key in ("front", "middle", "back")},
            None,
            {"name": "Bo", "hand": OTHER, "declare": "dragon"},
            {"surrender": True, "_x": 1},
        ],
    }
    found, rules = read_deal(document, load_rules("us-2-4"))
    assert rules is load_rules("us-2-4")
    assert (found.id, found.banker, found.strategy) == ("h17", 2, "greedy")
    north, vacant, bo, west = found.players
    assert north is not None
    assert bo is not None
    assert west is not None
    assert vacant is None
    assert (north.name, north.arrangement, north.hand, north.declare, north.surrender) == (
        "North",
        Arrangement.parse(LINE),
        (),
        None,
        False,
    )
    assert (bo.name, bo.arrangement, bo.hand, bo.declare, bo.surrender) == (
        "Bo",
        None,
        parse_hand(OTHER),
        "dragon",
        False,
    )
    assert (west.name, west.arrangement, west.hand, west.declare, west.surrender) == ("West", None, (), None, True)
    bare, rules = read_deal({"players": [NORTH, SOUTH]})
    assert (bare.id, bare.banker, bare.strategy, rules.name) == (None, None, None, "basic")
    assert read_deal(deal(rules="malaya"))[1].name == "malaya"
    assert read_deal(deal(rules="malaya"), load_rules("taiwan"))[1].name == "taiwan"


def test_a_document_names_no_file() -> None:
    fault = "a document names a preset or writes its rules out; give a file with --rules"
    assert refused(wire.read_rules, "./club.toml") == [("", "unknown_rules", fault)]
    assert refused(read_deal, deal(rules=".toml")) == [("/rules", "unknown_rules", fault)]
    assert wire.read_rules("western") is load_rules("western")
    assert wire.read_rules({"base": "western"}).name == "house"


# ----------------------------------------------------------------------------------------------------
# Results


def segment(cards: str, category: str | None, words: str) -> dict[str, Any]:
    return {"cards": cards, "category": category, "words": words}


def settled(document: dict[str, Any]) -> Any:
    found, rules = read_deal(document)
    return json.loads(dumps(result_document(document, found, score(found, rules))))


def test_a_settled_deal_in_full() -> None:
    """A surrender pays 3 to each player who plays on, a dragon takes 4 of the one who is set."""
    document = {
        "id": 17,
        "rules": "us-2-4",
        "_table": {"club": [1, None]},
        "players": [
            {**NORTH, "_chips": 5},
            None,
            {"surrender": True, "_gone": "home"},
            {"name": "Bo", "hand": OTHER, "declare": "dragon"},
        ],
    }
    shown = {
        "front": segment("Qh Qd 2c", "one_pair", "pair of queens, deuce kicker"),
        "middle": segment("9s 9h 4d 4c 7s", "two_pair", "nines and fours, seven kicker"),
        "back": segment("As Ks Js 8s 3s", "flush", "ace-high flush, king-jack-eight-three kickers"),
    }
    played = {"foul": False, "natural": None}
    assert settled(document) == {
        "id": 17,
        "rules": "us-2-4",
        "revision": load_rules("us-2-4").revision,
        "players": [
            {"seat": 0, "name": "North", "total": -1, **played, **shown, "_chips": 5},
            {"seat": 1, "vacant": True, "total": 0},
            {"seat": 2, "name": "South", "total": -6, **played, "surrender": True, "_gone": "home"},
            {"seat": 3, "name": "Bo", "total": 7, "foul": False, "natural": "dragon"},
        ],
        "matchups": [
            {"players": [0, 2], "total": 3, "items": [{"reason": "surrender", "units": 3}]},
            {"players": [0, 3], "total": -4, "items": [{"reason": "natural", "units": -4}]},
            {"players": [2, 3], "total": -3, "items": [{"reason": "surrender", "units": -3}]},
        ],
        "home_run": None,
        "_table": {"club": [1, None]},
    }


def test_fouls_and_segments_in_full() -> None:
    """One front beats its middle, another is of four cards; the third player takes four units of each."""
    document = {
        "players": [
            {"front": "KsKhAd", "middle": "KdKcQsJsTs", "back": "AsAc3d3h2c"},
            {"front": "2s4d4s5c", "middle": "6d7c8c9c", "back": "ThJhQh7hAh"},
            {"name": "Cy", "front": "2d3c4c", "middle": "5d5h6c7d8h", "back": "Tc9hJdQd8s"},
        ]
    }
    found = settled(document)
    assert "id" not in found
    assert [player["foul"] for player in found["players"]] == [True, True, False]
    assert [player.get("foul_reasons") for player in found["players"]] == [
        ["front_beats_middle"],
        ["front_size", "middle_size"],
        None,
    ]
    assert found["players"][1]["front"] == segment("2s 4d 4s 5c", None, "4 cards")
    assert found["players"][1]["middle"] == segment("6d 7c 8c 9c", None, "4 cards")
    assert found["players"][1]["back"]["category"] == "flush"
    assert [player["total"] for player in found["players"]] == [-4, -4, 8]
    won = settled({"players": [NORTH, SOUTH]})["matchups"]
    assert won == [
        {
            "players": [0, 1],
            "total": 2,
            "items": [
                {"reason": "segment", "segment": "front", "units": 1},
                {"reason": "segment", "segment": "middle", "units": 1},
                {"reason": "segment", "segment": "back", "units": -1},
                {"reason": "majority", "units": 1},
            ],
        }
    ]


def test_the_seat_of_a_home_run_is_named() -> None:
    """North's front, middle and back beat those of all three others."""
    document = {
        "rules": "mandarin",
        "players": [
            {"front": "AsAhAd", "middle": "KsKhKdKcQs", "back": "5s6s7s8s9s"},
            {"front": "2s3h4d", "middle": "2h3d4c5d7h", "back": "2d3c4h5c8h"},
            {"front": "6h7d8d", "middle": "6d7c8c9dJs", "back": "TdThQhAc9h"},
            {"front": "2c3s4s", "middle": "5h6cJhQd9c", "back": "TsTcJdJcQc"},
        ],
    }
    found = settled(document)
    assert found["home_run"] == 0
    assert [player["total"] > 0 for player in found["players"]] == [True, False, False, False]


CHECKED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"id": "a", "hand": DRAGON, "_from": "club"},
        {"id": "a", "foul": False, "foul_reasons": [], "naturals": ["dragon", "three_straights"], "_from": "club"},
    ),
    (
        {"front": "KsKhAd", "middle": "KdKcQsJs", "back": "AsAc3d3h2cTs"},
        {
            "foul": True,
            "foul_reasons": ["middle_size", "back_size"],
            "naturals": [],
            "front": segment("Ks Kh Ad", "one_pair", "pair of kings, ace kicker"),
            "middle": segment("Kd Kc Qs Js", None, "4 cards"),
            "back": segment("As Ac 3d 3h 2c Ts", None, "6 cards"),
        },
    ),
]


@pytest.mark.parametrize(("value", "expected"), CHECKED, ids=range(len(CHECKED)))
def test_what_is_said_of_an_arrangement_in_full(value: Any, expected: Any) -> None:
    assert check_arrangement(value, load_rules("basic")) == expected


def test_an_arrangement_is_checked_by_the_houses_rules() -> None:
    """Equal middle and back, and the low wheel: each a foul in some houses, and none in others."""
    equal = {"front": "2s3h4d", "middle": "7s7h8d9cJs", "back": "7c7d8h9sJd"}
    wheel = {"front": "2s3s4d", "middle": "Ac2c3d4h5h", "back": "KcQdJhTs9s"}
    for value, names in ((equal, ("basic", "washington")), (wheel, ("basic", "vietnam"))):
        assert [check_arrangement(value, load_rules(name))["foul"] for name in names] == [False, True]


def test_what_is_wrong_with_an_arrangement() -> None:
    assert refused(check_arrangement, {"front": "As", "x": 1}, load_rules("basic")) == [
        ("/x", "unknown_key", "'x' is no key here; known: back, front, hand, id, middle"),
        ("", "missing_segment", f"middle and back {GIVE}"),
    ]
    assert refused(check_arrangement, {"front": "As", "middle": "As", "back": ""}, load_rules("basic")) == [
        ("/middle/0", "duplicate_card", "As is also in front; a deal holds each card once"),
        ("", "wrong_count", "2 cards; a hand has 13"),
    ]


def test_the_users_keys_begin_with_a_line() -> None:
    assert user_keys({"_a": 1, "": 2, "a_": 3, "__": None}) == {"_a": 1, "__": None}


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"name": "陳", "total": -4}, '{"name":"陳","total":-4}'),
        ({"_a": 2**64, "b": [1, 2]}, '{"_a":18446744073709551616,"b":[1,2]}'),
        ({"_a": "\ud800陳"}, '{"_a":"\\ud800\\u9673"}'),
    ],
)
def test_the_text_of_a_document(document: dict[str, Any], text: str) -> None:
    assert dumps(document) == text.encode()


# ----------------------------------------------------------------------------------------------------
# Schemas


@pytest.mark.parametrize("kind", [*SCHEMAS, *REQUESTS, "rules"])
def test_a_schema_is_of_its_draft_and_leaves_the_users_keys_alone(kind: str) -> None:
    document = schema(kind)
    Draft202012Validator.check_schema(document)
    assert document["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert document["additionalProperties"] is False
    assert document["patternProperties"] == {"^_": {}}


def test_the_schema_of_rules_has_their_base() -> None:
    document = schema("rules")
    told = {"type": "string", "description": "The preset that fills what is left out"}
    assert (document["properties"]["base"], document["required"]) == (told, [])


def test_a_schema_accepts_what_is_read_and_refuses_what_is_not() -> None:
    rules = rules_document(read_rules({"base": "mandarin"}, "ours"))
    good = {
        "deal": [deal(), deal(_x=1), deal({"_x": {}})],
        "arrangement": [{}, {"hand": DRAGON, "_x": 1}],
        "hand": [{"hand": DRAGON, "_x": None}],
        "result": [settled(deal({"_x": 1}, _x=2))],
        "rules": [{}, {"base": "mandarin", "_x": 1}, rules],
    }
    bad = {
        "deal": [{}, deal(x=1), deal({"x": 1}), deal(x_=1), {"players": [NORTH] * 5}],
        "arrangement": [{"x": 1}, {"hand": "13 cards"}],
        "hand": [{}, {"hand": [1]}],
        "result": [{}, {**settled(deal()), "x": 1}],
        "rules": [{"base": 4}, {"x_": 1}, {**rules, "x": 1}],
    }
    for kind, documents in good.items():
        validator = Draft202012Validator(schema(kind))
        assert [document for document in documents if not validator.is_valid(document)] == []
        assert [document for document in bad[kind] if validator.is_valid(document)] == []
