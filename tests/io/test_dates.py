"""Dates of one format are cut by bytes, with what the format's expression gives for each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.io.dates import cut_alike


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
    alone = bc.read_table({"d": texts})["d"]
    monkeypatch.setattr("bychance.io.dates.cut_alike", lambda texts, form: None)
    one_by_one = bc.read_table({"d": texts})["d"]

    assert alone.clock.what.startswith("dates")
    assert alone.clock == one_by_one.clock
    assert alone.values.tolist() == one_by_one.values.tolist()


@pytest.mark.parametrize(
    "texts", [["1/2", "10/2"], ["1/2", "1-2"], ["1/2", "a/2"], ["1/2", None], [], ["é/2"]]
)
def test_what_differs_by_more_than_digits_is_not_cut(texts):
    assert cut_alike(pa.array(texts, pa.large_string()), r"^(?P<a>\d)/(?P<b>\d)$") is None


def test_a_part_of_a_larger_array_is_cut():
    texts = pa.array(["x", "1/2", "3/4"], pa.large_string()).slice(1)

    assert cut_alike(texts, r"^(?P<a>\d)/(?P<b>\d)$")["b"][1].tolist() == [2, 4]


def test_an_error_says_why_times_that_are_asked_for_are_none():
    with pytest.raises(BychanceError, match=r"'10:40' beside '01:01:26' may be hours and minutes"):
        bc.read_table({"t": ["10:40", "01:01:26"] * 5}, numeric="t")
    with pytest.raises(BychanceError, match=r"got 'DNF' in 'x' at row 25 .* and in 1 other row; give"):
        bc.read_table({"x": [*(f"3:{20 + k}:{k:02}" for k in range(25)), "DNF", "DNF"]}, numeric="x")
