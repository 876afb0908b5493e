"""Sources of tables: JSON, archives, packed text, sheets, databases, standard input and lazy frames."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import sys
import zipfile
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from bychance.errors import BychanceError, UnknownNameError
from bychance.io import read_table
from bychance.kinds import Kind

CSV = b"price,shop\n$1.50,a\n$2.25,b\n$10.00,a\n"
PRICES = [1.5, 2.25, 10.0]


def zipped(**members: bytes) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_dot_", "."), content)
    return whole.getvalue()


PACKERS = {
    "t.csv": lambda data: data,
    "t.csv.gz": gzip.compress,
    "t.csv.bz2": bz2.compress,
    "t.csv.xz": lzma.compress,
    "t.csv.zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    "t.zip": lambda data: zipped(t_dot_csv=data),
}


def write(path, content):
    path.write_bytes(content)
    return path


@pytest.fixture
def on_stdin(monkeypatch):
    def put(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return put


@pytest.mark.parametrize("name", PACKERS)
def test_packed_text_is_read_as_what_is_in_it(tmp_path, name):
    table = read_table(write(tmp_path / name, PACKERS[name](CSV)))

    assert table["price"].values.tolist() == PRICES
    assert table["shop"].kind is Kind.CATEGORICAL


@pytest.mark.parametrize("name", PACKERS)
def test_standard_input_is_known_by_its_first_bytes(on_stdin, name):
    on_stdin(PACKERS[name](CSV))
    table = read_table("-")

    assert table["price"].values.tolist() == PRICES
    assert table.origin == "standard input"


def arrow_bytes(writer):
    def made(tmp_path):
        writer(pa.table({"price": PRICES}), tmp_path / "t")
        return (tmp_path / "t").read_bytes()

    return made


@pytest.mark.parametrize(
    "made",
    [
        arrow_bytes(parquet.write_table),
        arrow_bytes(feather.write_feather),
        lambda folder: b'{"price": 1.5}\n{"price": 2.25}\n{"price": 10}\n',
        lambda folder: b' [{"price": 1.5}, {"price": 2.25}, {"price": 10}]',
        lambda folder: b"@relation shop\n@attribute price numeric\n@data\n1.5\n2.25\n10\n",
        lambda folder: (folder / "t.xlsx").read_bytes() if sheet(folder) else b"",
    ],
    ids=["parquet", "feather", "json lines", "json", "arff", "excel"],
)
def test_standard_input_may_be_of_any_format(on_stdin, tmp_path, made):
    on_stdin(made(tmp_path))

    assert read_table("-")["price"].values.tolist() == PRICES


def test_an_empty_standard_input_is_told(on_stdin):
    on_stdin(b"")
    with pytest.raises(BychanceError, match="standard input is empty"):
        read_table("-")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_closed_standard_input_is_told(monkeypatch, is_there):
    stdin = io.TextIOWrapper(io.BytesIO(CSV)) if is_there else None
    monkeypatch.setattr("sys.stdin", stdin)
    if stdin is not None:
        stdin.close()
    with pytest.raises(BychanceError, match="standard input is closed: pipe a table into it, or name a file"):
        read_table("-")


@pytest.mark.parametrize("suffix", [".xz", ".zst", ".zip"])
def test_damaged_archives_are_one_clear_error(tmp_path, suffix):
    packed = PACKERS["t.zip" if suffix == ".zip" else f"t.csv{suffix}"](CSV * 100)
    name = "t.zip" if suffix == ".zip" else f"t.csv{suffix}"

    for damaged in (packed[: len(packed) // 2], b"no such thing"):
        with pytest.raises(BychanceError, match=f"{name} could not be opened"):
            read_table(write(tmp_path / name, damaged))


@pytest.mark.parametrize("start", [1, 5, 8, 20])
def test_an_archive_without_its_first_bytes_is_one_clear_error(tmp_path, start):
    path = write(tmp_path / "t.zip", zipped(t_dot_csv=CSV * 100)[start:])

    with pytest.raises(BychanceError, match=r"^t\.zip could not be opened: .+\.$"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.csv.xz", "t.zip"])
def test_archives_are_unpacked_up_to_the_limit(tmp_path, name):
    with pytest.raises(BychanceError, match="max_gib"):
        read_table(write(tmp_path / name, PACKERS[name](CSV * 1000)), max_gib=1e-6)


def test_a_zip_of_several_tables_asks_which(tmp_path):
    path = write(tmp_path / "t.zip", zipped(a_dot_csv=CSV, b_dot_csv=b"x\n1\n2\n", read_dot_me=b"hello"))

    with pytest.raises(BychanceError, match=r"2 files; name one, as in t\.zip::a\.csv: a\.csv, b\.csv"):
        read_table(path)
    assert read_table(f"{path}::b.csv").names == ("x",)
    assert read_table(f"{path}::b.csv").origin == "t.zip::b.csv"
    with pytest.raises(UnknownNameError, match="`file` must be one of"):
        read_table(f"{path}::c.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_part_of_a_file_without_parts_is_refused(tmp_path, name):
    path = write(tmp_path / name, b"x\n1\n2\n")

    with pytest.raises(BychanceError, match=rf"{re.escape(name)} has no part 'b': :: picks a file of a .zip"):
        read_table(f"{path}::b")


def test_a_zip_without_tables_is_told(tmp_path):
    with pytest.raises(BychanceError, match="1 file; none is a table: hello"):
        read_table(write(tmp_path / "t.zip", zipped(hello=b"hello")))


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.json"])
def test_json_records_are_rows(tmp_path, name):
    records = [{"price": "$1.50", "n": 1}, {"price": "$2.25", "tags": ["a"]}, {"n": 3, "price": "$10.00"}]
    text = json.dumps(records) if name == "t.json" else "\n".join(map(json.dumps, records))
    table = read_table(write(tmp_path / name, text.encode()))

    assert table["price"].values.tolist() == PRICES
    assert table["n"].is_missing.tolist() == [False, True, False]
    assert table.set_aside == ("tags",)


def test_json_may_be_an_object_of_lists(tmp_path):
    table = read_table(write(tmp_path / "t.json", b'{"x": [1, 2], "y": ["a", null]}'))

    assert table["y"].is_missing.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', "must hold JSON in line 2"),
        ("[1, 2]", "must hold records"),
        ("[]", "has no rows"),
        (" ", "is empty"),
    ],
)
def test_what_is_wrong_with_json_is_told(tmp_path, text, message):
    with pytest.raises(BychanceError, match=message):
        read_table(write(tmp_path / "t.jsonl", text.encode()))


def sheet(folder):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["price"], [1.5], [2.25], [10]):
        book.active.append(row)
    second = book.create_sheet("Orders 2024")
    for row in (["Report of the year"], [None], ["price", "shop"], ["1.107,51 €", "a"], ["3,00 €", "b"]):
        second.append(row)
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


@pytest.mark.parametrize("which", ["Orders 2024", 2, "2"])
def test_a_sheet_is_picked_by_name_or_number_below_its_title(tmp_path, which):
    table = read_table(sheet(tmp_path), sheet=which, skip_rows=2)

    assert table["price"].values.tolist() == [1107.51, 3.0]
    assert read_table(f"{tmp_path / 't.xlsx'}::Orders 2024", skip_rows=2).names == ("price", "shop")


def test_an_unknown_sheet_is_told_with_those_there_are(tmp_path):
    with pytest.raises(UnknownNameError, match=r"Did you mean 'Orders 2024'.*`sheet`"):
        read_table(sheet(tmp_path), sheet="Orders 2042")


def test_a_sheet_may_have_no_header(tmp_path):
    table = read_table(sheet(tmp_path), header=False)

    assert table.names == ("column_1",)
    assert table.n_rows == 4


def test_lazy_frames_are_collected():
    table = read_table(pl.LazyFrame({"x": [1, 2, 3]}).filter(pl.col("x") > 1))

    assert table["x"].values.tolist() == [2, 3]
    assert table.library == "polars"


def test_rows_above_the_table_are_skipped_and_lines_still_count_from_the_first(tmp_path):
    path = write(tmp_path / "t.csv", b"Report of 2024\nby the bureau\n\nx,y\n1,2\nw,3\n")
    table = read_table(path, skip_rows=3)

    assert table.names == ("x", "y")
    with pytest.raises(BychanceError, match="got 'w' in 'x' in line 6"):
        read_table(path, skip_rows=3, numeric="x")
    with pytest.raises(BychanceError, match="is empty"):
        read_table(path, skip_rows=30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skip_rows": -1}, "`skip_rows` must be"),
        ({"skip_rows": "x"}, "`skip_rows` must be"),
        ({"header": "no"}, "`header` must be true or false"),
        ({"sheet": 1.5}, "`sheet` must be a name or a number"),
        ({"sheet": "a"}, "`sheet` is for Excel files; t.csv has no sheets"),
        ({"day_first": "yes"}, "`day_first` must be true, false or None"),
        ({"merge": ["z"]}, "`merge` must be one of price, shop"),
    ],
)
def test_options_that_cannot_be_are_told(tmp_path, options, message):
    with pytest.raises(BychanceError, match=message):
        read_table(write(tmp_path / "t.csv", CSV), **options)


@pytest.mark.parametrize("options", [{"skip_rows": 1}, {"header": False}, {"names": ["a"]}, {"sheet": "a"}])
def test_options_about_other_files_are_told(tmp_path, options):
    parquet.write_table(pa.table({"x": [1, 2]}), tmp_path / "t.parquet")

    for source in (tmp_path / "t.parquet", {"x": [1, 2]}):
        with pytest.raises(BychanceError, match=f"`{next(iter(options))}` is for"):
            read_table(source, **options)
