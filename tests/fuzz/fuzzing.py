"""Fuzzing of the readers: ``python tests/fuzz/fuzzing.py cards -max_total_time=300`` runs atheris on one of them.

A harness is a module ``fuzz_<reader>`` with ``SEEDS``, inputs to begin with, and ``one(data)``, which gives bytes to
the reader and asserts what must hold of anything it reads or refuses. Further options are libFuzzer's. An input that
breaks a promise is written to the folder of the run as ``crash-...``; it belongs into ``finds``, under a name that
begins with the reader's, where tests try it.

``python tests/fuzz/fuzzing.py --all --minutes 60 --workers 2`` fuzzes every reader for its share of the time.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "chinese_poker" / "vectors"
READERS = tuple(sorted(path.stem.removeprefix("fuzz_") for path in HERE.glob("fuzz_*.py")))
FOLDER = "FUZZING_FOLDER"
"""The variable that names the folder for whatever a run writes, in memory where the system has such."""
LONGEST_LINE = 400
"""Characters that an error takes on a terminal."""


class Harness(NamedTuple):
    """What a harness module holds."""

    one: Callable[[bytes], None]
    seeds: Sequence[bytes]


def harness(reader: str) -> Harness:
    """The harness of a reader, its seeds with all that was ever found; what Python can but print is an error too."""
    module = import_module(f"fuzz_{reader}")
    finds = [path.read_bytes() for path in sorted((HERE / "finds").glob(f"{reader}-*"))]
    printed: list[object] = []

    def one(data: bytes) -> None:
        usual, sys.unraisablehook = sys.unraisablehook, lambda lost: printed.append(lost.exc_value)
        try:
            module.one(data)
        finally:
            sys.unraisablehook = usual
        assert not printed, printed.pop()

    return Harness(one, [*module.SEEDS, *finds])


def folder() -> Path:
    """A new folder for files of a harness, gone with the process that began the run."""
    return Path(tempfile.mkdtemp(dir=os.environ[FOLDER]))


def check_told(error: Exception) -> None:
    """A refusal is short lines for a person, each with a code."""
    for problem in error.problems:  # type: ignore[attr-defined]
        told = str(problem)
        assert told.isprintable(), told
        assert len(told) <= LONGEST_LINE, told
        assert re.fullmatch("[a-z][a-z0-9_]*", problem.code), told
        assert problem.message, told


def check_places(document: Any, error: Exception, last: int | None = None) -> None:
    """Each problem stands on a line of the document, or of its file up to the last, and points to something in it."""
    for placed in document.place(error):
        assert 1 <= (placed.line or 0) <= (last or document.text.count("\n") + 1), placed
        value = document.value
        for step in placed.pointer.split("/")[1:]:
            value = value[int(step) if isinstance(value, list) else step.replace("~1", "/").replace("~0", "~")]


def mutants(seeds: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Seeds with bytes dropped, repeated, exchanged and taken from each other: for where there is no atheris."""
    source = random.Random(seed)
    pieces = [piece for text in seeds for piece in text.split()]
    for _ in range(count):
        data = bytearray(source.choice(seeds))
        for _ in range(source.randint(1, 4)):
            start = source.randint(0, len(data))
            end = min(len(data), start + source.choice((0, 1, 1, 2, 5, 20)))
            data[start:end] = source.choice(
                (b"", source.choice(pieces), source.randbytes(1), data[start:end] * 2, source.choice(seeds)[start:end])
            )
        yield bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", nargs="?", choices=READERS)
    parser.add_argument("--all", action="store_true", help="fuzz every reader, and print a table")
    parser.add_argument("--minutes", type=float, default=60, help="for all readers together, as the clock has it")
    parser.add_argument("--workers", type=int, default=1, help="readers that are fuzzed at a time")
    parser.add_argument("--folder", type=Path, default=Path("fuzzed"), help="for finds and corpora")
    parser.add_argument("--corpus", type=Path, help="for what leads to new paths; else nothing is kept")
    parser.add_argument("--changed", type=int, help="no atheris: the seeds, and so many that are changed a little")
    given, options = parser.parse_known_args()
    if given.all == bool(given.reader):
        parser.error("name a reader, or --all")
    sys.path.insert(0, str(HERE.parent))
    if given.all:
        sys.exit(fuzz_all(given.minutes, given.workers, given.folder))
    if FOLDER not in os.environ:  # atheris ends a process at once, so that another has to clean up behind it
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as made:
            command = [sys.executable, *sys.argv]
            sys.exit(subprocess.run(command, env={**os.environ, FOLDER: made}, check=False).returncode)
    if given.changed is not None:
        _try(given.reader, given.changed)
    else:
        _fuzz(given.reader, given.corpus, options)


