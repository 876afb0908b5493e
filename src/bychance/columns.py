"""One array → a typed column: numbers or labels, with what is missing marked.

In:  anything one-dimensional: NumPy (masked too), lists, pandas, polars or pyarrow series.
Out: a Column whose kind follows the dtype: numbers and dates are numeric, strings, booleans and
     categories are categorical. NaN, None, NA and NaT are missing; ±inf is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import null_mask, numpy_of
from bychance.kinds import Kind

__all__ = ["Column", "codes_of", "numbers_of", "read_column", "shared_codes_of", "shared_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A typed column: numbers as they are, or labels as codes into `labels`, and where it is missing.

    Booleans are labels too, kept as booleans so that they can stand for 0 and 1.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    is_missing: NDArray[np.bool_] | None
    labels: tuple[object, ...] = ()

    def __len__(self) -> int:
        return len(self.values)


def read_column(values: object, name: str) -> Column:
    """The column that an array-like is, or an error that names the argument, the rule and the value."""
    if type(values).__module__.startswith("pyarrow"):
        return _from_arrow(values, name)
    if type(values).__module__.startswith("pandas"):
        if getattr(values, "size", 1) == 0:
            raise ValueError(f"`{name}` must not be empty.")
        column = _from_pandas(values, name)
        if column is not None:
            return column
    array, is_masked = _as_array(values, name)
    if array.ndim != 1:
        what = f"an array of shape {array.shape}" if array.ndim else f"a single {type(values).__name__}"
        raise ValueError(f"`{name}` must be one-dimensional, got {what}.")
    if len(array) == 0:
        raise ValueError(f"`{name}` must not be empty.")
    if array.dtype.kind in "OT":
        column = _from_arrow(_arrow_array(array.astype(object), name), name)
    else:
        column = _from_dtype(array, name, is_masked)
    if is_masked is None:
        return column
    is_missing = is_masked if column.is_missing is None else column.is_missing | is_masked
    return replace(column, is_missing=_or_none(is_missing))


def shared_rows(x: Column, y: Column) -> NDArray[np.bool_] | None:
    """Which rows both columns have; None where nothing is missing."""
    if len(x) != len(y):
        raise ValueError(f"`{x.name}` and `{y.name}` must be of one length, got {len(x)} and {len(y)}.")
    if x.is_missing is None and y.is_missing is None:
        return None
    is_shared = np.ones(len(x), dtype=np.bool_)
    for column in (x, y):
        if column.is_missing is not None:
            is_shared &= ~column.is_missing
    return is_shared


def numbers_of(column: Column, rows: NDArray[np.bool_] | None, wanted_by: str) -> NDArray[np.float64]:
    """The column's values on these rows as float64; booleans count as 0 and 1, labels are refused."""
    if column.kind is Kind.CATEGORICAL and column.values.dtype.kind != "b":
        raise ValueError(
            f"`{column.name}` must be numeric for measure {wanted_by!r}, "
            f"got labels such as {column.labels[0]!r}."
        )
    picked = column.values if rows is None else column.values[rows]
    if picked.dtype.kind in "iu" and len(picked):
        smallest, largest = int(picked.min()), int(picked.max())
        if max(-smallest, largest) > 2**53:
            # Float64 would run neighbors together; counted from the smallest they stay apart.
            picked = picked.astype(np.uint64) - np.uint64(smallest % 2**64)
    return np.ascontiguousarray(picked, dtype=np.float64)


