"""Rows of a file that are no data: footnotes, rows of totals and statistics at its ends; totals elsewhere.

In:  the last lines of a text, or the cells and typed columns of a table.
Out: where the rows end, and notes on what was left out or looks like totals.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    "LastRows",
    "Tally",
    "count_footnotes",
    "cut_footnotes",
    "is_called_total",
    "note_on_footnotes",
    "note_on_totals",
    "note_on_totals_among",
    "row_of_sums",
    "statistics_below",
    "totals_below",
    "without_rows",
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
# Words for statistics alone, and others that places and first names are written as.
_SURE = re.compile(
    r"(arithmetic )?mean|average|avg|median|(std?\.?|standard) ?dev(iation)?|variance|mittelwert|varianz|"
    r"durchschnitt|standardabweichung|moyenne|médiane|[ée]cart-type|promedio|mediana|desviación estándar"
)
_STATISTIC = re.compile(
    rf"{_SURE.pattern}|s\.?[de]|std|stabw|sem|s\.e\.m|(std\.?|standard) err(or)?|standardfehler|ø|media|"
    rf"m[ií]n(imum|imo)?|m[aá]x(imum|imo)?|ave|var|n|count|anzahl|effectif|recuento|(% ?)?(cv|rsd)( ?%)?|"
    rf"mittel|\d\d?%|[qp][1-9]0?|iqr|range|mode|skewness|kurtosis|{'|'.join(map(re.escape, SUMS))}"
)
MOST_LAST_ROWS = 25  # that are looked at
MOST_TOTALS = 2  # a total and an average
LAST_CHARACTERS = 1 << 14  # of a text that are looked at
_WORDS = "(source|note|quelle|anmerkung|hinweis|fuente|nota|bron|fonte)s?"
_FOOTNOTE = re.compile(rf"[*†‡§¹²³]|{_WORDS}\b", re.IGNORECASE)
_FOOTNOTE_IN_CELLS = re.compile(rf"[*†‡§¹²³]|{_WORDS}\s*[:.–-]", re.IGNORECASE)
_END, _MANY_COLUMNS = re.compile(r"[^\W\d]{2,}$"), 4
_NUMBER = re.compile(r"^\W*\d[\d.,'\s]*\W*$")
_SIZE = re.compile(r"\s*\(n\s*=\s*\d+\)$")
_FEWEST_ROWS = 4
_ROUNDING = 1e-3  # largest relative difference of a mean that was written with few digits
_FEWEST_SUMMANDS, _FEWEST_COLUMNS = 3, 2
_MOST_CHANCE = 1e-3  # of finding such sums among all columns of a table
_ALIKE = 0.5  # largest relative difference between a sum and a number that might have been one
_PROPORTIONAL = 0.9999  # correlation from which columns are one number in two units
_MOST_DECIMALS, _FIRST_VALUES, _MOST_COMPARED = 6, 1_000, 20
_MOST_TOTALS_SHARE = _MOST_MISSING_SHARE = 0.2  # of the rows
_LISTED = 3
# Places are called so as well: Massa di Somma. Of a sentence it may be the last word.
_SUM = "|".join(re.escape(word) for word in sorted(SUMS - {"sum", "som", "somma", "somme", "suma"}, key=len))
_ENDS = re.compile(rf"(.{{0,39}}[\s(:–-]|)({_SUM})\s*[:)]?\s*$", re.IGNORECASE)


def count_footnotes(last: Sequence[Sequence[str]], width: int | None = None) -> int:
    """Return how many last rows are footnotes: nothing but their first cell, after an empty row or a mark.

    In a text, a sentence with delimiters in it is a footnote as well: if it makes few cells, or begins with a
    word such as "Source:", or stands above such a line. Footnotes stand below names and four rows at least.

    >>> table = [["region", "sales"], ["North", "12"], ["South", "9"], ["East", "8"], ["West", ""]]
    >>> count_footnotes([*table, ["", ""], ["figures are provisional", ""]]), count_footnotes(table)
    (2, 0)
    >>> count_footnotes([*table, ["Source: office", " 2023", " p. 4"]], width=2)
    1
    """
    start, awaits_mark = 0, False  # how many are footnotes; whether a row below has several cells
    for k, row in enumerate(reversed(last)):
        text, others = "".join(row[:1]).strip(), [cell for cell in row[1:] if cell.strip()]
        is_cut = bool(others) and (width is None or 2 * len(row) >= width)
        if is_cut:
            is_marked = width is not None and _FOOTNOTE_IN_CELLS.match(text) is not None
            is_spaced = len(row) != width and all(cell.startswith(" ") for cell in others)
            is_own = len(row) != width or not any(map(_NUMBER.match, others))
            if width is None or not (is_spaced or (is_marked and is_own)):
                break
        else:
            # One word below a wide table, such as END_DATA, is no value either.
            is_end = len(row) == 1 and (width or 0) >= _MANY_COLUMNS and _END.match(text) is not None
            is_marked = is_end or _FOOTNOTE.match(text) is not None
        awaits_mark = not is_marked and (awaits_mark or is_cut)
        if is_marked or not (text or awaits_mark):
            start = k + 1
    below = last[len(last) - start :]
    is_above = len(last) - start > _FEWEST_ROWS
    texts = [text for row in below if (text := "".join(row[:1]).strip())]
    return start if is_above and texts and not all(map(_NUMBER.match, texts)) else 0


def cut_footnotes(tail: str, delimiter: str, width: int) -> tuple[int, Note] | None:
    """Return how much of the end of a text comes before its footnotes, and a note, or None without footnotes.

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
    """Return the note that these rows were left out."""
    texts = tuple(text for row in last if (text := ",".join(row).strip(" ,")))
    return Note.on_table(Code.FOOTNOTES_LEFT_OUT, n=len(texts), cells=texts, option=KEEP_ALL_ROWS)


