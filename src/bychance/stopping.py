"""Cancellation of long work: threads and kernels check a stop event between steps."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import current_thread, main_thread
from typing import Any

from bychance import _native

__all__ = ["Stopped", "current_stop", "interrupts_after", "raise_if_stopped", "wanted_until"]

_STOP: ContextVar[_native.Stop | None] = ContextVar("stop", default=None)


class Stopped(Exception):
    """Exception that ends a thread whose results are no longer needed."""


@contextmanager
def wanted_until(stop: _native.Stop) -> Iterator[None]:
    """Stop this thread's work inside the context once `stop` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def current_stop() -> _native.Stop | None:
    """Return the stop event of this thread's work, to pass to slow kernels, or None."""
    return _STOP.get()


def raise_if_stopped() -> None:
    """Raise Stopped if this thread's stop event is set.

    >>> stop = _native.Stop()
    >>> stop.set()
    >>> with wanted_until(stop):
    ...     raise_if_stopped()
    Traceback (most recent call last):
        ...
    bychance.stopping.Stopped
    """
    stop = _STOP.get()
    if stop is not None and stop.is_set:
        raise Stopped


@contextmanager
def interrupts_after() -> Iterator[None]:
    """Delay a Ctrl-C to the end of the context, for foreign code that would lose it."""
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):  # nothing is raised here
        yield
        return
    seen: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda *interrupt: seen.append(interrupt))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if seen:
            before(*seen[-1])
