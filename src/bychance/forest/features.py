"""Columns of X for trees: reading by dtype or as in `fit`, and encoding for the kernels."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array
from bychance.columns import Column, column_of_floats
from bychance.errors import BychanceError, ColumnError, unknown_name
from bychance.io import is_frame
from bychance.io.cells import as_arrow
from bychance.io.frames import as_categorical, as_numeric, from_memory
from bychance.kinds import Kind
from bychance.names import display_name, first_line
from bychance.parallel import on_threads
from bychance.read_column import read_column
from bychance.ticks import Clock, Moment, counted_from

__all__ = [
    "CategoricalFeatures",
    "Feature",
    "FeatureRows",
    "FeatureTable",
    "Scale",
    "encode",
    "feature_readers",
    "read_like",
    "slices_like",
]

_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Scale:
    """Conversion of large integers to float64 without merging distinct values.

    Integers are counted from `origin`, the smallest one in training. If their range is too large for that,
    `steps` holds the distinct integers in training: each becomes its rank, and others lie halfway between
    ranks.
    """

    clock: Clock | None = None
    origin: int = 0
    steps: NDArray[Any] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, column: Column) -> Scale:
        """Choose the conversion to float64 that suits a training column.

        >>> from bychance.read_column import read_column
        >>> Scale.of(read_column([2**60, 2**60 + 1], "id")).origin == 2**60
        True
        """
        values, is_missing = column.values, column.is_missing
        present = values if is_missing is None else values[~is_missing]
        if values.dtype.kind not in "iu" or not len(present):
            return cls(column.clock)
        smallest, largest = int(present.min()), int(present.max())
        if max(-smallest, largest) <= _EXACT:
            return cls(column.clock)
        if largest - smallest <= _EXACT:
            return cls(column.clock, smallest)
        return cls(column.clock, steps=np.unique(present))

    def numbers(self, column: Column) -> FloatArray:
        """Convert a column's values to float64, NaN if missing."""
        values = column.values
        if self.steps is not None:
            numbers = _places(values, self.steps)
        elif self.origin and values.dtype.kind == "f":
            # Python subtracts large floats, which are whole, exactly if they are integers.
            numbers = np.array([_exact(value) - self.origin for value in values.tolist()], dtype=np.float64)
        else:
            counted = counted_from(values, self.origin) if self.origin else values
            numbers = counted.astype(np.float64, order="C", copy=column.is_missing is not None)
        if column.is_missing is not None:
            numbers[column.is_missing] = np.nan
        return numbers

    def shown(self, threshold: float) -> str:
        """Format a split threshold in the column's original units."""
        if self.steps is not None:
            tick: float = int(self.steps[math.floor(threshold)])
        else:
            tick = self.origin + math.floor(threshold) if self.origin else threshold
        if self.clock is not None:
            return str(self.clock.moment(tick))
        return f"{tick:.6g}" if isinstance(tick, float) else str(tick)


def _places(values: NDArray[Any], steps: NDArray[Any]) -> FloatArray:
    if values.dtype == steps.dtype:
        below = np.searchsorted(steps, values) + np.searchsorted(steps, values, "right")
    else:
        # Python compares integers and floats exactly, while NumPy would convert both to floats.
        known = steps.tolist()
        below = np.array([bisect_left(known, v) + bisect_right(known, v) for v in values.tolist()])
    return (below - 1) / 2


def _exact(number: int | float) -> int | float:
    return int(number) if isinstance(number, float) and number.is_integer() else number


_ROWS_AT_HAND = 512
CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Feature:
    """Description of a training column: name, kind, categories. Its kind is None if all values are missing.

    `labels` are the categories that it may have, `categories` those of training rows by number, None for
    numbers. The scale of numbers is that of the thresholds which cut them.
    """

    name: str
    kind: Kind | None
    labels: tuple[object, ...] = ()
    has_missing: bool = False
    scale: Scale = Scale()
    categories: tuple[object, ...] | None = None

    @staticmethod
    def of(column: Column, categories: tuple[object, ...] | None = None) -> Feature:
        """Describe a training column by its name, kind, categories and conversion to float64."""
        kind, has_missing = None if _is_empty(column) else column.kind, column.is_missing is not None
        return Feature(column.name, kind, column.labels, has_missing, Scale.of(column), categories)

    @property
    def clock(self) -> Clock | None:
        """Conversion between numbers and dates or times, None for other columns."""
        return self.scale.clock


def feature_readers(X: Any, categorical_features: CategoricalFeatures) -> list[Callable[[], Column]]:
    """Return one function per column of X, which reads and checks that column.

    `categorical_features` is "from_dtype" (strings, categories and booleans are categories), or the names,
    the positions or a mask of the categorical columns. Then all other columns must be numbers.
    """
    values = _values_of(X)
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return [partial(_column, *each) for each in values.items()]
    listed = _positions(categorical_features, list(values))
    return [
        partial(_column, *each, as_categorical if k in listed else _number)
        for k, each in enumerate(values.items())
    ]


