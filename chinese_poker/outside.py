"""Programs from outside, run as filters: lines in, lines out, and nothing left of them in the end."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from threading import Event
from typing import NamedTuple

from .errors import StrategyError
from .texts import one_line, quote

STOP: ContextVar[Event | None] = ContextVar("STOP", default=None)
"""Set by who gives up waiting: programs are then stopped at once."""

_MOST_TOLD = 1 << 20
"""Bytes on standard error from which on a program floods it."""
_CHUNK = 1 << 16
_TICK = 0.05
"""Seconds after which it is seen that a program has ended, or shall be stopped, at the latest."""


class Answers(NamedTuple):
    """What a program wrote."""

    lines: list[str]
    """Without the spaces around them, and without empty ones at the end that nobody asked for."""
    died: str
    """How it ended, if not with status 0: a line for a person."""


def answered(
    command: str,
    given: bytes,
    wanted: int,
    *,
    thing: str = "hand",
    most: int,
    timeout: float,
    environment: Mapping[str, str] | None = None,
) -> Answers:
    """Run a program on an input, to the end of both.

    :param command: as in a shell, with its arguments; no shell runs it.
    :param wanted: how many lines it is to write, one for each ``thing`` that it is given.
    :param most: bytes of output from which on it floods it, beside some that every program may write.
    :param timeout: seconds.
    :param environment: what is added to that of this process.
    :raises StrategyError: ``no_program``, ``program_hung``, ``program_flooded``, ``program_stopped``.

    >>> answered("tr a-z A-Z", b"as kd\\n7h\\n", 2, most=100, timeout=60)
    Answers(lines=['AS KD', '7H'], died='')
    """
    said, told = bytearray(), bytearray()
    with _started(command, environment or {}) as process:
        code = _exchange(process, given, said, told, most=most + _CHUNK, timeout=timeout)
    lines = [line.decode("utf-8", "replace").strip() for line in said.removesuffix(b"\n").split(b"\n")] if said else []
    while len(lines) > wanted and not lines[-1]:
        lines.pop()
    progress = f"{min(len(lines), wanted):,} of {wanted:,} {thing}s"
    faults = {
        "program_hung": f"had answered {progress} after {timeout:g} seconds and was stopped; "
        f"a program ends when its input ends; allow more time, or fewer {thing}s at a time",
        "program_stopped": "was stopped",
        "program_flooded": f"flooded its {'errors' if len(told) > _MOST_TOLD else 'output'} and was stopped; "
        f"write one line a {thing}",
    }
    who = quote(command, 60)
    if code:
        raise StrategyError(code, f"{who} {faults[code]}")
    if not process.returncode:
        return Answers(lines, "")
    last = one_line(told[-1000:].decode("utf-8", "replace").strip().rpartition("\n")[2], 120)
    end = f"{_end_in_words(process.returncode)}, having answered {progress}"
    return Answers(lines, f"{who} {end}{': ' if last else ''}{last}")


def _end_in_words(status: int) -> str:
    if status > 0:
        return f"ended with status {status}"
    with contextlib.suppress(ValueError):
        return f"died of {signal.Signals(-status).name}"
    return f"died of signal {-status}"


@contextlib.contextmanager
def _started(command: str, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, of which nothing is left in the end."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise StrategyError("no_program", f"{quote(command, 60)} is no command: {error}") from None
    if not words:
        raise StrategyError("no_program", "an empty command; write a program with its arguments")
    if not hasattr(os, "killpg"):
        raise StrategyError("no_program", "outside programs need process groups, which this system has not")
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            words,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            env={**os.environ, **environment},
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StrategyError("no_program", f"{quote(words[0], 60)} cannot be run: {why}") from None
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def _exchange(
    process: subprocess.Popen[bytes], given: bytes, said: bytearray, told: bytearray, *, most: int, timeout: float
) -> str:
    """Feed a process, and read what it says and tells until it has ended; or say by a code why it must be stopped.

    Nothing waits for one pipe alone, so that it does not matter in which order the process reads and writes.
    """
    stop, deadline = STOP.get(), time.monotonic() + timeout
    left = memoryview(given)
    with selectors.DefaultSelector() as selector:
        for stream, event, buffer in (
            (process.stdin, selectors.EVENT_WRITE, None),
            (process.stdout, selectors.EVENT_READ, said),
            (process.stderr, selectors.EVENT_READ, told),
        ):
            os.set_blocking(stream.fileno(), False)  # type: ignore[union-attr]
            selector.register(stream, event, buffer)  # type: ignore[arg-type]
        while True:
            if not selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_TICK)
            has_ended = process.poll() is not None  # whatever it has written is in the pipes by now
            read = 0
            for key, _ in selector.select(0 if has_ended or not selector.get_map() else _TICK):
                if key.data is None:
                    left = left[_written(key.fd, left) :]
                    if has_ended or not left:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()  # type: ignore[union-attr]
                    continue
                chunk = os.read(key.fd, _CHUNK)
                key.data.extend(chunk)
                read += len(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            if len(said) > most or len(told) > _MOST_TOLD:
                return "program_flooded"
            if has_ended and not read:
                return ""
            if stop and stop.is_set():
                return "program_stopped"
            if time.monotonic() > deadline:
                return "program_hung"


def _written(descriptor: int, left: memoryview) -> int:
    """How many bytes a pipe took; all of them where nobody reads it any more."""
    try:
        return os.write(descriptor, left[:_CHUNK])
    except BrokenPipeError:
        return len(left)
