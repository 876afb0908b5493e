"""Tables in memory: frames, arrays and dicts as named columns, options on columns, and frames of results.

Columns are converted to another kind as the caller asks.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number, Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy
from bychance.columns import Column
from bychance.errors import BychanceError, must_be, unknown_name
from bychance.io.preamble import check_names, renamed
from bychance.io.table import Table, check_unique
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option, Remark, remark
from bychance.names import first_line, known_as
from bychance.read_column import read_column
from bychance.ticks import Moment, ticks_of_moments

__all__ = [
    "Source",
    "Wishes",
    "arrow_of",
    "as_categorical",
    "as_kind",
    "as_numeric",
    "from_memory",
    "in_memory",
    "is_frame",
    "make_frame",
    "pick_columns",
    "pick_rows",
    "without",
]

EXPECTED = "a path, a pandas, polars or pyarrow table, a dict of arrays or a two-dimensional array"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Named columns before type inference: array-likes, text cells, or values with types from the file.

    `unnamed` are those whose names we made up; `asides` are reasons to set columns aside unless wished for.
    `may_have_total` is True for text and sheets, unless the caller says that all rows are data.
    """

    columns: dict[str, Any]
    origin: str
    library: str = "pyarrow"
    notes: tuple[Note, ...] = ()
    unnamed: frozenset[str] = frozenset()
    asides: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)
    may_have_total: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    """Caller's options on columns: kinds by name, columns to drop or merge, marks of missing values."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    missing: frozenset[str] | None = None
    merge: frozenset[str] = frozenset()
    day_first: bool | None = None

    @staticmethod
    def of(
        *,
        numeric: Any = (),
        categorical: Any = (),
        drop: Any = (),
        missing: Any = None,
        merge: Any = (),
        day_first: Any = None,
    ) -> Wishes:
        """Create the options from the caller's arguments, checked as far as possible without the table."""
        if day_first not in (None, True, False):
            raise must_be("day_first", "true, false or None", day_first)
        numbers, labels = _names(numeric, "numeric"), _names(categorical, "categorical")
        for name in sorted(numbers & labels):
            raise must_be("numeric", "without the names in " + Option("categorical"), name)
        return Wishes(
            dict.fromkeys(numbers, Kind.NUMERIC) | dict.fromkeys(labels, Kind.CATEGORICAL),
            _names(drop, "drop"),
            None if missing is None else _marks(missing),
            _names(merge, "merge"),
            day_first,
        )

    def for_names(self, columns: Collection[str], notes: Iterable[Note]) -> Wishes:
        """Return the options restricted to a table's columns, or raise an error for an unknown name."""
        gone = {note.column for note in notes if note.is_set_aside}

        def known(argument: str, name: str) -> str:
            found = known_as(name, columns)
            if found not in columns and not (argument == "drop" and name in gone):
                raise unknown_name(argument, name, columns)
            return found

        return replace(
            self,
            kinds={known(kind.value, name): kind for name, kind in sorted(self.kinds.items())},
            drop=frozenset(known("drop", name) for name in sorted(self.drop)),
            merge=frozenset(known("merge", name) for name in sorted(self.merge)),
        )


def from_memory(source: object, names: Sequence[str] | None, *, is_strict: bool = True) -> Source:
    """Return the columns of a table in memory, or raise an error that lists the accepted types.

    Lazy frames and repeated names are errors if `is_strict`. Otherwise a lazy frame is collected, and
    repeated names are numbered.
    """
    found: Sequence[Any]
    library = "pyarrow"
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        found, values, origin = _names_of_matrix(source, names), list(source.T), "an array"
    elif names is not None:
        raise BychanceError(
            "`names` is for two-dimensional arrays and files without a header; "
            f"this {type(source).__name__} already has column names."
        )
    elif isinstance(source, Table):
        return Source({own.name: own for own in source.columns}, source.origin, source.library, source.notes)
    elif isinstance(source, np.ndarray):
        found, origin = source.dtype.names or (), "a structured array"
        values = [source[name] for name in found]
    elif isinstance(source, Mapping):
        found, values, origin = list(source), list(source.values()), "a dict"
    else:
        found, values, library = _columns_of_frame(source, is_strict=is_strict)
        origin = f"a {library} {'table' if library == 'pyarrow' else 'frame'}"
    strings, notes = [str(name) for name in found], tuple[Note, ...]()
    if len(set(strings)) < len(strings):
        if is_strict:
            check_unique(strings, origin)
        strings, notes = renamed(strings)
    return Source(dict(zip(strings, values, strict=True)), origin, library, notes)


def make_frame(columns: Mapping[str, Any], library: str) -> Any:
    """Build a data frame of the library, such as "polars", from columns by name.

    >>> type(make_frame({"x": [1, 2]}, "pandas")).__module__.split(".")[0]
    'pandas'
    """
    import narwhals as nw
    import pyarrow as pa

    table, backend = pa.table(dict(columns)), cast("Any", library)
    if library == "pyarrow":
        return table
    try:
        return nw.from_arrow(table, backend=backend).to_native()
    except (ImportError, ValueError) as error:
        raise BychanceError(f"No frame of {library!r} could be made: {first_line(error)}.") from None


