"""X → typed columns, by their dtypes or as `fit` saw them → what the kernels read: codes, and rows alike."""

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
from bychance.columns import Column, column_of_floats
from bychance.errors import BychanceError, ColumnError, unknown_name
from bychance.io import is_frame
from bychance.io.frames import as_arrow, as_categorical, as_numeric, from_memory
from bychance.kinds import Kind
from bychance.names import display_name, first_line
from bychance.parallel import on_threads
from bychance.read_column import read_column
from bychance.ticks import Clock, Moment, counted_from

__all__ = [
    "CategoricalFeatures",
    "Feature",
    "FeatureEncoder",
    "FeatureRows",
    "FeatureTable",
    "Scale",
    "feature_readers",
    "read_like",
    "slices_like",
]

_EXACT = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Conversion of integers that float64 would merge to floats that it keeps apart.

    They are counted from `origin`, the smallest in training. Where they lie too far apart for that, `steps`
    holds the distinct ones in training: each becomes its place among them, and others lie halfway between.
    """

    clock: Clock | None = None
    origin: int = 0
    steps: NDArray[Any] | None = None

    @classmethod
    def of(cls, column: Column) -> Scale:
        """Return the scale of a training column.

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

    def numbers(self, column: Column) -> NDArray[np.float64]:
        """Return a column's values on this scale, NaN if missing."""
        values = column.values
        if self.steps is not None:
            numbers = _places(values, self.steps)
        elif self.origin and values.dtype.kind == "f":
            # Python subtracts large floats, which are whole, as integers.
            numbers = np.array([_exact(value) - self.origin for value in values.tolist()], dtype=np.float64)
        else:
            counted = counted_from(values, self.origin) if self.origin else values
            numbers = counted.astype(np.float64, order="C", copy=column.is_missing is not None)
        if column.is_missing is not None:
            numbers[column.is_missing] = np.nan
        return numbers

    def shown(self, threshold: float) -> str:
        """Return the value of a threshold as text."""
        if self.steps is not None:
            tick: float = int(self.steps[math.floor(threshold)])
        else:
            tick = self.origin + math.floor(threshold) if self.origin else threshold
        if self.clock is not None:
            return str(self.clock.moment(tick))
        return f"{tick:.6g}" if isinstance(tick, float) else str(tick)


