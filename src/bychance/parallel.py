"""Work on threads of this process, or through joblib if its user configured processes or a cluster.

joblib sets the number of jobs. Threads are run here, because joblib polls for results only a hundred times
per second. Work on threads ends once nobody waits for it, even inside a kernel: threads and
kernels check a stop event between steps.

Tasks are sent to other processes as bytes with their own data, so that Dask can resend the tasks of a lost
worker.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from queue import SimpleQueue
from threading import Condition, current_thread, main_thread
from types import TracebackType
from typing import Any, Protocol, TypeVar

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.names import first_line

__all__ = [
    "Jobs",
    "JointSample",
    "Pool",
    "Stopped",
    "Task",
    "Workers",
    "added_on_dask",
    "current_stop",
    "dask_client",
    "jobs_of",
    "n_threads_of",
    "on_joblib",
    "on_threads",
    "one_blas_thread",
    "raise_if_stopped",
    "run_tasks",
    "wanted_until",
]

_AHEAD = 2  # tasks per thread that are begun before a result is taken (taste)
_PATIENCE_S = 2.0  # seconds until cancelled work must have ended (eight threads that share a GPU take 1.5)

Item = TypeVar("Item")
Found = TypeVar("Found")
Result = TypeVar("Result")
Sums = TypeVar("Sums")
Counted = TypeVar("Counted", bound=Sized, covariant=True)

_STOP: ContextVar[_native.Stop | None] = ContextVar("stop", default=None)

_FIRST_BLOCK = 16  # draws of the first block, before the time per draw is known (taste)
_BLOCK_S = 0.01  # seconds of work per block: short to finish together, longer than a kernel call (taste)


class Task(Protocol[Counted]):
    """Computation for some pairs that carries all its data, so that any process can run it."""

    def run(self, tick: Callable[[int], None]) -> Counted:
        """Return the result, calling `tick` with the number of newly finished pairs."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Options of parallel work: the number of jobs, and a flag to show progress."""

    n_jobs: int | None = None
    progress: bool = False


@dataclass(frozen=True)
class Jobs:
    """Number of parallel jobs, and a flag that is True if they are threads of this process."""

    n: int
    share_memory: bool


