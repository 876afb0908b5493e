"""A last row of totals is left out, and only where it sums up the rows above."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import KEEP_ALL_ROWS, Code

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


@pytest.mark.parametrize(
    "names", [("Total", "Average"), ("Average", "Total"), ("Summe:", "Mittelwert"), ("TOTAL", "Mean")]
)
def test_a_total_and_an_average_are_left_out_together(tmp_path, names):
    path = tmp_path / "t.csv"
    figures = {
        name: (110, 16) if name.rstrip(":").lower() in ("total", "summe") else (13.75, 2.0) for name in names
    }
    last = "\n".join(f"{name},{sales},{share}" for name, (sales, share) in figures.items())
    path.write_text("region,sales,share\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS * 2) + last)
    table = read_table(path)

    assert len(table) == 8
    (note,) = table.notes
    assert (note.code, note.values["n"], note.values["called"]) == (Code.TOTALS_LEFT_OUT, 2, names)
    assert note.values["columns"] == ("sales", "share")


@pytest.mark.parametrize(
    "last",
    [
        "Total,17,5\nAverage,13.75,2\n",  # the one sums up nothing
        "Total,110,16\nAverage,9,9\n",
        "Total,110,16\nEast,13.75,2\n",
    ],
)
def test_two_rows_of_which_one_sums_up_nothing_are_data(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text("region,sales,share\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS * 2) + last)

    assert len(read_table(path)) == 10


def test_a_category_that_is_called_total_stays(tmp_path):
    path = tmp_path / "t.csv"
    rows = [
        f"{k},{kind},{value}" for k in range(5) for kind, value in (("Gas", 2), ("Power", 3), ("Total", 5))
    ]
    path.write_text("\n".join(["house,kind,cost", *rows]))

    table = read_table(path)
    assert len(table) == 15
    assert "Total" in table["kind"].labels


def test_all_rows_are_data_without_a_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("North,12\nSouth,9\nEast,30\nWest,4\nTotal,55\n")

    assert len(read_table(path, header=False)) == 5


def test_a_total_per_year_is_a_category(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{sex},{year},{k}" for year in (2019, 2020, 2021) for k, sex in enumerate(("F", "M", "Total"))]
    path.write_text("\n".join(["sex,year,sales", *rows, "F,2020,1", "M,2020,2", "Total,2020,1.0"]))

    assert len(read_table(path)) == 12


def test_years_sum_up_nothing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("region,year,sales\nA,2019,3\nB,2020,4\nC,2021,9\nD,2021,2\nOverall,2020,7\n")

    assert len(read_table(path)) == 5


@pytest.mark.parametrize("last", [("Total", 17, 5), ("Center", 110, ""), ("Total", "", "")])
def test_rows_that_sum_up_nothing_are_data(tmp_path, last):
    table = table_of(tmp_path, last)

    assert len(table) == 9
    assert notes_of(table) == []


def test_rows_of_a_frame_stay():
    frame = pd.DataFrame([*ROWS, ("Total", 55, 8.0)], columns=["region", "sales", "share"])
    table = read_table(frame)

    assert (len(table), notes_of(table)) == (5, [])


def test_a_sheet_loses_its_total_as_text_does(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in [("region", "sales", "share"), *ROWS, ("Total", 55, 8.0)]:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")

    table = read_table(tmp_path / "t.xlsx")
    assert len(table) == 4
    assert [note.values["n"] for note in notes_of(table)] == [1]


TABLE = "region,sales,staff\n" + "North,12,3\nSouth,9,4\n" * 5


@pytest.mark.parametrize(
    ("below", "named"),
    [
        (
            "\n* provisional\nSource: office\n",
            ("* provisional", "Source: office"),
        ),
        ("* provisional,,\n", ("* provisional",)),
        (",,\nall figures are provisional,,\n\n", ("all figures are provisional",)),
        ('\n"Note: a, b, c"\n', ("Note: a, b, c",)),
        ("Note: sales, staff, and so on\n", ("Note: sales, staff, and so on",)),
        (
            "* sales, staff, and so on,\nfor short\n",
            ("* sales, staff, and so on", "for short"),
        ),
        ("* see the annex,\npages 3, 4\n", ("* see the annex", "pages 3, 4")),
        ("\nNote: north, south, and so on\n", ("Note: north, south, and so on",)),
    ],
)
def test_footnotes_are_left_out_with_a_note(tmp_path, below, named):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + below)
    table = read_table(path)

    assert len(table) == 10 + below.startswith("East")
    assert (table.notes[0].code, table.notes[0].values["cells"]) == (Code.FOOTNOTES_LEFT_OUT, named)


def test_lines_below_with_few_commas_are_footnotes(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{k},1,2,3,4\n" for k in range(6))
    path.write_text(
        f"a,b,c,d,e\n{rows}\nb: direction (0 = N, 90 = E)\nSource: office\nhttp://a.b,here\nMay\n"
    )

    assert read_table(path).n_rows == 6


@pytest.mark.parametrize(
    "last",
    [
        "East,,\n",
        "East,,\n\n",
        ",,\n",
        'East,1,"4\nSource: office"\n',
        "Sourcery,,\n",
        ",5,\n",
        "*,5,6\n",
        "\nNote,5,6\n",
    ],
)
def test_rows_of_the_table_are_no_footnotes(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + last)

    assert len(read_table(path)) == 11


def test_a_total_above_footnotes_is_left_out_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "Total,105,35\n\nSource: office\n")

    assert len(read_table(path)) == 10


def test_a_file_of_names_and_import_ids_has_no_rows(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    lines = [("region", "sales"), ('{"ImportId":"a"}', '{"ImportId":"b"}')]
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    with (tmp_path / "t.csv").open("w") as file:
        csv.writer(file).writerows(lines)

    for name in ("t.xlsx", "t.csv"):
        with pytest.raises(bc.BychanceError, match="has a header and no rows"):
            read_table(tmp_path / name)
