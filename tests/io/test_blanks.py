"""Values between blanks are cut there, unless there is another delimiter or lines differ."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.io.dialect import with_tabs


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


@pytest.mark.parametrize("name", ['"height "', '" "'])
def test_a_quoted_name_that_ends_in_a_blank_opens_no_quote(tmp_path, name):
    path = tmp_path / "quoted.csv"
    path.write_text(f"age,{name}\n" + "".join(f"{k},{7 * k % 11}\n" for k in range(12)), encoding="utf-8")
    assert bc.read_table(path).n_rows == 12