def codes_of(column: Column, rows: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """The column's distinct values on these rows numbered 0, 1, …; no number is left out."""
    picked = column.values if rows is None else column.values[rows]
    return np.unique(picked, return_inverse=True)[1].reshape(-1).astype(np.int32)


def shared_codes_of(
    x: Column, y: Column, rows: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both columns numbered by one list of labels, so that equal codes mean equal labels."""
    if x.kind is not y.kind:
        raise ValueError(
            f"`{x.name}` and `{y.name}` must hold the same kind of labels, "
            f"got {x.kind.value} and {y.kind.value}."
        )
    numbers: dict[object, int] = {}
    first, second = (_by_label(column, numbers) for column in (x, y))
    if rows is not None:
        first, second = first[rows], second[rows]
    codes = np.unique(np.concatenate([first, second]), return_inverse=True)[1].reshape(-1).astype(np.int32)
    return codes[: len(first)], codes[len(first) :]


def _by_label(column: Column, numbers: dict[object, int]) -> NDArray[Any]:
    """The column's values, labels numbered as in `numbers`, which grows by those that are new."""
    is_boolean = column.values.dtype.kind == "b"
    labels: tuple[object, ...] = (False, True) if is_boolean else column.labels
    if not labels:
        return column.values
    renumbered = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    by_row: NDArray[np.int64] = renumbered[column.values.astype(np.intp)]
    return by_row


def _from_pandas(values: Any, name: str) -> Column | None:
    """What NumPy would not read as it is: categories, periods and nullable types; None for the rest."""
    dtype: Any = getattr(values, "dtype", None)
    array = getattr(values, "array", values)
    if hasattr(dtype, "categories"):
        codes = np.asarray(array.codes, dtype=np.int32)
        is_missing = codes < 0
        if is_missing.all() and len(codes):
            return Column(name, Kind.NUMERIC, np.full(len(codes), np.nan), is_missing)
        labels = tuple(dtype.categories.tolist())
        return Column(name, Kind.CATEGORICAL, np.maximum(codes, 0), _or_none(is_missing), labels)
    if str(dtype).startswith("period"):
        return _from_ticks(np.asarray(array.asi8), name, np.asarray(array.isna()))
    if hasattr(array, "__arrow_array__"):
        return _from_arrow(array.__arrow_array__(), name)
    return None


def _as_array(values: object, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    is_masked = None
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values).reshape(-1) if values.ndim == 1 else None
        values = values.data
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`{name}` must be a one-dimensional array: {error}") from None
    # NumPy turns [1, "a"] into ["1", "a"]; the mixture must not pass unseen.
    if isinstance(values, list | tuple) and array.dtype.kind in "US" and array.ndim == 1:
        array = np.asarray(values, dtype=object)
    return array, is_masked


def _from_dtype(array: NDArray[Any], name: str, is_masked: NDArray[np.bool_] | None) -> Column:
    kind = array.dtype.kind
    if kind in "US":
        labels, codes = np.unique(array, return_inverse=True)
        return Column(name, Kind.CATEGORICAL, codes.astype(np.int32), None, tuple(labels.tolist()))
    if kind == "b":
        return Column(name, Kind.CATEGORICAL, array, None)
    if kind in "mM":
        is_missing = np.isnat(array)
        return _from_ticks(array.astype(np.int64), name, is_missing)
    if kind in "iu":
        # Labels beyond 2**53 would run together as float64, so integers stay what they are.
        return Column(name, Kind.NUMERIC, array, None)
    if kind == "f":
        return _from_floats(array.astype(np.float64), name, is_masked)
    raise ValueError(f"`{name}` must hold numbers, dates, booleans or labels, got dtype {array.dtype}.")


def _from_ticks(ticks: NDArray[np.int64], name: str, is_missing: NDArray[np.bool_]) -> Column:
    """Dates and times as whole ticks of their unit, counted from the first: their origin means nothing."""
    present = ticks[~is_missing]
    first = int(present.min()) if len(present) else 0
    counted = np.where(is_missing, 0, ticks - first)
    return Column(name, Kind.NUMERIC, counted, _or_none(is_missing))


def _from_floats(array: NDArray[np.float64], name: str, is_masked: NDArray[np.bool_] | None) -> Column:
    if np.isfinite(array).all():
        return Column(name, Kind.NUMERIC, array, None)
    is_missing = np.isnan(array)
    is_infinite = ~np.isfinite(array) & ~is_missing
    if is_masked is not None:
        is_infinite &= ~is_masked
    if is_infinite.any():
        index = int(np.flatnonzero(is_infinite)[0])
        raise ValueError(f"`{name}` must be finite, got {array[index]} at row {index} (counting from 0).")
    return Column(name, Kind.NUMERIC, array, _or_none(is_missing))


def _arrow_array(array: NDArray[Any], name: str) -> Any:
    import pyarrow as pa

    try:
        return pa.array(array, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        kinds = sorted({type(v).__name__ for v in array.ravel()[:1000] if v is not None})
        raise ValueError(
            f"`{name}` must hold values of one type, numbers or labels; got {', '.join(kinds)}."
        ) from None


def _from_arrow(values: Any, name: str, kind: Kind | None = None) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        raise ValueError(f"`{name}` must be a one-dimensional array, got {type(values).__name__}.")
    if len(values) == 0:
        raise ValueError(f"`{name}` must not be empty.")
    if types.is_dictionary(values.type):
        values, kind = values.dictionary_decode(), Kind.CATEGORICAL
    is_missing = null_mask(values)
    if kind is Kind.CATEGORICAL or _is_label(values.type):
        return _from_labels(values, name, is_missing)
    if types.is_null(values.type):
        return Column(name, Kind.NUMERIC, np.full(len(values), np.nan), is_missing)
    if types.is_temporal(values.type):
        ticks = numpy_of(values.cast(pa.int64() if values.type.bit_width == 64 else pa.int32()))
        return _from_ticks(ticks.astype(np.int64), name, is_missing)
    if not (types.is_integer(values.type) or types.is_floating(values.type) or types.is_decimal(values.type)):
        raise ValueError(
            f"`{name}` must hold numbers, dates, booleans or labels, got values of type {values.type}."
        )
    if types.is_integer(values.type):
        integers = numpy_of(values)
        if is_missing.any():
            integers = np.where(is_missing, 0, integers)
        return Column(name, Kind.NUMERIC, integers, _or_none(is_missing))
    numbers = numpy_of(values.cast(pa.float64(), safe=False))
    if is_missing.any():
        numbers = np.where(is_missing, np.nan, numbers)
    return _from_floats(numbers, name, is_missing)


def _is_label(arrow_type: Any) -> bool:
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


def _from_labels(values: Any, name: str, is_missing: NDArray[np.bool_]) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    if is_missing.all():
        return Column(name, Kind.NUMERIC, np.full(len(values), np.nan), is_missing)
    if types.is_boolean(values.type):
        flags = numpy_of(values) & ~is_missing
        return Column(name, Kind.CATEGORICAL, flags, _or_none(is_missing))
    encoded = values.dictionary_encode()
    codes = np.where(is_missing, 0, numpy_of(encoded.indices.cast(pa.int32())))
    return Column(name, Kind.CATEGORICAL, codes, _or_none(is_missing), tuple(encoded.dictionary.to_pylist()))


def _or_none(is_missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return is_missing if is_missing.any() else None