def is_frame(source: object) -> bool:
    """Return True for a frame of a supported library, False for an array or list.

    >>> import pyarrow as pa
    >>> is_frame(pa.table({"x": [1, 2]})), is_frame(np.zeros((2, 1)))
    (True, False)
    """
    import narwhals as nw

    source = nw.to_native(source, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(source) or nw.dependencies.is_pyarrow_table(source):
        return True  # narwhals refuses those with repeated names
    return isinstance(nw.from_native(cast("Any", source), pass_through=True), nw.DataFrame | nw.LazyFrame)


def in_memory(frame: Any) -> Any:
    """Return the native frame of a narwhals wrapper, or raise an error for a lazy frame."""
    import narwhals as nw

    frame = nw.to_native(frame, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(frame) or nw.dependencies.is_pyarrow_table(frame):
        return frame
    if isinstance(nw.from_native(frame), nw.LazyFrame):
        call = next((name for name in ("collect", "compute", "df") if hasattr(frame, name)), "collect")
        raise BychanceError(f"`X` must hold its rows in memory, got a lazy frame: call .{call}() first.")
    return frame


def pick_columns(frame: Any, positions: Sequence[int], library: str | None = None) -> Any:
    """Select columns of a data frame by position, keeping its library or converting to the named one.

    >>> import pyarrow as pa
    >>> pick_columns(pa.table({"x": [1], "y": [2], "z": [3]}), [0, 2]).column_names
    ['x', 'z']
    """
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(frame):
        # By position, which keeps the rows where no column is picked.
        picked = frame.iloc[:, list(positions)]
    else:
        known = nw.from_native(frame)
        picked = known.select([known.columns[k] for k in positions]).to_native()
    converted = {"pandas": "to_pandas", "polars": "to_polars"}
    if library is None or type(picked).__module__.split(".")[0] == library:
        return picked
    return getattr(nw.from_native(picked), converted[library])()


def pick_rows(frame: Any, rows: Any) -> Any:
    """Return the rows at these positions as a frame of the same library.

    >>> import pyarrow as pa
    >>> pick_rows(pa.table({"x": [1, 2, 3]}), np.array([2, 0]))["x"].to_pylist()
    [3, 1]
    """
    import narwhals as nw

    return nw.from_native(frame)[rows].to_native()


def _names_of_matrix(matrix: np.ndarray[Any, Any], names: Sequence[str] | None) -> Sequence[str]:
    if matrix.ndim != 2:
        raise BychanceError(f"`source` must be {EXPECTED}, got an array of shape {matrix.shape}.")
    if names is None:
        return [f"x{k + 1}" for k in range(matrix.shape[1])]
    check_names(names, matrix.shape[1])
    return names


def _columns_of_frame(source: Any, *, is_strict: bool) -> tuple[Sequence[Any], list[Any], str]:
    """Return the column names and columns of a data frame, and the name of its library."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(source):
        # Position by position: the error that narwhals raises for repeated names does not name the frame.
        series = [one.to_numpy() if _holds_numpy_numbers(one) else one for _, one in source.items()]
        return list(source.columns), series, "pandas"
    if type(source).__module__.split(".")[0] == "pyarrow" and hasattr(source, "column_names"):
        return source.column_names, list(source.columns), "pyarrow"
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise BychanceError(f"`source` must be {EXPECTED}, got a {type(source).__name__}.") from None
    if isinstance(frame, nw.LazyFrame):
        if is_strict:
            in_memory(source)
        frame = frame.collect()
    # Series stay what they are until they are read: one that cannot be may be dropped.
    return frame.columns, [frame[name] for name in frame.columns], frame.implementation.name.lower()


def _holds_numpy_numbers(series: Any) -> bool:
    return isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiu"


def _names(names: Any, argument: str) -> frozenset[str]:
    try:
        return frozenset({names} if isinstance(names, str) else map(str, () if names is None else names))
    except TypeError:
        raise must_be(argument, "a name or a list of names", names) from None


def _marks(missing: Any) -> frozenset[str]:
    """Convert the argument `missing` to a set of strings that mark missing values, with the empty one."""
    try:
        marks = [missing] if isinstance(missing, str | Number) else list(missing)
    except TypeError:
        raise must_be("missing", "a value or a list of values", missing) from None
    return frozenset({"", *(text for mark in marks for text in _written(mark))})


def _written(mark: Any) -> list[str]:
    """Write a mark of missing values as text. A whole number is written with and without decimals."""
    is_number = isinstance(mark, Real) and not isinstance(mark, bool)
    if not is_number or mark != mark // 1:
        return [str(mark)]
    # Larger ones are other numbers once they are read as floats.
    return [str(mark), f"{int(mark)}", *([f"{int(mark)}.0"] if abs(mark) <= 2**53 else [])]


# One column.


def arrow_of(column: Column) -> Any:
    """Convert a typed column to an Arrow array, with categories dictionary-encoded.

    >>> from bychance.read_column import read_column
    >>> arrow_of(read_column(["a", None, "b"], "x")).to_pylist()
    ['a', None, 'b']
    """
    import pyarrow as pa

    values = arrow_of_numpy(column.values, column.is_missing)
    labels = [str(label) if isinstance(label, Moment) else label for label in column.labels]
    if not labels:
        return values
    return pa.DictionaryArray.from_arrays(values, pa.array(labels), ordered=column.is_ordered)


def as_kind(column: Column, kind: Kind) -> Column:
    """Convert a column to this kind, numeric or categorical."""
    return as_numeric(column) if kind is Kind.NUMERIC else as_categorical(column)


def as_categorical(column: Column) -> Column:
    """Convert numbers and dates to categories, one per distinct value.

    >>> from bychance.read_column import read_column
    >>> column = as_categorical(read_column([3, 1, 3], "x"))
    >>> column.labels, column.values.tolist()
    ((1, 3), [1, 0, 1])
    """
    is_present = slice(None) if column.is_missing is None else ~column.is_missing
    if column.kind is Kind.CATEGORICAL or not len(column.values[is_present]):
        return column
    distinct, picked = np.unique(column.values[is_present], return_inverse=True)
    labels = tuple(distinct.tolist()) if column.clock is None else column.clock.moments(distinct)
    codes = np.zeros(len(column), dtype=np.int32)
    codes[is_present] = picked.reshape(-1)
    return replace(column, kind=Kind.CATEGORICAL, values=codes, labels=labels, clock=None)


def as_numeric(column: Column) -> Column:
    """Convert categories that spell numbers or dates to a numeric column, and booleans to 0 and 1.

    >>> from bychance.read_column import read_column
    >>> as_numeric(read_column(["2.5", "1", None], "x")).values.tolist()
    [2.5, 1.0, nan]
    """
    if column.kind is Kind.NUMERIC:
        return column
    is_present = slice(None) if column.is_missing is None else ~column.is_missing
    used, codes = np.unique(column.values[is_present].astype(np.intp), return_inverse=True)
    labels = [(column.labels or (False, True))[code] for code in used]
    if labels and all(isinstance(label, Moment) for label in labels):
        ticks, clock = ticks_of_moments(labels)
        found = Column(column.name, Kind.NUMERIC, ticks, None, clock=clock)
    else:
        numbers = [_number(label) for label in labels]
        bad = next((k for k, number in enumerate(numbers) if number is None or math.isinf(number)), None)
        if bad is not None:
            row = np.arange(len(column))[is_present][np.argmax(codes == bad)]
            said = {"cell": str(labels[bad]), "place": f"at row {row} (counting from 0)"}
            raise BychanceError(remark(Code.MUST_BE_NUMBERS, column=column.name, **said), "numeric")
        found = read_column(numbers, column.name)
    values = np.zeros(len(column), found.values.dtype)
    is_missing = np.ones(len(column), np.bool_)
    values[is_present] = found.values[codes]
    is_missing[is_present] = False if found.is_missing is None else found.is_missing[codes]
    values[is_missing] = 0 if values.dtype.kind in "iu" else np.nan
    return replace(found, values=values, is_missing=is_missing if is_missing.any() else None)


def without(column: Column, missing: frozenset[str]) -> Column:
    """Return the column with values that equal one of the marks `missing` masked as missing.

    >>> from bychance.read_column import read_column
    >>> column = read_column([1.0, -999.0], "x")
    >>> without(column, frozenset({"-999"})).is_missing.tolist()
    [False, True]
    """
    if column.kind is Kind.CATEGORICAL:
        labels = column.labels or (False, True)
        marks = {*missing, *(_marks_of(column, missing).tolist() if column.precision.itemsize < 8 else ())}
        codes = [code for code, label in enumerate(labels) if str(label) in marks or label in marks]
        is_mark = np.isin(column.values.astype(np.int64), codes)
    elif column.clock is not None:
        return column
    else:
        is_mark = np.isin(column.values, _marks_of(column, missing))
    if column.is_missing is not None:
        is_mark |= column.is_missing
    if is_mark.all():
        return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_mark)
    return replace(column, is_missing=is_mark) if is_mark.any() else column


def _marks_of(column: Column, missing: frozenset[str]) -> NDArray[Any]:
    """Return those marks in `missing` that are numbers, rounded to the column's precision.

    Otherwise only those that it holds exactly: as floats 2**60 and 2**60 + 1 would be equal.
    """
    known = [n for n in map(_number, missing) if n is not None and abs(n) <= sys.float_info.max]
    if column.precision.itemsize < 8:
        with np.errstate(over="ignore", under="ignore"):
            return np.array(known, np.float64).astype(column.precision).astype(np.float64)
    dtype = column.values.dtype
    if dtype.kind == "f":
        return np.array([float(n) for n in known if float(n) == n], dtype)
    ends = np.iinfo(dtype)
    return np.array([int(n) for n in known if int(n) == n and ends.min <= n <= ends.max], dtype)


def _number(label: Any) -> int | float | None:
    """Return the number that a category label spells, or None."""
    if isinstance(label, str | bytes):
        with contextlib.suppress(ValueError):
            return int(label)
    try:
        return int(label) if isinstance(label, int) else float(label)
    except (TypeError, ValueError):
        return None
