"""Text into values: strict JSON, documents in a stream of bytes, and pydantic's complaints as our errors."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, BinaryIO, NoReturn

from pydantic import ValidationError

from .cards import quote
from .errors import ChinesePokerError, DealError

MOST_BYTES = 1 << 20
"""The longest line, and the longest document of several lines, that is read."""

_BOM = b"\xef\xbb\xbf"
_WHITE = " \t\n\r"


class _RepeatedKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RepeatedKeyError
    return value


def _constant(name: str) -> NoReturn:
    raise DealError("bad_json", f"{quote(name)} is no number here; write a number or leave it out")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _constant(text)


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite)
_skipper = json.JSONDecoder()


def loads(text: str) -> Any:  # noqa: ANN401  JSON is any value
    """Strict JSON: no repeated keys, no NaN, whole text.

    :raises DealError: ``bad_json`` or ``repeated_key``, with the line within the text.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    chinese_poker.errors.DealError: 1: /a: repeated_key: 'a' is there twice; keep one
    """
    try:
        return _decoder.decode(text)
    except _RepeatedKeyError:
        pointer, line = next(_repeated_keys(text))
        key = quote(_unescape(pointer.rsplit("/", 1)[1]))
        raise DealError("repeated_key", f"{key} is there twice; keep one", pointer=pointer, line=line) from None
    except json.JSONDecodeError as error:
        raise _syntax_error(error) from None
    except RecursionError:
        raise DealError("bad_json", "brackets nested too deep; a deal needs four levels") from None
    except ChinesePokerError:
        raise
    except ValueError:
        raise DealError("bad_json", "a number is too long; no figure of a deal has more than 7 digits") from None


def _syntax_error(error: json.JSONDecodeError) -> DealError:
    if not error.doc[error.pos :].strip(_WHITE) or "Unterminated" in error.msg:
        return DealError("cut_short", f"it breaks off at column {error.colno}; the rest is missing", line=error.lineno)
    fault = f"{error.msg[0].lower()}{error.msg[1:]} at column {error.colno}; write JSON, one deal a line"
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
    while at < len(text) and text[at] in _WHITE:
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """The members of the object or array at ``at`` in valid JSON: key or index, its start, its value's start."""
    is_object = text[at] == "{"
    index, at = 0, _skip(text, at + 1)
    while text[at] not in "]}":
        start, step = at, index
        key = None
        if is_object:
            key, at = scanstring(text, at + 1, True)
            at = _skip(text, _skip(text, at) + 1)
        yield (step if key is None else key), start, at
        _, at = _skipper.raw_decode(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at
        index += 1


def _repeated_keys(text: str, at: int | None = None, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, int]]:
    at = _skip(text, 0) if at is None else at
    if text[at] in "{[":
        seen: set[str | int] = set()
        for step, start, value in _members(text, at):
            if step in seen:
                yield pointer_to((*path, step)), text.count("\n", 0, start) + 1
            seen.add(step)
            yield from _repeated_keys(text, value, (*path, step))


def line_of(text: str, pointer: str) -> int:
    """The 1-based line of valid JSON text on which a pointer's value, or the last part of it that exists, stands.

    >>> line_of('{\\n "a": [1,\\n  2]}', "/a/1")
    3
    """
    at = _skip(text, 0)
    for step in pointer.split("/")[1:]:
        if text[at] not in "{[":
            break
        found = next((value for key, _, value in _members(text, at) if str(key) == _unescape(step)), None)
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value out of a stream: where it starts, its text, and the value or the error it is."""

    line: int
    text: str
    value: Any = None
    error: ChinesePokerError | None = None

    def place(self, error: ChinesePokerError) -> tuple[ChinesePokerError, ...]:
        """The problems of an error in this document, each with its line in the stream and a pointer that exists."""
        placed = []
        for problem in error.problems:
            pointer = _existing(self.value, problem.pointer)
            line = self.line - 1 + (problem.line or line_of(self.text, pointer) if self.text else 1)
            placed.append(type(problem)(problem.code, problem.message, pointer=pointer, line=line))
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

    Blank lines are skipped. Where the first line is cut short, the text of at most a megabyte is read as documents that
    run over several lines; if it is none, each line is a document of its own again, and a bad one is one error.

    >>> import io
    >>> [(document.line, document.value) for document in read_documents(io.BytesIO(b'{"a": 1}\\n\\n{"b":\\n2}\\n'))]
    [(1, {'a': 1}), (3, None), (4, None)]
    >>> [(document.line, document.value) for document in read_documents(io.BytesIO(b'{"a":\\n1}\\n{"b": 2}\\n'))]
    [(1, {'a': 1}), (3, {'b': 2})]
    """
    lines = enumerate(_lines(stream), start=1)
    head = [next(((number, line) for number, line in lines if _says_something(line)), (1, ""))]
    number, line = head[0]
    if not line:
        yield Document(1, "", error=DealError("empty_input", "there is nothing here; write a JSON object"))
        return
    first = _document(number, line)
    if first.error and first.error.code == "cut_short":
        size = 0
        for each in lines:
            head.append(each)
            size += len(each[1]) if isinstance(each[1], str) else MOST_BYTES
            if size > MOST_BYTES:
                break
        else:
            yield from _over_lines(number, [line for _, line in head])
            return
    for number, line in chain(head, lines):
        if _says_something(line):
            yield _document(number, line)


