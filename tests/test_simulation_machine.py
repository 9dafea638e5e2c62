"""Simulations that are stopped, killed and gone on with, their files cut and spoilt, held against runs without a stop.

What a checkpoint holds is compared after every step with the deals of each of its ranges, played once, in one go and
without a checkpoint, and added up: so a deal that were lost, or counted twice, would be seen at once.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from operator import add
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from machines import TIMES, tried

from chinese_poker import files
from chinese_poker.errors import SimulationError
from chinese_poker.presets import load_rules
from chinese_poker.setting import Setting
from chinese_poker.simulation import Dealt, Summary, simulate
from chinese_poker.simulation.emission import emitting
from chinese_poker.strategy import strategy

SEED = 2**64 - 3
FIRST = 7
MOST = 60
"""Deals of the longest run."""
ENGINES = ("local", "processes") if TIMES > 1 else ("local",)
"""Processes take seconds to start: in short runs only the other tests have them."""


class BrokenError(Exception):
    """A strategy fails."""


class Killed(BaseException):
    """Stands for signal 9: nothing is done any more."""


@dataclass(frozen=True)
class Counting:
    """Sets hands as greedy does and counts them; may fail at some call, counted from this moment."""

    name = "greedy"
    fails_at: int = -1
    calls: Any = ()

    def arrange(self, hands: Any, rules: Any, players: int) -> Setting:
        self.calls.append(len(hands))
        if len(self.calls) == self.fails_at:
            raise BrokenError
        return strategy("greedy").arrange(hands, rules, players)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


GAMES = {"basic": ("greedy", "heuristic"), "mandarin": ("greedy",) * 3, "malaya": ("greedy", "greedy")}


@cache
def at_once(game: str, first: int, end: int) -> Summary:
    """Some deals of a game, played in one go."""
    return simulate(end - first, load_rules(game), GAMES[game], seed=SEED, first=first, workers=1, shards=1)


def in_ranges(game: str, dealt: tuple[Dealt, ...]) -> Summary:
    """The same for several ranges, each played by itself."""
    assert {part.seed for part in dealt} <= {SEED}
    nothing = at_once(game, 0, 1)
    return reduce(add, (at_once(game, part.first, part.end) for part in dealt), Summary.empty(
        nothing.rules, nothing.strategies, nothing.banker
    ))  # fmt: skip


@cache
def lines_at_once(game: str) -> list[bytes]:
    """The longest run, written out in one go."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "deals.jsonl")
        with emitting(path) as emitter:
            simulate(MOST, load_rules(game), GAMES[game], seed=SEED, first=FIRST, workers=1, shards=1, emit=emitter)
        return path.read_bytes().splitlines(keepends=True)


ENDS = {"break": BrokenError, "interrupt": KeyboardInterrupt, "kill": Killed}
FATES = st.sampled_from(["end", "end", "stop", *ENDS])
SHARDS = st.integers(1, MOST)


