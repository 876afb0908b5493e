"""`bychance columns`: the kind that each column of a file was read as, with reasons."""

from __future__ import annotations

import math
import sys
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from bychance.cli import reading
from bychance.cli.panels import with_panels
from bychance.cli.show import print_tabbed
from bychance.cli.terminal import plain_console, plain_grid
from bychance.io import Table
from bychance.io.table import ColumnOverview, overview_of
from bychance.messages import Dialect, note_lines
from bychance.names import display_name
from bychance.ranking.load import read_whole

__all__ = ["columns"]


@with_panels
def columns(file: reading.Files, how: reading.ReadOptions) -> None:
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
    table = read_whole(reading.source_of(file), how.options())
    if sys.stdout.isatty():
        console = plain_console()
        console.print(table.describe().strip("<>"), soft_wrap=True, style="bold")
        console.print(_grid(table))
    else:
        print(table.describe().strip("<>"), file=sys.stderr)
        print_tabbed([_record(column) for column in overview_of(table, Dialect.COMMAND_LINE)])
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
    for column in overview_of(table, Dialect.COMMAND_LINE):
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
