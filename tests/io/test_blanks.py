"""Values between blanks are cut there; where another delimiter is, or lines differ, blanks are text."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.io import read_table
from bychance.io.dialect import with_tabs

ROWS = [" 1.0  2.00  a", " 2.0  3.50  b", "10.0 -1.00  a", "11.0  7e-1  c", " 0.5  4.00  b"]


def read(tmp_path, lines):
    path = tmp_path / "t.dat"
    path.write_text("\n".join(lines) + "\n")
    return read_table(path)


@pytest.mark.parametrize(
    "lines",
    [
        ["x   y grp", *ROWS],
        ["# instrument 7", "", "x   y grp", *ROWS],
        ["# instrument 7", "#x y grp", *ROWS],
        ["# x y grp", *ROWS, ""],
        ['"x" "y"   "grp"', *(row.replace("a", '"a"') for row in ROWS)],
    ],
)
def test_blanks_separate_values(tmp_path, lines):
    table = read(tmp_path, lines)

    assert table.names == ("x", "y", "grp")
    assert table["x"].values.tolist() == [1.0, 2.0, 10.0, 11.0, 0.5]
    assert table["y"].values.tolist() == [2.0, 3.5, -1.0, 0.7, 4.0]
    assert [table["grp"].labels[code] for code in table["grp"].values] == ["a", "b", "a", "c", "b"]


def test_row_names_of_r_have_no_name(tmp_path):
    table = read(tmp_path, ['"x" "grp"', *(f'"row {k}" {k}.5 "g {k % 2}"' for k in range(6))])

    assert table.names == ("column_1", "x", "grp")
    assert table["grp"].labels == ("g 0", "g 1")


@pytest.mark.parametrize(
    "lines",
    [
        ["city", *["New York", "San Jose"] * 4],
        ["a city", *["New York", "San Jose"] * 4],
        ["a b", *["1 2"] * 6, "1 2 3"],
        ["a b", *["1,5 2"] * 6],
        ["a b;c d", *["1 2;3 4"] * 6],
        ["a b", *['"1 2'] * 6],
        ["a b", "1 2", "1 3"],
    ],
)
def test_blanks_of_other_text_stay(lines):
    text = "\n".join(lines)

    assert with_tabs(text) is None


def test_a_stream_has_no_blanks_as_delimiters(tmp_path):
    path = tmp_path / "t.dat"
    path.write_text("x y\n" + "1 2\n3 4\n" * 5)

    with pytest.raises(bc.BychanceError, match="blanks between its values, which only stream=False reads"):
        bc.rank(path, stream=True)


@pytest.mark.parametrize(
    "lines",
    [
        ["grade", *(f"Grade {k % 3}" for k in range(9))],
        ["Room number", *(f"Room {k % 3}" for k in range(9))],
        ["population", *(f"12 {246 + k}" for k in range(9))],
    ],
)
def test_blanks_within_cells_of_one_column_are_text(lines):
    text = "\n".join(lines) + "\n"

    assert with_tabs(text) is None