def read_like(X: Any, features: Sequence[Feature]) -> list[Column]:
    """Read the columns of new data X, converted to the kinds that they had in `fit`."""
    values, read = (_by_columns(X), column_of_floats) if _is_plain(X) else (X, read_column)
    columns = [_column(*each, read=read) for each in _values_of(values).items()]
    return [_as_seen(column, feature) for column, feature in zip(columns, features, strict=True)]


def slices_like(X: Any, features: Sequence[Feature]) -> tuple[int, Callable[[slice], list[Column]]]:
    """Return the number of rows of X, and a function from a slice to its rows, as columns like `features`."""
    if _is_plain(X):
        return len(X), lambda rows: read_like(X[rows], features)
    columns = read_like(X, features)
    return len(columns[0]), lambda rows: [column.at(rows) for column in columns]


def _is_plain(X: Any) -> bool:
    return type(X) is np.ndarray and X.dtype.kind == "f" and X.flags.c_contiguous


def _by_columns(rows: NDArray[Any]) -> NDArray[Any]:
    """Copy an array to Fortran order, a few rows at a time."""
    columns = np.empty_like(rows, order="F")
    for start in range(0, len(rows), _ROWS_AT_HAND):
        columns[start : start + _ROWS_AT_HAND] = rows[start : start + _ROWS_AT_HAND]
    return columns


def _values_of(X: Any) -> dict[str, object]:
    names = None if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]
    source = from_memory(X, names)
    if not source.columns:
        raise BychanceError("Found array with 0 feature(s) while a minimum of 1 is required.")
    return source.columns


def _column(
    name: str,
    values: Any,
    as_wished: Callable[[Column], Column] = lambda column: column,
    read: Callable[[Any, str], Column] = read_column,
) -> Column:
    if hasattr(values, "__len__") and len(values) == 0:
        raise BychanceError("Found array with 0 sample(s) while a minimum of 1 is required.")
    try:
        column = read(as_arrow(values), display_name(name))
    except ColumnError:
        raise
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        raise BychanceError(f"`{display_name(name)}` could not be read: {first_line(error)}.") from None
    if column.values.dtype.kind == "b":
        column = replace(column, values=column.values.astype(np.int32), labels=(False, True))
    return as_wished(replace(column, name=name))


def _positions(chosen: Any, names: list[str]) -> set[int]:
    """Convert column names, positions or a mask to a set of positions."""
    if chosen is None:
        return set()
    if isinstance(chosen, str) or not hasattr(chosen, "__iter__"):
        raise BychanceError(
            '`categorical_features` must be "from_dtype" or a list of names or positions, '
            f"or a mask, got {chosen!r}."
        )
    entries = list(chosen)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != len(names):
            raise BychanceError(
                f"`categorical_features` as a mask must have one entry for each of the {len(names)} columns, "
                f"got {len(entries)}."
            )
        return set(np.flatnonzero(entries).tolist())
    return {_position(entry, names) for entry in entries}


def _position(entry: Any, names: list[str]) -> int:
    if isinstance(entry, str):
        if entry not in names:
            raise unknown_name("categorical_features", entry, names)
        return names.index(entry)
    if not isinstance(entry, int | np.integer) or not -len(names) <= entry < len(names):
        raise BychanceError(
            f"`categorical_features` must hold positions below {len(names)}, the number of columns, "
            f"got {entry!r}."
        )
    return int(entry) % len(names)


def _number(column: Column) -> Column:
    if column.kind is Kind.CATEGORICAL and _sorts(column.labels) != {"numbers"}:
        raise BychanceError(
            f"`categorical_features` must list all columns of categories, got categories such as "
            f"{column.labels[0]!r} in {column.name!r}, which is not listed."
        )
    return as_numeric(column)


def _as_seen(column: Column, feature: Feature) -> Column:
    if feature.kind is None or _is_empty(column):
        return _all_missing(column, feature)
    if not _value_types(feature) & _value_types(column):
        raise BychanceError(
            f"`{display_name(column.name)}` held {_described(feature)} in fit, got {_described(column)}."
        )
    if feature.kind is Kind.CATEGORICAL:
        return as_categorical(column)
    number = as_numeric(column)
    if feature.clock is None or number.clock is None:
        return number
    return replace(number, values=feature.clock.ticks_of(number.values, number.clock), clock=feature.clock)


def _value_types(column: Column | Feature) -> set[str]:
    """Return the types of a column's values (numbers, strings …). Only values of one type can be compared."""
    if column.kind is Kind.CATEGORICAL:
        return _sorts(column.labels)
    return {"numbers" if column.clock is None else column.clock.what}


def _sorts(labels: Iterable[object]) -> set[str]:
    return {
        label.what if isinstance(label, Moment)
        else "numbers" if isinstance(label, Number | np.bool_)
        else "strings" if isinstance(label, str)
        else type(label).__name__
        for label in labels
    }  # fmt: skip


def _described(column: Column | Feature) -> str:
    if column.kind is Kind.CATEGORICAL:
        return f"categories such as {column.labels[0]!r}"
    return "numbers" if column.clock is None else column.clock.what


