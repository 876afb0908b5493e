"""Later batches are read as the first rows were, whatever they would look like alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bychance.streaming.read import _agreeing
from bychance.streaming.sums import Sums
from bychance.streaming.typed_batches import Typing
from bychance.table import read_table
from bychance.table.text_cells import TextCells
from bychance.table.wishes import Wishes
from tests.table.cells import as_in_a_file


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
    typing = Typing.of(table, first, wishes, None, as_numbers=False)

    (found,) = typing.read(pa.table({"x": batch})).numbers

    assert (found + typing.numeric[0].origin).tolist() == numbers


def test_the_sample_has_the_decimal_mark_of_the_sums():
    head, sample = pa.table({"x": ["1.250", "3.125"] * 10}), pa.table({"x": ["1.250", "980"] * 10})
    read = [read_table({"x": TextCells(rows["x"])}) for rows in (head, sample)]
    typing = Typing.of(read[0], head, Wishes(), None, as_numbers=False)

    sums = Sums.none(("x",), (), typing.scalings)

    assert _agreeing(read[1], typing, sample, sums)["x"].values[:2].tolist() == [1.25, 980]
