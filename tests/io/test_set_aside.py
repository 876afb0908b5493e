"""Two numbers in each cell are set aside however often they recur; what else has a slash is not."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind
from bychance.messages import Code


def read(cells):
    table = read_table({"x": cells, "y": [k % 7 / 2 for k in range(len(cells))]})
    column = table["x"] if "x" in table.names else None
    return column, [told for note in table.notes if note.column == "x" for told in note.remarks]


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
    column, said = read(cells)

    assert column is None
    assert said[0].code is Code.TWO_NUMBERS


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
    column, said = read([f"{k}/20" for k in range(10, 20)] * 3)

    assert column.kind is Kind.NUMERIC
    assert (said[0].code, said[0].values["whole"]) == (Code.OUT_OF_WHOLE, "20")


@pytest.mark.parametrize("sign", [" ± ", "±", " +/- "])
def test_the_number_before_its_error_is_read(sign):
    column, said = read([f"{k}.3{sign}0.{k % 9 + 1}" for k in range(10, 60)])

    assert column.values[:2].tolist() == [10.3, 11.3]
    assert [(told.code, told.values["cell"]) for told in said] == [(Code.ERRORS_LEFT_OUT, f"10.3{sign}0.2")]


def test_units_around_an_error_stay():
    column, said = read([f"{k}.3 ± 0.{k % 9 + 1} kg" for k in range(10, 60)])

    assert column.values[0] == 10.3
    assert [told.code for told in said] == [Code.IN_UNIT, Code.ERRORS_LEFT_OUT]
    assert (said[0].values["unit"], said[1].values["cell"]) == ("kg", "10.3 ± 0.2 kg")


def test_a_plus_minus_between_words_is_no_error():
    assert read(["A ± B", "C ± D"] * 20)[0].kind is Kind.CATEGORICAL
