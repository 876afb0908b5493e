"""Units that have several names, and units that stand in the name of a column."""

from __future__ import annotations

import pytest

from bychance.io import read_table


def table_of(cells, name="x", **options):
    return read_table({name: cells, "y": [k * k % 7 for k in range(len(cells))]}, **options)


@pytest.mark.parametrize(
    ("units", "read"),
    [
        ("h hrs", "h"),
        ("hour hrs", "h"),
        ("kg KG", "kg"),
        ("kg kgs Kg", "kg"),
        ("year years", "year"),
        ("lb lbs", "lb"),
    ],
)
def test_names_of_one_unit_are_one(units, read):
    cells = [f"{k + 0.5} {units.split()[k % len(units.split())]}" for k in range(30)]

    table = table_of(cells)
    assert table["x"].values.tolist() == [k + 0.5 for k in range(30)]
    assert [note.text for note in table.notes] == [f"numbers in {read}"]


@pytest.mark.parametrize("units", [("mW", "MW"), ("h", "min"), ("g", "G"), ("kg", "lb")])
def test_other_units_stay_different(units):
    table = table_of([f"{k + 0.5} {units[k % 3 % 2]}" for k in range(30)])

    assert "x" not in table or table["x"].clock is not None


@pytest.mark.parametrize("name", ["How many years have you worked?", "Years", "tenure_yrs"])
@pytest.mark.parametrize("n_with", [2, 15, 28])
def test_numbers_without_a_unit_are_in_that_of_the_name(name, n_with):
    cells = [f"{k} years" if k <= n_with else str(k) for k in range(30, 0, -1)]

    table = table_of(cells, name)
    assert table[name].values.tolist() == list(range(30, 0, -1))
    assert [note.text for note in table.notes if note.column == name] == [
        "numbers in years; also those without a unit, as the name says"
    ]


def test_numbers_without_a_unit_that_the_name_does_not_have_are_mixed():
    assert "some in years and some without" in str(
        table_of([f"{k} years" for k in range(1, 30)] + ["7"]).notes
    )


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["133,056,457[30]", "13,827,532[4]", "635,923[a]"], [133056457.0, 13827532.0, 635923.0]),
        (["1.5%[2][3]", "7.5%", "8.5%[note 1]"], [1.5, 7.5, 8.5]),
        (["49.8/km2", "1,047.3/km2", "5.5/km2"], [49.8, 1047.3, 5.5]),
        (["3/h", "4/h", "12/h"], [3.0, 4.0, 12.0]),
    ],
)
def test_references_in_square_brackets_and_rates_are_read(cells, values):
    assert table_of(cells * 10)["x"].values.tolist() == values * 10


@pytest.mark.parametrize(
    "cells", [["12/A", "13/B", "14/C"], ["3/ab", "4/cd", "5/ef"], ["B12[3]", "B6[3]", "C[1]"]]
)
def test_codes_with_slashes_and_words_with_references_are_categories(cells):
    assert table_of(cells * 10)["x"].labels == tuple(cells)
