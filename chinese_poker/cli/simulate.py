"""The simulator: ``simulate``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from ..errors import ChinesePokerError, SimulationError
from ..presets import load_rules
from ..rules import RuleSet
from .common import STRATEGY, WHOLE, Run, plot_option, print_all, rules_option, tell_what_takes_time, write_plot

if TYPE_CHECKING:
    from ..simulation import Summary
    from ..simulation.run import Progress

ENGINES = ("local", "processes", "dask")


FILE = click.Path(path_type=Path)
_WRONG_LINE = (
    *("wrong_deals", "wrong_shards", "wrong_workers", "wrong_players", "banker_seat", "no_banker"),
    *("unknown_engine", "unknown_format", "contradiction"),
)
"""What is said of options, where the others are said of the world."""


@click.command("simulate")
@click.option("--deals", type=WHOLE, default=100_000, show_default=True, help="How many, as in 1e7.")
@rules_option
@click.option("--strategy", "players_are", type=STRATEGY, multiple=True, help="Once for all seats, or once a seat.")
@click.option("--players", type=int, help="2 to 4; as many as there are strategies, else 4.")
@click.option("--banker", type=int, help="The banker's seat, from 0; 0 where the house must have one.")
@click.option("--seed", type=WHOLE, default=0, show_default=True)
@click.option("--first", type=WHOLE, default=0, show_default=True, help="The first deal of the seed to take.")
@click.option("--engine", type=click.Choice(ENGINES), help="local (the default) is threads; dask with --scheduler.")
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask cluster, as in tcp://host:8786.")
@click.option("--workers", type=int, help="Threads or processes; else one a core.")
@click.option("--shards", type=WHOLE, help="Into how many parts to cut the work; else 4,096 deals each.")
@click.option("--checkpoint", type=FILE, metavar="FILE", help="Keep what is done in this file as the run goes on.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint, if it is there.")
@click.option("--emit", type=FILE, metavar="FILE", help="Write the deals too, for score: .jsonl or .parquet.")
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Write the summary as CSV, a row a figure.")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write it to a file: .json, .csv or .parquet.")
@click.option("--strengths", is_flag=True, help="Show segments by leading rank too.")
@plot_option
def simulate_command(
    deals: int,
    rules: RuleSet | None,
    players_are: tuple[str, ...],
    players: int | None,
    banker: int | None,
    seed: int,
    first: int,
    engine: str | None,
    scheduler: str | None,
    workers: int | None,
    shards: int | None,
    checkpoint: Path | None,
    resume: bool,
    emit: Path | None,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
    strengths: bool,
    plot: Path | None,
) -> None:
    """Deal, set and settle many deals, and sum up what came of them.

    The same seed gives the same numbers on any engine, with any number of workers or shards. Ctrl-C ends the run with
    what is done; a run that was killed goes on with --checkpoint and --resume.

    \b
    Examples:
      chinese-poker simulate --deals 1e6 --rules mandarin
      chinese-poker simulate --deals 1e5 --strategy expected --strategy greedy --strengths
      chinese-poker simulate --deals 1e8 --checkpoint run.ckpt --resume -o run.parquet
    """
    from ..files import faults_of, replacing
    from ..simulation import simulate, views
    from ..simulation.emission import emitting

    if as_json + as_csv > 1:
        raise click.UsageError("--json and --csv exclude each other.")
    tell_what_takes_time()
    stop = Event()
    done: list[Summary] = []
    fault = "interrupted"
    try:
        with ExitStack() as stack:
            if output:
                views.check_format(output)
                results = stack.enter_context(replacing(output))
            emitter = stack.enter_context(emitting(emit)) if emit else None
            stack.enter_context(_ctrl_c_sets(stop))
            show = stack.enter_context(_progress(deals))

            def progress(summary: Summary) -> None:
                done[:] = [summary]
                show(summary)

            try:
                summary = simulate(
                    deals,
                    rules or load_rules("basic"),
                    players_are,
                    players=players,
                    banker=banker,
                    seed=seed,
                    first=first,
                    engine=engine or ("local" if scheduler is None else "dask"),
                    workers=workers,
                    scheduler=scheduler,
                    shards=shards,
                    checkpoint=checkpoint,
                    resume=resume,
                    emit=emitter,
                    progress=progress,
                    stop=stop,
                )
            except SimulationError as error:
                if error.code != "lost_workers" or not done:
                    raise
                (summary,), fault = done, str(error)
            if not summary.deals:
                raise click.Abort
            if output:
                text = views.FORMATS[output.suffix](summary)
                with faults_of(output):
                    results.write(text)
    except ChinesePokerError as error:
        if error.code in _WRONG_LINE:
            raise click.UsageError(error.message) from None
        click.echo(f"chinese-poker: {error}", err=True)
        sys.exit(1)
    drawn = _drawn(summary, seed, plot)
    if as_json or as_csv:
        sys.stdout.buffer.write((views.as_json if as_json else views.as_csv)(summary))
    elif not output or summary.deals < deals:
        print_all(*views.tables(summary, strengths))
    if summary.deals < deals:
        go_on = "; --resume goes on" if checkpoint else ""
        click.echo(f"chinese-poker: {fault}: {summary.deals:,} of {deals:,} deals are done{go_on}", err=True)
        sys.exit(130 if stop.is_set() else 1)
    drawn.end()


def _drawn(summary: Summary, seed: int, plot: Path | None) -> Run:
    """Draw the scores, if that is asked for; what went wrong is in the run."""
    run = Run()
    if plot:
        from ..plot import scores

        named = zip(summary.strategies, summary.seats, strict=True)
        seats = {f"seat {i}, {name}": seat.scores for i, (name, seat) in enumerate(named)}
        title = f"Scores of a deal: {summary.rules.name}, {len(seats)} players, {summary.deals:,} deals of seed {seed}"
        write_plot(run, scores(seats, title=title), plot)
    return run


@contextmanager
def _ctrl_c_sets(stop: Event) -> Iterator[None]:
    """The first Ctrl-C ends the run with what is done; the second ends it at once."""

    def handle(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(deals: int) -> Iterator[Progress]:
    """A bar with the rate and the time left, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda summary: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed or 0:,.0f} deals/s")

    columns = (BarColumn(), TextColumn("{task.completed:,.0f} of {task.total:,.0f}"), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=deals)
        at_start = True

        def show(summary: Summary) -> None:
            nonlocal at_start
            if at_start:  # what a checkpoint held was not done at this rate
                bar.reset(task, completed=summary.deals, total=deals)
                at_start = False
            bar.update(task, completed=summary.deals)

        yield show
