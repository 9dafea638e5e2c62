"""The vectors that ports are checked by, and the check: our command passes it, and what is wrong is told in a line."""

import hashlib
import json
import sys

import pytest
from commanding import COMMAND, lines, run
from jsonschema import Draft202012Validator

from chinese_poker import ChinesePokerError
from chinese_poker.conformance import VECTORS, check, questions, vectors
from chinese_poker.presets import rule_names

OURS = " ".join(COMMAND) + " score - --json"


def script(folder, code):
    path = folder / "scorer.py"
    path.write_text(f"import json, sys, time\n{code}")
    return f"{sys.executable} {path}"


def test_every_vector_is_as_the_schema_says():
    validator = Draft202012Validator(json.loads((VECTORS / "vector.schema.json").read_text()))
    for vector in vectors():
        validator.validate(vector)


def test_every_preset_is_asked_for():
    assert {question.rules for question in questions()} == set(rule_names())


def test_our_command_agrees_with_every_vector():
    done = run("conformance", "--cmd", OURS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[-1].decode() == f"all {len(list(questions()))} deals agree"


def test_results_without_an_id_count_in_the_order_of_the_deals(tmp_path):
    totals = {question.id: question.totals for question in questions(["eastern"])}
    code = (
        f"known = {totals!r}\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'players': [{'total': t} for t in known[json.loads(line)['id']]]}))\n"
    )
    assert check(script(tmp_path, code), list(questions(["eastern"]))) == []


def test_differences_are_counted_and_shown(tmp_path):
    """Whoever takes every foul for a legal hand is found out, and so is who leaves deals out."""
    code = (
        "for line in sys.stdin:\n"
        "    deal = json.loads(line)\n"
        "    totals = [4, -4] if deal['id'].startswith('EVAL') else [0] * len(deal['players'])\n"
        "    if deal['id'] != 'LEGAL-assignment_foul':\n"
        "        print(json.dumps({'id': deal['id'], 'players': [{'total': t} for t in totals]}))\n"
    )
    command = script(tmp_path, code)
    done = run("conformance", "--cmd", command, "--rules", "basic", "--json", "--show", "1000")
    assert done.returncode == 1
    (found,) = lines(done.stdout)
    asked = {question.id: question for question in questions(["basic"])}
    counted = sum(count["differ"] for count in found["counts"])
    assert sum(count["deals"] for count in found["counts"]) == len(asked)
    assert counted == len(found["differences"])
    answers = {difference["deal"]["id"]: difference["answer"] for difference in found["differences"]}
    assert answers["LEGAL-assignment_foul"] == "no result"
    assert answers["EVAL-09"] == [4, -4]
    assert asked["EVAL-09"].totals == (0, 0)
    assert "EVAL-11.2" not in answers
    done = run("conformance", "--cmd", command, "--rules", "basic", "--show", "1")
    assert done.stdout.decode().splitlines()[-1] == f"{len(asked) - counted} of {len(asked)} deals agree"
    assert done.stdout.count(b"expected") == 1


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("time.sleep(60)", "had answered 0 of"),
        ("while True: print('x' * 10000)", "flooded its output"),
        ("while True: print('x' * 10000, file=sys.stderr)", "flooded its errors"),
        ("sys.exit('out of cards')", "ended with status 1, having answered 0 of"),
        ("raise SystemExit(3)", "ended with status 3, having answered 0 of"),
    ],
)
def test_programs_that_hang_die_or_flood_are_stopped_with_one_line(tmp_path, code, says):
    timeout = "1" if "sleep" in code else "100"
    done = run("conformance", "--cmd", script(tmp_path, code), "--timeout", timeout)
    assert done.returncode == 1
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert says in line


@pytest.mark.parametrize("command", ["/nowhere/scorer", "", "'open quote"])
def test_what_cannot_be_run_is_told(command):
    with pytest.raises(ChinesePokerError) as error:
        check(command, list(questions(["basic"])))
    assert error.value.code == "no_program"


@pytest.mark.parametrize(
    "answer",
    [
        "[1]",
        "{}",
        '{"players": [{"total": true}, {"total": -1}]}',
        '{"players": 3}',
        '{"players": [{"total": "4"}]}',
        "nonsense",
    ],
)
def test_what_is_no_result_is_a_difference(tmp_path, answer):
    asked = list(questions(["basic"]))[:3]
    found = check(script(tmp_path, f"for line in sys.stdin: print({answer!r})"), asked)
    assert len(found) == 3
    assert all(isinstance(difference.answer, str) for difference in found)


def test_the_vectors_are_written_whole(tmp_path):
    folder = tmp_path / "new" / "vectors"
    done = run("conformance", "--write", folder)
    assert (done.returncode, done.stderr) == (0, b"")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["sha256"]) | {"manifest.json"} == {path.name for path in folder.iterdir()}
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert sum(manifest["vectors"].values()) == len(vectors())
    assert "MIT License" in (folder / "LICENSE").read_text()
    deals = lines((folder / "deals.jsonl").read_bytes())
    assert len(deals) == manifest["deals"] == len(list(questions()))
    scored = run("score", folder / "deals.jsonl", "--json")
    assert [[player["total"] for player in result["players"]] for result in lines(scored.stdout)] == [
        deal["_totals"] for deal in deals
    ]
    names = (folder / "README.md").read_text()
    assert all(name in names for name in manifest["sha256"] if name not in ("README.md", "LICENSE"))


def test_one_of_two_is_asked_for(tmp_path):
    assert run("conformance").returncode == 2
    assert run("conformance", "--cmd", "x", "--write", tmp_path).returncode == 2