@dataclass(frozen=True, slots=True)
class LastRows:
    """Rows at an end of a table that are no data: how many, and the note on them."""

    count: int
    note: Note
    are_first: bool = False


def without_rows(columns: Mapping[str, object], rows: LastRows) -> dict[str, object]:
    """Return columns of a text file or sheet without their first or last rows."""
    kept = slice(rows.count, None) if rows.are_first else slice(-rows.count)
    return {name: _sliced(values, kept) for name, values in columns.items()}


def _sliced(values: Any, kept: slice) -> object:
    if not isinstance(values, TextCells):
        return values[kept]
    first_line = None if values.first_line is None else values.first_line + (kept.start or 0)
    return replace(values, values=values.values[kept], first_line=first_line)


def note_on_totals(n_rows: int, place: str, called: Sequence[str], columns: tuple[str, ...]) -> Note:
    """Return the note that first or last rows were left out: their names and the columns that they sum up.

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
    """Return True if a cell is a word for sums or means.

    >>> is_called_total("Grand total:"), is_called_total("Total: Account"), is_called_total("Total cost")
    (True, True, False)
    """
    if cell is None:
        return False
    text = cell.strip().rstrip(":").casefold()
    return text in _TOTALS or _MORE_TOTALS.fullmatch(text) is not None


@dataclass(slots=True)
class Tally:
    """Sums over the rows above some last rows, whose numbers are the `targets` (NaN for none)."""

    targets: NDArray[np.float64]
    n: int = 0
    total: float = 0.0
    n_other_than_0: int = 0
    n_near: NDArray[np.int64] | int = 0

    def add(self, column: Column) -> None:
        """Count in more rows above."""
        numbers = column.present.astype(np.float64)
        self.n += len(numbers)
        self.total += float(numbers.sum())
        self.n_other_than_0 += int(np.count_nonzero(numbers))
        self.n_near = self.n_near + np.array([np.count_nonzero(_is_near(numbers, t)) for t in self.targets])

    @property
    def are_sums(self) -> NDArray[np.bool_]:
        """Flag the targets that are the sum or the mean of the rows above, which are not all 0 or near it."""
        if self.n < _FEWEST_ROWS - 1 or not self.n_other_than_0:
            return np.zeros(len(self.targets), np.bool_)
        is_sum = _is_near(self.targets, self.total) | _is_near(self.targets, self.total / self.n)
        # Any year is near the mean of years.
        flags: NDArray[np.bool_] = is_sum & (2 * np.asarray(self.n_near) <= self.n)
        return flags


def _is_near(value: Any, other: Any) -> Any:
    """Return True for numbers that are equal up to the rounding of a mean."""
    return abs(value - other) <= _ROUNDING * abs(other)


def totals_below(cells: Iterable[object], columns: Sequence[Column]) -> LastRows | None:
    """Find last rows that alone are called totals, and hold the sums or means of the rows above them all."""
    texts = [column for column in cells if isinstance(column, TextCells)]
    for count in range(MOST_TOTALS, 0, -1):
        called = next(filter(None, (_called_totals(column, count) for column in texts)), None)
        if called is None:
            continue
        sums = {column.name: _sums_up(column, count) for column in columns}
        summed = tuple(name for name, flags in sums.items() if flags.any())
        if summed and np.logical_or.reduce(list(sums.values())).all():
            return LastRows(count, note_on_totals(count, "last", called, summed))
    return None


def _called_totals(cells: TextCells, count: int) -> tuple[str, ...] | None:
    """Return the last cells if they alone are called totals: one total per year is a category like others."""
    import pyarrow.compute as pc

    values = cells.values
    last = values.slice(max(len(values) - count, 0)).to_pylist()
    if len(set(last)) < count or not all(map(is_called_total, last)):
        return None
    n_so_called = pc.sum(pc.is_in(values, value_set=strings_of(last).cast(values.type))).as_py()
    return tuple(last) if n_so_called == count else None


def _sums_up(column: Column, count: int) -> NDArray[np.bool_]:
    """Flag the last rows whose number is the sum or the mean of all rows above these."""
    if column.kind is not Kind.NUMERIC or column.clock is not None or len(column) < count:
        return np.zeros(count, np.bool_)
    last = column.values[-count:].astype(np.float64)
    if column.is_missing is not None:
        last[column.is_missing[-count:]] = np.nan
    tally = Tally(last)
    tally.add(column.at(slice(0, len(column) - count)))
    return tally.are_sums


def statistics_below(columns: Mapping[str, object]) -> LastRows | None:
    """Find two last rows or more that are called different statistics, below as many others and four.

    One of these words is no name as well, as Max is, and no row above is called so.
    """
    for values in columns.values():
        if not _STATISTIC.fullmatch(_bare(_texts(_last(values, 1))[0])):
            continue
        labels = _texts(values.values if isinstance(values, TextCells) else values)
        words = [_bare(label) for label in labels]
        count = len([*takewhile(_STATISTIC.fullmatch, reversed(words))])
        called, above = words[-count:], words[:-count]
        is_each_once = len(set(called)) == count and len(set(called) - SUMS) > 1
        if not is_each_once or len(above) < max(_FEWEST_ROWS, count):
            continue
        if any(map(_SURE.fullmatch, called)) and not any(map(_STATISTIC.fullmatch, above)):
            names = tuple(label.strip() for label in labels[-count:])
            note = Note.on_table(Code.STATISTICS_LEFT_OUT, n=count, called=names, option=KEEP_ALL_ROWS)
            cells = (_texts(_last(own, count + 1))[0] for own in columns.values())
            return LastRows(count + (not any(map(str.strip, cells))), note)  # an empty row above them
    return None


def _last(values: Any, count: int) -> Any:
    cells = values.values if isinstance(values, TextCells) else values
    return cells[len(cells) - count :]


def _bare(name: str) -> str:
    return _SIZE.sub("", name.strip()).rstrip(":").rstrip(".").casefold()


def _texts(values: Any) -> list[str]:
    cells = values.to_pylist() if hasattr(values, "to_pylist") else values
    return ["" if cell is None else str(cell) for cell in cells]


# Rows that sum up other rows, whatever they are called.


def row_of_sums(cells: Mapping[str, object], columns: Sequence[Column]) -> LastRows | None:
    """Find a first or last row that holds the sums of all other rows.

    A first row that is called a total needs one column of numbers in which it does. Of other rows, two
    columns that are not proportional must hold exact sums, larger than any summand and beyond what chance
    finds among all columns.

    >>> from bychance.io import read_table
    >>> table = read_table({"people": [80, 10, 20, 15, 35], "cars": [410, 50, 90, 70, 200]})
    >>> row_of_sums({}, table.columns).are_first
    True
    """
    numbers = [c for c in columns if c.kind is Kind.NUMERIC and not c.clock and len(c.present) > _FEWEST_ROWS]
    for row in (-1, 0):
        splits = [_Split.of(column, row) for column in numbers]
        alike = [each for each in splits if each.may_be_sum]
        sums = [each for each in alike if each.is_sum]
        if not sums or len(sums) < len(alike) / 2:
            continue
        called = _called(cells, row)
        if (row == 0 and is_called_total(called)) or _is_beyond_chance(sums, len(numbers)):
            place, names = "first" if row == 0 else "last", tuple(each.name for each in sums)
            note = note_on_totals(1, place, [called] if called else [], names)
            return LastRows(1, note, are_first=row == 0)
    return None


def _called(cells: Mapping[str, object], row: int) -> str:
    """Return the first cell of a row that names a total, or that has a word."""
    # Cells are text from Arrow or plain sequences, which `object` does not say.
    found = (v.values[row].as_py() if isinstance(v, TextCells) else v[row] for v in cells.values())  # type: ignore[index]
    texts = [cell for cell in found if isinstance(cell, str)]
    words = (text for text in texts if any(map(str.isalpha, text)))
    return next(filter(is_called_total, texts), "") or next(words, "")


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """A column's number in one row (NaN if missing), the numbers of the others (0), and their last digit."""

    name: str
    value: float
    others: NDArray[np.float64]
    unit: float

    @staticmethod
    def of(column: Column, row: int) -> _Split:
        numbers = column.values.astype(np.float64)
        if column.is_missing is not None:
            numbers[column.is_missing] = 0.0
        is_missing = column.is_missing is not None and column.is_missing[row]
        value = np.nan if is_missing else float(numbers[row])
        others = numbers[1:] if row == 0 else numbers[:-1]
        return _Split(column.name, value, others, _unit(np.append(others[:_FIRST_VALUES], value)))

    @property
    def may_be_sum(self) -> bool:
        total = float(self.others.sum())
        return self.value != 0 and abs(self.value - total) <= _ALIKE * max(abs(self.value), abs(total))

    @property
    def is_sum(self) -> bool:
        """Return True for the exact sum of three numbers or more that are smaller, up to rounding."""
        if np.count_nonzero(self.others) < _FEWEST_SUMMANDS:
            return False
        is_exact = abs(self.value - float(self.others.sum())) <= self.tolerance
        return bool(is_exact and abs(self.value) > np.abs(self.others).max())

    @property
    def tolerance(self) -> float:
        """Largest distance of a sum of rounded numbers from the rounded sum: 0 for whole numbers."""
        return 1e-9 * abs(self.value) if self.unit >= 1 else 1.2 * self.unit * len(self.others) ** 0.5


