"""The command ``chinese-poker``."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import click
from click.shell_completion import CompletionItem

from . import __version__, report, wire
from .arrangement import HAND_SIZE, SEGMENTS, Arrangement, parse_segment
from .cards import format_cards, parse_cards, split_cards
from .deal import Deal
from .documents import Document, read_documents
from .errors import ArrangementError, ChinesePokerError, RuleSetError
from .evaluate import evaluate
from .presets import load_rules, preset_text, rule_names, rules_document
from .rules import RuleSet
from .score import DealResult, score
from .texts import one_line, quote

EXAMPLE = Path(__file__).with_name("examples") / "club-night.jsonl"
_LARGE = 4 << 20
"""Bytes of a file of which the reading shows a progress bar."""
_LARGE_TO_VALUE = 4 << 10
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
    from .strategy import strategy

    return strategy(name).name


_STRATEGY = ReadType("strategy", _strategy_name)
_ARRANGEMENT = ReadType("'f|m|b'", Arrangement.parse)


class UnitType(click.ParamType):  # type: ignore[type-arg]
    """Money for one unit."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:  # noqa: ANN401
        try:
            unit = Decimal(value)
        except InvalidOperation:
            unit = Decimal("nan")
        if not (unit.is_finite() and 0 < unit < 10**9):
            self.fail(f"{quote(str(value))} is no amount above 0; write one as 0.25", param, ctx)
        return unit


class Run:
    """What one run of the command has met: where problems go, and whether there were any."""

    def __init__(self, errors: str = "text", large: int = _LARGE) -> None:
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


def _write_json(document: Any) -> None:  # noqa: ANN401
    text = wire.dumps(document)
    if not text.isascii() and not _is_utf8():
        text = json.dumps(json.loads(text), separators=(",", ":")).encode()
    sys.stdout.buffer.write(text + b"\n")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _print(*renderables: object) -> None:
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


_rules_option = click.option("--rules", type=RulesType(), help="A preset's name, or a rule file (./my-club.toml).")
_json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON Lines.")
_errors_option = click.option("--errors", type=click.Choice(["text", "json"]), default="text", show_default=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="chinese-poker")
def cli() -> None:
    """A referee and an adviser for 13-card Chinese Poker.

    \b
    Example:
      chinese-poker score --example
    """


@cli.command("score")
@click.argument("files", nargs=-1, metavar="FILE...")
@_rules_option
@click.option("--example", is_flag=True, help="Score the deals that come with the package.")
@_json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, one row a player.")
@click.option("--explain", is_flag=True, help="Say in words how every matchup is settled.")
@click.option("--standings", is_flag=True, help="Sum all deals by player.")
@click.option("--unit", type=UnitType(), help="Money for one unit, in the standings.")
@click.option("--currency", default="", help="What the money is called, as in EUR.")
@click.option("--auto-declare", is_flag=True, help="Count a natural for players who did not declare it.")
@click.option("--strategy", type=_STRATEGY, help="Who sets the hands that are not set, as in expected.")
@_errors_option
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
    errors: str,
) -> None:
    """Score deals from files, or from standard input with -.

    A file holds one deal a line (JSON Lines), or deals that run over several lines. What is bad is reported on standard
    error and the rest is scored; the exit status is then 1.

    \b
    Examples:
      chinese-poker score --example --explain
      chinese-poker score night.jsonl --standings --unit 0.25 --currency EUR
      chinese-poker score - --json --rules ./my-club.toml < deals.jsonl
    """
    if as_json + as_csv + explain > 1 or (explain and standings):
        raise click.UsageError("--json, --csv and --explain exclude each other, and --explain --standings.")
    if (unit is not None or currency) and not standings:
        raise click.UsageError("--unit and --currency go with --standings.")
    if example == bool(files):
        raise click.UsageError("Name files of deals (or -), or give --example.")
    run = Run(errors)
    settled = _settled(run, (str(EXAMPLE),) if example else files, rules, strategy, auto_declare)
    if standings:
        _write_standings(settled, as_json, as_csv, unit, currency)
    elif as_json:
        for _, document, deal, result in settled:
            _write_json(wire.result_document(document.value, deal, result))
    elif as_csv:
        _write_csv_rows(
            report.CSV_HEADER, (row for _, _, deal, result in settled for row in report.csv_rows(deal, result))
        )
    else:
        for number, (file, document, deal, result) in enumerate(settled):
            place = _place(file, document)
            _print(*([""] if number else []), *(report.deal_tables(deal, result, place)))
            if explain:
                _print(*map(_indented, report.explain(deal, result)))
    run.end()


