"""Merged cells of a sheet: what stands in the first of several rows holds for all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["MergedRows", "filled", "merged_rows"]

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_BLOCK, _LONGEST = 1 << 20, 200  # bytes that are read at once, and of what is looked for


@dataclass(frozen=True, slots=True)
class MergedRows:
    """Merged cells of one column: its position, their first row and the one behind the last, from 0."""

    column: int
    start: int
    end: int


def merged_rows(sheet: Any) -> list[MergedRows]:
    """The merged cells of a sheet that openpyxl reads only forward, as far as they are of one column."""
    found, before = list[MergedRows](), b""
    # openpyxl itself knows them only of sheets that it holds as a whole.
    archive, path = getattr(sheet.parent, "_archive", None), getattr(sheet, "_worksheet_path", None)
    if archive is None or path is None:
        return found
    with archive.open(path.lstrip("/")) as file:
        while block := file.read(_BLOCK):
            text = before + block
            for column, start, last_column, end in _MERGED.findall(text):
                if column == last_column and end != start:
                    found.append(MergedRows(_position(column.decode()), int(start) - 1, int(end)))
            before = text[-_LONGEST:]
    return sorted(set(found), key=lambda merged: (merged.column, merged.start))


def _position(letters: str) -> int:
    """The column's number from 0.

    >>> _position("A"), _position("AB")
    (0, 27)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def filled(
    rows: Sequence[Sequence[Any]], merged: Sequence[MergedRows], first: int
) -> tuple[list[tuple[Any, ...]], list[int]]:
    """The rows, of which the first is the sheet's row `first`, with merged cells filled; and which columns.

    >>> filled([("a", 1), (None, 2), ("b", 3)], [MergedRows(0, 5, 7)], first=5)[0]
    [('a', 1), ('a', 2), ('b', 3)]
    """
    if not merged:
        return [tuple(row) for row in rows], []
    cells, columns = [list(row) for row in rows], dict[int, None]()
    for each in merged:
        start = each.start - first
        if not 0 <= start < len(cells) or each.column >= len(cells[start]):
            continue
        for row in cells[start + 1 : each.end - first]:
            row[each.column] = cells[start][each.column]
        columns[each.column] = None
    return [tuple(row) for row in cells], list(columns)
