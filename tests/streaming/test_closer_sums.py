"""Pairs whose sums cancel are summed again about their means on shared rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from tests.engine.settings import without

N = 4000


@pytest.fixture(scope="module")
def table():
    """Draw a sensor that ran for a tenth of the time, and two labels of those rows."""
    rng = np.random.default_rng(0)
    time = np.arange(N) + 1e-3 * rng.normal(size=N)
    is_on = (np.arange(N) >= 3000) & (np.arange(N) < 3400)
    reading = pa.array(1e-3 * time + 1e-2 * rng.normal(size=N), mask=~is_on)
    clock = 1e9 * (np.arange(N) - 3020) + time
    side = pa.array(np.where(time % 2 < 1, "even", "odd"), mask=~is_on)
    slow = np.where(is_on, 1e5 + (time - 3200) / 400 + rng.normal(size=N), rng.normal(size=N))
    return pa.table({"clock": clock, "reading": reading, "side": side, "slow": slow, "x": rng.normal(size=N)})


@pytest.fixture
def folder(table, tmp_path):
    for part in range(8):
        pq.write_table(table.slice(part * 500, 500), tmp_path / f"{part}.parquet")
    return tmp_path


def by_pair(ranking):
    return {(record["x"], record["y"]): record for record in ranking}


def test_they_have_the_figures_of_memory(table, folder):
    found = by_pair(bc.rank(folder, stream=bc.Streaming(500), null=bc.Auto(tails="none")))
    n_compared = 0
    for pair, record in by_pair(bc.rank(table, null=bc.Auto(tails="none"))).items():
        if "slow" not in pair or not {"reading", "side"} & set(pair):
            continue
        n_compared += 1
        assert found[pair]["note"] == record["note"]
        for name in ("n", "observed", "adjusted", "null_mean", "null_std", "p_value"):
            assert found[pair][name] == pytest.approx(record[name], rel=1e-9), (pair, name)
    assert n_compared == 3


def test_of_a_stream_that_can_be_read_once_the_sample_tells(table):
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=500))
    found = by_pair(bc.rank(reader, stream=bc.Streaming(2500), null=bc.Auto(tails="none")))
    assert "estimated from" in found["reading", "slow"]["note"]


def test_no_row_is_read_again_where_nothing_cancels(table, folder, monkeypatch):
    without(monkeypatch, "sums_of_cancelling_pairs")
    assert len(bc.rank(folder, stream=bc.Streaming(500), drop=["clock", "slow"])) > 0
