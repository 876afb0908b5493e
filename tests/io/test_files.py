"""Files by their names: Parquet, Feather, Arrow IPC and Excel give what their writers held."""

from __future__ import annotations

import sys
from datetime import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from bychance.errors import BychanceError
from bychance.io import Table, read_table
from bychance.kinds import Kind

FRAME = pa.table({"x": [1.5, None, 2.5], "color": ["red", "blue", None], "n": [1, 2, 3]})


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)


WRITERS = {
    "t.parquet": parquet.write_table,
    "t.feather": feather.write_feather,
    "stream.arrow": write_stream,
    "polars.parquet": lambda table, path: pl.from_arrow(table).write_parquet(path),
    "polars.ipc": lambda table, path: pl.from_arrow(table).write_ipc(path),
    "pandas.PARQUET": lambda table, path: table.to_pandas().to_parquet(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_binary_files_give_back_what_was_written(tmp_path, name):
    WRITERS[name](FRAME, tmp_path / name)
    table = read_table(tmp_path / name)

    assert table.names == ("x", "color", "n")
    assert [column.kind.value for column in table] == ["numeric", "categorical", "numeric"]
    assert table["x"].is_missing.tolist() == [False, True, False]
    assert table["color"].is_missing.tolist() == [False, False, True]
    assert table.origin == name
    assert table.library == "pyarrow"


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
@pytest.mark.slow
def test_damaged_files_are_a_table_or_one_clear_error(tmp_path, rng, name):
    """A wrong offset must not end the process: Arrow would follow it."""
    WRITERS[name](pa.table({"x": [1.5, None] * 20, "color": ["red", None] * 20}), tmp_path / name)
    written = (tmp_path / name).read_bytes()
    for _ in range(200):
        damaged = bytearray(written)
        for place in rng.integers(len(written), size=3):
            damaged[place] = rng.integers(256)
        (tmp_path / name).write_bytes(damaged)
        try:
            assert isinstance(read_table(tmp_path / name), Table)
        except BychanceError as error:
            assert "\n" not in str(error)


def test_paths_may_be_strings(tmp_path):
    parquet.write_table(FRAME, tmp_path / "t.parquet")

    assert read_table(str(tmp_path / "t.parquet")).n_rows == 3


def test_folders_named_like_partitions_add_no_columns(tmp_path):
    (tmp_path / "year=2020").mkdir()
    parquet.write_table(FRAME, tmp_path / "year=2020" / "t.parquet")

    assert "year" not in read_table(tmp_path / "year=2020" / "t.parquet")


def test_the_index_of_a_pandas_frame_is_set_aside(tmp_path):
    pd.DataFrame({"x": [1, 2]}, index=["u", "v"]).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")

    assert table.names == ("x",)
    assert table.set_aside == ("__index_level_0__",)
    assert "__index_level_0__" in read_table(tmp_path / "t.parquet", categorical="__index_level_0__")


@pytest.fixture
def write_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")

    def write(rows, n_sheets=1):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for _ in range(n_sheets - 1):
            book.create_sheet()
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return write


def test_sheets_have_types_of_their_own(write_sheet):
    rows = [
        ["x", "color", "day", "is_new", "n"],
        [1.5, "red", datetime(2020, 1, 1), True, 1],
        [2, "NA", datetime(2020, 1, 3), False, "-"],
        [None, "blue", None, True, 3],
    ]
    table = read_table(write_sheet(rows))

    assert [column.kind.value[:3] for column in table] == ["num", "cat", "num", "cat", "num"]
    assert table["x"].values[:2].tolist() == [1.5, 2]
    for name, row in {"x": 2, "color": 1, "day": 2, "n": 1}.items():
        assert table[name].is_missing.tolist() == [k == row for k in range(3)]


def test_only_the_first_sheet_is_read_and_said_to_be(write_sheet):
    table = read_table(write_sheet([["x"], [1], [2]], n_sheets=3))

    assert table["x"].kind is Kind.NUMERIC
    assert "Only the first of 3 sheets was read; sheet=… reads another: 'Sheet1'" in str(table.notes[0])


def test_sheets_without_rows_are_refused(write_sheet):
    with pytest.raises(BychanceError, match="has a header and no rows"):
        read_table(write_sheet([["x", "y"]]))
    with pytest.raises(BychanceError, match="is empty"):
        read_table(write_sheet([]))


NO_ROWS = "has a header and no rows"


@pytest.mark.parametrize(
    ("cover", "said"), [([["Study of 2023"]], NO_ROWS), ([["By", "Ann"]], NO_ROWS), ([], "is empty")]
)
def test_a_cover_without_rows_names_the_other_sheets(write_sheet, cover, said):
    with pytest.raises(
        BychanceError, match=f"{said}. Only the first of 3 sheets was read; sheet=… reads another: 'Sheet"
    ):
        read_table(write_sheet(cover, n_sheets=3))


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (bytes.fromhex("d0cf11e0a1b11ae1"), "has a password or is of the old Excel format"),
        (b"PS", "is no Excel"),
    ],
)
def test_what_is_no_workbook_says_what_it_may_be(tmp_path, start, said):
    pytest.importorskip("openpyxl")
    (tmp_path / "t.xlsx").write_bytes(start + bytes(600))

    with pytest.raises(BychanceError, match=said):
        read_table(tmp_path / "t.xlsx")


def test_excel_without_openpyxl_says_what_to_install(monkeypatch, tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(BychanceError, match=r"pip install 'bychance\[excel\]'"):
        read_table(tmp_path / "t.xlsx")
