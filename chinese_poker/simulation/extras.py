"""What is imported only if it is installed."""

from __future__ import annotations

from typing import Any

from ..errors import SimulationError


def arrow() -> tuple[Any, Any]:
    """The modules ``pyarrow`` and ``pyarrow.parquet``.

    :raises SimulationError: ``missing_extra``.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        fault = "Parquet needs pyarrow; pip install 'chinese-poker[tables]'"
        raise SimulationError("missing_extra", fault) from None
    return pyarrow, parquet
