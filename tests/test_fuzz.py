"""The fuzzing harnesses, shortly: their seeds, everything ever found, seeds that are changed a little, and atheris."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "fuzz"
sys.path.insert(0, str(FOLDER))

from fuzzing import READERS, harness, mutants  # noqa: E402

CHANGED = {"arguments": 12, "rules": 150}
"""How many changed inputs each is given, where it is not 1,000."""
RUNS = {"arguments": 20, "rules": 300}
"""Executions of atheris, where it is not 2,000."""


@pytest.mark.parametrize("reader", READERS)
def test_what_is_read_and_refused_is_as_promised(reader: str) -> None:
    one, seeds = harness(reader)
    assert seeds
    for data in (*seeds, *mutants(seeds, CHANGED.get(reader, 1_000), seed=7)):
        one(data)


def test_the_changed_inputs_are_the_same_each_time_and_new() -> None:
    _, seeds = harness("cards")
    once, again = (list(mutants(seeds, 50, seed=1)) for _ in range(2))
    assert once == again
    assert len(set(once) - set(seeds)) > 25


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
@pytest.mark.parametrize("reader", READERS)
def test_a_short_run_of_atheris(reader: str, tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "fuzzing.py"), reader, f"-runs={RUNS.get(reader, 2_000)}", "-seed=1"]
    command.append("-rss_limit_mb=0")  # a process begins with the peak of the one that started it
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "Done " in done.stderr
    assert not list(tmp_path.iterdir())
