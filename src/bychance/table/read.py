"""read_table(): any table, in memory or in a file → typed columns, with what was set aside and why."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Number, Real
from pathlib import Path
from typing import Any

from bychance.columns import Column, read_column
from bychance.errors import BychanceError, unknown_name
from bychance.kinds import Kind
from bychance.names import display_name, first_line
from bychance.table.convert import as_arrow, as_kind, without
from bychance.table.files import from_file
from bychance.table.frames import Source, from_memory
from bychance.table.record import Note, Table
from bychance.table.set_aside import counts_rows, reason_to_set_aside
from bychance.table.text_format import TextFormat
from bychance.table.typing_rules import MISSING_IN_TEXT, TextCells, remark_on_numbers, typed_cells
from bychance.table.unpacked import MAX_GIB
from bychance.validation import number_within

__all__ = ["read_table"]


def read_table(
    source: object,
    *,
    numeric: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    missing: object = None,
    names: Sequence[str] | None = None,
    text_format: TextFormat | None = None,
    max_gib: float = MAX_GIB,
) -> Table:
    r"""The typed columns of a frame, a dict of arrays, a two-dimensional array or a file.

    Parameters
    ----------
    source
        A pandas, polars or pyarrow table (or another that narwhals knows), a dict of arrays, a
        two-dimensional or structured array, a `Table`, or the path of a file: text (.csv, .tsv, .txt,
        .tab, .dat, .data), .arff (both also packed: .gz, .bz2, .zst, .lz4), .parquet, .feather, .arrow,
        .ipc or .xlsx.
    numeric, categorical
        Names of columns that are to be numbers or labels, whatever they look like. What is named here is
        never set aside. In text files labels stay as they are written: 02139 and 2139 are two.
    drop
        Names of columns to leave out before anything is read of them.
    missing
        What stands for a missing value, instead of the marks below: a value or several. A number stands for
        all that are equal to it, however they are written, in columns of float32 once it is rounded to that.
        An empty cell, NaN and null are always missing.
    names
        The columns' names, for an array or for a text file that has no header.
    text_format
        Delimiter, decimal mark and encoding of a text file, where finding them out goes wrong.
    max_gib
        The most GiB that a packed file may take in memory: text from .gz and the like, a sheet (its cells up
        to the last row and column, empty ones as well), the columns of Parquet, Feather and Arrow files. A
        file of a few kilobytes can stand for more than a machine holds. Plain text is read at any size.

    Returns
    -------
    Table
        The columns in their order. Its `notes` say what was set aside, and why.

    Notes
    -----
    *Missing.* In text files and in columns of text in Excel: an empty cell, NA, N/A, NaN, nan, ?, null,
    NULL and None, quoted or not, with or without blanks around; and `-` in a column that is otherwise of
    numbers. In ARFF: an unquoted ?. Elsewhere: NaN, None, NaT and null. ±inf is an error.

    *Types.* Numbers and dates are numeric; strings, booleans and categories are categorical. In a text file
    the first type that all present values of a column are of is taken: numbers, ISO dates, true or false,
    labels. Labels of which at least 90 % (and more than 20 distinct ones) are numbers are refused as mixed;
    from 20 % on they get a note.

    *Set aside.* Strings with at least 20 values present are free text if more than half of them are distinct,
    they are longer than 40 characters on average and half of them hold two or more blanks; they are an
    identifier if more than 95 % of them are distinct. A column without a name that only counts the rows, or
    is empty, is set aside as well; one that has a name and counts the rows (20 or more) stays, with a note.

    Examples
    --------
    >>> ids = [f"P{k:03}" for k in range(30)]
    >>> patients = {"id": ids, "age": [31, 54, 8] * 10, "sex": ["f", "m", "f"] * 10}
    >>> table = read_table(patients)
    >>> [(column.name, column.kind.value) for column in table]
    [('age', 'numeric'), ('sex', 'categorical')]
    >>> print(table.notes[0])
    'id' was set aside: an identifier: 30 of 30 values are distinct
    >>> read_table(patients, categorical="id").names
    ('id', 'age', 'sex')
    """
    wishes = _Wishes.of(numeric, categorical, drop, missing)
    max_gib = number_within(max_gib, "max_gib", math.inf)
    read = _source(source, wishes.missing, _listed(names), _checked(text_format), max_gib)
    wishes.check_names(read)
    columns: list[Column] = []
    notes = list(read.notes)
    for name in read.columns:
        if name in wishes.drop:
            continue
        column, noticed = _typed(read, name, wishes)
        notes.extend(noticed)
        if column is not None:
            columns.append(column)
    if not columns:
        raise BychanceError(_nothing_left(read, notes))
    return Table(tuple(columns), tuple(notes), read.library, read.origin)


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What the caller said about columns by name, and about missing values."""

    numeric: frozenset[str]
    categorical: frozenset[str]
    drop: frozenset[str]
    missing: frozenset[str] | None

    @staticmethod
    def of(numeric: Any, categorical: Any, drop: Any, missing: Any) -> _Wishes:
        wishes = _Wishes(
            _names(numeric, "numeric"),
            _names(categorical, "categorical"),
            _names(drop, "drop"),
            _marks(missing),
        )
        for name in sorted(wishes.numeric & wishes.categorical):
            raise BychanceError(
                f"`numeric` and `categorical` must not share names, got {name!r} in both.",
                "numeric",
                "categorical",
            )
        return wishes

    def kind_of(self, name: str) -> Kind | None:
        if name in self.numeric:
            return Kind.NUMERIC
        return Kind.CATEGORICAL if name in self.categorical else None

    def check_names(self, source: Source) -> None:
        gone = {note.column for note in source.notes if note.is_set_aside}
        for argument in ("numeric", "categorical", "drop"):
            for name in sorted(getattr(self, argument)):
                if name not in source.columns and not (argument == "drop" and name in gone):
                    raise unknown_name(argument, name, source.columns)


