"""Cells that list several answers are told of, and other text with the same marks is not."""

from __future__ import annotations

from itertools import combinations

import pytest

from bychance.io import read_table
from bychance.messages import Code

ANSWERS = ["python", "r", "sql", "c++"]
LISTS = [list(some) for size in (1, 2, 3) for some in combinations(ANSWERS, size)]


@pytest.mark.parametrize("mark", [";", ", ", "|", "; "])
def test_lists_of_answers_get_a_note(mark):
    table = read_table({"tools": [mark.join(some) for some in LISTS] * 6})

    note = table.notes[0]
    assert (note.code, note.values["n"], note.values["n_labels"]) == (Code.LISTED_ANSWERS, 4, 14)


@pytest.mark.parametrize(
    "values",
    [
        [f"city {k}, {state}" for k in range(9) for state in ("IL", "MA")] * 5,
        ["a", "b", "c", "d", "e", "f", "a;b"] * 5,
        ["good", "bad", "so, so"] * 10,
        [some[0] for some in LISTS] * 5,
    ],
    ids=["places", "one list", "a comma", "single answers"],
)
def test_other_text_does_not(values):
    notes = read_table({"x": values, "y": values}).notes
    assert not any(note.says(Code.LISTED_ANSWERS) for note in notes)