def _places(values: NDArray[Any], steps: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype == steps.dtype:
        below = np.searchsorted(steps, values) + np.searchsorted(steps, values, "right")
    else:
        # Python compares integers and floats exactly; NumPy would make floats of both.
        known = steps.tolist()
        below = np.array([bisect_left(known, v) + bisect_right(known, v) for v in values.tolist()])
    return (below - 1) / 2


def _exact(number: int | float) -> int | float:
    return int(number) if isinstance(number, float) and number.is_integer() else number


_ROWS_AT_HAND = 512
CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Feature:
    """A column as it was in `fit`. One without any value has no kind."""

    name: str
    kind: Kind | None
    labels: tuple[object, ...] = ()
    has_missing: bool = False
    clock: Clock | None = None

    @staticmethod
    def of(column: Column) -> Feature:
        """Describe a column."""
        kind = None if _is_empty(column) else column.kind
        return Feature(column.name, kind, column.labels, column.is_missing is not None, column.clock)


def feature_readers(X: Any, categorical_features: CategoricalFeatures) -> list[Callable[[], Column]]:
    """Return one reader per column of a frame or two-dimensional array, none set aside.

    `categorical_features` is "from_dtype" (strings, categories and booleans are categories) or says which
    columns are: their names, their positions or a mask; then all others are to be numbers.
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
    """Read the columns of new rows as the kinds that they were in `fit`."""
    values, read = (_by_columns(X), column_of_floats) if _is_plain(X) else (X, read_column)
    columns = [_column(*each, read=read) for each in _values_of(values).items()]
    return [_as_seen(column, feature) for column, feature in zip(columns, features, strict=True)]


def slices_like(X: Any, features: Sequence[Feature]) -> tuple[int, Callable[[slice], list[Column]]]:
    """Return the number of new rows and a function from a slice to its columns."""
    if _is_plain(X):
        return len(X), lambda rows: read_like(X[rows], features)
    columns = read_like(X, features)
    return len(columns[0]), lambda rows: [column.at(rows) for column in columns]


def _is_plain(X: Any) -> bool:
    return type(X) is np.ndarray and X.dtype.kind == "f" and X.flags.c_contiguous


def _by_columns(rows: NDArray[Any]) -> NDArray[Any]:
    """Copy an array to Fortran order, few rows at a time."""
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
    """Return the positions of columns chosen by name, by position or by a mask."""
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
        return _empty(column, feature)
    if not _sorts_of(feature) & _sorts_of(column):
        raise BychanceError(
            f"`{display_name(column.name)}` held {_described(feature)} in fit, got {_described(column)}."
        )
    if feature.kind is Kind.CATEGORICAL:
        return as_categorical(column)
    number = as_numeric(column)
    if feature.clock is None or number.clock is None:
        return number
    return replace(number, values=feature.clock.ticks_of(number.values, number.clock), clock=feature.clock)


def _sorts_of(column: Column | Feature) -> set[str]:
    """Return the sorts of values of a column. Only values of one sort can be compared."""
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


def _empty(column: Column, feature: Feature) -> Column:
    """Return a column of the feature's kind without any value."""
    is_missing = np.ones(len(column), dtype=np.bool_)
    if feature.kind is Kind.CATEGORICAL:
        nothing = np.zeros(len(column), dtype=np.int32)
        return Column(column.name, Kind.CATEGORICAL, nothing, is_missing, feature.labels)
    return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_missing)


def _is_empty(column: Column) -> bool:
    return column.is_missing is not None and bool(column.is_missing.all())


FeatureRows = _native.FeatureRows

_MISSING, _UNSEEN = -1, -2
_MANY_CELLS = 500_000  # to be worth threads


