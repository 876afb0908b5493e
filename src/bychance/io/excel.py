"""Excel: a sheet of a workbook → named columns. Needs the extra `excel` (openpyxl)."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Sequence
from datetime import date, time
from importlib import import_module
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError, unknown_name
from bychance.extras import require
from bychance.io.above import (
    MOST_BELOW_NAMES,
    is_units,
    n_rows_above,
    names_and_rows_below,
    note_on_rows_above,
)
from bychance.io.below import MOST_LAST_ROWS, count_footnotes, note_on_footnotes
from bychance.io.cells import TextCells, as_text
from bychance.io.frames import Source
from bychance.io.headers import names_in_two_rows
from bychance.io.layout import Layout
from bychance.io.merged_cells import MergedRows, filled, merged_rows
from bychance.io.unpacked import UnpackedLimit
from bychance.messages import OPEN, Code, Note, Option, Sentence
from bychance.names import display_name, first_line

__all__ = ["from_excel"]

_FIRST_ROWS = 100
_LISTED = 3
_OLD_FORMAT = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # within which workbooks with a password are, too
_CELL_BYTES = 32  # a Python object and what points to it
_MOST_ROWS = 1_048_576  # of a sheet, as Excel has it
_ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
_LEAST_ROW_BYTES, _LONGEST_ROW_TAG, _BLOCK = len(b"<row/>"), 20, 1 << 20


def from_excel(path: Path, layout: Layout, limit: UnpackedLimit) -> Source:
    """The columns of a sheet, the first unless one is named, its first row as their names.

    A column with a string in it is read as text would be, so that NA, ? and the like are missing there.
    """
    origin = limit.origin
    others, rows, merged = _sheet(path, layout.sheet, limit)
    rows, n_gone = rows[layout.skip_rows :], layout.skip_rows
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise BychanceError(_lacking(origin, "is empty", others))
    notes = _notes(others) if layout.sheet is None else []
    last = [_texts(row) for row in rows[-MOST_LAST_ROWS:]]
    if layout.n_header and (n_footnotes := count_footnotes(last)):
        notes.append(note_on_footnotes(last[-n_footnotes:]))
        rows = rows[:-n_footnotes]
    width = max(map(len, rows))
    rows = [_padded(row, width) for row in rows]
    if layout.finds_names and (n_above := n_rows_above([_texts(row) for row in rows[:_FIRST_ROWS]])):
        notes.append(note_on_rows_above([_texts(row) for row in rows[:n_above]]))
        rows, n_gone = rows[n_above:], n_gone + n_above
    first, n_header = _texts(rows[0]), layout.n_header
    if n_header and len(rows) > 2:
        below_first = list(zip(*rows[1 : _FIRST_ROWS + 1], strict=True))
        are_units = is_units(_texts(rows[1]), lambda k: below_first[k])
        if named := names_in_two_rows(first, _texts(rows[1]), are_units=are_units):
            first, n_header = named[0], 2
            notes.append(named[1])
    rows, spread = filled(rows[n_header:], merged, n_gone + n_header)
    cells = list(zip(*rows, strict=True)) or [()] * width
    below = [_texts(row) for row in rows[:MOST_BELOW_NAMES]] if n_header else []
    first, n_below, said = names_and_rows_below(first, below, lambda k: cells[k])
    header = layout.header(first, lambda k: cells[k])
    if spread:
        notes.append(Note.on_table(Code.CELLS_MERGED, names=tuple(header.names[k] for k in spread)))
    if len(rows) <= n_below:
        raise BychanceError(_lacking(origin, "has a header and no rows", others))
    cells = [values[n_below:] for values in cells]
    columns: dict[str, object] = {
        name: _column(list(values)) for name, values in zip(header.names, cells, strict=True)
    }
    return Source(
        columns,
        origin,
        notes=(*notes, *said, *header.notes),
        unnamed=header.unnamed,
        may_have_total=bool(layout.n_header),
    )


def _sheet(
    path: Path, sheet: str | int | None, limit: UnpackedLimit
) -> tuple[list[str], list[tuple[Any, ...]], list[MergedRows]]:
    """The names of the other sheets, the rows of the one that is read, and its merged cells."""
    require("excel")
    openpyxl = import_module("openpyxl")
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and validations that have no bearing on the values.
            warnings.simplefilter("ignore")
            with zipfile.ZipFile(path) as archive:
                limit.check(sum(member.file_size for member in archive.infolist()))
                _check_rows(archive, limit)
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                if not book.worksheets:
                    raise BychanceError(f"{limit.origin} has no sheet with cells.")
                picked = _picked(book, sheet)
                others = [page.title for page in book.worksheets if page.title != picked.title]
                return others, _rows(picked, limit), merged_rows(picked)
            finally:
                book.close()
    except BychanceError:
        raise
    except zipfile.BadZipFile:
        raise BychanceError(f"{limit.origin} {_no_workbook(path)}.") from None
    except Exception as error:
        raise BychanceError(f"{limit.origin} could not be read as Excel: {first_line(error)}.") from None


def _no_workbook(path: Path) -> str:
    """What is wrong with a file that is no workbook of today's format."""
    with path.open("rb") as file:
        start = file.read(len(_OLD_FORMAT))
    if start == _OLD_FORMAT:
        return "has a password or is of the old Excel format; save it as .xlsx without a password"
    return "is no Excel file, whatever its name says"


