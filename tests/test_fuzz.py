"""The fuzzing harnesses, shortly: their seeds, everything ever found, seeds that are changed a little, and atheris."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "fuzz"
sys.path.insert(0, str(FOLDER))

from fuzzing import READERS, harness, mutants  # noqa: E402

needs_atheris = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python"
)
COSTLY = {"arguments": 5, "requests": 5, "rules": 5, "tables": 3}
"""Readers that are given fewer inputs, by how many times fewer."""


def fuzzing(*arguments: str, folder: Path, home: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    """A process of its own, as some harnesses make the package's strategies thrifty for good."""
    command = [sys.executable, str(home / "fuzzing.py"), *arguments]
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


@needs_atheris
@pytest.mark.parametrize("reader", READERS)
def test_a_short_run_of_atheris(reader: str, tmp_path: Path) -> None:
    runs = f"-runs={1_500 // COSTLY.get(reader, 1)}"
    # a process begins with the peak of the one that started it
    done = fuzzing(reader, runs, "-seed=1", "-rss_limit_mb=0", folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "Done " in done.stderr
    assert not list(tmp_path.iterdir())


@needs_atheris
def test_all_are_fuzzed_and_finds_kept(tmp_path: Path) -> None:
    """With two harnesses in place of the true ones, one of which breaks its promise."""
    home, kept = tmp_path / "fuzz", tmp_path / "kept"
    home.mkdir()
    (home / "fuzzing.py").write_text((FOLDER / "fuzzing.py").read_text(encoding="utf-8"), encoding="utf-8")
    (home / "fuzz_good.py").write_text("SEEDS = [b'ab cd']\ndef one(data): assert len(data) <= 4096\n")
    (home / "fuzz_bad.py").write_text("SEEDS = [b'ab cd', b'!']\ndef one(data): assert b'!' not in data, 'promised'\n")
    done = fuzzing("--all", "--minutes", "0.1", "--workers", "2", "--folder", str(kept), folder=tmp_path, home=home)
    assert done.returncode == 1, done.stderr
    head, bad, good, total, *told = [line.split() for line in done.stdout.splitlines()]
    assert head[0] == "reader"
    assert (bad[0], good[0], total[0]) == ("bad", "good", "all")
    assert (bad[-1], good[-1], total[-1]) == ("1", "0", "1")
    assert int(good[2]) >= 2
    assert int(total[2]) == int(bad[2]) + int(good[2])
    (find,) = (path for path in kept.glob("bad-crash-*") if not path.suffix)
    assert b"!" in find.read_bytes()
    assert "promised" in find.with_name(f"{find.name}.txt").read_text()
    assert told == [[f"{find},", "and", "why:", f"{find}.txt"]]
