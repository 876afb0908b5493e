"""Few bytes that stand for many: refused with the option that raises the limit, read if it is raised."""

from __future__ import annotations

import time
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from bychance.errors import BychanceError
from bychance.io import read_table
from tests.engine.settings import put

LIMIT = 1 / 1024  # a MiB
REFUSAL = r"takes more than 0\.000976562 GiB unpacked.*; read_table\(…, max_gib=…\) raises the limit\.$"
N_ROWS = 100_000
ZEROS = pa.table({"x": np.zeros(N_ROWS), "y": np.zeros(N_ROWS)})


def write_packed_text(path):
    with pa.output_stream(str(path), compression="detect") as stream:
        stream.write(b"x,y\n" + b"0.0,0.0000\n" * N_ROWS)


def write_packed_arff(path):
    with pa.output_stream(str(path), compression="detect") as stream:
        header = b"@attribute x real\n@attribute y real\n@data\n"
        stream.write(header + b"0.0,0.0000\n" * N_ROWS)


def write_stream(path):
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, ZEROS.schema, options=packed) as stream:
        stream.write_table(ZEROS, max_chunksize=1_000)


WRITERS = {
    "t.csv.gz": write_packed_text,
    "t.tsv.bz2": write_packed_text,
    "t.csv.zst": write_packed_text,
    "t.csv.lz4": write_packed_text,
    "t.arff.gz": write_packed_arff,
    "t.parquet": lambda path: parquet.write_table(ZEROS, path),
    "t.feather": lambda path: feather.write_feather(ZEROS, path, compression="zstd"),
    "t.arrow": write_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_packed_file_is_read_up_to_the_limit(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)

    assert path.stat().st_size < 200_000
    with pytest.raises(BychanceError, match=f"^{name} {REFUSAL}"):
        read_table(path, max_gib=LIMIT)
    assert read_table(path).n_rows == N_ROWS


def test_plain_text_is_read_at_any_size(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,y\n" + b"0.0,0.0000\n" * N_ROWS)

    assert read_table(path, max_gib=LIMIT).n_rows == N_ROWS


def test_one_cell_far_out_is_refused_soon_with_the_extent(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "x", 1
    book.save(tmp_path / "far.xlsx")
    started = time.monotonic()

    with pytest.raises(BychanceError, match="2 GiB unpacked, with 1,048,576 rows and 16,384 columns; read_"):
        read_table(tmp_path / "far.xlsx")
    assert time.monotonic() - started < 30


def test_formats_of_empty_cells_far_out_take_nothing(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["x", "y"])
    book.active.append([1, 2])
    book.active["XFD1048576"].font = openpyxl.styles.Font(bold=True)
    book.save(tmp_path / "t.xlsx")

    assert read_table(tmp_path / "t.xlsx").n_rows == 1


def test_a_text_that_many_cells_share_counts_in_each(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["x"])
    for _ in range(100):
        book.active.append(["long" * 8_000])
    book.save(tmp_path / "t.xlsx")

    assert (tmp_path / "t.xlsx").stat().st_size < 10_000
    with pytest.raises(BychanceError, match=REFUSAL):
        read_table(tmp_path / "t.xlsx", max_gib=LIMIT)
    assert read_table(tmp_path / "t.xlsx").n_rows == 100


def test_a_workbook_that_unpacks_to_much_is_refused_before_it_is_parsed(tmp_path):
    path = tmp_path / "t.xlsx"
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image.bin", bytes(1 << 21))

    with pytest.raises(BychanceError, match=REFUSAL):
        read_table(path, max_gib=LIMIT)


SHEET = "xl/worksheets/sheet1.xml"
ROWS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def write_rows(path, rows: str):
    """Write a workbook with these rows as they are, which no program writes."""
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[SHEET] = f'<worksheet xmlns="{ROWS}"><sheetData>{rows}</sheetData></worksheet>'.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_a_row_beyond_the_last_one_of_excel_is_refused(tmp_path, monkeypatch):
    put(monkeypatch, most_excel_rows=1000)
    for last in (1000, 1001):
        write_rows(
            tmp_path / f"{last}.xlsx",
            f'<row r="1"><c><v>1</v></c></row><row r="{last}"><c><v>2</v></c></row>',
        )

    assert read_table(tmp_path / "1000.xlsx", header=False).n_rows == 1000
    with pytest.raises(BychanceError, match="has a sheet with more than 1,000 rows"):
        read_table(tmp_path / "1001.xlsx", header=False)


@pytest.mark.parametrize("value", [0, -1, float("nan"), "2", True])
def test_the_limit_must_be_a_positive_number(value):
    with pytest.raises(BychanceError, match=r"`max_gib` must lie in \(0, inf\], got"):
        read_table({"x": [1, 2]}, max_gib=value)
