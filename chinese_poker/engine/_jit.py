"""One source, run as it is or compiled.

A kernel is a plain function over sequences of numbers. Called by its name it runs in the interpreter, where lists
are the fast sequences, and needs nothing; ``compiled(kernel)`` is the same function as machine code, where the
sequences are numpy arrays. numba is imported by the first ``compiled`` and keeps the machine code on disk; it looks at
the age of a kernel's own file only, so kernels that call each other stand in one file.
"""

# ruff: noqa: ANN401 (numba has no types)

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger(__name__)

_kernels: dict[object, Callable[[], object]] = {}


def kernel(function: F) -> F:
    """Mark a function, which is returned as it is, as one that :func:`compiled` takes."""
    _kernels[function] = lambda: _njit(cast(FunctionType, function))
    return function


def kernel_for(interpreted: F) -> Callable[[F], F]:
    """Mark a function as what the compiler is given in place of ``interpreted``."""

    def mark(function: F) -> F:
        _kernels[interpreted] = lambda: _njit(cast(FunctionType, function))
        return function

    return mark


@cache
def compiled(function: F) -> F:
    """The machine code of a kernel; its first call with new types of arguments compiles it or loads it from disk.

    The kernels that it calls by their global names are compiled with it.
    """
    return cast(F, _kernels[function]())


@cache
def _announce() -> None:
    _log.info("loading machine code; the first time it is compiled, which takes some seconds")


def _njit(function: FunctionType) -> object:
    _announce()
    numba = import_module("numba")
    scope = function.__globals__
    names = {"__name__", "__file__", "__builtins__", *function.__code__.co_names} & scope.keys()
    twin = FunctionType(
        function.__code__,
        {name: _in_compiled_scope(scope[name]) for name in names},
        function.__name__,
        function.__defaults__,
    )
    twin.__qualname__ = function.__qualname__
    return numba.njit(cache=True, nogil=True)(twin)


def _in_compiled_scope(value: object) -> object:
    return compiled(value) if isinstance(value, FunctionType) and value in _kernels else value


def trailing_zeros(word: int) -> int:
    """The place of the lowest set bit of a word other than 0: one instruction where compiled.

    >>> trailing_zeros(0b1000)
    3
    """
    return (word & -word).bit_length() - 1


def _count_trailing_zeros() -> object:
    ir, types = import_module("llvmlite.ir"), import_module("numba.core.types")

    def typed(_context: Any, _word: Any) -> Any:
        def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), build

    return cast(object, import_module("numba.extending").intrinsic(typed))


_kernels[trailing_zeros] = _count_trailing_zeros
