"""One column to another kind: what the caller wishes a column to be, and values that count as missing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.kinds import Kind

__all__ = [
    "arrow_of",
    "as_arrow",
    "as_categorical",
    "as_kind",
    "as_numeric",
    "is_temporal",
    "ticks_of",
    "without",
]


def as_arrow(values: Any) -> Any:
    """Strings, lists and Python objects as Arrow arrays, which are quick to judge; the rest as it is."""
    import pyarrow as pa
    import pyarrow.types as types

    if type(values).__module__.split(".")[0] in ("narwhals", "polars"):
        values = _series_as_arrow(values)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        # Arrow counts the distinct values of all kinds of strings but this one.
        return values.cast(pa.large_string()) if types.is_string_view(values.type) else values
    if isinstance(values, np.ma.MaskedArray) or not _is_loose(values):
        return values
    if isinstance(values, np.ndarray) and (values.dtype.kind == "T" or not values.dtype.isnative):
        values = values.astype(object)
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # A mixture; read_column has the words for it.
        return values


def arrow_of(column: Column) -> Any:
    """A typed column as an Arrow array: labels as a dictionary, what is missing as null.

    >>> from bychance.columns import read_column
    >>> arrow_of(read_column(["a", None, "b"], "x")).to_pylist()
    ['a', None, 'b']
    """
    import pyarrow as pa

    values = pa.array(column.values, mask=column.is_missing)
    return pa.DictionaryArray.from_arrays(values, pa.array(column.labels)) if column.labels else values


def as_kind(column: Column, kind: Kind | None) -> Column:
    """The column as the kind that is wished for, where one is."""
    if kind is Kind.NUMERIC:
        return as_numeric(column)
    return as_categorical(column) if kind is Kind.CATEGORICAL else column


def as_categorical(column: Column) -> Column:
    """The column with every distinct value as a label.

    >>> from bychance.columns import read_column
    >>> column = as_categorical(read_column([3, 1, 3], "x"))
    >>> column.labels, column.values.tolist()
    ((1, 3), [1, 0, 1])
    """
    is_missing = column.is_missing
    if column.kind is Kind.CATEGORICAL or (is_missing is not None and is_missing.all()):
        return column
    present = column.values if is_missing is None else column.values[~is_missing]
    labels, picked = np.unique(present, return_inverse=True)
    codes = np.zeros(len(column), dtype=np.int32)
    codes[slice(None) if is_missing is None else ~is_missing] = picked.reshape(-1)
    return replace(column, kind=Kind.CATEGORICAL, values=codes, labels=tuple(labels.tolist()))


def as_numeric(column: Column) -> Column:
    """The column with every label as the number that it is written as; booleans are 0 and 1.

    >>> from bychance.columns import read_column
    >>> as_numeric(read_column(["2.5", "1", None], "x")).values.tolist()
    [2.5, 1.0, nan]
    """
    if column.kind is Kind.NUMERIC:
        return column
    is_missing = np.zeros(len(column), dtype=np.bool_) if column.is_missing is None else column.is_missing
    if column.values.dtype.kind == "b":
        numbers = column.values.astype(np.float64)
    else:
        numbers = _numbers_of_labels(column, is_missing)
    numbers[is_missing] = np.nan
    is_missing = np.isnan(numbers)
    return Column(column.name, Kind.NUMERIC, numbers, is_missing if is_missing.any() else None)


def without(column: Column, values: Any, missing: frozenset[str]) -> Column:
    """The column with the values that stand for missing marked as such; dates have none.

    >>> from bychance.columns import read_column
    >>> column = read_column([1.0, -999.0], "x")
    >>> without(column, column, frozenset({"-999"})).is_missing.tolist()
    [False, True]
    """
    if column.kind is Kind.CATEGORICAL:
        labels = column.labels or (False, True)
        codes = [code for code, label in enumerate(labels) if str(label) in missing]
        is_mark = np.isin(column.values.astype(np.int64), codes)
    elif is_temporal(values):
        return column
    else:
        is_mark = np.isin(column.values, [number for number in map(_number, missing) if number is not None])
    if column.is_missing is not None:
        is_mark |= column.is_missing
    if is_mark.all():
        return Column(column.name, Kind.NUMERIC, np.full(len(column), np.nan), is_mark)
    return replace(column, is_missing=is_mark) if is_mark.any() else column


def is_temporal(values: Any) -> bool:
    """Whether an array is of dates, times or spans of time, in whichever library."""
    arrow_type = getattr(values, "type", None)
    shown = str(getattr(values, "dtype", arrow_type)).lower()
    return any(word in shown for word in ("date", "time", "period", "duration"))


def ticks_of(values: Any) -> Any:
    """Dates, times and spans as microseconds since their origin, periods as their numbers: an Arrow array.

    >>> ticks_of(np.array(["1970-01-02"], dtype="datetime64[s]")).to_pylist()
    [86400000000]
    """
    import pyarrow as pa
    import pyarrow.types as types

    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
    if isinstance(array.type, pa.ExtensionType):
        return array.storage
    if types.is_duration(array.type):
        unit = pa.duration("us")
    elif types.is_time(array.type):
        unit = pa.time64("us")
    else:
        unit = pa.timestamp("us", getattr(array.type, "tz", None))
    return array.cast(unit, safe=False).cast(pa.int64())


def _series_as_arrow(values: Any) -> Any:
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=False)
    if series.dtype == nw.Object:
        raise TypeError("it holds Python objects of any type")
    # Under a plain name: a zero byte in the column's own makes polars panic.
    return series.alias("values").to_arrow()


def _is_loose(values: Any) -> bool:
    """Whether the values are strings or objects whose type only they themselves tell."""
    if isinstance(values, list | tuple):
        return True
    dtype = getattr(values, "dtype", None)
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and values.dtype.kind in "UTO"
    return str(dtype) in ("object", "str", "string") or str(dtype).startswith("string[")


def _numbers_of_labels(column: Column, is_missing: NDArray[np.bool_]) -> NDArray[np.float64]:
    numbers = np.full(len(column.labels), np.nan)
    for code in np.unique(column.values[~is_missing]):
        number = _number(column.labels[code])
        if number is None or math.isinf(number):
            row = int(np.flatnonzero((column.values == code) & ~is_missing)[0])
            raise BychanceError(
                f"`numeric` must name columns of numbers, got {column.labels[code]!r} in {column.name!r} "
                f"at row {row} (counting from 0)."
            )
        numbers[code] = number
    by_row: NDArray[np.float64] = numbers[column.values]
    return by_row


def _number(label: Any) -> float | None:
    try:
        return float(label)
    except (TypeError, ValueError):
        return None