def _names(names: Any, argument: str) -> frozenset[str]:
    if isinstance(names, str):
        return frozenset({names})
    try:
        return frozenset(str(name) for name in names)
    except TypeError:
        raise BychanceError(f"`{argument}` must be a name or a list of names, got {names!r}.") from None


def _marks(missing: Any) -> frozenset[str] | None:
    """The missing marks as text; a whole number with and without its decimal point."""
    if missing is None:
        return None
    marks = [missing] if isinstance(missing, str | Number) else missing
    try:
        return frozenset({"", *(text for mark in marks for text in _written(mark))})
    except TypeError:
        raise BychanceError(f"`missing` must be a value or a list of values, got {missing!r}.") from None


def _written(mark: Any) -> list[str]:
    is_number = isinstance(mark, Real) and not isinstance(mark, bool)
    if not is_number or mark != mark // 1:
        return [str(mark)]
    # Larger ones are other numbers once they are read as floats.
    return [str(mark), f"{int(mark)}", *([f"{int(mark)}.0"] if abs(mark) <= 2**53 else [])]


def _listed(names: Any) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise BychanceError(f"`names` must be a list of names, got {names!r}.")
    return [str(name) for name in names]


def _checked(text_format: TextFormat | None) -> TextFormat:
    if text_format is None:
        return TextFormat()
    if not isinstance(text_format, TextFormat):
        raise BychanceError(f"`text_format` must be a TextFormat, got {text_format!r}.")
    return text_format


def _source(
    source: object,
    missing: frozenset[str] | None,
    names: Sequence[str] | None,
    text_format: TextFormat,
    max_gib: float,
) -> Source:
    if isinstance(source, str | os.PathLike):
        read = from_file(Path(os.fsdecode(source)), text_format, names, missing, max_gib)
    else:
        read = from_memory(source, names)
    if not read.columns:
        raise BychanceError(f"{read.origin} has no columns.")
    for name, values in read.columns.items():
        _check_encodable(name)
        if hasattr(values, "__len__") and len(values) == 0:
            raise BychanceError(f"{read.origin} has no rows (column {name!r}).")
    return read


def _check_encodable(name: str) -> None:
    """Half of a surrogate pair is no character: no file or frame of results could hold the name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BychanceError(f"Column names must be text, got {name!r} with half a surrogate pair.") from None


def _typed(source: Source, name: str, wishes: _Wishes) -> tuple[Column | None, list[Note]]:
    """The column as it is or is wished to be, None where it is set aside, and what was noticed about it."""
    values, kind = source.columns[name], wishes.kind_of(name)
    if isinstance(values, Column):
        column = values if wishes.missing is None else without(values, wishes.missing)
        return as_kind(column, kind), []
    arrow = _readable(name, values, kind, wishes.missing)
    reason = None if kind is not None else source.asides.get(name) or reason_to_set_aside(arrow)
    if reason is not None:
        return None, [Note(name, reason, is_set_aside=True)]
    column = _column(name, arrow)
    if wishes.missing is not None:
        column = without(column, wishes.missing)
    if kind is not None:
        return as_kind(column, kind), []
    remark = remark_on_numbers(column, values.decimal) if isinstance(values, TextCells) else None
    if remark is not None:
        return column, [Note(name, remark)]
    return _without_row_numbers(column, is_unnamed=name in source.unnamed)


def _readable(name: str, values: object, kind: Kind | None, missing: frozenset[str] | None) -> Any:
    """The values as read_column takes them best."""
    if isinstance(values, TextCells):
        marks = MISSING_IN_TEXT if missing is None else missing
        return typed_cells(values, name, kind, marks, has_dash=missing is None)
    try:
        return as_arrow(values)
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        raise BychanceError(_reason(error, name)) from None


def _column(name: str, values: Any) -> Column:
    try:
        return replace(read_column(values, display_name(name)), name=name)
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        raise BychanceError(_reason(error, name)) from None


def _without_row_numbers(column: Column, *, is_unnamed: bool) -> tuple[Column | None, list[Note]]:
    """Programs write row numbers and trailing delimiters as columns without names."""
    if is_unnamed and column.is_missing is not None and column.is_missing.all():
        return None, [Note(column.name, "it has no name and no values", is_set_aside=True)]
    if is_unnamed and counts_rows(column, fewest=1):
        return None, [Note(column.name, "it has no name and counts the rows", is_set_aside=True)]
    if counts_rows(column) and column.clock is None:
        return column, [Note(column.name, "it counts the rows; drop it if that is all it does")]
    return column, []


def _reason(error: Exception, name: str) -> str:
    shown, text = display_name(name), str(error)
    if not text.startswith(f"`{shown}`"):
        text = f"`{shown}` could not be read: {first_line(error)}."
    return text if "finite" in text else f"{text} drop=[{name!r}] leaves it out."


def _nothing_left(source: Source, notes: list[Note]) -> str:
    reasons = "; ".join(str(note) for note in notes[:3] if note.is_set_aside)
    return f"{source.origin} has no columns left{': ' + reasons if reasons else ''}."
