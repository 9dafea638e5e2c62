"""Bad input, given to the command as a person or a program would: one line on stderr, and nothing else lost."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commanding import DRAGON, LEFT_OUT, NORTH, SOUTH, deal, lines, run

from chinese_poker.documents import pointer_to

LONGEST = 400
"""Characters of a line on stderr."""

Problems = list[tuple[str, str]]
"""Pointers and codes."""


class Bad(NamedTuple):
    """A line that is bad, and what is said of it."""

    line: bytes
    problems: Problems


def bad(text: Any, *problems: tuple[str, str]) -> Bad:
    if isinstance(text, str):
        return Bad(text.encode(), list(problems))
    return Bad(text if isinstance(text, bytes) else json.dumps(text).encode(), list(problems))


def third(**keys: Any) -> dict[str, Any]:
    return {"name": "East", "hand": "KhQsJd9d7h6s5s4h3h3c2dAcAd", **keys}


def no_segment(north: Any, *problems: tuple[str, str]) -> Bad:
    return bad(deal(north), *problems)


CARDS = {
    "one for an ace": "1s",
    "nought for a ten": "0h",
    "no such suit": "2f",
    "joker": "\U0001f0cf",
    "red joker": "\U0001f0bf",
    "white joker": "\U0001f0df",
    "knight": "\U0001f0ac",
    "back of a card": "\U0001f0a0",
    "Kelvin sign": "\u212as",
    "Cyrillic A": "\u0410s",
    "fullwidth": "\uff21s",
    "zero-width space": "A\u200bs",
    "junk after it": "AhJunk",
    "empty": "",
    "rank alone": "A",
    "suit alone": "s",
    "10 alone": "10",
    "eleven": "11h",
    "terminal escape": "A\x1b[2J",
    "line break": "A\ns",
    "lone surrogate": "A\ud800",
    "a megabyte nearly": "As" * 400_000,
}

BAD_LINES: dict[str, Bad] = {
    "empty object": bad({}, ("", "missing_key")),
    "list": bad([], ("", "bad_value")),
    "null": bad(None, ("", "bad_value")),
    "number": bad(7, ("", "bad_value")),
    "text": bad("deal", ("", "bad_json")),
    "quoted text": bad('"deal"', ("", "bad_value")),
    "true": bad(True, ("", "bad_value")),
    "byte 0xff": bad(b'{"players": "\xff"}', ("", "not_utf8")),
    "NUL": bad(b'{"players": \0}', ("", "bad_json")),
    "100,000 open brackets": bad("[" * 100_000, ("", "bad_json")),
    "100,000 open braces": bad('{"a":' * 100_000, ("", "bad_json")),
    "100,000 brackets": bad("[" * 100_000 + "]" * 100_000, ("", "bad_json")),
    "brackets in the user's key": bad(
        json.dumps(deal(_own=0)).replace('"_own": 0', f'"_own": {"[" * 100_000}{"]" * 100_000}'), ("", "bad_json")
    ),
    "4,400 digits": bad(f'{{"players": {"9" * 4400}}}', ("", "bad_json")),
    "4,400 digits, negative": bad(f'{{"_mine": -{"9" * 4400}}}', ("", "bad_json")),
    "NaN": bad('{"_mine": NaN}', ("", "bad_json")),
    "Infinity": bad('{"_mine": -Infinity}', ("", "bad_json")),
    "1e999": bad('{"_mine": 1e999}', ("", "bad_json")),
    "single quotes": bad("{'players': []}", ("", "bad_json")),
    "trailing comma": bad('{"players": [],}', ("", "bad_json")),
    "two documents in a line": bad("{} {}", ("", "bad_json")),
    "broken off": bad(json.dumps(deal())[:60], ("", "cut_short")),
    "broken off in a text": bad('{"players": [{"na', ("", "cut_short")),
    "broken off in an escape": bad('{"players": [{"na\\u00', ("", "bad_json")),
    "longer than a megabyte": bad(deal({"name": "x" * 10_000_000}), ("", "too_long")),
    "name with a lone surrogate": bad(deal({"name": "a\ud800b"}), ("/players/0/name", "bad_text")),
    "name with a line break": bad(deal({"name": "Ann\nBo"}), ("/players/0/name", "bad_text")),
    "name with a line separator": bad(deal({"name": "Ann\u2028Bo"}), ("/players/0/name", "bad_text")),
    "name with a terminal escape": bad(deal({"name": "\x1b[31mAnn"}), ("/players/0/name", "bad_text")),
    "name with a C1 control": bad(deal({"name": "\x9b31mAnn"}), ("/players/0/name", "bad_text")),
    "name with a bidi override": bad(deal({"name": "Ann\u202eoB"}), ("/players/0/name", "bad_text")),
    "name of 101 characters": bad(deal({"name": "x" * 101}), ("/players/0/name", "bad_text")),
    "name of 500,000 characters": bad(deal({"name": "x" * 500_000}), ("/players/0/name", "bad_text")),
    "empty name": bad(deal({"name": ""}), ("/players/0/name", "bad_text")),
    "name null": bad(deal({"name": None}), ("/players/0/name", "bad_value")),
    "name a number": bad(deal({"name": 7}), ("/players/0/name", "bad_value")),
    "id a list": bad(deal(id=[1]), ("/id", "bad_value")),
    "id true": bad(deal(id=True), ("/id", "bad_value")),
    "id 1.5": bad(deal(id=1.5), ("/id", "bad_value")),
    "id with an escape": bad(deal(id="\x1b]0;x\x07"), ("/id", "bad_text")),
    "five players": bad({"players": [NORTH, SOUTH, None, None, third()]}, ("/players", "too_many_players")),
    "a thousand seats": bad({"players": [None] * 1000}, ("/players", "too_few_players"), ("/players", "too_many_players")),
    "one player": bad({"players": [NORTH]}, ("/players", "too_few_players")),
    "one player and vacant seats": bad({"players": [NORTH, None, None]}, ("/players", "too_few_players")),
    "no players": bad({"players": []}, ("/players", "too_few_players")),
    "players null": bad({"players": None}, ("/players", "bad_value")),
    "players an object": bad({"players": {"North": NORTH, "South": SOUTH}}, ("/players", "bad_value")),
    "player a number": bad(deal(7), ("/players/0", "bad_value")),
    "player a list": bad(deal(south=["AhKd5c"]), ("/players/1", "bad_value")),
    "player empty": bad({"players": [NORTH, {}]}, ("/players/1", "missing_segment")),
    "segment missing": no_segment({"front": LEFT_OUT}, ("/players/0", "missing_segment")),
    "segment null": no_segment({"front": None}, ("/players/0/front", "bad_value")),
    "segment misspelt": no_segment(
        {"front": LEFT_OUT, "fornt": "QhQd2c"}, ("/players/0/fornt", "unknown_key"), ("/players/0", "missing_segment")
    ),
    "segment a number": no_segment({"front": 123}, ("/players/0/front", "bad_value")),
    "segment an object": no_segment({"front": {"cards": "QhQd2c"}}, ("/players/0/front", "bad_value")),
    "segment nested": no_segment({"front": [["Qh", "Qd", "2c"]]}, ("/players/0/front/0", "bad_value")),
    "segment with a number": no_segment({"front": ["Qh", 7, None]}, *((f"/players/0/front/{i}", "bad_value") for i in (1, 2))),
    "12 cards": no_segment({"front": "QhQd"}, ("/players/0", "wrong_count")),
    "14 cards": no_segment({"front": "QhQd2c2d"}, ("/players/0", "wrong_count")),
    "no cards": no_segment({"front": "", "middle": [], "back": ""}, ("/players/0", "wrong_count")),
    "hand of 12": bad({"players": [third(hand=DRAGON[2:], declare="dragon"), NORTH]}, ("/players/0", "wrong_count")),
    "hand and segments": no_segment({"hand": DRAGON}, ("/players/0/hand", "contradiction")),
    "hand not set": bad({"players": [third(), NORTH]}, ("/players/0/hand", "not_set")),
    "twice in a segment": no_segment({"front": ["Qh", "Qh", "2c"]}, ("/players/0/front/1", "duplicate_card")),
    "twice in a hand": no_segment({"front": ["Qh", "9s", "2c"]}, ("/players/0/middle", "duplicate_card")),
    "twice in a deal": bad(deal(south={"front": ["Ah", "Qh", "5c"]}), ("/players/1/front/1", "duplicate_card")),
    **{
        f"ten of hearts twice, as {ten}": no_segment({"front": ["Qh", ten, "2c"]}, ("/players/1/back", "duplicate_card"))
        for ten in ("10h", "Th", "tH", "T♥", "10♡", "T♥\ufe0f", "\U0001f0ba")
    },
    **{
        f"card: {name}, in a list": no_segment({"front": ["Qh", "Qd", card]}, ("/players/0/front/2", "unknown_card"))
        for name, card in CARDS.items()
    },
    "unknown key": bad(deal(plyers=[]), ("/plyers", "unknown_key")),
    "unknown key that needs an escape": bad(deal(**{"a/b~c": 1}), ("/a~1b~0c", "unknown_key")),
    "unknown key with a line break": bad(deal(**{"a\nb\x1b[2J": 1}), ("/a\nb\x1b[2J", "unknown_key")),
    "unknown key with a bidi override": bad(deal(**{"a\u202eb": 1}), ("/a\u202eb", "unknown_key")),
    "unknown key with a lone surrogate": bad(deal(**{"a\ud800b": 1}), ("/a\ud800b", "unknown_key")),
    "unknown key, empty": bad(deal(**{"": 1}), ("/", "unknown_key")),
    "unknown key of a player": bad(deal(south={"declared": "dragon"}), ("/players/1/declared", "unknown_key")),
    "unknown natural": bad(deal({"declare": "royal_dragon"}), ("/players/0/declare", "unknown_natural")),
    "unknown natural with an escape": bad(deal({"declare": "\x1b[2J"}), ("/players/0/declare", "bad_text")),
    "natural not held": bad(deal({"declare": "dragon"}), ("/players/0/declare", "natural_not_held")),
    "natural a number": bad(deal({"declare": 1}), ("/players/0/declare", "bad_value")),
    "surrender in a house without it": bad(deal({"surrender": True}), ("/players/0/surrender", "no_surrender")),
    "surrender a text": bad(deal({"surrender": "yes"}), ("/players/0/surrender", "bad_value")),
    "surrender and declared": bad(
        deal({"surrender": True, "declare": "dragon"}), ("/players/0/surrender", "contradiction")
    ),
    "banker in a house without one": bad(deal(banker=0), ("/banker", "no_banker")),
    "banker in no seat": bad(deal(banker=2, rules="hong-kong"), ("/banker", "banker_seat")),
    "banker negative": bad(deal(banker=-1), ("/banker", "banker_seat")),
    "banker true": bad(deal(banker=True), ("/banker", "bad_value")),
    "banker a text": bad(deal(banker="North"), ("/banker", "bad_value")),
    "banker missing": bad(deal(rules="california-mandarin"), ("", "missing_banker")),
    "strategy unknown": bad(
        {"players": [third(), NORTH], "strategy": "best"}, ("/strategy", "unknown_strategy")
    ),
    "unknown preset": bad(deal(rules="westren"), ("/rules", "unknown_rules")),
    "preset with an escape": bad(deal(rules="\x1b[2J"), ("/rules", "unknown_rules")),
    "preset of 500,000 characters": bad(deal(rules="w" * 500_000), ("/rules", "unknown_rules")),
    "rules a number": bad(deal(rules=1), ("/rules", "bad_value")),
    "rules null": bad(deal(rules=None), ("/rules", "bad_value")),
    "rules a file": bad(deal(rules="/etc/club.toml"), ("/rules", "unknown_rules")),
    "rules with an unknown key": bad(deal(rules={"scop": {"units": 3}}), ("/rules/scop", "unknown_key")),
    "rules with an unknown key within": bad(deal(rules={"scoop": {"unit": 3}}), ("/rules/scoop/unit", "unknown_key")),
    "rules over an unknown base": bad(deal(rules={"base": "estern"}), ("/rules/base", "unknown_rules")),
    "rules with a base that is no text": bad(deal(rules={"base": 7}), ("/rules/base", "unknown_rules")),
    "rules that contradict": bad(
        deal(rules={"foul": {"pays": "flat", "units": None}}), ("/rules/foul/units", "contradiction")
    ),
    "rules with a text for a number": bad(deal(rules={"scoop": {"units": "3"}}), ("/rules/scoop/units", "bad_value")),
    "rules with a lone surrogate": bad(deal(rules={"title": "a\ud800"}), ("/rules/title", "bad_value")),
    "rules with a name that a terminal obeys": bad(deal(rules={"name": "a\x1b[2J"}), ("/rules/name", "bad_text")),
}
ONE_LINE = {name: each for name, each in BAD_LINES.items()}


def good(number: int) -> dict[str, Any]:
    return deal(id=number)


class Told(NamedTuple):
    """What the command said of a stream of bad lines, a good one after each."""

    status: int
    results: list[Any]
    errors: list[Any]
    text: list[str]


@pytest.fixture(scope="module")
def told() -> Told:
    stream = b"".join(each.line + b"\n" + json.dumps(good(i)).encode() + b"\n" for i, each in enumerate(BAD_LINES.values()))
    stream = json.dumps(good(-1)).encode() + b"\n" + stream
    as_json = run("score", "-", "--json", "--errors", "json", stdin=stream)
    as_text = run("score", "-", "--json", stdin=stream)
    assert as_json.stdout == as_text.stdout
    assert as_json.returncode == as_text.returncode
    (Path("/tmp/told.txt")).write_bytes(as_text.stderr)
    return Told(as_text.returncode, lines(as_json.stdout), lines(as_json.stderr), as_text.stderr.decode().split("\n")[:-1])


def check_text(text: str) -> None:
    """A line for a person: short, and with nothing in it that a terminal obeys."""
    assert 0 < len(text) <= LONGEST, text[:1000]
    assert text.isprintable(), ascii(text)
    assert "Traceback" not in text


def test_the_good_around_the_bad_is_scored(told: Told) -> None:
    assert told.status == 1
    assert [result["id"] for result in told.results] == list(range(-1, len(BAD_LINES)))
    assert len({json.dumps(result["players"]) for result in told.results}) == 1


def test_every_error_is_one_line_for_a_person(told: Told) -> None:
    assert len(told.text) == len(told.errors)
    for text in told.text:
        check_text(text)


def resolve(document: Any, pointer: str) -> Any:
    """RFC 6901; fails where the pointer leads nowhere."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


@pytest.mark.parametrize(("number", "name"), enumerate(BAD_LINES))
def test_bad_line(told: Told, number: int, name: str) -> None:
    line, problems = BAD_LINES[name]
    errors = [error for error in told.errors if error["line"] == 2 * number + 2]
    assert [(error["pointer"], error["code"]) for error in errors] == problems
    for error in errors:
        assert error["file"] == "-"
        if error["pointer"]:
            resolve(json.loads(line), error["pointer"])
