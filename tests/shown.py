"""Examples in Markdown, run as they are written: console blocks in a shell, Python blocks as doctests."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

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
    environment = os.environ | {
        "PATH": f"{binaries or Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
    }
    shell = ["bash", "-c", command]
    return subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)


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


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
