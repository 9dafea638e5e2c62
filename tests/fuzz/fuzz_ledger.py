"""Bytes as an export of a ledger: read back as it was, or refused with nothing changed."""

import io
from decimal import Decimal

import orjson
from commanding import NORTH, SOUTH, deal
from fuzzing import check_told, folder

from chinese_poker.documents import read_documents
from chinese_poker.errors import ChinesePokerError
from chinese_poker.ledger import Ledger, csv_rows, night_document
from chinese_poker.presets import load_rules

_FOLDER = folder()


def _ledger(name: str) -> Ledger:
    ledger = Ledger(_FOLDER / name)
    ledger._db.execute("PRAGMA synchronous = OFF")  # no input is worth a wait for the disk
    return ledger


def _night(rules: str, *, changes: bool) -> bytes:
    with _ledger(f"seed-{rules}-{changes}") as ledger:
        night = ledger.new(rules=load_rules(rules), title="Friday", unit=Decimal("0.25"), players=["Ann", "Bo"])
        ledger.add(night.id, deal(id=1, _mine={"a": 2**64}), key="k")
        if changes:
            ledger.add(night.id, {"players": [NORTH, None, {**SOUTH, "name": "=1"}, {"surrender": True}][:3]})
            ledger.correct(night.id, 1, deal({"name": "Ann", "_note": "\ud800"}))
            ledger.undo(night.id)
        return b"".join(ledger.export(night.id))


_KEPT = _night("basic", changes=True)
SEEDS = [
    _KEPT,
    _KEPT[: _KEPT.index(b"\n") + 1],
    _night("western", changes=False),
    b"".join(_KEPT.splitlines(keepends=True)[1:]),
    b'{"night": {"id": "x", "title": "", "rules": {"base": "basic"}, "unit": null, "currency": "", "players": [],'
    b' "created": "2020-02-30T99:00:00Z"}}\n{"version": 1, "kind": "undo", "number": 0, "recorded": ""}\n',
]
_HERE, _THERE = _ledger("here"), _ledger("there")


def _load(ledger: Ledger, data: bytes) -> list[str]:
    return [night.id for night in ledger.load(read_documents(io.BytesIO(data)))]


def _whole(ledger: Ledger) -> list[bytes]:
    return [b"".join(ledger.export(night.id)) for night in ledger.nights()]


_load(_HERE, _KEPT)
_BEFORE = _whole(_HERE)


def one(data: bytes) -> None:
    try:
        loaded = _load(_HERE, data)
    except ChinesePokerError as error:
        check_told(error)
        for problem in error.problems:
            assert 1 <= (problem.line or 1) <= data.count(b"\n") + 1, problem
        assert _whole(_HERE) == _BEFORE, "a refused import leaves the ledger as it was"
        return
    for name in loaded:
        _check(name)
    for name in loaded:
        _HERE.delete(name)
    _load(_HERE, _KEPT)
    assert _whole(_HERE) == _BEFORE


def _check(name: str) -> None:
    exported = b"".join(_HERE.export(name))
    assert _load(_HERE, exported) == [name]
    assert b"".join(_HERE.export(name)) == exported, "twice is once"
    assert _load(_THERE, exported) == [name]
    assert b"".join(_THERE.export(name)) == exported, "what is imported is exported and imported as the same"
    _THERE.delete(name)
    assert sum(standing.units for _, standing in _HERE.standings(name).by_player()) == 0
    night, deals, changes = _HERE.look(name)
    orjson.loads(orjson.dumps(night_document(night, deals, changes)))
    assert all(len(row) == 12 for row in csv_rows(night, deals))
    assert len(_HERE.history(name)) == night.version
    for action in deals:
        assert sum(player["total"] for player in action.result["players"]) == 0
