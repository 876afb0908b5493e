"""Excel: the first sheet of a workbook → named columns. Needs the extra `excel` (openpyxl)."""

from __future__ import annotations

import warnings
import zipfile
from datetime import date, time
from importlib import import_module
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.table.delimited import name_unnamed
from bychance.table.frames import Source
from bychance.table.record import Note, check_unique
from bychance.table.typing_rules import TextCells
from bychance.table.unpacked import UnpackedLimit

__all__ = ["from_excel"]

_CELL_BYTES = 32  # a Python object and what points to it


def from_excel(path: Path, limit: UnpackedLimit) -> Source:
    """The columns of the first sheet, its first row as their names.

    A column with a string in it is read as text would be, so that NA, ? and the like are missing there.
    """
    origin = limit.origin
    sheets, rows = _first_sheet(path, limit)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise BychanceError(f"{origin} is empty.")
    if len(rows) == 1:
        raise BychanceError(f"{origin} has a header and no rows.")
    width = max(map(len, rows))
    header = ["" if cell is None else str(cell) for cell in _padded(rows[0], width)]
    named, unnamed = name_unnamed(header)
    check_unique(named, origin)
    cells = zip(*(_padded(row, width) for row in rows[1:]), strict=True)
    columns: dict[str, object] = {
        name: _column(list(values)) for name, values in zip(named, cells, strict=True)
    }
    notes = () if len(sheets) == 1 else (Note(None, f"Only the first of {len(sheets)} sheets was read."),)
    return Source(columns, origin, notes=notes, unnamed=unnamed)


def _first_sheet(path: Path, limit: UnpackedLimit) -> tuple[list[str], list[tuple[Any, ...]]]:
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise BychanceError(
            f"{limit.origin} is an Excel file; reading it needs openpyxl: pip install 'bychance[excel]'."
        ) from None
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and validations that have no bearing on the values.
            warnings.simplefilter("ignore")
            with zipfile.ZipFile(path) as archive:
                limit.check(sum(member.file_size for member in archive.infolist()))
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                return list(book.sheetnames), _rows(book.worksheets[0], limit)
            finally:
                book.close()
    except BychanceError:
        raise
    except Exception as error:
        raise BychanceError(f"{limit.origin} could not be read as Excel: {first_line(error)}.") from None


def _rows(sheet: Any, limit: UnpackedLimit) -> list[tuple[Any, ...]]:
    """The rows up to their last value. One cell far out makes a table of all that lies before it."""
    # Otherwise every row is as wide as the sheet says that it is.
    sheet.reset_dimensions()
    rows: list[tuple[Any, ...]] = []
    width, n_characters = 1, 0
    for row in sheet.iter_rows(values_only=True):
        rows.append(_trimmed(row))
        width = max(width, len(rows[-1]))
        # Many cells may share one text.
        n_characters += sum(len(cell) for cell in rows[-1] if isinstance(cell, str))
        extent = f", with {len(rows):,} rows and {width:,} columns"
        limit.check(len(rows) * width * _CELL_BYTES + n_characters, extent)
    return rows


def _trimmed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return tuple(row[:end])


def _padded(row: tuple[Any, ...], width: int) -> tuple[Any, ...]:
    return (*row, *(None,) * (width - len(row)))


def _column(values: list[Any]) -> object:
    import pyarrow as pa

    kinds = {_kind(value) for value in values if value is not None}
    if len(kinds) < 2 and "text" not in kinds:
        return values
    return TextCells(pa.array([_as_text(value) for value in values], pa.large_string()))


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "date" if isinstance(value, date | time) else "text"


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date | time) else str(value)
