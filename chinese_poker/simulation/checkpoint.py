"""Checkpoints: the merged summary of the shards that are done, on disk, so that a run that was killed goes on."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import SimulationError
from ..files import faults_of, replacing
from ..texts import quote
from .summary import Dealt, Summary

FORMAT = 1


def write_checkpoint(path: Path, summary: Summary) -> None:
    """Put a summary in the place of the last one, in one step.

    :raises ChinesePokerError: ``unwritable``.
    """
    text = json.dumps(summary.document())
    head = {"checkpoint": FORMAT, "version": __version__, "digest": _digest(text)}
    with replacing(path) as file, faults_of(path):
        file.write(f"{json.dumps(head)}\n{text}\n".encode())


def read_checkpoint(path: Path, empty: Summary, wanted: Dealt) -> Summary:
    """The summary of a checkpoint, or the empty one where there is none yet.

    :param empty: the summary of no deals of the game that goes on.
    :param wanted: the deals of the run that goes on.
    :raises SimulationError: ``unreadable_checkpoint``, ``other_game``.
    """
    try:
        head_line, text = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        head: dict[str, Any] = json.loads(head_line)
        if (head["checkpoint"], head["digest"]) != (FORMAT, _digest(text)):
            raise ValueError
        version, document = head["version"], json.loads(text)
    except FileNotFoundError:
        return empty
    except OSError as error:
        raise SimulationError("unreadable_checkpoint", f"{_name(path)} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        fault = f"{_name(path)} is no whole checkpoint; remove it, or name another"
        raise SimulationError("unreadable_checkpoint", fault) from None
    if version != __version__:
        fault = f"{_name(path)} was written by version {version}, this is {__version__}; go on with that one"
        raise SimulationError("other_game", fault)
    done = Summary.read(document)
    for what, ours, theirs in (
        ("rules", empty.rules, done.rules),
        ("strategies", empty.strategies, done.strategies),
        ("a banker", empty.banker, done.banker),
    ):
        if ours != theirs:
            names = (getattr(each, "name", each) for each in (theirs, ours))
            shown = " in place of ".join(_shown(name) for name in names)
            raise SimulationError("other_game", f"{_name(path)} has other {what}: {shown}; name another checkpoint")
    for part in done.dealt:
        if part.seed != wanted.seed or part.first < wanted.first or part.end > wanted.end:
            fault = f"{_name(path)} holds deals {part.first:,} to {part.end - 1:,} of seed {part.seed}, which this run"
            raise SimulationError("other_game", f"{fault} does not deal; name another checkpoint")
    return done


def _shown(name: object) -> str:
    return quote(", ".join(name) if isinstance(name, tuple) else str(name), 60)


def _name(path: Path) -> str:
    return quote(str(path), 120)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
