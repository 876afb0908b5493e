"""The overview of columns: its figures are those of the values, and names and labels do no harm."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest

from bychance.io import read_table

DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(40)]


def one(values, **options):
    return read_table({"a": values, "filler": range(len(values))}, **options).overview()[0]


@pytest.mark.parametrize(
    ("values", "kind", "typical"),
    [
        ([1, 5, 12_000] * 10, "numbers", "1 to 12,000"),
        ([0.5, 2.25, None] * 10, "numbers", "0.5 to 2.25"),
        ([-20_000, -3, 4] * 10, "numbers", "−20,000 to 4"),
        (DAYS, "dates", "2020-01-01 to 2020-02-09"),
        (["u", "v", "u", "u"] * 10, "categories", "u 75%, v 25%"),
        (["a", "b", "c", "d", "e"] * 10, "categories", "a 20%, b 20%, c 20%, 2 more"),
        ([True, False] * 10, "true or false", "False 50%, True 50%"),
        ([3.0] * 20, "numbers", "always 3"),
        ([math.nan] * 20, "empty", ""),
        ([-1.7e308, 1.7e308] * 10, "numbers", "−1.7e+308 to 1.7e+308"),
    ],
)
def test_kinds_and_typical_values_are_told(values, kind, typical):
    column = one(values)

    assert (column.kind, column.typical) == (kind, typical)
    assert column.why


def test_gaps_and_distinct_values_are_counted():
    column = one([1.0, None, 2.0, 2.0] * 5)

    assert (column.missing, column.n_distinct) == (0.25, 2)
    assert (column.missing_shown, column.distinct_shown) == ("25%", "2")


def test_the_histogram_counts_every_present_row():
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000)
    values[:100] = np.nan
    column = one(values)

    assert sum(column.histogram) == 900
    assert list(column.histogram) == np.histogram(values[100:], bins=10)[0].tolist()
    assert len(column.bars) == 10


def test_integers_that_floats_do_not_tell_apart_have_one_bar():
    assert one([2**60, 2**60 + 1] * 10).histogram == (20,)


def test_what_was_set_aside_comes_last_with_its_reason():
    table = read_table({"id": [f"P{k}" for k in range(30)], "age": [31, 54, 8] * 10})
    last = table.overview()[-1]

    assert (last.name, last.kind) == ("id", "set aside")
    assert last.why == table.notes[0].text
    assert "an identifier: 30 of 30" in repr(table)


def test_notes_stand_by_their_column_and_below():
    table = read_table({"row": range(30), "age": [31, 54, 8] * 10})

    assert table.overview()[0].notes == (table.notes[0].text,)
    assert f"Note: {table.notes[0]}" in repr(table)


def test_many_columns_are_counted_rather_than_listed():
    table = read_table({f"c{k}": [1, 2, 3] for k in range(50)})

    assert "and 10 more columns" in repr(table)
    assert len(table.overview()) == 50


def test_hostile_names_and_labels_do_no_harm():
    table = read_table({"\x1b[31mred": ["\x1b[2J", "two\nlines"] * 10, "b": range(20)})

    assert "\x1b" not in repr(table)
    assert len(repr(table).splitlines()) == 5
