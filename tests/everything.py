"""Every command with arguments that need a moment, and a way to run them all under one setting of the machine.

What they need is loaded once; then each runs in a fork of its own, as if it had been started.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from commanding import deal

HAND = "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c"
NAMES = ("陳大文", "José", "Зоя", "Çağrı Iİıi")
"""Of players, each with letters of its own code pages."""
_LEDGER = ("--data", "nights.db")
EVERYTHING: Mapping[str, Sequence[Sequence[str]]] = {
    "score": [
        ["night.jsonl", "--json"],
        ["night.jsonl", "--csv"],
        ["night.jsonl", "--explain"],
        ["night.jsonl", "--standings", "--unit", "0.25", "--currency", "€"],
        ["--example", "--strategy", "expected"],
    ],
    "suggest": [[HAND, "--rules", "western", "--samples", "20", "--explain"], [HAND, "--samples", "20", "--json"]],
    "review": [["night.jsonl", "--samples", "20"], ["night.jsonl", "--samples", "20", "--json"]],
    "odds": [["naturals", "--rules", "taiwan"], ["play", "--deals", "20", "--strategy", "greedy", "--json"]],
    "duel": [["greedy", "heuristic", "--deals", "20"], ["--protocol"]],
    "check": [["Q♥ Q♦ 2♣ | 9s 9h 4d 4c 7s | A♠ KS JS 8S 3S"], ["night.jsonl", "--json"]],
    "convert": [["night.jsonl"], ["night.jsonl", "-o", "night.csv"]],
    "conformance": [["--write", "vectors"]],
    "rank": [["Q♠ Q♥ Q♦ 4♠ 4♥", "Ks Kh Ad"], ["QsQhQd", "--json"]],
    "rules": [[], ["Mậu Binh"], ["INDONESIA", "--json"], ["fujian", "--toml"], ["vietnam", "taiwan"]],
    "schema": [["deal"], ["rules"]],
    "train": [["--json"]],
    "exploitability": [["greedy", "--hands", "2"]],
    "simulate": [
        ["--deals", "64", "--strategy", "greedy"],
        ["--deals", "64", "--strategy", "greedy", "--json", "--checkpoint", "run.ckpt", "--resume"],
        ["--deals", "64", "--strategy", "greedy", "-o", "out.csv", "--emit", "deals.jsonl"],
    ],
    "serve": [["--host", "0.0.0.0", *_LEDGER]],
    "ledger": [
        ["new", "--title", NAMES[0], "--player", NAMES[3], "--unit", "0.5", "--currency", "€", "--rules", "fujian",
         *_LEDGER],
        ["add", "night.jsonl", *_LEDGER],
        ["correct", "2", "one.jsonl", *_LEDGER],
        ["undo", *_LEDGER],
        ["list", *_LEDGER],
        ["show", *_LEDGER],
        ["history", "2", "--json", *_LEDGER],
        ["standings", *_LEDGER],
        ["export", *_LEDGER],
        ["export", "--csv", *_LEDGER],
    ],
    "docs": [[], ["tutorial"]],
}  # fmt: skip
"""The arguments by command. ``serve`` is refused, as it has no token; it is asked in ``test_web``."""
SLOW = frozenset({"odds", "train", "exploitability", "simulate"})
"""Commands that take a second, where the others take a moment."""
CALLS = tuple((command, *arguments) for command, every in EVERYTHING.items() for arguments in every)
ONE_EACH = tuple(next(call for call in CALLS if call[0] == command) for command in EVERYTHING)
QUICK = tuple(call for call in CALLS if call[0] not in SLOW and call[1:] != ("night.jsonl", "-o", "night.csv"))
TEXT = tuple(call for call in QUICK if call[0] in ("score", "check", "suggest", "convert", "rules", "ledger", "docs"))
"""Those that read or write names and signs which not every console has."""
REFUSED = frozenset(call for call in CALLS if call[0] == "serve" or call == ("check", "night.jsonl", "--json"))
"""Those that must fail, as nobody may run them so: the deals of a night are no arrangements."""

_RUNNER = r"""
import base64, json, os, random, sys, tempfile
from importlib import import_module

import chinese_poker.equilibrium, chinese_poker.ledger, chinese_poker.simulation, chinese_poker.suggest
import chinese_poker.exploitability, chinese_poker.duel, chinese_poker.odds, chinese_poker.report
import chinese_poker.engine.response
from chinese_poker.cli import COMMANDS, main
from chinese_poker.simulation import engines, views

for module in set(COMMANDS.values()):
    import_module("chinese_poker.cli." + module)
chinese_poker.ledger.secrets = random.Random(1)  # the same name for a night in each run
trained, train = chinese_poker.equilibrium.trained, chinese_poker.equilibrium.train
chinese_poker.equilibrium.train = lambda *arguments, **options: train(*arguments, **options, rounds=1)
chinese_poker.equilibrium.trained = lambda rules, players, seed, progress=None: trained(
    rules, players, seed, hands=64, progress=progress
)
asked = json.load(sys.stdin)
for number, (call, prelude) in enumerate(asked):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv[1:] = call
            status = 70
            try:
                exec(prelude)
                main()
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else int(end.code is not None)
                for stream in (sys.stdout, sys.stderr):
                    try:
                        stream.flush()
                    except (OSError, ValueError):
                        status = status or 120
            except BaseException:
                import traceback
                os.write(2, traceback.format_exc().encode())
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(base64.b64encode(file.read()).decode())
        print(json.dumps([os.waitstatus_to_exitcode(ended), *texts]), file=sys.__stdout__, flush=True)
"""


class Said(NamedTuple):
    """How a call ended and what it wrote."""

    status: int
    out: bytes
    err: str


def write_night(folder: Path) -> None:
    """The files that the calls read."""
    night = [deal({"name": name, "front": "Q♥Qd2c"}, id=number, _note=name) for number, name in enumerate(NAMES)]
    lines = [json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in night]
    (folder / "night.jsonl").write_bytes(b"".join(lines))
    (folder / "one.jsonl").write_bytes(lines[3])


def run_all(
    folder: Path,
    calls: Sequence[Sequence[str]] = CALLS,
    prelude: str = "",
    environment: Mapping[str, str | None] | None = None,
) -> dict[tuple[str, ...], Said]:
    """Every call in a folder, one after the other.

    :param prelude: Python that runs in the process of each call, before it.
    :param environment: variables to set, or to take away.
    """
    write_night(folder)
    usual = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "COLUMNS": "120", "OPENBLAS_NUM_THREADS": "1"}
    changed = {**os.environ, **usual, **(environment or {})}
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        input=json.dumps([[call, prelude] for call in calls]).encode(),
        env={name: value for name, value in changed.items() if value is not None},
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        tuple(call): Said(status, base64.b64decode(out), base64.b64decode(err).decode())
        for call, (status, out, err) in zip(calls, answers, strict=True)
    }
