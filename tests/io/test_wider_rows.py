"""What is said of rows with more values than there are names."""

from __future__ import annotations

import pytest

from bychance.errors import BychanceError
from bychance.io import read_table

DECIMALS = "commas may be decimal marks here as well as separators"
TEXT = "a comma may stand within a text without quotes"
SKIP = "skip_rows"


def error_of(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(BychanceError) as raised:
        read_table(path)
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\n" + "-0,65,-1,14\n0,5,1,2\n0,7,1,3\n", DECIMALS),
        ("x,y\n" + "-0,65,-1,14\n0,5,1,2\n0,7,1\n0,1,3,4\n0,6,2,7\n0,6,2,7\n", DECIMALS),
        ("id,x,g\n" + "1,0,65,a\n2,0,6,b\n3,1,6,b\n", DECIMALS),
        ("x\n0,65\n0,6\n1,6\n", DECIMALS),
        ("x,y,place\n" + "1.2,3.4,12 Main St, Springfield\n1.3,3.5,1 Elm St, Shelbyville\n" * 3, TEXT),
        ("name,place\nAnn,Main St, Sp\nBob,Main St, Spr\nCid,Elm St, Sp\n", TEXT),
        ("x,place\n1,Elm\n2,Main St, Sp\n3,Oak\n4,Oak\n", TEXT),
    ],
)
def test_commas_that_separate_nothing_are_told_and_no_line_is_to_be_skipped(tmp_path, text, said):
    message = error_of(tmp_path, text)

    assert said in message
    assert SKIP not in message


def test_a_title_of_several_values_above_names_is_to_be_skipped(tmp_path):
    rows = "day,payee,paid\n" + "1,a,2.5\n2,b,3.5\n" * 3

    assert error_of(tmp_path, f"Account:,DE12\n{rows}").endswith("skip_rows=1 reads the table below line 1.")


def test_counts_above_a_table_without_names_are_to_be_skipped(tmp_path):
    said = error_of(tmp_path, "3,2,malignant,benign\n" + "1.5,2,1,0,3\n1.7,2.5,1,0,3\n" * 2)

    assert said.endswith("got 5 in line 2; skip_rows=1 with header=False reads the table below line 1.")


@pytest.mark.parametrize("below", ["1,2,3\n1,2,3\n1,2,3\n", "4,5,6\n"])
def test_numbers_among_rows_that_are_as_long_as_the_names_say_nothing(tmp_path, below):
    assert error_of(tmp_path, "a,b\n1,2\n" + below).endswith("got 3 in line 3.")
