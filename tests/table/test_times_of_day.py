"""Times of day are numbers; what only looks like one is text."""

from __future__ import annotations

import pytest

from bychance.table import read_table


@pytest.mark.parametrize(
    "times",
    [
        ["8:05", "17:30"],
        ["08:05", "17:30"],
        ["08:05:00", "17:30:00"],
        ["8:05 AM", "5:30 PM"],
        ["08:05:00am", "05:30:00 p.m."],
    ],
)
def test_times_of_day_are_numbers_in_order(times):
    column = read_table({"t": [*times, None, "NA"] * 5})["t"]

    assert column.kind.value == "numeric"
    assert column.clock.what == "times of day"
    assert column.values[1] - column.values[0] == (9 * 60 + 25) * 60 * 1_000_000
    assert column.is_missing[:4].tolist() == [False, False, True, True]


@pytest.mark.parametrize("other", ["75:30", "24:30", "x", "2023-01-02", "8:05 in May", "8"])
def test_other_text_is_no_time(other):
    column = read_table({"t": ["8:05", other, "9:15"] * 5})["t"]

    assert column.kind.value == "categorical"


def test_more_hours_than_a_day_has_are_spans():
    column = read_table({"t": ["38:05:10", "9:00:00", None] * 5})["t"]

    assert column.clock.what == "spans of time"
    assert column.values[0] - column.values[1] == (29 * 3600 + 310) * 1_000_000


def test_noon_and_midnight_are_twelve_hours_apart():
    column = read_table({"t": ["12:00 AM", "12:00 PM"] * 5})["t"]

    assert column.values[:2].tolist() == [0, 12 * 3_600_000_000]


@pytest.mark.parametrize("other", ["13:05 PM", "0:30 AM", "9:15", "9:75 AM"])
def test_other_text_is_no_time_of_half_a_day(other):
    assert read_table({"t": ["8:05 AM", other, "9:15 PM"] * 5})["t"].kind.value == "categorical"


def test_whoever_wants_categories_gets_them():
    assert read_table({"t": ["8:05", "9:15"] * 5}, categorical="t")["t"].kind.value == "categorical"
