"""One array → a typed column: numbers or labels, with what is missing marked.

In:  anything one-dimensional: NumPy (masked too), lists, pandas, polars or pyarrow series.
Out: a Column whose kind follows the dtype: numbers and dates are numeric, strings, booleans and
     categories are categorical. NaN, None, NA and NaT are missing; ±inf is an error.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.arrow_values import (
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
from bychance.kinds import Kind
from bychance.ticks import Clock, arrow_clock, numpy_clock

__all__ = ["Column", "codes_of", "numbers_of", "read_column", "shared_codes_of", "shared_rows"]


_FLOAT64 = np.dtype(np.float64)
_FEW_ROWS = 5_000  # sorted in half a millisecond


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A typed column: numbers as they are, or labels as codes into `labels`, and where it is missing.

    Booleans are labels too, kept as booleans so that they can stand for 0 and 1. Dates, times and spans are
    whole ticks counted from the first of them; `clock` says what they count. What float64 cannot hold apart
    stays an integer. `precision` is the dtype that the floats came in, shorter perhaps than float64.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    is_missing: NDArray[np.bool_] | None
    labels: tuple[object, ...] = ()
    clock: Clock | None = None
    precision: np.dtype[Any] = _FLOAT64

    def __len__(self) -> int:
        return len(self.values)

    @property
    def present(self) -> NDArray[Any]:
        """The values of the rows that have one."""
        return self.values if self.is_missing is None else self.values[~self.is_missing]

    def at(self, rows: NDArray[Any] | slice) -> Column:
        """These rows of the column."""
        is_missing = None if self.is_missing is None else self.is_missing[rows]
        return replace(self, values=self.values[rows], is_missing=is_missing)


def read_column(values: object, name: str) -> Column:
    """The column that an array-like is, or an error that names the argument, the rule and the value."""
    if type(values).__module__.startswith("narwhals"):
        values = getattr(values, "to_native", lambda: values)()
    if type(values).__module__.startswith("polars") and str(getattr(values, "dtype", "Object")) != "Object":
        try:
            values = arrow_of_polars(values)
        except TypeError as error:
            raise ValueError(f"`{name}` could not be read: {error}.") from None
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
        column = _from_objects(array.astype(object), name)
    else:
        column = _from_dtype(array, name, is_masked)
    if is_masked is None:
        return column
    is_missing = is_masked if column.is_missing is None else column.is_missing | is_masked
    return replace(column, is_missing=_or_none(is_missing))


def most_alike(column: Column) -> int:
    """At most how many rows have one value: exact up to 5,000 rows, and where it is most of them.

    >>> most_alike(read_column(["a", "a", "b"], "x")), most_alike(read_column([1, 2, 3], "x"))
    (2, 1)
    """
    present = column.present
    if len(present) == 0:
        return 0
    if len(present) <= _FEW_ROWS:
        ordered = np.sort(present)
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))
        return int(np.diff(starts).max())
    middle = len(present) // 2
    count = int(np.count_nonzero(present == np.partition(present, middle)[middle]))
    return max(count, middle)


def log_ties(column: Column) -> float:
    """The logarithm of Πt!, t the rows of each value: how many permutations change nothing.

    0 beyond 5,000 rows, whose arrangements are too many for any p-value to show.

    >>> round(np.exp(log_ties(read_column(["a", "a", "b", "a"], "x"))))
    6
    """
    present = column.present
    if len(present) > _FEW_ROWS:
        return 0.0
    return float(special.gammaln(np.unique(present, return_counts=True)[1] + 1).sum())


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
            steps = picked.astype(np.uint64) - np.uint64(smallest % 2**64)
            return steps.astype(np.float64) if largest - smallest <= 2**53 else _apart(steps)
    return np.ascontiguousarray(picked, dtype=np.float64)


def codes_of(column: Column, rows: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """The column's distinct values on these rows numbered 0, 1, …; no number is left out."""
    picked = column.values if rows is None else column.values[rows]
    return np.unique(picked, return_inverse=True)[1].reshape(-1).astype(np.int32)


