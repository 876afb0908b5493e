"""Table of typed columns with notes, and an overview of its columns.

The overview is where errors of reading are caught: kind and why, missing values, distinct and typical ones, a
small histogram. The same records make the text of a prompt, the terminal's table and the first part of a
report.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bychance.array_types import FloatArray
from bychance.columns import Column
from bychance.errors import BychanceError, unknown_name
from bychance.kinds import Kind
from bychance.messages import (
    MOST_NAMES,
    Code,
    Dialect,
    Note,
    Option,
    Sentence,
    joined_remarks,
    note_lines,
)
from bychance.names import count_of, display_name, known_as
from bychance.wording import percent

__all__ = [
    "N_BARS",
    "ColumnOverview",
    "Table",
    "check_unique",
    "overview_of",
    "sentence_on_sheets",
]

N_BARS = 10  # bars of a histogram in the overview (taste)
_COMMON, _MOST_LINES = 3, 40  # categories, and columns, that the printed overview lists (taste)
_AT_RIGHT = (2, 3)  # columns of the overview that are aligned at the right
_LABEL_WIDTH, _NAME_WIDTH, _TYPICAL_WIDTH = 24, 28, 44  # characters of texts in the overview (taste)
_BLOCKS = "▁▂▃▄▅▆▇█"
SET_ASIDE = "set aside"
_NEVER_READ = (Code.NOT_FINITE, Code.NOT_READABLE, Code.EMPTY_WITHOUT_NAME, Code.COUNTER_WITHOUT_NAME)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Table of typed columns of equal length (`n_rows`) and distinct `names`, in order.

    `notes` say what was set aside or noticed; `library` is where frames of results go back to ("pyarrow"
    for dicts, arrays and files); `origin` says in words where the table came from.

    >>> from bychance.io import read_table
    >>> table = read_table({"dose": [1.0, 2.0, None], "sex": ["f", "m", "f"]})
    >>> table
    <Table of 3 rows and 2 columns (1 numeric, 1 categorical) from a dict>
    column  kind        missing  distinct  range or most common  histogram   why
    dose    numbers         33%         2  1 to 2                █        █  decimal numbers
    sex     categories       0%         2  f 67%, m 33%          █▄          text or a categorical type
    >>> table["dose"].is_missing.tolist()
    [False, False, True]
    """

    columns: tuple[Column, ...]
    notes: tuple[Note, ...] = ()
    library: str = "pyarrow"
    origin: str = "columns"
    names: tuple[str, ...] = field(init=False)
    n_rows: int = field(init=False)
    _positions: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(column.name for column in self.columns)
        n_rows = len(self.columns[0].values) if self.columns else 0
        check_unique(names, self.origin)
        for column in self.columns:
            if len(column.values) != n_rows:
                raise BychanceError(
                    f"Columns must be of one length, got {count_of(n_rows, 'value')} in {names[0]!r} "
                    f"and {len(column.values)} in {column.name!r}."
                )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "n_rows", n_rows)
        object.__setattr__(self, "_positions", {name: k for k, name in enumerate(names)})

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Names of the excluded columns. `notes` have the reasons."""
        return tuple(note.column for note in self.notes if note.is_set_aside and note.column is not None)

    def position(self, name: str, argument: str = "column") -> int:
        """Return the position of the named column, or raise an error that suggests similar names."""
        name = name if name in self._positions else known_as(name, self._positions)
        if name in self._positions:
            if argument == "target":
                self._check_target(name)
            return self._positions[name]
        for note in self.notes:
            if note.is_set_aside and note.column == name:
                said = Option(argument) + " names a column that was set aside. "
                raise BychanceError(said + _how_to_keep(note), argument)
        raise unknown_name(argument, name, self.names)

    def _check_target(self, name: str) -> None:
        """Raise an error if the target mixes numbers and words."""
        mixed = next((note for note in self.notes if note.is_mixed and note.column == name), None)
        if mixed is not None:
            rule = Option("target") + " must name a column of numbers or of categories, not of both. "
            keeps = Option("categorical", (name,))
            raise BychanceError(rule + mixed.sentence + "; " + keeps + " keeps categories.", "target")

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def overview(self) -> tuple[ColumnOverview, ...]:
        """Return kind, share of missing values, typical values and notes of each column.

        >>> from bychance.io import read_table
        >>> dose, _ = read_table({"dose": [1.0, 2.0, None], "sex": ["f", "m", "f"]}).overview()
        >>> dose.kind, round(dose.missing, 2), dose.typical
        ('numbers', 0.33, '1 to 2')
        """
        return overview_of(self)

    def __repr__(self) -> str:
        return f"{self.describe()}\n{_overview_text(self)}"

    def describe(self) -> str:
        """Describe size, kinds of columns and origin in one line."""
        n_numeric = sum(column.kind is Kind.NUMERIC for column in self.columns)
        aside = f", {len(self.set_aside)} set aside," if self.set_aside else ""
        size = f"{count_of(self.n_rows, 'row')} and {count_of(len(self.columns), 'column')}"
        return (
            f"<Table of {size} ({n_numeric:,} numeric, "
            f"{len(self.columns) - n_numeric:,} categorical){aside} from {display_name(self.origin)}>"
        )


def sentence_on_sheets(notes: Iterable[Note]) -> Sentence:
    """Return a sentence on sheets that were not read, to append to a message, or "" without such sheets.

    >>> note = Note.on_table(Code.OTHER_SHEETS, n=2, sheets=("B",), option=Option("sheet", ...))
    >>> print(sentence_on_sheets([note]))
     Only the first of 2 sheets was read; sheet=… reads another: 'B'.
    """
    sheets = next((note for note in notes if note.says(Code.OTHER_SHEETS)), None)
    return Sentence(()) if sheets is None else " " + sheets.sentence


def check_unique(names: Sequence[str], origin: str) -> None:
    """Raise an error if a column name occurs twice."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        message = f"Column names must differ, got {repeated[0]!r} twice or more in {display_name(origin)}."
        raise BychanceError(message)


