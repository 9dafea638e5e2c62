"""What took long to compute, kept in the user's cache: sealed files, read only if they are whole and what was asked."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from .errors import ChinesePokerError
from .files import replacing


def folder() -> Path:
    """Where the files are."""
    return platformdirs.user_cache_path("chinese-poker", appauthor=False)


def read(kind: str, key: str) -> bytes | None:
    """What was kept under a key, if it is there and whole."""
    path, name = _place(kind, key)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    seal, kept = content[:32], content[32:]
    return kept if seal == sha256(name + kept).digest() else None


def write(kind: str, key: str, kept: bytes) -> None:
    """Keep something under a key, in one step; where that cannot be done nothing is kept."""
    path, name = _place(kind, key)
    with suppress(OSError, ChinesePokerError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(sha256(name + kept).digest() + kept)


def _place(kind: str, key: str) -> tuple[Path, bytes]:
    name = sha256(key.encode())
    return folder() / f"{kind}-{name.hexdigest()[:32]}", name.digest()
