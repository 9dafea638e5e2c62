"""The command's arguments, a line each: cards, options of suggestions, and whatever else is typed."""

import contextlib
import io
import json
import re
import sys

import click
from fuzzing import LONGEST_LINE
from thrift import be_thrifty

from chinese_poker.cli import cli

be_thrifty()
HAND = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
SEEDS = [
    "\n".join(arguments).encode()
    for arguments in (
        ("suggest", HAND, "--opponents", "1", "--samples", "5", "--explain"),
        ("suggest", *HAND.split(), "--rules", "mandarin", "--dead", "Ks Kh", "--top", "2", "--seed", "-1"),
        ("suggest", HAND, "--opponent", "Qs Qh 4d | Ah Ac 9c 7d 2s | Ks Kc 8s 8c 3c", "--json", "--all"),
        ("suggest", HAND, "--rules", "hong-kong", "--bank", "mine", "--against", "greedy", "--errors", "json"),
        ("suggest", HAND, "--rules", "malaya", "--bank", "theirs", "--samples", "1"),
        ("check", "QhQd2c | 9s9h4d4c7s | AsKsJs8s3s", "--rules", "taiwan", "--json"),
        ("rank", "Qs Qh Qd 4s 4h", "Ks Kh Ad", "--rules", "vietnam"),
        ("rules", "mandarin", "--toml"),
        ("schema", "deal"),
        ("score", "--example", "--standings", "--unit", "0.25", "--currency", "EUR"),
        ("score", "--example", "--strategy", "expected", "--csv"),
    )
]
_MANY = re.compile(r"[0-9_]{5,}")
_ELSEWHERE = {"serve", "ledger", "conformance", "duel", "simulate", "train", "exploitability", "odds"}
"""Commands that wait for others, start programs, write to the user's folders, or count for minutes."""


def one(data: bytes) -> None:
    arguments = data.decode("utf-8", "replace").split("\n")
    if any({"/", "\0"} & set(text) or _MANY.search(text) or text in _ELSEWHERE for text in arguments):
        return  # files of this machine, numbers that ask for hours, and what no system hands over
    out, err, given = io.TextIOWrapper(io.BytesIO()), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"{}\n"))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = _status(arguments)
    finally:
        sys.stdin = given
    told = err.getvalue()
    assert status in (0, 1, 2), status
    assert bool(told) == (status != 0), (status, told)
    for line in told.split("\n"):
        assert line.isprintable(), line
        for part in json.loads(line).values() if line.startswith("{") else [line]:  # escapes are for machines
            assert len(str(part)) <= LONGEST_LINE, line


def _status(arguments: list[str]) -> int:
    try:
        cli.main(arguments, prog_name="chinese-poker", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as end:
        return int(end.code or 0)
    return 0
