"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .errors import ChinesePokerError
from .texts import quote

_REMEDIES = {
    errno.ENOENT: "make its folder first",
    errno.ENOTDIR: "name a file in a folder",
    errno.EISDIR: "name a file in it",
    errno.EACCES: "name a file in a folder of yours",
    errno.EPERM: "name a file in a folder of yours",
    errno.EROFS: "name a file in a folder of yours",
    errno.ENOSPC: "make room, or name another disk",
    errno.EFBIG: "make room, or name another disk",
    errno.ENAMETOOLONG: "give it a shorter name",
}


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Turns what the operating system says of a file into one of our errors.

    :raises ChinesePokerError: ``unwritable``.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the system refuses"
        remedy = _REMEDIES.get(error.errno or 0, "name another file")
        raise ChinesePokerError(
            "unwritable", f"{quote(str(path), 150)} cannot be written: {reason}; {remedy}"
        ) from None


class _New(NamedTuple):
    """A file that is being written, and which it is to be."""

    file: BinaryIO
    name: Path
    target: Path
    """``name`` itself where that is no regular file, and is written to directly."""

    def drop(self) -> None:
        """Close it, and leave nothing of it."""
        with suppress(OSError):
            self.file.close()
        if self.name != self.target:
            with suppress(OSError):
                self.name.unlink()


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _new(path: Path) -> _New:
    with faults_of(path):
        if _is_special(path):
            return _New(path.open("wb"), path, path)
        target = Path(os.path.realpath(path))
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        name = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.tmp")
        return _New(name.open("xb"), name, target)


def check_writable(path: Path) -> None:
    """Whether :func:`replacing` could begin, for who has much to do first.

    :raises ChinesePokerError: ``unwritable``.

    >>> check_writable(Path("/nowhere/plot.png"))
    Traceback (most recent call last):
    chinese_poker.errors.ChinesePokerError: unwritable: '/nowhere/plot.png' cannot be written: No such file or
    directory; make its folder first
    """
    if not _is_special(path) or path.is_dir():
        _new(path).drop()


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` when the block ends well; when it does not, nothing changes.

    Until then it stands beside it under a name of its own, so that others who write the same path are not in the way:
    the last one's is there, whole. What is no regular file, as ``/dev/stdout``, is written to directly.

    :raises ChinesePokerError: ``unwritable``, at once if the folder does not take files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "results.json")
    ...     with replacing(path) as file:
    ...         _ = file.write(b"{}")
    ...     path.read_text(), len(list(path.parent.iterdir()))
    ('{}', 1)
    """
    new = _new(path)
    try:
        yield new.file
        with faults_of(path):
            new.file.flush()
            if new.name != new.target:
                os.fsync(new.file.fileno())
            new.file.close()
            if new.name != new.target:
                new.name.replace(new.target)
    except BaseException:
        new.drop()
        raise
