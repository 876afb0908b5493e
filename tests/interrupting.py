"""A Ctrl-C at a known moment: once a process is at work, however busy the machine is.

Whoever starts tests in the background (`make test &`, nohup) has Ctrl-C ignored there and in all programs
that they start. So these set the handler themselves.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

_LOOK_S = 0.01


def once_at_work(
    act: Callable[[], object], begun: Callable[[], object] = lambda: True, cpu_s: float = 0.3
) -> Event:
    """Act from another thread once `begun` says so and this process has computed so long since.

    The action is skipped once the returned event is set.
    """
    over = Event()

    def watch() -> None:
        while not begun():
            if over.wait(_LOOK_S):
                return
        start = time.process_time()
        while time.process_time() - start < cpu_s:
            if over.wait(_LOOK_S):
                return
        act()

    Thread(target=watch, daemon=True).start()
    return over


@contextmanager
def ctrl_c_heard() -> Iterator[None]:
    """Let a Ctrl-C raise KeyboardInterrupt within."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted(
    begun: Callable[[], object] = lambda: True, cpu_s: float = 0.3
) -> Iterator[Callable[[], float]]:
    """Send this process a Ctrl-C once it is at work, and measure the CPU seconds that it used since."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    with ctrl_c_heard():
        over = once_at_work(send, begun, cpu_s)
        try:
            yield lambda: time.process_time() - sent[0]
        finally:
            over.set()
