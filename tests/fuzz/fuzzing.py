"""Fuzzing of the readers: ``python tests/fuzz/fuzzing.py cards -max_total_time=300`` runs atheris on one of them.

A harness is a module ``fuzz_<reader>`` with ``SEEDS``, inputs to begin with, and ``one(data)``, which gives bytes to
the reader and asserts what must hold of anything it reads or refuses. Further options are libFuzzer's. An input that
breaks a promise is written to the folder of the run as ``crash-...``; it belongs into ``finds``, where tests try it.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "chinese_poker" / "vectors"
READERS = tuple(sorted(path.stem.removeprefix("fuzz_") for path in HERE.glob("fuzz_*.py")))
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
    """A new folder for files of a harness, in memory where the system has such."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None))


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
    parser.add_argument("reader", choices=READERS)
    given, options = parser.parse_known_args()
    import atheris

    sys.path.insert(0, str(HERE.parent))
    with atheris.instrument_imports(include=["chinese_poker", "tomllib", "json"]):
        one, seeds = harness(given.reader)
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds):
            Path(corpus, str(number)).write_bytes(data)
        words = Path(corpus).with_suffix(".dict")
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in _words(seeds)), encoding="ascii")
        atheris.Setup([sys.argv[0], corpus, f"-dict={words}", "-max_len=4096", *options], one)
        atheris.Fuzz()


def _words(seeds: Sequence[bytes]) -> list[bytes]:
    """The pieces of the seeds, for the fuzzer to put in."""
    found = {piece.strip(b'",:=[]{}') for data in seeds for piece in data.split()}
    return sorted(piece for piece in found if 1 < len(piece) <= 30)


def _escaped(word: bytes) -> str:
    return "".join(chr(c) if 32 <= c < 127 and c not in b'\\"' else f"\\x{c:02x}" for c in word)


if __name__ == "__main__":
    main()
