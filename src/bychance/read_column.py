"""read_column(): a one-dimensional array-like of any library → a typed column.

In:  NumPy arrays (masked too), lists, pandas, polars or pyarrow series.
Out: a Column whose kind follows the dtype: numbers and dates are numeric, strings, booleans and categories
     categorical. NaN, None, NA and NaT are missing, and ±inf is an error.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.arrow_values import (
    arrow_of_numpy,
    arrow_of_objects,
    arrow_of_polars,
    has_nanoseconds,
    is_label,
    is_number,
    null_mask,
    numpy_of,
    ticks_of,
    types_in,
    whole_if_large,
)
from bychance.columns import Column, column_of_floats
from bychance.errors import ColumnError
from bychance.kinds import Kind
from bychance.messages import Code
from bychance.ticks import Clock, arrow_clock, numpy_clock

__all__ = ["read_column"]


def read_column(values: object, name: str) -> Column:
    """Convert an array-like to a column, or raise an error that names argument, rule and value."""
    if type(values) is np.ndarray and values.dtype.kind == "f" and values.ndim == 1 and len(values):
        return column_of_floats(values.copy(), name)
    if type(values).__module__.startswith("narwhals"):
        values = getattr(values, "to_native", lambda: values)()
    if type(values).__module__.startswith("polars") and str(getattr(values, "dtype", "Object")) != "Object":
        try:
            values = arrow_of_polars(values)
        except TypeError as error:
            raise ColumnError(name, f"could not be read: {error}.") from None
    if type(values).__module__.startswith("pyarrow"):
        return _from_arrow(values, name)
    if type(values).__module__.startswith("pandas"):
        if getattr(values, "size", 1) == 0:
            raise ColumnError(name, "must not be empty.")
        column = _from_pandas(values, name)
        if column is not None:
            return column
    array, is_masked = _as_array(values, name)
    if array.ndim != 1:
        what = f"an array of shape {array.shape}" if array.ndim else f"a single {type(values).__name__}"
        raise ColumnError(name, f"must be one-dimensional, got {what}.", code=Code.NOT_ONE_DIMENSIONAL)
    if len(array) == 0:
        raise ColumnError(name, "must not be empty.")
    if array.dtype.kind in "OT":
        column = _from_objects(array.astype(object), name)
    else:
        column = _from_dtype(array, name, is_masked)
    if is_masked is None:
        return column
    is_missing = is_masked if column.is_missing is None else column.is_missing | is_masked
    return replace(column, is_missing=_or_none(is_missing))


def _from_pandas(values: Any, name: str) -> Column | None:
    """Convert pandas types that NumPy would misread to a column. Return None for other types."""
    dtype: Any = getattr(values, "dtype", None)
    array = getattr(values, "array", values)
    if hasattr(dtype, "categories"):
        codes = np.asarray(array.codes, dtype=np.int32)
        is_missing = codes < 0
        if is_missing.all() and len(codes):
            return Column(name, Kind.NUMERIC, np.full(len(codes), np.nan), is_missing)
        labels = _labels_of_categories(dtype.categories, name)
        codes = np.maximum(codes, 0)
        return Column(
            name, Kind.CATEGORICAL, codes, _or_none(is_missing), labels, is_ordered=bool(dtype.ordered)
        )
    if hasattr(array, "__arrow_array__"):
        return _from_arrow(array.__arrow_array__(), name)
    return None


def _labels_of_categories(categories: Any, name: str) -> tuple[object, ...]:
    labels = tuple(categories.tolist())
    is_period = str(categories.dtype).startswith("period")
    if is_period or all(isinstance(label, date | time | timedelta) for label in labels):
        with contextlib.suppress(ValueError):  # dates with and without a zone, for instance
            column = read_column(categories, name)
            return labels if column.clock is None else column.clock.moments(column.values)
    return labels


def _as_array(values: object, name: str) -> tuple[NDArray[Any], BoolArray | None]:
    is_masked = None
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values).reshape(-1) if values.ndim == 1 else None
        values = values.data
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ColumnError(
            name, f"must be a one-dimensional array: {error}", code=Code.NOT_ONE_DIMENSIONAL
        ) from None
    # NumPy turns [1, "a"] into ["1", "a"], and [2**60 + 1, -1.0] into floats; both must be noticed.
    is_list = isinstance(values, list | tuple) and array.ndim == 1
    if is_list and (array.dtype.kind in "US" or (array.dtype.kind == "f" and _floats_merge(values, array))):
        array = np.asarray(values, dtype=object)
    return array, is_masked


def _floats_merge(numbers: Any, floats: FloatArray) -> bool:
    """Return True if conversion to floats made different numbers equal."""
    if not np.nanmax(np.abs(floats), initial=0) > 2**53:
        return False
    return len({number for number in numbers if number == number}) > len(np.unique(floats[~np.isnan(floats)]))


def _from_dtype(array: NDArray[Any], name: str, is_masked: BoolArray | None) -> Column:
    kind = array.dtype.kind
    if kind in "US":
        labels, codes = np.unique(array, return_inverse=True)
        return Column(name, Kind.CATEGORICAL, codes.astype(np.int32), None, tuple(labels.tolist()))
    if kind == "b":
        return Column(name, Kind.CATEGORICAL, array, None)
    if kind == "M" and np.datetime_data(array.dtype)[0] in ("Y", "M"):
        days = array.astype("M8[D]")
        if not np.array_equal(days.astype(array.dtype), array, equal_nan=True):
            raise ColumnError(name, f"must hold dates that can be counted in days, got {array.dtype}.")
        array = days
    if kind in "mM":
        return _from_ticks(array.astype(np.int64), name, np.isnat(array), numpy_clock(array.dtype))
    if kind in "iu":
        # Categories beyond 2**53 would run together as float64, so integers stay what they are.
        return Column(name, Kind.NUMERIC, array, None)
    if kind == "f":
        return column_of_floats(array.copy(), name, is_masked)
    raise ColumnError(name, f"must hold numbers, dates, booleans or categories, got dtype {array.dtype}.")


def _from_ticks(ticks: IntArray, name: str, is_missing: BoolArray, clock: Clock) -> Column:
    """Create a column of dates or times as whole counts of their unit, counted from the earliest."""
    present = ticks[~is_missing]
    if not len(present):
        return Column(name, Kind.NUMERIC, np.full(len(ticks), np.nan), is_missing)
    first, last = int(present.min()), int(present.max())
    # From the first to the last there may be more ticks than an int64 has.
    counted = np.where(is_missing, 0, ticks.astype(np.uint64) - np.uint64(first % 2**64))
    values = counted.astype(np.int64) if last - first < 2**63 else counted
    clock = replace(clock, origin=first * clock.size)
    return Column(name, Kind.NUMERIC, values, _or_none(is_missing), clock=clock)


def _from_objects(array: NDArray[Any], name: str) -> Column:
    import pyarrow as pa

    try:
        arrow = arrow_of_objects(array)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _from_mixture(array, name)
    return _from_arrow(arrow, name)


def _from_mixture(array: NDArray[Any], name: str) -> Column:
    """Convert integers that Arrow refuses to uint64, or to floats if all stay distinct, else raise."""
    kinds = types_in(array)
    if not set(kinds) <= {"int", "float"}:
        bound = ", with nanoseconds within 292 years" if any(map(has_nanoseconds, array)) else ""
        rule = f"values of one type, numbers or categories{bound}"
        raise ColumnError(name, f"must hold {rule}; got {', '.join(kinds)}.")
    is_missing = np.array([value is None or value != value for value in array])
    present = array[~is_missing].tolist()
    if all(isinstance(value, int) for value in present) and min(present) >= 0 and max(present) < 2**64:
        return Column(
            name, Kind.NUMERIC, np.where(is_missing, 0, array).astype(np.uint64), _or_none(is_missing)
        )
    with contextlib.suppress(OverflowError):
        floats = array.astype(np.float64)
        if not _floats_merge(present, floats):
            return column_of_floats(floats, name)
    raise ColumnError(
        name,
        f"must hold numbers that 64-bit integers or floats represent exactly, "
        f"got {', '.join(kinds)} beyond 2**53, which neither represents.",
    )


def _from_arrow(values: Any, name: str) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        raise ColumnError(
            name,
            f"must be a one-dimensional array, got {type(values).__name__}.",
            code=Code.NOT_ONE_DIMENSIONAL,
        )
    if len(values) == 0:
        raise ColumnError(name, "must not be empty.")
    if types.is_float64(values.type) and not values.null_count:  # most columns of wide tables
        return column_of_floats(numpy_of(values), name)
    are_categories, numbers = types.is_dictionary(values.type), None
    if are_categories and values.type.ordered and not types.is_boolean(values.type.value_type):
        values, numbers = values.dictionary, values.indices
    elif are_categories:
        values = values.dictionary_decode()
    clock = arrow_clock(values.type)
    if clock is None and not (is_label(values.type) or is_number(values.type)):
        raise ColumnError(
            name, f"must hold numbers, dates, booleans or categories, got values of type {values.type}."
        )
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    is_missing = null_mask(values)
    if are_categories or is_label(values.type):
        column = _from_labels(values, name, is_missing, clock)
        return column if numbers is None else _from_levels(column, numbers)
    if types.is_null(values.type):
        return Column(name, Kind.NUMERIC, np.full(len(values), np.nan), is_missing)
    if clock is not None:
        return _from_ticks(ticks_of(values), name, is_missing, clock)
    if types.is_decimal(values.type):
        values = whole_if_large(values)
    if types.is_integer(values.type):
        integers = numpy_of(values)
        if is_missing.any():
            integers = np.where(is_missing, 0, integers)
        return Column(name, Kind.NUMERIC, integers, _or_none(is_missing))
    numbers = numpy_of(values)
    if is_missing.any():
        numbers = np.where(is_missing, np.nan, numbers)
    return column_of_floats(numbers, name, is_missing)


def _from_labels(values: Any, name: str, is_missing: BoolArray, clock: Clock | None) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_floating(values.type):
        is_missing = is_missing | np.isnan(numpy_of(values))
        values = arrow_of_numpy(numpy_of(values), is_missing)
    if is_missing.all():
        return Column(name, Kind.NUMERIC, np.full(len(values), np.nan), is_missing)
    if types.is_boolean(values.type):
        flags = numpy_of(values) & ~is_missing
        return Column(name, Kind.CATEGORICAL, flags, _or_none(is_missing))
    encoded = values.dictionary_encode()
    codes = np.where(is_missing, 0, numpy_of(encoded.indices.cast(pa.int32())))
    known = encoded.dictionary
    labels = tuple(known.to_pylist()) if clock is None else clock.moments(ticks_of(known))
    return Column(name, Kind.CATEGORICAL, codes, _or_none(is_missing), labels)


def _from_levels(levels: Column, numbers: Any) -> Column:
    """Create an ordered categorical column from a column of its levels and each row's level number."""
    is_missing = null_mask(numbers)
    codes = np.zeros(len(numbers), dtype=np.intp)
    codes[~is_missing] = numpy_of(numbers)[~is_missing]
    if levels.is_missing is not None:
        is_missing |= levels.is_missing[codes]
    if is_missing.all():
        return Column(levels.name, Kind.NUMERIC, np.full(len(codes), np.nan), is_missing)
    return replace(levels, values=levels.values[codes], is_missing=_or_none(is_missing), is_ordered=True)


def _or_none(is_missing: BoolArray) -> BoolArray | None:
    return is_missing if is_missing.any() else None
