"""Parts of a source on the workers of a Dask cluster: each reads its own, and sums are added as a tree.

Long tables are split by rows, wide ones by tiles of their columns as well. Only the sum of many parts comes
back, packed. Tasks are pure, so that Dask repeats what a lost worker held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.ranking.execute import one_blas_thread
from bychance.streaming.packed import pack, unpack
from bychance.streaming.read import Found, PartTask
from bychance.streaming.tiles import joined, tiles_of

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
        parts = [tasks[number]() for number in wave]
        by_part = [tiles_of(part) for part in parts]
        trees = [_tree(client, tiles) for tiles in zip(*by_part, strict=True)]
        try:
            packed = client.gather(trees)
        except BychanceError:
            raise
        except Exception as error:
            raise BychanceError(f"The cluster could not read all parts: {first_line(error)}.") from error
        tiles = [unpack(each, tile.nothing()) for each, tile in zip(packed, by_part[0], strict=True)]
        found = tiles[0] if len(tiles) == 1 else joined(tiles, parts[0])
        tick(len(found))
        yield wave[0], found, len(wave)


def _tree(client: Any, tasks: Sequence[PartTask]) -> Any:
    """The future of what all of these tasks find together."""
    level = [client.submit(_run_part, task, pure=False) for task in tasks]
    while len(level) > 1:
        pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
        level = [client.submit(_merged, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return client.submit(pack, level[0], pure=False)


def _run_part(task: PartTask) -> Found:
    with one_blas_thread():
        return task.run(lambda steps: None).trimmed()


def _merged(one: Found, other: Found) -> Found:
    return one.merge(other).trimmed()
