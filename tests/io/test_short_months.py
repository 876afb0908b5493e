"""Jan-16 is a month of a year where nothing else can be meant; otherwise a note says what it may be."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind

NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
OPEN = "months beside numbers that may be days or years"


def read(cells):
    table = read_table({"when": cells, "x": [k % 7 / 2 for k in range(len(cells))]})
    column = table["when"] if "when" in table.names else None
    return column, " ".join(str(note) for note in table.notes)


@pytest.mark.parametrize(
    ("cells", "first", "last"),
    [
        ([f"{name}-{year}" for year in (15, 16, 17) for name in NAMES], "2015-01", "2017-12"),
        ([f"{name}-{year}" for year in (98, 99, "00") for name in NAMES], "1998-01", "2000-12"),
        ([f"{year}-{name}" for year in (98, 99) for name in NAMES], "1998-01", "1999-12"),
        ([f"{name}-16" for name in ("Jan", "Feb", "Mär", "Apr", "Mai", "Okt", "Dez")], "2016-01", "2016-12"),
        (["Jan-98", "Mar-00", "8-Mar", "1-Apr"] * 9, "1998-01", "2001-04"),
    ],
)
def test_months_of_years_are_dates(cells, first, last):
    column, notes = read(cells)
    moments = [str(moment)[:7] for moment in column.clock.moments(column.values)]

    assert (moments[0], moments[-1]) == (first, last)
    assert "months of years: " in notes


@pytest.mark.parametrize(
    "cells",
    [
        [f"{day:02}-{name}" for name in NAMES for day in (1, 8, 15, 22)],
        [f"{name}-{day:02}" for name in NAMES for day in range(1, 29)],
        [f"{name} {day}" for name in NAMES for day in (3, 14)],
        ["Jan-16", "08-Mar", "Feb-12"] * 20,
    ],
)
def test_days_without_a_year_are_told(cells):
    column, notes = read(cells)

    assert column is None or column.kind is Kind.CATEGORICAL
    assert OPEN in notes


@pytest.mark.parametrize(
    "cells", [[f"MAR-{k:02}" for k in range(1, 6)] * 9, ["Jan", "Feb"] * 9, ["BRCA1", "1-Mar"] * 9]
)
def test_codes_and_names_are_categories_without_a_word_on_months(cells):
    column, notes = read(cells)

    assert column.kind is Kind.CATEGORICAL
    assert "months" not in notes
