"""Values beyond a limit are read as the limit, and a note says how many they are."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind
from bychance.messages import Code, Option


def read(cells):
    table = read_table({"x": cells, "other": list(range(len(cells)))[::-1]})
    return table["x"], [note for note in table.notes if note.column == "x"]


def test_the_note_counts_the_values_at_the_limit():
    column, notes = read([*(f"0.{k:02}" for k in range(10, 60)), *["<0.01"] * 7])

    assert column.values[-7:].tolist() == [0.01] * 7
    assert [(note.code, note.values["n"], note.suggestion) for note in notes] == [
        (Code.LIMITS, 7, Option("missing", ("<0.01",)))
    ]
    _, notes = read([*(f"0.{k:02}" for k in range(10, 60)), "<0.01", "<0.01", ">100"])
    assert [(note.code, note.values["n"], note.suggestion) for note in notes] == [
        (Code.LIMITS, 3, Option("missing", ("<0.01", ">100")))
    ]


@pytest.mark.parametrize(
    ("cells", "limit"),
    [
        ([*map(str, range(10)), "10+"], 10),
        (["0", "1", "2", "3+"], 3),
        ([*(f"{k} years" for k in range(2, 10)), "1 year", "< 1 year", "10+ years"], 10),
        (["18", "25", "31", "44", "52", "65 +"], 65),
    ],
)
def test_a_plus_behind_the_last_number_is_a_limit(cells, limit):
    column, notes = read(cells * 4)

    assert column.kind is Kind.NUMERIC
    assert column.values[len(cells) - 1] == limit
    (told,) = [told for note in notes for told in note.remarks if told.code is Code.LIMITS]
    assert told.mentions(cells[-1])


@pytest.mark.parametrize(
    "cells",
    [
        ["0", "1+", "2+", "3+"],  # findings
        ["1", "1-", "2+", "2", "3"],  # marks at school
        ["A", "A+", "B"],
        ["1", "2", "3+", "7"],
        ["12", "65+"],
        ["0.5", "1.5", "2+"],
    ],
)
def test_other_signs_behind_numbers_are_categories(cells):
    assert read(cells * 6)[0].kind is Kind.CATEGORICAL
