"""The pages that come with the package are run as they are written, and the rules' page says what the presets say."""

import contextlib
import os
import re
import signal

import pytest
from commanding import run
from shown import blocks, check_console, check_python

from chinese_poker.cli import COMMANDS
from chinese_poker.docs import RULES, page, page_names, page_title
from chinese_poker.presets import load_rules, rule_names

WRITTEN = [name for name in page_names() if name != RULES]
NEEDS = {"bot": "duel"}
"""The command that a page is about, which there may not be yet."""


@pytest.fixture
def folder(tmp_path):
    """Where a page's examples run; what they have left running is stopped."""
    yield tmp_path
    for file in tmp_path.glob("*.pid"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("name", WRITTEN)
def test_examples_of_a_page(name, folder, monkeypatch):
    if NEEDS.get(name, "docs") not in COMMANDS:
        pytest.skip(f"there is no command {NEEDS[name]}")
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    found = blocks(page(name))
    assert found
    for block in found:
        if block.language == "pycon":
            check_python(block, name, names)
        else:
            check_console(block.body, folder)


@pytest.mark.parametrize("name", page_names())
def test_a_page_is_printed_as_it_is(name):
    assert run("docs", name).stdout.decode() == page(name)
    assert not re.search(r"Traceback|@[A-Z]+@|\s/(root|home|tmp)/", page(name))


def test_pages_are_listed():
    listed = [line.split(maxsplit=1) for line in run("docs").stdout.decode().splitlines()]
    assert listed == [[name, page_title(name)] for name in page_names()]


def test_a_page_that_there_is_not():
    done = run("docs", "tutorail")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"'tutorail' is no page, did you mean 'tutorial'?" in done.stderr


def _rows(heading: str) -> dict[str, list[str]]:
    """The table below a heading of the rules' page, by preset."""
    section = page(RULES).partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in rows}


def test_rules_side_by_side():
    """Against figures as they are published: a table of Taiwan, the worked examples of Mandarin, Vietnam's wheel."""
    paid, worth, naturals = (
        _rows(heading) for heading in ("What a matchup pays", "What a won segment is worth", "What a natural is worth")
    )
    assert set(paid) == {"", "---", *rule_names()} == set(worth) == set(naturals)
    assert paid[""][:6] == ["3-0-0", "2-1-0", "2-0-1", "1-0-2", "home run", "foul"]
    assert paid["mandarin"][:6] == ["6", "1", "2", "1", "9", "4"]
    assert paid["western"][:6] == ["4", "2", "3", "1", "", "4"]
    assert paid["vietnam"][8] == "second highest"
    assert dict(zip(worth[""], worth["eastern"], strict=True))["middle straight flush"] == "10"
    assert dict(zip(naturals[""], naturals["taiwan"], strict=True))["suited dragon"] == "108"


def test_every_preset_is_shown_with_its_sources():
    text = page(RULES)
    for rules in map(load_rules, rule_names()):
        assert f"\n## `{rules.name}`\n" in text
        for said in (*rules.sources, *rules.inferred, *rules.open):
            assert f"\n- {said}\n" in text


def test_rule_sets_compared():
    """A row a question, in an order that both have; a rule set without an answer says so."""
    text = run("rules", "malaya", "mandarin").stdout.decode()
    questions = [line.split("  ")[0].strip() for line in text.splitlines() if line[:1].isalnum() or line[:2] == " f"]
    assert questions == sorted(set(questions), key=questions.index)
    (home_run,) = (line for line in text.splitlines() if line.lstrip().startswith("home run"))
    assert home_run.split("home run")[1].split()[:2] == ["-", "tripled"]
    assert run("rules", "malaya", "mandarin", "--json").stdout.count(b"\n") == 2
    assert run("rules", "malaya", "mandarin", "--toml").returncode == 2
