"""Strategies against each other: ``duel``."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .. import report
from ..errors import ChinesePokerError
from ..presets import load_rules
from ..rules import RuleSet
from .common import (
    COUNT,
    STRATEGY,
    Run,
    errors_option,
    json_option,
    print_all,
    rules_option,
    tell_what_takes_time,
    write_json,
)

if TYPE_CHECKING:
    from ..duel import DuelResult
    from ..setting import Strategy


@click.command("duel")
@click.argument("strategies", nargs=-1, type=STRATEGY, metavar="STRATEGY...")
@click.option("--cmd", "commands", multiple=True, help="A program that plays, with its arguments; may be repeated.")
@rules_option
@click.option("--deals", type=COUNT, help="Stop after so many; 10,000 if there is no --precision.")
@click.option("--precision", type=float, help="Stop when units are known to so much on each side (95 %), as in 0.002.")
@click.option("--players", type=click.IntRange(2, 4), help="Seats at the table; as many as contestants.")
@click.option("--bank", is_flag=True, default=None, help="Let a bank go round, where the rules leave it open.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--workers", type=COUNT, default="1", show_default=True, help="Threads; the result is the same.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60,
    show_default=True,
    help="Seconds that a program has for a batch.",
)
@click.option("--batch", type=COUNT, default="500", show_default=True, help="Deals that a program gets at once.")
@json_option
@errors_option
@click.option("--protocol", is_flag=True, help="Say how a program for --cmd reads and writes.")
def duel_command(
    strategies: tuple[str, ...],
    commands: tuple[str, ...],
    rules: RuleSet | None,
    deals: int | None,
    precision: float | None,
    players: int | None,
    bank: bool | None,
    seed: int,
    workers: int,
    timeout: float,
    batch: int,
    as_json: bool,
    errors: str,
    protocol: bool,
) -> None:
    """Play strategies against each other, in duplicate, so that luck cancels.

    A strategy is a name, as in expected, your own as module:attribute, or a program (--cmd). Each deal is
    played with every seating of the contestants.

    \b
    Examples:
      chinese-poker duel expected heuristic --rules mandarin --players 4
      chinese-poker duel expected mybot:Bot --precision 0.01
      chinese-poker duel greedy --cmd "./bot --fast" --deals 2000 --json
    """
    from ..duel import duel
    from ..program import PROTOCOL, Program

    if protocol:
        click.echo(PROTOCOL)
        return
    tell_what_takes_time()
    for ending in {"SIGTERM", "SIGHUP"} & set(dir(signal)):  # not without stopping the programs
        signal.signal(getattr(signal, ending), lambda number, frame: sys.exit(128 + number))
    run = Run(errors)
    contestants: list[str | Strategy] = [*strategies, *(Program(command, timeout) for command in commands)]
    reached: deque[DuelResult] = deque(maxlen=1)

    def reach(so_far: DuelResult) -> None:
        reached.append(so_far)
        advance(so_far)

    try:
        with _progress(deals, precision) as advance:
            result = duel(
                contestants,
                rules or load_rules("basic"),
                seed=seed,
                deals=deals,
                precision=precision,
                players=players,
                bank=bank,
                workers=workers,
                batch=batch,
                progress=reach,
            )
        _write(result, as_json)
    except ChinesePokerError as error:
        run.report("duel", error.problems)
    except KeyboardInterrupt:
        if reached:
            _write(replace(reached[-1], stopped="interrupted"), as_json)
        raise
    run.end()


def _write(result: DuelResult, as_json: bool) -> None:
    if as_json:
        write_json(result.document())
    else:
        print_all(*report.duel_tables(result))


@contextlib.contextmanager
def _progress(deals: int | None, precision: float | None) -> Iterator[Callable[[DuelResult], None]]:
    """At a terminal, a bar that goes on with the deals, or with the deals that the precision will take."""
    if not sys.stderr.isatty():
        yield lambda result: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from ..duel import DEALS

    known = deals or (None if precision else DEALS)
    columns = (
        TextColumn("deals"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=known)

        def advance(result: DuelResult) -> None:
            total = known
            if precision:
                needed = math.ceil(result.deals * (result.half_width / precision) ** 2)
                total = max(result.deals, min(needed, known or needed))
            bar.update(task, completed=result.deals, total=total, description=f"± {result.half_width:.4f}")

        yield advance
