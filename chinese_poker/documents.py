"""Text into values: strict JSON, documents in a stream of bytes, and pydantic's complaints as our errors."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, BinaryIO, NoReturn

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import MOST_PROBLEMS, ChinesePokerError, DealError
from .texts import did_you_mean, quote

MOST_BYTES = 1 << 20
"""The longest line, and the longest document of several lines, that is read."""
MOST_NESTED = 100
"""The deepest brackets that are read."""

_BOM = b"\xef\xbb\xbf"
_WHITE = " \t\n\r"
_OPENING, _CLOSING = "[{", "]}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError  # here and below: where and what it is, _faults says
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite)
_skipper = json.JSONDecoder(parse_constant=str, parse_float=str, parse_int=str)


def loads(text: str) -> Any:  # noqa: ANN401  JSON is any value
    """Strict JSON: no repeated keys, no NaN, no endless number, no deep nesting, whole text.

    :raises DealError: ``bad_json``, ``cut_short`` or ``repeated_key``, with the line within the text.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    chinese_poker.errors.DealError: 1: /a: repeated_key: 'a' is there twice; keep one
    """
    if text.count("[") + text.count("{") > MOST_NESTED and max(_depths(text)) > MOST_NESTED:
        raise DealError("bad_json", "brackets nested too deep; a deal needs four levels", line=1)
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _syntax_error(error) from None
    except ValueError:
        raise next(_faults(text, _skip(text, 0))) from None


_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def _depths(text: str) -> list[int]:
    """How many brackets are open after each bracket and string of a text; it begins with none."""
    return list(accumulate((_STEPS.get(mark, 0) for mark in _MARK.findall(text)), initial=0))


def _syntax_error(error: json.JSONDecodeError) -> DealError:
    text = error.doc.rstrip(_WHITE)
    if error.pos >= len(text) or "Unterminated" in error.msg:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        return DealError("cut_short", f"it breaks off at column {column}; the rest is missing", line=line)
    what = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    fault = f"{what} at column {error.colno}; write JSON, one deal a line"
    return DealError("bad_json", fault, line=error.lineno)


def pointer_to(path: Iterable[str | int]) -> str:
    """The RFC 6901 JSON Pointer of a path.

    >>> pointer_to(["players", 1, "a/b"])
    '/players/1/a~1b'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _unescape(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _skip(text: str, at: int) -> int:
    while text[at] in _WHITE:
        at += 1
    return at


def _line_at(text: str, at: int) -> int:
    return text[:at].count("\n") + 1


def _members(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """The members of the object or array at ``at`` in valid JSON: key or index, its start, its value's start."""
    is_object = text[at] == "{"
    index, at = 0, _skip(text, at + 1)
    while text[at] not in _CLOSING:
        start, step = at, index
        key = None
        if is_object:
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        yield (step if key is None else key), start, at
        _, at = _skipper.raw_decode(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at
        index += 1


def _faults(text: str, at: int, path: tuple[str | int, ...] = ()) -> Iterator[DealError]:
    """The repeated keys and the numbers that are none of the value at ``at``, in the order of the text."""
    if text[at] in _OPENING:
        seen: set[str | int] = set()
        for step, start, value in _members(text, at):
            here = (*path, step)
            if step in seen:
                yield _fault_at(text, start, here, "repeated_key", f"{quote(str(step))} is there twice; keep one")
            seen.add(step)
            yield from _faults(text, value, here)
    elif text[at] != '"':
        number, _ = _skipper.raw_decode(text, at)
        if isinstance(number, str) and not _is_number(number):
            fault = f"{quote(number)} is no number here; write one of a few digits or leave it out"
            yield _fault_at(text, at, path, "bad_json", fault)


def _fault_at(text: str, at: int, path: Iterable[str | int], code: str, fault: str) -> DealError:
    return DealError(code, fault, pointer=pointer_to(path), line=_line_at(text, at))


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:  # a fraction, or more digits than are read
        return math.isfinite(float(text))
    return True


def line_of(text: str, pointer: str) -> int:
    """The 1-based line of valid JSON text on which a pointer's value, or the last part of it that exists, stands.

    >>> line_of('{\\n "a": [1,\\n  2]}', "/a/1")
    3
    """
    at = _skip(text, 0)
    if "\n" not in text.strip(_WHITE):  # the whole is on that line
        return _line_at(text, at)
    for step in pointer.split("/")[1:]:
        if text[at] not in _OPENING:
            break
        found = next((value for key, _, value in _members(text, at) if str(key) == _unescape(step)), None)
        if found is None:
            break
        at = found
    return _line_at(text, at)


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value out of a stream: where it starts, its text, and the value or the error it is."""

    line: int
    text: str = ""
    value: Any = None
    error: ChinesePokerError | None = None

    def place(self, error: ChinesePokerError) -> tuple[ChinesePokerError, ...]:
        """The problems of an error in this document, each with its line in the stream and a pointer that exists."""
        placed = []
        for problem in error.problems:
            pointer = problem.pointer if self.error else _existing(self.value, problem.pointer)
            line = self.line - 1 + (problem.line or (line_of(self.text, pointer) if self.text else 1))
            placed.append(type(problem)(problem.code, problem.message, pointer=pointer, line=line or None))
        return tuple(placed)


def _existing(value: Any, pointer: str) -> str:  # noqa: ANN401
    path = []
    for step in pointer.split("/")[1:]:
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and _unescape(step) in value:
            value = value[_unescape(step)]
        else:
            break
        path.append(step)
    return "".join("/" + step for step in path)


def read_documents(stream: BinaryIO) -> Iterator[Document]:
    """JSON Lines, or documents that run over several lines, out of bytes; in constant memory.

    Blank lines are skipped. A document that is not complete goes on in the next lines, up to one that begins with a
    brace where no JSON value may begin, indented no more than the first: there, the next document begins and the one
    before is bad. One that grows too long ends before a line that is a document by itself.

    >>> import io
    >>> [(document.line, document.value) for document in read_documents(io.BytesIO(b'{"a": 1}\\n\\n{"b":\\n2}\\n'))]
    [(1, {'a': 1}), (3, {'b': 2})]
    >>> [(document.line, document.value) for document in read_documents(io.BytesIO(b'{"a": [1}\\n{"b": 2}\\n'))]
    [(1, None), (2, {'b': 2})]
    """
    ahead: deque[_Line] = deque()
    lines = enumerate(_lines(stream), start=1)
    nothing = True
    while drawn := next(_drawn(ahead, lines), None):
        number, line = drawn
        if isinstance(line, str) and not line.strip(_WHITE):
            continue
        nothing = False
        document = _document(number, line)
        if document.error and isinstance(line, str) and _opened(line) > 0:
            documents, beyond = _over_lines((number, line), _drawn(ahead, lines))
            ahead.extendleft(reversed(beyond))
            yield from documents
        else:
            yield document
    if nothing:
        yield Document(1, error=DealError("empty_input", "there is nothing here; write a JSON object"))


_Line = tuple[int, str | ChinesePokerError]


def _drawn(ahead: deque[_Line], lines: Iterator[_Line]) -> Iterator[_Line]:
    while line := ahead.popleft() if ahead else next(lines, None):
        yield line


def _opened(line: str | ChinesePokerError) -> int:
    return _depths(line)[-1] if isinstance(line, str) else 0


def _document(number: int, line: str | ChinesePokerError) -> Document:
    if not isinstance(line, str):
        return Document(number, error=line)
    try:
        return Document(number, line, loads(line))
    except DealError as error:
        return Document(number, error=error)


def _over_lines(first: tuple[int, str], following: Iterator[_Line]) -> tuple[list[Document], list[_Line]]:
    """What the document that begins in a line is, or is as bad, and the lines drawn beyond its end."""

    def begins(text: str) -> bool:
        return text.lstrip().startswith("{") and len(text) - len(text.lstrip()) <= indent

    def is_whole(drawn: _Line) -> bool:
        return isinstance(drawn[1], str) and begins(drawn[1]) and not _document(*drawn).error

    indent = len(first[1]) - len(first[1].lstrip())
    lines: list[_Line] = []
    beyond: list[_Line] = []
    depth = size = again = 0
    last = ""
    for number, line in chain([first], following):
        text = line if isinstance(line, str) else "\n"
        if depth and begins(text):
            again = again or len(lines)
            may_go_on = depth <= MOST_NESTED and last.endswith(("[", ",", ":"))
            if not may_go_on or (size > MOST_BYTES and is_whole((number, line))):
                beyond = [(number, line)]
                break
        grown = size <= MOST_BYTES < size + len(text)
        if grown and again and any(map(is_whole, [*lines, (number, line)][again:])):
            beyond = [(number, line)]
            break
        size += len(text)
        if size <= MOST_BYTES:
            lines.append((number, line))
        last = text.rstrip() or last
        depth += _opened(line)
        if depth <= 0:
            break
    if size > MOST_BYTES:
        fault = f"more than {MOST_BYTES:,} bytes in one document; write one deal a line"
        return [Document(first[0], error=DealError("too_long", fault))], beyond
    if depth > 0 and again:
        lines, beyond = lines[:again], lines[again:] + beyond
    faults = [_document(number, line) for number, line in lines if not isinstance(line, str)]
    if faults and depth <= 0:
        return faults, beyond
    whole = "".join([line if isinstance(line, str) else "\n" for _, line in lines])
    return [*faults, _document(first[0], whole)], beyond


def _lines(stream: BinaryIO) -> Iterator[str | ChinesePokerError]:
    """The lines of a stream as text, each with its end; one that cannot be read as the error that it is."""
    utf16 = DealError("not_utf8", "the text is UTF-16; save it as UTF-8")
    first = True
    while line := stream.readline(MOST_BYTES + 1):
        if first:
            if line.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in line[:4]:
                yield utf16
                return
            first = False
            if line.startswith(_BOM):
                line = line.removeprefix(_BOM)
                if not line.endswith(b"\n"):
                    line += stream.readline(MOST_BYTES + 1 - len(line))
            if not line:
                return
        if len(line) > MOST_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MOST_BYTES)
            yield DealError("too_long", f"more than {MOST_BYTES:,} bytes in one line; write one deal a line")
            continue
        try:
            yield decoded(line)
        except DealError as error:
            yield error


def decoded(line: bytes) -> str:
    """A line as text.

    :raises DealError: ``not_utf8``.
    """
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        fault = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8; save the text as UTF-8"
        raise DealError("not_utf8", fault) from None


def problems_of(error: ValidationError, schema: Mapping[str, Any], kind: type[ChinesePokerError]) -> ChinesePokerError:
    """pydantic's complaints as one of our errors; the schema tells which keys are known at a place."""
    problems: list[ChinesePokerError] = []
    for complaint in error.errors(include_url=False)[:MOST_PROBLEMS]:
        path = [step for step in complaint["loc"] if step != "[key]"]
        ours = complaint.get("ctx", {}).get("error")
        if isinstance(ours, ChinesePokerError):
            problems.extend(problem.at(pointer_to(path)) for problem in ours.problems)
        else:
            code, fault = _fault(complaint, path, schema)
            problems.append(kind(code, fault, pointer=pointer_to(path)))
    return kind.of(problems)


_REMEDIES = {
    "list_type": "write a list",
    "tuple_type": "write a list",
    "dict_type": "write an object",
    "bool_type": "write true or false",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "string_type": "write a text in quotes",
    "string_unicode": "a key holds half a character; leave it out",
}


def _fault(complaint: ErrorDetails, path: list[str | int], schema: Mapping[str, Any]) -> tuple[str, str]:
    kind = complaint["type"]
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return "unknown_key", unknown_key(str(path[-1]), _known_keys(path[:-1], schema))
    if kind == "missing":
        return "missing_key", f"{quote(str(path[-1]))} is missing; write it"
    fault = _REMEDIES.get(kind) or complaint["msg"].replace("Input should be ", "write ")
    if kind in ("literal_error", "enum") and isinstance(word := complaint["input"], str):
        hint = did_you_mean(word, re.findall("'(.+?)'", fault))
        fault = f"{quote(word)} is not known{hint} {fault}"
    return "bad_value", fault


def unknown_key(key: str, known: Iterable[str]) -> str:
    """What to say of a key that is not known.

    >>> unknown_key("fornt", ["front", "back"])
    "'fornt' is no key here, did you mean 'front'? known: front, back"
    """
    names = list(known)
    told = f"{did_you_mean(key, names)} known: {', '.join(names)}" if names else "; leave it out"
    return f"{quote(key)} is no key here{told}"


def _known_keys(path: Iterable[str | int], schema: Mapping[str, Any]) -> list[str]:
    at: Any = schema
    for step in path:
        at = _resolved(at, schema)
        at = at.get("items", {}) if isinstance(step, int) else at.get("properties", {}).get(step, {})
    return list(_resolved(at, schema).get("properties", {}))


def _resolved(at: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = at.get("$ref")
    return schema["$defs"][reference.rsplit("/", 1)[1]] if reference else at
