"""Sources that are read in batches, and errors of sources that cannot be read."""

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
from tests.engine.settings import put
from tests.engine.streams import joined_tables, open_source

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
    """Write a directory of six Parquet files."""
    folder = tmp_path / "events"
    folder.mkdir()
    for k in range(6):
        pq.write_table(table.slice(100 * k, 100), folder / f"part-{k}.parquet")
    return folder


def figures(source, **options):
    records = list(bc.rank(source, **{"null": bc.Auto(tails="none"), **options}))
    return {(r["x"], r["y"]): [r[name] for name in COLUMNS] for r in records}


def assert_as_in_memory(source, table, n_figures=4, **options):
    """Compare the figures of all rows, and p-values if none is drawn."""
    expected = figures(table, **options)
    found = figures(source, stream=bc.Streaming(SIZE), **options)
    assert found.keys() == expected.keys()
    for pair, values in expected.items():
        assert found[pair][:n_figures] == pytest.approx(values[:n_figures], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("stream", [None, True, False])
def test_packed_text_in_a_directory_is_read_up_to_a_limit(tmp_path, monkeypatch, stream):
    put(monkeypatch, most_unpacked_gib=1 / 1024)
    rows = [f"{k % 97}.5,{k % 13}\n" for k in range(1000)]
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(("x,y\n" + "".join(rows)).encode()))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(("x,y\n" + "1.5,2\n2.5,1\n" * 200_000).encode()))
    said = r"b\.csv\.gz takes more than 0\.000976562 GiB unpacked, and more than 100 times its [0-9,]+ bytes"

    with pytest.raises(BychanceError, match=said):
        bc.rank(tmp_path, stream=stream)
    (tmp_path / "b.csv.gz").unlink()
    assert len(bc.rank(tmp_path, stream=stream)) == 1


def test_packed_text_beyond_the_limit_is_read_where_it_is_no_more_than_text_packs(tmp_path, monkeypatch):
    put(monkeypatch, most_unpacked_gib=1e-6)
    numbers = np.random.default_rng(1).normal(size=(2000, 2))
    text = "x,y\n" + "".join(f"{x:.5f},{y:.5f}\n" for x, y in numbers)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))

    assert bc.rank(tmp_path, stream=bc.Streaming(100))[0]["n"] == 2000


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
        figures(str(tmp_path / "t*.csv"), stream=bc.Streaming(SIZE))
    (tmp_path / "t9.csv").write_text("")
    with pytest.raises(BychanceError, match=r"t9\.csv is empty"):
        figures(str(tmp_path / "t*.csv"), stream=bc.Streaming(SIZE))


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
    assert isinstance(bc.rank(lazy, stream=bc.Streaming(SIZE)).to_frame(), pl.DataFrame)


def test_partitions_of_a_dask_frame_may_differ_in_type_and_are_not_loaded_to_tell(table):
    import dask
    import dask.dataframe as dd

    loaded, halves = [], [table.slice(start, HALF).select(["x", "y"]).to_pandas() for start in (0, HALF)]
    halves[0]["x"] = halves[0]["x"].astype("float32")
    halves[0]["word"], halves[1]["word"] = None, np.where(X > 0, "high", "low")

    def load(number):
        loaded.append(number)
        return halves[number]

    frame = dd.from_delayed(
        [dask.delayed(load)(k) for k in (0, 1)], meta=halves[0].iloc[:0], verify_meta=False
    )
    open_source(frame)
    assert loaded == []
    whole = joined_tables([pa.Table.from_pandas(half, preserve_index=False) for half in halves])
    assert_as_in_memory(frame, whole, n_figures=3)


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
        bc.rank(parts, stream=bc.Streaming(SIZE))


def test_a_part_that_lacks_a_column_is_named(parts, table):
    pq.write_table(table.slice(0, 100).drop_columns(["site"]), parts / "part-4.parquet")
    with pytest.raises(BychanceError, match=r"part-4\.parquet has no column 'site'"):
        bc.rank(parts, stream=bc.Streaming(SIZE))


def test_a_column_of_another_type_in_a_later_part_is_named(parts, table):
    odd = table.slice(0, 100).set_column(0, "x", pa.array(["a"] * 100))
    pq.write_table(odd, parts / "part-5.parquet")
    with pytest.raises(BychanceError, match=r"part-5\.parquet has 'x' as string.*have double"):
        bc.rank(parts, stream=bc.Streaming(SIZE))


