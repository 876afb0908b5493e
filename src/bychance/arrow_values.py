"""Conversions between Arrow and NumPy arrays, strings and Python objects that never change a value.

Buffers are read directly, because pyarrow's own conversions import pandas if it is installed, and lose a
Ctrl-C pressed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, IntArray

__all__ = [
    "are_strings",
    "arrow_of_numpy",
    "arrow_of_objects",
    "arrow_of_polars",
    "has_nanoseconds",
    "is_label",
    "is_number",
    "is_true",
    "null_mask",
    "numpy_of",
    "strings_of",
    "text_scalar",
    "ticks_of",
    "types_in",
    "whole_if_large",
]


def numpy_of(array: Any) -> NDArray[Any]:
    """Convert an Arrow array of integers, floats or booleans to NumPy. Values at nulls are arbitrary.

    >>> import pyarrow as pa
    >>> numpy_of(pa.array([1, 2, 3]).slice(1)).tolist(), numpy_of(pa.array([True, False])).tolist()
    ([2, 3], [True, False])
    """
    data, rows = array.buffers()[1], slice(array.offset, array.offset + len(array))
    if array.type.bit_width == 1:
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little", count=rows.stop)
        return bits[rows].astype(np.bool_)
    dtype = np.dtype(array.type.to_pandas_dtype())
    values: NDArray[Any] = np.frombuffer(data, dtype, count=rows.stop)[rows]
    return values


def arrow_of_numpy(values: NDArray[Any], is_null: BoolArray | None = None) -> Any:
    """Convert a NumPy array of integers, floats or booleans to Arrow, with nulls at masked positions.

    >>> arrow_of_numpy(np.array([1, 2, 3]), np.array([False, True, False])).to_pylist()
    [1, None, 3]
    """
    import pyarrow as pa

    def bits(flags: BoolArray) -> Any:
        return pa.py_buffer(np.packbits(flags, bitorder="little"))

    is_flags = values.dtype.kind == "b"
    data = bits(values) if is_flags else pa.py_buffer(np.ascontiguousarray(values))
    valid = None if is_null is None else bits(~is_null)
    arrow_type = pa.bool_() if is_flags else pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(arrow_type, len(values), [valid, data])


def null_mask(array: Any) -> BoolArray:
    """Return a mask of the nulls in an Arrow array of any type.

    >>> import pyarrow as pa
    >>> null_mask(pa.array(["a", None])).tolist()
    [False, True]
    """
    return numpy_of(array.is_null()) if array.null_count else np.zeros(len(array), dtype=np.bool_)


def is_true(flags: Any) -> BoolArray:
    """Return a mask of the values in a Boolean Arrow array that are true and not null.

    >>> import pyarrow as pa
    >>> is_true(pa.array([True, None, False])).tolist()
    [True, False, False]
    """
    return numpy_of(flags) & ~null_mask(flags)


def strings_of(texts: Iterable[str]) -> Any:
    """Convert strings to an Arrow array.

    >>> strings_of(["ä", ""]).to_pylist()
    ['ä', '']
    """
    import pyarrow as pa

    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)


def are_strings(values: Any) -> bool:
    """Return True if the object is an Arrow array of strings.

    >>> are_strings(strings_of(["a"])), are_strings(["a"])
    (True, False)
    """
    import pyarrow as pa
    import pyarrow.types as types

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        return False
    return bool(types.is_string(values.type) or types.is_large_string(values.type))


def text_scalar(text: str | None) -> Any:
    """Convert a string or None to an Arrow scalar.

    >>> text_scalar(None).as_py(), text_scalar("a").as_py()
    (None, 'a')
    """
    import pyarrow as pa

    return pa.nulls(1, pa.large_string())[0] if text is None else strings_of([text])[0]


def arrow_of_objects(values: Any) -> Any:
    """Convert Python objects to an Arrow array, or raise if dates are mixed with another type.

    Without this check Arrow takes the type of the first date for all values: it cuts later datetimes to days
    and nanoseconds to microseconds, reads integers as ticks, and datetimes without a zone as UTC.

    >>> arrow_of_objects([date(2000, 1, 1), datetime(2000, 1, 1, 12)])
    Traceback (most recent call last):
    ...
    TypeError: dates beside values of another type
    """
    import pyarrow as pa
    import pyarrow.types as types

    array = pa.array(values, from_pandas=True)
    if not types.is_temporal(array.type):
        return array
    is_null = null_mask(array).tolist()
    present = [value for value, is_missing in zip(values, is_null, strict=True) if not is_missing]
    found = {(type(value), getattr(value, "tzinfo", None) is None) for value in present}
    if len({(_temporal_class(kind), is_naive) for kind, is_naive in found}) > 1:
        raise TypeError("dates beside values of another type")
    if not any(map(has_nanoseconds, present)):
        return array
    is_span = types.is_duration(array.type)
    return pa.array(
        values, pa.duration("ns") if is_span else pa.timestamp("ns", array.type.tz), from_pandas=True
    )


def has_nanoseconds(value: Any) -> bool:
    """Return True if a pandas Timestamp or Timedelta is finer than Python's microseconds.

    >>> has_nanoseconds(datetime(2000, 1, 1))
    False
    """
    # NaT has NaN of them.
    return getattr(value, "nanosecond", 0) > 0 or getattr(value, "nanoseconds", 0) > 0


def types_in(values: Iterable[object]) -> list[str]:
    """Return the type names of the non-missing values. Dates with a time zone are a separate type.

    >>> types_in([None, 1, "a"])
    ['int', 'str']
    """
    found = {(type(value).__name__, getattr(value, "tzinfo", None) is None) for value in values}
    names = {name if is_naive else f"{name} with a time zone" for name, is_naive in found}
    return sorted(names - {"NoneType", "NaTType", "NAType"})


def arrow_of_polars(series: Any) -> Any:
    """Convert a polars series to Arrow, or raise a TypeError that names its type.

    >>> import polars as pl
    >>> arrow_of_polars(pl.Series([2**60 + 1, None])).to_pylist()
    [1152921504606846977, None]
    """
    if str(series.dtype) in ("Int128", "UInt128"):
        raise TypeError(f"it holds integers of 128 bits ({series.dtype}); cast them to 64")
    # Under a plain name: a zero byte in the column's own makes polars panic.
    return series.alias("values").to_arrow()


def ticks_of(values: Any) -> IntArray:
    """Convert an Arrow array of dates, times or durations to integer counts of its unit.

    >>> import pyarrow as pa
    >>> ticks_of(pa.array([7, 8], pa.date32())).tolist()
    [7, 8]
    """
    import pyarrow as pa

    return numpy_of(values.cast(pa.int64() if values.type.bit_width == 64 else pa.int32())).astype(np.int64)


def whole_if_large(decimals: Any) -> Any:
    """Convert Arrow decimals to floats, or to integers if any is too large for a float to hold exactly.

    >>> import pyarrow as pa
    >>> whole_if_large(pa.array([2**60 + 1]).cast(pa.decimal128(38, 0))).to_pylist()
    [1152921504606846977]
    """
    import pyarrow as pa

    floats = decimals.cast(pa.float64(), safe=False)
    if np.abs(numpy_of(floats)[~null_mask(floats)]).max(initial=0) <= 2**53:
        return floats
    for integer in (pa.int64(), pa.uint64()):
        try:
            return decimals.cast(integer)
        except pa.ArrowInvalid:
            continue
    return floats


def is_number(arrow_type: Any) -> bool:
    """Return True if the Arrow type holds numbers, or nothing but nulls."""
    import pyarrow.types as types

    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
    return any(test(arrow_type) for test in tests)


def is_label(arrow_type: Any) -> bool:
    """Return True if the Arrow type holds values that become categories: strings, bytes or booleans."""
    import pyarrow.types as types

    tests = (
        types.is_boolean,
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_binary,
        types.is_large_binary,
        types.is_binary_view,
        types.is_fixed_size_binary,
    )
    return any(test(arrow_type) for test in tests)


def _temporal_class(kind: type) -> type:
    """Return the class datetime, date, time or timedelta that a type inherits from, else the type itself."""
    families = (datetime, date, time, timedelta)
    return next((family for family in families if issubclass(kind, family)), kind)