def _place(file: str, document: Document) -> str:
    """What to call a deal that has no id."""
    return f"{Path(file).name}:{document.line}"


def _indented(line: str) -> object:
    """A line that goes on further in than it began, where the terminal is narrow."""
    from rich.padding import Padding

    text = line.lstrip()
    return Padding(text, (0, 0, 0, len(line) - len(text))) if text != line else line


Settled = tuple[str, Document, Deal, DealResult]


def _settled(
    run: Run, files: Iterable[str], rules: RuleSet | None, strategy: str | None, auto_declare: bool
) -> Iterator[Settled]:
    for file, document in run.documents(files):
        try:
            deal, in_force = wire.read_deal(document.value, rules)
            deal = _set_by(strategy or deal.strategy, deal, in_force)
            yield file, document, deal, score(deal, in_force, auto_declare=auto_declare)
        except ChinesePokerError as error:
            run.report(file, document.place(error))


def _tell_what_takes_time() -> None:
    """Let the engine say at a terminal when it compiles."""
    import logging

    if sys.stderr is not None and sys.stderr.isatty():
        logger = logging.getLogger(__package__)
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)


def _set_by(strategy: str | None, deal: Deal, rules: RuleSet) -> Deal:
    if strategy is None:
        return deal
    from .strategy import set_deal

    try:
        return set_deal(deal, rules, strategy)
    except ChinesePokerError as error:
        raise error.at("/strategy") from None


def _write_standings(
    settled: Iterator[Settled], as_json: bool, as_csv: bool, unit: Decimal | None, currency: str
) -> None:
    standings = report.Standings()
    for *_, result in settled:
        standings.add(result)
    if not (as_json or as_csv):
        _print(report.standings_table(standings, unit, currency))
        return
    rows = [
        {"name": report.plain_cell(name) if as_csv else name, **asdict(standing)}
        | ({"money": f"{standing.units * unit:f}"} if unit is not None else {})
        for name, standing in standings.by_player()
    ]
    if as_json:
        _write_json({"standings": rows} | ({"unit": f"{unit:f}", "currency": currency} if unit is not None else {}))
    elif rows:
        _write_csv_rows(rows[0], (tuple(row.values()) for row in rows))


