"""Two numbers in each cell are set aside however often they recur; what else has a slash is not."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind


def read(cells):
    table = read_table({"x": cells, "y": [k % 7 / 2 for k in range(len(cells))]})
    column = table["x"] if "x" in table.names else None
    return column, [note.text for note in table.notes if note.column == "x"]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{100 + k}/{60 + k}" for k in range(30)],
        ["125/80", "130/85", "118/76"] * 30,
        ["125/80", "130/85", "118/76"] * 3,
        ["125/80", "130 / 85"] * 30 + ["refused"],
        ["125/80 mmHg", "130/85 mmHg", "118/76 mmHg"] * 5,
    ],
)
def test_blood_pressures_are_set_aside(cells):
    column, notes = read(cells)

    assert column is None
    assert "two numbers in each cell, as in " in notes[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["1/2", "3/4", "1/4"] * 20,  # fractions
        ["2019/20", "2020/21"] * 20,  # seasons
        ["22/23", "23/24", "24/25"] * 20,
        ["M/F", "12/F"] * 20,
    ],
)
def test_fractions_and_seasons_are_categories(cells):
    assert read(cells)[0].kind is Kind.CATEGORICAL


def test_points_out_of_a_whole_are_numbers():
    column, notes = read([f"{k}/20" for k in range(10, 20)] * 3)

    assert column.kind is Kind.NUMERIC
    assert notes[0].startswith("numbers out of 20")


@pytest.mark.parametrize("sign", [" ± ", "±", " +/- "])
def test_the_number_before_its_error_is_read(sign):
    column, notes = read([f"{k}.3{sign}0.{k % 9 + 1}" for k in range(10, 60)])

    assert column.values[:2].tolist() == [10.3, 11.3]
    assert notes == [f"'10.3{sign}0.2' and the like are read as 10.3"]


def test_units_around_an_error_stay():
    column, notes = read([f"{k}.3 ± 0.{k % 9 + 1} kg" for k in range(10, 60)])

    assert column.values[0] == 10.3
    assert notes == ["numbers in kg; '10.3 ± 0.2 kg' and the like are read as 10.3"]


def test_a_plus_minus_between_words_is_no_error():
    assert read(["A ± B", "C ± D"] * 20)[0].kind is Kind.CATEGORICAL
