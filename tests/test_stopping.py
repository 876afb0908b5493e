"""A Ctrl-C is never lost, and threads end in the middle of a kernel."""

from __future__ import annotations

import signal
import time
from threading import Event, Thread

import numpy as np
import pytest

from bychance import _native
from bychance.parallel import Pool, Stopped, interrupts_after, raise_if_stopped, wanted_until
from tests.engine.nulls import draw_statistics
from tests.interrupting import ctrl_c_heard, once_at_work


@pytest.fixture(autouse=True)
def _heard():
    with ctrl_c_heard():
        yield


def test_an_interrupt_comes_after_what_would_lose_it():
    steps = []

    def work():
        with interrupts_after():
            signal.raise_signal(signal.SIGINT)
            steps.append("within")
        steps.append("after")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["within"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_comes_after_an_error_too():
    def fail():
        with interrupts_after():
            signal.raise_signal(signal.SIGINT)
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_handlers_that_raise_nothing_stay():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_after():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_handlers_alone():
    seen = []

    def work():
        with interrupts_after():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()

    assert seen == [signal.default_int_handler]


def test_work_goes_on_until_its_stop_is_set():
    stop = _native.Stop()
    with wanted_until(stop):
        raise_if_stopped()
        stop.set()
        with pytest.raises(Stopped):
            raise_if_stopped()
    raise_if_stopped()  # no longer asked


def test_a_pool_that_is_dismissed_leaves_its_kernel():
    pool, begun = Pool(1), Event()

    def draw_for_hours():
        begun.set()
        variable = _native.MicVariable(np.arange(2000.0), 0.6, 15.0, "mic")
        statistic = _native.Statistic.mic(variable, variable)
        return draw_statistics("cpu", [statistic], [_native.Permutations.free((1, 2), 2000)], 0, 1 << 20)

    drawn = pool.submit(draw_for_hours)
    once_at_work(pool.dismiss, begun.is_set)

    with pytest.raises(RuntimeError, match="stopped by another thread"):
        drawn.result(timeout=300)


def test_a_pool_that_is_dismissed_begins_nothing_more():
    pool, begun, is_over = Pool(1), Event(), Event()
    first = pool.submit(lambda: (begun.set(), is_over.wait(20)))
    later = [pool.submit(is_over.wait, 20) for _ in range(3)]
    begun.wait(20)
    Thread(target=pool.dismiss).start()
    while not all(future.cancelled() for future in later):
        time.sleep(0.001)
    is_over.set()

    assert first.result(timeout=20)
