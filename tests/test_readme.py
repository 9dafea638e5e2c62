"""The README is run as it is written."""

import re
from pathlib import Path

import pytest
from shown import blocks, check_console, check_python

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = blocks(TEXT)


@pytest.fixture(scope="module")
def names():
    """What the Python blocks have defined so far: they are one session, read from top to bottom."""
    return {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readme")


@pytest.mark.parametrize("block", BLOCKS, ids=[f"line {block.line}" for block in BLOCKS])
def test_block(block, folder, names, monkeypatch):
    if block.language == "pycon":
        monkeypatch.chdir(folder)
        check_python(block, "README", names)
    else:
        check_console(block.body, folder)


def test_nothing_is_left_to_be_filled_in_and_nothing_shown_went_wrong():
    assert not re.search(r"Traceback|@[A-Z]+@|\s/(root|home|tmp)/", TEXT)


def test_blocks_are_found():
    assert {block.language for block in BLOCKS} == {"console", "pycon"}
