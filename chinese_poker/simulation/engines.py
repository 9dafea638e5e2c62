"""Where shards are worked off: threads, processes or Dask, each behind the executor of the standard library."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from ..errors import SimulationError
from ..extras import needs
from ..texts import quote

EngineName = Literal["local", "processes", "dask"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
MOST_WORKERS = 1_000
PATIENCE = 15
"""Seconds in which a cluster has to answer and to show a worker."""


@dataclass(frozen=True)
class Engine:
    """An executor that is ready, and how many shards it works off at once, which may change."""

    executor: Executor
    width: Callable[[], int]
    losses: tuple[type[BaseException], ...] = ()
    """What is raised where it lost its workers."""


def engine_for(name: str, workers: int | None = None, scheduler: str | None = None) -> AbstractContextManager[Engine]:
    """An engine by name; it is started on entering the context, and closed on leaving.

    :param workers: threads or processes; None for one a core. A cluster that is joined has its own.
    :param scheduler: the address of a running Dask cluster; None for one of this machine's own.
    :raises SimulationError: ``unknown_engine``, ``wrong_workers``, ``missing_extra``, ``no_cluster``.

    >>> engine_for("cloud")
    Traceback (most recent call last):
    chinese_poker.errors.SimulationError: unknown_engine: 'cloud' is no engine; known: local, processes, dask
    """
    if name not in ENGINES:
        raise SimulationError("unknown_engine", f"{quote(name)} is no engine; known: {', '.join(ENGINES)}")
    if scheduler is not None and name != "dask":
        raise SimulationError("unknown_engine", f"a scheduler goes with the engine dask, not {name}")
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise SimulationError("wrong_workers", f"{workers:,} workers; give 1 to {MOST_WORKERS:,}")
    if scheduler is not None and workers is not None:
        raise SimulationError("wrong_workers", "a cluster that is joined has its own workers; leave the number out")
    count = workers or _cores()
    if name == "local":
        return _pool(ThreadPoolExecutor(count), count)
    if name == "processes":
        context = multiprocessing.get_context("spawn")
        return _pool(ProcessPoolExecutor(count, context, initializer=_in_process), count)
    return _dask(count, scheduler)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _pool(executor: Executor, count: int) -> Iterator[Engine]:
    try:
        yield Engine(executor, lambda: count, (BrokenExecutor,))
    finally:
        executor.shutdown(cancel_futures=True)


def _in_process() -> None:
    """In a process of the pool: Ctrl-C is for its parent, and it does not outlive its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def _dask(workers: int, scheduler: str | None) -> Iterator[Engine]:
    with needs("dask"):
        distributed: Any = import_module("distributed")
    where = "a Dask cluster on this machine" if scheduler is None else f"the cluster at {quote(scheduler, 80)}"
    with ExitStack() as stack:
        stack.enter_context(_silence("distributed", "distributed.client", "tornado", "asyncio"))
        try:
            if scheduler is None:
                options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
                cluster = stack.enter_context(distributed.LocalCluster(workers, **options))
                scheduler = cluster.scheduler_address
            else:
                asyncio.run(asyncio.wait_for(_greet(distributed, scheduler), PATIENCE))
            client = stack.enter_context(distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False))
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            fault = f"{where} does not answer ({type(error).__name__}); give its address as tcp://host:8786"
            raise SimulationError("no_cluster", fault) from None
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except OSError:
            raise SimulationError("no_cluster", f"{where} has no workers; start some") from None
        losses = (CancelledError, distributed.KilledWorker, OSError, ImportError, RuntimeError)
        yield Engine(client.get_executor(pure=False), lambda: sum(client.nthreads().values()) or 1, losses)


async def _greet(distributed: Any, scheduler: str) -> None:  # noqa: ANN401
    """Ask who is there, for a client would wait without end for an answer from what is no scheduler.

    :raises ValueError: what answers is something else, or the address is none.
    """
    distributed.comm.resolve_address(scheduler)
    async with distributed.rpc(scheduler) as there:
        if (await there.identity())["type"] != "Scheduler":
            raise ValueError


@contextmanager
def _silence(*names: str) -> Iterator[None]:
    """Keep libraries from saying what we say once."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