class Simulation(RuleBasedStateMachine):
    """A run with a checkpoint, and one whose deals are written."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "run.ckpt")
        self.deals_path = Path(self.folder.name, "deals.jsonl")
        self.left: set[str] = set()
        """Files that killed runs have left behind."""

    def teardown(self) -> None:
        try:
            if self.is_there():
                self.run("end", 1, 7, 2, "local")
                assert self.held() == at_once(self.game, FIRST, FIRST + self.deals)
        finally:
            self.folder.cleanup()

    @initialize(game=st.sampled_from(sorted(GAMES)), deals=st.integers(1, MOST))
    def begin(self, game: str, deals: int) -> None:
        self.game, self.deals = game, deals

    def is_there(self) -> bool:
        return self.path.exists()

    def held(self) -> Summary:
        """What the checkpoint holds, read without the reader of checkpoints."""
        return Summary.read(json.loads(self.path.read_text().split("\n")[1]))

    def check(self) -> None:
        """The checkpoint holds the deals of its ranges, each once; no file lies about that nobody knows of."""
        names = {path.name for path in Path(self.folder.name).iterdir()}
        assert names - {self.path.name, self.deals_path.name} == self.left
        if self.is_there():
            held = self.held()
            assert held == in_ranges(self.game, held.dealt)
            covered = [number for part in held.dealt for number in range(part.first, part.end)]
            assert len(covered) == len(set(covered)) == held.deals
            assert set(covered) <= set(range(FIRST, FIRST + self.deals))

    def arguments(self, **changes: Any) -> dict[str, Any]:
        usual = {
            "deals": self.deals,
            "rules": load_rules(self.game),
            "strategies": GAMES[self.game],
            "seed": SEED,
            "first": FIRST,
            "checkpoint": self.path,
            "resume": True,
        }
        return {**usual, **changes}

    @rule(fate=FATES, at=st.integers(1, 6), shards=SHARDS, workers=st.integers(1, 3), engine=st.sampled_from(ENGINES))
    def run(self, fate: str, at: int, shards: int, workers: int, engine: str) -> None:
        """Begin a run, or go on with it, to an end of some kind."""
        before = self.held().deals if self.is_there() else 0
        calls: list[int] = []
        counting: Any = Counting(at if fate == "break" else -1, calls)
        players = tuple(counting if name == "greedy" and engine == "local" else name for name in GAMES[self.game])
        told: list[Summary] = []
        stop = Event()

        def progress(summary: Summary) -> None:
            told.append(summary)
            if len(told) == at and fate == "stop":
                stop.set()
            if len(told) == at and fate == "interrupt":
                raise KeyboardInterrupt

        arguments = self.arguments(strategies=players, shards=shards, workers=workers, engine=engine, stop=stop)
        with pytest.MonkeyPatch.context() as patch:
            if fate == "kill":
                patch.setattr(files.os, "fsync", self.killer(at))
            try:
                summary = simulate(**arguments, progress=progress)
            except ENDS.get(fate, ()):
                summary = None
        held = self.held() if self.is_there() else None
        assert not told or (held and held.deals >= told[-1].deals), "what was told of is on disk"
        if summary:
            assert summary == held
            assert summary.deals == self.deals or fate == "stop"
            if engine == "local" and summary.deals == self.deals:
                seats = GAMES[self.game].count("greedy")
                assert sum(calls) == (self.deals - before) * seats, "what was done is not done again"
        self.check()

    def killer(self, at: int) -> Callable[[int], None]:
        """In place of fsync: at some call the process is as if killed, and its new file is left behind, cut."""
        calls = 0

        def fsync(descriptor: int) -> None:
            nonlocal calls
            calls += 1
            if calls == at:
                name = f".run.ckpt.{len(self.left):016x}.tmp"
                written = next(Path(self.folder.name).glob(".run.ckpt.????????????????.tmp")).read_bytes()
                Path(self.folder.name, name).write_bytes(written[: len(written) * at // 7])
                self.left.add(name)
                raise Killed

        return fsync

    @precondition(lambda self: self.left)
    @rule()
    def tidy_up(self) -> None:
        for name in self.left:
            Path(self.folder.name, name).unlink()
        self.left.clear()

    @precondition(lambda self: self.is_there())
    @rule()
    def delete_the_checkpoint(self) -> None:
        self.path.unlink()

    def refuse(self, codes: set[str], **changes: Any) -> None:
        """A run that goes on with the checkpoint is refused in one line, and changes nothing."""
        before = self.path.read_bytes()
        with pytest.raises(SimulationError) as error:
            simulate(**self.arguments(**changes))
        assert error.value.code in codes
        assert "\n" not in str(error.value)
        assert str(error.value).isprintable()
        assert self.path.read_bytes() == before
        self.check_names()

    def check_names(self) -> None:
        names = {path.name for path in Path(self.folder.name).iterdir()}
        assert names - {self.path.name, self.deals_path.name} == self.left

    @precondition(lambda self: self.is_there())
    @rule(part=st.floats(0, 1, exclude_max=True))
    def cut_the_checkpoint(self, part: float) -> None:
        """Anywhere; only the end of its last line may be missing."""
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[: int(part * (len(whole) - 1))])
        self.refuse({"unreadable_checkpoint"})
        self.path.write_bytes(whole)

    @precondition(lambda self: self.is_there())
    @rule(part=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
    def turn_a_bit_of_the_checkpoint(self, part: float, bit: int) -> None:
        whole = self.path.read_bytes()
        at = int(part * (len(whole) - 1))
        self.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        self.refuse({"unreadable_checkpoint", "other_game"})
        self.path.write_bytes(whole)

    @precondition(lambda self: self.is_there())
    @rule(
        change=st.sampled_from(
            [
                {"rules": load_rules("western")},
                {"strategies": ("heuristic", "greedy")},
                {"strategies": ("greedy",) * 4},
                {"seed": SEED - 1},
                {"first": FIRST + MOST},
                {"resume": False},
            ]
        )
    )
    def change_the_settings(self, change: dict[str, Any]) -> None:
        """Refused; but what holds no deal yet goes with any."""
        if {"seed", "first"} & change.keys() and not self.held().deals:
            return
        self.refuse({"checkpoint_exists" if "resume" in change else "other_game"}, **change)

    @precondition(lambda self: self.is_there() and self.game == "malaya")
    @rule()
    def change_the_banker(self) -> None:
        self.refuse({"other_game"}, banker=1)

    @rule(more=st.integers(0, 20))
    def deal_more(self, more: int) -> None:
        self.deals = min(MOST, self.deals + more)

    @rule(fate=FATES, at=st.integers(1, 6), shards=SHARDS, workers=st.integers(1, 3))
    def write_the_deals(self, fate: str, at: int, shards: int, workers: int) -> None:
        """They are there whole and in order when the run ends, as many as it says; else nothing has changed."""
        before = self.deals_path.read_bytes() if self.deals_path.exists() else None
        told: list[Summary] = []
        stop = Event()

        def progress(summary: Summary) -> None:
            told.append(summary)
            assert (self.deals_path.read_bytes() if self.deals_path.exists() else None) == before
            if len(told) == at and fate == "stop":
                stop.set()
            elif len(told) == at and fate not in ("end", "stop"):
                raise BrokenError

        arguments = self.arguments(checkpoint=None, resume=False, shards=shards, workers=workers, stop=stop)
        try:
            with emitting(self.deals_path) as emitter:
                summary = simulate(**arguments, emit=emitter, progress=progress)
        except BrokenError:
            assert (self.deals_path.read_bytes() if self.deals_path.exists() else None) == before
        else:
            assert self.deals_path.read_bytes() == b"".join(lines_at_once(self.game)[: summary.deals])
            assert summary == in_ranges(self.game, summary.dealt)
            assert summary.deals == self.deals or fate == "stop"
        self.check_names()


TestSimulation = Simulation.TestCase
TestSimulation.settings = tried(10, 12)
