"""Parts of a source on the workers of a Dask cluster: each reads its own, and sums are added as a tree.

Only the sum of many parts comes back. Tasks are pure, so that Dask repeats what a lost worker held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.ranking.execute import one_blas_thread
from bychance.streaming.read import Found, PartTask

__all__ = ["dask_client", "reduced_on_dask"]

# Parts whose sums come back as one: enough for every worker, few enough to keep between interruptions.
_WAVE = 256


def dask_client() -> Any:
    """The client that `joblib.parallel_config("dask")` works with; None without one."""
    from joblib.parallel import get_active_backend

    return getattr(get_active_backend()[0], "client", None)


def reduced_on_dask(
    client: Any, tasks: Mapping[int, Callable[[], PartTask]], *, tick: Callable[[int], None]
) -> Iterator[tuple[int, Found, int]]:
    """The sums of parts in their order, many at a time: the first part's number, and how many there are."""
    numbers = list(tasks)
    for start in range(0, len(numbers), _WAVE):
        wave = numbers[start : start + _WAVE]
        level = [client.submit(_run_part, tasks[number](), pure=False) for number in wave]
        while len(level) > 1:
            pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
            level = [
                client.submit(_merged, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs
            ]
        try:
            found = level[0].result()
        except BychanceError:
            raise
        except Exception as error:
            raise BychanceError(f"The cluster could not read all parts: {first_line(error)}.") from error
        tick(len(found))
        yield wave[0], found, len(wave)


def _run_part(task: PartTask) -> Found:
    with one_blas_thread():
        return task.run(lambda steps: None).trimmed()


def _merged(one: Found, other: Found) -> Found:
    return one.merge(other).trimmed()