def _picked(book: Any, sheet: str | int | None) -> Any:
    """The sheet of this name, or of this number counted from 1."""
    names = [page.title for page in book.worksheets]
    if sheet is None:
        return book.worksheets[0]
    if str(sheet) in names:
        return book.worksheets[names.index(str(sheet))]
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return book.worksheets[int(sheet) - 1]
    raise unknown_name("sheet", sheet, names)


def _notes(others: list[str]) -> list[Note]:
    if not others:
        return []
    other = Option("sheet", OPEN)
    return [Note.on_table(Code.OTHER_SHEETS, n=len(others) + 1, sheets=tuple(others), option=other)]


def _lacking(origin: str, what: str, others: list[str]) -> Sentence:
    """What is wrong with a sheet, and which others there are: a cover stands before the data."""
    lacks = Sentence((f"{origin} {what}",))
    if not others:
        return lacks + "."
    return (
        lacks + " in the sheet that was read; " + Option("sheet", OPEN) + f" reads another: {_some(others)}."
    )


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(display_name(name, 40)) for name in names[:_LISTED])
    return shown + (", …" if len(names) > _LISTED else "")


def _rows(sheet: Any, limit: UnpackedLimit) -> list[tuple[Any, ...]]:
    """The rows up to their last value. One cell far out makes a table of all that lies before it."""
    # Otherwise every row is as wide as the sheet says that it is.
    sheet.reset_dimensions()
    rows: list[tuple[Any, ...]] = []
    width, n_characters = 1, 0
    for row in sheet.iter_rows(values_only=True):
        if len(rows) == _MOST_ROWS:
            raise _too_many_rows(limit)
        rows.append(_trimmed(row))
        width = max(width, len(rows[-1]))
        # Many cells may share one text.
        n_characters += sum(len(cell) for cell in rows[-1] if isinstance(cell, str))
        extent = f", with {len(rows):,} rows and {width:,} columns"
        limit.check(len(rows) * width * _CELL_BYTES + n_characters, extent)
    return rows


def _check_rows(archive: zipfile.ZipFile, limit: UnpackedLimit) -> None:
    """An error where a sheet has more rows than Excel knows; openpyxl would look at each of them first."""
    for member in archive.infolist():
        if member.file_size < _MOST_ROWS * _LEAST_ROW_BYTES or not member.filename.endswith(".xml"):
            continue
        n_rows, before = 0, b""
        with archive.open(member) as file:
            while n_rows <= _MOST_ROWS and (block := file.read(_BLOCK)):
                n_rows += len(_ROW.findall(before + block)) - len(_ROW.findall(before))
                before = block[-_LONGEST_ROW_TAG:]
        if n_rows > _MOST_ROWS:
            raise _too_many_rows(limit)


def _too_many_rows(limit: UnpackedLimit) -> BychanceError:
    return BychanceError(
        f"{limit.origin} has a sheet with more than {_MOST_ROWS:,} rows, which is all that Excel has: it is "
        "damaged, or was not written by Excel; write the table as .csv or .parquet."
    )


def _texts(row: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in row]


def _trimmed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return tuple(row[:end])


def _padded(row: tuple[Any, ...], width: int) -> tuple[Any, ...]:
    return (*row, *(None,) * (width - len(row)))


def _column(values: list[Any]) -> object:
    kinds = {_kind(value) for value in values if value is not None}
    text = as_text(values) if len(kinds) > 1 or "text" in kinds else None
    return values if text is None else TextCells(text)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "date" if isinstance(value, date | time) else "text"
