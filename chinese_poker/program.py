"""Outside programs as strategies: hands in, arrangements out.

A program is run as a filter, anew for each batch of hands, so it may keep what it writes until its input ends, and
needs no memory of other batches. The protocol is ``PROTOCOL``.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Event

import numpy as np
import numpy.typing as npt

from .arrangement import SEGMENTS, SIZES, Arrangement
from .cards import DECK, format_cards
from .engine.settlement import Settlement, settlement
from .errors import ArrangementError, ChinesePokerError, DealError, StrategyError
from .rules import RuleSet
from .setting import Bad, Setting, checked
from .texts import one_line, quote

PROTOCOL = """\
A program reads hands from its standard input, one a line, to the end of the
input: 13 cards, high to low, as in "As Kd Kc Jh Ts 9s 9h 7d 6c 5c 4s 3h 2d".

For each hand, in the same order, it writes one line:
  front | middle | back   as in "As Jh Ts | 9s 9h 7d 6c 4s | Kd Kc 5c 3h 2d"
  declare NATURAL         as in "declare six_pairs"; names as in the rules
  surrender               where the rules know it

Cards that are not the hand's, wrong sizes, a natural that the hand does not
hold, and lines that cannot be read are fouls, and are counted as bad answers.

It may keep its output until its input ends. Then it ends, with status 0. It is
started anew for each batch of deals, with CHINESE_POKER_RULES (the name) and
CHINESE_POKER_PLAYERS (2 to 4) in its environment. With all that it has started
it is stopped after --timeout seconds for a batch, or if it floods its output."""
TIMEOUT = 60.0
"""Seconds for a batch."""
STOP: ContextVar[Event | None] = ContextVar("STOP", default=None)
"""Set by who gives up waiting: programs are then stopped at once."""

_LONGEST_ANSWER = 400
"""Bytes of a line, on average, from which on a program floods its output."""
_MOST_TOLD = 1 << 20
"""Bytes on standard error from which on a program floods it."""
_CHUNK = 1 << 16
_TICK = 0.05
"""Seconds after which it is seen that a program has ended, or shall be stopped, at the latest."""


@dataclass(frozen=True)
class Program:
    """A program as a strategy.

    >>> from chinese_poker.presets import load_rules
    >>> rules, hand = load_rules("basic"), range(0, 52, 4)
    >>> setting = Program("sed 's/.*/declare dragon/'").arrange([hand], rules, 4)
    >>> settlement(rules).states[setting.states[0]].natural
    <Natural.DRAGON: 'dragon'>
    >>> Program("sed 's/ / | /3; s/ / | /9'").arrange([hand], rules, 4).bad
    ()
    """

    command: str
    """As in a shell, with its arguments; no shell runs it."""
    timeout: float = TIMEOUT
    """Seconds for a batch."""

    @property
    def name(self) -> str:
        return self.command

    def arrange(self, hands: npt.ArrayLike, rules: RuleSet, players: int) -> Setting:
        """As :meth:`Strategy.arrange <chinese_poker.setting.Strategy.arrange>`, all hands as one batch.

        :raises StrategyError: ``no_program``, ``program_died``, ``program_hung``, ``program_flooded``,
            ``wrong_count``.
        """
        dealt = -np.sort(-np.asarray(hands, np.int8), axis=1)
        given = "".join(format_cards(DECK[card] for card in hand) + "\n" for hand in dealt.tolist())
        environment = {"CHINESE_POKER_RULES": rules.name, "CHINESE_POKER_PLAYERS": str(players)}
        answers = _run(self, given.encode(), len(dealt), environment)
        cards, states, bad = dealt.copy(), np.full(len(dealt), -1, np.int16), []
        settled = settlement(rules)
        for row, answer in enumerate(answers):
            try:
                states[row], held = _read(answer, settled)
                cards[row] = held or cards[row]
            except ChinesePokerError as error:
                bad.append(Bad(row, f"{quote(answer, 60)}: {error.message}"))
                states[row] = settled.foul
        return checked(Setting(cards, states, tuple(bad)), hands, rules, self.name)


def _read(answer: str, settled: Settlement) -> tuple[int, list[int]]:
    """What one line says: the state that is chosen, and the cards of an arrangement.

    :raises ChinesePokerError: what is wrong with it.
    """
    rules, words = settled.rules, answer.split()
    match [word.lower() for word in words]:
        case ["declare", natural]:
            if natural not in rules.naturals.ranking:
                played = ", ".join(rules.naturals.ranking) or "none"
                raise DealError("unknown_natural", f"no natural of {rules.name}; it plays {played}")
            return settled.naturals[next(each for each in rules.naturals.ranking if each == natural)], []
        case ["surrender"]:
            if rules.surrender is None:
                raise DealError("no_surrender", f"{rules.name} knows no surrender")
            return next(i for i, state in enumerate(settled.states) if state.surrender), []
    arrangement = Arrangement.parse(answer)
    sizes = tuple(map(len, arrangement.segments))
    if sizes != SIZES:
        got = ", ".join(f"{size} in the {segment}" for segment, size in zip(SEGMENTS, sizes, strict=True))
        raise ArrangementError("wrong_sizes", f"{got}; write 3, 5 and 5")
    return -1, list(map(int, arrangement.cards))


def _run(program: Program, given: bytes, wanted: int, environment: dict[str, str]) -> list[str]:
    """The lines that a program writes when it is given these bytes, as many as are wanted.

    :raises StrategyError: see :meth:`Program.arrange`.
    """
    who = quote(program.command, 60)
    with _started(program.command, environment) as process:
        said, told = bytearray(), bytearray()
        code = _exchange(process, given, said, told, most=wanted * _LONGEST_ANSWER + _CHUNK, timeout=program.timeout)
    lines = [line.decode("utf-8", "replace").strip() for line in said.removesuffix(b"\n").split(b"\n")] if said else []
    while len(lines) > wanted and not lines[-1]:
        lines.pop()
    answered = f"{min(len(lines), wanted):,} of {wanted:,} hands"
    last = one_line(told[-1000:].decode("utf-8", "replace").strip().rpartition("\n")[2], 120)
    if not code and process.returncode:
        code = "program_died"
    elif not code and len(lines) != wanted:
        code = "wrong_count"
    faults = {
        "program_hung": f"had answered {answered} after {program.timeout:g} seconds and was stopped; "
        "a program ends when its input ends; allow more time, or smaller batches",
        "program_stopped": "was stopped",
        "program_flooded": f"flooded its {'errors' if len(told) > _MOST_TOLD else 'output'} and was stopped; "
        "write one line a hand",
        "program_died": f"{_end_in_words(process.returncode)}, having answered {answered}{': ' if last else ''}{last}",
        "wrong_count": f"wrote {len(lines):,} lines for {wanted:,} hands; write one line a hand",
    }
    if code:
        raise StrategyError(code, f"{who} {faults[code]}")
    return lines


def _end_in_words(status: int) -> str:
    if status > 0:
        return f"ended with status {status}"
    with contextlib.suppress(ValueError):
        return f"died of {signal.Signals(-status).name}"
    return f"died of signal {-status}"


@contextlib.contextmanager
def _started(command: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
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
