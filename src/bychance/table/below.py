"""What stands below the rows of a file: a last row that sums up those above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.names import display_name
from bychance.table.record import Note
from bychance.table.text_cells import TextCells

__all__ = ["note_on_total"]

_TOTALS = frozenset({"total", "totals", "grand total", "sum", "overall", "gesamt", "summe"})
_FEWEST_ROWS = 4
_ROUNDING = 1e-3  # of a mean that was written with few digits
_LISTED = 3


def note_on_total(cells: Iterable[TextCells], columns: Sequence[Column]) -> Note | None:
    """A note where the last row is called a total and holds the sums or means of the rows above it."""
    name = next((text for text in map(_last_text, cells) if _is_total(text)), None)
    if name is None:
        return None
    summed = [column.name for column in columns if _sums_up(column)]
    if not summed:
        return None
    more = f" and {len(summed) - _LISTED:,} more" if len(summed) > _LISTED else ""
    shown = ", ".join(map(repr, map(display_name, summed[:_LISTED])))
    return Note(
        None,
        f"The last row reads {name.strip()!r} and sums up the rows above in {shown}{more}; it was read as "
        "data: leave it out of the file.",
    )


def _last_text(cells: TextCells) -> str | None:
    if not len(cells.values):
        return None
    last: str | None = cells.values[len(cells.values) - 1].as_py()
    return last


def _is_total(text: str | None) -> bool:
    return text is not None and text.strip().rstrip(":").casefold() in _TOTALS


def _sums_up(column: Column) -> bool:
    """Whether the last value is the sum or the mean of the others, which are not all 0."""
    if column.kind is not Kind.NUMERIC or column.clock is not None or len(column) < _FEWEST_ROWS:
        return False
    if column.is_missing is not None and column.is_missing[-1]:
        return False
    *above, last = column.present.astype(np.float64).tolist()
    return (
        len(above) >= _FEWEST_ROWS - 1
        and any(above)
        and _is_one_of(last, (sum(above), sum(above) / len(above)))
    )


def _is_one_of(value: float, others: Iterable[float]) -> bool:
    return any(abs(value - other) <= _ROUNDING * abs(other) for other in others)