@dataclass(frozen=True, slots=True)
class FeatureEncoder:
    """What is left of the training columns once the trees are grown; it can be pickled.

    `labels` holds, per column, the categories that training rows have, by number; None for numbers, whose
    `scales` say what thresholds cut.
    """

    labels: tuple[tuple[object, ...] | None, ...]
    scales: tuple[Scale, ...]

    def encode(self, columns: Sequence[Column]) -> FeatureRows:
        """New rows: numbers on the scale of training, categories by their number there."""
        rows = FeatureRows(len(columns[0]), len(columns))
        for column, labels, scale in zip(columns, self.labels, self.scales, strict=True):
            if labels is None:
                rows.add_numeric(scale.numbers(column))
            else:
                rows.add_categorical(_matched_codes(column, labels), len(labels))
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Training columns as codes: ranks of distinct numbers, numbers of categories.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column([2.5, 1.0, None], "dose"), read_column(["b", "a", "b"], "group")]
    >>> table = FeatureTable.of(columns)
    >>> table.n_rows, table.n_features, table.is_categorical
    (3, 2, (False, True))
    """

    encoder: FeatureEncoder
    native: _native.FeatureTable = field(repr=False)

    @classmethod
    def of(cls, columns: Sequence[Column], n_jobs: int | None = None) -> FeatureTable:
        """Encode these columns, without categories that no row has."""
        return cls.read([partial(_itself, column) for column in columns], len(columns[0]), n_jobs=n_jobs)[0]

    @classmethod
    def read(
        cls,
        readers: Sequence[Callable[[], Column]],
        n_rows: int,
        is_kept: NDArray[np.bool_] | None = None,
        n_jobs: int | None = None,
    ) -> tuple[FeatureTable, tuple[Feature, ...]]:
        """The same of columns that are read when their turn comes, and what they are.

        Few are in memory at a time. Where not all rows are kept, `n_rows` counts those that are.
        """
        native = _native.FeatureTable(n_rows, len(readers))

        def set_column(k: int) -> tuple[tuple[object, ...] | None, Scale, Feature]:
            return _set_column(native, k, readers[k], is_kept)

        n_jobs = n_jobs if n_rows * len(readers) >= _MANY_CELLS else 1
        labels, scales, features = zip(*on_threads(set_column, range(len(readers)), n_jobs), strict=True)
        return cls(FeatureEncoder(labels, scales), native), features

    def encode(self, columns: Sequence[Column]) -> FeatureRows:
        """New rows with the same columns."""
        return self.encoder.encode(columns)

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return self.native.n_rows

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return len(self.encoder.labels)

    @property
    def is_categorical(self) -> tuple[bool, ...]:
        """Which columns hold categories."""
        return tuple(labels is not None for labels in self.encoder.labels)

    def at(self, positions: Sequence[int]) -> FeatureTable:
        """The table of the columns at these positions."""
        labels, scales = self.encoder.labels, self.encoder.scales
        encoder = FeatureEncoder(tuple(labels[k] for k in positions), tuple(scales[k] for k in positions))
        return _from_codes(encoder, self._columns(positions))

    def __reduce__(self) -> tuple[Any, ...]:
        """By the codes, so that other processes can grow trees."""
        return _from_codes, (self.encoder, self._columns(range(self.n_features)))

    def _columns(self, positions: Sequence[int]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return [(self.native.codes(k), self.native.values(k)) for k in positions]


def _from_codes(encoder: FeatureEncoder, columns: list[tuple[NDArray[Any], NDArray[Any]]]) -> FeatureTable:
    native = _native.FeatureTable(len(columns[0][0]), len(columns))
    for k, ((codes, values), labels) in enumerate(zip(columns, encoder.labels, strict=True)):
        if labels is None:
            native.set_ranks(k, codes, values)
        else:
            native.set_categories(k, codes, len(labels))
    return FeatureTable(encoder, native)


def _itself(column: Column) -> Column:
    return column


def _set_column(
    native: _native.FeatureTable, k: int, reader: Callable[[], Column], is_kept: NDArray[np.bool_] | None
) -> tuple[tuple[object, ...] | None, Scale, Feature]:
    """Write column number k, and return its categories (None for numbers), scale and description."""
    column = reader() if is_kept is None else reader().at(is_kept)
    scale = Scale.of(column)
    if column.kind is Kind.NUMERIC:
        native.set_numbers(k, scale.numbers(column))
        return None, scale, Feature.of(column)
    labels, codes = _labels_of(column), column.values.astype(np.int64)
    if column.is_missing is not None:
        codes[column.is_missing] = len(labels)
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels) + 1)[: len(labels)])
    new_codes = np.full(len(labels) + 1, _MISSING, dtype=np.int32)
    new_codes[used] = np.arange(len(used))
    native.set_categories(k, new_codes[codes], len(used))
    return tuple(labels[code] for code in used), scale, Feature.of(column)


def _labels_of(column: Column) -> tuple[object, ...]:
    return (False, True) if column.values.dtype.kind == "b" else column.labels


def _matched_codes(column: Column, labels: tuple[object, ...]) -> NDArray[np.int32]:
    if column.kind is Kind.NUMERIC:  # a column without a single category is read as numbers
        is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
        return np.where(is_missing, _MISSING, _UNSEEN).astype(np.int32)
    number = {label: k for k, label in enumerate(labels)}
    by_code = np.array([number.get(label, _UNSEEN) for label in _labels_of(column)], dtype=np.int32)
    codes: NDArray[np.int32] = by_code[column.values.astype(np.intp)]
    if column.is_missing is not None:
        codes = np.where(column.is_missing, np.int32(_MISSING), codes)
    return codes
