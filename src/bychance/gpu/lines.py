"""Nulls of r², of values or of midranks, on a GPU: pairs of lines and keys of streams → draws.

Draws are the CPU's bit by bit: the same re-pairings, summed in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.gpu.launch import Gpu, gpu
from bychance.stopping import raise_if_stopped

__all__ = ["MOST_ROWS", "draw_lines"]

MOST_ROWS = 3_000  # of which shared memory holds the orders of a warp
_MOST_DRAWS = 1 << 27  # in hand: a gigabyte
_MOST_STEPS = 1 << 33  # rows of all draws of a launch: some tenths of a second, so that Ctrl-C is heard


def draw_lines(
    statistics: Sequence[_native.Statistic],
    keys: Sequence[tuple[int, int]],
    first: int,
    count: int,
    *,
    on: Gpu | None = None,
) -> NDArray[np.float64]:
    """Draws first, first + 1, … of squared inner products under their keys, at most 1; one row per pair."""
    device = gpu() if on is None else on
    n_of = np.array([statistic.n for statistic in statistics], dtype=np.int32)
    most_n = int(n_of.max())
    n_threads = max(32, min(128, 65_536 // (2 * most_n) // 32 * 32))
    draws, step = np.empty((len(statistics), count)), max(1, min(_MOST_DRAWS, _MOST_STEPS // most_n) // count)
    with device.session():
        kernel = device.request("lines.cu", "line_draws").result()
        for start in range(0, len(statistics), step):
            raise_if_stopped()
            part = slice(start, start + step)
            x, y = _native.line_arrays(list(statistics[part]), most_n)
            out = device.empty(len(x) * count, np.float64)
            arguments = [
                device.put(np.array(keys[part], dtype=np.uint64)),
                device.put(n_of[part]),
                device.put(x),
                device.put(y),
                np.uint64(first),
                np.int32(count),
                np.int32(most_n),
                out,
            ]
            n_bytes = 2 * most_n * (n_threads + 2)
            kernel(len(x) * ceil(count / n_threads), n_threads, n_bytes, arguments)
            device.get(out, draws[part])
    return np.minimum(np.square(draws, out=draws), 1.0, out=draws)
