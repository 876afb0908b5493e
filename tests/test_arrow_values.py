"""Arrow buffers read by hand equal pyarrow's values, and Python objects stay what they are."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance as bc
from bychance.arrow_values import null_mask, numpy_of, strings_of
from bychance.read_column import read_column

TYPES = [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.bool_()]


@pytest.mark.parametrize("arrow_type", TYPES)
@given(
    st.lists(st.sampled_from([None, 0, 1]), min_size=1, max_size=40), st.integers(0, 20), st.integers(0, 20)
)
def test_any_slice_has_the_values_and_nulls_that_pyarrow_says(arrow_type, values, start, length):
    array = pa.array(values, pa.int8()).cast(arrow_type).slice(start, length)
    is_null = null_mask(array)
    present = [value for value in array.to_pylist() if value is not None]

    assert is_null.tolist() == [value is None for value in array.to_pylist()]
    assert numpy_of(array)[~is_null].tolist() == present
    assert numpy_of(array).dtype == np.dtype(arrow_type.to_pandas_dtype())


@given(st.lists(st.text()))
def test_strings_come_back(texts):
    array = strings_of(texts)

    array.validate(full=True)
    assert array.to_pylist() == texts


HOURS = [datetime(2000, 1, 1, hour) for hour in range(20)]
STAMPS = [pd.Timestamp(hour) for hour in HOURS]
ZONED = [hour.replace(tzinfo=UTC) for hour in HOURS]
FINE = [pd.Timestamp("2000-01-01") + pd.Timedelta(step, "ns") for step in range(20)]
NAIVE_AND_ZONED = "datetime, datetime with a time zone"


def as_objects(values):
    return np.array(values, dtype=object)


def as_series(values):
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize("container", [list, as_objects, as_series])
@pytest.mark.parametrize(
    ("values", "got"),
    [
        ([date(1999, 1, 1), *HOURS], "date, datetime"),
        ([*HOURS, date(2001, 1, 1)], "date, datetime"),
        ([None, pd.NaT, date(1999, 1, 1), *HOURS], "date, datetime"),
        ([date(1999, 1, 1), *STAMPS], "Timestamp, date"),
        ([date(1999, 1, 1), *ZONED], "date, datetime with a time zone"),
        ([date(1999, 1, 1), 5], "date, int"),
        ([HOURS[0], 5], "datetime, int"),
        ([timedelta(1), 5], "int, timedelta"),
        (HOURS[:10] + ZONED[10:], NAIVE_AND_ZONED),
        (ZONED[:10] + HOURS[10:], NAIVE_AND_ZONED),
        ([STAMPS[0], *ZONED], "Timestamp, datetime with a time zone"),
        ([time(1), time(2, tzinfo=UTC)], "time, time with a time zone"),
    ],
)
def test_dates_of_two_types_are_refused(container, values, got):
    message = f"must hold values of one type, numbers or categories; got {got}[.]"
    with pytest.raises(ValueError, match=message):
        bc.measure("spearman", container(values), np.arange(len(values)))
    with pytest.raises(ValueError, match=message):
        bc.rank(pd.DataFrame({"a": as_series(values), "b": np.arange(len(values))}))


@pytest.mark.parametrize("container", [list, as_objects, as_series])
@pytest.mark.parametrize(
    "values",
    [
        FINE,
        [stamp.tz_localize("Europe/Rome") for stamp in FINE],
        [stamp - FINE[10] for stamp in FINE],
        [None, pd.NaT, *FINE],
        [*FINE, datetime(2001, 1, 1)],
    ],
)
def test_nanoseconds_count(container, values):
    x, y = container(values), np.arange(len(values))

    assert bc.measure("spearman", x, y) == pytest.approx(1)
    ranking = bc.rank({"a": x, "b": y}, measure="spearman")
    assert ranking.to_frame()["observed"].to_pylist() == pytest.approx([1])


def test_nanoseconds_that_no_integer_counts_are_refused():
    with pytest.raises(ValueError, match=r"with nanoseconds within 292 years; got Timestamp, datetime[.]"):
        bc.measure("spearman", [datetime(1, 1, 1), *FINE], np.arange(21))


def test_dates_of_pandas_and_python_are_one_type():
    hours = [None, pd.NaT, *HOURS[:10], *STAMPS[10:]]

    assert bc.measure("spearman", hours, np.arange(22)) == pytest.approx(1)
    assert bc.measure("spearman", [pd.NaT, *ZONED], np.arange(21)) == pytest.approx(1)


def test_categories_of_dates_and_datetimes_stay_apart():
    values = [date(2000, 1, 1), *HOURS[1:3]]

    assert set(read_column(pd.Categorical(as_series(values)), "x").labels) == set(values)
