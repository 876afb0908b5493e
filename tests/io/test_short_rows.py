"""Rows that lack their last values are read, with a note, and nothing else that is ragged is."""

from __future__ import annotations

import pytest

import bychance as bc

ROWS = ["North,1,2,x", "South,3,4,y", "East,5,6,x"]


@pytest.fixture
def read(tmp_path):
    def read(*lines):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["region,sales,calls,mark", *lines, ""]))
        return bc.read_table(path)

    return read


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
