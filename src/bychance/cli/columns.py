"""`bychance columns`: a file → what its columns were read as, and why."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bychance.cli.error_lines import in_options, usage_errors
from bychance.cli.show import print_tabbed
from bychance.cli.terminal import terminal_width
from bychance.names import display_name
from bychance.table import MAX_GIB, Table, TextFormat, read_table
from bychance.table.overview import ColumnOverview
from bychance.validation import number_within

__all__ = ["columns"]

Names = list[str] | None


def _column(help_text: str) -> Any:
    """An option that names a column."""
    return typer.Option(metavar="COLUMN", help=help_text)


def _text(help_text: str) -> Any:
    """An option about how the file is written."""
    return typer.Option(metavar="TEXT", help=help_text)


def columns(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet, Feather, ARFF or Excel.")],
    numeric: Annotated[Names, _column("Read this column as numbers (repeatable).")] = None,
    categorical: Annotated[Names, _column("Read this column as labels (repeatable).")] = None,
    drop: Annotated[Names, _column("Leave this column out (repeatable).")] = None,
    missing: Annotated[
        Names, _text("What stands for a missing value, instead of NA, ? and the like (repeatable).")
    ] = None,
    delimiter: Annotated[str | None, _text("What separates values, if it is not found out.")] = None,
    decimal: Annotated[str | None, _text("Decimal mark, if it is not found out.")] = None,
    encoding: Annotated[str | None, _text("Encoding, if it is not found out.")] = None,
    max_gib: Annotated[float, typer.Option(help="Most GiB that a packed FILE may take.")] = MAX_GIB,
) -> None:
    """Show what the columns of FILE were read as, and why.

    One line per column: its kind, the share of missing values, distinct
    values, the range or the most common values, a small histogram. Look
    here first: a column that was read wrongly is seen at a glance.

    Through a pipe the lines are tab-separated values.

    For example:

      bychance columns WHO.csv

      bychance columns survey.csv --missing -999 --categorical zip
    """
    with usage_errors():
        text_format = TextFormat("\t" if delimiter in (r"\t", "tab") else delimiter, decimal, encoding)
        number_within(max_gib, "max_gib", math.inf)
    table = read_table(
        file,
        numeric=numeric or (),
        categorical=categorical or (),
        drop=drop or (),
        missing=missing,
        text_format=text_format,
        max_gib=max_gib,
    )
    if sys.stdout.isatty():
        # Without a height rich would take a dumb terminal to be 80 columns wide.
        console = Console(highlight=False, markup=False, width=terminal_width(), height=25)
        console.print(table.describe().strip("<>"), soft_wrap=True, style="bold")
        console.print(_grid(table))
    else:
        print(table.describe().strip("<>"), file=sys.stderr)
        print_tabbed([_record(column) for column in table.overview()], raw_names=False)
    sys.stdout.flush()
    for note in table.notes:
        if not note.is_set_aside:
            print(f"Note: {in_options(display_name(str(note)))}", file=sys.stderr)


def _grid(table: Table) -> Grid:
    """The overview as wide as the terminal: names and kinds stay whole, typical values give way."""
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("column", overflow="fold", max_width=28)
    grid.add_column("kind", no_wrap=True)
    for heading in ("missing", "distinct"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("range or most common", overflow="fold", ratio=1)
    grid.add_column("histogram", no_wrap=True, min_width=10)
    for column in table.overview():
        cells = (
            display_name(column.name),
            column.kind,
            column.missing_shown,
            column.distinct_shown,
            display_name(column.typical or column.why),
            column.bars,
        )
        grid.add_row(*(Text(cell) for cell in cells), style="" if column.typical else "dim")
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
