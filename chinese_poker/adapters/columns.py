"""Columns of Arrow into arrays of numpy and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..cards import NAMES, SEPARATORS, SPELLINGS, Card, parse_cards
from ..engine.tables import Array
from ..errors import ChinesePokerError
from ..extras import needs
from ..texts import LONGEST_TEXT

with needs("tables"):
    import pyarrow as pa
    import pyarrow.compute as pc

NONE = -1
"""In arrays of integers: there is none."""


_PAIRS = np.full(1 << 16, NONE, np.int8)
"""The card of two characters, the first in the low byte."""
for _text, _card in SPELLINGS.items():
    if len(_text) == 2 and _text.isascii():
        _PAIRS[ord(_text[0]) | ord(_text[1]) << 8] = _card
_SEPARATES = np.isin(np.arange(256), [ord(character) for character in SEPARATORS])


def read_cards(column: Any, size: int) -> Array:  # noqa: ANN401
    """(n, size) int8 cards of a column of texts; none in the first where there are not so many, or not readable."""
    cards = np.full((len(column), size), NONE, np.int8)
    length, (offsets, data) = lengths(column), _buffers(column)
    for step in (3, 2):
        wide = step * size - (step == 3)
        rows = np.flatnonzero(length == wide)
        block = data[offsets[rows, None] + np.arange(wide)]
        read = _PAIRS[block[:, 0::step].astype(np.uint16) | block[:, 1::step].astype(np.uint16) << 8]
        whole = (read != NONE).all(axis=1)
        if step == 3:
            whole &= _SEPARATES[block[:, 2::3]].all(axis=1)
        cards[rows[whole]] = read[whole]
    other = np.flatnonzero((cards[:, 0] == NONE) & (length > 0))
    for row, text in zip(other.tolist(), column.take(pa.array(other)).to_pylist(), strict=True):
        found = _parsed(text)
        if len(found) == size:
            cards[row] = found
    return cards


@lru_cache(maxsize=1 << 16)
def _parsed(text: str) -> tuple[Card, ...]:
    """The cards of a text, none if there is one that cannot be read."""
    try:
        return parse_cards(text)
    except ChinesePokerError:
        return ()


def are_plain(texts: Any) -> Array:  # noqa: ANN401
    """(n,) bool: whether texts are surely fit to be a name or an id, or missing."""
    fit = pc.and_(pc.less_equal(pc.utf8_length(texts), LONGEST_TEXT), pc.utf8_is_printable(texts))
    return np.asarray(pc.or_(fit, pc.equal(texts, "")).to_numpy(zero_copy_only=False))


_CARD_BYTES = np.array([[*name.encode(), ord(" ")] for name in NAMES], np.uint8)


def written(cards: Array) -> Any:  # noqa: ANN401
    """Cards (n, size) as a column of canonical texts; missing where the first is none."""
    there = cards[:, 0] != NONE
    wide = 3 * cards.shape[1] - 1
    data = _CARD_BYTES[cards[there]].reshape(-1, wide + 1)[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(there)]).astype(np.int64) * wide
    validity = np.packbits(there, bitorder="little").tobytes()
    buffers = [validity, offsets.tobytes(), np.ascontiguousarray(data).tobytes()]
    column = pa.Array.from_buffers(pa.large_string(), len(cards), [pa.py_buffer(buffer) for buffer in buffers])
    return column.cast(pa.string()) if len(data) * wide < 1 << 31 else column


def text_at(texts: dict[int, str], back: Array) -> Any:  # noqa: ANN401
    """A column that has these texts in these rows, each row put back to where it came from."""
    place = np.full(len(back), NONE, np.int64)
    place[list(texts)] = np.arange(len(texts))
    return pa.array(list(texts.values()), pa.string()).take(pa.array(place[back], mask=place[back] == NONE))


def words(index: Array, words: Sequence[str]) -> Any:  # noqa: ANN401
    """A column of few different texts, by their numbers."""
    indices = pa.array(np.maximum(index, 0).astype(np.int32), mask=index == NONE)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string()))


def _buffers(column: Any) -> tuple[Array, Array]:  # noqa: ANN401
    """Where the texts of a large_string array begin and end, and their bytes."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return ends, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)


def lengths(column: Any) -> Array:  # noqa: ANN401
    """(n,) how many bytes each text of a column has."""
    return np.diff(_buffers(column)[0])


def integers(column: Any) -> Array:  # noqa: ANN401
    """(n,) int64: a column of integers; what is missing is ``NONE``."""
    return np.asarray(column.cast(pa.int64()).fill_null(NONE).to_numpy(zero_copy_only=False))


def is_integer(column: Any) -> bool:  # noqa: ANN401
    """Whether a column holds integers."""
    return bool(pa.types.is_integer(column.type))


def one_array(column: Any) -> Any:  # noqa: ANN401
    """The identities of the deals: whole numbers or texts, in one piece."""
    column = _decoded(column)
    if not is_integer(column):
        kind = pa.int64() if pa.types.is_floating(column.type) else pa.string()
        column = cast("deal", column, kind)[0]
    return _whole(column)


def _decoded(column: Any) -> Any:  # noqa: ANN401
    """A column without a dictionary."""
    if not pa.types.is_dictionary(column.type):
        return column
    kind = column.type.value_type
    kind = kind if pa.types.is_integer(kind) else pa.large_string()
    pairs = ((chunk.indices.cast(pa.int64()), chunk.dictionary.cast(kind)) for chunk in column.chunks)
    return pa.chunked_array([words.take(indices) for indices, words in pairs], kind)


def _whole(column: Any) -> Any:  # noqa: ANN401
    """A column in one piece."""
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces or [pa.array([], column.type)])


def cast(name: str, column: Any, kind: Any) -> tuple[Any, Array]:  # noqa: ANN401
    """A column in its type, and the rows where that cannot be done."""
    column = _decoded(column)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = pc.binary_join(column.cast(pa.list_(pa.string())), " ")
    if kind == pa.large_string():
        return _whole(column.cast(kind)).fill_null(""), np.zeros(0, np.int64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.if_else(pc.equal(column, ""), None, column)
    try:
        return _whole(column.cast(kind)), np.zeros(0, np.int64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = [_value(value, kind) for value in column.to_pylist()]
        bad = [
            row
            for row, (value, given) in enumerate(zip(values, column.to_pylist(), strict=True))
            if value is None and given is not None
        ]
        return pa.array(values, kind), np.array(bad, np.int64)


def _value(value: Any, kind: Any) -> Any:  # noqa: ANN401
    try:
        return pa.scalar(value).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
