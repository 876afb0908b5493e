"""X → typed columns for a forest: in `fit` by their dtypes or as told, later as `fit` saw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, read_column
from bychance.errors import BychanceError, unknown_name
from bychance.kinds import Kind
from bychance.names import display_name, first_line
from bychance.table import is_frame
from bychance.table.convert import as_arrow, as_categorical, as_numeric, is_temporal, ticks_of
from bychance.table.frames import from_memory

__all__ = ["CategoricalFeatures", "Feature", "read_features", "read_like"]

CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Feature:
    """What a column was in `fit`; one without any value has no kind and tells nothing."""

    name: str
    kind: Kind | None
    labels: tuple[object, ...] = ()
    has_missing: bool = False

    @staticmethod
    def of(column: Column) -> Feature:
        """What this column is."""
        kind = None if _is_empty(column) else column.kind
        return Feature(column.name, kind, column.labels, column.is_missing is not None)


def read_features(X: Any, categorical_features: CategoricalFeatures) -> list[Column]:
    """The columns of a frame or of a two-dimensional array, none set aside.

    `categorical_features` is "from_dtype" (strings, categories and booleans are categories) or says which
    columns are: their names, their positions or a mask; then all others are to be numbers.
    """
    columns = _columns_of(X)
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return columns
    listed = _positions(categorical_features, [column.name for column in columns])
    return [as_categorical(column) if k in listed else _number(column) for k, column in enumerate(columns)]


def read_like(X: Any, features: Sequence[Feature]) -> list[Column]:
    """The columns of new rows, each of the kind that it was in `fit`."""
    return [_as_seen(column, feature) for column, feature in zip(_columns_of(X), features, strict=True)]


def _columns_of(X: Any) -> list[Column]:
    names = None if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]
    source = from_memory(X, names)
    if not source.columns:
        raise BychanceError("Found array with 0 feature(s) while a minimum of 1 is required.")
    return [_column(name, values) for name, values in source.columns.items()]


def _column(name: str, values: Any) -> Column:
    if hasattr(values, "__len__") and len(values) == 0:
        raise BychanceError("Found array with 0 sample(s) while a minimum of 1 is required.")
    try:
        arrow = as_arrow(values)
        # A column of dates would be counted from its first, which new rows need not share.
        column = read_column(ticks_of(arrow) if is_temporal(arrow) else arrow, display_name(name))
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        shown, text = f"`{display_name(name)}`", str(error)
        if text.startswith(shown):
            raise
        raise BychanceError(f"{shown} could not be read: {first_line(error)}.") from None
    if column.values.dtype.kind == "b":
        column = replace(column, values=column.values.astype(np.int32), labels=(False, True))
    return replace(column, name=name)


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
    if column.kind is Kind.CATEGORICAL and _has_strings(column.labels):
        raise BychanceError(
            f"`categorical_features` must list all columns of labels, got labels such as "
            f"{column.labels[0]!r} in {column.name!r}, which is not listed."
        )
    return as_numeric(column)


def _as_seen(column: Column, feature: Feature) -> Column:
    if feature.kind is None or _is_empty(column):
        return _empty(column, feature)
    if column.kind is feature.kind:
        return column
    if feature.kind is Kind.CATEGORICAL:
        if _has_strings(feature.labels):
            raise BychanceError(
                f"`{display_name(column.name)}` held labels such as {feature.labels[0]!r} in fit, "
                "got numbers."
            )
        return as_categorical(column)
    if _has_strings(column.labels):
        raise BychanceError(
            f"`{display_name(column.name)}` held numbers in fit, got labels such as {column.labels[0]!r}."
        )
    return as_numeric(column)


def _empty(column: Column, feature: Feature) -> Column:
    """A column of the feature's kind without any value."""
    is_missing = np.ones(len(column), dtype=np.bool_)
    if feature.kind is Kind.CATEGORICAL:
        nothing = np.zeros(len(column), dtype=np.int32)
        return Column(column.name, Kind.CATEGORICAL, nothing, is_missing, feature.labels)
    return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_missing)


def _is_empty(column: Column) -> bool:
    return column.is_missing is not None and bool(column.is_missing.all())


def _has_strings(labels: tuple[object, ...]) -> bool:
    return any(isinstance(label, str | bytes) for label in labels)
