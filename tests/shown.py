"""Examples run as they are written.

Of Markdown: console blocks in a shell, and Python blocks as doctests. Of ``--help``: every line that is a command.
"""

import doctest
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click

from chinese_poker.cli import cli
from chinese_poker.cli.referee import EXAMPLE

_BLOCK = re.compile(r"^```(?P<language>console|pycon)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A block of examples: its language, what stands in it, and on which line it begins."""

    language: str
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    return [
        Block(match["language"], match["body"], text.count("\n", 0, match.start()) + 2)
        for match in _BLOCK.finditer(text)
    ]


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") or line == ">\n":
            found[-1] = (found[-1][0] + (line[2:] or "\n"), "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def run_shell(command: str, folder: Path, binaries: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with the programs of an environment: the one that runs this, if no other is named."""
    shell = ["bash", "-c", command]
    return subprocess.run(
        shell, cwd=folder, env=_environment(binaries), capture_output=True, text=True, timeout=120, check=False
    )


def check_console(body: str, folder: Path, binaries: Path | None = None) -> None:
    """Every command of a block prints what stands below it."""
    for command, expected in commands(body):
        done = run_shell(command, folder, binaries)
        assert _tidy(done.stdout + done.stderr) == _tidy(expected), command


def check_python(block: Block, source: str, names: dict[str, object]) -> None:
    """A Python block holds as a doctest; ``names`` is what earlier blocks of the session have defined."""
    test = doctest.DocTestParser().get_doctest(block.body, names, f"{source} line {block.line}", source, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, clear_globs=False).failed == 0
    names |= test.globs


def help_examples() -> list[str]:
    """Every example of every command's ``--help``."""
    found: list[str] = []

    def look(command: click.Command, context: click.Context) -> None:
        lines = (command.help or "").partition("Example")[2].splitlines()
        found.extend(line.strip() for line in lines if "chinese-poker " in line)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                look(below, click.Context(below, info_name=name, parent=context))

    look(cli, click.Context(cli))
    return list(dict.fromkeys(found))


def write_files_of_examples(folder: Path) -> None:
    """What the examples of ``--help`` read."""
    night = EXAMPLE.read_text(encoding="utf-8")
    for name in ("night.jsonl", "deals.jsonl"):
        (folder / name).write_text(night, encoding="utf-8")
    (folder / "hands.jsonl").write_text('{"hand": "AsAdKdQcJdTc9s8h7h6h4h3h2c"}\n')
    (folder / "my-club.toml").write_text('base = "mandarin"\n')
    (folder / "night.pbn").write_text(
        '[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]\n'
    )
    (folder / "deals.csv").write_text(_DEALS)
    (folder / "mybot.py").write_text(_BOT)
    for name, program in (("bot", _PROGRAM), ("their-scorer", _SCORER)):
        (folder / name).write_text(program)
        (folder / name).chmod(0o755)
    run_shell("chinese-poker convert deals.csv -o deals.parquet", folder)


_DEALS = """deal,name,front,middle,back
1,Mei,Qs Qh 4d,As Ah 9c 7d 2s,Kd Kc 8s 8h 3c
1,Jonas,Jd Jc 5s,Qd Qc 9d 6s 2c,Ad Ac 5h 5d 3d
"""
_BOT = """from chinese_poker.strategy import strategy

class Bot:
    name = "bot"

    def arrange(self, hands, rules, players):
        return strategy("greedy").arrange(hands, rules, players)
"""
_PROGRAM = """#!/bin/sh
exec sed 's/ / | /3; s/ / | /8'
"""
_SCORER = """#!/bin/sh
exec chinese-poker score - --json
"""


def run_for_a_while(
    command: str, folder: Path, seconds: float, binaries: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A command, stopped as by Ctrl-C if it takes longer; its status is then 0, for it went well so long."""
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env=_environment(binaries) | {"CHINESE_POKER_DATA": str(folder / "ledger.db")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        try:
            output, errors = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        status = 0
    return subprocess.CompletedProcess(command, status, output, errors)


def _environment(binaries: Path | None) -> dict[str, str]:
    path = f"{binaries or Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return inherited | {"PATH": path, "PYTHONIOENCODING": "utf-8"}


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
