"""Work on threads that share memory: a function and items → what it makes of them, in their order.

joblib says how many threads, but does not run them: it looks for results a hundred times per second only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["all_on_threads", "n_threads_of", "on_threads"]

_AHEAD = 4  # items per thread whose results may wait for their turn

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads_of(n_jobs: int | None) -> int:
    """How many threads joblib would run."""
    from joblib import Parallel

    return int(Parallel(n_jobs=n_jobs, require="sharedmem")._effective_n_jobs())


def on_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> Generator[Result, None, None]:
    """What the function makes of each item.

    >>> list(on_threads(abs, [-2, 3], n_jobs=2))
    [2, 3]
    """
    n_threads = n_threads_of(n_jobs)
    if n_threads == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(n_threads)
    begun: deque[Future[Result]] = deque()
    try:
        for item in items:
            if len(begun) == _AHEAD * n_threads:
                yield begun.popleft().result()
            begun.append(pool.submit(function, item))
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def all_on_threads(
    function: Callable[[Item], Result | Callable[[], Result]], items: Iterable[Item], n_jobs: int | None
) -> Generator[Result, None, None]:
    """The same of items that take long and not equally long: all are begun, whichever is to come first.

    Where the function returns a function, that is the rest of an item's work. It is left until all items are
    begun, so that threads that find no more of them have something short to do.

    >>> list(all_on_threads(lambda x: x if x > 0 else lambda: -x, [-2, 3], n_jobs=2))
    [2, 3]
    """
    n_threads = n_threads_of(n_jobs)
    if n_threads == 1:
        for item in items:
            yield _finished(function(item))
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        begun = deque(pool.submit(function, item) for item in items)
        rests: deque[Future[Result]] = deque(pool.submit(_rest, first) for first in begun)
        while begun:
            result, rest = begun.popleft().result(), rests.popleft()
            yield rest.result() if callable(result) else result
            del result, rest
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _rest(first: Future[Result | Callable[[], Result]]) -> Result:
    """Items are begun in order: by now the first step is under way on another thread, or done."""
    return _finished(first.result())


def _finished(result: Result | Callable[[], Result]) -> Result:
    return result() if callable(result) else result
