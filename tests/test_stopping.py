"""A Ctrl-C is never lost, and threads end in the middle of a kernel."""

from __future__ import annotations

import signal
from threading import Event, Thread

import numpy as np
import pytest

from bychance import _native
from bychance.stopping import Stopped, interrupts_after, raise_if_stopped, wanted_until
from tests.engine.nulls import draw_statistics
from tests.engine.ranking import Crew
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


class LongDraws:
    """Hours of draws in one native call."""

    def run(self, tick):
        variable = _native.MicVariable(np.arange(2000.0), 0.6, 15.0, "mic")
        statistic = _native.Statistic.mic(variable, variable)
        return draw_statistics("cpu", [statistic], [_native.Repairings.free((1, 2), 2000)], 0, 1 << 20)


def test_a_crew_that_is_dismissed_leaves_its_kernel():
    crew, ended = Crew(lambda steps: None), []
    begun = Event()

    def begin():
        begun.set()
        return LongDraws()

    def work():
        try:
            crew.run(0, begin)
        except Exception as error:
            ended.append(str(error))

    thread = Thread(target=work, daemon=True)
    thread.start()
    once_at_work(crew.dismiss, begun.is_set)
    thread.join(timeout=300)

    assert not thread.is_alive()
    assert ended == ["stopped by another thread"]
