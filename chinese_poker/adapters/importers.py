"""Deals and hands written elsewhere, as documents: bridge deals in PBN, and plain text with a hand a line.

PBN is the Portable Bridge Notation 2.1 (https://www.tistis.nl/pbn/): of each game the tag ``Deal`` is read, with
``Board`` as the deal's id and ``North`` to ``West`` as the players' names. The hands are not set: name a strategy.

In plain text each line is a hand: 13 cards, or ``front | middle | back``, after a name and a colon if you like. Lines
that follow each other are the seats of a deal, and an empty line ends it. From ``#`` on a line is a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from ..arrangement import SEGMENTS, wrong_segments
from ..deal import SEAT_NAMES
from ..documents import MOST_BYTES, Document
from ..errors import ArrangementError, DealError
from ..texts import quote

_SUITS = "shdc"
_SEATS = "NESW"
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text in UTF-8, or in Latin-1 as PBN has it."""
    for number, line in enumerate(iter(lambda: stream.readline(MOST_BYTES), b""), start=1):
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = line.decode("latin-1")
        yield number, text.strip()


def read_pbn(stream: BinaryIO) -> Iterator[Document]:
    """The deals of a PBN file, each at the line of its ``Deal``.

    >>> import io
    >>> deal = "N:AKQJ.T98.765.432 T987.AKQ.JT9.876 65.J76.AKQ8.KQJT 432.5432.432.A95"
    >>> document = next(read_pbn(io.BytesIO(f'[Board "7"]\\n[Deal "{deal}"]\\n'.encode())))
    >>> document.line, document.value["id"], document.value["players"][3]["hand"]
    (2, '7', '4s 3s 2s 5h 4h 3h 2h 4d 3d 2d Ac 9c 5c')
    """
    tags: dict[str, tuple[int, str]] = {}
    comment, nothing = 0, True
    for number, line in _lines(stream):
        if line.startswith("%"):
            continue
        text, goes_on = _without_comments(line, comment > 0)
        comment = (comment or number) if goes_on else 0
        found = _TAG.findall(text)
        if not line or any(tag in tags for tag, _ in found if tag in ("Deal", "Board", "Event")):
            for document in _game(tags):
                nothing = False
                yield document
            tags = {}
        tags |= {tag: (number, value) for tag, value in found}
    for document in _game(tags):
        nothing = False
        yield document
    if comment:
        fault = "the comment that { begins here has no end, so nothing behind it was read; close it with }"
        yield Document(comment, "", error=DealError("open_comment", fault))
    elif nothing:
        fault = 'there is no deal here; a PBN file has lines as [Deal "N:AKQJ.T98.765.432 ..."]'
        yield Document(1, "", error=DealError("empty_input", fault))


def _without_comments(line: str, inside: bool) -> tuple[str, bool]:
    """What of a line is no comment, and whether a comment in braces goes on in the next one."""
    kept = ""
    for part in re.split(r'("(?:[^"\\]|\\.)*"|[{};])', line):
        if part == "}" and inside:
            inside = False
        elif part == "{":
            inside = True
        elif part == ";" and not inside:
            break
        elif not inside:
            kept += part
    return kept, inside


def _game(tags: dict[str, tuple[int, str]]) -> Iterator[Document]:
    if "Deal" not in tags:
        return
    line, text = tags["Deal"]
    try:
        hands = _hands(text)
    except DealError as error:
        yield Document(line, "", error=error)
        return
    players = [
        {"name": tags[name][1], "hand": hand} if tags.get(name, (0, ""))[1] else {"hand": hand}
        for name, hand in zip(SEAT_NAMES, hands, strict=True)
    ]
    identity = {"id": tags["Board"][1]} if tags.get("Board", (0, ""))[1] else {}
    yield Document(line, "", {**identity, "players": players})


