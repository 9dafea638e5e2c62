"""Bad input, given to the command as a person or a program would: one line on stderr, and nothing else lost."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commanding import COMMAND, DRAGON, LEFT_OUT, NORTH, SOUTH, deal, json_lines, lines, run

from chinese_poker.errors import MOST_PROBLEMS

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


THIRD = "KhQcJd9d7h6s5s4h3h3c2dAcAd"


def third(**keys: Any) -> dict[str, Any]:
    return {"name": "East", "hand": THIRD, **keys}


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
    "4,400 digits": bad(f'{{"players": {"9" * 4400}}}', ("/players", "bad_json")),
    "4,400 digits, negative": bad(f'{{"_mine": -{"9" * 4400}}}', ("/_mine", "bad_json")),
    "NaN": bad('{"_mine": NaN}', ("/_mine", "bad_json")),
    "Infinity": bad('{"_mine": -Infinity}', ("/_mine", "bad_json")),
    "1e999": bad('{"_mine": 1e999}', ("/_mine", "bad_json")),
    "single quotes": bad("{'players': []}", ("", "bad_json")),
    "trailing comma": bad('{"players": [],}', ("", "bad_json")),
    "two documents in a line": bad("{} {}", ("", "bad_json")),
    "repeated key": bad('{"id": 1, "id": 1, "players": []}', ("/id", "repeated_key")),
    "repeated key of a player": bad('{"players": [{"name": "a", "name": "a"}]}', ("/players/0/name", "repeated_key")),
    "repeated key, once escaped": bad('{"id": 1, "i\\u0064": 1}', ("/id", "repeated_key")),
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
    "a thousand seats": bad({"players": [None] * 1000}, ("/players", "too_many_players")),
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
    "segment with a number": no_segment(
        {"front": ["Qh", 7, None]}, *((f"/players/0/front/{i}", "bad_value") for i in (1, 2))
    ),
    "12 cards": no_segment({"front": "QhQd"}, ("/players/0", "wrong_count")),
    "14 cards": no_segment({"front": "QhQd2c2d"}, ("/players/0", "wrong_count")),
    "no cards": no_segment({"front": "", "middle": [], "back": ""}, ("/players/0", "wrong_count")),
    "hand of 12": bad({"players": [third(hand=THIRD[2:], declare="dragon"), NORTH]}, ("/players/0", "wrong_count")),
    "hand and segments": no_segment({"hand": DRAGON}, ("/players/0/hand", "contradiction")),
    "hand not set": bad({"players": [third(), NORTH]}, ("/players/0/hand", "not_set")),
    "twice in a segment": no_segment({"front": ["Qh", "Qh", "2c"]}, ("/players/0/front/1", "duplicate_card")),
    "twice in a hand": no_segment({"front": ["Qh", "9s", "2c"]}, ("/players/0/middle", "duplicate_card")),
    "twice in a deal": bad(deal(south={"front": ["Ah", "Qh", "5c"]}), ("/players/1/front/1", "duplicate_card")),
    **{
        f"ten of hearts twice, as {ten}": no_segment(
            {"front": ["Qh", ten, "2c"]}, ("/players/1/back", "duplicate_card")
        )
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
    "unknown key of escapes": bad(deal(**{"\U000e0001" * 100: 1}), ("/" + "\U000e0001" * 100, "unknown_key")),
    "card of escapes": bad(deal({"front": ["\U000e0001" * 900]}), ("/players/0/front/0", "unknown_card")),
    "names of 100 characters": bad(
        deal({"name": "x" * 100}, {"name": "x" * 100, "front": "AhKd5cQh"}),
        ("/players/1/front", "duplicate_card"),
        ("/players/1", "wrong_count"),
    ),
    "60,000 unknown keys": bad(
        deal(**{f"k{i}": 1 for i in range(60_000)}), *((f"/k{i}", "unknown_key") for i in range(MOST_PROBLEMS))
    ),
    "unknown key with a lone surrogate": bad(deal(**{"a\ud800b": 1}), ("/a\ud800b", "unknown_key"), ("", "bad_value")),
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
    "banker missing": bad(deal(rules="malaya"), ("", "missing_banker")),
    "strategy unknown": bad({"players": [third(), NORTH], "strategy": "best"}, ("/strategy", "unknown_strategy")),
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
    "rules with a lone surrogate": bad(deal(rules={"title": "a\ud800"}), ("/rules", "bad_text")),
    "rules with a name that a terminal obeys": bad(deal(rules={"name": "a\x1b[2J"}), ("/rules/name", "bad_text")),
}


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
    stream = b"".join(
        each.line + b"\n" + json.dumps(good(i)).encode() + b"\n" for i, each in enumerate(BAD_LINES.values())
    )
    stream = json.dumps(good(-1)).encode() + b"\n" + stream
    as_json = run("score", "-", "--json", "--errors", "json", stdin=stream)
    as_text = run("score", "-", "--json", stdin=stream)
    assert as_json.stdout == as_text.stdout
    assert as_json.returncode == as_text.returncode
    return Told(
        as_text.returncode, lines(as_json.stdout), lines(as_json.stderr), as_text.stderr.decode().split("\n")[:-1]
    )


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
        key = step.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


@pytest.mark.parametrize(("number", "name"), list(enumerate(BAD_LINES)))
def test_bad_line(told: Told, number: int, name: str) -> None:
    line, problems = BAD_LINES[name]
    errors = [error for error in told.errors if error["line"] == 2 * number + 2]
    assert [(error["pointer"], error["code"]) for error in errors] == problems
    for error in errors:
        assert error["file"] == "-"
        if error["pointer"]:
            resolve(json.loads(line, parse_int=str), error["pointer"])


def test_a_line_broken_off_anywhere_is_one_error() -> None:
    whole = json.dumps(deal(id=0))
    cuts = [whole[:end].encode() for end in range(1, len(whole)) if whole[:end].strip()]
    stream = b"".join(cut + b"\n" + json_lines([good(i)]) for i, cut in enumerate(cuts))
    done = run("score", "-", "--json", "--errors", "json", stdin=stream)
    assert [error["line"] for error in lines(done.stderr)] == list(range(1, 2 * len(cuts), 2))
    assert {error["code"] for error in lines(done.stderr)} <= {"cut_short", "bad_json"}
    assert [result["id"] for result in lines(done.stdout)] == list(range(len(cuts)))


PRETTY = json.dumps(deal(id="pretty"), indent=2)
COMPACT = json.dumps(deal(id="compact"))
LENGTH = len(PRETTY.splitlines())
AT = next(number for number, line in enumerate(PRETTY.splitlines(), start=1) if "AhKd5c" in line)


class File(NamedTuple):
    """A whole file: what it holds, how many of its deals are scored, and what is said, as line, pointer and code."""

    text: bytes
    scored: int
    errors: list[tuple[int, str, str]]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


FILES = {
    "empty": File(b"", 0, [(1, "", "empty_input")]),
    "blank": File(b" \n\r\n\t\n", 0, [(1, "", "empty_input")]),
    "only a byte order mark": File(b"\xef\xbb\xbf", 0, [(1, "", "empty_input")]),
    "byte order mark": File(b"\xef\xbb\xbf" + COMPACT.encode(), 1, []),
    "byte order mark within": File(COMPACT.encode() + b"\n\xef\xbb\xbf" + COMPACT.encode(), 1, [(2, "", "bad_json")]),
    "UTF-16": File(COMPACT.encode("utf-16"), 0, [(1, "", "not_utf8")]),
    "UTF-16, big end first": File(b"\xfe\xff" + COMPACT.encode("utf-16-be"), 0, [(1, "", "not_utf8")]),
    "UTF-16-LE without a mark": File(COMPACT.encode("utf-16-le"), 0, [(1, "", "not_utf8")]),
    "UTF-16-BE without a mark": File(COMPACT.encode("utf-16-be"), 0, [(1, "", "not_utf8")]),
    "UTF-32": File(COMPACT.encode("utf-32"), 0, [(1, "", "not_utf8")]),
    "byte 0xff": File(b"\xff", 0, [(1, "", "not_utf8")]),
    "Latin-1 name": File(
        json.dumps(deal({"name": "Jos\xe9"}), ensure_ascii=False).encode("latin-1"), 0, [(1, "", "not_utf8")]
    ),
    "CRLF": File(f"{COMPACT}\r\n\r\n{COMPACT}\r\n".encode(), 2, []),
    "CRLF, pretty": File(PRETTY.replace("\n", "\r\n").encode(), 1, []),
    "no line break at the end": File(f"{COMPACT}\n{COMPACT}".encode(), 2, []),
    "list of deals": File(f"[{COMPACT}]".encode(), 0, [(1, "", "bad_value")]),
    "100,000 lines of an open bracket": File(b"[\n" * 100_000, 0, [(1, "", "bad_json")]),
    "no JSON": File(b"North: AhKd5c\n", 0, [(1, "", "bad_json")]),
    "binary": File(bytes(range(256)), 0, [(1, "", "not_utf8")]),
    "pretty, cut": File(PRETTY[:-20].encode(), 0, [(PRETTY[:-20].count("\n") + 1, "", "cut_short")]),
    "pretty, cut, another behind it": File(
        f"{PRETTY[:-20]}\n{PRETTY}".encode(), 1, [(PRETTY[:-20].count("\n") + 1, "", "cut_short")]
    ),
    "cut after a colon, the last deal behind it": File(f'{{"id":\n{COMPACT}\n'.encode(), 1, [(1, "", "cut_short")]),
    "lines that are indented, one cut": File(
        f"  {COMPACT}\n  {COMPACT[:60]}\n  {COMPACT}\n  {COMPACT}".encode(), 3, [(2, "", "cut_short")]
    ),
    "5,000 lines that open and never close": File(
        b'{"players": [\n' * 5_000, 0, [(line, "", "cut_short") for line in range(1, 5_001)]
    ),
    "pretty, a card wrong": File(
        replaced(PRETTY, "AhKd5c", "AhKd5x").encode(), 0, [(AT, "/players/1/front", "unknown_card")]
    ),
    "pretty, two deals, a card of the second wrong": File(
        f"{PRETTY}\n{replaced(PRETTY, 'AhKd5c', 'AhKd5x')}".encode(),
        1,
        [(LENGTH + AT, "/players/1/front", "unknown_card")],
    ),
    "pretty, a repeated key": File(
        replaced(PRETTY, '"middle": "8h8d6h6c2s",', '"front": "8h8d6h6c2s",').encode(),
        0,
        [(AT + 1, "/players/1/front", "repeated_key")],
    ),
    "pretty, a comma missing": File(replaced(PRETTY, 'AhKd5c",', 'AhKd5c"').encode(), 0, [(AT + 1, "", "bad_json")]),
    "pretty, NaN": File(replaced(PRETTY, '"AhKd5c"', "NaN").encode(), 0, [(AT, "/players/1/front", "bad_json")]),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Any]]:
    """Results and errors of all the files, read in one run."""
    folder = tmp_path_factory.mktemp("files")
    paths = []
    for name, file in FILES.items():
        paths.append(folder / name)
        paths[-1].write_bytes(file.text)
    done = run("score", *paths, "--json", "--errors", "json")
    assert done.returncode == 1
    return lines(done.stdout), lines(done.stderr)


@pytest.mark.parametrize("name", FILES)
def test_file(files: tuple[list[Any], list[Any]], name: str) -> None:
    _, errors = files
    found = [(error["line"], error["pointer"], error["code"]) for error in errors if Path(error["file"]).name == name]
    assert found == FILES[name].errors


def test_no_deal_of_a_file_is_lost(files: tuple[list[Any], list[Any]]) -> None:
    results, _ = files
    assert len(results) == sum(file.scored for file in FILES.values())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(json_lines([good(1)]))
    names = ["missing", ".", "good/below", "a\nb\x1b[2J", "w" * 300, "", "n" * 200 + "/" + "n" * 200]
    paths = [os.path.join(tmp_path, name) if name else "" for name in names]  # noqa: PTH118
    done = run("score", *paths, tmp_path / "good", "--json")
    assert done.returncode == 1
    assert len(lines(done.stdout)) == 1
    told = done.stderr.decode().split("\n")[:-1]
    assert len(told) == len(names)
    for text in told:
        check_text(text)
        assert ": unreadable: cannot be read: " in text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "secret").touch(mode=0)
    done = run("score", tmp_path / "secret")
    assert done.returncode == 1
    assert done.stderr.decode().endswith("Permission denied; name a file of deals, or - for standard input\n")


RULES = {
    "missing.toml": None,
    "broken.toml": b"foul = ",
    "not-utf8.toml": b'title = "\xff"',
    "utf16.toml": "revision = 1".encode("utf-16"),
    "twice.toml": b"revision = 1\nrevision = 2",
    "deep.toml": b"a = " + b"[" * 100_000,
    "long.toml": b"revision = " + b"9" * 4400,
    "unknown.toml": b"[scop]\nunits = 3",
    "unknown-within.toml": b"[scoop]\nunit = 3",
    "unknown-escape.toml": b'"a\\u001b[2J\\n" = 3',
    "unknown-base.toml": b'base = "estern"',
    "contradiction.toml": b"foul = { pays = 'flat' }",
    "date.toml": b"foul = 2020-01-01",
    "infinite.toml": b"scoop = { units = inf }",
    "large.toml": b"scoop = { units = 99999999 }",
    "escape.toml": b'name = "a\\u001b[2J"',
    "a\nb\x1b[2J.toml": None,
    "w" * 300 + ".toml": None,
}
CODES = {
    "unknown.toml": "/scop: unknown_key",
    "unknown-within.toml": "/scoop/unit: unknown_key",
    "unknown-escape.toml": "unknown_key",
    "unknown-base.toml": "/base: unknown_rules",
    "contradiction.toml": "/foul/units: contradiction",
    "date.toml": "/foul: bad_value",
    "infinite.toml": "/scoop/units: bad_value",
    "large.toml": "/scoop/units: out_of_range",
    "escape.toml": "/name: bad_text",
}


@pytest.mark.parametrize("name", RULES)
def test_bad_rule_file(tmp_path: Path, name: str) -> None:
    text = RULES[name]
    if text is not None:
        (tmp_path / name).write_bytes(text)
    check_usage(run("score", "--example", "--rules", name, folder=tmp_path), CODES.get(name, "unreadable_rules"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["score", "--example", "--rules", "westren"], "unknown_rules"),
        (["score", "--example", "--rules", "a\nb\x1b[2J"], "unknown_rules"),
        (["score", "--example", "--strategy", "best"], "is no strategy"),
        (["score", "--example", "--json", "--csv"], "exclude each other"),
        (["score", "--example", "--unit", "1"], "--standings"),
        (["score", "--example", "--standings", "--unit", "0"], "is no amount above 0"),
        (["score", "--example", "--standings", "--unit", "\x1b[2J"], "is no amount above 0"),
        (["score"], "Name files"),
        (["rules", "westren"], "unknown_rules"),
        (["rules", "--toml"], "--toml"),
        (["schema", "deals"], "deals"),
        (["scroe"], "scroe"),
        (["schema"], "Choose from: deal, "),
        (["x" * 10_000], "xxx..."),
        (["score", f"--{'x' * 10_000}"], "xxx..."),
        (["suggest", "As", "--against", "\x02" * 10_000], "x02..."),
    ],
)
def test_usage(arguments: list[str], word: str) -> None:
    check_usage(run(*arguments), word)


def check_usage(done: subprocess.CompletedProcess[bytes], word: str) -> None:
    assert done.returncode == 2
    assert not done.stdout
    told = [text for text in done.stderr.decode().split("\n") if text]
    for text in told:
        check_text(text)
    assert told[0].startswith("Usage: ")
    assert len(told) == 3
    assert word in told[-1]


DEALS = 10_000


def test_one_broken_line_of_ten_thousand() -> None:
    stream = json_lines(good(i) for i in range(DEALS)).splitlines(keepends=True)
    stream[4999] = stream[4999][:70] + b"\n"
    done = run("score", "-", "--json", stdin=b"".join(stream))
    assert done.returncode == 1
    assert [result["id"] for result in lines(done.stdout)] == [i for i in range(DEALS) if i != 4999]
    assert done.stderr == b"-:5000: cut_short: it breaks off at column 71; the rest is missing\n"


PEAK = """
import pathlib, sys
from chinese_poker.cli import main
try:
    main()
