"""Scales with labels at their ends are numbers; codes and numbered answers are categories."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.kinds import Kind
from bychance.messages import Code


def read(cells):
    table = read_table({"x": cells * 5, "other": ["u", "v", "w"] * len(cells) + ["u", "v"] * len(cells)})
    return table["x"], [note.code for note in table.notes if note.column == "x"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1 - Strongly disagree", "2", "3", "4", "5 - Strongly agree"], [1, 2, 3, 4, 5]),
        (["1 - Natural", "2", "3", "4 - Artificial"], [1, 2, 3, 4]),
        (["0 (never)", "1", "2", "3 (always)"], [0, 1, 2, 3]),
        (["1 = poor", "2", "3 = fair", "4", "5 = good"], [1, 2, 3, 4, 5]),
        (["10: extremely likely", "7", "9", "8", "0: not at all likely"], [10, 7, 9, 8, 0]),
        (["5 Excellent", "4", "3", "NA", "1 Poor"], [5, 4, 3, None, 1]),
    ],
)
def test_a_scale_with_labels_at_its_ends_is_numbers(cells, values):
    column, codes = read(cells)

    assert column.kind is Kind.NUMERIC
    assert [
        None if cell == "NA" else value for cell, value in zip(cells, column.values, strict=False)
    ] == values
    assert codes == [Code.SCALE]


@pytest.mark.parametrize(
    "cells",
    [
        ["1 - North", "2 - South", "3 - West"],
        ["1 - Yes", "2 - No", "3"],
        ["1 - Bad", "2", "3", "4", "5 - Good", "9 - Don't know"],
        ["0 - Not applicable", "1", "2", "3", "4 - Good"],
        ["1 - Bad", "1", "2", "3", "5 - Good"],
        ["1 - Bad", "2", "4", "5 - Better", "7 - Good"],
        ["1 - Paris", "2", "3", "75 - Lyon"],
        ["1 kg", "2", "3", "4 kg"],
        ["1 year", "2", "3", "4 years"],
    ],
)
def test_numbered_answers_and_codes_are_none(cells):
    table = read_table({"x": cells * 5, "y": range(len(cells) * 5)})
    kinds = {column.name: column.kind for column in table}

    assert kinds.get("x") is not Kind.NUMERIC
