"""Nights and their deals, kept in one SQLite file.

What happens in a night is a row of ``action`` that is never changed: a deal added, a deal corrected, or the last of
these taken back. The deals that stand follow from the rows, and so does every earlier version of each. A night keeps
the whole of its rule set, so that a preset that changes later changes no result.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, NotRequired, Self

import orjson
import platformdirs
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from . import wire
from .answers import settle
from .arrangement import SEGMENTS
from .documents import Document, problems_of
from .errors import ChinesePokerError, DealError, LedgerError
from .presets import kept_rules, rules_document
from .report import Standings, plain_cell, read_unit, standings_rows
from .rules import RuleSet
from .texts import quote
from .wire import ResultDocument

MOST_BYTES_OF_A_DEAL = 1 << 16
"""The longest deal that is kept, as JSON."""
PATIENCE = 20.0
"""Seconds that a write waits for the writes of others."""
CSV_HEADER = ("night", "deal", "recorded", "seat", "name", "units", "money", "foul", "natural", *SEGMENTS)
"""The columns of a night, one row a deal and player."""

_APPLICATION = 0x43503133
_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE night (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            rules TEXT NOT NULL,
            unit TEXT,
            currency TEXT NOT NULL,
            created TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE player (
            night TEXT NOT NULL REFERENCES night ON DELETE CASCADE,
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (night, place),
            UNIQUE (night, name)
        ) STRICT""",
        """CREATE TABLE action (
            night TEXT NOT NULL REFERENCES night ON DELETE CASCADE,
            version INTEGER NOT NULL CHECK (version > 0),
            kind TEXT NOT NULL CHECK (kind IN ('add', 'correct', 'undo')),
            number INTEGER NOT NULL CHECK (number > 0),
            deal TEXT,
            result TEXT,
            undoes INTEGER,
            recorded TEXT NOT NULL,
            key TEXT,
            PRIMARY KEY (night, version),
            UNIQUE (night, key),
            UNIQUE (night, undoes),
            FOREIGN KEY (night, undoes) REFERENCES action (night, version) DEFERRABLE INITIALLY DEFERRED,
            CHECK ((kind = 'undo') = (undoes IS NOT NULL)),
            CHECK ((kind = 'undo') = (deal IS NULL)),
            CHECK ((deal IS NULL) = (result IS NULL))
        ) STRICT""",
        """CREATE VIEW done AS SELECT * FROM action AS a WHERE kind <> 'undo' AND NOT EXISTS
            (SELECT 1 FROM action AS u WHERE u.night = a.night AND u.undoes = a.version)""",
        """CREATE VIEW standing AS SELECT * FROM done AS a WHERE version =
            (SELECT max(version) FROM done AS b WHERE b.night = a.night AND b.number = a.number)""",
    ),
)
"""Statements that lead from each version of the schema to the next; the first makes version 1 out of an empty file."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_FAULTS = {
    sqlite3.SQLITE_FULL: ("ledger_full", "the disk is full; nothing of this was kept"),
    sqlite3.SQLITE_READONLY: ("ledger_read_only", "it cannot be written; nothing of this was kept"),
    sqlite3.SQLITE_BUSY: ("ledger_busy", "somebody else is writing for long; try again"),
    sqlite3.SQLITE_LOCKED: ("ledger_busy", "somebody else is writing for long; try again"),
    sqlite3.SQLITE_IOERR: ("ledger_full", "the disk does not take or give the data; nothing of this was kept"),
    sqlite3.SQLITE_CANTOPEN: ("ledger_unreadable", "it cannot be opened; name a file that can, with --data"),
    sqlite3.SQLITE_NOTADB: ("ledger_unreadable", "it is no ledger; name another file with --data"),
    sqlite3.SQLITE_CORRUPT: ("ledger_unreadable", "it is damaged; take a copy or an export"),
}

Kind = Literal["add", "correct", "undo"]


@dataclass(frozen=True)
class Night:
    """A night as it is kept."""

    id: str
    title: str
    rules: RuleSet
    unit: Decimal | None
    """Money for one unit."""
    currency: str
    players: tuple[str, ...]
    """Those named at the start, then those in the deals, as they came."""
    created: str
    version: int
    """How much has happened; it grows with every action."""
    deals: int
    """How many stand."""

    def document(self) -> dict[str, Any]:
        """The night as JSON values."""
        return {
            "id": self.id,
            "title": self.title,
            "rules": self.rules.name,
            "revision": self.rules.revision,
            "unit": None if self.unit is None else f"{self.unit:f}",
            "currency": self.currency,
            "players": list(self.players),
            "created": self.created,
            "version": self.version,
            "deals": self.deals,
        }


@dataclass(frozen=True)
class Action:
    """One thing that happened in a night."""

    version: int
    kind: Kind
    number: int
    """Of the deal; a number is never given twice."""
    recorded: str
    deal_text: str | None = None
    """The deal's document as JSON, and its result's; none of what takes back."""
    result_text: str | None = None
    undoes: int | None = None
    """The version of the action that is taken back."""
    key: str | None = None
    """The client's name of the action, by which it is not done twice."""

    @cached_property
    def deal(self) -> dict[str, Any]:
        """The deal as JSON values, empty where the action has none."""
        return dict(json.loads(self.deal_text or "{}"))

    @cached_property
    def result(self) -> ResultDocument:
        """The result as JSON values, empty where the action has none."""
        document: ResultDocument = json.loads(self.result_text or "{}")
        return document

    def document(self) -> dict[str, Any]:
        """The action as JSON values; the deal and the result stand as they were written."""
        parts = {"version": self.version, "kind": self.kind, "number": self.number, "recorded": self.recorded}
        kept = {"deal": _fragment(self.deal_text), "result": _fragment(self.result_text)}
        rest = {**kept, "undoes": self.undoes, "key": self.key}
        return parts | {name: value for name, value in rest.items() if value is not None}


