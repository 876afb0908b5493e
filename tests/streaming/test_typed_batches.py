"""Later batches are read as the first rows were, whatever they would look like alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bychance.io import read_table
from bychance.io.cells import TextCells
from bychance.io.frames import Wishes
from tests.engine.streams import read_as_in_sums, typing_of
from tests.io.cells import as_in_a_file


@pytest.mark.parametrize(
    ("head", "batch", "numbers"),
    [
        (["1.250", "980", "NA"], ["3.125", "4.500"], [3125, 4500]),
        (["1.250 kg", "980 kg"], ["3.125 kg", "4.500 kg"], [3125, 4500]),
        (["1.250", "3.125"], ["1.250", "980"], [1.25, 980]),
        (["1.250", "2"], ["1.250", "980"], [1.25, 980]),
        (["1,250", "980"], ["3,125", "4,500"], [3125, 4500]),
        (["1.250,5", "980"], ["3.125,5", "4.500"], [3125.5, 4500]),
        (["100", "980"], ["1.250", "980"], [1250, 980]),
        (["12", "n.a."], ["1.5", "2"], [1.5, 2]),
    ],
)
@pytest.mark.parametrize("wishes", [Wishes(), Wishes.of(numeric="x")])
def test_marks_between_digits_are_what_they_are_in_the_first_rows(head, batch, numbers, wishes):
    first = pa.table({"x": head * 10})
    table = read_table(as_in_a_file({"x": head * 10}), numeric=list(wishes.kinds))
    typing = typing_of(table, first, wishes)

    (found,) = typing.read(pa.table({"x": batch})).numbers

    assert (found + typing.numeric[0].origin).tolist() == numbers


def test_the_sample_has_the_decimal_mark_of_the_sums():
    head, sample = pa.table({"x": ["1.250", "3.125"] * 10}), pa.table({"x": ["1.250", "980"] * 10})
    read = [read_table({"x": TextCells(rows["x"])}) for rows in (head, sample)]
    typing = typing_of(read[0], head)

    assert read_as_in_sums(sample, read[1], typing)["x"].values[:2].tolist() == [1.25, 980]
