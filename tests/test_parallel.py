"""Work on threads: in order, errors and all, and no further ahead than a few results."""

from __future__ import annotations

import threading
import time

import joblib
import pytest

from bychance.parallel import on_threads


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5])
def test_results_come_in_the_order_of_the_items(n_jobs):
    def after_a_while(k):
        time.sleep(0.002 if k % 3 == 0 else 0)
        return k**2

    assert list(on_threads(after_a_while, range(50), n_jobs)) == [k**2 for k in range(50)]


def test_as_many_threads_run_as_jobs_are_wanted():
    both_there = threading.Barrier(2, timeout=20)

    assert sorted(on_threads(lambda _: both_there.wait(), range(2), n_jobs=2)) == [0, 1]
    with joblib.parallel_config("threading", n_jobs=2):
        assert sorted(on_threads(lambda _: both_there.wait(), range(2), n_jobs=None)) == [0, 1]


def test_an_error_ends_the_work():
    done = []

    def fail_at_three(k):
        if k == 3:
            raise ValueError("three")
        time.sleep(0.001)
        done.append(k)

    with pytest.raises(ValueError, match="three"):
        list(on_threads(fail_at_three, range(1_000), n_jobs=2))
    assert len(done) < 1_000


def test_items_are_taken_as_results_are():
    taken = []
    results = on_threads(lambda k: k, (taken.append(k) or k for k in range(100)), n_jobs=2)
    next(results)

    assert len(taken) < 20
    assert list(results) == list(range(1, 100))


def test_work_that_is_given_up_ends_quietly(capfd):
    results = on_threads(lambda k: time.sleep(0.01), range(40), n_jobs=2)
    next(results)
    results.close()
    time.sleep(0.1)

    assert capfd.readouterr().err == ""