def _fragment(text: str | None) -> orjson.Fragment | None:
    return None if text is None else orjson.Fragment(text)


_CONFIG = ConfigDict(extra="forbid", strict=True)
_Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


@with_config(_CONFIG)
class _NightLine(TypedDict):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]{1,40}$")]
    title: wire.Text | Literal[""]
    rules: dict[str, Any]
    unit: str | None
    currency: wire.Text | Literal[""]
    players: Annotated[list[wire.Text], Field(max_length=wire.MOST_NAMES)]
    created: _Moment


@with_config(_CONFIG)
class _ActionLine(TypedDict):
    version: int
    kind: Kind
    number: int
    recorded: _Moment
    deal: NotRequired[dict[str, Any]]
    result: NotRequired[dict[str, Any]]
    undoes: NotRequired[int]
    key: NotRequired[wire.Text]


_NIGHT_LINE, _ACTION_LINE = TypeAdapter(_NightLine), TypeAdapter(_ActionLine)
_RESULT: TypeAdapter[ResultDocument] = TypeAdapter(ResultDocument)


def default_path() -> Path:
    """The ledger's file in the user's data folder."""
    return platformdirs.user_data_path("chinese-poker", appauthor=False) / "ledger.db"


class Ledger:
    """Nights in one file, which several threads and processes may use at once.

    Every write is one transaction, on disk before the call returns.

    :param path: the file; ``None`` is the one in the user's data folder.
    :param create: whether a file that is not there is made.
    :raises LedgerError: ``no_ledger``, ``ledger_unreadable``, ``ledger_newer``; every call may raise ``ledger_busy``,
        ``ledger_full``, ``ledger_read_only``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "nights.db") as ledger:
    ...     night = ledger.new(title="Friday", rules=wire.read_rules("western"))
    ...     added = ledger.add(night.id, {"players": [
    ...         {"name": "Ann", "front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"},
    ...         {"name": "Bo", "front": "AhKd5c", "middle": "8h8d6h6c2s", "back": "TcTdThTs2h"}]})
    ...     [(name, standing.units) for name, standing in ledger.standings(night.id).by_player()]
    [('Ann', 2), ('Bo', -2)]
    """

    def __init__(self, path: str | Path | None = None, *, create: bool = True) -> None:
        self.path = default_path() if path is None else Path(path)
        self._lock = threading.RLock()
        if not create and not self.path.exists():
            fault = f"{quote(str(self.path), 200)} is not there; ledger new begins one, --data names another"
            raise LedgerError("no_ledger", fault)
        try:
            if create and not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError as error:
            raise LedgerError("ledger_unreadable", f"{self._named}: {error.strerror}; name another --data") from None
        with self._faults():
            self._db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._open()
        except BaseException:
            self._db.close()
            raise

    @property
    def _named(self) -> str:
        return f"the ledger {quote(str(self.path), 200)}"

    def _open(self) -> None:
        with self._faults():
            self._db.execute("PRAGMA foreign_keys = ON")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA trusted_schema = OFF")
        with self._reading():  # another may be making the file at this moment
            application, version = self._pragma("application_id"), self._pragma("user_version")
            is_empty = application == version == 0 and not self._rows("SELECT 1 FROM sqlite_schema LIMIT 1")
        if application != _APPLICATION and not is_empty:
            raise LedgerError("ledger_unreadable", f"{self._named} is another program's; name another --data")
        if version > len(_MIGRATIONS):
            fault = f"{self._named} was written by a newer chinese-poker; install that"
            raise LedgerError("ledger_newer", fault)
        if version < len(_MIGRATIONS):
            self._migrate()

    def _pragma(self, name: str) -> Any:  # noqa: ANN401
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]

    def _migrate(self) -> None:
        with self._faults():
            self._into_wal_mode()
        with self._writing():
            for version in range(self._pragma("user_version"), len(_MIGRATIONS)):
                for statement in _MIGRATIONS[version]:
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {version + 1}")
            self._db.execute(f"PRAGMA application_id = {_APPLICATION}")

    def _into_wal_mode(self) -> None:
        """SQLite does not wait by itself where two change the mode of a new file at once."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except sqlite3.Error as error:
            code, fault = _FAULTS.get(_primary(error), ("ledger_unreadable", str(error)))
            raise LedgerError(code, f"{self._named}: {fault}") from error

    @contextlib.contextmanager
    def _kept(self) -> Iterator[None]:
        """Around what makes values of a row that was read: one that another program has changed may be none."""
        try:
            yield
        except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
            code, fault = _FAULTS[sqlite3.SQLITE_CORRUPT]
            raise LedgerError(code, f"{self._named}: {fault}") from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing."""
        with self._lock, self._faults():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Several reads of one state."""
        with self._lock, self._faults():
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("COMMIT")

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._lock, self._faults():
            return self._db.execute(query, values).fetchall()

    def _insert(self, table: str, **values: object) -> None:
        marks = ", ".join("?" * len(values))
        self._db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))

    def new(
        self,
        *,
        title: str = "",
        rules: RuleSet,
        unit: Decimal | None = None,
        currency: str = "",
        players: Sequence[str] = (),
    ) -> Night:
        """Begin a night."""
        name = "".join(secrets.choice(_LETTERS) for _ in range(10))
        text = wire.dumps(rules_document(rules)).decode()
        amount = None if unit is None else f"{unit:f}"
        created = _now()
        with self._writing():
            self._insert("night", id=name, title=title, rules=text, unit=amount, currency=currency, created=created)
            self._name_players(name, players)
        return self.night(name)

    def _name_players(self, night: str, players: Iterable[str]) -> None:
        for place, player in enumerate(dict.fromkeys(players)):
            self._insert("player", night=night, place=place, name=player)

    def _named_in(self, night: str) -> list[str]:
        return [name for (name,) in self._rows("SELECT name FROM player WHERE night = ? ORDER BY place", night)]

    def nights(self) -> list[Night]:
        """All nights, the newest first."""
        with self._reading():
            return [self._night(row) for row in self._rows(f"{_NIGHTS} ORDER BY rowid DESC")]

    def night(self, name: str) -> Night:
        """A night by its id.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            return self._night(self._row_of(name))

    def newest(self) -> Night:
        """The night that was begun last.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            rows = self._rows(f"{_NIGHTS} ORDER BY rowid DESC LIMIT 1")
            if not rows:
                raise LedgerError("unknown_night", "there is no night yet; ledger new begins one")
            return self._night(rows[0])

    def _row_of(self, name: str) -> Any:  # noqa: ANN401
        rows = self._rows(f"{_NIGHTS} WHERE id = ?", name)
        if not rows:
            raise LedgerError("unknown_night", f"{quote(name)} is no night of this ledger; ledger list names them")
        return rows[0]

    def _night(self, row: tuple[str, str, str | None, str, str, str]) -> Night:
        name, title, unit, currency, created, rules = row
        standing = self._standing(name)
        met = (player["name"] for action in standing for player in action.result["players"] if "vacant" not in player)
        with self._kept():
            in_force, amount = _rules_of(rules), None if unit is None else read_unit(unit)
        return Night(
            name,
            title,
            in_force,
            amount,
            currency,
            tuple(dict.fromkeys((*self._named_in(name), *met))),
            created,
            self._version(name),
            len(standing),
        )

    def version(self, name: str) -> int:
        """How much has happened in a night, in one quick look.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            self._row_of(name)
            return self._version(name)

    def _version(self, name: str) -> int:
        ((version,),) = self._rows("SELECT coalesce(max(version), 0) FROM action WHERE night = ?", name)
        return int(version)

    def deals(self, name: str) -> list[Action]:
        """The deals that stand, each as it was last added or corrected.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            self._row_of(name)
            return self._standing(name)

    def _standing(self, name: str) -> list[Action]:
        return self._actions("standing WHERE night = ? ORDER BY number", name)

    def _actions(self, what: str, *values: object) -> list[Action]:
        rows = self._rows(f"SELECT {_COLUMNS} FROM {what}", *values)
        with self._kept():
            return [_whole(Action(*row)) for row in rows]

    def history(self, name: str, number: int | None = None) -> list[Action]:
        """All that happened in a night, or to one deal of it, in order.

        :raises LedgerError: ``unknown_night``, ``unknown_deal``.
        """
        with self._reading():
            self._row_of(name)
            if number is None:
                return self._actions("action WHERE night = ? ORDER BY version", name)
            actions = self._actions("action WHERE night = ? AND number = ? ORDER BY version", name, number)
        if not actions:
            raise _unknown_deal(number)
        return actions

    def look(self, name: str) -> tuple[Night, list[Action], dict[int, int]]:
        """A night, its deals, and how often each was changed: all of one moment.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            night, deals = self._within(name), self._standing(name)
            counted = self._rows("SELECT number, count(*) FROM action WHERE night = ? GROUP BY number", name)
        return night, deals, dict(counted)

    def _within(self, name: str) -> Night:
        return self._night(self._row_of(name))

    def standings(self, name: str) -> Standings:
        """The sums of a night.

        :raises LedgerError: ``unknown_night``.
        """
        return sums(self.deals(name))

    def add(
        self,
        name: str,
        value: Any,  # noqa: ANN401
        *,
        strategy: str | None = None,
        key: str | None = None,
    ) -> Action:
        """Settle a deal under the night's rules and keep it.

        :param value: the deal's document; rules that it names do not count.
        :param key: what the client calls this deed: a second one of the same name and deal changes nothing.
        :raises LedgerError: ``unknown_night``; ``key_used`` for another deal.
        :raises ChinesePokerError: as :func:`~chinese_poker.answers.settle` does.
        """
        deal, result = self._settled(name, value, strategy)
        with self._writing():
            earlier = self._actions("action WHERE night = ? AND key = ?", name, key) if key is not None else []
            if earlier:
                if (earlier[0].kind, earlier[0].deal_text) != ("add", deal):
                    raise LedgerError("key_used", f"the key {quote(key or '')} names another deed; take a new one")
                return earlier[0]
            self._row_of(name)
            ((highest,),) = self._rows("SELECT coalesce(max(number), 0) FROM action WHERE night = ?", name)
            return self._act(name, "add", highest + 1, deal=deal, result=result, key=key)

    def correct(
        self,
        name: str,
        number: int,
        value: Any,  # noqa: ANN401
        *,
        strategy: str | None = None,
        seen: int | None = None,
    ) -> Action:
        """Put a deal in the place of one that stands; the history keeps that one.

        :param seen: the version of the deal that is to be corrected; none is asked for where it is ``None``.
        :raises LedgerError: ``unknown_night``, ``unknown_deal``; ``changed_meanwhile`` where the deal is of another
            version.
        :raises ChinesePokerError: as :func:`~chinese_poker.answers.settle` does.
        """
        deal, result = self._settled(name, value, strategy)
        with self._writing():
            standing = self._actions("standing WHERE night = ? AND number = ?", name, number)
            if not standing:
                raise _unknown_deal(number)
            if seen not in (None, standing[0].version):
                raise _changed(f"deal {number}")
            return self._act(name, "correct", number, deal=deal, result=result)

    def undo(self, name: str, *, seen: int | None = None) -> tuple[Action, Action]:
        """Take back the last deal or correction that still counts.

        :returns: what was done, and what was taken back.
        :param seen: the night's version that is to be gone back from; none is asked for where it is ``None``.
        :raises LedgerError: ``unknown_night``, ``nothing_to_undo``; ``changed_meanwhile`` where the night is of another
            version.
        """
        with self._writing():
            self._row_of(name)
            if seen not in (None, self._version(name)):
                raise _changed("the night")
            last = self._actions("done WHERE night = ? ORDER BY version DESC LIMIT 1", name)
            if not last:
                raise LedgerError("nothing_to_undo", "no deal stands in this night; there is nothing to take back")
            return self._act(name, "undo", last[0].number, undoes=last[0].version), last[0]

    def delete(self, name: str) -> None:
        """Delete a night with all that happened in it.

        :raises LedgerError: ``unknown_night``.
        """
        with self._writing():
            self._row_of(name)
            self._db.execute("DELETE FROM night WHERE id = ?", (name,))

    def _settled(self, name: str, value: Any, strategy: str | None) -> tuple[str, str]:  # noqa: ANN401
        """A deal and its result as they are kept."""
        *_, rules = self._row_of(name)
        with self._kept():
            in_force = _rules_of(rules)
        deal, result = settle(value, in_force, strategy=strategy)
        text = wire.dumps(value).decode()
        if len(text) > MOST_BYTES_OF_A_DEAL:
            fault = f"more than {MOST_BYTES_OF_A_DEAL:,} bytes; leave some of your own keys out"
            raise DealError("too_long", fault)
        return text, wire.dumps(wire.result_document(value, deal, result)).decode()

    def _act(self, name: str, kind: Kind, number: int, **values: object) -> Action:
        version = self._version(name) + 1
        self._insert("action", night=name, version=version, kind=kind, number=number, recorded=_now(), **values)
        return self._actions("action WHERE night = ? AND version = ?", name, version)[0]

    def export(self, name: str) -> Iterator[bytes]:
        """A night as JSON Lines: the night, then everything that happened; :meth:`load` reads it back without loss.

        :raises LedgerError: ``unknown_night``.
        """
        with self._reading():
            head = self._head(name)
            actions = self._actions("action WHERE night = ? ORDER BY version", name)
        yield orjson.dumps(head) + b"\n"
        yield from (orjson.dumps(action.document()) + b"\n" for action in actions)

    def _head(self, name: str) -> dict[str, Any]:
        _, title, unit, currency, created, rules = self._row_of(name)
        with self._kept():
            _rules_of(rules)
        return {
            "night": {
                "id": name,
                "title": title,
                "rules": orjson.Fragment(rules),
                "unit": unit,
                "currency": currency,
                "players": self._named_in(name),
                "created": created,
            }
        }

    def load(self, documents: Iterable[Document]) -> list[Night]:
        """Read exported nights back: all of them, or after an error none.

        Of a night that is there already only what happened since is added.

        :returns: the nights that were read.
        :raises LedgerError: ``night_differs`` where another night has the id.
        :raises DealError: what is wrong with a line, with its number.
        """
        loaded: dict[str, None] = {}
        replay: _Replay | None = None
        with self._writing():
            for document in documents:
                if document.error:
                    raise DealError.of(document.place(document.error))
                try:
                    if isinstance(document.value, dict) and "night" in document.value:
                        replay = self._load_night(document.value)
                        loaded[replay.night] = None
                    elif replay is None:
                        raise DealError("no_night", "a line of a night must come first; send an export as it is")
                    else:
                        self._load_action(replay, document.value)
                except ChinesePokerError as error:
                    raise type(error).of(document.place(error)) from None
            if not loaded:
                raise DealError("empty_input", "there is no night in it; send an export as it is")
            return [self._within(name) for name in loaded]

    def _load_night(self, value: Mapping[str, Any]) -> _Replay:
        line = _line_of(_NIGHT_LINE, value["night"]) if len(value) == 1 else None
        if line is None:
            raise DealError("unknown_key", "a line of a night holds nothing else; send an export as it is")
        rules = kept_rules(line["rules"])
        if line["unit"] is not None:
            read_unit(line["unit"])
        name, text = line["id"], wire.dumps(line["rules"]).decode()
        values = {key: line[key] for key in ("title", "unit", "currency", "created")}
        kept = self._rows(f"{_NIGHTS} WHERE id = ?", name)
        if not kept:
            self._insert("night", id=name, rules=text, **values)
            self._name_players(name, line["players"])
        elif kept[0] != (name, *values.values(), text) or self._named_in(name) != line["players"]:
            raise _differs(name)
        return _Replay(name, rules, self._version(name))

    def _load_action(self, replay: _Replay, value: Any) -> None:  # noqa: ANN401
        line = _line_of(_ACTION_LINE, value)
        replay.follow(line)
        texts = {key: wire.dumps(line[key]).decode() for key in ("deal", "result") if key in line}
        given = Action(
            line["version"],
            line["kind"],
            line["number"],
            line["recorded"],
            texts.get("deal"),
            texts.get("result"),
            line.get("undoes"),
            line.get("key"),
        )
        if given.version <= replay.kept:
            (kept,) = self._actions("action WHERE night = ? AND version = ?", replay.night, given.version)
            if kept != given:
                raise _differs(replay.night)
            return
        if given.key and self._rows("SELECT 1 FROM action WHERE night = ? AND key = ?", replay.night, given.key):
            raise DealError("key_used", "an earlier line has that key", pointer="/key")
        self._insert("action", night=replay.night, **{key: line[key] for key in line.keys() - texts.keys()}, **texts)


