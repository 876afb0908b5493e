"""What callers hold in memory → named columns as they are; and results → a frame of the caller's library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from bychance.errors import BychanceError
from bychance.io.headers import renamed
from bychance.io.record import Table, check_unique
from bychance.messages import Note, Remark
from bychance.names import count_of, first_line

__all__ = ["Source", "from_memory", "in_memory", "is_frame", "make_frame", "pick_columns", "pick_rows"]

EXPECTED = "a path, a pandas, polars or pyarrow table, a dict of arrays or a two-dimensional array"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Named columns before typing: array-likes, cells of text, or columns typed by their file.

    `unnamed` are those whose names we made up; `asides` are reasons to set columns aside unless wished for.
    `may_have_total` is a text file or sheet of which nobody said that all rows are data.
    """

    columns: dict[str, object]
    origin: str
    library: str = "pyarrow"
    notes: tuple[Note, ...] = ()
    unnamed: frozenset[str] = frozenset()
    asides: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)
    may_have_total: bool = False


def from_memory(source: object, names: Sequence[str] | None, *, is_strict: bool = True) -> Source:
    """The columns of whatever table this is, or an error that says what a table may be.

    Lazy frames and repeated names are errors where that is strict; otherwise the one is collected, the others
    are told apart.
    """
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        return _from_matrix(source, names, is_strict=is_strict)
    if names is not None:
        raise BychanceError(
            "`names` is for two-dimensional arrays and files without a header; "
            f"this {type(source).__name__} already has column names."
        )
    if isinstance(source, Table):
        columns: dict[str, object] = {column.name: column for column in source.columns}
        return Source(columns, source.origin, source.library, source.notes)
    if isinstance(source, np.ndarray):
        fields = source.dtype.names or ()
        return Source({name: source[name] for name in fields}, "a structured array")
    if isinstance(source, Mapping):
        return _named(list(source), list(source.values()), "a dict", "pyarrow", is_strict=is_strict)
    return _from_frame(source, is_strict=is_strict)


def make_frame(columns: Mapping[str, Any], library: str) -> Any:
    """Columns as a frame of the named library, as `Table.library` names it.

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
    """Whether this is a frame of a library that is known here, rather than an array or a list.

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
    """The frame, without a wrapper of narwhals; an error where its rows are yet to be computed."""
    import narwhals as nw

    frame = nw.to_native(frame, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(frame) or nw.dependencies.is_pyarrow_table(frame):
        return frame
    if isinstance(nw.from_native(frame), nw.LazyFrame):
        call = next((name for name in ("collect", "compute", "df") if hasattr(frame, name)), "collect")
        raise BychanceError(f"`X` must hold its rows in memory, got a lazy frame: call .{call}() first.")
    return frame


def pick_columns(frame: Any, positions: Sequence[int], library: str | None = None) -> Any:
    """Some columns of a frame by where they stand, as a frame of the same library or of the named one.

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
    """Some rows of a frame by their numbers, as a frame of the same library.

    >>> import pyarrow as pa
    >>> pick_rows(pa.table({"x": [1, 2, 3]}), np.array([2, 0]))["x"].to_pylist()
    [3, 1]
    """
    import narwhals as nw

    return nw.from_native(frame)[rows].to_native()


def _from_matrix(matrix: np.ndarray[Any, Any], names: Sequence[str] | None, *, is_strict: bool) -> Source:
    if matrix.ndim != 2:
        raise BychanceError(f"`source` must be {EXPECTED}, got an array of shape {matrix.shape}.")
    n_columns = matrix.shape[1]
    if names is None:
        names = [f"x{k + 1}" for k in range(n_columns)]
    elif len(names) != n_columns:
        raise BychanceError(
            f"`names` must name all {count_of(n_columns, 'column')}, got {count_of(len(names), 'name')}."
        )
    columns = [matrix[:, k] for k in range(n_columns)]
    return _named(list(names), columns, "an array", "pyarrow", is_strict=is_strict)


def _from_frame(source: Any, *, is_strict: bool) -> Source:
    import narwhals as nw

    module = type(source).__module__.split(".")[0]
    if nw.dependencies.is_pandas_dataframe(source):
        # Position by position: the error that narwhals raises for repeated names does not name the frame.
        series = [one for _, one in source.items()]
        series = [one.to_numpy() if _holds_numpy_numbers(one) else one for one in series]
        return _named(list(source.columns), series, "a pandas frame", "pandas", is_strict=is_strict)
    if module == "pyarrow" and hasattr(source, "column_names"):
        names = list(source.column_names)
        return _named(names, list(source.columns), "a pyarrow table", "pyarrow", is_strict=is_strict)
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise BychanceError(f"`source` must be {EXPECTED}, got a {type(source).__name__}.") from None
    if isinstance(frame, nw.LazyFrame):
        if is_strict:
            in_memory(source)
        frame = frame.collect()
    library = frame.implementation.name.lower()
    # Series stay what they are until they are read: one that cannot be may be dropped.
    series = [frame[name] for name in frame.columns]
    return _named(frame.columns, series, f"a {library} frame", library, is_strict=is_strict)


def _holds_numpy_numbers(series: Any) -> bool:
    return isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiu"


def _named(names: list[Any], values: list[Any], origin: str, library: str, *, is_strict: bool) -> Source:
    strings, notes = [str(name) for name in names], tuple[Note, ...]()
    if len(set(strings)) < len(strings):
        if is_strict:
            check_unique(strings, origin)
        strings, notes = renamed(strings)
    return Source(dict(zip(strings, values, strict=True)), origin, library, notes)
