"""What the commands share: types of arguments, reading documents, writing results."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
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
from ..texts import one_line, quote

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..strategy import Strategy

LARGE = 4 << 20
"""Bytes of a file of which the reading shows a progress bar."""
LARGE_TO_VALUE = 4 << 10
"""The same where each hand takes a search."""


class RulesType(click.ParamType):  # type: ignore[type-arg]
    """A preset's name or the path of a rule file."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RuleSet:  # noqa: ANN401
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
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ChinesePokerError as error:
            self.fail(error.message, param, ctx)


def _strategy(name: str) -> str:
    """A strategy's name that is known to be good: of one that is registered, or of the user's own in a module."""
    from ..strategy import strategy

    here = str(Path.cwd())
    if ":" in name and here not in sys.path:
        sys.path.insert(0, here)
    strategy(name)
    return name


def _plot_path(text: str) -> Path:
    from ..plot import plot_path

    return plot_path(text)


def strategy_of(name: str | None) -> Strategy | None:
    """The strategy that the command line names, which may be the user's own."""
    if name is None:
        return None
    from ..strategy import strategy

    return strategy(name)


def _whole(text: str) -> int:
    """A whole number as people write large ones: 20000, 20,000, 2e4."""
    try:
        number = Decimal(text.replace(",", "").replace("_", ""))
    except InvalidOperation:
        number = Decimal("nan")
    if not (number.is_finite() and number.adjusted() < 100 and number == number.to_integral_value()):
        raise ChinesePokerError("bad_option", f"{quote(text)} is no whole number; write one as 20000 or 2e4")
    return int(number)


def _count(text: str) -> int:
    number = _whole(text)
    if not 1 <= number < 10**18:
        raise ChinesePokerError("bad_option", f"{quote(text)} is not above 0 and below 1e18; write one as 20000 or 2e4")
    return number


STRATEGY = ReadType("strategy", _strategy)
UNIT = ReadType("amount", report.read_unit)
WHOLE = ReadType("number", _whole)
COUNT = ReadType("count", _count)
ARRANGEMENT = ReadType("'f|m|b'", Arrangement.parse)


TABLES = (".parquet", ".csv", ".arrow")
"""The suffixes of files that hold tables."""


def is_table(file: str) -> bool:
    """Whether a file's name says that it holds a table."""
    return Path(file).suffix.lower() in TABLES


def _table_path(name: str) -> Path:
    path = Path(name)
    if not is_table(name):
        fault = f"{quote(name, 60)} is no table; its name ends in {', '.join(TABLES[:-1])} or {TABLES[-1]}"
        raise ChinesePokerError("bad_option", fault)
    return path


TABLE = ReadType("file", _table_path)


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

    def documents(self, files: Iterable[str], *, hands: bool = False) -> Iterator[tuple[str, Document]]:
        """The readable documents of the files, each with the name of its file; the others are reported.

        :param hands: whether each line of plain text is a document, and not the lines together a deal.
        """
        for file in files:
            with self.reading(file):
                for document in _documents(file, self.large, hands):
                    if document.error:
                        self.report(file, document.place(document.error))
                    else:
                        yield file, document

    @contextlib.contextmanager
    def reading(self, file: str) -> Iterator[None]:
        """Report that a file cannot be read, and why."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            fault = f"cannot be read: {error.strerror}; name a file of deals, or - for standard input"
            self.report(file, [ChinesePokerError("unreadable", fault)])
        except ChinesePokerError as error:
            self.report(file, error.problems)

    def end(self) -> NoReturn:
        """Leave with status 1 if anything was reported, else 0."""
        sys.exit(1 if self.failed else 0)


def _documents(file: str, large: int, hands: bool) -> Iterator[Document]:
    """The documents of a file, whatever its format, which its suffix tells."""
    if is_table(file):
        from ..adapters import tablefiles

        yield from tablefiles.read_documents(Path(file))
        return
    suffix = Path(file).suffix.lower()
    with _open(file, large) as stream:
        if suffix in (".pbn", ".txt"):
            from ..adapters import importers

            read = {".pbn": importers.read_pbn, ".txt": importers.read_hands if hands else importers.read_text}
            yield from read[suffix](stream)
        else:
            yield from read_documents(stream)


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


def write_file(text: str) -> None:
    """Write what is to be kept as a file: in UTF-8, whatever the characters of the console are."""
    sys.stdout.buffer.write(text.encode())


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
    if not is_terminal:
        for line in report.plain_lines(renderables, width):
            click.echo(line)
        return
    console = Console(highlight=False, markup=False, emoji=False)
    for renderable in renderables:
        console.print(renderable)


rules_option = click.option("--rules", type=RulesType(), help="A preset's name, or a rule file (./my-club.toml).")
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON Lines.")
plot_option = click.option("--plot", type=ReadType("file", _plot_path), help="Draw it: a .png, .svg or .pdf file.")
errors_option = click.option("--errors", type=click.Choice(["text", "json"]), default="text", show_default=True)


def is_file(source: str) -> bool:
    """Whether an argument is a file, or standard input, rather than cards."""
    return source == "-" or "." in source or os.sep in source


def joined(texts: tuple[str, ...], size: int, what: str) -> tuple[str, ...]:
    """The arguments; but as one if they are single cards, as typed without quotes.

    :param size: how many cards ``what`` has at most.
    """
    cards = [text for text in texts if not is_file(text)]
    single = len(cards) == len(texts) > 1 and all(len(split_cards(text)) == 1 for text in texts)
    if single and len(texts) > size:
        fault = f"{len(texts)} single cards; a {what} has {size} at most, so put the cards of each in quotes."
        raise click.UsageError(fault)
    return (" ".join(texts),) if single else texts


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
