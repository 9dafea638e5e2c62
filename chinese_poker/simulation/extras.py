"""What is imported only if it is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import SimulationError


def extra(what: str, name: str, *modules: str) -> tuple[Any, ...]:
    """The modules that something needs, which an extra of this package brings.

    :raises SimulationError: ``missing_extra``.

    >>> extra("Telepathy", "mind", "telepathy")
    Traceback (most recent call last):
    chinese_poker.errors.SimulationError: missing_extra: Telepathy needs telepathy; pip install 'chinese-poker[mind]'
    """
    try:
        return tuple(map(import_module, modules))
    except ImportError:
        fault = f"{what} needs {modules[0]}; pip install 'chinese-poker[{name}]'"
        raise SimulationError("missing_extra", fault) from None


def arrow() -> tuple[Any, ...]:
    """``pyarrow`` and ``pyarrow.parquet``."""
    return extra("Parquet", "tables", "pyarrow", "pyarrow.parquet")
