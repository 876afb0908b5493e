"""Parts that are read by the workers of a cluster: the numbers of one process, whoever is lost."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bychance as bc
from tests.engine.settings import own, put, without

joblib = pytest.importorskip("joblib")
distributed = pytest.importorskip("distributed")

OPTIONS = {"stream": bc.Streaming(100)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("events")
    for k in range(12):
        x = rng.normal(size=4000)
        site = rng.choice(["north", "south", "west"], 4000)
        columns = {"x": x, "y": x + rng.normal(size=4000), "site": site, "z": rng.normal(size=4000)}
        pq.write_table(pa.table(columns), folder / f"{k:02}.parquet")
    return folder


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def figures(source, **options):
    records = list(bc.rank(source, **{"null": bc.Auto(tails="none"), **OPTIONS, **options}))
    return {(r["x"], r["y"]): [r["n"], r["observed"], r["adjusted"], r["p_value"]] for r in records}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for pair, values in expected.items():
        assert found[pair] == pytest.approx(values, rel=1e-10, abs=1e-14)


def test_two_workers_give_the_numbers_of_one_process(folder, client, monkeypatch):
    expected = figures(folder)
    # Parts must not take the way of blocks, on which every result comes back by itself.
    without(monkeypatch, "run_parts")
    with joblib.parallel_config("dask"):
        found = figures(folder)
    assert_same(found, expected)


@pytest.mark.parametrize("target", [None, "y"])
def test_wide_tables_are_split_by_columns_too(folder, client, monkeypatch, target):
    expected = figures(folder, target=target)
    put(monkeypatch, tile_columns=2)
    runs, join = [], own("join_on_dask")
    put(monkeypatch, join_on_dask=lambda *tree: runs.append(tree) or join(*tree))
    with joblib.parallel_config("dask"):
        found = figures(folder, target=target)
    assert len(runs) == (6 if target is None else 3)
    assert_same(found, expected)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # inside Dask
def test_a_dask_data_frame_is_read_partition_by_partition(folder, client):
    import dask.dataframe as dd

    frame = dd.read_parquet(folder)
    with joblib.parallel_config("dask"):
        found = figures(frame)
    assert_same(found, figures(folder))
    assert_same(figures(frame), figures(folder))


def test_a_worker_that_is_killed_changes_nothing(folder, client):
    pids = list(client.run(os.getpid).values())

    def kill():
        time.sleep(0.2)
        os.kill(pids[0], signal.SIGKILL)

    threading.Thread(target=kill).start()
    with joblib.parallel_config("dask"):
        found = figures(folder)
    assert_same(found, figures(folder))