def _says_something(line: str | ChinesePokerError) -> bool:
    return not isinstance(line, str) or bool(line.strip(_WHITE))


def _document(number: int, line: str | ChinesePokerError) -> Document:
    if not isinstance(line, str):
        return Document(number, "", error=line)
    try:
        return Document(number, line, loads(line))
    except DealError as error:
        return Document(number, "", error=error)


def _over_lines(number: int, lines: list[str | ChinesePokerError]) -> Iterator[Document]:
    """A whole text as documents that run over several lines; if it is none, as one a line."""
    whole = "".join(line if isinstance(line, str) else "\n" for line in lines)
    found, at = [], 0
    while at < len(whole):
        line = number + whole.count("\n", 0, at)
        try:
            _, end = _skipper.raw_decode(whole, at)
            found.append(_document(line, whole[at:end]))
        except (ValueError, RecursionError):
            if any(isinstance(text, ChinesePokerError) or _stands_alone(text) for text in lines[1:]):
                each = enumerate(lines, start=number)
                found = [_document(i, text) for i, text in each if _says_something(text)]
            else:
                found.append(_document(line, whole[at:]))
            break
        at = _skip(whole, end)
    yield from found


def _stands_alone(line: str) -> bool:
    return line.startswith("{") and _document(0, line).error is None


def _lines(stream: BinaryIO) -> Iterator[str | ChinesePokerError]:
    """The lines of a stream as text, each with its end; one that cannot be read as the error that it is."""
    utf16 = DealError("not_utf8", "the text is UTF-16; save it as UTF-8")
    first = True
    while line := stream.readline(MOST_BYTES + 1):
        if first:
            if line.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in line[:4]:
                yield utf16
                return
            line = line.removeprefix(_BOM)
            first = False
            if not line:
                return
        if len(line) > MOST_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MOST_BYTES)
            yield DealError("too_long", f"more than {MOST_BYTES:,} bytes in one line; write one deal a line")
            continue
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            fault = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8; save the text as UTF-8"
            yield DealError("not_utf8", fault)


def problems_of(error: ValidationError, schema: Mapping[str, Any], kind: type[ChinesePokerError]) -> ChinesePokerError:
    """pydantic's complaints as one of our errors; the schema tells which keys are known at a place."""
    problems: list[ChinesePokerError] = []
    for complaint in error.errors(include_url=False):
        path = [step for step in complaint["loc"] if step != "[key]"]
        ours = complaint.get("ctx", {}).get("error")
        if isinstance(ours, ChinesePokerError):
            problems.extend(problem.at(pointer_to(path)) for problem in ours.problems)
        else:
            code, fault = _fault(complaint["type"], complaint["msg"], path, schema)
            problems.append(kind(code, fault, pointer=pointer_to(path)))
    return kind.of(problems)


def _fault(complaint: str, message: str, path: list[str | int], schema: Mapping[str, Any]) -> tuple[str, str]:
    if complaint in ("unexpected_keyword_argument", "extra_forbidden"):
        return "unknown_key", unknown_key(str(path[-1]), _known_keys(path[:-1], schema))
    if complaint in ("missing", "missing_argument"):
        return "missing_key", f"{quote(str(path[-1]))} is missing; write it"
    return "bad_value", message.replace("Input should be ", "write ")


def unknown_key(key: str, known: Iterable[str]) -> str:
    """What to say of a key that is not known.

    >>> unknown_key("fornt", ["front", "back"])
    "'fornt' is no key here, did you mean 'front'? known: front, back"
    """
    names = list(known)
    near = difflib.get_close_matches(key, names, n=1)
    hint = f", did you mean {near[0]!r}?" if near else ";"
    return f"{quote(key)} is no key here{hint} known: {', '.join(names)}"


def _known_keys(path: Iterable[str | int], schema: Mapping[str, Any]) -> list[str]:
    at: Any = schema
    for step in path:
        at = _resolved(at, schema)
        at = at.get("items", {}) if isinstance(step, int) else at.get("properties", {}).get(step, {})
    return list(_resolved(at, schema).get("properties", {}))


def _resolved(at: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = at.get("$ref", "")
    return schema["$defs"][reference.rsplit("/", 1)[1]] if reference else at