def _unit(numbers: NDArray[np.float64]) -> float:
    """Return the last digit that the numbers are written with."""
    for n_decimals in range(_MOST_DECIMALS):
        scaled = numbers * 10.0**n_decimals
        if (np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)).all():
            return float(10.0**-n_decimals)
    return float(10.0**-_MOST_DECIMALS)


def _is_beyond_chance(sums: Sequence[_Split], n_columns: int) -> bool:
    """Return True if chance hardly makes the sums of two columns or more that are not proportional.

    The bound is the chance of all of these sums, times the ways to pick as many of the columns looked at. A
    sum is as random as its summands: the width of what counts as equal, times the highest density of a
    normal distribution with the spread of the sum.
    """
    independent, directions = list[_Split](), list[NDArray[np.float64]]()
    for each in sums[:_MOST_COMPARED]:
        direction = each.others - each.others.mean()
        direction = direction / (float(np.linalg.norm(direction)) or 1.0)
        if all(abs(float(direction @ before)) < _PROPORTIONAL for before in directions):
            independent.append(each)
            directions.append(direction)
    if len(independent) < _FEWEST_COLUMNS:
        return False
    log_chance = math.log(math.comb(n_columns, len(independent)))
    for each in independent:
        spread = float(each.others.std()) * math.sqrt(len(each.others))
        width = each.unit + 2 * each.tolerance
        log_chance += min(0.0, math.log(width / (math.sqrt(2 * math.pi) * spread))) if spread else 0.0
    return log_chance <= math.log(_MOST_CHANCE)


