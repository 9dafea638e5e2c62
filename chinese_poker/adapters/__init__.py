"""What ties the package to its users' tools. Each adapter has its extra; the core needs none of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ChinesePokerError

TABLES = (".parquet", ".csv", ".arrow")
"""The suffixes of files that hold tables."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import what an extra brings: what is missing is told in one line.

    :raises ChinesePokerError: ``missing_extra``.

    >>> with needs("tables"):
    ...     import arrows_and_quivers
    Traceback (most recent call last):
    chinese_poker.errors.ChinesePokerError: missing_extra: arrows_and_quivers is not there; pip install \
'chinese-poker[tables]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        fault = f"{error.name} is not there; pip install 'chinese-poker[{extra}]'"
        raise ChinesePokerError("missing_extra", fault) from None
