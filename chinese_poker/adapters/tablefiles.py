"""Tables as files, by suffix: Parquet, CSV and Arrow, read and written. Needs the extra ``tables`` (pyarrow)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..documents import Document, decoded
from ..errors import ChinesePokerError, DealError
from ..extras import needs
from ..files import replacing
from ..report import FORMULA_STARTS
from ..texts import one_line
from .tables import deal_documents

with needs("tables"):
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv as arrow_csv
    from pyarrow import feather, parquet


_AS_NEEDED = arrow_csv.WriteOptions(quoting_style="needed", quoting_header="needed")


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table out of a file, and what could not be read of it."""

    table: Any
    """``pyarrow.Table``."""
    lines: Any
    """(n,) int64: what to call each row: its line in a CSV file, else its number from 1."""
    problems: tuple[ChinesePokerError, ...] = ()

    def place(self, row: int, problem: ChinesePokerError) -> ChinesePokerError:
        """What is wrong with a row, told by its line."""
        return problem.at("", line=int(self.lines[row]))


def read_table(path: Path) -> TableFile:
    """A table of deals.

    :raises DealError: ``bad_table``, ``not_utf8``, where the whole file cannot be read.
    :raises OSError: where there is no such file, or it may not be read.
    """
    with path.open("rb"):
        pass
    suffix = path.suffix.lower()
    try:
        return _read_csv(path) if suffix == ".csv" else _read_arrow(path, suffix)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise DealError("bad_table", f"no {path.suffix} file of deals: {one_line(str(error), 200)}") from None


def read_documents(path: Path) -> Iterator[Document]:
    """The deals of a table as documents, each at the line of its first row."""
    read = read_table(path)
    for problem in read.problems:
        yield Document(problem.line or 1, "", error=problem.at("", line=1))
    for row, value in deal_documents(read.table):
        error = value if isinstance(value, ChinesePokerError) else None
        yield Document(int(read.lines[row]), "", None if error else value, error)


def _read_arrow(path: Path, suffix: str) -> TableFile:
    """A table of Arrow's, looked through whole before it is trusted."""
    table = {".parquet": parquet.read_table, ".arrow": feather.read_table}[suffix](path)
    table.validate(full=True)
    return TableFile(table, np.arange(1, table.num_rows + 1))


def _read_csv(path: Path) -> TableFile:
    """All columns as texts: what is no number where one is due is a fault of its row."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                decoded(line)
            except DealError as error:
                raise error.at("", line=number) from None
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header = next(csv.reader(stream), [])
    except csv.Error as error:
        raise DealError("bad_table", f"its first line cannot be read: {error}; name the columns in it") from None
    if any("\0" in name for name in header):  # where pyarrow would take the name to end
        raise DealError("bad_table", "a column's name holds U+0000; leave it out")
    skipped, problems = [], []

    def skip(row: Any) -> str:  # noqa: ANN401
        skipped.append(row.number)
        if row.actual_columns > 1 or row.text.strip():
            fault = f"{row.actual_columns} columns where the first line names {row.expected_columns}; write as many"
            problems.append(DealError("bad_row", fault, line=row.number))
        return "skip"

    table = arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(use_threads=False),
        parse_options=arrow_csv.ParseOptions(invalid_row_handler=skip, ignore_empty_lines=False),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=True, null_values=[""]
        ),
    )
    lines = np.setdiff1d(np.arange(2, table.num_rows + len(skipped) + 2), skipped)
    is_blank = np.logical_and.reduce([column.is_null().to_numpy() for column in table.columns])
    return TableFile(table.filter(pa.array(~is_blank)), lines[~is_blank], tuple(problems))


def write_table(table: Any, path: Path) -> None:  # noqa: ANN401
    """Write a table, the whole or nothing; no text of a CSV file is what a spreadsheet takes for a formula.

    :raises ChinesePokerError: ``unwritable``.
    """
    writers: dict[str, Callable[[Any, BinaryIO], None]] = {
        ".parquet": parquet.write_table,
        ".csv": lambda table, file: arrow_csv.write_csv(_without_formulas(table), file, _AS_NEEDED),
        ".arrow": feather.write_feather,
    }
    write = writers[path.suffix.lower()]
    with replacing(path) as file:
        write(table, file)


def _without_formulas(table: Any) -> Any:  # noqa: ANN401
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            starts = [pc.starts_with(column, start) for start in FORMULA_STARTS]
            harmful = starts[0]
            for start in starts[1:]:
                harmful = pc.or_(harmful, start)
            column = pc.if_else(harmful, pc.binary_join_element_wise("'", column.cast(pa.string()), ""), column)
        columns[name] = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return pa.table(columns)


def concatenated(tables: list[Any]) -> Any:  # noqa: ANN401
    """Tables one after the other; deals that some call by numbers and others by texts are called by texts."""
    kinds = {table["deal"].type for table in tables}
    if len(kinds) > 1:
        tables = [table.set_column(0, "deal", table["deal"].cast(pa.string())) for table in tables]
    return pa.concat_tables(tables, promote_options="default").unify_dictionaries()
