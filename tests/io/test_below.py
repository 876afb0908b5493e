"""A last row of totals is left out only if it sums up the rows above."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import KEEP_ALL_ROWS, Code
from tests.io.cells import write_sheet

ROWS = [("North", 12, 0.5), ("South", 9, 1.5), ("East", 30, 2.5), ("West", 4, 3.5)]


def table_of(tmp_path, last, name="t.csv"):
    path = tmp_path / name
    lines = [("region", "sales", "share"), *ROWS * 2, last]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines))
    return read_table(path)


def notes_of(table):
    return [note for note in table.notes if note.code is Code.TOTALS_LEFT_OUT]


@pytest.mark.parametrize(
    ("last", "summed"),
    [
        (("Total", 110, 16), ("sales", "share")),
        (("Grand total:", 110, ""), ("sales",)),
        (("SUM", "", 2), ("share",)),  # a mean
    ],
)
def test_totals_are_left_out_with_a_note(tmp_path, last, summed):
    table = table_of(tmp_path, last)

    assert len(table) == 8
    assert set(table["region"].labels) == {"North", "South", "East", "West"}
    (note,) = notes_of(table)
    assert (note.values["n"], note.values["called"], note.values["columns"]) == (1, (last[0],), summed)
    assert note.suggestion == KEEP_ALL_ROWS


def test_rows_of_a_frame_stay():
    frame = pd.DataFrame([*ROWS, ("Total", 55, 8.0)], columns=["region", "sales", "share"])
    table = read_table(frame)

    assert (len(table), notes_of(table)) == (5, [])


def test_a_sheet_loses_its_total_as_text_does(tmp_path):
    rows = [("region", "sales", "share"), *ROWS, ("Total", 55, 8.0)]
    table = read_table(write_sheet(tmp_path / "t.xlsx", rows))

    assert len(table) == 4
    assert [note.values["n"] for note in notes_of(table)] == [1]


def test_a_file_of_names_and_import_ids_has_no_rows(tmp_path):
    lines = [("region", "sales"), ('{"ImportId":"a"}', '{"ImportId":"b"}')]
    write_sheet(tmp_path / "t.xlsx", lines)
    with (tmp_path / "t.csv").open("w") as file:
        csv.writer(file).writerows(lines)

    for name in ("t.xlsx", "t.csv"):
        with pytest.raises(bc.BychanceError, match="has a header and no rows"):
            read_table(tmp_path / name)