finally:
    status = pathlib.Path("/proc/self/status").read_text()
    print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


def peak(path: Path, *arguments: str) -> int:
    """Memory of a run, in KB."""
    done = subprocess.run([sys.executable, "-c", PEAK, "score", path, *arguments], capture_output=True, check=False)
    return int(done.stderr.split()[-1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("arguments", [["--json"], ["--csv"], ["--standings"]])
def test_memory_does_not_grow_with_the_stream(tmp_path: Path, arguments: list[str]) -> None:
    peaks = []
    for deals in (2_000, 20_000):
        path = tmp_path / f"{deals}.jsonl"
        broken = COMPACT[:90].encode() + b"\n"
        path.write_bytes(json_lines(good(i) for i in range(deals)) + broken + json_lines([good(deals)]))
        peaks.append(peak(path, *arguments))
    assert peaks[1] < peaks[0] + 5_000
    assert peaks[1] < 150_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "many.jsonl"
    path.write_bytes(json_lines(good(i) for i in range(1_000)))
    return path


def shell(line: str, many: Path) -> subprocess.CompletedProcess[str]:
    """A line of shell that runs the command as ``$RUN`` on the file ``$MANY``."""
    given = {**os.environ, "RUN": " ".join(COMMAND), "MANY": str(many)}
    return subprocess.run(["/bin/sh", "-c", line], env=given, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "arguments",
    ["score $MANY --json", "score $MANY --csv", "score $MANY", "rules", "rules taiwan", "schema deal", "-h"],
)
def test_a_closed_pipe_is_quiet(many: Path, arguments: str) -> None:
    """The status is as of any program whose reader has gone, or as ever where the pipe took it all."""
    for reader in ("head -1 >/dev/null", "exec <&- sleep 0.1"):
        status = shell(f"($RUN {arguments}; echo $? >&2) | ({reader})", many).stderr
        assert status in ("141\n", "0\n")
    assert shell("($RUN score $MANY --json; echo $? >&2) | head -1 >/dev/null", many).stderr == "141\n"


def test_errors_that_nobody_reads_are_a_closed_pipe_too(tmp_path: Path) -> None:
    for line in (b"{}\n", b"nonsense\n"):
        (tmp_path / "bad").write_bytes(line * 10_000)
        done = shell("($RUN score $MANY 2>&1 >/dev/null; echo $? >&2) | head -1 >/dev/null", tmp_path / "bad")
        assert done.stderr == "141\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    ["score $MANY --json", "score --example --csv", "score --example", "score --example --standings", "schema deal"],
)
def test_a_full_disk_is_one_line(many: Path, arguments: str) -> None:
    done = shell(f"$RUN {arguments} > /dev/full", many)
    assert (done.returncode, done.stderr) == (1, "chinese-poker: cannot write: No space left on device\n")


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("$RUN score - --json <&-", 1, "-: unreadable: cannot be read: Bad file descriptor"),
        ("$RUN score $MANY --json >&-", 1, "chinese-poker: cannot write: Bad file descriptor"),
        ("$RUN score $MANY --csv >&-", 1, "chinese-poker: cannot write: Bad file descriptor"),
        ("$RUN score --example >&-", 1, "chinese-poker: cannot write: Bad file descriptor"),
        ("$RUN score nothing --json 2>&-", 1, ""),
        ("$RUN score nothing --json 2>/dev/full", 1, ""),
        ("$RUN score --bad 2>&-", 2, ""),
        ("$RUN score - --json <&- >&- 2>&-", 1, ""),
    ],
)
def test_closed_descriptors(many: Path, line: str, status: int, told: str) -> None:
    done = shell(line, many)
    assert done.returncode == status
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)


