"""The fuzzing harnesses, shortly: their seeds, everything ever found, seeds that are changed a little, and atheris."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "fuzz"
sys.path.insert(0, str(FOLDER))

from fuzzing import READERS, harness, mutants  # noqa: E402

COSTLY = {"arguments": 5, "requests": 5, "rules": 5, "tables": 3}
"""Readers that are given fewer inputs, by how many times fewer."""


def fuzzing(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A process of its own, as some harnesses make the package's strategies thrifty for good."""
    command = [sys.executable, str(FOLDER / "fuzzing.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_read_and_refused_is_as_promised(reader: str, tmp_path: Path) -> None:
    count = 1_000 // COSTLY.get(reader, 1)
    done = fuzzing(reader, "--changed", str(count), folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert done.stdout.endswith(f" seeds and {count} changed ones\n")
    assert not done.stdout.startswith(f"{reader}: 0 ")
    assert not list(tmp_path.iterdir())


def test_the_changed_inputs_are_the_same_each_time_and_new() -> None:
    _, seeds = harness("cards")
    once, again = (list(mutants(seeds, 50, seed=1)) for _ in range(2))
    assert once == again
    assert len(set(once) - set(seeds)) > 25


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
@pytest.mark.parametrize("reader", READERS)
def test_a_short_run_of_atheris(reader: str, tmp_path: Path) -> None:
    runs = f"-runs={1_500 // COSTLY.get(reader, 1)}"
    # a process begins with the peak of the one that started it
    done = fuzzing(reader, runs, "-seed=1", "-rss_limit_mb=0", folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "Done " in done.stderr
    assert not list(tmp_path.iterdir())
