"""Bytes as PBN, as plain text with a hand a line for a seat, and as plain text with a hand a line for itself."""

import io
import json
from collections.abc import Callable, Iterator
from typing import BinaryIO

from commanding import DRAGON, NORTH, SOUTH
from fuzzing import check_places, check_told

from chinese_poker.adapters.importers import read_hands, read_pbn, read_text
from chinese_poker.cards import DECK
from chinese_poker.documents import Document, loads
from chinese_poker.errors import ChinesePokerError
from chinese_poker.wire import read_deal, read_hand

_PBN = "N:AKQJ.T98.765.432 T987.AKQ.JT9.876 65.J76.AKQ8.KQJT 432.5432.432.A95"
_SET = [" | ".join(player[part] for part in ("front", "middle", "back")) for player in (NORTH, SOUTH)]
SEEDS = [
    f'% PBN 2.1\n[Event "x"]\n[Board "7"]\n[North "Ann"]\n[Deal "{_PBN}"]\n\n[Board "8"]\n[Deal "{_PBN}"]\n'.encode(),
    f'{{a comment\n[Deal "{_PBN}"] }}\n[Deal "W:{_PBN[2:]}"] ; [Deal "-"]\n[Board "a \\" b"]\n'.encode(),
    b'[South "Andr\xe9"]\r\n[Deal "E:AK. - ...98765 -"]\r\n[Event "#"]\r\n[Deal ""]\r\n',
    f"Ann: {_SET[0]}\nBo: {_SET[1]} # set\n\n{DRAGON}\n# nothing\nC\xe9: {DRAGON}\n".encode(),
    f"\ufeff:{_SET[0]}\n{_SET[1]}\n{_SET[0]} | As\nx: | |\n\n \n".encode(),
    b"",
]
_GOOD = {
    read_pbn: (f'[Board "good"]\n[Deal "{_PBN}"]\n', {"id": "good"}),
    read_text: (f"good: {_SET[0]}\n{_SET[1]}\n", {"name": "good"}),
    read_hands: (f"good: {DRAGON}\n", {"id": "good", "hand": DRAGON}),
}


def one(data: bytes) -> None:
    for read, (good, says) in _GOOD.items():
        documents = list(read(io.BytesIO(data)))
        assert documents, "what holds nothing is told"
        for document in documents:
            _check(read, document, data)
        last = list(read(io.BytesIO(data + b"\n\n" + good.encode())))[-1]
        if last.error is None:
            player = last.value if read is not read_text else last.value["players"][0]
            assert says.items() <= player.items(), "a good deal at the end is read"
        else:
            assert read is read_pbn, last
            assert last.error.code == "open_comment", "or what keeps it from being read is told"


def _check(read: Callable[[BinaryIO], Iterator[Document]], document: Document, data: bytes) -> None:
    lines = data.split(b"\n")
    assert 1 <= document.line <= len(lines)
    if document.error is not None:
        check_told(document.error)
        for problem in document.place(document.error):
            check_told(problem)
            assert 1 <= (problem.line or 0) <= len(lines), problem
        return
    assert loads(json.dumps(document.value)) == document.value
    assert loads(document.text or "null") in (None, document.value), "the text that lines are counted in is the value's"
    if read is read_pbn:
        assert b"Deal" in lines[document.line - 1]
    try:
        if read is read_hands:
            read_hand(document.value)
            return
        deal, _ = read_deal(document.value)
    except ChinesePokerError as error:
        check_told(error)
        check_places(document, error, last=len(lines))
        return
    cards = [card for player in deal.players if player for card in player.cards]
    assert len(set(cards)) == len(cards) == 13 * len(deal.players)
    if read is read_pbn:
        assert sorted(cards) == list(DECK)
