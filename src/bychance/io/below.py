"""What stands below the rows of a file: footnotes, and last rows that sum up those above."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import strings_of
from bychance.columns import Column
from bychance.io.cells import TextCells
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = [
    "LAST_CHARACTERS",
    "LINE_END",
    "MOST_LAST_ROWS",
    "MOST_TOTALS",
    "SUMS",
    "Above",
    "Totals",
    "count_footnotes",
    "cut_footnotes",
    "is_called_total",
    "is_near",
    "is_sum_or_mean",
    "note_on_footnotes",
    "note_on_totals",
    "totals_below",
    "without_last_rows",
]

SUMS = frozenset({
    "total", "totals", "grand total", "subtotal", "sub-total", "sub total", "sum", "gesamt", "insgesamt",
    "summe", "zwischensumme", "gesamtsumme", "somme", "total général", "sous-total", "totale", "somma",
    "suma", "total general", "totaal", "subtotaal", "som", "итого", "gesamtergebnis",
})  # fmt: skip
_TOTALS = SUMS | {
    "overall", "average", "mean", "mittelwert", "durchschnitt", "moyenne", "gemiddelde", "all", "∑", "σ",
    "合計",
}  # fmt: skip
# Of exports: Total: Account, Total - Filtered campaigns, Total (60), Report total, Team Totals.
_MORE_TOTALS = re.compile(r"(grand )?totals?\s*(:|\(| [–-] ).*|[^\W\d]+ totals?", re.IGNORECASE)
MOST_LAST_ROWS = 25  # that are looked at
MOST_TOTALS = 2  # a total and an average
_WORDS = "(source|note|quelle|anmerkung|hinweis|fuente|nota|bron|fonte)s?"
_FOOTNOTE = re.compile(rf"[*†‡§¹²³]|{_WORDS}\b", re.IGNORECASE)
_FOOTNOTE_IN_CELLS = re.compile(rf"[*†‡§¹²³]|{_WORDS}\s*[:.–-]", re.IGNORECASE)
_END, _MANY_COLUMNS = re.compile(r"[^\W\d]{2,}$"), 4
_NUMBER = re.compile(r"^\W*\d[\d.,'\s]*\W*$")
_FEWEST_ROWS = 4
_ROUNDING = 1e-3  # of a mean that was written with few digits
_LISTED = 3
LINE_END = re.compile(r"\r\n|\r|\n")
LAST_CHARACTERS = 1 << 14  # of a text that are looked at


def count_footnotes(last: Sequence[Sequence[str]], width: int | None = None) -> int:
    """How many of the last rows are footnotes: nothing but their first cell, after an empty row or a mark.

    A mark and a delimiter in what follows it is a footnote as well where it does not make `width` cells.
    Footnotes stand below names and four rows at least.

    >>> table = [["region", "sales"], ["North", "12"], ["South", "9"], ["East", "8"], ["West", ""]]
    >>> count_footnotes([*table, ["", ""], ["figures are provisional", ""]]), count_footnotes(table)
    (2, 0)
    >>> count_footnotes([*table, ["Source: office", " 2023", " p. 4"]], width=2)
    1
    """
    start, awaits_mark = 0, False  # how many are footnotes; whether a row below has several cells
    for k, row in enumerate(reversed(last)):
        text = "".join(row[:1]).strip()
        is_cut = any(cell.strip() for cell in row[1:]) and not _is_narrow(row, width)
        if is_cut and not _is_prose(row, last[: len(last) - k - 1], width):
            break
        is_marked = _is_marked(row) if is_cut else _FOOTNOTE.match(text) is not None or _is_end(row, width)
        awaits_mark = not is_marked and (awaits_mark or is_cut)
        if is_marked or not (text or awaits_mark):
            start = k + 1
    below = last[len(last) - start :]
    is_above = len(last) - start > _FEWEST_ROWS
    texts = [text for row in below if (text := "".join(row[:1]).strip())]
    return start if is_above and texts and not all(map(_NUMBER.match, texts)) else 0


def _is_narrow(row: Sequence[str], width: int | None) -> bool:
    """Whether a row has less than half of the cells of the table, as a sentence with a comma may."""
    return width is not None and 2 * len(row) < width


def _is_end(row: Sequence[str], width: int | None) -> bool:
    """Whether a line is one word where the table has four columns or more, as END_DATA is."""
    return width is not None and width >= _MANY_COLUMNS and len(row) == 1 and bool(_END.match(row[0]))


def _is_prose(row: Sequence[str], above: Sequence[Sequence[str]], width: int | None) -> bool:
    """Whether several cells may be one sentence: marked as a footnote, or with blanks behind the delimiters.

    Where they are as many as the table has, both, with four words or more and no number among the cells; and
    the rows above are neither marked nor have such blanks, unless they are footnotes themselves.
    """
    if width is None or len(row) != width:
        return width is not None and (_is_marked(row) or _is_spaced(row))
    if not (_is_marked(row) and _is_spaced(row)) or any(map(_NUMBER.match, row[1:])):
        return False
    return len(" ".join(row).split()) > 3 and all(_is_marked(other) == _is_spaced(other) for other in above)


def _is_marked(row: Sequence[str]) -> bool:
    return _FOOTNOTE_IN_CELLS.match("".join(row[:1]).strip()) is not None


def _is_spaced(row: Sequence[str]) -> bool:
    return len(row) > 1 and all(cell.startswith(" ") and cell.strip() for cell in row[1:])


def cut_footnotes(tail: str, delimiter: str, width: int) -> tuple[int, Note] | None:
    """How much of the end of a text comes before its footnotes, and a note on these; None where it has none.

    The caller makes sure that what comes before closes its quotes: within a quoted value are no footnotes.

    >>> cut_footnotes("a,b\\n" + "1,2\\n" * 5 + "Source: office\\n", ",", 2)[0]
    23
    """
    ended = tail.rstrip("\r\n")
    lines = LINE_END.split(ended)[-MOST_LAST_ROWS:]
    rows = [next(csv.reader([line], delimiter=delimiter), []) for line in lines]
    n_rows = count_footnotes(rows, width)
    if not n_rows or any(line.count('"') % 2 for line in lines[-n_rows:]):
        return None
    end = len(ended)
    for line in lines[: -n_rows - 1 : -1]:
        end = len(tail[: end - len(line)].rstrip("\r\n")) if line else end
    return end, note_on_footnotes(rows[-n_rows:])


def note_on_footnotes(last: Sequence[Sequence[str]]) -> Note:
    """That these rows were left out."""
    texts = tuple(text for row in last if (text := ",".join(row).strip(" ,")))
    return Note.on_table(Code.FOOTNOTES_LEFT_OUT, n=len(texts), cells=texts, option=KEEP_ALL_ROWS)


@dataclass(frozen=True, slots=True)
class Totals:
    """The last rows that sum up those above: what they are called, and in which columns they do."""

    called: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def note(self) -> Note:
        """That they were left out."""
        return note_on_totals(len(self.called), "last", self.called, self.columns)


def note_on_totals(n_rows: int, place: str, called: Sequence[str], columns: tuple[str, ...]) -> Note:
    """Say that first or last rows were left out, what they are called, and in which columns they sum up.

    >>> print(str(note_on_totals(1, "last", ["Total "], ("sales",)))[:81])
    The last row reads 'Total' and sums up the rows above in 'sales'; it was left out
    """
    return Note.on_table(
        Code.TOTALS_LEFT_OUT,
        n=n_rows,
        place=place,
        called=tuple(name.strip() for name in called),
        others="below" if place == "first" else "above",
        columns=columns,
        option=KEEP_ALL_ROWS,
    )


def totals_below(cells: Iterable[object], columns: Sequence[Column]) -> Totals | None:
    """The last rows that alone are called totals, and hold the sums or means of the rows above them all."""
    texts = [column for column in cells if isinstance(column, TextCells)]
    for count in range(MOST_TOTALS, 0, -1):
        called = next(filter(None, (_called_totals(column, count) for column in texts)), None)
        if called is None:
            continue
        summed = [{column.name for column in columns if _sums_up(column, count, row)} for row in range(count)]
        if all(summed):
            return Totals(called, tuple(c.name for c in columns if any(c.name in names for names in summed)))
    return None


def without_last_rows(columns: Mapping[str, object], count: int) -> dict[str, object]:
    """Columns of a text file or sheet, less what stands in so many of their last rows."""
    return {name: _without_last(values, count) for name, values in columns.items()}


def is_called_total(cell: str | None) -> bool:
    """Whether a cell is a word for sums or means.

    >>> is_called_total("Grand total:"), is_called_total("Total: Account"), is_called_total("Total cost")
    (True, True, False)
    """
    if cell is None:
        return False
    text = cell.strip().rstrip(":").casefold()
    return text in _TOTALS or _MORE_TOTALS.fullmatch(text) is not None


def is_sum_or_mean(value: float, above: Above) -> bool:
    """Whether a value is the sum or the mean of those above it, which are not all 0 or near it."""
    if above.n < _FEWEST_ROWS - 1 or not above.n_other_than_0:
        return False
    # Of years, any is near the mean.
    if 2 * above.n_near > above.n:
        return False
    return bool(is_near(value, above.total) or is_near(value, above.total / above.n))


@dataclass(frozen=True, slots=True)
class Above:
    """What the numbers above a value come down to: how many, their sum, and how many are near it."""

    n: int
    total: float
    n_other_than_0: int
    n_near: int

    @staticmethod
    def of(numbers: NDArray[np.float64], value: float) -> Above:
        """That of these numbers."""
        n_near = int(np.count_nonzero(is_near(numbers, value)))
        return Above(len(numbers), float(numbers.sum()), int(np.count_nonzero(numbers)), n_near)


def _without_last(values: Any, count: int) -> object:
    if isinstance(values, TextCells):
        return replace(values, values=values.values.slice(0, len(values.values) - count))
    return values[:-count]


def _called_totals(cells: TextCells, count: int) -> tuple[str, ...] | None:
    """The last cells, where they alone are called totals: one total per year is a category like others."""
    import pyarrow.compute as pc

    values = cells.values
    last = values.slice(max(len(values) - count, 0)).to_pylist()
    if len(set(last)) < count or not all(map(is_called_total, last)):
        return None
    n_so_called = pc.sum(pc.is_in(values, value_set=strings_of(last).cast(values.type))).as_py()
    return tuple(last) if n_so_called == count else None


def _sums_up(column: Column, count: int, row: int) -> bool:
    """Whether what stands in a row of the last so many is the sum or the mean of all above these."""
    if column.kind is not Kind.NUMERIC or column.clock is not None or len(column) < count:
        return False
    at = len(column) - count + row
    if column.is_missing is not None and column.is_missing[at]:
        return False
    above = column.at(slice(0, len(column) - count)).present.astype(np.float64)
    value = float(column.values[at])
    return is_sum_or_mean(value, Above.of(above, value))


def is_near(value: Any, other: Any) -> Any:
    """Whether numbers are equal up to the rounding of a mean."""
    return abs(value - other) <= _ROUNDING * abs(other)
