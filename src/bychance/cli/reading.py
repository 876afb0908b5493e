"""Options for reading FILE, and `bychance columns`: the kind that each column was read as, with reasons."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from rich.table import Table as Grid
from rich.text import Text

from bychance.cli.error_lines import usage_errors
from bychance.cli.panels import column, one_of, option, with_panels
from bychance.cli.show import plain_console, plain_grid, print_tabbed
from bychance.errors import BychanceError
from bychance.io import Table, TextFormat
from bychance.io.table import ColumnOverview, overview_of
from bychance.messages import Dialect, note_lines
from bychance.names import display_name
from bychance.ranking.api import DEFAULTS
from bychance.ranking.load import read_whole
from bychance.validation import one_of as one_of_names

__all__ = ["Batches", "File", "Files", "Names", "ReadOptions", "columns", "once", "source_of"]

Names = list[str] | None
_URL = re.compile(r"^([a-z][a-z0-9+]+):/(?=[^/])")  # a Path keeps one of the two slashes
_ORDERS = ("day-first", "month-first")
_FORMATS = "CSV, TSV, JSON, Parquet, Feather, ARFF, Excel, packed files, - (stdin)"

File = Annotated[Path, typer.Argument(metavar="FILE", help=f"{_FORMATS}.")]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help=f"{_FORMATS}, several of these, a directory, a glob, or a URL.",
    ),
]


def _text(help_text: str) -> Any:
    return option(help_text, metavar="TEXT")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of `read_table` and of its `TextFormat`."""

    title: ClassVar = "How FILE is read"

    numeric: Annotated[Names, column("Read this column as numbers (repeatable).")] = None
    categorical: Annotated[Names, column("Read this column as categories (repeatable).")] = None
    drop: Annotated[Names, column("Leave this column out (repeatable).")] = None
    missing: Annotated[
        Names,
        _text(
            "Mark of a missing value, instead of NA, ? and the like: --missing NA --missing -9 keeps NA "
            "(repeatable)."
        ),
    ] = None
    merge: Annotated[
        Names, column("Take categories that differ by case or blanks only as one (repeatable).")
    ] = None
    dates: Annotated[
        str | None,
        one_of("Read 03/04/2019 day-first or month-first. Default: by the column's other dates."),
    ] = None
    header: Annotated[bool, option("Take the first row as names, or as data.", "--header/--no-header")] = True
    skip_rows: Annotated[int, option("Rows above the table.", min=0)] = 0
    sheet: Annotated[str | None, _text("Sheet of an Excel FILE, by name or number. Default: the first.")] = (
        None
    )
    delimiter: Annotated[str | None, _text("Separator of values. Default: detected.")] = None
    decimal: Annotated[str | None, _text("Decimal mark. Default: detected.")] = None
    encoding: Annotated[str | None, _text("Encoding. Default: detected.")] = None

    def options(self) -> dict[str, Any]:
        """Return the given options of `read_table`, checked as far as possible without reading FILE."""
        # A list that was not given may be empty. For `missing` an empty list would mean no marks at all.
        given = {name: value for name, value in vars(self).items() if value not in (None, [])}
        delimiter, decimal, encoding = (
            given.pop(name, None) for name in ("delimiter", "decimal", "encoding")
        )
        with usage_errors():
            # A tab is hard to type.
            delimiter = "\t" if delimiter in (r"\t", "tab") else delimiter
            text_format = TextFormat(delimiter, decimal, encoding)
            order = given.pop("dates", None)
            if order is not None:
                given["day_first"] = one_of_names(order, "dates", _ORDERS) == _ORDERS[0]
        return {**given, "text_format": text_format}


@dataclass(frozen=True, kw_only=True)
class Batches:
    """Options for reading FILE in batches or whole."""

    title: ClassVar = ReadOptions.title

    stream: Annotated[
        bool | None,
        option(
            "Read FILE in batches, or whole. Default: in batches if it would not fit in memory.",
            "--stream/--no-stream",
            show_default=False,
        ),
    ] = DEFAULTS["stream"]


def once(values: Names, option: str) -> str | None:
    """Return the value of an option, or raise an error if it is given twice."""
    if values and len(values) > 1:
        raise BychanceError(f"{option} must be given once, got {' and '.join(map(repr, values))}.")
    return values[0] if values else None


def source_of(files: list[Path]) -> Any:
    """Return the input: one path, a URL with both its slashes restored, or a list of paths."""
    named = [_with_slashes(file) for file in files]
    return named[0] if len(named) == 1 else named


def _with_slashes(file: Path) -> str | Path:
    found = _URL.match(str(file))
    if found is None:
        return file
    return f"{found[1]}:{'///' if found[1] == 'file' else '//'}{str(file)[found.end() :]}"


@with_panels
def columns(file: Files, how: ReadOptions) -> None:
    """Show what the columns of FILE were read as, and why.

    One line per column: its kind, the share of missing values, distinct
    values, the range or the most common values, a small histogram. Look
    here first: a column that was read wrongly is seen at a glance.

    Through a pipe the lines are tab-separated values.

    For example:

      bychance columns WHO.csv

      bychance columns survey.csv --missing -999 --categorical zip

      bychance columns events/*.parquet
    """
    table = read_whole(source_of(file), how.options())
    if sys.stdout.isatty():
        console = plain_console()
        console.print(table.describe().strip("<>"), soft_wrap=True, style="bold")
        console.print(_grid(table))
    else:
        print(table.describe().strip("<>"), file=sys.stderr)
        print_tabbed([_record(own) for own in overview_of(table, Dialect.COMMAND_LINE)])
    sys.stdout.flush()
    noticed = (note for note in table.notes if not note.is_set_aside)
    for line in note_lines(noticed, dialect=Dialect.COMMAND_LINE):
        print(f"Note: {line}", file=sys.stderr)


def _grid(table: Table) -> Grid:
    """Tabulate the columns at terminal width. Typical values wrap, names and kinds do not."""
    grid = plain_grid()
    grid.add_column("column", overflow="fold", max_width=28)
    grid.add_column("kind", no_wrap=True)
    for heading in ("missing", "distinct"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("range or most common", overflow="fold", ratio=1)
    grid.add_column("histogram", no_wrap=True, min_width=10)
    for own in overview_of(table, Dialect.COMMAND_LINE):
        cells = (
            display_name(own.name),
            own.kind,
            own.missing_shown,
            own.distinct_shown,
            display_name(own.typical or own.why),
            own.bars,
        )
        grid.add_row(*(Text(cell) for cell in cells), style="" if own.typical else "dim")
    return grid


def _record(column: ColumnOverview) -> dict[str, Any]:
    return {
        "column": column.name,
        "kind": column.kind,
        "why": column.why,
        "missing": None if math.isnan(column.missing) else column.missing,
        "distinct": column.n_distinct,
        "typical": column.typical,
        "notes": "; ".join(column.notes),
    }