def shared_codes_of(
    x: Column, y: Column, rows: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both columns numbered by one list of labels, so that equal codes mean equal labels."""
    if rows is not None and not rows.any():
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    if (x.kind, _what(x)) != (y.kind, _what(y)):
        raise ValueError(
            f"`{x.name}` and `{y.name}` must hold the same kind of labels, got {_what(x)} and {_what(y)}."
        )
    numbers: dict[object, int] = {}
    first, second = (_by_label(column, numbers) for column in (x, y))
    if rows is not None:
        first, second = first[rows], second[rows]
    codes = np.unique(np.concatenate([first, second]), return_inverse=True)[1].reshape(-1).astype(np.int32)
    return codes[: len(first)], codes[len(first) :]


def _apart(steps: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Floats in the order of these integers, equal only where they are: each the nearest that is still free.

    k integers between two floats move up by at most k places of the last bit, which ranks do not feel at all
    and sums of squares as little as any rounding.
    """
    distinct, codes = np.unique(steps, return_inverse=True)
    places = np.arange(len(distinct))
    # Floats from 0 on are ordered as the integers with the same bits.
    bits = distinct.astype(np.float64).view(np.int64)
    apart = (np.maximum.accumulate(bits - places) + places).view(np.float64)
    by_row: NDArray[np.float64] = apart[codes.reshape(-1)]
    return by_row


def _what(column: Column) -> str:
    return column.kind.value if column.clock is None else column.clock.what


def _by_label(column: Column, numbers: dict[object, int]) -> NDArray[np.int64]:
    """The column's values numbered as in `numbers`, which grows by those that are new.

    By Python's numbers, which compare exactly whatever their type; dates count from one origin in one unit.
    """
    codes = column.values
    if column.kind is Kind.NUMERIC:
        values, codes = np.unique(column.values, return_inverse=True)
        labels = values.tolist() if column.clock is None else column.clock.counts(values)
    else:
        labels = column.labels or (False, True)
    renumbered = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    by_row: NDArray[np.int64] = renumbered[codes.reshape(-1).astype(np.intp)]
    return by_row


def _from_pandas(values: Any, name: str) -> Column | None:
    """What NumPy would not read as it is: categories, periods, zones, nullable types; None for the rest."""
    dtype: Any = getattr(values, "dtype", None)
    array = getattr(values, "array", values)
    if hasattr(dtype, "categories"):
        codes = np.asarray(array.codes, dtype=np.int32)
        is_missing = codes < 0
        if is_missing.all() and len(codes):
            return Column(name, Kind.NUMERIC, np.full(len(codes), np.nan), is_missing)
        labels = _labels_of_categories(dtype.categories, name)
        return Column(name, Kind.CATEGORICAL, np.maximum(codes, 0), _or_none(is_missing), labels)
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


def _as_array(values: object, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    is_masked = None
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values).reshape(-1) if values.ndim == 1 else None
        values = values.data
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`{name}` must be a one-dimensional array: {error}") from None
    # NumPy turns [1, "a"] into ["1", "a"], and [2**60 + 1, -1.0] into floats; neither must pass unseen.
    is_list = isinstance(values, list | tuple) and array.ndim == 1
    if is_list and (array.dtype.kind in "US" or (array.dtype.kind == "f" and _run_together(values, array))):
        array = np.asarray(values, dtype=object)
    return array, is_masked


def _run_together(numbers: Any, floats: NDArray[np.float64]) -> bool:
    """Whether different numbers are the same float."""
    if not np.nanmax(np.abs(floats), initial=0) > 2**53:
        return False
    return len({number for number in numbers if number == number}) > len(np.unique(floats[~np.isnan(floats)]))


def _from_dtype(array: NDArray[Any], name: str, is_masked: NDArray[np.bool_] | None) -> Column:
    kind = array.dtype.kind
    if kind in "US":
        labels, codes = np.unique(array, return_inverse=True)
        return Column(name, Kind.CATEGORICAL, codes.astype(np.int32), None, tuple(labels.tolist()))
    if kind == "b":
        return Column(name, Kind.CATEGORICAL, array, None)
    if kind == "M" and np.datetime_data(array.dtype)[0] in ("Y", "M"):
        days = array.astype("M8[D]")
        if not np.array_equal(days.astype(array.dtype), array, equal_nan=True):
            raise ValueError(f"`{name}` must hold dates that can be counted in days, got {array.dtype}.")
        array = days
    if kind in "mM":
        return _from_ticks(array.astype(np.int64), name, np.isnat(array), numpy_clock(array.dtype))
    if kind in "iu":
        # Labels beyond 2**53 would run together as float64, so integers stay what they are.
        return Column(name, Kind.NUMERIC, array, None)
    if kind == "f":
        return _from_floats(array.copy(), name, is_masked)
    raise ValueError(f"`{name}` must hold numbers, dates, booleans or labels, got dtype {array.dtype}.")


def _from_ticks(ticks: NDArray[np.int64], name: str, is_missing: NDArray[np.bool_], clock: Clock) -> Column:
    """Dates and times as whole ticks of their unit, counted from the first."""
    present = ticks[~is_missing]
    if not len(present):
        return Column(name, Kind.NUMERIC, np.full(len(ticks), np.nan), is_missing)
    first, last = int(present.min()), int(present.max())
    # From the first to the last there may be more ticks than an int64 has.
    counted = np.where(is_missing, 0, ticks.astype(np.uint64) - np.uint64(first % 2**64))
    values = counted.astype(np.int64) if last - first < 2**63 else counted
    clock = replace(clock, origin=first * clock.size)
    return Column(name, Kind.NUMERIC, values, _or_none(is_missing), clock=clock)


def _from_floats(floats: NDArray[Any], name: str, is_masked: NDArray[np.bool_] | None) -> Column:
    array = floats.astype(np.float64, copy=False)
    precision = min(floats.dtype.newbyteorder("="), _FLOAT64, key=lambda dtype: dtype.itemsize)
    is_missing = np.isnan(array)
    is_infinite = ~np.isfinite(array) & ~is_missing
    if is_masked is not None:
        is_infinite &= ~is_masked
    if is_infinite.any():
        index = int(np.flatnonzero(is_infinite)[0])
        raise ValueError(f"`{name}` must be finite, got {array[index]} at row {index} (counting from 0).")
    return Column(name, Kind.NUMERIC, array, _or_none(is_missing), precision=precision)


def _from_objects(array: NDArray[Any], name: str) -> Column:
    import pyarrow as pa

    try:
        arrow = arrow_of_objects(array)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _from_mixture(array, name)
    return _from_arrow(arrow, name)


def _from_mixture(array: NDArray[Any], name: str) -> Column:
    """What Arrow refuses: integers beyond 2**63, and large ones beside floats; anything else is an error."""
    kinds = types_in(array)
    if not set(kinds) <= {"int", "float"}:
        bound = ", with nanoseconds within 292 years" if any(map(has_nanoseconds, array)) else ""
        rule = f"values of one type, numbers or labels{bound}"
        raise ValueError(f"`{name}` must hold {rule}; got {', '.join(kinds)}.")
    is_missing = np.array([value is None or value != value for value in array])
    present = array[~is_missing].tolist()
    if all(isinstance(value, int) for value in present) and min(present) >= 0 and max(present) < 2**64:
        return Column(
            name, Kind.NUMERIC, np.where(is_missing, 0, array).astype(np.uint64), _or_none(is_missing)
        )
    with contextlib.suppress(OverflowError):
        floats = array.astype(np.float64)
        if not _run_together(present, floats):
            return _from_floats(floats, name, None)
    raise ValueError(
        f"`{name}` must hold numbers that 64-bit integers or floats tell apart, "
        f"got {', '.join(kinds)} beyond 2**53 that neither do."
    )


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
    clock = arrow_clock(values.type)
    if clock is None and not (is_label(values.type) or is_number(values.type)):
        raise ValueError(
            f"`{name}` must hold numbers, dates, booleans or labels, got values of type {values.type}."
        )
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    is_missing = null_mask(values)
    if kind is Kind.CATEGORICAL or is_label(values.type):
        return _from_labels(values, name, is_missing, clock)
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
    return _from_floats(numbers, name, is_missing)


def _from_labels(values: Any, name: str, is_missing: NDArray[np.bool_], clock: Clock | None) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_floating(values.type):
        is_missing = is_missing | np.isnan(numpy_of(values))
        values = pa.array(numpy_of(values), mask=is_missing)
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


def _or_none(is_missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return is_missing if is_missing.any() else None
