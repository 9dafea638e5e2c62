"""What a person, a spreadsheet or a data frame sees of a summary."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arrangement import SEGMENTS
from ..errors import SimulationError
from ..extras import needs
from ..texts import quote
from .summary import FOUL, QUANTILES, SURRENDER, Held, Outcome, Seat, Summary

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("seat", "strategy", "table", "segment", "of", "figure", "value")
"""Of :func:`rows`."""
Row = tuple[int, str, str, str, str, str, int | float]


def rows(summary: Summary) -> Iterator[Row]:
    """A summary in long form, a row a figure, under :data:`COLUMNS`.

    ``table`` is ``scores``, ``quantiles``, ``histogram``, ``outcomes``, ``matchups``, ``record``, ``categories`` or
    ``strengths``; ``of`` says of which percent, score, outcome, category or strength the figure is.
    """
    for i, (name, seat) in enumerate(zip(summary.strategies, summary.seats, strict=True)):
        for place, value in _figures(seat.document()):
            yield i, name, *place, value


Place = tuple[str, str, str, str]


def _figures(seat: dict[str, Any]) -> Iterator[tuple[Place, int | float]]:
    scores = dict(seat["scores"])
    of_quantiles, of_histogram = scores.pop("quantiles"), scores.pop("histogram")
    for table, figures in (("scores", scores), ("matchups", seat["matchups"])):
        for figure, value in figures.items():
            yield (table, "", "", figure), value
    for table, entries, figure in (("quantiles", of_quantiles, "units"), ("histogram", of_histogram, "deals")):
        for of, value in entries.items():
            yield (table, "", of, figure), value
    for of, figures in seat["outcomes"].items():
        for figure, value in figures.items():
            yield ("outcomes", "", of, figure), value
    for segment, parts in seat["segments"].items():
        for figure in ("wins", "ties", "losses"):
            yield ("record", segment, "", figure), parts[figure]
        for table in ("categories", "strengths"):
            for of, figures in parts[table].items():
                for figure, value in figures.items():
                    yield (table, segment, of, figure), value


def as_json(summary: Summary) -> bytes:
    """The document on one line."""
    return json.dumps(summary.document()).encode() + b"\n"


def as_csv(summary: Summary) -> bytes:
    """:func:`rows` with their header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(summary))
    return text.getvalue().encode()


def as_parquet(summary: Summary) -> bytes:
    """:func:`rows`, the values as 64-bit floats; needs pyarrow."""
    with needs("tables"):
        import pyarrow as pa
        from pyarrow import parquet
    text = pa.string()
    kinds = (pa.int8(), text, text, text, text, text, pa.float64())
    columns = [list(column) for column in zip(*rows(summary), strict=True)]
    columns[-1] = list(map(float, columns[-1]))
    table = pa.table(dict(zip(COLUMNS, columns, strict=True)), pa.schema(list(zip(COLUMNS, kinds, strict=True))))
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


FORMATS = {".json": as_json, ".csv": as_csv, ".parquet": as_parquet}
"""How results are written, by the ending of the file."""


def check_format(path: Path) -> None:
    """That results can be written to a file of this name.

    :raises SimulationError: ``unknown_format``, ``missing_extra``.
    """
    if path.suffix not in FORMATS:
        fault = f"results are not written as {quote(path.suffix or path.name)}; name a file .json, .csv or .parquet"
        raise SimulationError("unknown_format", fault)
    if path.suffix == ".parquet":
        with needs("tables"):
            import_module("pyarrow")


def tables(summary: Summary, strengths: bool = False) -> Iterator[Table]:
    """A summary for a terminal.

    :param strengths: whether to tell segments apart by leading rank too, not by category alone.
    """
    seats = list(zip(map(str, range(len(summary.seats))), summary.strategies, summary.seats, strict=True))
    pooled = summary.by_strategy()
    yield _scores(summary, seats)
    yield _happenings(summary, seats)
    if any(seat.naturals() for seat in summary.seats):
        yield _naturals(pooled)
    yield _records(seats)
    for name, seat in pooled.items():
        yield _by_category(name, seat)
        if strengths:
            yield from (_by_strength(f"{name}: the {segment}", seat, i) for i, segment in enumerate(SEGMENTS))


Seats = list[tuple[str, str, Seat]]


