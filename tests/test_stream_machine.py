"""A stream of deals that grows by good and bad lines, held against a plain model of what is read and what is refused.

The model keeps, as the lines are written, which of them give which results and which errors. Only one thing needs
thought: a document that breaks off takes the lines behind it, up to the next with a brace, and is one error.
"""

import io
import json
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from commanding import DRAGON, deal, lines
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from machines import tried
from referee import SEGMENTS
from referee import score as referee_score

from chinese_poker import DECK, documents
from chinese_poker.cli import cli
from chinese_poker.documents import read_documents

MOST_BYTES = 3_000
"""In place of a megabyte, so that lines which are too long are written quickly."""
RULES = ("basic", "western", "mandarin", "taiwan", "us-1-6")
CUT = {"cut_short", "bad_json"}
COMPACT = json.dumps(deal()).encode()
PRETTY = json.dumps(deal(), indent=2).encode().split(b"\n")

BAD_BRACES = {
    b'{"players": [],}': "bad_json",
    b"{'players': []}": "bad_json",
    b"{} {}": "bad_json",
    b'{"players": \0}': "bad_json",
    b'{"_mine": NaN}': "bad_json",
    b'{"id": 1, "id": 1}': "repeated_key",
}
"""Lines that begin with a brace and are no JSON, and what is said of them."""
BAD_WORDS = {
    b"nonsense": "bad_json",
    "\ufeff陳".encode(): "bad_json",
    b"7": "bad_value",
    b"null": "bad_value",
    b'"deal"': "bad_value",
    b"[]": "bad_value",
    b'"half a text': "cut_short",
}
"""The same of lines that begin otherwise: what has broken off before them takes them as its own."""
BAD_BYTES = (b"\xff", b'{"players": "\xe9"}', "陳".encode()[:2], b'{"players": [\xc0\x80')
BAD_DEALS = (
    ({"players": []}, "too_few_players"),
    ({"players": [None] * 5}, "too_many_players"),
    (deal(north=7), "bad_value"),
    (deal(plyers=[]), "unknown_key"),
    (deal({"front": "QhQd"}), "wrong_count"),
    (deal({"front": "QhQdQh"}), "duplicate_card"),
    (deal({"front": "QhQd1s"}), "unknown_card"),
    (deal(rules="westren"), "unknown_rules"),
    (deal({"declare": "dragon"}), "natural_not_held"),
    (deal(banker=0), "no_banker"),
)
"""Documents that are no deals, and what is said of them."""


@cache
def shuffled(seed: int) -> list[dict[str, Any]]:
    """Players who set their cards as they come, most of them foul; one in five declares a dragon."""
    lot = Random(seed)
    deck = [str(card) for card in DECK]
    lot.shuffle(deck)
    players: list[dict[str, Any]] = []
    if lot.random() < 0.2:
        dragon = [DRAGON[i : i + 2] for i in range(0, 26, 2)]
        deck = [card for card in deck if card not in dragon]
        players.append({"hand": dragon, "declare": "dragon"})
    for seat in range(lot.randint(2, 4) - len(players)):
        hand = deck[13 * seat :][:13]
        players.append(dict(zip(SEGMENTS, (hand[:3], hand[3:8], hand[8:]), strict=True)))
    return players


@dataclass
class Refused:
    """An error that is to come: its code is one of these, its line is one of those."""

    codes: set[str]
    first: int
    last: int

    def is_told_by(self, line: int | None, code: str) -> bool:
        return code in self.codes and self.first <= (line or 0) <= self.last


