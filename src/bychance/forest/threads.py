"""Work on threads that share memory: a function and items → what it makes of them, in their order.

joblib says how many threads, but does not run them: it looks for results a hundred times per second only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["on_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def on_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None, *, ahead: float = 4
) -> Generator[Result, None, None]:
    """What the function makes of each item; up to `ahead` per thread are begun before the first is there.

    >>> list(on_threads(abs, [-2, 3], n_jobs=2))
    [2, 3]
    """
    from joblib import Parallel

    n_threads = Parallel(n_jobs=n_jobs, require="sharedmem")._effective_n_jobs()
    if n_threads == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(n_threads)
    begun: deque[Future[Result]] = deque()
    try:
        for item in items:
            if len(begun) >= ahead * n_threads:
                yield begun.popleft().result()
            begun.append(pool.submit(function, item))
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
