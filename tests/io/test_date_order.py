"""Dates in several formats are read where each cell tells or its form does; otherwise a note says why not."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from bychance.io import read_table
from bychance.messages import Code

DAYS = [date(2023, 1, 1) + timedelta(days=int(k)) for k in np.random.default_rng(3).integers(0, 700, 80)]
LATE = [day for day in DAYS if day.day > 12]
DAY_FIRST, MONTH_FIRST, SHORT = "%d/%m/%Y", "%m/%d/%Y", "%m/%d/%y"


def written(days, *forms):
    return [day.strftime(forms[k % len(forms)]) for k, day in enumerate(days)]


def read(cells):
    table = read_table({"day": cells, "x": np.arange(len(cells)) % 7 / 2})
    return table, [note for note in table.notes if note.column == "day"]


def mixed_in(notes):
    return notes[0].values["problem"].code is Code.DATE_ORDER_MIXED


@pytest.mark.parametrize(
    ("days", "forms"),
    [
        (DAYS, ("%Y-%m-%d", DAY_FIRST, "%B %d, %Y", SHORT)),
        (DAYS, (DAY_FIRST, "%m-%d-%Y")),
        (LATE, (DAY_FIRST, MONTH_FIRST)),
    ],
)
def test_several_formats_are_read_where_all_cells_tell(days, forms):
    table, notes = read(written(days, *forms))
    column = table["day"]
    moments = [str(moment)[:10] for moment in column.clock.moments(column.values)]

    assert moments == [day.isoformat() for day in days]
    assert notes[0].says(Code.DATE_ORDER_DIFFERS)


@pytest.mark.parametrize("days", [DAYS, DAYS[:20] * 8])
@pytest.mark.parametrize("forms", [(DAY_FIRST, MONTH_FIRST), ("%Y-%m-%d", DAY_FIRST, MONTH_FIRST)])
def test_cells_that_may_be_either_are_told(days, forms):
    table, notes = read(written(days, *forms))

    assert "day" not in table.names or table["day"].clock is None
    assert mixed_in(notes)


def test_one_slip_does_not_turn_the_others(tmp_path):
    table, notes = read([*written(DAYS, DAY_FIRST), "05/14/2023"])

    assert "day" not in table.names
    assert mixed_in(notes)


def test_few_dates_in_two_orders_are_categories_with_a_note():
    table, notes = read(["03/04/2023", "14/04/2023", "04/15/2023"] * 20)

    assert len(table["day"].labels) == 3
    assert notes[0].code is Code.CATEGORIES_PROBLEM
    assert mixed_in(notes)
