"""What stands around the names of a file: titles and comments above them, units or questions below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from bychance.table.record import Note
from bychance.table.text_cells import MISSING_IN_TEXT, shown

__all__ = [
    "MOST_BELOW_NAMES",
    "MOST_ROWS_ABOVE",
    "is_units",
    "n_rows_above",
    "note_on_rows_above",
    "rows_below_names",
]

MOST_ROWS_ABOVE = 20
MOST_BELOW_NAMES = 3
FEWEST_NUMBERS = 5
MIXED_SHARE = 0.9
_LONGEST_UNIT = 20
_LISTED = 3
_COMMENT = "#"
_SHORTER = 2  # cells
_IMPORT_ID = re.compile(r'^\s*\{\s*["\']ImportId["\']\s*:')  # how Qualtrics tells columns apart
_SAID = re.compile(r"^\s*[^\W\d][\w ]*:\s*\S")  # User: admin
# What a number or a date may begin with.
_LIKE_A_NUMBER = re.compile(r"^\s*[<>≤≥]?=?\s*[($€£+\-−]*\s*[.,]?\d")


def n_rows_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top are titles or comments: no more than one cell in each, or # before it.

    So are a row of cells such as "User: admin" above an empty one, and one that is shorter than most rows by
    two cells or more, as in what banks write about an account.

    What follows must be names: two cells or more, as many as most rows have, no number among them but years,
    and none that stands below as well. A row with # that has as many cells as most rows is one of names.

    >>> n_rows_above([["Sales 2023", ""], ["", ""], ["region", "sales"], ["North", "12"], ["South", "9"]])
    2
    >>> n_rows_above([["x"], ["1", "5"], ["2", "6"]])
    0
    """
    widths = Counter(len(row) for row in rows if row)
    usual = widths.most_common(1)[0][0] if widths else 0
    for k, row in enumerate(rows[: MOST_ROWS_ABOVE + 1]):
        filled = [cell for cell in row if cell.strip()]
        is_comment = bool(filled) and filled[0].lstrip().startswith(_COMMENT) and len(row) != usual
        is_comment |= all(map(_SAID.match, filled)) and not any(cell.strip() for cell in _next(rows, k))
        if len(filled) > 1 and not is_comment and len(row) > usual - _SHORTER:
            is_table = len(row) == usual and widths[usual] >= MIXED_SHARE * len(rows[k:])
            return k if is_table and _are_names(row, rows[k + 1 :]) else 0
    return 0


def _next(rows: Sequence[Sequence[str]], k: int) -> Sequence[str]:
    return rows[k + 1] if k + 1 < len(rows) else ["?"]


def _are_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    numbers = [cell.strip() for cell in row if _LIKE_A_NUMBER.match(cell)]
    if numbers and not (_are_years(numbers) and row[0].strip() not in ("", numbers[0])):
        return False
    others = [later for later in below if list(later) != list(row)]  # loggers repeat their names
    return not any(
        cell and cell == other for later in others for cell, other in zip(row, later, strict=False)
    )


def _are_years(cells: Sequence[str]) -> bool:
    """Whether these are two years or more, one after the other, as names have them."""
    years = [int(cell) if cell.isdecimal() else 0 for cell in cells]
    return len(years) > 1 and years[0] >= 1500 and years[-1] <= 2200 and years == sorted(set(years))


def rows_below_names(
    rows: Sequence[Sequence[str]], values_of: Callable[[int], Collection[Any]]
) -> tuple[int, tuple[Note, ...]]:
    """How many of the first rows below the names are no data: questions down to import ids, or units."""
    for k, row in enumerate(rows):
        filled = [cell for cell in row if cell.strip()]
        if filled and all(map(_IMPORT_ID.match, filled)):
            what = "holds import ids" if k == 0 else "hold questions and import ids"
            return k + 1, (_note_below(f"row{'s' * (k > 0)} below the names {what}", rows[0], k + 1),)
    if rows and is_units(rows[0], values_of):
        return 1, (_note_below("row below the names holds units", rows[0], 1),)
    return 0, ()


def is_units(cells: Sequence[str], values_of: Callable[[int], Collection[Any]]) -> bool:
    """Whether the first row below the names holds units: words, each above numbers, and nothing else.

    `values_of` gives the first values of a column, that of this row among them.

    >>> columns = [["", "a", "b", "c", "d", "e"], ["mg/L", "0.5", "<0.1", "2", "3", "4"]]
    >>> is_units(["", "mg/L"], lambda k: columns[k])
    True
    """
    units = [(k, cell.strip()) for k, cell in enumerate(cells) if cell.strip()]
    return bool(units) and all(_is_unit(cell, values_of(k)) for k, cell in units)


def _is_unit(cell: str, values: Collection[Any]) -> bool:
    if cell in MISSING_IN_TEXT or len(cell) > _LONGEST_UNIT or _LIKE_A_NUMBER.match(cell):
        return False
    below = ["" if value is None else str(value).strip() for value in list(values)[1:]]
    present = [value for value in below if value not in MISSING_IN_TEXT]
    n_numbers = sum(bool(_LIKE_A_NUMBER.match(value)) for value in present)
    return len(present) >= FEWEST_NUMBERS and n_numbers >= MIXED_SHARE * len(present)


def note_on_rows_above(rows: Sequence[Sequence[str]]) -> Note:
    """That these rows were left out."""
    cells = [cell for row in rows for cell in row if cell.strip()]
    what = "row" if len(rows) == 1 else f"{len(rows)} rows"
    were = "was" if len(rows) == 1 else "were"
    left_out = f"The {what} above the names ({_some(cells)}) {were} left out"
    return Note(None, f"{left_out}; header=False reads all rows as data.")


def _note_below(what: str, cells: Sequence[str], n_rows: int) -> Note:
    some = _some([cell for cell in cells if cell.strip()])
    were = "was" if n_rows == 1 else "were"
    return Note(None, f"The {what} ({some}) and {were} left out; header=False reads all rows as data.")


def _some(cells: Sequence[str]) -> str:
    more = ", …" if len(cells) > _LISTED else ""
    return ", ".join(shown(cell.strip()) for cell in cells[:_LISTED]) + more