HALF = N // 2
HASHES = np.random.default_rng(4).integers(-(2**63), 2**63 - 1, N, endpoint=True)
UNSIGNED = np.uint64(2**63) + (np.arange(HALF) % 8).astype(np.uint64) * np.uint64(2**60)
X = np.random.default_rng(5).normal(size=HALF).round(2)
WORDS = pa.array(np.where(X > 0, "high", "low"))
TYPES = {
    "float32 and float64": (np.float32(X), X + 1e-9),
    "integers and floats": (np.arange(HALF), HALF * X),
    "large integers and floats": (HASHES[:HALF], 2.0**62 * X),
    "signed and unsigned": (HASHES[:HALF], UNSIGNED),
    "null and numbers": (pa.nulls(HALF), X),
    "null and text": (pa.nulls(HALF), WORDS),
    "text and null": (WORDS, pa.nulls(HALF)),
    "text and categories": (WORDS, WORDS.dictionary_encode()),
    "decimals and integers": (pa.array(X).cast(pa.decimal128(9, 2), safe=False), np.arange(HALF)),
    "seconds and nanoseconds": (np.arange(HALF).astype("M8[s]"), (1e9 * X).astype("M8[ns]")),
}


def written(folder, suffix, *tables):
    """Write the tables as the files of a folder."""
    folder.mkdir()
    for k, each in enumerate(tables):
        if suffix == ".parquet":
            pq.write_table(each, folder / f"{k}.parquet")
        else:
            pa.feather.write_feather(each, folder / f"{k}{suffix}")
    return folder


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("case", TYPES)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_parts_of_different_types_have_the_common_type(tmp_path, table, suffix, case, is_reversed):
    halves = [table.slice(start, HALF).select(["x", "y"]) for start in (0, HALF)]
    parts = [half.append_column("odd", pa.array(odd)) for half, odd in zip(halves, TYPES[case], strict=True)]
    folder = written(tmp_path / "parts", suffix, *(parts[::-1] if is_reversed else parts))
    whole = joined_tables(parts[::-1] if is_reversed else parts)

    assert_as_in_memory(folder, whole, n_figures=3)
    assert_as_in_memory(ds.dataset(folder, format=suffix[1:]), whole, n_figures=3, target="odd")
    assert figures(folder, stream=False) == figures(whole)


def test_later_parts_of_more_digits_keep_them(tmp_path):
    rng = np.random.default_rng(0)
    x = 1e9 + rng.normal(size=N)
    y = x - 1e9 + rng.normal(size=N) / 20
    first = pa.table({"x": np.float32(x[:100]), "y": rng.normal(size=100)})
    folder = written(tmp_path / "parts", ".parquet", first, pa.table({"x": x, "y": y}))

    found = figures(folder, stream=bc.Streaming(SIZE))["x", "y"][1]

    whole = np.concatenate([np.float32(x[:100]), x]), np.concatenate([first["y"].to_numpy(), y])
    assert found == pytest.approx(np.corrcoef(*whole)[0, 1] ** 2, rel=1e-9)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_column_that_only_later_parts_have_is_told_and_may_be_dropped(tmp_path, table, suffix):
    more = table.append_column("more", table["x"])
    folder = written(tmp_path / "parts", suffix, table, more)
    said = r"0\.\w+ has no column 'more', which other parts have; drop=\['more'\] leaves it out"
    for source in (folder, ds.dataset(folder, format=suffix[1:])):
        for stream in (True, False):
            with pytest.raises(BychanceError, match=said):
                bc.rank(source, stream=stream and bc.Streaming(SIZE))
        assert figures(source, stream=bc.Streaming(SIZE), drop="more").keys() == figures(table).keys()


def test_a_dataset_without_some_columns_of_all_its_files_is_read_without_them(parts, table):
    few = ds.dataset(parts, schema=pa.schema([table.schema.field(name) for name in ("x", "site")]))
    assert_as_in_memory(few, table.select(["x", "site"]))


def test_text_of_a_dataset_is_parsed_as_the_common_type(tmp_path, table):
    (tmp_path / "0.csv").write_text("x,y\n" + "1,2\n3,4\n" * 50)
    (tmp_path / "1.csv").write_text("x,y\n" + "1.5,2\n0.5,4\n0.25,7\n" * 50)
    x, y = [1.0, 3.0] * 50 + [1.5, 0.5, 0.25] * 50, [2, 4] * 50 + [2, 4, 7] * 50

    assert_as_in_memory(ds.dataset(tmp_path, format="csv"), pa.table({"x": x, "y": y}))


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
        bc.rank(reader, stream=bc.Streaming(SIZE))


def test_files_of_two_formats_are_refused(parts):
    (parts / "more.csv").write_text("x,y\n1,2\n")
    with pytest.raises(BychanceError, match="files of one format, got Parquet and text"):
        bc.rank(parts)


def test_a_workbook_is_not_streamed(tmp_path):
    with pytest.raises(BychanceError, match="stream=True needs Parquet"):
        bc.rank(tmp_path / "book.xlsx", stream=True)


def test_an_unknown_column_is_named_before_anything_is_read(parts):
    with pytest.raises(BychanceError, match="Did you mean 'site'"):
        bc.rank(parts, stream=True, drop="sitte")
