"""Work on threads: in order, errors and all, and no further ahead than a few results."""

from __future__ import annotations

import threading
import time

import joblib
import pytest

from bychance.forest.threads import all_on_threads, on_threads


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


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_steps_of_any_length_give_results_in_order(n_jobs):
    def double(k):
        time.sleep(0.002 if k % 3 == 0 else 0)
        return (lambda: 2 * k) if k % 2 else 2 * k

    assert list(all_on_threads(double, range(50), n_jobs)) == [2 * k for k in range(50)]


def test_second_steps_wait_until_all_items_are_begun():
    begun = []

    def first(k):
        begun.append(k)
        return lambda: len(begun)

    assert list(all_on_threads(first, range(20), n_jobs=2)) == [20] * 20


def test_a_result_without_a_second_step_does_not_wait():
    is_taken = threading.Event()
    results = all_on_threads(lambda k: k if k == 0 else lambda: is_taken.wait(20), range(3), n_jobs=2)

    assert next(results) == 0
    is_taken.set()
    assert list(results) == [True, True]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_of_either_step_is_raised(n_jobs):
    with pytest.raises(ZeroDivisionError):
        list(all_on_threads(lambda k: 1 // (k - 4), range(9), n_jobs))
    with pytest.raises(ZeroDivisionError):
        list(all_on_threads(lambda k: lambda: 1 // (k - 4), range(9), n_jobs))
