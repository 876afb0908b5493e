"""Detection of footnotes and totals in the first or last rows of a table, and of totals among the rows.

In:  the last lines of a text, or the cells and typed columns of a table.
Out: where the rows end, and notes on what was left out or looks like totals.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.arrow_values import strings_of
from bychance.columns import Column
from bychance.io.cells import TextCells
from bychance.io.dialect import LINE_END
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note
from bychance.names import display_name

__all__ = [
    "LAST_CHARACTERS",
    "MOST_LAST_ROWS",
    "MOST_TOTALS",
    "RowTally",
    "count_footnotes",
    "cut_footnotes",
    "is_called_total",
    "note_on_footnotes",
    "note_on_totals",
    "note_on_totals_among",
    "rows_of_totals",
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
MOST_LAST_ROWS = 25  # rows at the end of a table that are searched for footnotes (taste)
MOST_TOTALS = 2  # rows of totals at the end: a sum and an average (taste)
LAST_CHARACTERS = 1 << 14  # characters at the end of a text that are searched for footnotes (taste)
_WORDS = "(source|note|quelle|anmerkung|hinweis|fuente|nota|bron|fonte)s?"
_FOOTNOTE = re.compile(rf"[*†‡§¹²³]|{_WORDS}\b", re.IGNORECASE)
_FOOTNOTE_IN_CELLS = re.compile(rf"[*†‡§¹²³]|{_WORDS}\s*[:.–-]", re.IGNORECASE)
_NUMBER = re.compile(r"^\W*\d[\d.,'\s]*\W*$")
_FEWEST_ROWS = 4  # least number of rows above footnotes or totals (taste)
_ROUNDING = 1e-3  # largest relative difference of a mean that was written with few digits (taste)
_FEWEST_SUMMANDS, _FEWEST_COLUMNS = 3, 2  # nonzero values of a sum, and columns that must have sums (taste)
_MOST_CHANCE = 1e-3  # largest probability that such sums occur by chance in any columns of a table (taste)
_ALIKE = 0.5  # largest relative difference between a sum and a number that might have been one (taste)
_PROPORTIONAL = 0.9999  # correlation from which on columns are one quantity in two units (taste)
_MOST_DECIMALS, _FIRST_VALUES, _MOST_COMPARED = 6, 1_000, 20  # decimals, values for these, sums (taste)
_MOST_TOTALS_SHARE = _MOST_MISSING_SHARE = 0.2  # largest share of rows of totals, or missing a value (taste)
# Places are called so as well: Massa di Somma. Of a sentence it may be the last word.
_SUM = "|".join(re.escape(word) for word in sorted(SUMS - {"sum", "som", "somma", "somme", "suma"}, key=len))
_SPREAD = re.compile(
    r"s\.?[de]|sem|std|rsd|cv ?%?|(std?\.?|standard) ?dev(iation)?|standardabweichung|stabw|"
    r"[ée]cart-type|desviación estándar",
    re.IGNORECASE,
)
_ENDS = re.compile(rf"(.{{0,39}}[\s(:–-]|)({_SUM})\s*[:)]?\s*$", re.IGNORECASE)


def count_footnotes(last: Sequence[Sequence[str]], width: int | None = None) -> int:
    """Count the footnotes below a table: rows with a first cell only, after an empty row or a mark.

    In a text, a sentence with delimiters in it is a footnote as well: if it makes few cells, or begins with a
    word such as "Source:", or stands above such a line. Footnotes stand below names and four rows at least.

    >>> table = [["region", "sales"], ["North", "12"], ["South", "9"], ["East", "8"], ["West", ""]]
    >>> count_footnotes([*table, ["", ""], ["figures are provisional", ""]]), count_footnotes(table)
    (2, 0)
    >>> count_footnotes([*table, ["Source: office", " 2023", " p. 4"]], width=2)
    1
    """
    start, awaits_mark = 0, False  # how many are footnotes; whether a row below has several cells
    for k, row in enumerate(reversed(last), start=1):
        text, others = "".join(row[:1]).strip(), [cell for cell in row[1:] if cell.strip()]
        is_cut = bool(others) and (width is None or 2 * len(row) >= width)
        is_marked = (_FOOTNOTE_IN_CELLS if is_cut else _FOOTNOTE).match(text) is not None
        if is_cut:
            is_spaced = len(row) != width and all(cell.startswith(" ") for cell in others)
            is_own = len(row) != width or not any(map(_NUMBER.match, others))
            if width is None or not (is_spaced or (is_marked and is_own)):
                break
        awaits_mark = not is_marked and (awaits_mark or is_cut)
        if is_marked or not (text or awaits_mark):
            start = k
    below = last[len(last) - start :]
    is_above = len(last) - start > _FEWEST_ROWS
    texts = [text for row in below if (text := "".join(row[:1]).strip())]
    return start if is_above and texts and not all(map(_NUMBER.match, texts)) else 0


def cut_footnotes(tail: str, delimiter: str, width: int) -> tuple[int, Note] | None:
    """Find footnotes at the end of a text. Return its length without them and a note, or None.

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
    """Return a note that these last rows were left out as footnotes."""
    texts = tuple(text for row in last if (text := ",".join(row).strip(" ,")))
    return Note.on_table(Code.FOOTNOTES_LEFT_OUT, n=len(texts), cells=texts, option=KEEP_ALL_ROWS)


