"""X → typed columns for a forest: in `fit` by their dtypes or as told, later as `fit` saw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, column_of_floats
from bychance.errors import BychanceError, ColumnError, unknown_name
from bychance.io import is_frame
from bychance.io.frames import as_arrow, as_categorical, as_numeric, from_memory
from bychance.kinds import Kind
from bychance.names import display_name, first_line
from bychance.read_column import read_column
from bychance.ticks import Clock, Moment

__all__ = ["CategoricalFeatures", "Feature", "feature_readers", "read_like"]

_ROWS_AT_HAND = 512
CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Feature:
    """What a column was in `fit`; one without any value has no kind and tells nothing."""

    name: str
    kind: Kind | None
    labels: tuple[object, ...] = ()
    has_missing: bool = False
    clock: Clock | None = None

    @staticmethod
    def of(column: Column) -> Feature:
        """What this column is."""
        kind = None if _is_empty(column) else column.kind
        return Feature(column.name, kind, column.labels, column.is_missing is not None, column.clock)


def feature_readers(X: Any, categorical_features: CategoricalFeatures) -> list[Callable[[], Column]]:
    """What reads each column of a frame or of a two-dimensional array, none set aside.

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
    """The columns of new rows, each of the kind that it was in `fit`."""
    is_plain = type(X) is np.ndarray and X.dtype.kind == "f" and X.flags.c_contiguous
    values, read = (_by_columns(X), column_of_floats) if is_plain else (X, read_column)
    columns = [_column(*each, read=read) for each in _values_of(values).items()]
    return [_as_seen(column, feature) for column, feature in zip(columns, features, strict=True)]


def _by_columns(rows: NDArray[Any]) -> NDArray[Any]:
    """A copy that has its columns together; rows are read few at a time, else all of them for each column."""
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
    """Where the columns stand that are chosen by name, by position or by a mask."""
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
    """What sorts of values there are: only those of one sort can be equal or compared."""
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
    """A column of the feature's kind without any value."""
    is_missing = np.ones(len(column), dtype=np.bool_)
    if feature.kind is Kind.CATEGORICAL:
        nothing = np.zeros(len(column), dtype=np.int32)
        return Column(column.name, Kind.CATEGORICAL, nothing, is_missing, feature.labels)
    return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_missing)


def _is_empty(column: Column) -> bool:
    return column.is_missing is not None and bool(column.is_missing.all())
