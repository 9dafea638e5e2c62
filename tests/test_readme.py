"""The README is run as it is written: its console blocks in a shell, its Python blocks as doctests."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>console|pycon)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = [(match["language"], match["body"], TEXT.count("\n", 0, match.start()) + 2) for match in BLOCK.finditer(TEXT)]


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") or line == ">\n":
            found[-1] = (found[-1][0] + line[2:], "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.fixture(scope="module")
def names():
    """What the Python blocks have defined so far: they are one session, read from top to bottom."""
    return {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readme")


@pytest.mark.parametrize(("language", "body", "line"), BLOCKS, ids=[f"line {line}" for *_, line in BLOCKS])
def test_block(language, body, line, folder, names, monkeypatch):
    if language == "pycon":
        test = doctest.DocTestParser().get_doctest(body, names, f"README line {line}", str(README), line)
        monkeypatch.chdir(folder)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        assert runner.run(test, clear_globs=False).failed == 0
        names |= test.globs
        return
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
    }
    for command, expected in commands(body):
        shell = ["bash", "-c", command]
        done = subprocess.run(
            shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert tidy(done.stdout + done.stderr) == tidy(expected), command


def test_nothing_is_left_to_be_filled_in_and_nothing_shown_went_wrong():
    assert not re.search(r"Traceback|@[A-Z]+@|\s/(root|home|tmp)/", TEXT)


def test_blocks_are_found():
    assert {language for language, *_ in BLOCKS} == {"console", "pycon"}
