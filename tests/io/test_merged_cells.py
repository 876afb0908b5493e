"""Merged cells of a sheet hold for all of their rows, and merged titles and names do no harm."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.messages import Code

openpyxl = pytest.importorskip("openpyxl")


def saved(path, rows, *merged):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)
    return path


@pytest.fixture
def report(tmp_path):
    rows = [
        ["Production"],
        [],
        ["plant", "output", None, "scrap"],
        [None, "planned", "actual", "%"],
        *[[plant if k == 0 else None, k, 2 * k, k / 2] for plant in ("Bonn", "Celle") for k in range(10)],
    ]
    return saved(tmp_path / "t.xlsx", rows, "A1:D1", "A3:A4", "B3:C3", "A5:A14", "A15:A24")


def test_merged_cells_hold_for_all_of_their_rows(report):
    table = bc.read_table(report)
    plant = table["plant"]

    assert [plant.labels[code] for code in plant.values] == ["Bonn"] * 10 + ["Celle"] * 10
    assert plant.is_missing is None
    assert [note.values["names"] for note in table.notes if note.code is Code.CELLS_MERGED] == [("plant",)]


def test_headings_over_several_columns_may_stand_beside_units(report):
    assert bc.read_table(report).names == ("plant", "output planned", "output actual", "scrap %")


def test_rows_above_the_names_do_not_shift_them(tmp_path):
    rows = [["old"], ["g", "x"], *[["a" if k == 0 else None, k] for k in range(8)], ["b", 8], ["b", 9]]
    table = bc.read_table(saved(tmp_path / "t.xlsx", rows, "A3:A10"), skip_rows=1)

    assert [table["g"].labels[code] for code in table["g"].values] == ["a"] * 8 + ["b"] * 2


def test_empty_cells_that_are_not_merged_stay_missing(tmp_path):
    rows = [["g", "x"], *[["a" if k % 5 == 0 else None, k] for k in range(20)]]
    table = bc.read_table(saved(tmp_path / "t.xlsx", rows))

    assert table["g"].is_missing.sum() == 16