def _table(title: str, *headings: str, texts: int = 2) -> Table:
    """A table whose first columns are texts, the others figures."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i < texts else "right")
    return table


def _scores(summary: Summary, seats: Seats) -> Table:
    of_seeds = ", ".join(dict.fromkeys(str(dealt.seed) for dealt in summary.dealt)) or "none"
    game = f"{summary.rules.name}, {len(seats)} players, {summary.deals:,} deals of seed {of_seeds}"
    bank = "" if summary.banker is None else f", seat {summary.banker} banks"
    percents = " ".join(f"{percent:>3}%" for percent in QUANTILES)
    table = _table(f"{game}{bank}: units a deal", "seat", "strategy", "mean", "deviation", percents)
    for i, name, seat in seats:
        figures = seat.figures
        quantiles = " ".join(f"{seat.quantile(percent):>4}" for percent in QUANTILES)
        table.add_row(i, name, f"{figures.mean:+.4f} ± {figures.error:.4f}", f"{figures.deviation:.3f}", quantiles)
    return table


def _happenings(summary: Summary, seats: Seats) -> Table:
    outcomes = (FOUL,) if summary.rules.surrender is None else (FOUL, SURRENDER)
    table = _table(
        "scoops of a hundred matchups, the rest of a hundred deals, bonuses in units a deal",
        *("seat", "strategy", "scoops", "scooped", "home runs", "naturals"),
        *(f"{outcome}s" for outcome in outcomes),
        *("bonus won", "bonus lost"),
    )
    for i, name, seat in seats:
        matchups, deals = seat.matchups, seat.figures.deals
        naturals = sum(outcome.deals for outcome in seat.naturals().values())
        others = [seat.outcomes.get(outcome, Outcome(0, 0)).deals for outcome in outcomes]
        table.add_row(
            i,
            name,
            *(f"{_percent(count, matchups.met):.2f}" for count in (matchups.scoops, matchups.scooped)),
            *(f"{_percent(count, deals):.3f}" for count in (matchups.home_runs, naturals, *others)),
            *(f"{units / max(1, deals):.3f}" for units in (matchups.bonus_won, matchups.bonus_lost)),
        )
    return table


def _naturals(pooled: dict[str, Seat]) -> Table:
    table = _table("naturals declared", "strategy", "natural", "hands", "one in", "units a deal")
    for name, seat in pooled.items():
        hands = seat.figures.deals
        for natural, (deals, units) in seat.naturals().items():
            shown = natural.replace("_", " ")
            table.add_row(name, shown, f"{deals:,}", f"{hands / deals:,.1f}", f"{units / deals:+.2f}")
    return table


def _records(seats: Seats) -> Table:
    headings = (f"{segment} won  tied  lost" for segment in SEGMENTS)
    table = _table("segments, of a hundred that were compared", "seat", "strategy", *headings)
    for i, name, seat in seats:
        table.add_row(i, name, *("  ".join(f"{100 * s:5.2f}" for s in seat.record(k).shares) for k in range(3)))
    return table


def _by_category(name: str, seat: Seat) -> Table:
    headings = (f"{segment} held   wins   units" for segment in SEGMENTS)
    title = f"{name}: of a hundred hands, wins of a hundred compared, and units a deal with such a segment"
    table = _table(title, "category", *headings, texts=1)
    found = [seat.categories(i) for i in range(3)]
    for category in sorted({category for held in found for category in held}):
        cells = (_held(held[category], _deals(held)) if category in held else "" for held in found)
        table.add_row(category.word.replace("_", " "), *cells)
    return table


def _deals(found: Mapping[Any, Held]) -> int:
    return sum(held.deals for held in found.values())


def _held(held: Held, deals: int) -> str:
    win = 100 * held.record.shares[0]
    return f"{_percent(held.deals, deals):6.3f}  {win:5.1f}  {held.figures.mean:+6.2f}"


def _percent(count: int, whole: int) -> float:
    return 100 * count / max(1, whole)


def _by_strength(title: str, seat: Seat, segment: int) -> Table:
    table = _table(title, "strength", "hands", "wins %", "ties %", "losses %", "units a deal", texts=1)
    for name, held in seat.strengths(segment):
        shares = (f"{100 * share:.2f}" for share in held.record.shares)
        figures = held.figures
        table.add_row(name.replace("_", " "), f"{held.deals:,}", *shares, f"{figures.mean:+.3f} ± {figures.error:.3f}")
    return table