@dataclass(frozen=True, slots=True)
class _DataRows:
    """Result of the search for rows of totals: a slice of the data rows, and a note on the totals."""

    kept: slice
    note: Note


def note_on_totals(n_rows: int, place: str, called: Sequence[str], columns: tuple[str, ...]) -> Note:
    """Return a note that rows of totals were left out, with their names and summed columns.

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


def is_called_total(cell: str | None) -> bool:
    """Return True if a cell's text is a word for totals or means, such as "Grand total:".

    >>> is_called_total("Grand total:"), is_called_total("Total: Account"), is_called_total("Total cost")
    (True, True, False)
    """
    text = (cell or "").strip().rstrip(":").casefold()
    return text in _TOTALS or _MORE_TOTALS.fullmatch(text) is not None


@dataclass(slots=True)
class RowTally:
    """Running sum of a column, to test if given values (`targets`) are its total or mean."""

    targets: FloatArray
    n: int = 0
    total: float = 0.0
    n_other_than_0: int = 0
    n_near: IntArray | int = 0

    def add(self, numbers: FloatArray) -> None:
        """Add a batch of the column's numbers to the running sum."""
        self.n += len(numbers)
        self.total += float(numbers.sum())
        self.n_other_than_0 += int(np.count_nonzero(numbers))
        self.n_near = self.n_near + np.array([np.count_nonzero(_is_near(numbers, t)) for t in self.targets])

    @property
    def are_sums(self) -> BoolArray:
        """Flag the `targets` that equal the sum or the mean of all numbers added so far."""
        if self.n < _FEWEST_ROWS - 1 or not self.n_other_than_0:
            return np.zeros(len(self.targets), np.bool_)
        is_sum = _is_near(self.targets, self.total) | _is_near(self.targets, self.total / self.n)
        # Any year is near the mean of years.
        flags: BoolArray = is_sum & (2 * np.asarray(self.n_near) <= self.n)
        return flags


def _is_near(value: Any, other: Any) -> Any:
    """Return True if two numbers are equal up to the rounding of a mean."""
    return abs(value - other) <= _ROUNDING * abs(other)


