"""List of columns in the report: kind, missing values, typical values and a histogram of each."""

from __future__ import annotations

from typing import Any

from bychance.io import Table
from bychance.io.table import N_BARS, ColumnOverview, overview_of
from bychance.messages import Dialect
from bychance.names import count_of, display_name

__all__ = ["overview"]

_MOST = 500  # columns that the page lists (taste)
_HEIGHT, _STEP, _BAR = 24, 8, 7  # height, distance and width of the bars of a histogram (pixels)


def overview(table: Table, dialect: Dialect) -> dict[str, Any]:
    """Return the report's entries for the first 500 columns, and the number of columns with notes."""
    columns = overview_of(table, dialect)
    n_noted = sum(bool(column.notes) for column in columns)
    said = [count_of(len(columns), "column")] + ([f"{n_noted:,} with a note"] if n_noted else [])
    if len(columns) > _MOST:
        said.append(f"the first {_MOST:,} are listed")
    return {
        "headline": "; ".join(said),
        "listed": [_shown(column) for column in columns[:_MOST]],
        "notes": [note.text for note in table.notes if note.column is None],
        "width": N_BARS * _STEP,
        "height": _HEIGHT,
    }


def _shown(column: ColumnOverview) -> dict[str, Any]:
    return {
        "name": display_name(column.name, 200),
        "kind": column.kind,
        "why": column.why,
        "missing": column.missing_shown,
        "distinct": column.distinct_shown,
        "typical": column.typical,
        "bars": _bars(column.histogram),
        "notes": list(column.notes),
    }


def _bars(histogram: tuple[int, ...]) -> list[dict[str, float]]:
    """Return position and height of each bar of a histogram, in pixels."""
    most = max(histogram, default=0)
    heights = [round(_HEIGHT * count / most, 1) if count else 0.0 for count in histogram]
    return [
        {"x": k * _STEP, "y": _HEIGHT - max(height, 1), "width": _BAR, "height": max(height, 1)}
        for k, height in enumerate(heights)
        if height
    ]
