"""What an extra of this package brings, imported only where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import ChinesePokerError, is_out_of_memory


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports of an extra: what is missing is one line that says how to get it.

    :raises ChinesePokerError: ``missing_extra``.
    :raises MemoryError: it is there, and there is no memory for it.

    >>> with needs("plot"):
    ...     import no_such_module
    Traceback (most recent call last):
    chinese_poker.errors.ChinesePokerError: missing_extra: no_such_module is missing: pip install 'chinese-poker[plot]'
    """
    try:
        yield
    except ImportError as error:
        if is_out_of_memory(error):
            raise MemoryError from None
        fault = f"{error.name} is missing: pip install 'chinese-poker[{extra}]'"
        raise ChinesePokerError("missing_extra", fault) from None