def _write_csv_rows(header: Iterable[str], rows: Iterable[Iterable[str | int]]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in itertools.chain([header], rows):
        writer.writerow(row)
        click.echo(buffer.getvalue(), nl=False)
        buffer.seek(0)
        buffer.truncate()


@cli.command("suggest")
@click.argument("hands", nargs=-1, required=True, metavar="HAND|FILE...")
@_rules_option
@click.option("--opponents", type=click.IntRange(1, 3), help="How many; all known ones, else 3 or as many as can be.")
@click.option("--against", type=_STRATEGY, help="How the unknown ones play: expected, heuristic, greedy.")
@click.option("--opponent", "known", multiple=True, type=_ARRANGEMENT, help="A known opponent's arrangement.")
@click.option("--dead", default="", help="Cards that no opponent holds.")
@click.option("--bank", type=click.Choice(["mine", "theirs"]), help="Whose the bank is, in a banker game.")
@click.option("--top", type=click.IntRange(1), default=3, show_default=True, help="How many suggestions.")
@click.option("--all", "every", is_flag=True, help="Every arrangement that can be best.")
@click.option("--samples", type=click.IntRange(1), default=10_000, show_default=True, help="Opponents at most.")
@click.option("--seed", type=int, default=0, show_default=True)
@_json_option
@click.option("--explain", is_flag=True, help="Say where the value comes from.")
@_errors_option
def suggest_command(
    hands: tuple[str, ...],
    rules: RuleSet | None,
    opponents: int | None,
    against: str | None,
    known: tuple[Arrangement, ...],
    dead: str,
    bank: str | None,
    top: int,
    every: bool,
    samples: int,
    seed: int,
    as_json: bool,
    explain: bool,
    errors: str,
) -> None:
    """Suggest the arrangement to play, by expected value.

    Give 13 cards, or files (or -) of {"hand", "dead"}, one a line.

    \b
    Examples:
      chinese-poker suggest "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c" --explain
      chinese-poker suggest "AsAdKdQcJdTc9s8h7h6h4h3h2c" --rules mandarin --opponents 1 --dead "Ks Kh"
      chinese-poker suggest hands.jsonl --json
    """
    from .suggest import AGAINST, explain_suggestions, suggest, suggestions_document

    _tell_what_takes_time()
    run = Run(errors, _LARGE_TO_VALUE)
    in_force = rules or load_rules("basic")
    for source, document in _hands(run, hands):
        try:
            read = wire.read_hand(document.value)
            found = suggest(
                read["hand"],
                in_force,
                opponents=opponents,
                against=against or AGAINST,
                known=known,
                dead=(*read.get("dead", ()), *parse_cards(dead)),
                samples=samples,
                seed=seed,
                top=72_072 if every else top,
                banks=None if bank is None else bank == "mine",
            )
        except ChinesePokerError as error:
            run.report(source, document.place(error))
            continue
        if as_json:
            identity = {"id": read["id"]} if "id" in read else {}
            _write_json({**identity, **suggestions_document(found), **wire.user_keys(document.value)})
        else:
            _print(*report.suggestion_tables(found))
            if explain:
                _print(" ".join(explain_suggestions(found)))
    run.end()


def _hands(run: Run, hands: tuple[str, ...]) -> Iterator[tuple[str, Document]]:
    for hand in _joined(hands, HAND_SIZE):
        if _is_file(hand):
            yield from run.documents([hand])
        else:
            yield quote(hand, 60), Document(0, "", {"hand": hand})


def _is_file(source: str) -> bool:
    return source == "-" or "." in source or os.sep in source


def _joined(texts: tuple[str, ...], size: int) -> tuple[str, ...]:
    """The arguments; but as one if they are single cards, as typed without quotes, and no more than make up a hand."""
    cards = [text for text in texts if not _is_file(text)]
    single = len(cards) == len(texts) > 1 and all(len(split_cards(text)) == 1 for text in texts)
    return (" ".join(texts),) if single and len(texts) <= size else texts


@cli.command("review")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_rules_option
@click.option("--against", type=_STRATEGY, help="How opponents are thought to play: expected, heuristic, greedy.")
@click.option("--samples", type=click.IntRange(1), default=10_000, show_default=True, help="Opponents at most.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many mistakes.")
@_json_option
@_errors_option
def review_command(
    files: tuple[str, ...],
    rules: RuleSet | None,
    against: str | None,
    samples: int,
    seed: int,
    top: int,
    as_json: bool,
    errors: str,
) -> None:
    """Say what the arrangements of played deals gave away, dearest first.

    Each is held against the best one before any other card was seen, and against what the others set.

    \b
    Example:
      chinese-poker review night.jsonl --rules mandarin
    """
    from .suggest import AGAINST, review_deal

    _tell_what_takes_time()
    run = Run(errors, _LARGE_TO_VALUE)
    lapses = []
    for file, document in run.documents(files):
        try:
            deal, in_force = wire.read_deal(document.value, rules)
            lapses += review_deal(
                deal,
                in_force,
                place=_place(file, document),
                against=against or AGAINST,
                samples=samples,
                seed=seed,
            )
        except ChinesePokerError as error:
            run.report(file, document.place(error))
    lapses.sort(key=lambda lapse: -lapse.review.given_away)
    if as_json:
        for lapse in lapses:
            _write_json(lapse.document())
    else:
        _print(*report.review_tables(lapses, top))
    run.end()


@cli.command("check")
@click.argument("sources", nargs=-1, required=True, metavar="FILE|ARRANGEMENT...")
@_rules_option
@_json_option
@_errors_option
def check_command(sources: tuple[str, ...], rules: RuleSet | None, as_json: bool, errors: str) -> None:
    """Say whether arrangements are legal, and which naturals the cards hold.

    Give 'front | middle | back', or files (or -) of {"front", "middle", "back"} or {"hand"}, one a line.

    \b
    Examples:
      chinese-poker check "QhQd2c | 9s9h4d4c7s | AsKsJs8s3s"
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
            _write_json(checked)
        else:
            _print(*report.check_lines(checked))
    run.end()


def _arrangements(run: Run, sources: Iterable[str]) -> Iterator[tuple[str, Document]]:
    for source in sources:
        if "|" not in source:
            yield from run.documents([source])
            continue
        parts = source.split("|")
        if len(parts) == len(SEGMENTS):
            yield source, Document(0, "", dict(zip(SEGMENTS, parts, strict=True)))
        else:
            fault = f"{len(parts)} segments; write 'front | middle | back'"
            run.report(source, [ArrangementError("wrong_segments", fault)])


@cli.command("rank")
@click.argument("segments", nargs=-1, required=True, metavar="CARDS...")
@_rules_option
@_json_option
@_errors_option
def rank_command(segments: tuple[str, ...], rules: RuleSet | None, as_json: bool, errors: str) -> None:
    """Rank segments of three or five cards; a higher strength wins.

    \b
    Examples:
      chinese-poker rank "Qs Qh Qd 4s 4h" "Ks Kh Ad"
      chinese-poker rank As2d3h4c5s --json --rules vietnam
    """
    run = Run(errors)
    wheel = (rules or load_rules("basic")).wheel
    for text in _joined(segments, 5):
        try:
            cards = parse_segment(text)
            strength = evaluate(cards, wheel)
        except ChinesePokerError as error:
            run.report(quote(text, 60), error.problems)
            continue
        words = strength.describe()
        if as_json:
            category = strength.category.word
            _write_json({"cards": format_cards(cards), "category": category, "strength": strength, "words": words})
        else:
            click.echo(f"{format_cards(cards):15} {strength:>8} {words}")
    run.end()


@cli.command("rules")
@click.argument("name", required=False, type=RulesType())
@click.option("--toml", is_flag=True, help="Write the preset's file, to begin your own with.")
@_json_option
def rules_command(name: RuleSet | None, toml: bool, as_json: bool) -> None:
    """List the rule sets, or show one: its values, its sources, and what is open.

    \b
    Examples:
      chinese-poker rules
      chinese-poker rules mandarin
      chinese-poker rules mandarin --toml > my-club.toml
    """
    if toml:
        if name is None or name.name not in rule_names():
            raise click.UsageError("--toml goes with the name of a preset.")
        click.echo(preset_text(name.name), nl=False)
    elif as_json:
        for rules in [name] if name else map(load_rules, rule_names()):
            _write_json(rules_document(rules))
    elif name:
        _print(report.rules_table(name))
    else:
        _print(report.rules_list(map(load_rules, rule_names())))


@cli.command("schema")
@click.argument("kind", type=click.Choice([*wire.SCHEMAS, "rules"]))
def schema_command(kind: str) -> None:
    """Print the JSON Schema (draft 2020-12) of a kind of document.

    \b
    Example:
      chinese-poker schema deal > deal.schema.json
    """
    click.echo(json.dumps(wire.schema(kind), indent=2))


def main() -> None:
    """Run the command; whatever goes wrong is one line, never a traceback."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run()
        sys.stdout.flush()
    except OSError as error:
        status = 1
        if not isinstance(error, BrokenPipeError):
            with contextlib.suppress(OSError):
                click.echo(f"chinese-poker: cannot write: {error.strerror}", err=True)
        for stream in (sys.stdout, sys.stderr):  # what is left in them goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status)


def _run() -> int:
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("chinese-poker: interrupted", err=True)
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def _open_closed_streams() -> None:
    """Give what was closed before the start a stream on which reading, or writing results, is an error like any."""
    for name, mode in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))
