"""Numbers, dates and times beside words, in every format that is read: one note, and no target."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bychance import rank
from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.kinds import Kind

DAYS = [date(2023, 1, 1) + timedelta(days=k) for k in range(25)]
FORMATS = {
    "plain": ("numbers", [f"{k + 0.5}" for k in range(25)]),
    "thousands": ("numbers", [f"{1000 + k:,}" for k in range(25)]),
    "euros": ("numbers", [f"€{312_345 + k:,}" for k in range(25)]),
    "minutes": ("numbers", [f"{k + 10} min" for k in range(25)]),
    "percent": ("numbers", [f"{k}.5%" for k in range(25)]),
    "degrees": ("numbers", [f"{36 + k / 10:.1f}°C" for k in range(25)]),
    "errors": ("numbers", [f"{k}.5 ± 0.2" for k in range(25)]),
    "multiples": ("numbers", [f"{k + 1}.2{'KM'[k % 2]}" for k in range(25)]),
    "out of 40": ("numbers", [f"{k + 7}/40" for k in range(25)]),
    "ISO": ("dates", [day.isoformat() for day in DAYS]),
    "month first": ("dates", [day.strftime("%m/%d/%Y") for day in DAYS]),
    "quarters": ("dates", [f"{2000 + k}-Q{1 + k % 4}" for k in range(25)]),
    "months": ("dates", [f"Jan {1990 + k}" for k in range(25)]),
    "hours": ("times", [f"3:{20 + k}:{k:02}" for k in range(25)]),
    "clock": ("times", [f"{k % 12 + 6:02}:{k + 10}" for k in range(25)]),
    "half days": ("times", [f"5:{k + 10} PM" for k in range(25)]),
    "hundredths": ("times", [f"1:{k + 10}.25" for k in range(25)]),
    "spans": ("times", [f"2 h {k + 10} min" for k in range(25)]),
    "paces": ("times", [f"4:{k + 10}/km" for k in range(25)]),
}


def table_of(cells, **options):
    return read_table({"x": cells, "y": [k * k % 7 for k in range(len(cells))]}, **options)


@pytest.mark.parametrize(("what", "cells"), FORMATS.values(), ids=FORMATS)
def test_a_word_beside_any_format_is_named_with_the_option_that_reads_the_rest(what, cells):
    table = table_of([*cells, *cells, *["DNF"] * 10])

    assert [note.text for note in table.notes] == [
        f"categories, though 50 of 60 values are {what}, not 'DNF'; missing=['DNF'] reads the rest"
    ]
    read = table_of([*cells, *cells, *["DNF"] * 10], missing="DNF")["x"]
    assert read.kind is Kind.NUMERIC
    assert read.is_missing.sum() == 10


@pytest.mark.parametrize(("what", "cells"), FORMATS.values(), ids=FORMATS)
def test_few_words_beside_any_format_are_mixed(what, cells):
    (note,) = table_of([*cells, *cells, "DNF", "DNS"]).notes

    assert note.is_set_aside
    assert "mixed: 50 of 52 values are numbers or dates, not 'DNF' at row 50" in note.text


@pytest.mark.parametrize(("what", "cells"), FORMATS.values(), ids=FORMATS)
def test_nothing_is_ranked_against_numbers_that_a_word_made_categories(what, cells):
    table = {"x": [*cells, *cells, *["DNF"] * 10], "y": [k * k % 7 for k in range(60)]}

    message = rf"50 of 60 values are {what}, not 'DNF'.*categorical=\['x'\] keeps categories"
    with pytest.raises(BychanceError, match=message):
        rank(table, target="x")
    assert rank(table, target="x", categorical="x")[0]["n"] == 60
    assert rank(table, target="x", missing="DNF")[0]["n"] == 50
    assert rank(table, target="y")[0]["n"] == 60


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([str(k) for k in range(11)] * 5, ["no answer"] * 10),
        (["10 mg", "20 mg"] * 20, ["placebo"] * 20),
        ([str(k) for k in range(25)] * 2, ["2A", "7B", "9C"] * 5),
        ([str(k) for k in range(25)], [*"abcdefghi"] * 4),
    ],
    ids=["scale", "doses", "codes", "mostly words"],
)
def test_few_numbers_codes_and_mostly_words_may_be_a_target(cells, words):
    table = {"x": [*cells, *words], "y": [k * k % 7 for k in range(len(cells) + len(words))]}

    assert read_table(table)["x"].kind is Kind.CATEGORICAL
    assert rank(table, target="x")[0]["n"] == len(table["x"])


def test_units_that_differ_are_told_beside_words():
    cells = [f"{k} {unit}" for k in range(1, 26) for unit in ("ml", "oz")]

    (note,) = table_of([*cells, *["lost"] * 10]).notes
    assert note.text == (
        "categories, though 50 of 60 values are numbers in several units ('ml' and 'oz'), not 'lost'"
    )


def test_only_the_words_are_at_fault_where_times_are_asked_for():
    _, cells = FORMATS["hours"]

    with pytest.raises(BychanceError, match=r"got 'DNF' in 'x' at row 25 .* and in 1 other row; give"):
        table_of([*cells, "DNF", "DNF"], numeric="x")
