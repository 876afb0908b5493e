"""Laws of reading text: what is written in a style comes back, and every door gives the same column."""

from __future__ import annotations

import csv
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import BychanceError
from bychance.io import read_table
from tests.io.cells import as_in_a_file

CENTS = st.integers(-(10**9), 10**9).map(lambda cents: cents / 100)
AROUND = [("", ""), ("$", ""), ("€ ", ""), ("", " €"), ("CHF ", ""), ("", "%"), ("", " kg"), ("", "km/h")]
MARKS = [(",", "."), (".", ","), (" ", "."), (" ", ","), ("\u202f", ","), ("'", "."), ("", "."), ("", ",")]
NEGATIVES = ["-{}", "\u2212{}", "({})"]


def written(value, around, marks, negative):
    thousands, decimal = marks
    digits = f"{abs(value):,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    text = f"{around[0]}{digits}{around[1]}"
    return negative.format(text) if value < 0 else text


@given(
    st.lists(CENTS, min_size=1, max_size=8),
    st.sampled_from(AROUND),
    st.sampled_from(MARKS),
    st.sampled_from(NEGATIVES),
)
def test_numbers_come_back_from_every_style(values, around, marks, negative):
    """Two decimals decide the decimal mark, whatever separates thousands."""
    cells = [written(value, around, marks, negative) for value in values]

    column = read_table(as_in_a_file({"x": cells}))["x"]

    assert column.values.tolist() == values


DATES = st.dates(date(1970, 1, 1), date(2068, 12, 31))
FORMS = {
    "%Y-%m-%d": None,
    "%Y/%m/%d": None,
    "%d.%m.%Y": None,
    "%d.%m.%y": None,
    "%d/%m/%Y": True,
    "%m/%d/%Y": False,
    "%d-%m-%y": True,
    "%m/%d/%y": False,
    "%b %d %Y": None,
    "%B %d, %Y": None,
    "%d %b %Y": None,
    "%d-%b-%y": None,
    "%A, %d %B %Y": None,
}


@given(st.lists(DATES, min_size=1, max_size=8), st.sampled_from(sorted(FORMS)), st.booleans())
def test_dates_come_back_from_every_form(days, form, has_evidence):
    """If a day is beyond 12, nobody need say which comes first."""
    days = [*days, date(2001, 1, 31)] if has_evidence else days
    options = {} if has_evidence else {"day_first": FORMS[form]}
    column = read_table({"x": [day.strftime(form) for day in days]}, **options)["x"]

    first = min(days)
    assert column.values.tolist() == [(day - first) // timedelta(microseconds=1) for day in days]


@given(
    st.lists(st.datetimes(datetime(1970, 1, 1), datetime(2068, 1, 1)), min_size=1, max_size=6),
    st.sampled_from(["%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%b %d %Y %I:%M:%S %p", "%d %b %Y, %H:%M:%S"]),
    st.sampled_from(["", "Z", " UTC", "+00:00", "+0530", "-08:00"]),
)
def test_times_come_back_from_every_form_and_zone(moments, form, zone):
    moments = [moment.replace(microsecond=0) for moment in moments]
    column = read_table({"x": [moment.strftime(form) + zone for moment in moments]})["x"]

    first = min(moments)
    assert column.values.tolist() == [(moment - first) // timedelta(microseconds=1) for moment in moments]
    assert column.clock.what == ("dates with a time zone" if zone else "dates")


TOKENS = [
    "1", "-2.5", "$3", "($4.00)", "5%", "6 kg", "7 lb", "1,234", "1.234,5", "1 234", "007", "010",
    "14/01/2019", "01/02/2019", "2019-01-14", "Jan 5 2019",
    "NA", "-", "?", "", " x ", "x", "X", "true", "inf", "soon", "\u22128",
]  # fmt: skip


def outcome(source):
    """Return kind, labels, values and gaps, or why there is no column."""
    try:
        table = read_table(source)
    except BychanceError as error:
        return str(error).partition("column")[2][:20]
    if "x" not in table:
        return [note.text[:5] for note in table.notes]
    column = table["x"]
    is_missing = np.zeros(len(column), dtype=bool) if column.is_missing is None else column.is_missing
    values = [None if gone else value for value, gone in zip(column.values.tolist(), is_missing, strict=True)]
    notes = [note.text for note in table.notes if note.column == "x"]
    return (column.kind, column.labels, values, column.clock, notes)


@given(st.data())
@pytest.mark.slow
def test_any_text_is_the_same_column_through_every_door_of_its_kind(tmp_path_factory, data):
    kinds = data.draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3, unique=True))
    cells = data.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=30))
    columns = {"x": cells, "y": [str(k * k % 7) for k in range(len(cells))]}
    path = tmp_path_factory.getbasetemp() / "law.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([list(columns), *zip(*columns.values(), strict=True)])

    of_cells = [outcome(source) for source in (path, as_in_a_file(columns))]
    of_text = [outcome(source) for source in (columns, pd.DataFrame(columns), pl.DataFrame(columns))]

    assert of_cells == of_cells[:1] * 2
    assert of_text == of_text[:1] * 3
