"""Blocks on threads, processes and a cluster: the same answer, also after a lost worker."""

from __future__ import annotations

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from tests.engine.ranking import packed_block, plan_of, progress_of, ranked, run_packed

OPTIONS = {"measure": "kendall", "null": bc.Permutation(29), "block_size": 6}
pytestmark = pytest.mark.filterwarnings("ignore:29 permutations are too few")


@pytest.fixture
def numbers(rng):
    return {f"c{k}": rng.normal(size=30) for k in range(9)}


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_backends_of_joblib_give_the_same(numbers, backend):
    alone = ranked(numbers, **OPTIONS).to_frame()
    with joblib.parallel_config(backend, n_jobs=2):
        assert ranked(numbers, **OPTIONS).to_frame().equals(alone)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same(numbers, cluster):
    alone = ranked(numbers, **OPTIONS).to_frame()
    with joblib.parallel_config("dask"):
        assert ranked(numbers, **OPTIONS).to_frame().equals(alone)


def slowly(x, y):
    time.sleep(0.002)
    return float(abs(np.corrcoef(x, y)[0, 1]))


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_still_answers_whole(numbers, cluster):
    options = OPTIONS | {"measure": slowly}
    alone = ranked(numbers, **options).to_frame()
    worker = next(iter(cluster.run(os.getpid).values()))
    killer = threading.Timer(0.5, os.kill, (worker, signal.SIGKILL))
    with joblib.parallel_config("dask"):
        killer.start()
        found = ranked(numbers, **options).to_frame()
    killer.join()

    assert worker not in cluster.run(os.getpid).values(), "the worker was killed while it worked"
    assert found.equals(alone)


def test_each_task_carries_its_own_data(numbers):
    """Dask scatters large arguments that can be referred to weakly, which bytes cannot."""
    packed = packed_block(plan_of(numbers, **OPTIONS), 0)
    number, rows = run_packed(packed, 3)

    assert isinstance(packed, bytes)
    assert (number, len(rows)) == (3, len(plan_of(numbers, **OPTIONS).numbers(0)))


def test_a_measure_that_cannot_travel_is_named(numbers):
    lock = threading.Lock()

    def locked(x, y):
        with lock:
            return 0.5

    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(BychanceError, match="cannot be sent to other processes"),
    ):
        ranked(numbers, measure=locked, null=bc.Permutation(19))


@pytest.mark.parametrize(("options", "is_shared_out"), [({}, True), ({"n_jobs": 1}, False)])
def test_a_configured_number_of_jobs_holds_unless_one_is_given(numbers, options, is_shared_out):
    threads = set()

    def noted(x, y):
        threads.add(threading.get_ident())
        return 0.5

    with joblib.parallel_config("threading", n_jobs=2):
        ranked(numbers, measure=noted, null=bc.Permutation(19), block_size=2, **options)

    assert (threads != {threading.get_ident()}) == is_shared_out


def test_progress_counts_every_pair(numbers):
    for n_jobs in (1, 2):
        plan = plan_of(numbers, **OPTIONS)
        assert sum(progress_of(plan, n_jobs)) == len(plan.pairs) == 36
