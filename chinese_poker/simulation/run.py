"""A simulation from its first deal to its last: shards out, summaries in, merged in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event

from ..engine.search import is_compiling
from ..errors import ChinesePokerError, SimulationError
from ..files import faults_of
from ..rules import RuleSet
from ..strategy import Strategy
from ..texts import quote
from .checkpoint import read_checkpoint, write_checkpoint
from .emission import Emitter, Pack, Packed
from .engines import Engine, engine_for
from .play import Game, play, tally
from .summary import Dealt, Summary, missing

SHARD = 4_096
"""Deals of a shard, whoever works it off."""
SMALL_SHARD = 64
"""The same where the interpreter has to set the hands."""
CHUNK = 2_048
"""Deals that are in memory at once."""
MOST_DEALS = 10**12
MOST_SHARDS = 10**6
_AHEAD = 4
"""Shards that are handed out for each that is being worked off."""
_BLINK = 0.2
"""Seconds until it is seen that the run is to stop."""

Progress = Callable[[Summary], object]
"""Called with the summary of all that is done, whenever there is more."""


def simulate(
    deals: int,
    rules: RuleSet,
    strategies: Sequence[str | Strategy] = (),
    *,
    players: int | None = None,
    banker: int | None = None,
    seed: int = 0,
    first: int = 0,
    engine: str = "local",
    workers: int | None = None,
    scheduler: str | None = None,
    shards: int | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    emit: Emitter | None = None,
    progress: Progress | None = None,
    stop: Event | None = None,
) -> Summary:
    """Deal, set and settle many deals. The same arguments give the same summary for any engine, workers and shards.

    :param strategies: one for all seats, or one a seat; none for the strongest.
    :param players: 2 to 4; None for as many as there are strategies, 4 if there is one.
    :param banker: the banker's seat; None for seat 0 where the rule set must have one.
    :param seed: any integer; it counts modulo 2 ** 64.
    :param first: the first deal of the seed to take, so that a study can be done in parts and merged by ``+``.
    :param engine: ``local`` (threads), ``processes`` (a script needs ``if __name__ == "__main__":``), or ``dask``.
    :param workers: threads or processes; None for one a core.
    :param scheduler: the address of a running Dask cluster; None for one of this machine's own.
    :param shards: into how many parts the work is cut; None for parts of 4,096 deals.
    :param checkpoint: a file in which what is done is kept as the run goes on.
    :param resume: whether to go on from the checkpoint, where there is one.
    :param emit: takes the deals themselves, in order.
    :param stop: ends the run early, with the summary of what is done, once it is set.
    :raises SimulationError: ``wrong_deals``, ``wrong_shards``, ``wrong_players``, ``banker_seat``, ``unknown_engine``,
        ``wrong_workers``, ``missing_extra``, ``no_cluster``, ``lost_workers``, ``unreadable_checkpoint``,
        ``checkpoint_exists``, ``other_game`` or ``contradiction``.
    :raises DealError: ``unknown_strategy``, ``no_banker``.
    :raises ChinesePokerError: ``unwritable``.

    >>> from chinese_poker.presets import load_rules
    >>> summary = simulate(50, load_rules("basic"), ["greedy"], players=2, seed=1)
    >>> summary.deals, sum(seat.figures.units for seat in summary.seats)
    (50, 0)
    """
    game = Game.of(rules, strategies, players, banker)
    wanted = _wanted(deals, seed, first)
    size = _shard_size(wanted, shards)
    chosen = engine_for(engine, workers, scheduler)
    total = game.nothing()
    if checkpoint:
        if emit:
            raise SimulationError("contradiction", "deals are written from the first on; leave the checkpoint out")
        with faults_of(checkpoint):
            is_there = checkpoint.exists()
        if is_there and not resume:
            fault = f"{quote(str(checkpoint), 120)} is there already; go on from it with resume, or remove it"
            raise SimulationError("checkpoint_exists", fault)
        total = read_checkpoint(checkpoint, total, wanted)
    elif resume:
        raise SimulationError("contradiction", "resume goes with a checkpoint; name its file")
    if total.deals == wanted.deals:
        return total
    shards_left = (shard for part in missing(wanted, total.dealt) for shard in _cut(part, size))
    work = partial(work_off, game, emit.pack if emit else None)
    with chosen as running:
        if checkpoint:
            write_checkpoint(checkpoint, total)
        for done in _finished(running, work, shards_left, stop or Event(), in_order=emit is not None):
            for summary, packed in done:
                total += summary
                if emit:
                    emit.write(packed)
            if checkpoint:
                write_checkpoint(checkpoint, total)
            if progress:
                progress(total)
    return total


Work = Callable[[Dealt], tuple[Summary, list[Packed]]]


def work_off(game: Game, pack: Pack | None, shard: Dealt) -> tuple[Summary, list[Packed]]:
    """A shard's summary, and its deals as they are to be written."""
    total, written = game.nothing(), []
    for chunk in _cut(shard, CHUNK):
        played = play(game, chunk)
        total += tally(game, played)
        if pack:
            written.append(pack(game, played))
    return total, written


def _finished(
    running: Engine, work: Work, shards: Iterator[Dealt], stop: Event, in_order: bool
) -> Iterator[list[tuple[Summary, list[Packed]]]]:
    """What is finished, as soon as it is; only so much is handed out that the workers have enough to do."""
    futures: dict[Future[tuple[Summary, list[Packed]]], None] = {}
    try:
        while not stop.is_set():
            for shard in islice(shards, max(0, _AHEAD * running.width() - len(futures))):
                futures[running.executor.submit(work, shard)] = None
            if not futures:
                return
            awaited = list(futures)[:1] if in_order else futures
            done = wait(awaited, timeout=_BLINK, return_when=FIRST_COMPLETED).done
            for future in done:
                del futures[future]
            if done:
                yield [future.result() for future in done]
    except running.losses as error:
        if isinstance(error, ChinesePokerError):
            raise
        fault = f"the workers are lost ({type(error).__name__}); a checkpoint keeps what is done"
        raise SimulationError("lost_workers", fault) from None


def _wanted(deals: int, seed: int, first: int) -> Dealt:
    if not 1 <= deals <= MOST_DEALS:
        raise SimulationError("wrong_deals", f"{deals:.6g} deals; give 1 to {MOST_DEALS:,}")
    if not 0 <= first <= MOST_DEALS:
        raise SimulationError("wrong_deals", f"{first:.6g} as the first deal; give 0 to {MOST_DEALS:,}")
    return Dealt(seed % 2**64, first, first + deals)


def _shard_size(wanted: Dealt, shards: int | None) -> int:
    if shards is None:
        return SHARD if is_compiling() else SMALL_SHARD
    if not 1 <= shards <= MOST_SHARDS:
        raise SimulationError("wrong_shards", f"{shards:.6g} shards; give 1 to {MOST_SHARDS:,}")
    return -(-wanted.deals // shards)


def _cut(part: Dealt, size: int) -> Iterator[Dealt]:
    for first in range(part.first, part.end, size):
        yield part._replace(first=first, end=min(first + size, part.end))
