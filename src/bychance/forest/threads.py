"""Work on threads that share memory: a function and items → what it makes of them, in their order.

joblib says how many threads, but does not run them: it looks for results a hundred times per second only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import TypeVar

__all__ = ["in_two_steps", "n_threads_of", "on_threads"]

Item = TypeVar("Item")
Made = TypeVar("Made")
Result = TypeVar("Result")


def n_threads_of(n_jobs: int | None) -> int:
    """How many threads joblib would run."""
    if n_jobs == 1:
        return 1
    from joblib.parallel import get_active_backend

    backend, of_context = get_active_backend(require="sharedmem")
    return int(backend.effective_n_jobs((of_context or 1) if n_jobs is None else n_jobs))


def on_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None, *, ahead: float = 4
) -> Generator[Result, None, None]:
    """What the function makes of each item; up to `ahead` per thread are begun before the first is there.

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
            if len(begun) >= ahead * n_threads:
                yield begun.popleft().result()
            begun.append(pool.submit(function, item))
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def in_two_steps(
    first: Callable[[Item], Made],
    second: Callable[[list[Made]], Result],
    groups: Iterable[Sequence[Item]],
    n_jobs: int | None,
    *,
    n_urgent: float = 0,
) -> Generator[Result, None, None]:
    """For each group of items, what the second step makes of what the first makes of them.

    First steps are long, and all are begun in order. Second steps are short: threads that find no more of the
    others take them, so that none waits long in the end. Those of the first `n_urgent` groups come at once.

    >>> list(in_two_steps(abs, sum, [[-2, 3], [4]], n_jobs=2))
    [5, 4]
    """
    n_threads = n_threads_of(n_jobs)
    if n_threads == 1:
        for group in groups:
            yield second([first(item) for item in group])
        return
    pool = ThreadPoolExecutor(n_threads)

    def begin(group: Sequence[Item], is_urgent: bool) -> Future[Result]:
        begun = [pool.submit(first, item) for item in group]
        done, result = count(1), Future[Result]()

        def finish() -> None:
            try:
                made = [each.result() for each in begun]
                begun.clear()  # they know of this function, and it of the result: a circle
                result.set_result(second(made))
            except BaseException as error:
                result.set_exception(error)

        def when_done(each: Future[Made]) -> None:
            if each.cancelled() or next(done) < len(begun):
                return
            try:
                finish() if is_urgent else pool.submit(finish)
            except RuntimeError as error:  # the pool is shut down
                result.set_exception(error)

        for each in begun:
            each.add_done_callback(when_done)
        return result

    try:
        results = deque(begin(group, place < n_urgent) for place, group in enumerate(groups))
        while results:
            yield results.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
