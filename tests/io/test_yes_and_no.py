"""Spellings of yes and no in one column are told, and merged on request."""

from __future__ import annotations

import pytest

from bychance.io import read_table

TEN = ["Yes", "N", "Y", "No", "yes", "no", "1", "0", "TRUE", "FALSE"]


def table_of(cells, **options):
    return read_table({"x": cells, "y": [k * k % 7 for k in range(len(cells))]}, **options)


def test_ten_spellings_of_yes_and_no_are_told_and_merged():
    cells = [*TEN * 3, "Yes", "No"]

    assert [note.text for note in table_of(cells).notes] == [
        "'Yes', 'Y', 'yes', '1', 'TRUE' may all be yes, 'N', 'No', 'no', '0', 'FALSE' no; "
        "merge=['x'] takes them as two"
    ]
    merged = table_of(cells, merge="x")
    expected = ["Yes" if cell in TEN[::2] else "No" for cell in cells]
    assert [merged["x"].labels[code] for code in merged["x"].values] == expected
    assert merged.notes == ()


@pytest.mark.parametrize(
    "cells",
    [["Yes", "No", "maybe"], ["Y", "N", "y"], ["Y", "yes", "true"], ["0", "1", "2", "no"]],
    ids=["maybe", "case", "no no", "numbers"],
)
def test_other_categories_are_left_alone(cells):
    assert not [note for note in table_of(cells * 4).notes if "may all be yes" in note.text]
