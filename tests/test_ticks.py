"""Ticks of dates, times and spans: exact between units, equal as labels if they mean the same."""

from __future__ import annotations

import pickle
from datetime import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bychance.io.frames import as_categorical
from bychance.read_column import read_column
from bychance.ticks import Clock, Moment, arrow_clock, counted_from, numpy_clock, ticks_of_moments

DAY = 86_400 * 10**18


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns"])
def test_a_clock_has_the_length_of_its_unit(unit):
    assert (
        numpy_clock(np.dtype(f"M8[{unit}]")).size * int(np.timedelta64(1, "D") / np.timedelta64(1, unit))
        == DAY
    )


@pytest.mark.parametrize("arrow", [pa.date64(), pa.timestamp("ms"), pa.duration("ms"), pa.time32("ms")])
def test_clocks_of_arrow_have_the_length_of_their_unit(arrow):
    assert arrow_clock(arrow).size == 10**15


def test_types_without_ticks_have_no_clock():
    assert (
        arrow_clock(pa.int64())
        is arrow_clock(pa.string())
        is arrow_clock(pa.month_day_nano_interval())
        is None
    )


def test_ticks_of_another_clock_are_exact_where_they_are_whole():
    """A day in the year 2400 counts more nanoseconds than float64 holds apart."""
    seconds, nanoseconds = Clock("dates", 10**18, 5 * 10**18), Clock("dates", 10**9)
    ticks = np.array([2**33, 2**33 + 1])

    assert nanoseconds.ticks_of(ticks, seconds).tolist() == [(2**33 + 5) * 10**9, (2**33 + 6) * 10**9]
    assert seconds.ticks_of(nanoseconds.ticks_of(ticks, seconds), nanoseconds).tolist() == ticks.tolist()
    assert seconds.ticks_of(np.array([-1]), Clock("dates", 10**18)).tolist() == [-6]


def test_ticks_beyond_an_int64_are_floats():
    days, nanoseconds = Clock("dates", DAY), Clock("dates", 10**9)

    assert nanoseconds.ticks_of(np.array([10**6]), days).tolist() == [86_400e9 * 10**6]
    assert counted_from(np.array([2**63 - 1]), -1).tolist() == [2.0**63]


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("origin", [0, 5, -(2**63), 2**63 - 1, 2**63, 2**64 - 1, -(2**64), 2**65])
def test_integers_of_any_range_are_counted_as_python_counts_them(dtype, origin):
    ends = np.iinfo(dtype)
    drawn = np.random.default_rng(0).integers(ends.min, ends.max, 50, dtype=dtype, endpoint=True)
    for values in (drawn, np.sort(drawn)[:3], np.array([ends.min, ends.max, 0], dtype=dtype)):
        counted = counted_from(values, origin)
        exact = [value - origin for value in values.tolist()]

        assert counted.tolist() == (exact if counted.dtype == np.int64 else list(map(float, exact)))
        assert (counted.dtype == np.int64) == all(-(2**63) <= count < 2**63 for count in exact)


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (np.array(["2020-01-02", "2500-03-04"], "M8[D]"), ["2020-01-02", "2500-03-04"]),
        (np.array(["1960-01-02T03:04:05.5"], "M8[ms]"), ["1960-01-02 03:04:05.5"]),
        (pd.Series(pd.to_datetime(["2020-01-02T03:04"])).dt.tz_localize("UTC"), ["2020-01-02 03:04:00 UTC"]),
        (np.array([1500, -1500], "m8[ms]"), ["-1.5 s", "1.5 s"]),
        (np.array([14], "m8[M]"), ["14"]),
        ([time(1, 2, 3)], ["01:02:03"]),
        (pd.period_range("2020-03", periods=1, freq="M"), ["2020-03"]),
        (pd.period_range("1970-01-05", periods=1, freq="W"), ["W-SUN 2"]),
    ],
)
def test_labels_are_written_as_what_they_are(values, shown):
    labels = as_categorical(read_column(values, "x")).labels

    assert [str(label) for label in labels] == shown
    assert pickle.loads(pickle.dumps(labels)) == labels


def test_labels_are_numbers_again():
    moments = [Moment("dates", count) for count in (5 * DAY, 2 * DAY, 8 * DAY)]
    ticks, clock = ticks_of_moments(moments)

    assert clock.moments(ticks) == tuple(moments)
    assert ticks_of_moments(moments[:1])[0].tolist() == [0]
