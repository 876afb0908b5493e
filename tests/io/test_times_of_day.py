"""Times of day and spans of time are numbers; what only looks like one is text."""

from __future__ import annotations

import pytest

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.messages import Code, remark
from tests.io.cells import as_in_a_file


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


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (["10:40", "1:01:26"], [640, 3686]),
        (["0:45", "5:10:00"], [45, 18600]),
        (["59:10", "10:01:26"], [3550, 36086]),
        (["24:30", "01:01:26"], [1470, 3686]),
        (["23:10", "30:00", "38:05:10"], [1390, 1800, 137110]),
    ],
)
def test_minutes_and_seconds_beside_hours_are_spans_with_a_note(times, seconds):
    table = read_table({"t": [*times, None, "NA"] * 5})

    assert table["t"].clock.what == "spans of time"
    assert (table["t"].values[: len(times)] - table["t"].values[0]).tolist() == [
        1_000_000 * (each - seconds[0]) for each in seconds
    ]
    note = table.notes[0]
    assert (note.code, note.values) == (Code.MINUTES_AND_SECONDS, {"short": times[0], "long": times[-1]})


@pytest.mark.parametrize("times", [["8:05", "17:30:15"], ["08:05", "06:30:15"], ["10:40", "9:01:26"]])
def test_times_that_go_on_through_the_day_are_times_of_day_with_a_note(times):
    table = read_table({"t": times * 5})

    assert table["t"].clock.what == "times of day"
    note = table.notes[0]
    assert (note.code, note.values["short"]) == (Code.TIMES_WITHOUT_SECONDS, times[0])


@pytest.mark.parametrize("times", [["10:40", "01:01:26"], ["10:40", "0:01:26"], ["75:30", "1:01:26"]])
def test_times_that_may_be_either_stay_text_with_a_note(times):
    table = read_table({"t": times * 5})

    assert table["t"].kind.value == "categorical"
    note = table.notes[0]
    either = remark(Code.TIMES_OR_SPANS, short=times[0], long=times[1])
    assert (note.code, note.values["problem"]) == (Code.CATEGORIES_PROBLEM, either)
    with pytest.raises(BychanceError) as raised:
        read_table({"t": times * 5}, numeric="t")
    assert (raised.value.code, raised.value.values["got"]) == (Code.MUST_BE_NUMBERS, either)


def in_minutes(short, **long):
    return Code.MINUTES_AND_SECONDS, {"short": short, **long}


def pace(cell, unit):
    return Code.PACES, {"cell": cell, "unit": unit}


def with_units(cell):
    return Code.SPANS_WITH_UNITS, {"cell": cell}


@pytest.mark.parametrize(
    ("times", "seconds", "code", "values"),
    [
        (["32:38.6", "31:02", "125:00.25"], [1958.6, 1862, 7500.25], *in_minutes("32:38.6")),
        (["32:38,6", "1:02:03,4"], [1958.6, 3723.4], *in_minutes("32:38,6", long="1:02:03,4")),
        (["3:15/km", "4:02/km"], [195, 242], *pace("3:15/km", "km")),
        (["3:15 min/km", "14:02.5 min/km"], [195, 842.5], *pace("3:15 min/km", "km")),
        (["7'05\"/mi", "6'58\"/mi"], [425, 418], *pace("7'05\"/mi", "mi")),
        (["0h 35m", "1h 5m", "10h"], [2100, 3900, 36000], *with_units("0h 35m")),
        (
            ["0 days 00:00:01", "1 days 02:00:00", "1 day, 0:00:05.5"],
            [1, 93600, 86405.5],
            *with_units("0 days 00:00:01"),
        ),
        (["1h05", "0h35", "2 h 10"], [3900, 2100, 7800], *with_units("1h05")),
        (["2 h 10 min", "45 min", "1d 4h", "1.5 h"], [7800, 2700, 100800, 5400], *with_units("2 h 10 min")),
        (["1 hour and 5 minutes", "2 hours, 10 sec"], [3900, 7210], *with_units("1 hour and 5 minutes")),
        (["1 Std. 5 Min.", "45 Min."], [3900, 2700], *with_units("1 Std. 5 Min.")),
        (["PT1H30M", "PT45M", "P1DT0.5S"], [5400, 2700, 86400.5], *with_units("PT1H30M")),
        (["30 min", "2 h"], [1800, 7200], *with_units("30 min")),
    ],
)
def test_spans_as_people_write_them_are_numbers(times, seconds, code, values):
    table = read_table({"t": [*times, None, "NA"] * 5})

    assert table["t"].clock.what == "spans of time"
    assert (table["t"].values[: len(times)] - table["t"].values[0]).tolist() == [
        round(1_000_000 * (each - seconds[0])) for each in seconds
    ]
    assert (table.notes[0].code, table.notes[0].values) == (code, values)


def test_minutes_beyond_23_are_spans_where_seconds_go_around():
    times = ["24:30", "31:10", "45:22", "27:05", "28:09", "29:41", "33:33", "35:18", "36:50", "41:12"]
    table = read_table({"t": times})

    assert table["t"].clock.what == "spans of time"
    assert (table.notes[0].code, table.notes[0].values["short"]) == (Code.MINUTES_OR_HOURS, "24:30")
    games = ["28:25", "31:30", "29:22", "27:25", "28:29", "29:21", "33:33", "35:28", "36:30", "41:32"]
    assert read_table({"t": games})["t"].kind.value == "categorical"


def test_one_unit_alone_is_an_amount():
    table = read_table({"t": ["45 min", "30 min"] * 5})

    assert table["t"].values[:2].tolist() == [45, 30]


@pytest.mark.parametrize("times", [["3:15/km", "5:10/mi"], ["5 m", "3 s"], ["PT", "P"], ["1h 5x", "2h 3x"]])
def test_what_is_no_span_stays_text(times):
    assert read_table({"t": times * 5})["t"].kind.value == "categorical"


def test_times_of_two_parts_or_of_three_need_no_note():
    columns = {"a": ["10:40", "23:10"] * 5, "b": ["1:01:26", "23:10:00"] * 5}

    assert read_table(as_in_a_file(columns)).notes == ()
