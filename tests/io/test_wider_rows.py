"""Errors and notes on rows with more values than there are names."""

from __future__ import annotations

import pytest

from bychance.errors import BychanceError
from bychance.io import read_table

SKIP = "skip_rows"


def error_of(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(BychanceError) as raised:
        read_table(path)
    return str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n" + "-0,65,-1,14\n0,5,1,2\n0,7,1,3\n",
        "x\n0,65\n0,6\n1,6\n",
        "x,y,place\n" + "1.2,3.4,12 Main St, Springfield\n1.3,3.5,1 Elm St, Shelbyville\n" * 3,
        "name,place\nAnn,Main St, Sp\nBob,Main St, Spr\nCid,Elm St, Sp\n",
        "x,place\n1,Elm\n2,Main St, Sp\n3,Oak\n4,Oak\n",
        "a,b\n1,2\n1,2,3\n1,2,3\n1,2,3\n",
    ],
)
def test_commas_within_values_are_told_and_no_line_is_to_be_skipped(tmp_path, text):
    message = error_of(tmp_path, text)

    assert "if a comma is part of a value, save the table with quotes" in message
    assert SKIP not in message


def test_a_title_of_several_values_above_names_is_to_be_skipped(tmp_path):
    rows = "day,payee,paid\n" + "1,a,2.5\n2,b,3.5\n" * 3

    assert error_of(tmp_path, f"Account:,DE12\n{rows}").endswith("skip_rows=1 reads the table below line 1.")


def test_counts_above_a_table_without_names_are_to_be_skipped(tmp_path):
    said = error_of(tmp_path, "3,2,malignant,benign\n" + "1.5,2,1,0,3\n1.7,2.5,1,0,3\n" * 2)

    assert said.endswith("got 5 in line 2; skip_rows=1 with header=False reads the table below line 1.")


@pytest.mark.parametrize("first", [0, 2])
def test_a_value_behind_the_last_name_is_an_error_wherever_it_stands(tmp_path, first):
    rows = ["North,1,2,x", "South,3,4,y", "East,5,6,x"]
    lines = ["region,sales,calls,mark", *rows[:first], "West,7,8,y,z", *rows[first:]]

    assert "must have 4 values in every line" in error_of(tmp_path, "\n".join(lines))
