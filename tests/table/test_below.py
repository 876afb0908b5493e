"""A last row of totals is noticed, and only where it sums up the rows above."""

from __future__ import annotations

import pytest

from bychance.table import read_table

ROWS = [("North", 12, 0.5), ("South", 9, 1.5), ("East", 30, 2.5), ("West", 4, 3.5)]


def notes_of(tmp_path, last, name="t.csv"):
    path = tmp_path / name
    lines = [("region", "sales", "share"), *ROWS * 2, last]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines))
    return [str(note) for note in read_table(path).notes if "last row" in str(note)]


@pytest.mark.parametrize(
    ("last", "summed"),
    [
        (("Total", 110, 16), "'sales', 'share'"),
        (("Grand total:", 110, ""), "'sales'"),
        (("SUM", "", 2), "'share'"),  # a mean
    ],
)
def test_totals_get_a_note(tmp_path, last, summed):
    (note,) = notes_of(tmp_path, last)

    assert note.startswith(f"The last row reads {last[0]!r} and sums up the rows above in {summed}; ")


@pytest.mark.parametrize("last", [("Total", 17, 5), ("Center", 110, 16), ("Total", "", "")])
def test_rows_that_sum_up_nothing_are_data(tmp_path, last):
    assert notes_of(tmp_path, last) == []


def test_a_sheet_gets_the_note_as_text_does(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in [("region", "sales", "share"), *ROWS, ("Total", 55, 8.0)]:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")

    assert any("reads 'Total'" in str(note) for note in read_table(tmp_path / "t.xlsx").notes)
