"""Blocks through joblib: in order of arrival, retried where a worker is lost.

Where threads share memory a block is handed over as it is. Elsewhere it travels as bytes, so that each task
carries its own data: what a lost worker held is then lost to no other.
"""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import Condition
from typing import Any

from bychance.errors import BychanceError, BychanceWarning
from bychance.names import first_line
from bychance.ranking.block import Block, measure_block
from bychance.ranking.pair_rows import Rows

__all__ = ["measure_blocks"]

_ATTEMPTS = 4
_PATIENCE_S = 1.0

MakeBlock = Callable[[], Block]
"""Makes a block when its turn has come: they are not all held at once."""


def measure_blocks(
    blocks: Mapping[int, MakeBlock], *, n_jobs: int | None, tick: Callable[[int], None]
) -> Iterator[tuple[int, Rows]]:
    """The rows of every block, as they are done; `tick` hears how many pairs are.

    A block whose worker is lost is sent out again, up to three times. An error of the measure itself is
    raised as it is.
    """
    left = dict(blocks)
    with one_blas_thread():
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                for number, outcome in _send_out(left, n_jobs, tick):
                    if isinstance(outcome, Exception):
                        raise _Failed from outcome
                    del left[number]
                    yield number, outcome
                return
            except _Failed as failed:
                raise failed.__cause__ or failed from None
            except BychanceError:
                raise
            except Exception as error:
                # Blocks answer with their own errors, so this one is of the workers.
                if attempt == _ATTEMPTS:
                    raise BychanceError(
                        f"{len(left)} blocks could not be finished in {_ATTEMPTS} attempts: "
                        f"{type(error).__name__}: {error}"
                    ) from error
                lost = f"A worker was lost ({type(error).__name__})"
                message = f"{lost}; {len(left)} blocks are sent out again."
                warnings.warn(message, BychanceWarning, stacklevel=2)


class _Stopped(Exception):
    """Ends the work of a thread whose results nobody waits for."""


class _Failed(Exception):
    """Carries an error that a block answered with, past the handling of lost workers."""


def _send_out(
    left: Mapping[int, MakeBlock], n_jobs: int | None, tick: Callable[[int], None]
) -> Iterator[tuple[int, Rows | Exception]]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, context_jobs = get_active_backend(prefer="threads")
    jobs = n_jobs or context_jobs or 1
    numbers = list(left)
    if jobs == 1:
        for number in numbers:
            yield number, _measure(left[number], tick)
        return
    # A generator of tasks, so that blocks are made as their turn comes and not all at once.
    parallel = Parallel(
        n_jobs=jobs, prefer="threads", batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered"
    )
    if getattr(backend, "supports_sharedmem", False):
        crew = _Crew(tick)
        try:
            yield from parallel(delayed(crew.measure)(number, left[number]) for number in numbers)
        finally:
            crew.dismiss()
        return
    tasks = (delayed(_measure_packed)(number, _packed(left[number]())) for number in numbers)
    for number, outcome in parallel(tasks):
        tick(len(outcome) if isinstance(outcome, Rows) else 0)
        yield number, outcome


class _Crew:
    """Blocks on threads of this process, which end their work once nobody waits for it."""

    def __init__(self, tick: Callable[[int], None]) -> None:
        self._tick, self._is_dismissed = tick, False
        self._n_at_work, self._changed = 0, Condition()

    def measure(self, number: int, make: MakeBlock) -> tuple[int, Rows | Exception]:
        """The rows of a block."""
        with self._changed:
            if self._is_dismissed:
                return number, _Stopped()
            self._n_at_work += 1
        try:
            return number, _measure(make, self._checked_tick)
        finally:
            with self._changed:
                self._n_at_work -= 1
                self._changed.notify_all()

    def dismiss(self) -> None:
        """End the work at the next pair, and wait a moment: a thread must not outlive the interpreter."""
        with self._changed:
            self._is_dismissed = True
            self._changed.wait_for(lambda: self._n_at_work == 0, timeout=_PATIENCE_S)

    def _checked_tick(self, steps: int) -> None:
        if self._is_dismissed:
            raise _Stopped
        self._tick(steps)


def _measure(make: MakeBlock, tick: Callable[[int], None]) -> Rows | Exception:
    try:
        return measure_block(make(), tick)
    except Exception as error:
        return error


def _measure_packed(number: int, packed: bytes) -> tuple[int, Rows | Exception]:
    with one_blas_thread():
        return number, _measure(lambda: pickle.loads(packed), lambda steps: None)


def _packed(block: Block) -> bytes:
    import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(block)
    except Exception as error:
        raise BychanceError(f"The measure cannot be sent to other processes: {first_line(error)}.") from None
    return packed


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """One thread for matrix products: more would change the last digits, and fight with `n_jobs`."""
    with _controller(os.getpid()).limit(limits=1, user_api="blas"):
        yield


@cache
def _controller(process: int) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
