"""What stands below the rows of a file: footnotes, and a last row that sums up those above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.names import display_name
from bychance.table.record import Note
from bychance.table.text_cells import TextCells, shown

__all__ = ["MOST_LAST_ROWS", "count_footnotes", "note_on_footnotes", "note_on_total", "without_last_row"]

_TOTALS = frozenset({
    "total", "totals", "grand total", "sum", "overall", "average", "mean", "gesamt", "insgesamt", "summe",
    "mittelwert", "durchschnitt", "somme", "total général", "moyenne", "totale", "somma", "suma",
    "total general", "totaal", "som", "gemiddelde", "итого",
})  # fmt: skip
MOST_LAST_ROWS = 25  # that are looked at
_FOOTNOTE = re.compile(
    r"[*†‡§¹²³]|(source|note|quelle|anmerkung|hinweis|fuente|nota|bron|fonte)s?\b", re.IGNORECASE
)
_FEWEST_ROWS = 4
_ROUNDING = 1e-3  # of a mean that was written with few digits
_LISTED = 3


def count_footnotes(last: Sequence[Sequence[str]]) -> int:
    """How many of the last rows are footnotes: nothing but their first cell, after an empty row or a mark.

    They stand below names and four rows at least.

    >>> table = [["region", "sales"], ["North", "12"], ["South", "9"], ["East", "8"], ["West", ""]]
    >>> count_footnotes([*table, ["", ""], ["figures are provisional", ""]]), count_footnotes(table)
    (2, 0)
    """
    below = list[str]()
    for row in reversed(last):
        if any(cell.strip() for cell in row[1:]):
            break
        below.insert(0, "".join(row[:1]).strip())
    start = next((k for k, text in enumerate(below) if not text or _FOOTNOTE.match(text)), len(below))
    count = len(below) - start
    return count if any(below[start:]) and len(last) - count > _FEWEST_ROWS else 0


def note_on_footnotes(last: Sequence[Sequence[str]]) -> Note:
    """That these rows were left out."""
    texts = [text for row in last if (text := "".join(row[:1]).strip())]
    more = ", …" if len(texts) > _LISTED else ""
    named = ", ".join(map(shown, texts[:_LISTED])) + more
    what = f"row below the table ({named}) was" if len(texts) == 1 else f"rows below the table ({named}) were"
    return Note(None, f"The {what} left out; header=False reads all rows as data.")


def note_on_total(cells: Iterable[object], columns: Sequence[Column]) -> Note | None:
    """A note where the last row alone is called a total, and holds the sums or means of the rows above it."""
    names = (_total_of(column) for column in cells if isinstance(column, TextCells))
    name = next(filter(None, names), None)
    if name is None:
        return None
    summed = [column.name for column in columns if _sums_up(column)]
    if not summed:
        return None
    more = f" and {len(summed) - _LISTED:,} more" if len(summed) > _LISTED else ""
    named = ", ".join(map(repr, map(display_name, summed[:_LISTED])))
    reads = f"The last row reads {name.strip()!r} and sums up the rows above in {named}{more}"
    return Note(None, f"{reads}; it was left out; header=False reads all rows as data.")


def without_last_row(columns: Mapping[str, object]) -> dict[str, object]:
    """Columns of a text file or sheet, less what stands in their last row."""
    return {name: _without_last(values) for name, values in columns.items()}


def _without_last(values: Any) -> object:
    if isinstance(values, TextCells):
        return replace(values, values=values.values.slice(0, len(values.values) - 1))
    return values[:-1]


def _total_of(cells: TextCells) -> str | None:
    """The last cell, where it alone is called a total: one total per year is a category like others."""
    import pyarrow.compute as pc

    n_rows = len(cells.values)
    last: str | None = cells.values[n_rows - 1].as_py() if n_rows else None
    if last is None or last.strip().rstrip(":").casefold() not in _TOTALS:
        return None
    return last if pc.sum(pc.equal(cells.values, last)).as_py() == 1 else None


def _sums_up(column: Column) -> bool:
    """Whether the last value is the sum or the mean of the others, which are not all 0."""
    if column.kind is not Kind.NUMERIC or column.clock is not None or len(column) < _FEWEST_ROWS:
        return False
    if column.is_missing is not None and column.is_missing[-1]:
        return False
    *above, last = column.present.astype(np.float64).tolist()
    if len(above) < _FEWEST_ROWS - 1 or not any(above):
        return False
    # Of years, any is near the mean.
    if 2 * sum(_is_near(value, last) for value in above) > len(above):
        return False
    return _is_near(last, sum(above)) or _is_near(last, sum(above) / len(above))


def _is_near(value: float, other: float) -> bool:
    return abs(value - other) <= _ROUNDING * abs(other)