def _how_to_keep(note: Note) -> Sentence:
    # What cannot be read says itself what helps, if anything does.
    if note.suggestion is not None or note.says(*_NEVER_READ):
        return note.sentence + "."
    return note.sentence + "; " + Option("categorical", (str(note.column),)) + " keeps it."


@dataclass(frozen=True, slots=True)
class ColumnOverview:
    """Overview of one column: kind, missing and distinct values, typical values, notes.

    Attributes
    ----------
    name : str
        The column's name.
    kind : str
        What it was read as: numbers, dates, categories, true or false, …; or "set aside".
    why : str
        Why it was read so.
    missing : float
        The share of rows without a value; NaN where it is unknown.
    n_distinct : int or None
        How many distinct values there are.
    typical : str
        The range of numbers and dates, or the most common categories with their shares.
    histogram : tuple of int
        Rows per tenth of the range, or per category from the most common on.
    notes : tuple of str
        What was noticed about the column.
    """

    name: str
    kind: str
    why: str
    missing: float = math.nan
    n_distinct: int | None = None
    typical: str = ""
    histogram: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def bars(self) -> str:
        """The histogram as a line of block characters.

        >>> ColumnOverview("a", "numbers", "", histogram=(1, 0, 4, 8)).bars
        '▁ ▄█'
        """
        most = max(self.histogram, default=0)
        return "".join(_BLOCKS[math.ceil(8 * n / most) - 1] if n else " " for n in self.histogram)

    @property
    def missing_shown(self) -> str:
        """The share of missing values as a percentage."""
        return "—" if math.isnan(self.missing) else percent(self.missing)

    @property
    def distinct_shown(self) -> str:
        """The number of distinct values as text."""
        return "—" if self.n_distinct is None else f"{self.n_distinct:,}"


def overview_of(table: Table, dialect: Dialect = Dialect.PYTHON) -> tuple[ColumnOverview, ...]:
    """Return an overview of each column, the excluded ones last."""
    notes: dict[str | None, list[str]] = {}
    for note in table.notes:
        if not note.is_set_aside:
            notes.setdefault(note.column, []).append(joined_remarks(note.remarks, dialect))
    used = [_column(column, tuple(notes.get(column.name, ()))) for column in table.columns]
    aside = [
        ColumnOverview(note.column, SET_ASIDE, joined_remarks(note.remarks, dialect))
        for note in table.notes
        if note.is_set_aside and note.column is not None
    ]
    return (*used, *aside)


