"""Subtotals among the rows of a file get a note and stay, but not categories that sound like totals."""

from __future__ import annotations

import pandas as pd
import pytest

from bychance.io import read_table
from bychance.messages import Code


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
    return [note.values for note in table.notes if note.code is Code.TOTALS_AMONG_ROWS]


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

    (values,) = told(read_table(tmp_path / "t.xlsx"))
    assert (values["cells"], values["column"]) == (("N Total",), "region")
    assert values["place"] == "at row 8 (counting from 0)"