def _hands(text: str) -> list[str]:
    """The hands of a PBN deal, from North on, as cards in our notation.

    :raises DealError: ``bad_pbn``.
    """
    first, colon, rest = text.partition(":")
    hands = rest.split()
    if not colon or first.upper() not in _SEATS or not first:
        raise DealError("bad_pbn", f"{quote(text)} begins with no seat; write N: (or E:, S:, W:) and four hands")
    if len(hands) != len(_SEATS):
        raise DealError("bad_pbn", f"{len(hands)} hands; a bridge deal has four")
    for hand in hands:
        if hand == "-":
            raise DealError("bad_pbn", "a hand is '-', not known; all four have to be there")
        if hand.count(".") != len(_SUITS) - 1:
            fault = f"{quote(hand)} has {hand.count('.') + 1} suits; write spades.hearts.diamonds.clubs"
            raise DealError("bad_pbn", fault)
    turn = _SEATS.index(first.upper())
    ours = [
        " ".join(rank + suit for suit, ranks in zip(_SUITS, hand.split("."), strict=True) for rank in ranks)
        for hand in hands
    ]
    return ours[-turn:] + ours[:-turn] if turn else ours


def read_text(stream: BinaryIO) -> Iterator[Document]:
    """The deals of a plain text, a hand a line; what is wrong with a hand is told by its line.

    >>> import io
    >>> text = "Ann: 2c3c4c5c6c7c8c9cTcJcQcKcAc\\nQd Qh 2d | 9s 9h 4d 4h 7s | As Ks Js 8s 3s\\n\\n"
    >>> [sorted(player) for player in next(read_text(io.BytesIO(text.encode()))).value["players"]]
    [['hand', 'name'], ['back', 'front', 'middle']]
    """
    held: list[tuple[int, dict[str, str] | ArrangementError]] = []
    nothing = True
    for number, entry in chain(_entries(stream), [(0, None)]):
        if entry is not None:
            held.append((number, entry))
        elif held:
            nothing = False
            yield _deal(held)
            held = []
    if nothing:
        yield _no_hands()


def read_hands(stream: BinaryIO) -> Iterator[Document]:
    """The hands of a plain text as documents for themselves; a name is the id.

    >>> import io
    >>> [document.value for document in read_hands(io.BytesIO(b"Ann: 2c3c4c5c6c7c8c9cTcJcQcKcAc"))]
    [{'id': 'Ann', 'hand': '2c3c4c5c6c7c8c9cTcJcQcKcAc'}]
    """
    nothing = True
    for number, entry in _entries(stream):
        if isinstance(entry, ArrangementError):
            yield Document(number, "", error=entry.at("", line=1))
        elif entry is not None:
            yield Document(number, "", {{"name": "id"}.get(key, key): text for key, text in entry.items()})
        nothing = nothing and entry is None
    if nothing:
        yield _no_hands()


def _no_hands() -> Document:
    return Document(1, "", error=DealError("empty_input", "there is no hand here; write 13 cards a line"))


def _entries(stream: BinaryIO) -> Iterator[tuple[int, dict[str, str] | ArrangementError | None]]:
    """Each numbered line as a player, what is wrong with it, or none where it is empty; comments are left out."""
    for number, line in _lines(stream):
        said = line.partition("#")[0].strip()
        if not line:
            yield number, None
        elif said:
            name, _, cards = said.rpartition(":")
            parts = cards.split("|")
            if len(parts) not in (1, len(SEGMENTS)):
                yield number, wrong_segments(len(parts))
                continue
            entry = (
                {"hand": cards.strip()}
                if len(parts) == 1
                else dict(zip(map(str, SEGMENTS), map(str.strip, parts), strict=True))
            )
            yield number, ({"name": name.strip()} if name.strip() else {}) | entry


def _deal(held: list[tuple[int, dict[str, str] | ArrangementError]]) -> Document:
    """The document of a deal whose text has each player at the line where the hand is."""
    first = held[0][0]
    text, at = '{"players": [', first
    for number, entry in held:
        if isinstance(entry, ArrangementError):
            return Document(number, "", error=entry.at("", line=1))
        text += ("," if number > first else "") + "\n" * (number - at) + json.dumps(entry)
        at = number
    return Document(first, text + "]}", {"players": [entry for _, entry in held]})