def rows_of_totals(cells: Mapping[str, object], columns: Sequence[Column]) -> _DataRows | None:
    """Find totals in the first or last two rows. Return the other rows, or None without totals.

    Only rows named as totals may hold sums or means in some column. A row with another name must hold exact
    sums in two columns.

    >>> from bychance.io import read_table
    >>> table = read_table({"people": [80, 10, 20, 15, 35], "cars": [410, 50, 90, 70, 200]})
    >>> rows_of_totals({}, table.columns).kept
    slice(1, None, None)
    """
    numbers = {c.name: _floats(c) for c in columns if c.kind is Kind.NUMERIC and c.clock is None}
    texts = [own.values for own in cells.values() if isinstance(own, TextCells)]
    for own, kept in ((slice(-2, None), slice(-2)), (slice(-1, None), slice(-1)), (slice(1), slice(1, None))):
        place, called = "first" if kept.start else "last", _called_totals(texts, own)
        if called:
            sums = {name: _are_sums(values, own, kept) for name, values in numbers.items()}
            are_all = np.logical_or.reduce([np.zeros(len(called), np.bool_), *sums.values()]).all()
            summed = tuple(name for name, flags in sums.items() if flags.any()) if are_all else ()
        else:
            summed = _exact_sums(numbers, own, kept) if own.start != -MOST_TOTALS else ()
            words = (cell for text in texts if (cell := text[own][0].as_py()) and any(map(str.isalpha, cell)))
            called = tuple(islice(words, 1)) if summed else ()
        if summed:
            return _DataRows(kept, note_on_totals(abs(own.start or 1), place, called, summed))
    return None


def _floats(column: Column) -> FloatArray:
    numbers = column.values.astype(np.float64)
    if column.is_missing is not None:
        numbers[column.is_missing] = np.nan
    return numbers


def _called_totals(texts: Sequence[Any], own: slice) -> tuple[str, ...]:
    """Return the names, such as Total, of the rows `own`, or () if they are not named as totals."""
    import pyarrow.compute as pc

    for values in texts:
        called = values[own].to_pylist()
        if all(map(is_called_total, called)) and len(set(called)) == len(called):
            n_so_called = pc.sum(pc.is_in(values, value_set=strings_of(called).cast(values.type))).as_py()
            if n_so_called == len(called):
                return tuple(called)
    return ()


def _are_sums(numbers: FloatArray, own: slice, kept: slice) -> BoolArray:
    """Flag each of the rows `own` whose number is the sum or the mean of the data rows `kept`."""
    tally, others = RowTally(numbers[own]), numbers[kept]
    tally.add(others[~np.isnan(others)])
    return tally.are_sums


def _exact_sums(numbers: Mapping[str, FloatArray], own: slice, kept: slice) -> tuple[str, ...]:
    """Return the names of columns in which the row `own` is the exact sum of the data rows `kept`.

    Empty unless half of the columns in which the row may be a sum have one, and two that are not proportional
    have one beyond chance.
    """
    known = {k: values for k, values in numbers.items() if np.isfinite(values).sum() > _FEWEST_ROWS}
    names, totals = list(known), np.array([values[own][0] for values in known.values()])
    found = np.array([np.nansum(values[kept]) for values in known.values()])
    distance, size = np.abs(totals - found), np.abs(totals)
    alike = np.flatnonzero((totals != 0) & (distance <= _ALIKE * np.maximum(size, np.abs(found))))
    sums, widths, summands = list[str](), list[float](), list[FloatArray]()
    for k in alike.tolist():
        others = np.nan_to_num(known[names[k]][kept])
        unit = _unit(np.append(others[:_FIRST_VALUES], totals[k]))
        # A sum of rounded numbers is this far from the rounded sum; of whole numbers it is not.
        rounding = 1.2 * unit * len(others) ** 0.5 if unit < 1 else 1e-9 * size[k]
        is_larger = np.count_nonzero(others) >= _FEWEST_SUMMANDS and size[k] > np.abs(others).max()
        if is_larger and distance[k] <= rounding:
            sums.append(names[k])
            widths.append(unit + 2 * rounding)
            summands.append(others)
    is_half = len(sums) >= max(_FEWEST_COLUMNS, len(alike) / 2)
    return tuple(sums) if is_half and _is_beyond_chance(summands, widths, len(names)) else ()


