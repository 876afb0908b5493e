"""Names: quotes, repeats, and data that was taken for names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.io.preamble import renamed
from bychance.messages import KEEP_ALL_ROWS, Code


def read(tmp_path, text, **options):
    (tmp_path / "t.csv").write_text(text)
    return read_table(tmp_path / "t.csv", **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: read(folder, "a,b,a,a\n1,2,3,4\n5,6,7,8\n"),
        lambda folder: read_table(pd.DataFrame([[1, 2, 3, 4], [5, 6, 7, 8]], columns=["a", "b", "a", "a"])),
        lambda folder: read_table(pa.table([[1, 5], [2, 6], [3, 7], [4, 8]], names=["a", "b", "a", "a"])),
        lambda folder: read_table(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), names=["a", "b", "a", "a"]),
    ],
    ids=["csv", "pandas", "pyarrow", "array"],
)
def test_names_that_stand_twice_are_told_apart_everywhere(tmp_path, make):
    table = make(tmp_path)

    assert table.names == ("a", "b", "a.2", "a.3")
    assert [column.values.tolist() for column in table] == [[1, 5], [2, 6], [3, 7], [4, 8]]
    assert (table.notes[0].code, table.notes[0].values["names"]) == (Code.NAMES_NUMBERED, ("a.2", "a.3"))


def test_a_new_name_is_none_that_is_there():
    assert renamed(["a", "a", "a.2"])[0] == ["a", "a.3", "a.2"]


def test_numbers_and_texts_that_are_written_alike_are_told_apart():
    assert read_table(pd.DataFrame([[1, 2]], columns=[1, "1"])).names == ("1", "1.2")


@pytest.mark.parametrize(
    ("text", "is_noted"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n6.2,2.2,virginica\n", True),
        ("1,2\n3,4\n", True),
        ("country,1990,1991\nPeru,1.5,2\nChad,2,3\n", False),
        ("1990,1991\n1.5,2\n2,3\n", False),
        ("x,y\n1,2\n", False),
        ("id,5\n1,2\n", False),
        ('Autauga,01,"23,288 ",9.7\nBaldwin,01,"81,706 ",9.1\n', True),
        ("P58,01.06.2015,15.09.2015\nP73,01.06.2013,15.09.2013\n", True),
        ("HBFR,XB,XB,1\nHCHC,XC,XD,1\n", True),  # no two names are alike
        (",3046727,3046737\n2019-01-01,1.5,2\n2019-01-02,2,3\n", False),
    ],
)
def test_a_first_row_that_looks_like_data_is_told_with_the_option(tmp_path, text, is_noted):
    notes = [note for note in read(tmp_path, text).notes if note.says(Code.NAMES_LIKE_DATA)]

    assert len(notes) == is_noted
    assert all(note.suggestion == KEEP_ALL_ROWS for note in notes)


@pytest.mark.parametrize("asked", ["Are you\nsatisfied?", "Are you satisfied?", "Are you\\nsatisfied?"])
def test_names_with_line_breaks_can_be_typed(asked):
    table = {"Are you\nsatisfied?": ["yes", "no"] * 15, "age": range(30)}
    ranking = bc.rank(table, target=asked, categorical=asked, null="moments")

    assert ranking.verdict().startswith("age is not related to Are you\\nsatisfied?")
    assert bc.read_table(table, drop=asked).names == ("age",)


def test_names_that_differ_by_more_are_others():
    with pytest.raises(bc.BychanceError, match="must be one of"):
        bc.rank({"a\nb": range(20), "a b c": range(20)}, target="ab")
