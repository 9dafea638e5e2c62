"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import ChinesePokerError
from .texts import quote


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Turns what the operating system says of a file into one of our errors.

    :raises ChinesePokerError: ``unwritable``.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the system refuses"
        raise ChinesePokerError("unwritable", f"{quote(str(path), 150)} cannot be written: {reason}") from None


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
    with faults_of(path):
        is_special = path.exists() and not path.is_file()
        target = Path(os.path.realpath(path))
        if not is_special and target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, os.strerror(13))
        name = path if is_special else target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.tmp")
        file = name.open("wb" if is_special else "xb")
    try:
        yield file
        with faults_of(path):
            file.flush()
            if not is_special:
                os.fsync(file.fileno())
            file.close()
            if not is_special:
                name.replace(target)
    except BaseException:
        with suppress(OSError):
            file.close()
        if not is_special:
            with suppress(OSError):
                name.unlink()
        raise
