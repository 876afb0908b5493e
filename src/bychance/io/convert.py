"""One column to another kind: what the caller wishes a column to be, and values that count as missing."""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, arrow_of_objects, arrow_of_polars
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.messages import Code, remark
from bychance.read_column import read_column
from bychance.ticks import Moment, ticks_of_moments

__all__ = [
    "arrow_of",
    "as_arrow",
    "as_categorical",
    "as_kind",
    "as_numeric",
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
        return arrow_of_objects(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # A mixture; read_column has the words for it.
        return values


def arrow_of(column: Column) -> Any:
    """A typed column as an Arrow array: categories as a dictionary, what is missing as null.

    >>> from bychance.read_column import read_column
    >>> arrow_of(read_column(["a", None, "b"], "x")).to_pylist()
    ['a', None, 'b']
    """
    import pyarrow as pa

    values = arrow_of_numpy(column.values, column.is_missing)
    labels = [str(label) if isinstance(label, Moment) else label for label in column.labels]
    return pa.DictionaryArray.from_arrays(values, pa.array(labels)) if labels else values


def as_kind(column: Column, kind: Kind) -> Column:
    """The column as the kind that is wished for."""
    return as_numeric(column) if kind is Kind.NUMERIC else as_categorical(column)


def as_categorical(column: Column) -> Column:
    """The column with every distinct value as a category.

    >>> from bychance.read_column import read_column
    >>> column = as_categorical(read_column([3, 1, 3], "x"))
    >>> column.labels, column.values.tolist()
    ((1, 3), [1, 0, 1])
    """
    is_missing = column.is_missing
    if column.kind is Kind.CATEGORICAL or (is_missing is not None and is_missing.all()):
        return column
    present = column.values if is_missing is None else column.values[~is_missing]
    distinct, picked = np.unique(present, return_inverse=True)
    labels = tuple(distinct.tolist()) if column.clock is None else column.clock.moments(distinct)
    codes = np.zeros(len(column), dtype=np.int32)
    codes[slice(None) if is_missing is None else ~is_missing] = picked.reshape(-1)
    return replace(column, kind=Kind.CATEGORICAL, values=codes, labels=labels, clock=None)


def as_numeric(column: Column) -> Column:
    """The column with every category as the number that it spells; booleans are 0 and 1, dates are dates.

    >>> from bychance.read_column import read_column
    >>> as_numeric(read_column(["2.5", "1", None], "x")).values.tolist()
    [2.5, 1.0, nan]
    """
    if column.kind is Kind.NUMERIC:
        return column
    is_missing = (
        np.zeros(len(column), dtype=np.bool_) if column.is_missing is None else column.is_missing.copy()
    )
    is_present = ~is_missing
    used, codes = np.unique(column.values[is_present].astype(np.intp), return_inverse=True)
    numbers = _numbers_of_labels(column, used)
    values = np.full(len(column), 0 if numbers.values.dtype.kind in "iu" else np.nan, numbers.values.dtype)
    values[is_present] = numbers.values[codes]
    if numbers.is_missing is not None:
        is_missing[is_present] = numbers.is_missing[codes]
    return replace(numbers, values=values, is_missing=is_missing if is_missing.any() else None)


def without(column: Column, missing: frozenset[str]) -> Column:
    """The column with the values that stand for missing marked as such; dates have none.

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


def _series_as_arrow(values: Any) -> Any:
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=False)
    if series.dtype == nw.Object:
        raise TypeError("it holds Python objects of any type")
    return arrow_of_polars(series.to_native()) if series.implementation.is_polars() else series.to_arrow()


def _is_loose(values: Any) -> bool:
    """Whether the values are strings or objects whose type only they themselves tell."""
    if isinstance(values, list | tuple):
        return True
    dtype = getattr(values, "dtype", None)
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and values.dtype.kind in "UTO"
    return str(dtype) in ("object", "str", "string") or str(dtype).startswith("string[")


def _marks_of(column: Column, missing: frozenset[str]) -> NDArray[Any]:
    """The marks that are numbers, as the column would hold them: rounded where it came in less than 64 bits.

    Otherwise only those that it holds exactly: as floats 2**60 and 2**60 + 1 would be equal.
    """
    numbers = [number for number in map(_number, missing) if number is not None]
    known = [number for number in numbers if abs(number) <= sys.float_info.max]
    if column.precision.itemsize < 8:
        with np.errstate(over="ignore", under="ignore"):
            return np.array(known, np.float64).astype(column.precision).astype(np.float64)
    dtype = column.values.dtype
    if dtype.kind == "f":
        return np.array([float(n) for n in known if float(n) == n], dtype)
    lowest, highest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return np.array([int(n) for n in known if int(n) == n and lowest <= n <= highest], dtype)


def _numbers_of_labels(column: Column, codes: NDArray[np.intp]) -> Column:
    """The categories with these codes as a column of numbers, or of dates."""
    labels = [(column.labels or (False, True))[code] for code in codes]
    moments = [label for label in labels if isinstance(label, Moment)]
    if moments and len(moments) == len(labels):
        ticks, clock = ticks_of_moments(moments)
        return Column(column.name, Kind.NUMERIC, ticks, None, clock=clock)
    numbers = [_number(label) for label in labels]
    for code, label, number in zip(codes, labels, numbers, strict=True):
        if number is None or (isinstance(number, float) and math.isinf(number)):
            is_it = (column.values == code) & (column.is_missing is None or ~column.is_missing)
            place = f"at row {int(np.flatnonzero(is_it)[0])} (counting from 0)"
            raise BychanceError(
                remark(Code.MUST_BE_NUMBERS, cell=str(label), column=column.name, place=place), "numeric"
            )
    return read_column(numbers, column.name)


def _number(label: Any) -> int | float | None:
    """The number that a category is or is written as, exactly where it is whole."""
    if isinstance(label, str | bytes):
        with contextlib.suppress(ValueError):
            return int(label)
    try:
        return int(label) if isinstance(label, int) else float(label)
    except (TypeError, ValueError):
        return None