def _unit(numbers: FloatArray) -> float:
    """Return the largest power of ten, at most 1, of which all numbers are multiples, such as 0.01."""
    for n_decimals in range(_MOST_DECIMALS):
        scaled = numbers * 10.0**n_decimals
        if np.allclose(scaled, np.round(scaled), rtol=1e-9, atol=1e-9, equal_nan=True):
            return float(10.0**-n_decimals)
    return float(10.0**-_MOST_DECIMALS)


def _is_beyond_chance(summands: Sequence[FloatArray], widths: Sequence[float], n_columns: int) -> bool:
    """Return True if exact sums in two or more columns are too unlikely to be a coincidence.

    The bound is the chance of all of these sums, times the ways to pick as many of the columns looked at. A
    sum is as random as its summands: the width of what counts as equal, times the highest density of a
    normal distribution with the spread of the sum.
    """
    directions, log_chance = list[FloatArray](), 0.0
    for others, width in zip(summands[:_MOST_COMPARED], widths, strict=False):
        centered = others - others.mean()
        spread = float(np.linalg.norm(centered))
        direction = centered / (spread or 1.0)
        if all(abs(float(direction @ before)) < _PROPORTIONAL for before in directions):
            directions.append(direction)
            log_chance += min(0.0, math.log(width / (math.sqrt(2 * math.pi) * spread))) if spread else 0.0
    log_chance += math.log(math.comb(n_columns, len(directions)))
    return len(directions) >= _FEWEST_COLUMNS and log_chance <= math.log(_MOST_CHANCE)


# Totals among the rows, which stay.


def note_on_totals_among(
    cells: Mapping[str, object], columns: Sequence[Column], *, is_sample: bool = False
) -> Note | None:
    """Return a note on rows within the data that look like totals, or None.

    Such rows are fewer than 20% of all, and one of their categories ends with a word for sums. Either they
    lack what most other rows have, or the rest of that category is a category as well: "North total" beside
    "North". So do Mean and SD. Of a sample of rows, their number is unknown.
    """
    for column in columns:
        if column.kind is not Kind.CATEGORICAL or not column.labels or not isinstance(column.labels[0], str):
            continue
        labels = [str(label).strip() for label in column.labels]
        known = set(labels) - {""}
        spreads = {label for label in known if _SPREAD.fullmatch(label.rstrip(":."))}
        totals = set(filter(is_called_total, known))
        statistics = spreads | totals if spreads and totals else set[str]()  # SD alone may be a country
        ends = {label: end for label in known if (end := _ENDS.match(label))}
        if not statistics and not ends:
            continue
        of_known = {label for label, end in ends.items() if end[1].strip(" :–-(") in known}
        is_named = _in_rows(column, [label in statistics or label in ends for label in labels])
        is_sure = _in_rows(column, [label in statistics or label in of_known for label in labels])
        if not 0 < np.count_nonzero(is_named) < _MOST_TOTALS_SHARE * len(column):
            continue
        masks = (other.is_missing for other in columns if other is not column)
        usual = [mask for mask in masks if mask is not None and mask[~is_named].mean() <= _MOST_MISSING_SHARE]
        rows = np.flatnonzero(np.logical_or.reduce([is_sure, *(is_named & mask for mask in usual)]))
        if not len(rows):
            continue
        called = tuple(dict.fromkeys(labels[code] for code in column.values[rows]))
        own, name = cells.get(column.name), display_name(column.name)
        if is_sample or not isinstance(own, TextCells):
            return Note.on_table(Code.TOTALS_AMONG_SAMPLE, cells=called, column=name)
        place = own.place(int(rows[0]))
        return Note.on_table(Code.TOTALS_AMONG_ROWS, n=len(rows), cells=called, column=name, place=place)
    return None


def _in_rows(column: Column, flags: Sequence[Any]) -> BoolArray:
    """Expand one flag per category of a column to one flag per row."""
    is_so: BoolArray = np.array([bool(flag) for flag in flags])[column.values]
    return is_so if column.is_missing is None else is_so & ~column.is_missing
