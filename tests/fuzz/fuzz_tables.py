"""Bytes as a table of deals, CSV, Arrow or Parquet by how they begin, read as documents and settled in arrays."""

import json
from pathlib import Path

from commanding import NORTH, SOUTH
from fuzzing import check_told, folder
from settling import check_sums

from chinese_poker.adapters.tablefiles import read_documents, read_table, write_table
from chinese_poker.adapters.tables import deal_documents, deal_table, settle_table
from chinese_poker.documents import loads
from chinese_poker.errors import ChinesePokerError
from chinese_poker.presets import load_rules
from chinese_poker.score import score
from chinese_poker.wire import read_deal

_FOLDER = folder()
_BASIC = load_rules("basic")
_HEAD = "deal,seat,name,front,middle,back,hand,declare,surrender,banker,rules,_mine"
_KEYS = ("name", "front", "middle", "back")


def _row(deal: object, seat: int, player: dict[str, str], rest: str = ",,,,,") -> str:
    return f"{deal},{seat},{','.join(player[key] for key in _KEYS)},{rest}\n"


_TABLE = f"{_HEAD}\n{_row(1, 0, NORTH)}{_row(1, 1, SOUTH)}"
_GOOD = "".join(_row("the last", seat, player) for seat, player in enumerate((NORTH, SOUTH)))


def _binary(suffix: str) -> bytes:
    deal, _ = read_deal({"players": [NORTH, SOUTH]})
    path = _FOLDER / f"seed{suffix}"
    write_table(deal_table([(7, deal, "basic")]), path)
    return path.read_bytes()


SEEDS = [
    _TABLE.encode(),
    f"{_TABLE}{_row('x', 0, NORTH, ',dragon,true,2,western,=1')}\n,,,\n{_row(2, 4, SOUTH)}".encode(),
    f'deal,hand,surrender\n1,"2c 3c,4c",\n1,,yes\n"a\nb",{"2s3s4d5c6d7c8c9cTsJhQdKcAs"},0\n'.encode(),
    "\ufeffdeal,seat,front,middle,back\r\n-1,1,10h A♠ 🂡,,\r\n1e3,0.5,,,\r\n".encode(),
    b"deal,hand,hand\n",
    b"\xff\xfed\0e\0",
    _binary(".arrow"),
    _binary(".parquet"),
]


def one(data: bytes) -> None:
    suffix = ".arrow" if data.startswith(b"ARROW1") else ".parquet" if data.startswith(b"PAR1") else ".csv"
    path = _FOLDER / f"table{suffix}"
    path.write_bytes(data)
    lines = data.count(b"\n") + data.count(b"\r") + 1 if suffix == ".csv" else None
    try:
        documents = list(read_documents(path))
    except ChinesePokerError as error:
        check_told(error)
        return
    for document in documents:
        assert document.line >= 1
        assert lines is None or document.line <= lines
        if document.error:
            check_told(document.error)
            check_told(document.place(document.error)[0])
        else:
            assert loads(json.dumps(document.value)) == document.value
    _check_settled(path)
    if data.startswith(f"{_HEAD}\n".encode()) and b'"' not in data and b"the last" not in data:
        path.write_bytes(data + b"\n" + _GOOD.encode())
        values = [document.value for document in read_documents(path) if document.error is None]
        assert ("the last", 2) in [(value["id"], len(value["players"])) for value in values], "a good deal is read"


def _check_settled(path: Path) -> None:
    """Arrays and the core say the same of each deal."""
    table = read_table(path).table
    settled = settle_table(table, _BASIC)
    names, seats, totals = (settled.scores[column].to_pylist() for column in ("deal", "seat", "total"))
    rows = list(zip(names, seats, totals, strict=True))
    refused = {names[row] for row, _ in settled.problems}
    for _, problem in settled.problems:
        check_told(problem)
    for row, value in deal_documents(table):
        try:
            if isinstance(value, ChinesePokerError):
                raise value
            deal, _ = read_deal(value, _BASIC)
            result = score(deal, _BASIC)
        except ChinesePokerError as error:
            check_told(error)
            fails = True
        else:
            fails = False
            check_sums(result)
        assert fails == (names[row] in refused)
        if fails:
            continue
        for name, seat, total in rows:
            if name == names[row]:
                assert total == result.totals[seat]