def test_the_errors_of_a_stream_outlive_a_closed_stderr(many: Path) -> None:
    done = shell("(echo {}; head -3 $MANY) | $RUN score - --json 2>&-", many)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize("arguments", [["score", "-", "--json"], ["score", "-", "--standings"], ["check", "-"]])
def test_interrupted(arguments: list[str]) -> None:
    pipe = subprocess.PIPE
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whatever this run itself is deaf to
    options = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "preexec_fn": heard}
    with subprocess.Popen([*COMMAND, *arguments], **options) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"{}\n" * 10_000)
        process.stdin.flush()
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.decode().split("\n")[-2:] == ["chinese-poker: interrupted", ""]
    assert b"\n\n" not in b"\n" + told
    assert b"Traceback" not in told


FOREIGN = ["陳大文", "José", "Зоя", "\U0001f600", "=1+1"]
CONSOLES = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "cp1252, strict": {"PYTHONIOENCODING": "cp1252:strict"},
}


@pytest.mark.parametrize("console", CONSOLES)
def test_a_console_that_knows_few_characters(console: str) -> None:
    stream = json_lines(deal({"name": name}, id=name, _note=name) for name in FOREIGN) + b'{"players": [], "\xe9": 1}\n'
    told = []
    for arguments in (["--json"], ["--csv"], [], ["--explain"], ["--standings"]):
        done = run("score", "-", *arguments, stdin=stream, **CONSOLES[console])
        assert done.returncode == 1
        assert done.stdout
        assert b"Traceback" not in done.stderr
        told.append(done.stdout)
    results = lines(told[0])
    assert [result["players"][0]["name"] for result in results] == FOREIGN
    assert [result["_note"] for result in results] == FOREIGN


