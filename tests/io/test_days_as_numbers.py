"""Days written as numbers get a note, and other whole numbers do not."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.kinds import Kind
from tests.io.cells import as_in_a_file

DAYS = [20190131, 20190228, 20190301, 20191231, 20200229] * 4


@pytest.mark.parametrize("table", [{"day": DAYS}, as_in_a_file({"day": list(map(str, DAYS))})])
def test_days_as_numbers_are_told(table):
    table = bc.read_table(table)

    assert table["day"].values.tolist() == DAYS
    assert str(table.notes[0]) == (
        "'day': days are written as numbers, which jump from month to month; 2019-01-31 would be a date"
    )


@pytest.mark.parametrize("other", [20190229, 20191301, 20190100, 7, 99999999])
def test_one_number_that_is_no_day_makes_numbers_of_all(other):
    assert bc.read_table({"day": [*DAYS, other]}).notes == ()


def test_days_with_times_in_one_word_are_dates():
    table = bc.read_table({"at": ["20161231:2200", "20170101:0030", "20170101:0130"]})

    since_first = table["at"].values.astype(float) - table["at"].values[0]
    assert since_first[2] / since_first[1] == pytest.approx(210 / 150)


def test_numbers_of_runs_within_a_day_are_no_times():
    runs = [f"202301{day:02}_{run:04}" for day in range(1, 11) for run in range(1, 4)] * 3
    seconds = ["20230101_140111", "20230102_000000", "20230103_235959"] * 30
    table = bc.read_table({"run": runs, "at": seconds})

    assert (table["run"].kind, table["run"].clock) == (Kind.CATEGORICAL, None)
    assert table["at"].clock is not None