def jobs_of(n_jobs: int | None, default: int = 1, *, only_threads: bool = False) -> Jobs:
    """Return the number of parallel jobs for `n_jobs`. None takes joblib's configuration or `default`."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise BychanceError(
            Option("n_jobs") + f" must be a number of threads, or -1 for one per core, got {n_jobs!r}."
        )
    jobs = n_jobs or default
    # Unless joblib is loaded no `parallel_config` is in force. Loading it takes longer than a small ranking.
    if jobs == 1 and (n_jobs is not None or "joblib" not in sys.modules):
        return Jobs(1, share_memory=True)
    from joblib.parallel import get_active_backend

    wanted = {"require": "sharedmem"} if only_threads else {"prefer": "threads"}
    backend, of_context = get_active_backend(**wanted)
    jobs = n_jobs or (default if of_context in (None, 1) else of_context)
    return Jobs(int(backend.effective_n_jobs(jobs)), getattr(backend, "supports_sharedmem", False))


def n_threads_of(n_jobs: int | None) -> int:
    """Return the number of threads of this process for `n_jobs`."""
    return jobs_of(n_jobs, only_threads=True).n


class Pool:
    """Thread pool that cancels unfinished work at the end of its `with` block."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._threads, self._stop = ThreadPoolExecutor(n_threads), _native.Stop()
        self._n_at_work, self._changed = 0, Condition()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def submit(self, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """Start the function on a thread and return its future."""
        return self._threads.submit(self._call, function, *args)

    def dismiss(self) -> None:
        """Cancel all work, and wait a moment for running calls to stop."""
        with self._changed:
            self._stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            self._changed.wait_for(lambda: self._n_at_work == 0, timeout=_PATIENCE_S)

    def _call(self, function: Callable[..., Result], *args: Any) -> Result:
        with self._changed:
            if self._stop.is_set:
                raise Stopped
            self._n_at_work += 1
        try:
            with wanted_until(self._stop):
                return function(*args)
        finally:
            with self._changed:
                self._n_at_work -= 1
                self._changed.notify_all()


def run_tasks(
    tasks: Mapping[int, Callable[[], Task[Counted]]],
    *,
    n_jobs: int | None,
    tick: Callable[[int], None],
    default_jobs: int = 1,
) -> Iterator[tuple[int, Counted]]:
    """Yield (number, result) of each task as it finishes, calling `tick` with the number of finished pairs.

    Each task is created only when its turn has come, so that few are in memory. An error of the measure
    itself is raised unchanged.
    """
    jobs = jobs_of(n_jobs, default_jobs)

    def checked_tick(steps: int) -> None:
        raise_if_stopped()
        tick(steps)

    def run(task: tuple[int, Callable[[], Task[Counted]]]) -> tuple[int, Counted]:
        number, make = task
        return number, make().run(checked_tick)

    with one_blas_thread():
        if jobs.n == 1:
            yield from map(run, tasks.items())
        elif jobs.share_memory:
            with Pool(jobs.n) as pool:
                yield from _as_done(pool, run, tasks.items())
        else:
            packed = ((number, _packed(make())) for number, make in tasks.items())
            for number, result in on_joblib(_run_packed, packed, jobs.n, is_ordered=False):
                tick(len(result))
                yield number, result


def _as_done(pool: Pool, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    done, n_open = SimpleQueue[Future[Result]](), 0
    for item in items:
        pool.submit(function, item).add_done_callback(done.put)
        n_open += 1
        if n_open == _AHEAD * pool.n_threads:
            yield done.get().result()
            n_open -= 1
    for _ in range(n_open):
        yield done.get().result()


def on_joblib(
    function: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    is_ordered: bool,
) -> Iterator[Result]:
    """Yield the function's result for each tuple of arguments, computed by joblib's configured backend."""
    from joblib import Parallel, delayed

    kind = "generator" if is_ordered else "generator_unordered"
    parallel = Parallel(
        n_jobs=n_jobs, prefer="threads", batch_size=1, pre_dispatch=f"{_AHEAD}*n_jobs", return_as=kind
    )
    found: Iterator[Result] = parallel(delayed(function)(*some) for some in arguments)
    return found


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


def on_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None, *, ahead: float = 4
) -> Generator[Result, None, None]:
    """Yield the function's result for each item, in order, computed on threads.

    Up to `ahead` items per thread are started in advance.

    >>> list(on_threads(abs, [-2, 3], n_jobs=2))
    [2, 3]
    """
    if (n_threads := n_threads_of(n_jobs)) == 1:
        yield from map(function, items)
        return
    begun: deque[Future[Result]] = deque()
    with Pool(n_threads) as pool:
        for item in items:
            if len(begun) >= ahead * n_threads:
                yield begun.popleft().result()
            begun.append(pool.submit(function, item))
        while begun:
            yield begun.popleft().result()


def dask_client() -> Any:
    """Return the Dask client of `joblib.parallel_config("dask")`, or None."""
    from joblib.parallel import get_active_backend

    return getattr(get_active_backend()[0], "client", None)


def added_on_dask(
    client: Any,
    groups: Iterable[Sequence[Item]],
    run: Callable[[Item], Sums],
    add: Callable[[Sums, Sums], Sums],
    pack: Callable[[Sums], Found],
) -> list[Found]:
    """Map `run` over the items of each group on a Dask cluster, and return each group's packed sum.

    Sums are added as a tree. Calls have no side effects, so that Dask can repeat the calls of a lost worker.
    """
    trees = [_tree(client, items, run, add, pack) for items in groups]
    try:
        found: list[Found] = client.gather(trees)
    except BychanceError:
        raise
    except Exception as error:
        raise BychanceError(f"The cluster could not read all parts: {first_line(error)}.") from error
    return found


def _tree(
    client: Any,
    items: Sequence[Item],
    run: Callable[[Item], Sums],
    add: Callable[[Sums, Sums], Sums],
    pack: Callable[[Sums], Found],
) -> Any:
    level = [client.submit(_on_one_thread, run, item, pure=False) for item in items]
    while len(level) > 1:
        pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
        level = [client.submit(add, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return client.submit(pack, level[0], pure=False)


def _on_one_thread(run: Callable[[Item], Sums], item: Item) -> Sums:
    with one_blas_thread():
        return run(item)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit matrix products in the context to one thread, because more would change the last digits."""
    with _controller(os.getpid()).limit(limits=1, user_api="blas"):
        yield


@cache
def _controller(process: int) -> Any:
    from threadpoolctl import ThreadpoolController

    with interrupts_after():  # it calls back from C, where exceptions end
        return ThreadpoolController()


class Stopped(Exception):
    """Exception that ends a thread whose results are no longer needed."""


@contextmanager
def wanted_until(stop: _native.Stop) -> Iterator[None]:
    """Make `raise_if_stopped` raise in this thread, inside the context, once the event `stop` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def current_stop() -> _native.Stop | None:
    """Return the event that stops this thread's work, to pass to slow kernels, or None."""
    return _STOP.get()


def raise_if_stopped() -> None:
    """Raise Stopped if this thread's stop event is set.

    >>> stop = _native.Stop()
    >>> stop.set()
    >>> with wanted_until(stop):
    ...     raise_if_stopped()
    Traceback (most recent call last):
        ...
    bychance.parallel.Stopped
    """
    stop = _STOP.get()
    if stop is not None and stop.is_set:
        raise Stopped


@contextmanager
def interrupts_after() -> Iterator[None]:
    """Delay a Ctrl-C until the context ends, because foreign code inside it would lose the interrupt."""
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


class JointSample:
    """Sampled null of the first `size` draws, filled in blocks by several threads.

    A block is a range of draws that one thread claims by `take` and returns by `put`, in any order. Blocks
    grow until they take about ten milliseconds, or have `block` draws. `held` are the draws that are known
    already. `n_whole` is the number of finished draws before the first missing one.

    Examples
    --------
    >>> sample = JointSample(np.array([0.5]), 4, block=2)
    >>> sample.take(), sample.take(), sample.take()
    ((1, 2), (3, 1), None)
    >>> sample.put(3, np.array([0.8]), seconds=0.1)
    >>> sample.n_whole
    1
    >>> sample.put(1, np.array([0.6, 0.7]), seconds=0.1)
    >>> sample.whole
    array([0.5, 0.6, 0.7, 0.8])
    """

    def __init__(self, held: FloatArray, size: int, *, block: int | None = None) -> None:
        self._draws = np.empty(max(size, len(held)))
        self._draws[: len(held)] = held
        self.size, self.n_whole, self.seconds = len(self._draws), len(held), 0.0
        self._block, self._count = block, block or _FIRST_BLOCK
        self._next, self._returned = len(held), list[tuple[int, int]]()
        self._done: dict[int, int] = {}
        self._changed = Condition()

    @property
    def whole(self) -> FloatArray:
        """Finished draws up to the first missing one."""
        return self._draws[: self.n_whole]

    def take(self) -> tuple[int, int] | None:
        """Claim a block of draws and return its first number and its length, or None if none is left."""
        with self._changed:
            if self._returned:
                return self._returned.pop()
            if self._next == self.size:
                return None
            first, count = self._next, min(self._count, self.size - self._next)
            self._next += count
            return first, count

    def put(self, first: int, draws: FloatArray, *, seconds: float) -> None:
        """Store the values of a block of draws, and the seconds that they took."""
        self._draws[first : first + len(draws)] = draws
        with self._changed:
            self.seconds += seconds
            self._done[first] = len(draws)
            while self.n_whole in self._done:
                self.n_whole += self._done.pop(self.n_whole)
            if self._block is None:
                self._count = _next_count(len(draws), seconds)
            self._changed.notify_all()

    def give_back(self, first: int, count: int) -> None:
        """Release a claimed block of draws, so that another thread can claim it."""
        with self._changed:
            self._returned.append((first, count))
            self._changed.notify_all()

    def wait(self, size: int) -> None:
        """Wait until the first `size` draws are finished, or until a claimed block is released."""
        with self._changed:
            self._changed.wait_for(lambda: self.n_whole >= min(size, self.size) or bool(self._returned))


def _next_count(count: int, seconds: float) -> int:
    """Return the next block's number of draws: about 10 ms of work, at most four times the last."""
    return 4 * count if 4 * seconds <= _BLOCK_S else max(1, int(count * _BLOCK_S / seconds))
