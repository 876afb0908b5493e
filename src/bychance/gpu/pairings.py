"""Re-pairings written out on a GPU, for kernels that read them more than once; how many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.gpu.launch import Gpu

__all__ = ["in_parts", "most_pairings", "n_threads_for", "shuffled"]

_LEAST_BYTES = 1 << 24
_WARP = 32


def in_parts(n_pairs: int, count: int, most: int) -> Iterator[tuple[slice, int, int]]:
    """Yield pairs with their first draw and number of draws, at most this many draws at a time."""
    size = max(1, min(count, most))
    n_together = max(1, most // size)
    for pair in range(0, n_pairs, n_together):
        for start in range(0, count, size):
            yield slice(pair, pair + n_together), start, min(size, count - start)


def most_pairings(device: Gpu, most_n: int, most_bytes: int) -> int:
    """Return how many permutations fit in a quarter of the free memory."""
    n_bytes = max(_LEAST_BYTES, min(most_bytes, device.free_bytes() // 4))
    return max(1, n_bytes // (2 * most_n))


def n_threads_for(n_bytes: int) -> int:
    """Return the threads of a block that each need this much shared memory."""
    return max(_WARP, min(128, 65_536 // n_bytes // _WARP * _WARP))


def shuffled(device: Gpu, keys: NDArray[np.uint64], n_of: Any, most_n: int, numbers: tuple[int, int]) -> Any:
    """Return permutations of n rows for each key, numbered first to first + count − 1."""
    first, count = numbers
    pairings = device.empty(len(keys) * count * most_n, np.uint16)
    n_threads = n_threads_for(2 * most_n)
    n_bytes = 2 * most_n * (n_threads + 2)
    name = "shuffles"
    if n_bytes > device.shared_bytes:
        name, n_bytes = "long_shuffles", 0
    arguments = [device.put(keys), n_of, np.uint64(first), np.int32(count), np.int32(most_n), pairings]
    kernel = device.request("shuffles.cu", name).result()
    kernel(len(keys) * ceil(count / n_threads), n_threads, n_bytes, arguments)
    return pairings
