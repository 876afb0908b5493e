"""Whoever follows a note's advice on missing=[…] loses no other missing value."""

from __future__ import annotations

import pandas as pd
import pytest

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.kinds import Kind
from bychance.messages import Code, Option
from tests.io.cells import as_in_a_file

DOSES = [f"{k}.5" for k in range(38)]
COLUMNS = {
    "dose": [*DOSES, "n.d.", "-"],
    "color": ["red", "NA", "blue", "red"] * 10,
    "height": [*DOSES, "NULL", " k.A. "],
}


def advised(table):
    """Return the marks that the first note with such advice lists, and its codes."""
    note = next(note for note in table.notes if note.suggestion and note.suggestion.argument == "missing")
    return list(note.suggestion.value), [told.code for told in note.remarks]


@pytest.fixture(params=["dict", "frame", "file"])
def source(request, tmp_path):
    if request.param == "dict":
        return COLUMNS
    frame = pd.DataFrame(COLUMNS)
    if request.param == "frame":
        return frame
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_advice_names_the_usual_marks_that_the_table_has(source):
    marks, codes = advised(read_table(source))

    assert marks == ["-", "NA", "NULL", "k.A.", "n.d."]
    assert codes[-1] is Code.USUAL_MARKS_REPLACED


def test_the_advice_reads_every_column(source):
    marks, _ = advised(read_table(source))
    table = read_table(source, missing=marks)

    assert [table[name].kind for name in ("dose", "height")] == [Kind.NUMERIC] * 2
    assert table["color"].labels == ("red", "blue")
    assert [int(table[name].is_missing.sum()) for name in COLUMNS] == [2, 10, 2]


def test_a_sentinel_is_advised_with_the_usual_marks():
    ages = [*(str(20 + k % 30) for k in range(36)), "999", "999", "NA", "?"]
    (note,) = read_table(as_in_a_file({"age": ages})).notes

    assert (note.code, note.suggestion) == (Code.SENTINEL, Option("missing", ("?", "NA", 999)))


def test_a_mark_that_is_a_category_elsewhere_is_not_advised():
    rhesus = {"rhesus": ["+", "-"] * 20}

    assert advised(read_table({"dose": COLUMNS["dose"]} | rhesus))[0] == ["n.d."]


def test_advice_without_usual_marks_in_the_table_says_nothing_of_them():
    marks, codes = advised(read_table({"dose": [*DOSES, "n.d.", ""], "color": ["red", "-"] * 20}))

    assert (marks, codes) == (["n.d."], [Code.MIXED])


def test_marks_that_the_caller_gave_are_the_callers_own():
    marks, codes = advised(read_table(COLUMNS, missing=["NA"]))

    assert marks == ["NA", "n.d.", "-"]
    assert Code.USUAL_MARKS_REPLACED not in codes


def test_advice_ends_where_a_unit_stands_beside_two_marks():
    powers = [*(f"{k}.5 W" for k in range(50)), "NaN", "-9999", "-9999"]
    missing, n_steps = None, 0
    while (
        "power"
        not in (table := read_table({"power": powers, "n": [1, 2, 3] * 17 + [1, 2]}, missing=missing)).names
    ):
        missing, codes = advised(table)
        n_steps += 1

    assert (n_steps, missing, codes[0]) == (1, ["NaN", "-9999"], Code.MIXED_PROBLEM)
    assert int(table["power"].is_missing.sum()) == 3


@pytest.mark.parametrize("given", [["-9999"], -9999, ["NaN"]])
def test_advice_repeats_what_was_given(given):
    powers = [*(f"{k}.5 W" for k in range(50)), "NaN", "-9999", "-9999"]
    marks, _ = advised(read_table({"power": powers, "n": [1, 2, 3] * 17 + [1, 2]}, missing=given))

    assert sorted(marks) == ["-9999", "NaN"]


def test_an_error_names_what_has_no_unit_and_asks_for_all_marks():
    powers = [*(f"{k}.5 W" for k in range(50)), "NaN", "-9999"]
    with pytest.raises(BychanceError) as raised:
        read_table({"power": powers}, numeric="power")

    assert str(raised.value).endswith(
        "some without a unit ('-9999') in 'power'; give missing=[…] with all marks of missing values."
    )


def test_a_number_that_lacks_its_unit_is_named_and_no_mark():
    weights = [*(f"{k}.5 kg" for k in range(50)), "7", "8"]
    (note,) = read_table({"weight": weights, "n": list("abcd") * 13}).notes

    assert (note.code, note.suggestion) == (Code.MIXED_PROBLEM, Option("categorical", ("weight",)))
    assert note.values["problem"].values == {"unit": "kg", "cells": ("7", "8")}