_COLUMNS = "version, kind, number, recorded, deal, result, undoes, key"
_NIGHTS = "SELECT id, title, unit, currency, created, rules FROM night"


class _Replay:
    """What stands while the lines of a night are read: each must be able to follow those before."""

    def __init__(self, night: str, rules: RuleSet, kept: int) -> None:
        self.night = night
        self.rules = rules
        self.kept = kept
        self._version = self._highest = 0
        self._done: list[tuple[int, int]] = []

    def follow(self, line: _ActionLine) -> None:
        self._version += 1
        number, kind = line["number"], line["kind"]
        last_version, last_number = self._done[-1] if self._done else (0, 0)
        expected: Mapping[Kind, Mapping[str, Any]] = {
            "add": {"number": self._highest + 1},
            "correct": {},
            "undo": {"number": last_number, "undoes": last_version},
        }
        for key, value in {"version": self._version, **expected[kind]}.items():
            if line.get(key) != value:
                fault = f"{value} should stand here; send an export as it is"
                raise DealError("out_of_order", fault, pointer=f"/{key}")
        if kind == "undo":
            if not self._done or "deal" in line or "result" in line:
                raise DealError("out_of_order", "there is no deal to take back here; send an export as it is")
            self._done.pop()
            return
        if number not in (self._highest + 1 if kind == "add" else None, *(held for _, held in self._done)):
            raise DealError("out_of_order", f"deal {number} does not stand here", pointer="/number")
        if "deal" not in line or "result" not in line or "undoes" in line:
            raise DealError("missing_key", "a deal and its result belong here, and no undoes")
        self._check(line)
        self._highest = max(self._highest, number)
        self._done.append((self._version, number))

    def _check(self, line: _ActionLine) -> None:
        """The result is kept as it was written, whatever the present rules of this package make of the deal."""
        try:
            deal, _ = wire.read_deal(line["deal"], self.rules)
        except ChinesePokerError as error:
            raise error.at("/deal") from None
        try:
            result = _result_of(wire.dumps(line["result"]))
        except DealError as error:
            raise error.at("/result") from None
        except (ValidationError, RecursionError) as error:
            found = problems_of(error, {}, DealError) if isinstance(error, ValidationError) else None
            raise (found or DealError("bad_value", "it is no result")).at("/result") from None
        seats = [player["seat"] for player in result["players"]]
        named = [player.get("name") for player in result["players"]]
        fits = named == [player.name if player else None for player in deal.players] and seats == [*range(len(seats))]
        if not fits or sum([player["total"] for player in result["players"]]) != 0:
            raise DealError("bad_value", "it is no result of this deal; send an export as it is", pointer="/result")


