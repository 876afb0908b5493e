"""Work on threads: in order, errors and all, and no further ahead than a few results."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import joblib
import pytest

from bychance.parallel import in_two_steps, on_threads


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


def in_pairs(n):
    return [[k, k + 1] for k in range(0, n, 2)]


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("n_urgent", [0, 3, 100])
def test_two_steps_give_results_in_order(n_jobs, n_urgent):
    def double(k):
        time.sleep(0.002 if k % 3 == 0 else 0)
        return 2 * k

    results = in_two_steps(double, tuple, in_pairs(50), n_jobs, n_urgent=n_urgent)
    assert list(results) == [(2 * k, 2 * k + 2) for k in range(0, 50, 2)]


def test_second_steps_wait_until_all_first_steps_are_begun():
    begun, are_all_given = [], threading.Event()

    def groups():
        yield from in_pairs(20)
        are_all_given.set()

    def first(k):
        begun.append(k)
        are_all_given.wait(20)
        time.sleep(0.002)

    seen = list(in_two_steps(first, lambda _: len(begun), groups(), n_jobs=2))
    assert min(seen) >= 19, "the other thread may be about to begin the last"


def test_urgent_second_steps_do_not_wait():
    is_taken = threading.Event()

    def first(k):
        return k if k < 2 else is_taken.wait(20)

    results = in_two_steps(first, tuple, in_pairs(6), n_jobs=3, n_urgent=1)

    assert next(results) == (0, 1)
    is_taken.set()
    assert list(results) == [(True, True)] * 2


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_urgent", [0, 9])
def test_an_error_of_either_step_is_raised(n_jobs, n_urgent):
    def fail(*_):
        raise ZeroDivisionError

    for steps in [(fail, tuple), (abs, fail)]:
        with pytest.raises(ZeroDivisionError):
            list(in_two_steps(*steps, in_pairs(9), n_jobs, n_urgent=n_urgent))


def test_work_that_is_given_up_ends_quietly(capfd):
    results = in_two_steps(lambda k: time.sleep(0.01), len, in_pairs(40), n_jobs=2)
    next(results)
    results.close()
    time.sleep(0.1)

    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("n_urgent", [0, 10])
def test_results_that_were_taken_are_gone(n_urgent):
    class Large(list):
        pass

    gc.disable()
    try:
        results = in_two_steps(abs, Large, in_pairs(20), n_jobs=2, n_urgent=n_urgent)
        references = [weakref.ref(result) for result in results]
        assert [reference() for reference in references[:-1]] == [None] * 9
    finally:
        gc.enable()
