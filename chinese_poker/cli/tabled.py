"""Deals from one format into another: ``convert``, and the tables that ``score`` writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import wire
from ..deal import Deal
from ..documents import Document
from ..errors import ChinesePokerError, DealError
from ..rules import RuleSet
from .common import TABLE, Run, errors_option, is_table, place_of, write_json
from .referee import settled_deals

if TYPE_CHECKING:
    from ..adapters.tables import Settled


def write_results(
    run: Run,
    files: Iterable[str],
    rules: RuleSet | None,
    strategy: str | None,
    auto_declare: bool,
    output: Path | None,
    items: Path | None,
) -> None:
    """Score the deals of files, and write the tables that are asked for."""
    tables = _tables()
    found: list[Settled] = []
    for file in files:
        if is_table(file):
            with run.reading(file):
                found.append(_settled_table(run, file, rules, strategy, auto_declare))
        else:
            results = settled_deals(run, [file], rules, strategy, auto_declare)
            found.append(
                tables.result_tables(
                    (_called(file, document, deal), deal, result) for _, document, deal, result in results
                )
            )
    if found and output:
        _write([one.scores for one in found], output)
    if found and items:
        _write([one.items() for one in found], items)


def _tables() -> Any:  # noqa: ANN401
    """The adapter, if what it needs is there."""
    try:
        from ..adapters import tables
    except ChinesePokerError as error:
        raise click.ClickException(error.message) from None
    return tables


def _settled_table(run: Run, file: str, rules: RuleSet | None, strategy: str | None, auto_declare: bool) -> Settled:
    from ..adapters.tablefiles import read_table
    from ..adapters.tables import settle_table

    read = read_table(Path(file))
    settled = settle_table(read.table, rules, auto_declare=auto_declare, strategy=strategy)
    problems = [*read.problems, *(read.place(row, problem) for row, problem in settled.problems)]
    if problems:
        run.report(file, sorted(problems, key=lambda problem: problem.line or 0))
    return settled


def _called(file: str, document: Document, deal: Deal) -> str | int:
    return place_of(file, document) if deal.id is None else deal.id


def _write(tables: list[Any], path: Path) -> None:
    from ..adapters.tablefiles import concatenated, write_table

    try:
        write_table(concatenated(tables), path)
    except ChinesePokerError as error:
        raise click.ClickException(error.message) from None


@click.command("convert")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", type=TABLE, help="Write a table, one row a deal and seat: .parquet, .csv, .arrow.")
@errors_option
def convert_command(files: tuple[str, ...], output: Path | None, errors: str) -> None:
    """Turn deals of any format into JSON Lines, or into a table.

    Reads bridge deals (.pbn), a hand a line (.txt), tables (.parquet, .csv, .arrow) and JSON.

    \b
    Examples:
      chinese-poker convert night.pbn > night.jsonl
      chinese-poker convert night.jsonl -o night.parquet
    """
    run = Run(errors)
    deals = _read(run, files, presets_alone=bool(output))
    if output:
        tables = _tables()
        rows = ((_called(file, document, deal), deal, document.value.get("rules")) for file, document, deal in deals)
        _write([tables.deal_table(rows)], output)
    else:
        for _, document, _ in deals:
            write_json(document.value)
    run.end()


def _read(run: Run, files: Iterable[str], presets_alone: bool) -> Iterator[tuple[str, Document, Deal]]:
    """The deals that can be read, each with its document and the file that it is from; the others are reported."""
    for file, document in run.documents(files):
        try:
            deal, _ = wire.read_deal(document.value)
            if presets_alone and isinstance(document.value.get("rules"), dict):
                fault = "rules written out have no place in a table; name a preset, and give others with --rules"
                raise DealError("bad_value", fault, pointer="/rules")
            yield file, document, deal
        except ChinesePokerError as error:
            run.report(file, document.place(error))
