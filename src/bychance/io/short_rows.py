"""Rows that end before the names do, as programs and hands leave out what is empty at the end."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from bychance.io.cells import MISSING_AMONG_NUMBERS, MISSING_IN_TEXT
from bychance.messages import Code, Note

__all__ = ["filled_up"]

_NUMBER = re.compile(r"\W*\d")  # what one begins with
FEWEST_SHORT = 0.5  # of the rows, where the last is short: elsewhere the file may have been cut off there


def filled_up(text: str, delimiter: str, n_above: int) -> tuple[str, tuple[Note, ...]] | None:
    """The text with as many values in each row as there are names, and a note; None where that is a guess.

    Each row must have two values and half of them at least, numbers where the whole rows have numbers alone
    and words where they have words alone, and nothing may stand behind the last name. `n_above` are lines
    above the text.

    >>> filled_up("a,b,c\\n1,2\\n3,4,5,\\n", ",", 0)[0]
    'a,b,c\\n1,2,\\n3,4,5\\n'
    >>> filled_up("a,b,c\\n3,4,5\\n6,7,8\\n1,2\\n", ",", 0) is None
    True
    >>> filled_up("a,b,c\\nx,y,5\\nx y,6\\nx,z,8\\n", ",", 0) is None
    True
    """
    if text.count('"') % 2:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        records = [(row, n_above + reader.line_num) for row in reader if row]
    except csv.Error:
        return None
    (names, _), *rows = records
    width = len(names)
    lines = [line for row, line in rows if len(row) < width]
    is_cut_off = bool(lines) and lines[-1] == rows[-1][1] and len(lines) < FEWEST_SHORT * len(rows)
    if (
        is_cut_off
        or any(_is_odd(row, width) for row, _ in rows)
        or _are_shifted([row for row, _ in rows], width)
    ):
        return None
    written = io.StringIO(newline="")
    whole = ([*row[:width], *[""] * (width - len(row))] for row, _ in rows)
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows([names, *whole])
    return written.getvalue(), _notes(lines)


def _is_odd(row: Sequence[str], width: int) -> bool:
    """Whether a row has one value, fewer than half of them, or one behind the last name."""
    return len(row) < max(2, width / 2) or any(cell.strip() for cell in row[width:])


def _are_shifted(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a short row has a number below words alone, or a word below numbers: one before it lacks."""
    whole, short = ([row for row in rows if (len(row) >= width) is is_whole] for is_whole in (True, False))
    for k in range(width):
        kinds = _kinds(row[k] for row in whole)
        if len(kinds) == 1 and _kinds(row[k] for row in short if k < len(row)) - kinds:
            return True
    return False


def _kinds(cells: Iterable[str]) -> set[bool]:
    """Whether the cells that hold something are numbers."""
    present = (cell.strip() for cell in cells)
    return {
        bool(_NUMBER.match(cell))
        for cell in present
        if cell not in MISSING_IN_TEXT and cell not in MISSING_AMONG_NUMBERS
    }


def _notes(lines: list[int]) -> tuple[Note, ...]:
    return (Note.on_table(Code.ROWS_SHORT, n=len(lines), lines=tuple(lines)),) if lines else ()