_TOLD_OF_A_PLAYER = frozenset(("name", "foul", "natural"))


def _result_of(text: bytes | str) -> ResultDocument:
    """The result that a text is, without a user's own keys where JSON of them cannot be read strictly.

    :raises ValueError: it is none; or another error of what reads it.
    """
    try:
        result = _RESULT.validate_json(text)
    except ValidationError:
        if not isinstance(value := json.loads(text), dict):
            raise
        result = _RESULT.validate_json(wire.dumps(_without_user_keys(value)))
    for seat, player in enumerate(result["players"]):
        if "vacant" not in player and not player.keys() >= _TOLD_OF_A_PLAYER:
            raise DealError("missing_key", "a player has a name, foul and natural", pointer=f"/players/{seat}")
    return result


def _whole(action: Action) -> Action:
    """The action, if its deal and its result are what they are called.

    :raises ValueError: they are not; or another error of what reads them.
    """
    if action.deal_text is not None and action.result_text is not None:
        if not isinstance(json.loads(action.deal_text), dict):
            raise TypeError
        _result_of(action.result_text)
    return action


def _rules_of(text: str) -> RuleSet:
    return kept_rules(json.loads(text))


def _without_user_keys(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what may hold anything, on both its levels."""
    players = result.get("players")
    own = {key: value for key, value in result.items() if key[:1] != "_"}
    if isinstance(players, list) and all(isinstance(player, dict) for player in players):
        own["players"] = [{key: value for key, value in player.items() if key[:1] != "_"} for player in players]
    return own


def _line_of(adapter: TypeAdapter[Any], value: Any) -> Any:  # noqa: ANN401
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise problems_of(error, adapter.json_schema(), DealError) from None


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _unknown_deal(number: int | None) -> LedgerError:
    return LedgerError("unknown_deal", f"no deal {number} in this night; ledger show lists them")


def _changed(what: str) -> LedgerError:
    return LedgerError("changed_meanwhile", f"somebody else has changed {what}; look again")


def _differs(name: str) -> LedgerError:
    return LedgerError("night_differs", f"night {quote(name)} is there already and is another; delete it first")


def undone_document(done: Action, undone: Action) -> dict[str, Any]:
    """What :meth:`Ledger.undo` did, as JSON values."""
    return {"undone": undone.kind, "number": undone.number, "version": done.version}


def sums(deals: Iterable[Action]) -> Standings:
    """The standings of deals."""
    standings = Standings()
    for action in deals:
        standings.add_document(action.result)
    return standings


def night_document(night: Night, deals: Sequence[Action], changes: Mapping[int, int]) -> dict[str, Any]:
    """A night with its deals and standings, as JSON values for :func:`orjson.dumps`."""
    listed = [
        {
            "number": action.number,
            "version": action.version,
            "deal": _fragment(action.deal_text),
            "result": _fragment(action.result_text),
            "recorded": action.recorded,
            "history": changes[action.number],
        }
        for action in deals
    ]
    return {**night.document(), "deals": listed, "standings": standings_rows(sums(deals), night.unit)}


def csv_rows(night: Night, deals: Iterable[Action]) -> Iterator[tuple[str | int, ...]]:
    """One row a player, under :data:`CSV_HEADER`; texts that a spreadsheet would take for a formula are quoted."""
    for action in deals:
        for player in action.result["players"]:
            if "vacant" not in player:
                yield (
                    plain_cell(night.title or night.id),
                    action.number,
                    action.recorded,
                    player["seat"],
                    plain_cell(player["name"]),
                    player["total"],
                    "" if night.unit is None else f"{player['total'] * night.unit:f}",
                    ";".join(player.get("foul_reasons", ())),
                    player["natural"] or "",
                    *(_cards(player, segment) for segment in SEGMENTS),
                )


def _cards(player: Mapping[str, Any], segment: str) -> str:
    return str(player[segment]["cards"]) if segment in player else ""
