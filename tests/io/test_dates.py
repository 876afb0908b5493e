"""Dates of one length are cut at the same places, and are those that the form cuts one by one."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError


@pytest.mark.parametrize(
    "written",
    [
        "%d/%m/%Y",
        "%d/%m/%y",
        "%d.%m.%Y",
        "%d-%m-%Y %H:%M",
        "%d/%m/%Y %H:%M:%S.%f",
        "%Y/%m/%d",
        "%m/%Y",
        "%d/%m/%Y %H:%M:%SZ",
        "%d/%m/%Y %I:%M %p",
        "%d %b %Y",
    ],
)
def test_dates_of_one_length_are_those_of_the_expression(monkeypatch, rng, written):
    days = [
        np.datetime64("1990-01-01T00:00:00", "us") + np.timedelta64(int(k), "us")
        for k in rng.integers(0, 10**15, 300)
    ]
    texts = [day.item().strftime(written) for day in days]
    shorter = next((text[1:] for text in texts if text[0] == "0"), "2019/1/2")
    alike = bc.read_table({"d": texts})["d"]
    with_shorter = bc.read_table({"d": [*texts, shorter]})["d"]

    assert alike.clock.what.startswith("dates")
    moments = [column.clock.moments(column.values[:300]) for column in (alike, with_shorter)]
    assert moments[0] == moments[1]


def test_cells_of_one_length_may_have_their_marks_elsewhere():
    day = bc.read_table({"d": ["25/1/2019", "5/11/2019", "13/2/2019"]})["d"]

    days = [str(moment)[:10] for moment in day.clock.moments(day.values)]
    assert days == ["2019-01-25", "2019-11-05", "2019-02-13"]


def test_an_error_says_why_times_that_are_asked_for_are_none():
    with pytest.raises(BychanceError, match=r"`numeric` must name columns of numbers, got '10:40' in 't'"):
        bc.read_table({"t": ["10:40", "01:01:26"] * 5}, numeric="t")
    with pytest.raises(BychanceError, match=r"got 'DNF' in 'x' at row 25 .* and in 1 other row; give"):
        bc.read_table({"x": [*(f"3:{20 + k}:{k:02}" for k in range(25)), "DNF", "DNF"]}, numeric="x")
