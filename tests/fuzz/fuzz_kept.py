"""What is kept between runs, checkpoints and cache files: read as it was written, or not at all.

Bytes are tried as the whole file, as the file's content under a seal that fits, and as damage to a good file: their
first two say where, the rest takes the place of what was there.
"""

import json
import os
from hashlib import sha256
from unittest import mock

from fuzzing import check_told, folder

from chinese_poker import __version__, user_cache
from chinese_poker.errors import SimulationError
from chinese_poker.presets import load_rules
from chinese_poker.simulation import simulate
from chinese_poker.simulation.checkpoint import FORMAT, read_checkpoint, write_checkpoint
from chinese_poker.simulation.summary import Dealt, Summary

_FOLDER = folder()
_FILE = _FOLDER / "checkpoint"
_SUMMARY = simulate(3, load_rules("units-only"), ["greedy", "heuristic"], seed=7)
_EMPTY = Summary.empty(_SUMMARY.rules, _SUMMARY.strategies, _SUMMARY.banker)
_WANTED = Dealt(7, 0, 9)
write_checkpoint(_FILE, _SUMMARY)
_GOOD = _FILE.read_bytes()
assert read_checkpoint(_FILE, _EMPTY, _WANTED) == _SUMMARY
_TEXT = _GOOD.split(b"\n")[1]
_SQUARES = b'"squares": '
SEEDS = [
    (_GOOD.rindex(_SQUARES) + len(_SQUARES)).to_bytes(2) + b"7",  # a sum that nothing but the seal can miss
    _TEXT,
    json.dumps(_EMPTY.document()).encode(),
    _TEXT.replace(b'"end": 3', b'"end": 4'),
    _GOOD,
    b"\x01\x00{",
    b"\x00\x00",
    b"[" * 3_000,
    b'{"checkpoint": 1, "version": "", "digest": ""}\nnull\n',
]


def one(data: bytes) -> None:
    with mock.patch("os.fsync"):  # no input is worth a wait for the disk
        _read(data)
        _read(_sealed(data))
        assert _read(_damaged(_GOOD, data)) in (None, _SUMMARY), "damage is refused, or was to a space"
        _check_cache(data)


def _sealed(text: bytes) -> bytes:
    head = {"checkpoint": FORMAT, "version": __version__, "digest": sha256(text).hexdigest()}
    return json.dumps(head).encode() + b"\n" + text + b"\n"


def _damaged(good: bytes, data: bytes) -> bytes:
    at = int.from_bytes(data[:2]) % len(good)
    return good[:at] + data[2:] + good[at + max(len(data) - 2, 1) :]


def _read(content: bytes) -> Summary | None:
    _FILE.write_bytes(content)
    try:
        found = read_checkpoint(_FILE, _EMPTY, _WANTED)
    except SimulationError as error:
        check_told(error)
        return None
    assert (found.rules, found.strategies, found.banker) == (_SUMMARY.rules, _SUMMARY.strategies, _SUMMARY.banker)
    assert 0 <= found.deals <= _WANTED.deals
    assert all(sum(seat.scores.values()) == found.deals for seat in found.seats)
    assert sum(units * deals for seat in found.seats for units, deals in seat.scores.items()) == 0, "totals are zero"
    write_checkpoint(_FILE, found)
    assert read_checkpoint(_FILE, _EMPTY, _WANTED) == found
    return found


def _check_cache(data: bytes) -> None:
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(_FOLDER)
    try:
        user_cache.write("fuzz", "key", data)
        assert user_cache.read("fuzz", "key") == data
        path, other = (user_cache._place("fuzz", key)[0] for key in ("key", "other"))
        good = path.read_bytes()
        assert good[32:] == data
        for content in (data, _damaged(good, data), good[:-1]):
            path.write_bytes(content)
            seal, kept = content[:32], content[32:]  # a fuzzer that looks over our shoulder can make one that fits
            fits = seal == sha256(sha256(b"key").digest() + kept).digest()
            assert user_cache.read("fuzz", "key") == (kept if fits else None), "or not at all"
        path.write_bytes(good)
        path.rename(other)
        assert user_cache.read("fuzz", "other") is None, "what was kept under another key is not trusted"
    finally:
        os.environ.pop("XDG_CACHE_HOME") if before is None else os.environ.update(XDG_CACHE_HOME=before)
