"""Deals written out: JSON Lines that ``chinese-poker score`` reads, or Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..arrangement import SEGMENTS
from ..cards import NAMES
from ..engine.field import SEGMENTS as COLUMNS
from ..engine.settlement import settlement
from ..engine.tables import Array
from ..errors import SimulationError
from ..extras import needs
from ..files import faults_of, replacing
from ..presets import load_rules, rule_names, rules_document
from ..rules import RuleSet
from ..texts import quote
from .play import Game, Played, outcome_names
from .summary import FOUL, SURRENDER

Packed = Any
"""Deals on their way from who plays them to who writes them."""
Pack = Callable[[Game, Played], Packed]


@dataclass(frozen=True)
class Emitter:
    """Where the deals of a simulation go, in order."""

    pack: Pack
    """Prepares deals for ``write``; called where they are played, which may be on another machine."""
    write: Callable[[list[Packed]], None]


@contextmanager
def emitting(path: Path) -> Iterator[Emitter]:
    """A file of deals by the ending of its name, ``.jsonl`` or ``.parquet``; it is there, whole, when the block ends.

    :raises SimulationError: ``unknown_format``, ``missing_extra``.
    :raises ChinesePokerError: ``unwritable``.
    """
    kinds = {".jsonl": _lines_to, ".parquet": _rows_to}
    if path.suffix not in kinds:
        fault = f"deals are not written as {quote(path.suffix or path.name)}; name a file .jsonl or .parquet"
        raise SimulationError("unknown_format", fault)
    with replacing(path) as file, kinds[path.suffix](path, file) as emitter:
        yield emitter


@contextmanager
def _lines_to(path: Path, file: BinaryIO) -> Iterator[Emitter]:
    def write(packed: list[bytes]) -> None:
        with faults_of(path):
            file.writelines(packed)

    yield Emitter(deal_lines, write)


def deal_lines(game: Game, played: Played) -> bytes:
    """Deals as JSON Lines, a document a deal; its id is the deal's number."""
    rules = json.dumps(_rules_value(game.rules))
    end = "" if game.banker is None else f', "banker": {game.banker}'
    players = np.reshape([*map(_player, *_told(game, played))], played.declared.shape).tolist()
    return "".join(
        f'{{"id": {number}, "rules": {rules}, "players": [{", ".join(row)}]{end}}}\n'
        for number, row in enumerate(players, played.dealt.first)
    ).encode()


def _rules_value(rules: RuleSet) -> object:
    """The name of a preset, or the rule set written out."""
    is_preset = rules.name in rule_names() and rules == load_rules(rules.name)
    return rules.name if is_preset else rules_document(rules)


def _told(game: Game, played: Played) -> tuple[list[str], list[str], list[str], list[str]]:
    """Segments in words, and what was done in place of playing them, if anything; a row a player.

    A foul that was given in place of an arrangement is told as one: four cards in front and in the middle.
    """
    cards = played.cards.reshape(-1, 13)
    outcomes = ("", *outcome_names(settlement(game.rules)))
    done = [outcomes[1 + state] for state in played.declared.ravel().tolist()]
    front, middle, back = (_texts(cards[:, columns]) for columns in COLUMNS)
    for row in (row for row, outcome in enumerate(done) if outcome == FOUL):
        front[row], middle[row] = f"{front[row]} {middle[row][:2]}", middle[row][3:]
    return front, middle, back, done


def _player(front: str, middle: str, back: str, done: str) -> str:
    more = "" if done in ("", FOUL) else ', "surrender": true' if done == SURRENDER else f', "declare": "{done}"'
    return f'{{"front": "{front}", "middle": "{middle}", "back": "{back}"{more}}}'


_SPELT = np.frombuffer("".join(f"{name} " for name in NAMES).encode(), np.uint8).reshape(52, 3)


def _texts(cards: Array) -> list[str]:
    """Cards (n, k) as n texts."""
    n, k = cards.shape
    spelt = np.ascontiguousarray(_SPELT[cards].reshape(n, 3 * k)[:, :-1])
    texts: list[str] = spelt.view(f"S{3 * k - 1}").ravel().astype(str).tolist()
    return texts


@contextmanager
def _rows_to(path: Path, file: BinaryIO) -> Iterator[Emitter]:
    with needs("tables"):
        import pyarrow as pa
        from pyarrow import parquet
    text = pa.string()
    kinds = (pa.int64(), pa.int8(), text, text, text, text, text, pa.bool_(), pa.int64())
    schema = pa.schema(list(zip(ROWS, kinds, strict=True)))

    def write(packed: list[dict[str, Any]]) -> None:
        with faults_of(path):
            for rows in packed:
                writer.write_table(pa.table(rows, schema))

    with faults_of(path), parquet.ParquetWriter(file, schema) as writer:
        yield Emitter(deal_rows, write)


ROWS = ("deal", "seat", "strategy", *SEGMENTS, "declare", "surrender", "units")
"""The columns of Parquet: a table that ``score`` reads, with who set each hand and what it won."""


def deal_rows(game: Game, played: Played) -> dict[str, Any]:
    """Deals as columns, a row a player, under :data:`ROWS`."""
    n, players = played.declared.shape
    front, middle, back, done = _told(game, played)
    declared = [None if outcome in ("", FOUL, SURRENDER) else outcome for outcome in done]
    surrendered = [outcome == SURRENDER for outcome in done]
    numbers = np.repeat(np.arange(played.dealt.first, played.dealt.end), players)
    seats = np.tile(np.arange(players, dtype=np.int8), n)
    units = played.settled.totals.ravel()
    columns = (numbers, seats, game.names * n, front, middle, back, declared, surrendered, units)
    return dict(zip(ROWS, columns, strict=True))
