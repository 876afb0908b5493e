"""Rows that lack their last values are read, with a note, and nothing else that is ragged is."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import Code

ROWS = ["North,1,2,x", "South,3,4,y", "East,5,6,x"]


@pytest.fixture
def read(tmp_path):
    def read(*lines):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["region,sales,calls,mark", *lines, ""]))
        return bc.read_table(path)

    return read


def test_a_row_among_others_lacks_its_last_values(read):
    table = read(ROWS[0], "West,7,8", *ROWS)

    assert table["calls"].values.tolist() == [2, 8, 2, 4, 6]
    assert table["mark"].is_missing.tolist() == [False, True, False, False, False]
    assert (table.notes[0].code, table.notes[0].values["lines"]) == (Code.ROWS_SHORT, (3,))


def test_most_rows_lack_their_last_values_also_the_last_one(read):
    table = read("North,1,2", "South,3,4,y", "East,5,6")

    assert table["sales"].values.tolist() == [1, 3, 5]
    assert (table.notes[0].code, table.notes[0].values["lines"]) == (Code.ROWS_SHORT, (2, 4))


def test_a_delimiter_too_many_at_the_end_of_a_row_says_nothing(read):
    table = read(*ROWS, "West,7,8,y,")

    assert table["sales"].values.tolist() == [1, 3, 5, 7]
    assert table.notes == ()


@pytest.mark.parametrize(
    "lines",
    [
        [*ROWS, "West,7,8,y,z"],
        [ROWS[0], "West,7,8,y,z", *ROWS],
    ],
)
def test_a_value_behind_the_last_name_is_an_error(read, lines):
    with pytest.raises(bc.BychanceError, match="must have 4 values in every line"):
        read(*lines)


@pytest.mark.parametrize("lines", [[*ROWS, "West,7,8"], [*ROWS, "West", *ROWS], [ROWS[0], "7,8,y", *ROWS]])
def test_rows_that_may_be_cut_off_or_shifted_are_read_and_told(read, lines):
    table = read(*lines)

    assert table.n_rows == len(lines)
    assert any(note.says(Code.ROWS_SHORT) for note in table.notes)
