"""The command as a person uses it: what it reads, what it writes, what it says of itself."""

import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pexpect
import pytest
from commanding import COMMAND, DRAGON, NORTH, SOUTH, deal, json_lines, lines, run
from jsonschema import Draft202012Validator

from chinese_poker.cli import COMMANDS
from chinese_poker.cli.referee import EXAMPLE
from chinese_poker.presets import load_rules, read_rules, rule_names, rules_document
from chinese_poker.wire import SCHEMAS

KINDS = [*SCHEMAS, "rules"]
SPREAD = "As Kd Qc Jd Tc 9s 8h 7h 6h 5h 4h 3h 2c"


def scored(stream: bytes, *arguments: str | Path) -> list[Any]:
    """The results of a stream that is all good."""
    done = run("score", "-", "--json", *arguments, stdin=stream)
    assert (done.returncode, done.stderr) == (0, b"")
    return lines(done.stdout)


LAYOUTS = {
    "a deal a line": json_lines([deal(id=1), deal(id=2)]),
    "pretty-printed": b"".join(json.dumps(deal(id=i), indent=4).encode() + b"\n" for i in (1, 2)),
    "pretty-printed by tabs": b"\n\n".join(json.dumps(deal(id=i), indent="\t").encode() for i in (1, 2)),
    "without indents": b"\n".join(json.dumps(deal(id=i), indent=0).encode() for i in (1, 2)),
    "a player a line": (
        f'{{"id": 1, "players": [\n{json.dumps(NORTH)},\n{json.dumps(SOUTH)}\n]}}\n'
        f'{{"id": 2, "players":\n[{json.dumps(NORTH)}\n, {json.dumps(SOUTH)}]}}'
    ).encode(),
    "one pretty, one not": json.dumps(deal(id=1), indent=1).encode() + b"\n" + json_lines([deal(id=2)]),
    "one not, one pretty": json_lines([deal(id=1)]) + json.dumps(deal(id=2), indent=1).encode(),
    "line breaks of two kinds": json.dumps(deal(id=1), indent=1).replace("\n", "\r\n").encode()
    + b"\r\n\r\n"
    + json_lines([deal(id=2)]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    assert [result["id"] for result in scored(LAYOUTS[layout])] == [1, 2]


def test_a_stream_whose_first_line_is_broken() -> None:
    stream = json.dumps(deal(id=0))[:50].encode() + b"\n" + json_lines(deal(id=i) for i in (1, 2))
    done = run("score", "-", "--json", stdin=stream)
    assert done.returncode == 1
    assert done.stderr.startswith(b"-:1: cut_short: ")
    assert done.stderr.count(b"\n") == 1
    assert [result["id"] for result in lines(done.stdout)] == [1, 2]


def test_several_files_and_standard_input(tmp_path: Path) -> None:
    for name in ("first.jsonl", "second.json", "-"):
        (tmp_path / name).write_bytes(json_lines([deal(id=name)]))
    stream = json_lines([deal(id="stdin")])
    done = run("score", "first.jsonl", "-", "second.json", "./-", "--json", folder=tmp_path, stdin=stream)
    assert done.returncode == 0
    assert [result["id"] for result in lines(done.stdout)] == ["first.jsonl", "stdin", "second.json", "-"]


def test_csv() -> None:
    names = ["=1+1", "+1", "-1", "@SUM(A1)", 'quo"ted, and more', "陳", "'=1"]
    stream = json_lines(deal({"name": name}, id=name, rules={"base": "basic", "name": "=ours"}) for name in names)
    done = run("score", "-", "--csv", stdin=stream, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert len(rows) == 2 * len(names)
    assert [row["name"].removeprefix("'") for row in rows[::2]] == [*names[:-1], "=1"]
    assert not [cell for row in rows for key, cell in row.items() if key != "total" and cell[:1] in "=+-@" and cell]
    assert {row["name"] for row in rows[1::2]} == {"South"}
    assert [(rows[0][key], rows[1][key]) for key in ("seat", "total")] == [("0", "1"), ("2", "-2")]
    assert rows[0]["front"] == "Qh Qd 2c"


def test_standings() -> None:
    night = [
        deal({"name": "Ann"}, {"name": "Bo"}),
        deal({"name": "Bo"}, {"name": "Ann"}),
        deal({"name": "Cy"}, {"name": "Cy"}),
        deal({"name": "Ann"}, {"name": "Cy"}),
    ]
    arguments = ("score", "-", "--standings", "--unit", "0.25", "--currency", "EUR")
    done = run(*arguments, "--json", stdin=json_lines(night))
    (document,) = lines(done.stdout)
    assert (document["unit"], document["currency"]) == ("0.25", "EUR")
    found = {
        row["name"]: (row["deals"], row["units"], row["best"], row["worst"], row["money"])
        for row in document["standings"]
    }
    assert found == {
        "Ann": (3, 2, 2, -2, "0.50"),
        "Bo": (2, 0, 2, -2, "0.00"),
        "Cy (seat 0)": (1, 2, 2, 2, "0.50"),
        "Cy (seat 1)": (2, -4, -2, -2, "-1.00"),
    }
    table = run(*arguments, stdin=json_lines(night)).stdout.decode()
    assert "+0.50 EUR" in table
    assert "Cy (seat 1)" in table
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv", stdin=json_lines(night)).stdout.decode())))
    assert {row["name"]: int(row["units"]) for row in rows} == {name: each[1] for name, each in found.items()}


def test_standings_as_csv_hold_no_formula_and_plain_figures() -> None:
    night = json_lines([deal({"name": "=1+1"}, {"name": "-Bo"})])
    done = run("score", "-", "--standings", "--csv", "--unit", "1E+2", stdin=night)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [(row["name"], row["units"], row["money"]) for row in rows] == [
        ("'=1+1", "2", "200"),
        ("'-Bo", "-2", "-200"),
    ]


def test_standings_count_fouls_and_naturals() -> None:
    dragon = {"name": "A", "hand": DRAGON, "declare": "dragon"}
    fouled = deal({"name": "A", "front": "AhAdAc"}, {"name": "B", "front": "KhKd5c"})
    other = {"name": "B", "front": "2c2d3h", "middle": "4c4h6h6s8d", "back": "9h9s9dJcJd"}
    (document,) = lines(
        run("score", "-", "--standings", "--json", stdin=json_lines([fouled, {"players": [dragon, other]}])).stdout
    )
    counted = {row["name"]: (row["deals"], row["fouls"], row["naturals"]) for row in document["standings"]}
    assert counted == {"A": (2, 1, 1), "B": (2, 0, 0)}


@pytest.mark.parametrize("unit", ["0", "-1", "nan", "1e99", "x", "0,25", "\x1b[2J"])
def test_a_unit_is_an_amount(unit: str) -> None:
    done = run("score", "--example", "--standings", "--unit", unit)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines()[-1].endswith("is no amount above 0; write one as 0.25")
    assert b"\x1b" not in done.stderr


def test_explain() -> None:
    done = run("score", "-", "--explain", stdin=json_lines([deal(rules="western")]))
    assert done.stdout.decode().split("\n")[-6:] == [
        "North wins 2 from South",
        "  front: pair of queens, deuce kicker over ace high, king-five kickers: North +1",
        "  middle: nines and fours, seven kicker over eights and sixes, deuce kicker: North +1",
        "  back: four tens, deuce kicker over ace-high flush, king-jack-eight-three kickers: South +1",
        "  majority of the segments: North +1",
        "",
    ]


def test_check() -> None:
    arguments = ("check", "QhQd2c | 9s9h4d4c7s | AsKsJs8s3s", "AhAdAc | 9s9h4d4c7s | KsQsJs8s3s", "-")
    stream = json_lines([{"hand": DRAGON, "id": 7, "_mine": 1}])
    legal, fouled, hand = lines(run(*arguments, "--json", stdin=stream).stdout)
    assert (legal["foul"], legal["foul_reasons"], legal["naturals"]) == (False, [], [])
    assert (fouled["foul"], fouled["foul_reasons"]) == (True, ["front_beats_middle"])
    assert (hand["foul"], hand["naturals"][0], hand["id"], hand["_mine"]) == (False, "dragon", 7, 1)
    assert b"foul: front beats middle" in run(*arguments, stdin=stream).stdout


@pytest.mark.parametrize("cards", [[SPREAD], SPREAD.split()])
def test_check_takes_a_hand_with_or_without_quotes(cards: list[str]) -> None:
    assert run("check", *cards).stdout.decode() == "dragon, three straights\n"


def test_check_takes_a_file_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "hands").write_text(json.dumps({"hand": DRAGON}))
    assert run("check", "hands", folder=tmp_path).stdout.decode().startswith("dragon")


@pytest.mark.parametrize("group", [(), ("ledger",)])
def test_without_arguments_the_help_is_shown_whole(group: tuple[str, ...]) -> None:
    done = run(*group)
    told = (done.stdout + done.stderr).decode()
    assert told.splitlines() == run(*group, "--help").stdout.decode().splitlines()


def test_all_faults_of_a_rule_file_are_told_each_on_its_line(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text("cap = -1\nsurrender = -1\n[scoop]\nfactor = 0\n[home_run]\nfactor = 0\n")
    done = run("score", "--example", "--rules", "./club.toml", folder=tmp_path)
    told = [line for line in done.stderr.decode().splitlines() if "out_of_range" in line]
    assert [line.split(": ")[-3] for line in told] == ["/scoop/factor", "/home_run/factor", "/surrender", "/cap"]


@pytest.mark.parametrize(("command", "most"), [("rank", 5), ("check", 13), ("suggest", 13)])
def test_more_cards_than_fit_are_asked_for_in_quotes(command: str, most: int) -> None:
    cards = ["As", "Kd", "Qc", "Jd", "Tc", "9s", "8h", "7h", "6h", "5h", "4h", "3h", "2c", "2d"][: most + 1]
    done = run(command, *cards)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines()[-1] == (
        f"Error: {most + 1} single cards; a {'segment' if most == 5 else 'hand'} has {most} at most, "
        "so put the cards of each in quotes."
    )


def test_rank() -> None:
    full, pair = lines(run("rank", "Qs Qh Qd 4s 4h", "\U0001f0ae\U0001f0beA♢", "--json").stdout)
    assert (full["category"], full["words"]) == ("full_house", "queens full of fours")
    assert (pair["cards"], pair["category"], pair["words"]) == ("Ks Kh Ad", "one_pair", "pair of kings, ace kicker")
    assert full["strength"] > pair["strength"]
    assert b"queens full of fours" in run("rank", "QsQhQd4s4h").stdout


def test_auto_declare() -> None:
    stream = json_lines(
        [{"players": [{"name": "A", "hand": DRAGON}, {"name": "B", "hand": "2d2c2h3d3c3h4c4s4h5s5d5hAd"}]}]
    )
    without = run("score", "-", "--json", stdin=stream)
    assert without.returncode == 1
    assert b"not_set" in without.stderr
    set_by_hand = {
        "players": [
            {"name": "A", "front": "2s3s4d", "middle": "5c6d7c8c9c", "back": "TsJhQdKcAs"},
            {"name": "B", "front": "2d2cAd", "middle": "4c4s4h3d2h", "back": "5s5d5h3c3h"},
        ]
    }
    (plain,) = scored(json_lines([set_by_hand]))
    (declared,) = scored(json_lines([set_by_hand]), "--auto-declare")
    assert [player["natural"] for player in plain["players"]] == [None, None]
    assert declared["players"][0]["natural"] == "dragon"
    assert declared["players"][0]["total"] > 0


def test_the_rules_of_the_command_then_the_document_then_basic(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text("base = 'western'\nscoop.units = 5\n", encoding="utf-8")
    stream = json_lines([deal(rules="taiwan"), deal()])
    named = lambda *arguments: [result["rules"] for result in scored(stream, *arguments)]  # noqa: E731
    assert named() == ["taiwan", "basic"]
    assert named("--rules", "mandarin") == ["mandarin", "mandarin"]
    assert named("--rules", tmp_path / "club.toml") == ["club", "club"]


def test_the_users_own_keys_are_copied() -> None:
    mine = [None, True, 1.5, 2**80, "\ud800", {"a": [1]}, "陳"]
    (result,) = scored(json_lines([deal({"_mine": mine}, _table=mine, _=1)]))
    assert (result["_table"], result["_"]) == (mine, 1)
    assert result["players"][0]["_mine"] == mine
    assert "_mine" not in result["players"][1]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_shows_an_example(command: str | None) -> None:
    long, short = (run(*([command] if command else []), option) for option in ("--help", "-h"))
    assert long.stdout == short.stdout
    text = short.stdout.decode()
    assert (short.returncode, short.stderr) == (0, b"")
    _, _, examples = text.partition("Example")
    assert f"    chinese-poker {command or ''}".rstrip() in examples
    assert max(map(len, text.splitlines())) <= 100


def test_version() -> None:
    assert run("--version").stdout.startswith(b"chinese-poker, version ")


def test_rules_are_listed() -> None:
    text = run("rules").stdout.decode()
    assert [line.split()[0] for line in text.splitlines() if line and not line.startswith(" " * 4)] == list(
        rule_names()
    )
    written = lines(run("rules", "--json").stdout)
    assert [read_rules(document) for document in written] == [load_rules(name) for name in rule_names()]


@pytest.mark.parametrize("name", ["basic", "mandarin", "taiwan"])
def test_rules_read_back(tmp_path: Path, name: str) -> None:
    rules = load_rules(name)
    table = run("rules", name).stdout.decode()
    for text in (rules.title, *rules.sources[:1]):
        assert "".join(text.split()) in "".join(table.split())
    (tmp_path / "copy.toml").write_bytes(run("rules", name, "--toml").stdout)
    (document,) = lines(run("rules", name, "--json").stdout)
    assert document == rules_document(rules)
    (copy,) = lines(run("rules", tmp_path / "copy.toml", "--json").stdout)
    assert copy == {**document, "name": "copy"}
    (inline,) = scored(json_lines([deal(rules=document)]))
    assert inline["players"] == scored(json_lines([deal()]), "--rules", tmp_path / "copy.toml")[0]["players"]
    assert tomllib.loads((tmp_path / "copy.toml").read_text(encoding="utf-8"))["title"] == rules.title


@pytest.mark.parametrize("kind", KINDS)
def test_schemas(kind: str) -> None:
    done = run("schema", kind)
    assert (done.returncode, done.stderr) == (0, b"")
    schema = json.loads(done.stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    sample = {
        "deal": deal(id=1, rules="taiwan", _mine=[]),
        "arrangement": {key: NORTH[key] for key in ("front", "middle", "back")},
        "hand": {"hand": DRAGON, "dead": ["Ah", "Kd"]},
        "rules": rules_document(load_rules("taiwan")),
    }
    given = sample.get(kind) or scored(json_lines([deal(id=1, _mine=[])]))[0]
    Draft202012Validator(schema).validate(given)
    assert not Draft202012Validator(schema).is_valid({**given, "fornt": 1})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = Path(sys.executable).with_name("chinese-poker")
    if not script.exists():
        pytest.skip("the command is not installed")
    if shell == "bash" and not shutil.which("bash"):
        pytest.skip("click asks bash for its version")
    done = subprocess.run(
        [script], env={**os.environ, "_CHINESE_POKER_COMPLETE": f"{shell}_source"}, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"_chinese_poker_completion" in done.stdout


def test_completion_knows_the_rule_sets() -> None:
    script = Path(sys.executable).with_name("chinese-poker")
    if not script.exists():
        pytest.skip("the command is not installed")
    asked = {"_CHINESE_POKER_COMPLETE": "bash_complete", "COMP_WORDS": "chinese-poker rules ma", "COMP_CWORD": "2"}
    done = subprocess.run([script], env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,mandarin", "plain,malaya"]


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        (["-c", "import chinese_poker"], set()),
        (["-m", "chinese_poker", "score", "--example", "--json"], set()),
        (["-m", "chinese_poker", "score", "--example", "--csv"], set()),
        (["-m", "chinese_poker", "score", "--example", "--explain"], {"rich"}),
    ],
)
def test_what_is_not_used_is_not_imported(arguments: list[str], used: set[str]) -> None:
    code = ["-X", "importtime", *arguments]
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "chinese_poker" in imported
    assert {"numpy", "numba", "rich"} & imported == used


def test_a_progress_bar_at_a_terminal(tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    large.write_bytes(json_lines([deal(_note="x" * 1000)]) * 5000)
    shown = pexpect.run(
        f"{' '.join(COMMAND)} score {large} --standings --json",
        timeout=60,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    ).decode()
    assert "large.jsonl" in shown
    assert "%" in shown or "MB" in shown
    assert '"deals":5000' in shown
    piped = run("score", large, "--standings", "--json")
    assert piped.stderr == b""


def test_colours_at_a_terminal_only() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    at_terminal = pexpect.run(
        f"{' '.join(COMMAND)} score --example", timeout=60, env={**environment, "TERM": "xterm", "COLUMNS": "80"}
    )
    assert b"\x1b[31m" in at_terminal
    assert b"\x1b" not in run("score", "--example").stdout


def test_a_suggestion_at_a_terminal() -> None:
    """Coloured, as wide as the terminal, and with nothing said of machine code that is not used."""
    hand = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
    command = [*COMMAND, "suggest", hand, "--samples", "20"]
    shown = pexpect.run(shlex.join(command), timeout=60, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"}).decode()
    assert "\x1b[" in shown
    assert "units each" in shown
    assert "machine code" not in shown
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()) for line in shown.splitlines()) <= 80


def test_standings_of_no_deal_are_an_empty_table() -> None:
    done = run("score", "-", "--standings", "--csv", stdin=b"{}\n")
    assert (done.returncode, done.stdout) == (1, b"")
    assert run("score", "-", "--standings", "--json", stdin=b"{}\n").stdout == b'{"standings":[]}\n'


def test_who_gives_up_unseen_has_no_cards_to_show() -> None:
    document = {"rules": "us-2-4", "players": [NORTH, {"name": "South", "surrender": True}]}
    done = run("score", "-", stdin=json_lines([document]))
    (row,) = (
        line.split()
        for line in done.stdout.decode().splitlines()
        if line.split()[:1] == ["South"] and "-3" in line and "surrenders" in line
    )
    assert row == ["South", "surrenders", "-3"]


def test_a_natural_comes_before_the_suggestions() -> None:
    text = run("suggest", DRAGON, "--samples", "20").stdout.decode()
    first = text.splitlines()[0]
    assert first.startswith("natural: dragon, three straights (4d 3s 2s | 9c 8c 7c 6d 5c | As Kc Qd Jh Ts), declared +")


def test_the_review_shows_what_surely_gave_something_away(tmp_path: Path) -> None:
    arguments = ("review", EXAMPLE, "--samples", "20", "--top", "99")
    lapses = lines(run(*arguments, "--json").stdout)
    sure = [lapse for lapse in lapses if lapse["given_away"] > 2 * lapse["error"]]
    assert 0 < len(sure) < len(lapses)
    assert run(*arguments).stdout.decode().count("±") == len(sure)
