"""Tables of deals as they are read: rows sorted by deal and seat, and blocks of them in arrays."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrangement import SEGMENTS, SIZES
from ..deal import SEATS
from ..engine.tables import Array
from ..errors import ChinesePokerError, DealError
from ..extras import needs
from ..texts import did_you_mean
from .columns import (
    NONE,
    are_plain,
    cast,
    integers,
    is_integer,
    lengths,
    one_array,
    read_cards,
)

with needs("tables"):
    import pyarrow as pa

TYPES = {
    "seat": pa.int64(),
    "name": pa.large_string(),
    "front": pa.large_string(),
    "middle": pa.large_string(),
    "back": pa.large_string(),
    "hand": pa.large_string(),
    "declare": pa.large_string(),
    "surrender": pa.bool_(),
    "banker": pa.int64(),
    "rules": pa.large_string(),
}


COLUMNS = ("deal", *TYPES)
"""The columns of deals that mean something."""


PLAYER_TEXTS = ("name", "front", "middle", "back", "hand", "declare")


_BLOCK = 1 << 17
"""Rows that are settled at a time."""


_KINDS = {pa.int64(): "a whole number", pa.bool_(): "true or false", pa.large_string(): "a text"}


@dataclass(frozen=True, eq=False)
class Rows:
    """Deals as they are read, their rows sorted by deal and seat."""

    order: Array
    """(n,) int64: the row of the input that each row was."""
    deal: Any
    """The column ``deal`` as it came, in the order of the input."""
    ids: Any
    """Its distinct values, by number."""
    number: Array
    """(n,) int64 ascending: which deal, or none."""
    starts: Array
    """(d + 1,) int64: where each deal begins, and the last one ends."""
    seat: Array
    """(n,) int64, or none that can be."""
    banker: Array
    """(n,) int64, or none."""
    surrender: Array
    """(n,) bool."""
    texts: dict[str, Any]
    """Columns of texts, empty where missing."""
    own: dict[str, Any]
    """The user's columns, in the order of the input."""
    faults: dict[int, list[ChinesePokerError]]
    """What cannot be read, by row."""

    @classmethod
    def read(cls, deals: Any) -> Rows:  # noqa: ANN401
        table = _as_table(deals)
        n = table.num_rows
        columns, unread = {}, []
        for name, kind in TYPES.items():
            column = table[name] if name in table.column_names else pa.chunked_array([pa.nulls(n)])
            columns[name], bad = cast(name, column, kind)
            unread += [(name, row) for row in bad.tolist()]
        deal = one_array(table["deal"])
        encoded = deal.dictionary_encode()
        number = integers(encoded.indices)
        seat = integers(columns["seat"])
        if "seat" not in table.column_names:
            seat = _counted(number)
        order = np.lexsort((seat, number))
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        faults: dict[int, list[ChinesePokerError]] = {}
        for name, row in unread:
            fault = DealError("bad_value", f"write {_KINDS[TYPES[name]]}", pointer=f"/{name}")
            faults.setdefault(int(place[row]), []).append(fault)
        for row in place[number == NONE].tolist():
            faults.setdefault(row, []).append(DealError("missing_key", "say which deal it is", pointer="/deal"))
        in_order = bool((order[1:] > order[:-1]).all())
        taken = {
            name: column if in_order else column.take(pa.array(order))
            for name, column in columns.items()
            if TYPES[name] == pa.large_string()
        }
        number = number[order]
        return cls(
            order=order,
            deal=deal,
            ids=encoded.dictionary,
            number=number,
            starts=np.concatenate([np.flatnonzero(np.diff(number, prepend=-2)), [n]]),
            seat=seat[order],
            banker=integers(columns["banker"])[order],
            surrender=columns["surrender"].fill_null(False).to_numpy(zero_copy_only=False)[order],
            texts=taken,
            own={name: table[name] for name in table.column_names if name.startswith("_")},
            faults=faults,
        )

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The first deal and the end of runs of deals, by their places in ``starts``."""
        first = 0
        while first < len(self.starts) - 1:
            end = int(np.searchsorted(self.starts, self.starts[first] + _BLOCK, side="right")) - 1
            yield first, max(first + 1, end)
            first = max(first + 1, end)

    def rows_of(self, deal: int) -> range:
        """The rows of a deal."""
        return range(int(self.starts[deal]), int(self.starts[deal + 1]))

    def text(self, key: str, row: int) -> str:
        text: str = self.texts[key][row].as_py()
        return text

    def faults_of(self, deal: int) -> list[tuple[int, ChinesePokerError]]:
        """What keeps the rows from being read as a deal, each with its row."""
        rows = self.rows_of(deal)
        found = [(row, fault) for row in rows for fault in self.faults.get(row, ())]
        seats = self.seat[rows.start : rows.stop].tolist()
        for row, seat in zip(rows, seats, strict=True):
            if not 0 <= seat < SEATS and not found:
                found.append((row, DealError("bad_seat", "a seat is 0, 1, 2 or 3", pointer="/seat")))
            elif seat in seats[: row - rows.start]:
                fault = f"seat {seat} is there twice; write one row a deal and seat"
                found.append((row, DealError("bad_seat", fault, pointer="/seat")))
        for key in ("banker", "rules"):
            values = self._said(key, rows)
            if len(values) > 1:
                fault = f"{' and '.join(map(str, values))} in one deal; write the same in all its rows"
                found.append((rows.start, DealError("contradiction", fault, pointer=f"/{key}")))
        return found

    def _said(self, key: str, rows: range) -> list[Any]:
        """The different values that a deal's rows have in a column that is the deal's own."""
        column = [int(self.banker[row]) if key == "banker" else self.text(key, row) for row in rows]
        return [value for value in dict.fromkeys(column) if value not in (NONE, "")]

    def document(self, deal: int) -> dict[str, Any]:
        """A deal whose rows have no faults, as a JSON value."""
        rows = self.rows_of(deal)
        players: list[Any] = [None] * (int(self.seat[rows.stop - 1]) + 1)
        for row in rows:
            entry: dict[str, Any] = {key: text for key in PLAYER_TEXTS if (text := self.text(key, row))}
            players[self.seat[row]] = entry | ({"surrender": True} if self.surrender[row] else {}) or None
        document: dict[str, Any] = {"id": self.ids[int(self.number[rows.start])].as_py(), "players": players}
        return document | {key: values[0] for key in ("banker", "rules") if (values := self._said(key, rows))}


@dataclass(frozen=True, eq=False)
class Block:
    """Some deals read in arrays; ``k`` rows, ``d`` deals."""

    start: int
    """The first row."""
    starts: Array
    """(d,): where each deal begins, from the first row."""
    deal_of: Array
    """(k,): the deal of each row."""
    texts: dict[str, Any]
    cards: Array
    """(k, 13) int8; none in the first where they are not read."""
    set_: Array
    """(k,) bool: whether they are front, middle and back; so the next, whether they are a hand that is not set."""
    whole: Array
    surrender: Array
    declares: Array
    vacant: Array
    plain: Array
    """(d,) bool: whether arrays can settle the deal as far as can be seen."""
    seated: Array
    """(d,): how many play."""
    bank: Array
    """(d,): the banker's place among them, or none."""

    @classmethod
    def read(cls, rows: Rows, first: int, end: int) -> Block:
        start, stop = int(rows.starts[first]), int(rows.starts[end])
        k = stop - start
        starts = rows.starts[first:end] - start
        deal_of = np.repeat(np.arange(end - first), np.diff(rows.starts[first : end + 1]))
        texts = {key: column.slice(start, k) for key, column in rows.texts.items()}
        given = {key: lengths(texts[key]) > 0 for key in PLAYER_TEXTS}
        parts = [read_cards(texts[segment], size) for segment, size in zip(SEGMENTS, SIZES, strict=True)]
        hand = read_cards(texts["hand"], 13)
        some = given["front"] | given["middle"] | given["back"]
        set_ = np.logical_and.reduce([part[:, 0] >= 0 for part in parts]) & ~given["hand"]
        whole = (hand[:, 0] >= 0) & ~some
        cards = np.hstack(parts)
        cards[~set_, 0] = NONE
        cards[whole] = hand[whole]
        surrender = rows.surrender[start:stop]
        unseen = ~(some | given["hand"])
        vacant = unseen & ~(given["name"] | given["declare"] | surrender)
        seat = rows.seat[start:stop]
        plain = set_ | whole | unseen & surrender | vacant
        plain &= (seat >= 0) & (seat < SEATS) & ~(given["declare"] & surrender) & are_plain(texts["name"])
        plain[1:] &= (deal_of[1:] != deal_of[:-1]) | (seat[1:] != seat[:-1])
        plain[[row - start for row in rows.faults if start <= row < stop]] = False
        if not is_integer(rows.ids):
            number = pa.array(rows.number[start:stop], mask=rows.number[start:stop] == NONE)
            plain &= are_plain(rows.ids.take(number).cast(pa.large_string()).fill_null(""))
        seated = np.add.reduceat(~vacant, starts)
        banker = rows.banker[start:stop]
        playing = np.cumsum(~vacant) - 1
        place = playing - (playing[starts] + vacant[starts])[deal_of]
        bank = np.maximum.reduceat(np.where((banker == seat) & ~vacant, place, NONE), starts)
        agreed = shared(banker, starts, strange=-2)
        sound = np.logical_and.reduceat(plain, starts) & (seated >= 2) & (seated <= SEATS)
        sound &= (agreed == NONE) | (agreed >= 0) & (bank >= 0)
        return cls(
            start, starts, deal_of, texts, cards, set_, whole, surrender, given["declare"], vacant, sound, seated, bank
        )


