"""Nights that are kept: ``ledger``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import click

from .. import report
from ..errors import ChinesePokerError, DealError, LedgerError
from ..ledger import CSV_HEADER, Action, Ledger, Night, csv_rows, default_path, sums, undone_document
from ..presets import load_rules
from ..rules import RuleSet
from ..texts import text_fault
from .common import (
    STRATEGY,
    UNIT,
    ReadType,
    Run,
    errors_option,
    json_option,
    print_all,
    rules_option,
    write_csv,
    write_json,
    write_standings,
)


def _text(text: str) -> str:
    if fault := text_fault(text):
        raise DealError("bad_text", fault)
    return text


TEXT = ReadType("text", _text)
data_option = click.option(
    "--data",
    envvar="CHINESE_POKER_DATA",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"The ledger's file; also $CHINESE_POKER_DATA.  [default: {default_path().name} in the user's data folder]",
)
night_option = click.option("--night", "name", metavar="ID", help="Which night.  [default: the newest]")
number_argument = click.argument("number", type=click.IntRange(1))


@click.group("ledger")
def ledger_command() -> None:
    """Keep nights: deals, corrections, standings, money.

    \b
    Examples:
      chinese-poker ledger new --title Friday --rules mandarin --unit 0.25 --currency EUR
      chinese-poker ledger add deals.jsonl
      chinese-poker ledger standings
    """


@contextlib.contextmanager
def _opened(data: Path | None, create: bool = False) -> Iterator[Ledger]:
    """The ledger; its errors are one line and exit status 1."""
    try:
        with Ledger(data, create=create) as ledger:
            yield ledger
    except LedgerError as error:
        raise click.ClickException(error.message) from None


def _night(ledger: Ledger, name: str | None) -> Night:
    return ledger.newest() if name is None else ledger.night(name)


@ledger_command.command("new")
@click.option("--title", type=TEXT, help="What the night is called.")
@rules_option
@click.option("--unit", type=UNIT, help="Money for one unit.")
@click.option("--currency", type=TEXT, help="What the money is called, as in EUR.")
@click.option("--player", "players", type=TEXT, multiple=True, help="Who is expected.")
@data_option
@json_option
def new_command(
    title: str | None,
    rules: RuleSet | None,
    unit: Decimal | None,
    currency: str | None,
    players: tuple[str, ...],
    data: Path | None,
    as_json: bool,
) -> None:
    """Begin a night; it keeps the whole of its rule set."""
    with _opened(data, create=True) as ledger:
        night = ledger.new(
            title=title or "",
            rules=rules or load_rules("basic"),
            unit=unit,
            currency=currency or "",
            players=players,
        )
        if as_json:
            write_json(night.document())
        else:
            click.echo(f"night {night.id} begins: {night.rules.name}, revision {night.rules.revision}")


@ledger_command.command("list")
@data_option
@json_option
def list_command(data: Path | None, as_json: bool) -> None:
    """List the nights, the newest first."""
    with _opened(data) as ledger:
        nights = ledger.nights()
    if as_json:
        for night in nights:
            write_json(night.document())
    elif nights:
        print_all(report.nights_table(night.document() for night in nights))


@ledger_command.command("show")
@night_option
@data_option
@json_option
def show_command(name: str | None, data: Path | None, as_json: bool) -> None:
    """Show the deals of a night and what each player won in them."""
    with _opened(data) as ledger:
        deals = ledger.deals(_night(ledger, name).id)
    _write_actions(deals, as_json)


@ledger_command.command("history")
@click.argument("number", type=click.IntRange(1), required=False)
@night_option
@data_option
@json_option
def history_command(number: int | None, name: str | None, data: Path | None, as_json: bool) -> None:
    """Show all that happened in a night, or to one deal: added, corrected, taken back."""
    with _opened(data) as ledger:
        actions = ledger.history(_night(ledger, name).id, number)
    _write_actions(actions, as_json)


def _write_actions(actions: list[Action], as_json: bool) -> None:
    if as_json:
        for action in actions:
            write_json(action.document())
    elif actions:
        print_all(report.actions_table(action.document() | {"result": action.result} for action in actions))


@ledger_command.command("add")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@night_option
@click.option("--strategy", type=STRATEGY, help="Who sets the hands that are not set, as in expected.")
@data_option
@json_option
@errors_option
def add_command(
    files: tuple[str, ...], name: str | None, strategy: str | None, data: Path | None, as_json: bool, errors: str
) -> None:
    """Settle deals from files, or from standard input with -, under the night's rules, and keep them.

    A deal that is told of is on disk. What is bad is reported on standard error and the rest is kept; the exit status
    is then 1.
    """
    run = Run(errors)
    with _opened(data) as ledger:
        night = _night(ledger, name).id
        for file, document in run.documents(files):
            try:
                action = ledger.add(night, document.value, strategy=strategy)
            except LedgerError:
                raise
            except ChinesePokerError as error:
                run.report(file, document.place(error))
                continue
            _write_done(action, as_json)
    run.end()


def _write_done(action: Action, as_json: bool) -> None:
    if as_json:
        write_json(action.document())
    else:
        done = "corrected" if action.kind == "correct" else "kept"
        click.echo(f"deal {action.number} {done}{report.totals_words(action.result)}")
    sys.stdout.flush()


@ledger_command.command("correct")
@number_argument
@click.argument("file", metavar="FILE")
@night_option
@click.option("--strategy", type=STRATEGY, help="Who sets the hands that are not set, as in expected.")
@data_option
@json_option
@errors_option
def correct_command(
    number: int, file: str, name: str | None, strategy: str | None, data: Path | None, as_json: bool, errors: str
) -> None:
    """Put the one deal of a file in the place of a deal that is kept; the history keeps that one."""
    run = Run(errors)
    with _opened(data) as ledger:
        night = _night(ledger, name).id
        documents = list(run.documents([file]))
        if len(documents) > 1:
            raise click.UsageError(f"{file} holds {len(documents)} deals; give the one that is right.")
        for _, document in documents:
            try:
                _write_done(ledger.correct(night, number, document.value, strategy=strategy), as_json)
            except LedgerError:
                raise
            except ChinesePokerError as error:
                run.report(file, document.place(error))
    run.end()


@ledger_command.command("undo")
@night_option
@data_option
@json_option
def undo_command(name: str | None, data: Path | None, as_json: bool) -> None:
    """Take back the last deal or correction that still counts; the history keeps it."""
    with _opened(data) as ledger:
        done, undone = ledger.undo(_night(ledger, name).id)
    if as_json:
        write_json(undone_document(done, undone))
    else:
        click.echo(f"deal {undone.number}{': its correction' if undone.kind == 'correct' else ''} taken back")


@ledger_command.command("standings")
@night_option
@data_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, one row a player.")
def standings_command(name: str | None, data: Path | None, as_json: bool, as_csv: bool) -> None:
    """Sum a night by player, in units and money."""
    with _opened(data) as ledger:
        night = _night(ledger, name)
        standings = sums(ledger.deals(night.id))
    write_standings(standings, as_json, as_csv, night.unit, night.currency)


@ledger_command.command("export")
@night_option
@click.option("--all", "every", is_flag=True, help="Every night.")
@data_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, one row a player of a deal.")
def export_command(name: str | None, every: bool, data: Path | None, as_csv: bool) -> None:
    """Write a night with its whole history as JSON Lines, which import reads back without loss."""
    with _opened(data) as ledger:
        nights = ledger.nights()[::-1] if every else [_night(ledger, name)]
        if as_csv:
            write_csv(CSV_HEADER, (row for night in nights for row in csv_rows(night, ledger.deals(night.id))))
            return
        for night in nights:
            for line in ledger.export(night.id):
                sys.stdout.buffer.write(line)


@ledger_command.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@data_option
@errors_option
def import_command(files: tuple[str, ...], data: Path | None, errors: str) -> None:
    """Read exported nights back: all of a file, or after an error nothing of it.

    Of a night that is there already only what happened since is added.
    """
    run = Run(errors)
    with _opened(data, create=True) as ledger:
        for file in files:
            documents = [document for _, document in run.documents([file])]
            if run.failed:
                break
            try:
                nights = ledger.load(documents)
            except ChinesePokerError as error:
                if not any(problem.line for problem in error.problems):
                    raise
                run.report(file, error.problems)
                continue
            for night in nights:
                click.echo(f"night {night.id}: {night.deals} deals")
    run.end()


@ledger_command.command("delete")
@click.option("--night", "name", metavar="ID", required=True, help="Which night.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def delete_command(name: str, yes: bool, data: Path | None) -> None:
    """Delete a night with its whole history; export it first if in doubt."""
    with _opened(data) as ledger:
        night = ledger.night(name)
        if not yes:
            click.confirm(f"Delete night {night.id} and its {night.deals} deals for good?", abort=True)
        ledger.delete(night.id)
