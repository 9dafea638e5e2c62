"""The referee: ``score``, ``check``, ``rank``, ``rules``, ``schema``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path

import click

from .. import report, wire
from ..answers import settle
from ..arrangement import HAND_SIZE, SEGMENTS, parse_segment, wrong_segments
from ..cards import format_cards
from ..deal import Deal
from ..documents import Document
from ..errors import ChinesePokerError
from ..evaluate import evaluate
from ..presets import load_rules, preset_text, rule_names, rules_document
from ..rules import RuleSet
from ..score import DealResult
from ..texts import quote
from .common import (
    STRATEGY,
    TABLE,
    UNIT,
    RulesType,
    Run,
    errors_option,
    is_file,
    joined,
    json_option,
    place_of,
    print_all,
    rules_option,
    strategy_of,
    write_csv,
    write_file,
    write_json,
    write_standings,
)

EXAMPLE = Path(__file__).parent.with_name("examples") / "club-night.jsonl"


@click.command("score")
@click.argument("files", nargs=-1, metavar="FILE...")
@rules_option
@click.option("--example", is_flag=True, help="Score the deals that come with the package.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, one row a player.")
@click.option("--explain", is_flag=True, help="Say in words how every matchup is settled.")
@click.option("--standings", is_flag=True, help="Sum all deals by player.")
@click.option("--unit", type=UNIT, help="Money for one unit, in the standings.")
@click.option("--currency", default="", help="What the money is called, as in EUR.")
@click.option("--auto-declare", is_flag=True, help="Count a natural for players who did not declare it.")
@click.option("--strategy", type=STRATEGY, help="Who sets the hands that are not set, as in expected.")
@click.option("-o", "--output", type=TABLE, help="Write a table, one row a deal and seat: .parquet, .csv, .arrow.")
@click.option("--items", type=TABLE, help="Write a table, one row an item.")
@errors_option
def score_command(
    files: tuple[str, ...],
    rules: RuleSet | None,
    example: bool,
    as_json: bool,
    as_csv: bool,
    explain: bool,
    standings: bool,
    unit: Decimal | None,
    currency: str,
    auto_declare: bool,
    strategy: str | None,
    output: Path | None,
    items: Path | None,
    errors: str,
) -> None:
    """Score deals from files, or from standard input with -.

    A file holds one deal a line (JSON Lines), or deals that run over several lines; a table of deals (.parquet, .csv,
    .arrow), bridge deals (.pbn) or a hand a line (.txt). What is bad is reported on standard error and the rest is
    scored; the exit status is then 1.

    \b
    Examples:
      chinese-poker score --example --explain
      chinese-poker score night.jsonl --standings --unit 0.25 --currency EUR
      chinese-poker score - --json --rules ./my-club.toml < deals.jsonl
      chinese-poker score deals.parquet -o results.parquet --items items.csv
    """
    tables = bool(output or items)
    faults = {
        "--json, --csv and --explain exclude each other, and --explain --standings.": as_json + as_csv + explain > 1
        or (explain and standings),
        "--unit and --currency go with --standings.": (unit is not None or currency) and not standings,
        "Name files of deals (or -), or give --example.": example == bool(files),
        "-o and --items write tables, and go with none of --json, --csv, --explain, --standings.": tables
        and (as_json or as_csv or explain or standings),
    }
    for fault in (fault for fault, is_there in faults.items() if is_there):
        raise click.UsageError(fault)
    run = Run(errors)
    if tables:
        from .tabled import write_results

        write_results(run, (str(EXAMPLE),) if example else files, rules, strategy, auto_declare, output, items)
        run.end()
    settled = settled_deals(run, (str(EXAMPLE),) if example else files, rules, strategy, auto_declare)
    if standings:
        sums = report.Standings()
        for *_, result in settled:
            sums.add(result)
        write_standings(sums, as_json, as_csv, unit, currency)
    elif as_json:
        for _, document, deal, result in settled:
            write_json(wire.result_document(document.value, deal, result))
    elif as_csv:
        write_csv(report.CSV_HEADER, (row for _, _, deal, result in settled for row in report.csv_rows(deal, result)))
    else:
        for number, (file, document, deal, result) in enumerate(settled):
            place = place_of(file, document)
            print_all(*([""] if number else []), *(report.deal_tables(deal, result, place)))
            if explain:
                print_all(*map(_indented, report.explain(deal, result)))
    run.end()


def _indented(line: str) -> object:
    """A line that goes on further in than it began, where the terminal is narrow."""
    from rich.padding import Padding

    text = line.lstrip()
    return Padding(text, (0, 0, 0, len(line) - len(text))) if text != line else line


Settled = tuple[str, Document, Deal, DealResult]


def settled_deals(
    run: Run, files: Iterable[str], rules: RuleSet | None, strategy: str | None, auto_declare: bool
) -> Iterator[Settled]:
    """The deals of the files that the core can settle; the others are reported."""
    player = strategy_of(strategy)
    for file, document in run.documents(files):
        try:
            deal, result = settle(document.value, rules, strategy=player, auto_declare=auto_declare)
        except ChinesePokerError as error:
            run.report(file, document.place(error))
            continue
        yield file, document, deal, result


@click.command("check")
@click.argument("sources", nargs=-1, required=True, metavar="ARRANGEMENT|HAND|FILE...")
@rules_option
@json_option
@errors_option
def check_command(sources: tuple[str, ...], rules: RuleSet | None, as_json: bool, errors: str) -> None:
    """Say whether arrangements are legal, and which naturals the cards hold.

    Give 'front | middle | back', 13 cards, or files (or -) of {"front", "middle", "back"} or {"hand"}, one a line.

    \b
    Examples:
      chinese-poker check "QhQd2c | 9s9h4d4c7s | AsKsJs8s3s"
      chinese-poker check As Kd Qc Jd Tc 9s 8h 7h 6h 5h 4h 3h 2c
      chinese-poker check hands.jsonl --json --rules taiwan
    """
    run = Run(errors)
    in_force = rules or load_rules("basic")
    for source, document in _arrangements(run, sources):
        try:
            checked = wire.check_arrangement(document.value, in_force)
        except ChinesePokerError as error:
            run.report(source, document.place(error))
            continue
        if as_json:
            write_json(checked)
        else:
            print_all(*report.check_lines(checked))
    run.end()


def _arrangements(run: Run, sources: tuple[str, ...]) -> Iterator[tuple[str, Document]]:
    for source in joined(sources, HAND_SIZE, "hand"):
        parts, place = source.split("|"), quote(source, 60)
        if len(parts) == 1 and (is_file(source) or Path(source).is_file()):
            yield from run.documents([source], hands=True)
        elif len(parts) == 1:
            yield place, Document(0, "", {"hand": source})
        elif len(parts) == len(SEGMENTS):
            yield place, Document(0, "", dict(zip(SEGMENTS, parts, strict=True)))
        else:
            run.report(place, [wrong_segments(len(parts))])


@click.command("rank")
@click.argument("segments", nargs=-1, required=True, metavar="CARDS...")
@rules_option
@json_option
@errors_option
def rank_command(segments: tuple[str, ...], rules: RuleSet | None, as_json: bool, errors: str) -> None:
    """Rank segments of three or five cards; a higher strength wins.

    \b
    Examples:
      chinese-poker rank "Qs Qh Qd 4s 4h" "Ks Kh Ad"
      chinese-poker rank As2d3h4c5s --json --rules vietnam
    """
    run = Run(errors)
    wheel = (rules or load_rules("basic")).wheel
    for text in joined(segments, 5, "segment"):
        try:
            cards = parse_segment(text)
            strength = evaluate(cards, wheel)
        except ChinesePokerError as error:
            run.report(quote(text, 60), error.problems)
            continue
        words = strength.describe()
        if as_json:
            category = strength.category.word
            write_json({"cards": format_cards(cards), "category": category, "strength": strength, "words": words})
        else:
            click.echo(f"{format_cards(cards):15} {strength:>8} {words}")
    run.end()


@click.command("rules")
@click.argument("names", nargs=-1, type=RulesType(), metavar="[NAME...]")
@click.option("--toml", is_flag=True, help="Write the preset's file, to begin your own with.")
@json_option
def rules_command(names: tuple[RuleSet, ...], toml: bool, as_json: bool) -> None:
    """List the rule sets, show one with its sources and what is open, or set some side by side.

    \b
    Examples:
      chinese-poker rules
      chinese-poker rules mandarin
      chinese-poker rules mandarin taiwan ./my-club.toml
      chinese-poker rules mandarin --toml > my-club.toml
    """
    if toml:
        if len(names) != 1 or names[0].name not in rule_names():
            raise click.UsageError("--toml goes with the name of a preset.")
        write_file(preset_text(names[0].name))
    elif as_json:
        for rules in names or map(load_rules, rule_names()):
            write_json(rules_document(rules))
    elif names:
        print_all(report.rules_table(*names) if len(names) == 1 else report.rules_compared(names))
    else:
        print_all(report.rules_list(map(load_rules, rule_names())))


@click.command("schema")
@click.argument("kind", type=click.Choice([*wire.SCHEMAS, "rules"]))
def schema_command(kind: str) -> None:
    """Print the JSON Schema (draft 2020-12) of a kind of document.

    \b
    Example:
      chinese-poker schema deal > deal.schema.json
    """
    click.echo(json.dumps(wire.schema(kind), indent=2))
