"""Whether anybody still waits for what a thread computes: long work asks between its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Stopped", "raise_if_stopped", "wanted_until"]

_IS_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("is_stopped", default=lambda: False)


class Stopped(Exception):
    """Ends the work of a thread whose results nobody waits for."""


@contextmanager
def wanted_until(is_stopped: Callable[[], bool]) -> Iterator[None]:
    """Work of this thread within ends once `is_stopped` says so."""
    token = _IS_STOPPED.set(is_stopped)
    try:
        yield
    finally:
        _IS_STOPPED.reset(token)


def raise_if_stopped() -> None:
    """Raise Stopped where nobody waits any more.

    >>> with wanted_until(lambda: True):
    ...     raise_if_stopped()
    Traceback (most recent call last):
        ...
    bychance.stopping.Stopped
    """
    if _IS_STOPPED.get()():
        raise Stopped