def _try(reader: str, count: int) -> None:
    one, seeds = harness(reader)
    for data in (*seeds, *mutants(seeds, count, seed=7)):
        try:
            one(data)
        except Exception:
            sys.exit(f"{traceback.format_exc()}{reader}: {data!r}")
    print(f"{reader}: {len(seeds)} seeds and {count} changed ones")


def _fuzz(reader: str, kept: Path | None, options: Sequence[str]) -> None:
    import atheris

    to_be_compiled = [f"chinese_poker.engine.{name}" for name in ("_kernels", "_jit", "batch")]
    with atheris.instrument_imports(include=["chinese_poker", "tomllib", "json"], exclude=to_be_compiled):
        one, seeds = harness(reader)
    corpus, words = kept or folder(), folder() / "words"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(data)
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in _words(seeds)), encoding="ascii")
    atheris.Setup([sys.argv[0], str(corpus), f"-dict={words}", "-max_len=4096", *options], one)
    atheris.Fuzz()


class Fuzzed(NamedTuple):
    """What came of fuzzing a reader."""

    reader: str
    seconds: int = 0
    executions: int = 0
    new: int = 0
    """Inputs that led to paths not met before."""
    edges: tuple[int, int] = (0, 0)
    """Met by the seeds, and in the end."""
    finds: tuple[Path, ...] = ()


MOST_FINDS = 5
"""From which on a reader has had enough."""


def fuzz_all(minutes: float, workers: int, folder: Path) -> int:
    """Fuzz every reader, each for its share of the time; the figures go to standard output, finds into the folder.

    :returns: the exit status, 1 where there are finds.
    """
    seconds = max(1, int(60 * minutes * workers / len(READERS)))
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(workers) as pool:
        done = list(pool.map(lambda reader: fuzz_for(reader, seconds, folder), READERS))
    row = "{:14}{:>9}{:>12}{:>10}{:>16}{:>7}"
    print(row.format("reader", "seconds", "executions", "new paths", "edges", "finds"))
    for each in done:
        print(row.format(*each[:4], "{:,} - {:,}".format(*each.edges), len(each.finds)))
    totals = [sum(column) for column in zip(*(each[1:4] for each in done), strict=True)]
    print(row.format("all", *totals, "", sum(len(each.finds) for each in done)))
    for path in (path for each in done for path in each.finds):
        print(f"{path}, and why: {path}.txt")
    return int(any(each.finds for each in done))


def fuzz_for(reader: str, seconds: int, folder: Path) -> Fuzzed:
    """Fuzz a reader for a time, and go on behind each find, unless it is met again at once."""
    end, fuzzed = time.monotonic() + seconds, Fuzzed(reader, seconds)
    options = ["-print_final_stats=1", "-rss_limit_mb=0", "-report_slow_units=600"]
    options += ["--corpus", f"{folder / 'corpus'}-{reader}", f"-artifact_prefix={folder / reader}-"]
    while (left := round(end - time.monotonic())) > 0 and len(fuzzed.finds) < MOST_FINDS:
        command = [sys.executable, __file__, reader, f"-max_total_time={left}", *options]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        finds = [Path(name) for name in re.findall(r"Test unit written to (.+)", done.stderr)]
        if done.returncode and not finds:
            raise RuntimeError(f"{reader}: {done.stderr[-2000:]}")
        finds = [find for find in finds if find not in fuzzed.finds]
        for find in finds:
            find.with_name(f"{find.name}.txt").write_text(f"{done.stdout}{done.stderr}"[-20_000:], encoding="utf-8")
        edges = [int(number) for number in re.findall(r"\bcov: (\d+)", done.stderr)] or [0]
        fuzzed = Fuzzed(
            reader,
            seconds,
            fuzzed.executions + _figure("number_of_executed_units", done.stderr),
            fuzzed.new + _figure("new_units_added", done.stderr),
            (fuzzed.edges[0] or edges[0], max(fuzzed.edges[1], edges[-1])),
            (*fuzzed.finds, *finds),
        )
        if done.returncode and not finds:
            break
    return fuzzed


def _figure(name: str, said: str) -> int:
    found = re.search(rf"stat::{name}: +(\d+)", said)
    return int(found[1]) if found else 0


def _words(seeds: Sequence[bytes]) -> list[bytes]:
    """The pieces of the seeds, for the fuzzer to put in."""
    found = {piece.strip(b'",:=[]{}') for data in seeds for piece in data.split()}
    return sorted(piece for piece in found if 1 < len(piece) <= 30)


def _escaped(word: bytes) -> str:
    return "".join(chr(c) if 32 <= c < 127 and c not in b'\\"' else f"\\x{c:02x}" for c in word)


if __name__ == "__main__":
    main()
