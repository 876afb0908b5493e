"""Blocks through joblib, in order of arrival.

Where threads share memory a block is handed over as it is. Elsewhere it travels as bytes, so that each task
carries its own data: what a lost worker held is then lost to no other, and Dask sends it out again.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import Condition
from typing import Any

from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.ranking.block import Block, measure_block
from bychance.ranking.pair_rows import Measured

__all__ = ["measure_blocks"]

_PATIENCE_S = 1.0

MakeBlock = Callable[[], Block]
"""Makes a block when its turn has come: they are not all held at once."""


def measure_blocks(
    blocks: Mapping[int, MakeBlock], *, n_jobs: int | None, tick: Callable[[int], None]
) -> Iterator[tuple[int, Measured]]:
    """The rows of every block, as they are done; `tick` hears how many pairs are.

    An error of the measure itself is raised as it is.
    """
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, context_jobs = get_active_backend(prefer="threads")
    jobs = n_jobs or context_jobs or 1
    # A generator of tasks, so that blocks are made as their turn comes and not all at once.
    parallel = Parallel(
        n_jobs=jobs, prefer="threads", batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered"
    )
    with one_blas_thread():
        if jobs == 1:
            for number, make in blocks.items():
                yield number, measure_block(make(), tick)
        elif getattr(backend, "supports_sharedmem", False):
            crew = _Crew(tick)
            try:
                yield from parallel(delayed(crew.measure)(number, make) for number, make in blocks.items())
            finally:
                crew.dismiss()
        else:
            tasks = (delayed(_measure_packed)(number, _packed(make())) for number, make in blocks.items())
            for number, rows in parallel(tasks):
                tick(len(rows))
                yield number, rows


class _Stopped(Exception):
    """Ends the work of a thread whose results nobody waits for."""


class _Crew:
    """Blocks on threads of this process, which end their work once nobody waits for it."""

    def __init__(self, tick: Callable[[int], None]) -> None:
        self._tick, self._is_dismissed = tick, False
        self._n_at_work, self._changed = 0, Condition()

    def measure(self, number: int, make: MakeBlock) -> tuple[int, Measured]:
        """The rows of a block."""
        with self._changed:
            if self._is_dismissed:
                raise _Stopped
            self._n_at_work += 1
        try:
            return number, measure_block(make(), self._checked_tick)
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


def _measure_packed(number: int, packed: bytes) -> tuple[int, Measured]:
    with one_blas_thread():
        return number, measure_block(pickle.loads(packed))


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
