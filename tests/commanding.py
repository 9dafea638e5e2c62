"""The command ``chinese-poker`` run as a process, and deals to give it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ.pop("PYTHONUNBUFFERED", None)  # a write that fails may fail at the end only, as for users
COMMAND = (sys.executable, "-m", "chinese_poker")
NORTH = {"name": "North", "front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"}
SOUTH = {"name": "South", "front": "AhKd5c", "middle": "8h8d6h6c2s", "back": "TcTdThTs2h"}
DRAGON = "2s3s4d5c6d7c8c9cTsJhQdKcAs"
LEFT_OUT: Any = object()
"""The value of a key that a deal shall not have."""


def deal(north: Any = None, south: Any = None, **keys: Any) -> dict[str, Any]:
    """A good deal of two players with these keys changed; a player that is no dict takes the place of the usual one."""
    players = [
        given if given is not None and not isinstance(given, dict) else _with(usual, given or {})
        for usual, given in ((NORTH, north), (SOUTH, south))
    ]
    return _with({"players": players}, keys)


def _with(usual: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**usual, **changes}.items() if value is not LEFT_OUT}


def run(
    *arguments: str | Path, stdin: bytes = b"", folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command with these arguments, run to its end in a folder."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
        check=False,
        timeout=120,
    )


def lines(output: bytes) -> list[Any]:
    """JSON Lines as values."""
    return [json.loads(line) for line in output.splitlines()]


def json_lines(documents: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)