def note_on_totals_among(
    cells: Mapping[str, object], columns: Sequence[Column], *, is_sample: bool = False
) -> Note | None:
    """Return a note on rows that look like totals, by the first column that says so, or None.

    They are fewer than 20% of the rows, a category of theirs ends with a word for sums, and they hold
    numbers. Either they lack what most other rows have, or the rest of that category is a category as well:
    "North total" beside "North". Of a sample of rows, nobody knows how many there are.
    """
    for column in columns:
        if column.kind is not Kind.CATEGORICAL or not column.labels or not isinstance(column.labels[0], str):
            continue
        labels = [str(label) for label in column.labels]
        ends = [_ENDS.match(label) for label in labels]
        if not any(ends):
            continue
        known = {label.strip() for label in labels} - {""}
        is_word = [is_called_total(label) for label in labels]
        of_group = [end is not None and end[1].strip(" :–-(") in known for end in ends]
        rows = _totals_among(column, ends, of_group, is_word, columns)
        if len(rows):
            called = tuple(dict.fromkeys(labels[code].strip() for code in column.values[rows]))
            own = cells.get(column.name)
            return _note_on_totals_among(column.name, rows, called, own, is_sample=is_sample)
    return None


def _totals_among(
    column: Column, ends: list[Any], of_group: list[bool], is_word: list[bool], others: Sequence[Column]
) -> NDArray[np.intp]:
    def in_rows(flags: Sequence[Any]) -> NDArray[np.bool_]:
        is_so: NDArray[np.bool_] = np.array(flags, np.bool_)[column.values]
        return is_so if column.is_missing is None else is_so & ~column.is_missing

    is_named = in_rows([end is not None for end in ends])
    if not 0 < np.count_nonzero(is_named) < _MOST_TOTALS_SHARE * len(column):
        return np.empty(0, np.intp)
    lacks, has_number = np.zeros(len(column), np.bool_), np.zeros(len(column), np.bool_)
    for other in others:
        is_missing = np.zeros(len(other), np.bool_) if other.is_missing is None else other.is_missing
        if other is not column and is_missing[~is_named].mean() <= _MOST_MISSING_SHARE:
            lacks |= is_missing
        if other.kind is Kind.NUMERIC and other.clock is None:
            has_number |= ~is_missing
    is_sure = is_named & (in_rows(of_group) | lacks)
    # A grand total may lack nothing where subtotals do.
    is_total = is_named & (is_sure | in_rows(is_word)) & has_number
    return np.flatnonzero(is_total if is_sure.any() else is_sure)


def _note_on_totals_among(
    column: str, rows: NDArray[np.intp], called: tuple[str, ...], cells: Any, *, is_sample: bool
) -> Note:
    name, first_line = display_name(column), getattr(cells, "first_line", None)
    if is_sample:
        return Note.on_table(Code.TOTALS_AMONG_SAMPLE, cells=called, column=name)
    listed = [f"{row + (first_line or 0):,}" for row in rows.tolist()]
    places = ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
    what = "line" if first_line is not None else "row"
    counting = "" if first_line is not None else ", counting from 0"
    places = f"{what}{'s' * (len(rows) > 1)} {places}{counting}"
    return Note.on_table(Code.TOTALS_AMONG_ROWS, n=len(rows), cells=called, column=name, places=places)
