"""What the commands share: types of arguments, reading documents, writing results."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import click
from click.shell_completion import CompletionItem

from .. import report, wire
from ..arrangement import Arrangement
from ..cards import split_cards
from ..documents import Document, read_documents
from ..errors import ChinesePokerError, RuleSetError
from ..presets import load_rules, rule_names
from ..rules import RuleSet
from ..texts import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE = 4 << 20
"""Bytes of a file of which the reading shows a progress bar."""
LARGE_TO_VALUE = 4 << 10
"""The same where each hand takes a search."""


class RulesType(click.ParamType):  # type: ignore[type-arg]
    """A preset's name or the path of a rule file."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RuleSet:  # noqa: ANN401
        if isinstance(value, RuleSet):
            return value
        try:
            return load_rules(value)
        except RuleSetError as error:
            where = f"{one_line(value, 90)}: " if value.endswith(".toml") else ""
            self.fail("\n".join(where + str(problem) for problem in error.problems), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in rule_names() if name.startswith(incomplete)]


class ReadType(click.ParamType):  # type: ignore[type-arg]
    """What one of our readers makes of a text; its fault is the usage error."""

    def __init__(self, name: str, read: Callable[[str], object]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> object:  # noqa: ANN401
        try:
            return self.read(value)
        except ChinesePokerError as error:
            self.fail(error.message, param, ctx)


def _strategy_name(name: str) -> str:
    from ..strategy import strategy

    return strategy(name).name


def _plot_path(text: str) -> Path:
    from ..plot import plot_path

    return plot_path(text)


STRATEGY = ReadType("strategy", _strategy_name)
UNIT = ReadType("amount", report.read_unit)
ARRANGEMENT = ReadType("'f|m|b'", Arrangement.parse)


class Run:
    """What one run of the command has met: where problems go, and whether there were any."""

    def __init__(self, errors: str = "text", large: int = LARGE) -> None:
        self.large = large
        self.errors = errors
        self.failed = False

    def report(self, source: str, problems: Iterable[ChinesePokerError]) -> None:
        """Say on stderr what was wrong, a line each."""
        self.failed = True
        for problem in problems:
            if self.errors == "json":
                fields = {"file": source, "line": problem.line, "pointer": problem.pointer}
                click.echo(json.dumps({**fields, "code": problem.code, "message": problem.message}), err=True)
            else:
                click.echo(f"{one_line(source, 200)}:{'' if problem.line else ' '}{problem}", err=True)

    def documents(self, files: Iterable[str]) -> Iterator[tuple[str, Document]]:
        """The readable documents of the files, each with the name of its file; the others are reported."""
        for file in files:
            try:
                with _open(file, self.large) as stream:
                    for document in read_documents(stream):
                        if document.error:
                            self.report(file, document.place(document.error))
                        else:
                            yield file, document
            except BrokenPipeError:
                raise
            except OSError as error:
                fault = f"cannot be read: {error.strerror}; name a file of deals, or - for standard input"
                self.report(file, [ChinesePokerError("unreadable", fault)])

    def end(self) -> NoReturn:
        """Leave with status 1 if anything was reported, else 0."""
        sys.exit(1 if self.failed else 0)


@contextlib.contextmanager
def _open(file: str, large: int) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size < large or not sys.stderr.isatty():
            yield stream
            return
        from rich.console import Console
        from rich.progress import wrap_file

        console = Console(stderr=True)
        with wrap_file(stream, size, description=Path(file).name, console=console, transient=True) as wrapped:
            yield wrapped


def write_json(document: Any) -> None:  # noqa: ANN401
    """Write a document as a line, escaped where standard output is not UTF-8."""
    text = wire.dumps(document)
    if not text.isascii() and not _is_utf8():
        text = json.dumps(json.loads(text), separators=(",", ":")).encode()
    sys.stdout.buffer.write(text + b"\n")


def write_csv(header: Iterable[str], rows: Iterable[Iterable[str | int]]) -> None:
    """Write a heading and rows."""
    for line in report.csv_lines(header, rows):
        click.echo(line, nl=False)


def write_standings(
    standings: report.Standings, as_json: bool, as_csv: bool, unit: Decimal | None, currency: str
) -> None:
    """Write standings as a table, JSON or CSV."""
    if not (as_json or as_csv):
        print_all(report.standings_table(standings, unit, currency))
        return
    rows = report.standings_rows(standings, unit)
    if as_json:
        write_json({"standings": rows} | ({"unit": f"{unit:f}", "currency": currency} if unit is not None else {}))
    elif rows:
        write_csv(rows[0], ({**row, "name": report.plain_cell(row["name"])}.values() for row in rows))


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """A bar at a terminal for what takes a while."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def write_plot(run: Run, figure: Figure, path: Path) -> None:
    """Write a figure, or report why not."""
    from ..plot import save

    try:
        save(figure, path)
    except ChinesePokerError as error:
        run.report(str(path), [error])


def print_all(*renderables: object) -> None:
    """Print tables and texts, as wide as the terminal, or 120 columns into a file."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    width = None if is_terminal or "COLUMNS" in os.environ else 120
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    if is_terminal:
        for renderable in renderables:
            console.print(renderable)
        return
    with console.capture() as captured:
        for renderable in renderables:
            console.print(renderable)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


rules_option = click.option("--rules", type=RulesType(), help="A preset's name, or a rule file (./my-club.toml).")
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON Lines.")
plot_option = click.option("--plot", type=ReadType("file", _plot_path), help="Draw it: a .png, .svg or .pdf file.")
errors_option = click.option("--errors", type=click.Choice(["text", "json"]), default="text", show_default=True)


def is_file(source: str) -> bool:
    """Whether an argument is a file, or standard input, rather than cards."""
    return source == "-" or "." in source or os.sep in source


def joined(texts: tuple[str, ...], size: int) -> tuple[str, ...]:
    """The arguments; but as one if they are single cards, as typed without quotes, and no more than make up a hand."""
    cards = [text for text in texts if not is_file(text)]
    single = len(cards) == len(texts) > 1 and all(len(split_cards(text)) == 1 for text in texts)
    return (" ".join(texts),) if single and len(texts) <= size else texts


def place_of(file: str, document: Document) -> str:
    """What to call a deal that has no id."""
    return f"{Path(file).name}:{document.line}"


def tell_what_takes_time() -> None:
    """Let the engine say at a terminal when it compiles."""
    import logging

    if sys.stderr is not None and sys.stderr.isatty():
        logger = logging.getLogger(__package__.partition(".")[0])
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)
