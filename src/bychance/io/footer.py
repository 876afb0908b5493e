"""What stands below the rows of a file: footnotes, last rows called totals, rows of statistics.

In:  the last lines of a text, or the cells and typed columns of a table.
Out: where the rows end, and notes on what was left out.
"""

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
from bychance.io.cells import MISSING_AMONG_NUMBERS, MISSING_IN_TEXT, TextCells
from bychance.io.dialect import LINE_END
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = [
    "LAST_CHARACTERS",
    "MOST_LAST_ROWS",
    "MOST_TOTALS",
    "SUMS",
    "LastRows",
    "Tally",
    "count_footnotes",
    "cut_footnotes",
    "is_called_total",
    "note_on_footnotes",
    "note_on_totals",
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
_STATISTICS = {
    "mean": "mean|average|avg|ave|arithmetic mean|mittelwert|mittel|durchschnitt|ø|moyenne|media|promedio",
    "sd": "sd|s.d|std|std dev|std. dev|st. dev|stdev|stddev|standard deviation|standardabweichung|stabw|"
    "écart-type|ecart-type|desviación estándar|desviación típica",
    "se": "se|s.e|sem|s.e.m|std err|std. err|standard error|standardfehler|erreur-type|error estándar",
    "min": "min|minimum|mínimo",
    "max": "max|maximum|máximo",
    "median": "median|médiane|mediana",
    "variance": "variance|var|varianz|varianza",
    "count": "n|count|anzahl|effectif|recuento",
    "cv": "cv|cv%|cv (%)|rsd|rsd%|rsd (%)|% rsd|coefficient of variation|variationskoeffizient",
    "total": "|".join(SUMS),
    "other": "25%|50%|75%|q1|q2|q3|p25|p50|p75|iqr|range|mode|skewness|kurtosis|spannweite|modus|5%|95%",
}
_KIND_OF = {word: kind for kind, words in _STATISTICS.items() for word in words.split("|")}
_NO_STATISTICS = frozenset(["total", "other"])  # by themselves
# Compass points, states, countries and first names are written so as well.
_ALSO_NAMES = frozenset(
    ["n", "se", "sd", "s.e", "min", "max", "std", "sem", "cv", "var", "media", "ave", "mode"]
)
MOST_LAST_ROWS = 25  # that are looked at
MOST_TOTALS = 2  # a total and an average
LAST_CHARACTERS = 1 << 14  # of a text that are looked at
_WORDS = "(source|note|quelle|anmerkung|hinweis|fuente|nota|bron|fonte)s?"
_FOOTNOTE = re.compile(rf"[*†‡§¹²³]|{_WORDS}\b", re.IGNORECASE)
_FOOTNOTE_IN_CELLS = re.compile(rf"[*†‡§¹²³]|{_WORDS}\s*[:.–-]", re.IGNORECASE)
_END, _MANY_COLUMNS = re.compile(r"[^\W\d]{2,}$"), 4
_NUMBER = re.compile(r"^\W*\d[\d.,'\s]*\W*$")
_BEGINS_LIKE_NUMBER = re.compile(r"^\W*[.,]?\d")
_SIZE = re.compile(r"\s*\(n\s*=\s*\d+\)$")
_FEWEST_ROWS = 4
_ROUNDING = 1e-3  # largest relative difference of a mean that was written with few digits


def count_footnotes(last: Sequence[Sequence[str]], width: int | None = None) -> int:
    """Return how many last rows are footnotes: nothing but their first cell, after an empty row or a mark.

    A marked line with a delimiter in it is a footnote as well if it does not make `width` cells. Footnotes
    stand below names and four rows at least.

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
    """Return True if a row has less than half of the cells of the table, as a sentence with a comma may."""
    return width is not None and 2 * len(row) < width


def _is_end(row: Sequence[str], width: int | None) -> bool:
    """Return True for one word below a table of four columns or more, such as END_DATA."""
    return width is not None and width >= _MANY_COLUMNS and len(row) == 1 and bool(_END.match(row[0]))


def _is_prose(row: Sequence[str], above: Sequence[Sequence[str]], width: int | None) -> bool:
    """Return True if several cells may be one sentence: marked as a footnote, or with blanks behind commas.

    If they are as many as the table has, they need both, four words or more and no number among the cells,
    and the rows above are neither marked nor have such blanks, unless they are footnotes themselves.
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
    """Find last rows that are called statistics, by the first column that has a word in its last cell.

    Two of them are different statistics, and one of these words is no name as well, as Max is. No row above
    is called so, and there are four of them or more, and as many as are below. Each has a number.
    """
    last = [_last_cells(values, 1) for values in columns.values()]
    place = next((k for k, cells in enumerate(last) if cells and _is_word(cells[-1])), None)
    if place is None or _statistic(last[place][-1]) is None:
        return None
    labels = _texts(list(columns.values())[place])
    count = next((k for k, label in enumerate(reversed(labels)) if _statistic(label) is None), len(labels))
    called, above = labels[len(labels) - count :], labels[: len(labels) - count]
    if len(above) < max(_FEWEST_ROWS, count) or len(set(map(_bare, called))) < count:
        return None
    kinds = {_statistic(name) for name in called} - _NO_STATISTICS
    is_told = any(_bare(name) not in _ALSO_NAMES and _statistic(name) in kinds for name in called)
    if len(kinds) < 2 or not is_told or any(map(_statistic, above)):
        return None
    others = [_last_cells(values, count) for k, values in enumerate(columns.values()) if k != place]
    if not all(any(_BEGINS_LIKE_NUMBER.match(own[row]) for own in others) for row in range(count)):
        return None
    names = tuple(name.strip() for name in called)
    note = Note.on_table(Code.STATISTICS_LEFT_OUT, n=count, called=names, option=KEEP_ALL_ROWS)
    while all(not _last_cells(values, count + 1)[0].strip() for values in columns.values()):
        count += 1  # an empty row above them
    return LastRows(count, note)


def _statistic(name: str) -> str | None:
    """Return the statistic that a cell names, or None.

    >>> _statistic("Std. Dev.:"), _statistic("Moyenne"), _statistic("Maxine")
    ('sd', 'mean', None)
    """
    return _KIND_OF.get(_bare(name))


def _bare(name: str) -> str:
    return _SIZE.sub("", name.strip()).rstrip(":").rstrip(".").casefold()


def _is_word(cell: str) -> bool:
    cell = cell.strip()
    if cell in MISSING_IN_TEXT or cell in MISSING_AMONG_NUMBERS:
        return False
    return _statistic(cell) is not None or not _BEGINS_LIKE_NUMBER.match(cell)


def _texts(values: Any) -> list[str]:
    cells = values.values.to_pylist() if isinstance(values, TextCells) else list(values)
    return ["" if cell is None else str(cell) for cell in cells]


def _last_cells(values: Any, count: int) -> list[str]:
    if isinstance(values, TextCells):
        return _texts(values.values.slice(max(len(values.values) - count, 0)).to_pylist())
    return _texts(values[-count:])