def test_errors_as_json() -> None:
    done = run(
        "score", "-", "missing", "--json", "--errors", "json", stdin=json_lines([deal({"name": "\x1b"}), good(1)])
    )
    assert lines(done.stderr) == [
        {
            "file": "-",
            "line": 1,
            "pointer": "/players/0/name",
            "code": "bad_text",
            "message": "U+001B cannot stand in a text; leave it out",
        },
        {
            "file": "missing",
            "line": None,
            "pointer": "",
            "code": "unreadable",
            "message": "cannot be read: No such file or directory; name a file of deals, or - for standard input",
        },
    ]
    assert len(lines(done.stdout)) == 1


@pytest.mark.parametrize("command", ["check", "suggest", "review"])
def test_other_commands_bear_it_too(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\n{}\n".join(each.line for each in BAD_LINES.values()))
    done = run(command, "bad.jsonl", "missing.jsonl", "--json", folder=tmp_path)
    assert done.returncode == 1
    told = done.stderr.decode().split("\n")[:-1]
    for text in told:
        check_text(text)
    if command != "review":  # which looks at arrangements alone, whatever is declared or who banks
        assert done.stdout == b""
        assert {int(text.split(":")[1]) for text in told[:-1]} == set(range(1, 2 * len(BAD_LINES)))
    assert told[-1].startswith("missing.jsonl: unreadable: ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "|||"], "wrong_segments"),
        (["check", "||"], "wrong_count"),
        (["check", "\x1b[2J|\n|"], "unknown_card"),
        (["check", "As" * 50_000 + "||"], "bad_value"),
        (["rank", ""], "unrankable"),
        (["rank", "AsAsAs"], "duplicate_card"),
        (["rank", "\x1b[2J"], "unknown_card"),
        (["suggest", ""], "wrong_count"),
        (["suggest", "As" * 13], "duplicate_card"),
        (["suggest", "\x1b[2J"], "unknown_card"),
    ],
)
def test_bad_cards_on_the_command_line(arguments: list[str], code: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, b"")
    told = done.stderr.decode().split("\n")[:-1]
    assert f" {code}: " in told[0]
    for text in told:
        check_text(text)
