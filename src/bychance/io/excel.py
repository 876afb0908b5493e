"""Reader of Excel sheets (.xlsx). It needs the extra `excel` (openpyxl).

Titles, names, units and footnotes are found by the rules for text files. Merged cells hold for all their
rows.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bychance.errors import BychanceError, in_one_sentence, require, unknown_name
from bychance.io.cells import as_cells
from bychance.io.dialect import Layout
from bychance.io.footer import MOST_LAST_ROWS, count_footnotes, note_on_footnotes
from bychance.io.frames import Source
from bychance.io.preamble import (
    MOST_BELOW_NAMES,
    MOST_ROWS_ABOVE,
    header_of,
    n_rows_above,
    note_on_rows_above,
)
from bychance.io.table import sentence_on_sheets
from bychance.messages import OPEN, Code, Note, Option

if TYPE_CHECKING:
    from bychance.io.files import UnpackedLimit

__all__ = ["from_excel"]

_Row = tuple[Any, ...]
_Range = tuple[int, int, int, int]  # first column and row, last column and row, from 1
_FIRST_ROWS = 100  # rows of a sheet that are searched for the header and its columns' types (taste)
_OLD_FORMAT = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # within which workbooks with a password are, too
_CELL_BYTES = 32  # bytes of memory per cell: a Python object and the pointer to it (estimate)
_MOST_ROWS = 1_048_576  # rows of a sheet (Excel's limit)
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*ref="([A-Z]+[0-9]+:[A-Z]+[0-9]+)"')
_LONGEST_TAG, _BLOCK = 200, 1 << 20  # bytes of an XML tag at most, and bytes read at once (taste)


def from_excel(path: Path, layout: Layout, limit: UnpackedLimit) -> Source:
    """Return the columns of a sheet, by default the first, with names from its first row.

    A column with a string in it is read as text would be, so that NA, ? and the like are missing there.
    """
    others, rows, merged = _sheet(path, layout.sheet, limit)
    notes = list[Note]()
    if others and layout.sheet is None:
        other = Option("sheet", OPEN)
        notes.append(Note.on_table(Code.OTHER_SHEETS, n=len(others) + 1, sheets=tuple(others), option=other))
    rows, n_gone = rows[layout.skip_rows :], layout.skip_rows
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise BychanceError(f"{limit.origin} is empty." + sentence_on_sheets(notes))
    last = [_texts(row) for row in rows[-MOST_LAST_ROWS:]]
    if layout.n_header and (n_footnotes := count_footnotes(last)):
        notes.append(note_on_footnotes(last[-n_footnotes:]))
        rows = rows[:-n_footnotes]
    width = max(map(len, rows))
    if layout.finds_names and (n_above := n_rows_above(_as_in_text(rows[:_FIRST_ROWS], width))):
        notes.append(note_on_rows_above([_texts(row) for row in rows[:n_above]]))
        rows, n_gone = rows[n_above:], n_gone + n_above
    rows = [_padded(row, width) for row in rows]
    header = header_of(
        layout,
        [_texts(row) for row in rows[: MOST_BELOW_NAMES + 2]],
        lambda k, n: [row[k] for row in rows[n : n + _FIRST_ROWS]],
    )
    below, spread = _filled(rows[header.n_rows :], merged, n_gone + header.n_rows)
    if not below:
        raise BychanceError(f"{limit.origin} has a header and no rows." + sentence_on_sheets(notes))
    if spread:
        notes.append(Note.on_table(Code.CELLS_MERGED, names=tuple(header.names[k] for k in spread)))
    columns: dict[str, object] = {
        name: as_cells(list(values))
        for name, values in zip(header.names, zip(*below, strict=True), strict=True)
    }
    return Source(
        columns,
        limit.origin,
        notes=(*notes, *header.notes),
        unnamed=header.unnamed,
        may_have_total=bool(layout.n_header),
    )


def _sheet(
    path: Path, sheet: str | int | None, limit: UnpackedLimit
) -> tuple[list[str], list[_Row], list[_Range]]:
    """Return the names of the other sheets, the rows of the selected sheet, and its merged cells."""
    require("excel")
    openpyxl = import_module("openpyxl")
    with in_one_sentence(limit.origin, "could not be read as Excel"), warnings.catch_warnings():
        # openpyxl warns of styles and validations that have no bearing on the values.
        warnings.simplefilter("ignore")
        if not zipfile.is_zipfile(path):
            raise BychanceError(f"{limit.origin} {_no_workbook(path)}.")
        with zipfile.ZipFile(path) as archive:
            limit.check(sum(member.file_size for member in archive.infolist()))
        with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
            if not book.worksheets:
                raise BychanceError(f"{limit.origin} has no sheet with cells.")
            picked = _selected_sheet(book, sheet)
            others = [page.title for page in book.worksheets if page.title != picked.title]
            return others, _rows(picked, limit), _merged_cells(picked)


def _no_workbook(path: Path) -> str:
    """Describe why a file is not a valid .xlsx workbook."""
    with path.open("rb") as file:
        start = file.read(len(_OLD_FORMAT))
    if start == _OLD_FORMAT:
        return "has a password or is of the old Excel format; save it as .xlsx without a password"
    return "is no Excel file, whatever its name says"


def _selected_sheet(book: Any, sheet: str | int | None) -> Any:
    """Return the workbook's sheet by its name, or by its number counted from 1."""
    pages = book.worksheets
    if sheet is None:
        return pages[0]
    by_title = {page.title: page for page in pages}
    by_name = {str(number): page for number, page in enumerate(pages, start=1)} | by_title
    if str(sheet) not in by_name:
        raise unknown_name("sheet", sheet, by_title)
    return by_name[str(sheet)]


