"""An interrupted run over many parts goes on from the parts that are done."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from bychance.io.dialect import Layout
from tests.engine.settings import own, put
from tests.engine.streams import SavedSums, open_source

OPTIONS = {"stream": bc.Streaming(100)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    put(monkeypatch, head_rows=20)  # part 2 is not among the first looked at
    rng, folder = np.random.default_rng(0), tmp_path / "events"
    folder.mkdir()
    for k in range(5):
        x = rng.normal(size=200)
        pq.write_table(
            pa.table({"x": x, "y": x + rng.normal(size=200), "z": rng.normal(size=200)}),
            folder / f"{k}.parquet",
        )
    return folder


@pytest.fixture
def reads(monkeypatch):
    """Record the names of the parts that are read into sums."""
    names, run = [], own("read_part")

    def watched(self, tick):
        names.append(self.part.name.rpartition("/")[2])
        return run(self, tick)

    put(monkeypatch, read_part=watched)
    return names


def break_part(path, table):
    odd = table.set_column(0, "x", pa.array(["a"] * table.num_rows))
    pq.write_table(odd, path)


def test_a_mended_part_is_all_that_is_left_to_read(folder, tmp_path, reads):
    whole, out = pq.read_table(folder / "2.parquet"), tmp_path / "pairs.csv"
    expected = bc.rank(folder, **OPTIONS).to_frame().to_pylist()
    break_part(folder / "2.parquet", whole)
    reads.clear()
    with pytest.raises(BychanceError, match=r"2\.parquet has 'x' as string"):
        bc.rank_to_file(folder, out, **OPTIONS)
    assert not out.exists()
    assert (tmp_path / ".pairs.csv.sums").exists()
    pq.write_table(whole, folder / "2.parquet")
    reads.clear()
    found = bc.rank_to_file(folder, out, resume=True, **OPTIONS).to_frame().to_pylist()
    assert reads == ["2.parquet", "3.parquet", "4.parquet"]
    assert [record["observed"] for record in found] == pytest.approx(
        [record["observed"] for record in expected]
    )
    assert out.exists()
    assert not (tmp_path / ".pairs.csv.sums").exists()


@pytest.mark.parametrize("change", ["options", "a part", "no resume", "version"])
def test_other_options_or_another_part_begin_anew(folder, tmp_path, reads, change, monkeypatch):
    whole, out = pq.read_table(folder / "2.parquet"), tmp_path / "pairs.csv"
    break_part(folder / "2.parquet", whole)
    with monkeypatch.context() as earlier:
        if change == "version":
            earlier.setattr(bc, "__version__", "0.0.9")
        with pytest.raises(BychanceError):
            bc.rank_to_file(folder, out, **OPTIONS)
    pq.write_table(whole, folder / "2.parquet")
    options = dict(OPTIONS, resume=change != "no resume")
    if change == "options":
        options["stream"] = bc.Streaming(90)
    if change == "a part":
        pq.write_table(whole, folder / "0.parquet")
    reads.clear()
    bc.rank_to_file(folder, out, **options)
    assert reads == [f"{k}.parquet" for k in range(5)]


def test_a_damaged_file_of_sums_is_not_used(folder, tmp_path, reads):
    whole, out = pq.read_table(folder / "2.parquet"), tmp_path / "pairs.csv"
    break_part(folder / "2.parquet", whole)
    with pytest.raises(BychanceError):
        bc.rank_to_file(folder, out, **OPTIONS)
    pq.write_table(whole, folder / "2.parquet")
    kept = tmp_path / ".pairs.csv.sums"
    kept.write_bytes(kept.read_bytes()[:-40])
    reads.clear()
    bc.rank_to_file(folder, out, resume=True, **OPTIONS)
    assert len(reads) == 5


def test_ctrl_c_keeps_what_is_done(folder, tmp_path, reads, monkeypatch):
    run = own("read_part")

    def interrupted(self, tick):
        if self.number == 2:
            raise KeyboardInterrupt
        return run(self, tick)

    with monkeypatch.context() as patch:
        put(patch, read_part=interrupted)
        with pytest.raises(KeyboardInterrupt):
            bc.rank_to_file(folder, tmp_path / "pairs.csv", **OPTIONS)
    reads.clear()
    bc.rank_to_file(folder, tmp_path / "pairs.csv", resume=True, **OPTIONS)
    assert reads == ["2.parquet", "3.parquet", "4.parquet"]


def rows(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=900)
    return pa.table({"x": x, "y": x + rng.normal(size=900), "z": rng.choice(["a", "b"], 900)})


def of_polars(table):
    import polars as pl

    return pl.from_arrow(table).lazy()


def of_dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(table.to_pandas(), npartitions=3)


def of_duckdb(table):
    import duckdb

    connection = duckdb.connect()
    connection.register("rows", table)
    return connection.table("rows")


def in_memory_filesystem(table):
    fsspec.filesystem("memory").pipe({f"/kept/{k}.parquet": parquet_bytes(table, k) for k in range(3)})
    return "memory://kept"


def parquet_bytes(table, k):
    sink = pa.BufferOutputStream()
    pq.write_table(table.slice(300 * k, 300), sink)
    return sink.getvalue().to_pybytes()


def text_in_memory_filesystem(table):
    sink = pa.BufferOutputStream()
    pa.csv.write_csv(table, sink)
    fsspec.filesystem("memory").pipe("/kept/rows.csv", sink.getvalue().to_pybytes())
    return "memory://kept/rows.csv"


def dataset_on_filesystem(table):
    in_memory_filesystem(table)
    return ds.dataset("/kept", filesystem=fsspec.filesystem("memory"))


NAMELESS = {
    "a reader": pa.Table.to_reader,
    "a frame": lambda table: table,
    "a dataset in memory": ds.dataset,
    "a lazy frame": of_polars,
    "a Dask frame": of_dask,
    "a DuckDB relation": of_duckdb,
}
STAMPED = {
    "a URL": in_memory_filesystem,
    "a URL of text": text_in_memory_filesystem,
    "a dataset on a filesystem": dataset_on_filesystem,
}


@pytest.fixture
def memory_filesystem():
    yield
    if fsspec.filesystem("memory").exists("/kept"):
        fsspec.filesystem("memory").rm("/kept", recursive=True)


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """Stop runs to a file once all rows are summed."""

    def stop(source):
        with monkeypatch.context() as patch:
            put(patch, measure_all=interrupted)
            with pytest.raises(KeyboardInterrupt):
                bc.rank_to_file(source, tmp_path / "pairs.csv", **OPTIONS)
        return tmp_path / "pairs.csv"

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    return stop


def observed(ranking):
    return {(record["x"], record["y"]): record["observed"] for record in ranking}


@pytest.mark.parametrize("door", STAMPED)
def test_sums_of_other_files_are_not_taken(stopped, memory_filesystem, door):
    expected = observed(bc.rank(STAMPED[door](rows(2)), **OPTIONS))
    out = stopped(STAMPED[door](rows(1)))

    found = bc.rank_to_file(STAMPED[door](rows(2)), out, resume=True, **OPTIONS)
    assert observed(found) == pytest.approx(expected)


@pytest.mark.parametrize("door", NAMELESS)
def test_rows_that_nothing_tells_from_others_are_read_again_and_that_is_said(stopped, door):
    expected = observed(bc.rank(NAMELESS[door](rows(2)), **OPTIONS))
    out = stopped(NAMELESS[door](rows(1)))
    assert not list(out.parent.glob(".*.sums"))

    with pytest.warns(BychanceWarning, match="has no size and time of change .*all rows are read anew"):
        found = bc.rank_to_file(NAMELESS[door](rows(2)), out, resume=True, **OPTIONS)
    assert observed(found) == pytest.approx(expected)


@pytest.mark.parametrize("door", STAMPED)
def test_files_of_filesystems_are_known_again(stopped, memory_filesystem, reads, door):
    source = STAMPED[door](rows(1))
    out = stopped(source)
    n_read = len(reads)
    bc.rank_to_file(source, out, resume=True, **OPTIONS)

    assert len(reads) == n_read > 0


@pytest.mark.parametrize("other", [{"skip_rows": 2}, {"names": ["x", "y"], "has_header": False}])
def test_text_that_is_cut_otherwise_is_another_part(tmp_path, other):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{k},{k % 3}\n" for k in range(30)))
    first, same, cut = (
        open_source(tmp_path / "t.csv", layout).parts[0].stamp()
        for layout in (Layout(), Layout(), replace(Layout(), **other))
    )

    assert first == same != cut


@pytest.mark.parametrize("resume", [False, True])
def test_what_a_kill_left_of_sums_is_removed(folder, tmp_path, resume):
    left, other = tmp_path / "..pairs.csv.sums.0123abcd", tmp_path / "..pairs.csv.sums.of mine"
    for path in (left, other):
        path.write_bytes(b"half")
    SavedSums(tmp_path / ".pairs.csv.sums", resume=resume)

    assert not left.exists()
    assert other.exists()


@pytest.mark.slow
def test_a_kill_while_sums_are_written_leaves_nothing_to_the_next_run(folder, tmp_path):
    code = (
        "import os, sys, bychance as bc, bychance.sealed_files as files\n"
        "files.os.fsync = lambda file: os.kill(os.getpid(), 9)\n"
        "bc.rank_to_file(sys.argv[1], sys.argv[2], stream=bc.Streaming(100))"
    )
    out = tmp_path / "pairs.csv"
    killed = subprocess.run([sys.executable, "-c", code, str(folder), str(out)], check=False)
    left = [path.name for path in tmp_path.iterdir()]
    assert killed.returncode == -9
    assert any(name.startswith("..pairs.csv.sums.") for name in left)

    bc.rank_to_file(folder, out, resume=True, **OPTIONS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "pairs.csv"]
