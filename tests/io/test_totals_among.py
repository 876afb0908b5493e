"""Subtotals among the rows of a file are told and stay; categories that only sound like totals are not."""

from __future__ import annotations

import pandas as pd
import pytest

from bychance.io import read_table


def group(name, total):
    return [*(f"{name},{'xyz'[k % 3]},{k},{k * 1.5}" for k in range(1, 9)), *total]


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines, names="region,product,units,revenue", **options):
        path = tmp_path / "t.csv"
        path.write_text("\n".join([names, *lines]))
        return read_table(path, **options)

    return read_lines


def told(table):
    return [str(note) for note in table.notes if "look" in str(note) and "total" in str(note)]


def test_subtotals_are_told_with_their_lines_and_stay(read):
    table = read(
        *group("N", ["N Total,,36,54"]), *group("S", ["S Total,,36,54"]), "E,x,3,1", "Grand Total,,,109"
    )

    assert told(table) == [
        "3 rows look like totals of other rows: 'N Total', 'S Total', 'Grand Total' in 'region' "
        "(lines 10, 19, 21); leave them out of the file"
    ]
    assert table.n_rows == 20


def test_a_group_and_a_word_for_sums_are_enough(read):
    table = read(*group("N", ["N - Subtotal:,x,36,54"]), *group("S", ["S Summe,y,36,54"]), "Total,y,70,100")

    (note,) = told(table)
    assert note.startswith("3 rows look like totals of other rows: 'N - Subtotal:', 'S Summe', 'Total' in")


def test_one_label_of_many_rows_is_named_once(read):
    monthly = [",Monthly total,36,54"]
    table = read(*group("N", monthly), *group("S", monthly), *group("E", monthly), *group("W", monthly))

    (note,) = told(table)
    assert note.startswith(
        "4 rows look like totals of other rows: 'Monthly total' in 'product' (lines 10, 19, 28, …)"
    )


def test_one_row_is_told_alone(read):
    (note,) = told(read(*group("N", ["N total,,36,54"]), *group("S", [])))

    assert note.startswith(
        "1 row looks like a total of other rows: 'N total' in 'region' (line 10); leave it out"
    )


@pytest.mark.parametrize(
    "row",
    [
        "Total,x,36,54",  # a category beside others
        "N Totals Ltd,,36,54",
        "Subtotalled,,36,54",
        "below average,,36,54",
        "Massa di Somma,,36,54",
        "weighed and written down without any of the raw total,,36,54",
        "N Total,,,",  # nothing is summed up
    ],
)
def test_other_rows_are_not_told(read, row):
    assert told(read(*group("N", [row]), *group("S", []), *group("E", []))) == []


def test_what_most_rows_lack_tells_nothing(read):
    rows = [f"{'NS'[k % 2]},,{k},{k * 1.5}" for k in range(1, 20)]

    assert told(read(*rows, "Colgate Total,,3,2", "N,x,4,2")) == []


def test_a_fifth_of_the_rows_is_a_category(read):
    table = read(
        *(line for _ in range(5) for line in ("F,x,1,2", "M,x,2,4", "N,y,2,4", "U,y,2,4", "Total,,7,14"))
    )

    assert told(table) == []


def test_rows_of_a_frame_and_of_a_file_without_names_are_data(read):
    lines = [*group("N", ["N Total,,36,54"]), *group("S", ["S Total,,36,54"])]
    cells = [line.split(",") for line in lines]
    frame = pd.DataFrame(cells, columns=["region", "product", "units", "revenue"])

    assert told(read(*lines)) != []
    assert told(read_table(frame)) == []
    assert told(read(*lines, header=False)) == []


def test_rows_of_a_sheet_are_counted_from_0(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame(
        {
            "region": [*["N"] * 8, "N Total", *["S"] * 8],
            "units": [*range(1, 9), 36, *range(1, 9)],
        }
    )
    frame.to_excel(tmp_path / "t.xlsx", index=False)

    (note,) = told(read_table(tmp_path / "t.xlsx"))
    assert "'N Total' in 'region' (row 8, counting from 0)" in note


def test_names_of_rows_that_were_set_aside_are_looked_at_too(read):
    rows = [*(f"town {k},a,{k},{k * 1.5}" for k in range(40)), "north,,,", "north total,,90,3"]
    table = read(*rows, "end,b,1,2", names="town,product,units,revenue")

    assert "town" not in table.names
    assert told(table) == [
        "1 row looks like a total of other rows: 'north total' in 'town' (line 43); leave it out of the file"
    ]