def _rows(sheet: Any, limit: UnpackedLimit) -> list[_Row]:
    """Return each row up to its last value, and raise an error beyond the memory limit."""
    # Otherwise every row is as wide as the sheet says that it is.
    sheet.reset_dimensions()
    rows = list[_Row]()
    width, n_characters = 1, 0
    for row in sheet.iter_rows(values_only=True):
        if len(rows) == _MOST_ROWS:
            raise BychanceError(
                f"{limit.origin} has a sheet with more than {_MOST_ROWS:,} rows, which is all that Excel "
                "has: it is damaged, or was not written by Excel; write the table as .csv or .parquet."
            )
        end = len(row)
        while end and row[end - 1] is None:
            end -= 1
        rows.append(tuple(row[:end]))
        width = max(width, end)
        # Many cells may share one text.
        n_characters += sum(len(cell) for cell in rows[-1] if isinstance(cell, str))
        extent = f", with {len(rows):,} rows and {width:,} columns"
        limit.check(len(rows) * width * _CELL_BYTES + n_characters, extent)
    return rows


def _merged_cells(sheet: Any) -> list[_Range]:
    """Return ranges of vertically merged cells, which requires loading the complete sheet."""
    boundaries = import_module("openpyxl.utils").range_boundaries
    archive, path = getattr(sheet.parent, "_archive", None), getattr(sheet, "_worksheet_path", None)
    found, before = set[_Range](), b""
    if archive is None or path is None:
        return []
    with archive.open(path.lstrip("/")) as file:
        while block := file.read(_BLOCK):
            found |= {boundaries(cells.decode()) for cells in _MERGED.findall(before + block)}
            before = block[-_LONGEST_TAG:]
    return sorted(cells for cells in found if cells[0] == cells[2] and cells[1] < cells[3])


def _filled(
    rows: Sequence[Sequence[Any]], merged: Sequence[_Range], first: int
) -> tuple[list[list[Any]], list[int]]:
    """Copy the value of each vertically merged range to all its rows. Return rows and changed columns.

    >>> _filled([("a", 1), (None, 2), ("b", 3)], [(1, 6, 1, 7)], first=5)[0]
    [['a', 1], ['a', 2], ['b', 3]]
    """
    cells, columns = [list(row) for row in rows], dict[int, None]()
    for column, start, _, end in merged:
        own = cells[max(start - first - 1, 0) : max(end - first, 0)]
        if start <= first or not own or column > len(own[0]):
            continue
        for row in own:
            row[column - 1] = own[0][column - 1]
        columns[column - 1] = None
    return cells, list(columns)


def _as_in_text(rows: Sequence[_Row], width: int) -> list[list[str]]:
    """Convert a sheet's cells to text. Pad each row below the titles, if any, to the table's width."""
    is_empty = [all(cell is None for cell in row) for row in rows[: MOST_ROWS_ABOVE + 1]]
    start = max((k for k, row_is_empty in enumerate(is_empty) if row_is_empty), default=0)
    return [_texts(row if k < start else _padded(row, width)) for k, row in enumerate(rows)]


def _texts(row: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in row]


def _padded(row: _Row, width: int) -> _Row:
    return (*row, *(None,) * (width - len(row)))
