"""Sources that are read in batches, and what is said where one cannot be read."""

from __future__ import annotations

import gzip

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError

N, SIZE = 600, 100
COLUMNS = ["n", "observed", "adjusted", "p_value"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    x = rng.normal(size=N).round(4)
    y = pa.array((x + rng.normal(size=N)).round(4), mask=rng.random(N) < 0.1)
    return pa.table(
        {"x": x, "y": y, "site": rng.choice(["north", "south", "west"], N), "year": np.arange(N) // 200}
    )


@pytest.fixture
def parts(tmp_path, table):
    """A directory of six Parquet files."""
    folder = tmp_path / "events"
    folder.mkdir()
    for k in range(6):
        pq.write_table(table.slice(100 * k, 100), folder / f"part-{k}.parquet")
    return folder


def figures(source, **options):
    records = list(bc.rank(source, tails="none", **options))
    return {(r["x"], r["y"]): [r[name] for name in COLUMNS] for r in records}


def assert_as_in_memory(source, table, **options):
    expected = figures(table, **options)
    found = figures(source, stream=True, sample_rows=SIZE, **options)
    assert found.keys() == expected.keys()
    for pair, values in expected.items():
        assert found[pair] == pytest.approx(values, rel=1e-9, abs=1e-12)


def test_a_directory_is_read(parts, table):
    assert_as_in_memory(parts, table)
    assert figures(parts, stream=False).keys() == figures(table).keys()
    assert figures(parts) == figures(table)


def test_a_glob_a_list_and_a_dataset_are_read(parts, table):
    assert_as_in_memory(str(parts / "*.parquet"), table)
    assert_as_in_memory(sorted(parts.iterdir()), table)
    assert_as_in_memory(ds.dataset(parts), table)


def test_folders_name_columns(tmp_path, table):
    pq.write_to_dataset(table, tmp_path / "hive", partition_cols=["year"])
    assert_as_in_memory(tmp_path / "hive", table)


def test_one_file_of_several_row_groups_is_read(tmp_path, table):
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=70)
    assert_as_in_memory(tmp_path / "t.parquet", table)


@pytest.mark.parametrize("suffix", [".feather", ".arrow"])
def test_arrow_files_are_read(tmp_path, table, suffix):
    pa.feather.write_feather(table, tmp_path / f"t{suffix}")
    assert_as_in_memory(tmp_path / f"t{suffix}", table)


def test_text_files_are_read_by_the_rules_for_text(tmp_path, table):
    pa.csv.write_csv(table, tmp_path / "t.csv")
    assert_as_in_memory(tmp_path / "t.csv", table)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    assert_as_in_memory(tmp_path / "t.csv.gz", table)


def test_several_text_files_have_one_header(tmp_path, table):
    for k in range(3):
        pa.csv.write_csv(table.slice(200 * k, 200), tmp_path / f"t{k}.csv")
    assert_as_in_memory(str(tmp_path / "t*.csv"), table)
    (tmp_path / "t9.csv").write_text("x,y,other,year\n1,2,a,3\n")
    with pytest.raises(BychanceError, match=r"t9\.csv has other columns than the parts before"):
        figures(str(tmp_path / "t*.csv"), stream=True, sample_rows=SIZE)
    (tmp_path / "t9.csv").write_text("")
    with pytest.raises(BychanceError, match=r"t9\.csv is empty"):
        figures(str(tmp_path / "t*.csv"), stream=True, sample_rows=SIZE)


def test_semicolons_and_decimal_commas_are_found_out(tmp_path, table):
    lines = [
        "x;site",
        *(f"{str(x).replace('.', ',')};{s}" for x, s in zip(table["x"], table["site"], strict=True)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert_as_in_memory(tmp_path / "t.csv", table.select(["x", "site"]))


def test_urls_are_read_through_fsspec(table, parts):
    memory = fsspec.filesystem("memory")
    for file in parts.iterdir():
        memory.pipe(f"/events/{file.name}", file.read_bytes())
    try:
        assert_as_in_memory("memory://events/*.parquet", table)
        assert_as_in_memory("memory://events", table)
        assert_as_in_memory(f"file://{parts}", table)
        with pytest.raises(BychanceError, match="No file matches memory://nothing"):
            bc.rank("memory://nothing/*.parquet")
    finally:
        memory.rm("/events", recursive=True)


def test_streams_are_read_once(table):
    assert_as_in_memory(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(50)), table)
    assert figures(table.to_reader(50)) == figures(table)


def test_lazy_frames_of_polars_are_streamed(parts, table):
    import polars as pl

    lazy = pl.scan_parquet(parts / "*.parquet")
    assert_as_in_memory(lazy, table)
    assert isinstance(bc.rank(lazy).to_frame(), pl.DataFrame)
    assert isinstance(bc.rank(lazy, stream=True, sample_rows=SIZE).to_frame(), pl.DataFrame)


def test_anything_with_an_arrow_stream_is_read(table):
    class Relation:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.to_reader(64).__arrow_c_stream__(requested_schema)

    assert_as_in_memory(Relation(), table)


def test_frames_in_memory_can_be_streamed_on_request(table):
    assert_as_in_memory(table, table)
    assert_as_in_memory(table.to_pandas(), table)
    assert_as_in_memory({name: table[name].to_pylist() for name in table.column_names}, table)


def test_a_truncated_part_is_named(parts):
    whole = (parts / "part-3.parquet").read_bytes()
    (parts / "part-3.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BychanceError, match=r"part-3\.parquet could not be read"):
        bc.rank(parts, stream=True, sample_rows=SIZE)


def test_a_part_that_lacks_a_column_is_named(parts, table):
    pq.write_table(table.slice(0, 100).drop_columns(["site"]), parts / "part-4.parquet")
    with pytest.raises(BychanceError, match=r"part-4\.parquet has no column 'site'"):
        bc.rank(parts, stream=True, sample_rows=SIZE)


def test_a_column_of_another_type_in_a_later_part_is_named(parts, table):
    odd = table.slice(0, 100).set_column(0, "x", pa.array(["a"] * 100))
    pq.write_table(odd, parts / "part-5.parquet")
    with pytest.raises(BychanceError, match=r"part-5\.parquet has 'x' as string.*have double"):
        bc.rank(parts, stream=True, sample_rows=SIZE)


def test_nothing_to_read_is_said_in_one_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BychanceError, match="holds no Parquet, Feather, Arrow or CSV files"):
        bc.rank(tmp_path / "empty")
    with pytest.raises(BychanceError, match=r"No file matches .*\*\.parquet"):
        bc.rank(str(tmp_path / "*.parquet"))


def test_a_stream_that_raises_in_the_middle_is_an_error_in_one_sentence(table):
    def batches():
        yield from table.to_batches(50)[:4]
        raise RuntimeError("the line went dead")

    reader = pa.RecordBatchReader.from_batches(table.schema, batches())
    with pytest.raises(
        BychanceError, match="a reader of record batches could not be read: the line went dead"
    ):
        bc.rank(reader, stream=True, sample_rows=SIZE)


def test_files_of_two_formats_are_refused(parts):
    (parts / "more.csv").write_text("x,y\n1,2\n")
    with pytest.raises(BychanceError, match="files of one format, got Parquet and text"):
        bc.rank(parts)


def test_a_workbook_is_not_streamed(tmp_path):
    with pytest.raises(BychanceError, match="`stream=True` needs Parquet"):
        bc.rank(tmp_path / "book.xlsx", stream=True)


def test_an_unknown_column_is_named_before_anything_is_read(parts):
    with pytest.raises(BychanceError, match="Did you mean 'site'"):
        bc.rank(parts, stream=True, drop="sitte")