def _all_missing(column: Column, feature: Feature) -> Column:
    """Return a column of the feature's kind with all values missing."""
    is_missing = np.ones(len(column), dtype=np.bool_)
    if feature.kind is Kind.CATEGORICAL:
        nothing = np.zeros(len(column), dtype=np.int32)
        return Column(column.name, Kind.CATEGORICAL, nothing, is_missing, feature.labels)
    return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_missing)


def _is_empty(column: Column) -> bool:
    return column.is_missing is not None and bool(column.is_missing.all())


FeatureRows = _native.FeatureRows

_Codes = tuple[NDArray[Any], NDArray[Any]]  # codes of a column, and its distinct numbers
_MISSING, _UNSEEN = -1, -2
_MANY_CELLS = 500_000  # fewer cells are read on one thread


def encode(features: Sequence[Feature], columns: Sequence[Column]) -> FeatureRows:
    """Encode new rows for the kernels: numbers as float64, categories by their training codes."""
    rows = FeatureRows(len(columns[0]), len(columns))
    for column, feature in zip(columns, features, strict=True):
        if feature.categories is None:
            rows.add_numeric(feature.scale.numbers(column))
        else:
            rows.add_categorical(_matched_codes(column, feature.categories), len(feature.categories))
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Encoded training columns: ranks of distinct numbers, and codes of categories.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column([2.5, 1.0, None], "dose"), read_column(["b", "a", "b"], "group")]
    >>> table = FeatureTable.read([lambda: columns[0], lambda: columns[1]], 3)
    >>> table.n_rows, table.n_features, table.is_categorical
    (3, 2, (False, True))
    """

    columns: tuple[Feature, ...]
    native: _native.FeatureTable = field(repr=False)

    @classmethod
    def read(
        cls,
        readers: Sequence[Callable[[], Column]],
        n_rows: int,
        is_kept: BoolArray | None = None,
        n_jobs: int | None = None,
    ) -> FeatureTable:
        """Read and encode columns, few of them in memory at a time. Unused categories are dropped.

        `n_rows` counts the rows that are kept.
        """
        native = _native.FeatureTable(n_rows, len(readers))

        def set_column(k: int) -> Feature:
            column = readers[k]() if is_kept is None else readers[k]().at(is_kept)
            return _set_column(native, k, column)

        n_jobs = n_jobs if n_rows * len(readers) >= _MANY_CELLS else 1
        return cls(tuple(on_threads(set_column, range(len(readers)), n_jobs)), native)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return self.native.n_rows

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def is_categorical(self) -> tuple[bool, ...]:
        """Per column, True if it holds categories."""
        return tuple(feature.categories is not None for feature in self.columns)

    def at(self, positions: Sequence[int]) -> FeatureTable:
        """Return the table restricted to the columns at `positions`."""
        return _from_codes(*self._parts(positions))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the encoded columns, so that other processes can grow trees."""
        return _from_codes, self._parts(range(self.n_features))

    def _parts(self, positions: Sequence[int]) -> tuple[tuple[Feature, ...], list[_Codes]]:
        codes = [(self.native.codes(k), self.native.values(k)) for k in positions]
        return tuple(self.columns[k] for k in positions), codes


def _from_codes(features: tuple[Feature, ...], columns: list[_Codes]) -> FeatureTable:
    native = _native.FeatureTable(len(columns[0][0]), len(columns))
    for k, ((codes, values), feature) in enumerate(zip(columns, features, strict=True)):
        if feature.categories is None:
            native.set_ranks(k, codes, values)
        else:
            native.set_categories(k, codes, len(feature.categories))
    return FeatureTable(features, native)


def _set_column(native: _native.FeatureTable, k: int, column: Column) -> Feature:
    """Encode a column, store it as column k of the native table, and describe it."""
    if column.kind is Kind.NUMERIC:
        feature = Feature.of(column)
        native.set_numbers(k, feature.scale.numbers(column))
        return feature
    labels, codes = column.labels, column.values.astype(np.int64)
    if column.is_missing is not None:
        codes[column.is_missing] = len(labels)
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels) + 1)[: len(labels)])
    new_codes = np.full(len(labels) + 1, _MISSING, dtype=np.int32)
    new_codes[used] = np.arange(len(used))
    native.set_categories(k, new_codes[codes], len(used))
    return Feature.of(column, tuple(labels[code] for code in used))


def _matched_codes(column: Column, labels: tuple[object, ...]) -> Int32Array:
    if column.kind is Kind.NUMERIC:  # a column with missing values alone is read as numbers
        is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
        return np.where(is_missing, _MISSING, _UNSEEN).astype(np.int32)
    number = {label: k for k, label in enumerate(labels)}
    by_code = np.array([number.get(label, _UNSEEN) for label in column.labels], dtype=np.int32)
    codes: Int32Array = by_code[column.values.astype(np.intp)]
    if column.is_missing is not None:
        codes = np.where(column.is_missing, np.int32(_MISSING), codes)
    return codes