def shared(values: Array, starts: Array, strange: int = NONE) -> Array:
    """What all rows of each deal have in common, or ``strange`` where they differ."""
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.where(least == most, least, strange)


def _counted(number: Array) -> Array:
    """How many rows of the same deal come before each row."""
    order = np.argsort(number, kind="stable")
    sorted_ = number[order]
    first = np.searchsorted(sorted_, sorted_)
    counted = np.empty_like(number)
    counted[order] = np.arange(len(number)) - first
    return counted


def _as_table(deals: Any) -> Any:  # noqa: ANN401
    """Whatever speaks Arrow as a table with the columns that are needed.

    :raises DealError: ``bad_table``, ``missing_key``, ``unknown_key``.
    """
    try:
        table = pa.table(deals)
    except (TypeError, ValueError) as error:
        fault = f"{type(deals).__name__} is no table of deals: {error}; give a pandas, Polars or Arrow table"
        raise DealError("bad_table", fault) from None
    names = table.column_names
    if len(set(names)) < len(names):
        raise DealError("bad_table", "a column is there twice; call each by its own name")
    if "deal" not in names:
        raise DealError("missing_key", f"no column 'deal'{did_you_mean('deal', names)} it says which rows are one deal")
    missing = [name for name in COLUMNS if name not in names]
    for name in names:
        near = () if name in COLUMNS else difflib.get_close_matches(name, missing, n=1, cutoff=0.8)
        if near:
            fault = f"column {name!r}, did you mean {near[0]!r}? call it so, or '_{name}' if it is your own"
            raise DealError("unknown_key", fault)
    if not {"hand", "surrender"} & set(names) and not set(SEGMENTS) <= set(names):
        raise DealError("missing_key", "no cards; write columns front, middle and back, or hand")
    return table
