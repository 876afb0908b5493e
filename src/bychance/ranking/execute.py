"""Tasks through joblib, in order of arrival: blocks of pairs, and their further draws.

Where threads share memory a task is handed over as it is. Elsewhere it travels as bytes, so that each task
carries its own data: what a lost worker held is then lost to no other, and Dask sends it out again.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from functools import cache
from threading import Condition
from typing import Any, Protocol, TypeVar

from bychance import _native
from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.stopping import Stopped, interrupts_after, wanted_until

__all__ = ["Task", "n_threads_of", "one_blas_thread", "run_tasks"]

_PATIENCE_S = 2.0  # eight threads that share a GPU end within 1.5

Result = TypeVar("Result", bound=Sized, covariant=True)


class Task(Protocol[Result]):
    """Work on some pairs that carries all it needs, so that it can run anywhere."""

    def run(self, tick: Callable[[int], None]) -> Result:
        """Do it; `tick` hears how many pairs are done."""


def run_tasks(
    tasks: Mapping[int, Callable[[], Task[Result]]],
    *,
    n_jobs: int | None,
    tick: Callable[[int], None],
    default_jobs: int = 1,
) -> Iterator[tuple[int, Result]]:
    """The results of all tasks, as they are done; `tick` hears how many pairs are.

    A task is made when its turn has come: they are not all held at once.

    An error of the measure itself is raised as it is.
    """
    jobs, backend = n_jobs or default_jobs, None
    # Unless joblib is loaded no `parallel_config` is in force; loading it takes longer than a small ranking.
    if jobs != 1 or (n_jobs is None and "joblib" in sys.modules):
        from joblib.parallel import get_active_backend

        backend, context_jobs = get_active_backend(prefer="threads")
        jobs = n_jobs or (context_jobs if context_jobs not in (None, 1) else default_jobs)
    with one_blas_thread():
        if jobs == 1:
            for number, make in tasks.items():
                yield number, make().run(tick)
        elif getattr(backend, "supports_sharedmem", False):
            crew = _Crew(tick)
            try:
                yield from _parallel(jobs, crew.run, tasks.items())
            finally:
                crew.dismiss()
        else:
            packed = ((number, _packed(make())) for number, make in tasks.items())
            for number, result in _parallel(jobs, _run_packed, packed):
                tick(len(result))
                yield number, result


def n_threads_of(n_jobs: int | None) -> int:
    """How many threads of this process `n_jobs` stands for."""
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), os.cpu_count() or 1)


def _parallel(jobs: int, call: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=jobs, prefer="threads", batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered"
    )
    done: Iterator[Any] = parallel(delayed(call)(*some) for some in arguments)
    return done


class _Crew:
    """Tasks on threads of this process, which end their work once nobody waits for it."""

    def __init__(self, tick: Callable[[int], None]) -> None:
        self._tick, self._stop = tick, _native.Stop()
        self._n_at_work, self._changed = 0, Condition()

    def run(self, number: int, make: Callable[[], Task[Result]]) -> tuple[int, Result]:
        """The result of a task."""
        with self._changed:
            if self._stop.is_set:
                raise Stopped
            self._n_at_work += 1
        try:
            with wanted_until(self._stop):
                return number, make().run(self._checked_tick)
        finally:
            with self._changed:
                self._n_at_work -= 1
                self._changed.notify_all()

    def dismiss(self) -> None:
        """End the work at once, and wait a moment: a thread must not outlive the interpreter."""
        with self._changed:
            self._stop.set()
            self._changed.wait_for(lambda: self._n_at_work == 0, timeout=_PATIENCE_S)

    def _checked_tick(self, steps: int) -> None:
        if self._stop.is_set:
            raise Stopped
        self._tick(steps)


def _run_packed(number: int, packed: bytes) -> tuple[int, Any]:
    with one_blas_thread():
        return number, pickle.loads(packed).run(lambda steps: None)


def _packed(task: Task[Any]) -> bytes:
    import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(task)
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

    with interrupts_after():  # it calls back from C, where exceptions end
        return ThreadpoolController()
