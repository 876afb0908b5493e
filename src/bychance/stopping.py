"""Cancellation: long work asks, between steps and in kernels, if anybody still waits for it."""

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
    """Ends the work of a thread whose results nobody waits for."""


@contextmanager
def wanted_until(stop: _native.Stop) -> Iterator[None]:
    """Stop the work of this thread once `stop` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def current_stop() -> _native.Stop | None:
    """Return the event that ends this thread's work, for kernels that may take long."""
    return _STOP.get()


def raise_if_stopped() -> None:
    """Raise Stopped if the work is no longer wanted.

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
    """Delay a Ctrl-C until foreign code that would lose it has ended."""
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
