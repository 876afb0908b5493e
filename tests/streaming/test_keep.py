"""An interrupted run over many parts goes on from the parts that are done."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.streaming.read import PartTask

OPTIONS = {"stream": True, "sample_rows": 100}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("bychance.streaming.read.HEAD_ROWS", 20)  # part 2 is not among the first looked at
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
    """The names of the parts that are read into sums."""
    names, run = [], PartTask.run

    def watched(self, tick):
        names.append(self.part.name.rpartition("/")[2])
        return run(self, tick)

    monkeypatch.setattr(PartTask, "run", watched)
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


@pytest.mark.parametrize("change", ["options", "a part", "no resume"])
def test_other_options_or_another_part_begin_anew(folder, tmp_path, reads, change):
    whole, out = pq.read_table(folder / "2.parquet"), tmp_path / "pairs.csv"
    break_part(folder / "2.parquet", whole)
    with pytest.raises(BychanceError):
        bc.rank_to_file(folder, out, **OPTIONS)
    pq.write_table(whole, folder / "2.parquet")
    options = dict(OPTIONS, resume=change != "no resume")
    if change == "options":
        options["sample_rows"] = 90
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
    run = PartTask.run

    def interrupted(self, tick):
        if self.number == 2:
            raise KeyboardInterrupt
        return run(self, tick)

    with monkeypatch.context() as patch:
        patch.setattr(PartTask, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bc.rank_to_file(folder, tmp_path / "pairs.csv", **OPTIONS)
    reads.clear()
    bc.rank_to_file(folder, tmp_path / "pairs.csv", resume=True, **OPTIONS)
    assert reads == ["2.parquet", "3.parquet", "4.parquet"]