def _overview_text(table: Table) -> str:
    """Format the overview as text: one line per column, then the notes."""
    columns = overview_of(table)
    lines = list(_lines(columns[:_MOST_LINES]))
    if len(columns) > _MOST_LINES:
        lines.append(f"and {count_of(len(columns) - _MOST_LINES, 'more column')}: .overview() has all")
    noticed = [note for note in table.notes if not note.is_set_aside]
    lines += [f"Note: {line}" for line in note_lines(noticed, MOST_NAMES)]
    return "\n".join(lines)


def _lines(columns: Sequence[ColumnOverview]) -> Iterator[str]:
    rows = [("column", "kind", "missing", "distinct", "range or most common", "histogram", "why")]
    for column in columns:
        name, typical = display_name(column.name, _NAME_WIDTH), display_name(column.typical, _TYPICAL_WIDTH)
        counts = (column.missing_shown, column.distinct_shown)
        rows.append((name, column.kind, *counts, typical, column.bars, display_name(column.why)))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        sized = [
            cell.rjust(width) if k in _AT_RIGHT else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(sized).rstrip()


def _column(column: Column, notes: tuple[str, ...]) -> ColumnOverview:
    kind, why = _kind_of(column)
    if not len(column):
        return ColumnOverview(column.name, kind, why, notes=notes)
    present = column.present
    n_distinct, typical, histogram = 0, "", tuple[int, ...]()
    if len(present):
        described = (_numbers if column.kind is Kind.NUMERIC else _labels)(column)
        n_distinct, typical, histogram = described
    missing = 1 - len(present) / len(column)
    return ColumnOverview(column.name, kind, why, missing, n_distinct, typical, histogram, notes)


def _kind_of(column: Column) -> tuple[str, str]:
    """Return the kind of a column in words, and the reason for it."""
    if column.is_missing is not None and column.is_missing.all():
        return "empty", "no row has a value"
    if column.clock is not None:
        return column.clock.what, f"all values are {column.clock.what}"
    if column.kind is Kind.NUMERIC:
        return "numbers", "whole numbers" if column.values.dtype.kind in "iu" else "decimal numbers"
    if column.values.dtype.kind == "b":
        return "true or false", "two values of that kind"
    return "categories", "text or a categorical type"


def _numbers(column: Column) -> tuple[int, str, tuple[int, ...]]:
    values = column.present
    low, high = values.min(), values.max()
    if column.clock is not None:
        first, last = (str(column.clock.moment(float(end))) for end in (low, high))
    else:
        first, last = _number(low), _number(high)
    n_distinct = len(np.unique(values))
    if n_distinct == 1:
        return 1, f"always {first}", (len(values),)
    return n_distinct, f"{first} to {last}", _histogram(values.astype(np.float64))


def _histogram(values: FloatArray) -> tuple[int, ...]:
    """Count the rows in each tenth of the value range."""
    from_lowest = values / 2 - values.min() / 2  # halved, so that no range overflows
    widest = from_lowest.max()
    if widest == 0:  # integers that float64 does not tell apart
        return (len(values),)
    tenths = np.minimum((from_lowest / widest * N_BARS).astype(np.intp), N_BARS - 1)
    return tuple(np.bincount(tenths, minlength=N_BARS).tolist())


def _number(value: Any) -> str:
    """Format a number with a minus sign that no spreadsheet takes for a formula."""
    if value.dtype.kind in "iu":
        size = abs(int(value))
        shown = f"{size:,}" if size >= 10_000 else str(size)
    else:
        decimal = abs(float(value))
        shown = f"{decimal:,.0f}" if 10_000 <= decimal < 1e7 else f"{decimal:.4g}"
    return f"−{shown}" if value < 0 else shown


def _labels(column: Column) -> tuple[int, str, tuple[int, ...]]:
    labels = (False, True) if column.values.dtype.kind == "b" else column.labels
    counts = np.bincount(column.present.astype(np.intp), minlength=len(labels))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    common = [
        f"{display_name(str(labels[k]), _LABEL_WIDTH)} {percent(counts[k] / counts.sum())}"
        for k in order[:_COMMON]
    ]
    more = [f"{len(order) - _COMMON:,} more"] if len(order) > _COMMON else []
    return len(order), ", ".join([*common, *more]), tuple(counts[order[:N_BARS]].tolist())