class Pieces(io.RawIOBase):
    """Bytes that come in pieces of the given sizes, over and over."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data = data
        self.sizes = sizes
        self.at = self.reads = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(self.sizes[self.reads % len(self.sizes)], len(buffer))
        piece = self.data[self.at : self.at + size]
        buffer[: len(piece)] = piece
        self.at, self.reads = self.at + len(piece), self.reads + 1
        return len(piece)


class Stream(RuleBasedStateMachine):
    """The reader, and the command ``score``, against what the lines were written to be."""

    def __init__(self) -> None:
        super().__init__()
        documents.MOST_BYTES, self.usual = MOST_BYTES, documents.MOST_BYTES
        self.data = b""
        self.line = 1
        """The line that is written next."""
        self.values: list[tuple[int, Any]] = []
        """Documents that are read, with the line on which each begins."""
        self.results: list[tuple[str, list[int]]] = []
        """Rules and totals of those that are scored."""
        self.refused: list[Refused] = []
        """Of lines that are no documents."""
        self.wrong: list[Refused] = []
        """Of documents that are no deals."""
        self.open: Refused | None = None
        """What has broken off, and takes the lines behind it."""
        self.end = b"\n"

    def teardown(self) -> None:
        try:
            self.scored_by_the_command()
        finally:
            documents.MOST_BYTES = self.usual

    def put(self, text: bytes) -> int:
        """Write a line, and tell its number."""
        self.data += text + self.end
        self.last_is_long = len(text + self.end) > MOST_BYTES
        self.line += 1
        return self.line - 1

    def refuse(self, codes: set[str], text: bytes) -> Refused:
        """Write a line that is an error of its own."""
        line = self.put(text)
        self.refused.append(Refused(codes, line, line))
        return self.refused[-1]

    def refuse_unreadable(self, code: str, text: bytes) -> None:
        """Write a line that is not even text: also told where it is in something that has broken off."""
        if self.open:
            self.open.last = self.line
        if self.open and self.open.codes == {"too_long"}:
            self.put(text)
        else:
            self.refuse({code}, text)

    def put_document(self, value: Any, indent: int | None) -> int:
        """Write a document of one line or several, and tell where it begins."""
        self.open = None
        first = self.line
        for text in json.dumps(value, indent=indent, ensure_ascii=bool(indent)).split("\n"):
            self.put(text.encode())
        self.values.append((first, value))
        return first

    @initialize(bom=st.booleans())
    def begin(self, bom: bool) -> None:
        self.data = b"\xef\xbb\xbf" * bom

    @rule(end=st.sampled_from([b"\n", b"\r\n"]))
    def end_lines_with(self, end: bytes) -> None:
        self.end = end

    @rule(
        seed=st.integers(0, 30),
        rules=st.sampled_from([None, *RULES]),
        name=st.sampled_from(["Ann", "陳大文", "İıŞ", "{[", '"\\', "\u00a0"]),
        indent=st.sampled_from([None, None, 2]),
    )
    def good_deal(self, seed: int, rules: str | None, name: str, indent: int | None) -> None:
        players = shuffled(seed)
        house = {} if rules is None else {"rules": rules}
        named = [{"name": f"{name}{seat}", **player} for seat, player in enumerate(players)]
        self.put_document({"id": len(self.values), **house, "players": named, "_mine": name}, indent)
        totals, _ = referee_score(players, rules or "basic")
        self.results.append((rules or "basic", totals))

    @rule(bad=st.sampled_from(BAD_DEALS), indent=st.sampled_from([None, None, 2]))
    def bad_deal(self, bad: tuple[Any, str], indent: int | None) -> None:
        value, code = bad
        first = self.put_document(value, indent)
        self.wrong.append(Refused({code}, first, self.line - 1))

    @rule(text=st.sampled_from([b"", b"", b" ", b"\t \t"]))
    def blank_line(self, text: bytes) -> None:
        line = self.put(text)
        if self.open:
            self.open.last = line

    @rule(bad=st.sampled_from(sorted(BAD_BRACES.items())))
    def bad_line(self, bad: tuple[bytes, str]) -> None:
        self.open = None
        self.refuse({bad[1]}, bad[0])

    @rule(bad=st.sampled_from(sorted(BAD_WORDS.items())))
    def bad_word(self, bad: tuple[bytes, str]) -> None:
        text, code = bad
        if self.open:
            self.open.last = self.put(text)
        elif code == "bad_value":
            line = self.put(text)
            self.values.append((line, json.loads(text)))
            self.wrong.append(Refused({code}, line, line))
        else:
            self.refuse({code}, text)

    @rule(text=st.sampled_from(BAD_BYTES))
    def bad_bytes(self, text: bytes) -> None:
        self.refuse_unreadable("not_utf8", text)

    @rule(more=st.integers(-1, 1), text=st.sampled_from([deal(), {"players": 7}]))
    def line_of_the_greatest_length(self, more: int, text: Any) -> None:
        """One byte less than may be, as much as may be, one byte more; its end counts."""
        whole = json.dumps({**text, "_": ""}).encode()
        size = MOST_BYTES + more - len(self.end)
        is_long = more > 0
        value = {**text, "_": "x" * (size - len(whole))}
        if is_long:
            self.refuse_unreadable("too_long", json.dumps(value).encode())
        elif text == {"players": 7}:
            self.wrong.append(Refused({"bad_value"}, *[self.put_document(value, None)] * 2))
        else:
            self.put_document(value, None)
            self.results.append(("basic", [2, -2]))

    @rule(size=st.sampled_from([MOST_BYTES, 10 * MOST_BYTES]))
    def line_that_is_much_too_long(self, size: int) -> None:
        self.refuse_unreadable("too_long", b'{"players": ' * (size // 10))

    @rule(at=st.integers(1, len(COMPACT) - 1))
    def line_that_breaks_off(self, at: int) -> None:
        self.open = None
        self.open = self.refuse(CUT, COMPACT[:at])

    @rule(left_out=st.integers(1, len(PRETTY) - 1))
    def lines_that_break_off(self, left_out: int) -> None:
        first, *rest = PRETTY[:-left_out]
        self.open = None
        self.open = self.refuse(CUT, first)
        for text in rest:
            self.open.last = self.put(text)

    @rule()
    def bracket_that_is_never_closed(self) -> None:
        if self.open:
            self.open.last = self.put(b"[1, 2")
        else:
            self.open = self.refuse(CUT, b"[1, 2")

    @rule(closes=st.booleans())
    def document_that_is_too_long(self, closes: bool) -> None:
        if self.open:  # which might go on with a list
            self.wrong.append(Refused({"missing_key"}, *[self.put_document({}, None)] * 2))
        told = self.refuse({"too_long"}, b'{"_": [')
        for _ in range(4):
            self.put(b"1" * (MOST_BYTES // 3))
        if closes:
            self.put(b"]}")
        else:
            self.open = told

    @rule(at=st.sampled_from([number for number, text in enumerate(PRETTY) if b'": "' in text]))
    def document_with_a_line_of_bad_bytes(self, at: int) -> None:
        """Whole but for it: the line is what is said."""
        self.open = None
        for number, text in enumerate(PRETTY):
            if number == at:
                self.refuse({"not_utf8"}, b'      "\xe9": 1,')
            else:
                self.put(text)

    @precondition(lambda self: self.line > 1)
    @rule(sizes=st.lists(st.integers(1, 40) | st.just(100_000), min_size=1, max_size=5), ended=st.booleans())
    def read_in_pieces(self, sizes: list[int], ended: bool) -> None:
        """All that is there so far; the last line need not have an end, if that is not what makes it too long."""
        data = self.data if ended or self.last_is_long else self.data.removesuffix(self.end)
        found = list(read_documents(io.BufferedReader(Pieces(data, sizes), 1 + sizes[0] % 64)))
        read = [(document.line, document.value) for document in found if not document.error]
        assert read == self.values
        told = [
            (problem.line, problem.code)
            for document in found
            if document.error
            for problem in document.place(document.error)
        ]
        self.check_told(told, self.refused)

    def check_told(self, told: list[tuple[int | None, str]], refused: list[Refused]) -> None:
        if not self.values and not refused:
            assert told == [(1, "empty_input")]
            return
        assert len(told) == len(refused), (told, refused)
        left = list(told)
        for expected in sorted(refused, key=lambda each: each.last - each.first):
            left.remove(next(each for each in left if expected.is_told_by(*each)))

    def scored_by_the_command(self) -> None:
        done = CliRunner().invoke(cli, ["score", "-", "--json", "--errors", "json"], input=self.data)
        results = lines(done.stdout_bytes)
        found = [(result["rules"], [player["total"] for player in result["players"]]) for result in results]
        assert found == self.results
        told = [(error["line"], error["code"]) for error in lines(done.stderr_bytes)]
        first_of_each = {line: (line, code) for line, code in reversed(told)}
        refused = self.refused + self.wrong
        self.check_told(told if len(told) == len(refused) else [*first_of_each.values()], refused)
        assert done.exit_code == int(bool(told))


TestStream = Stream.TestCase
TestStream.settings = tried(40, 25)


@pytest.mark.parametrize("more", [0, 10], ids=["as the line comes", "before"])
def test_what_grows_too_long_takes_no_good_line_with_it(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    """It has broken off where a value may follow, so only its length says that the good line is none of its values."""
    monkeypatch.setattr(documents, "MOST_BYTES", MOST_BYTES)
    text = b'{"_": [' + b"\n1111111," * ((MOST_BYTES - 150) // 9 + 20 * more)
    found = list(read_documents(io.BytesIO(text + b"\n" + (COMPACT + b"\n") * 3)))
    assert [document.value for document in found if not document.error] == [json.loads(COMPACT)] * 3
    assert [document.error.code for document in found if document.error] == ["too_long" if more else "cut_short"]


def test_several_that_break_off_before_a_long_line_are_each_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", MOST_BYTES)
    long = json.dumps({"_": "x" * (MOST_BYTES - 20)}).encode()
    found = list(read_documents(io.BytesIO(b'{"a": [1,\n{"b":\n{"c": [\n' + long + b"\n" + COMPACT)))
    assert [document.line for document in found if document.error] == [1, 2, 3]
    assert [document.value for document in found[3:]] == [json.loads(long), json.loads(COMPACT)]


@pytest.mark.parametrize("size", [MOST_BYTES, MOST_BYTES + 1])
def test_a_byte_order_mark_does_not_count(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", MOST_BYTES)
    text = json.dumps({"_": "x" * (size - len('{"_": ""}') - 1)}).encode()
    first, second = read_documents(io.BytesIO(b"\xef\xbb\xbf" + text + b"\n" + COMPACT))
    assert (first.line, first.error and first.error.code) == (1, "too_long" if size > MOST_BYTES else None)
    assert (second.line, second.value) == (2, json.loads(COMPACT))
