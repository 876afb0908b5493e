"""Permutation draws of statistics tr(A·B) on a GPU: r², group means, tables, distance covariances.

Draws equal the CPU's bit by bit: the same permutations, summed in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import FloatArray
from bychance.gpu.device import Gpu, draw_in_parts, gpu, most_pairings, n_threads_for, shuffled

__all__ = ["MOST_ROWS", "draw_traces", "has_room"]

Keys = NDArray[np.uint64]

# Rows of a pair up to which a kernel takes it: 16-bit row numbers, and shared memory (hardware).
MOST_ROWS = {"lines": 3_000, "groups": 3_000, "cells": 3_000, "distances": 65_535}
# Of each kind: its kernel in draws.cu, and the number of arrays whose width it is told.
_IN_SHARED: dict[str, tuple[str, int]] = {
    "lines": ("line_draws", 0),
    "groups": ("group_draws", 1),
    "cells": ("cell_draws", 2),
}
_WARP = 32  # threads that run in step on a GPU (hardware)
# Draws, and draws times rows, of one call: a gigabyte, and some tenths of a second until Ctrl-C (taste).
_MOST_DRAWS, _MOST_STEPS = 1 << 27, 1 << 31
_PAIRINGS_BYTES = 1 << 29  # bytes of permutations held at a time (taste)
# Bytes of a node of a distance tree, in shared and in global memory (as in distances.cu). Warps per
# multiprocessor, and bytes in all, of trees in global memory (taste).
_NODE_IN_SHARED, _NODE_BYTES = 26, 32
_WARPS_PER_MULTIPROCESSOR, _TREES_BYTES = 16, 1 << 33


def has_room(statistic: _native.Statistic) -> bool:
    """Return True if the GPU has a kernel for the statistic and enough shared memory for a warp of draws."""
    name = _native.kernel_of(statistic)
    if statistic.n > MOST_ROWS.get(name, 0):
        return False
    n_bytes = _shared_bytes(_WARP, statistic.n, _native.scratch_bytes(statistic))
    return name == "distances" or n_bytes <= gpu().shared_bytes


def draw_traces(
    statistics: Sequence[_native.Statistic],
    keys: Sequence[tuple[int, int]],
    first: int,
    count: int,
) -> FloatArray:
    """Draw statistics under permutations `first`, `first` + 1, … on the GPU, one row per statistic."""
    device = gpu()
    draws, names = np.empty((len(statistics), count)), [_native.kernel_of(each) for each in statistics]
    with device.session():
        for name in dict.fromkeys(names):
            at = [k for k, each in enumerate(names) if each == name]
            draw = _draw_distances if name == "distances" else _draw_in_shared
            some, some_keys = [statistics[k] for k in at], np.array([keys[k] for k in at], dtype=np.uint64)
            if len(at) == len(names):
                draw(device, some, some_keys, first, draws)
            else:
                part = np.empty((len(at), count))
                draw(device, some, some_keys, first, part)
                draws[at] = part
    _native.finish_sums(list(statistics), draws)
    return draws


def _shared_bytes(n_threads: int, most_n: int, scratch_bytes: int) -> int:
    return (2 * most_n + scratch_bytes) * (n_threads + 2)


def _draw_in_shared(
    device: Gpu, statistics: list[_native.Statistic], keys: Keys, first: int, out: FloatArray
) -> None:
    """Draw statistics under permutations on the GPU into `out`, with each thread's sums in shared memory."""
    n_of = np.array([each.n for each in statistics], dtype=np.int32)
    most_n, scratch_bytes = int(n_of.max()), max(map(_native.scratch_bytes, statistics))
    if len(statistics) > 1 and _shared_bytes(_WARP, most_n, scratch_bytes) > device.shared_bytes:
        for part in (slice(len(statistics) // 2), slice(len(statistics) // 2, None)):
            _draw_in_shared(device, statistics[part], keys[part], first, out[part])
        return
    n_threads = n_threads_for(2 * most_n + scratch_bytes)
    most = max(1, min(_MOST_DRAWS, _MOST_STEPS // most_n))
    name, n_widths = _IN_SHARED[_native.kernel_of(statistics[0])]
    kernel = device.request("draws.cu", name).result()

    def draw(part: slice, start: int, size: int) -> Any:
        own = _native.kernel_arrays(statistics[part], most_n)
        arrays: list[NDArray[Any]] = [keys[part], n_of[part], *own]
        widths = [np.int32(array.shape[1]) for array in arrays[len(arrays) - n_widths :]]
        drawn = device.empty(len(arrays[0]) * size, np.float64)
        arguments = [
            *map(device.put, arrays),
            np.uint64(start),
            np.int32(size),
            np.int32(most_n),
            *widths,
            drawn,
        ]
        n_blocks = len(arrays[0]) * ceil(size / n_threads)
        kernel(n_blocks, n_threads, _shared_bytes(n_threads, most_n, scratch_bytes), arguments)
        return drawn

    draw_in_parts(device, out, first, most, draw)


def _draw_distances(
    device: Gpu, statistics: list[_native.Statistic], keys: Keys, first: int, out: FloatArray
) -> None:
    """Draw distance covariances on the GPU into `out`, with one tree of partial sums per thread."""
    n_of = np.array([each.n for each in statistics], dtype=np.int32)
    most_n = int(n_of.max())
    shared_bytes, tree_bytes = (n_bytes * (most_n + 2) * _WARP for n_bytes in (_NODE_IN_SHARED, _NODE_BYTES))
    n_warps = device.shared_bytes // shared_bytes
    if n_warps:
        kernel = device.request("distances.cu", "distance_draws", IN_SHARED=1).result()
        tree_bytes, most_blocks = 0, n_warps * device.n_multiprocessors
    else:
        kernel = device.request("distances.cu", "distance_draws").result()
        shared_bytes, n_warps = 0, _WARPS_PER_MULTIPROCESSOR * device.n_multiprocessors
        most_blocks = max(1, min(n_warps, min(_TREES_BYTES, device.free_bytes() // 8) // tree_bytes))

    def draw(part: slice, start: int, size: int) -> Any:
        sizes = device.put(n_of[part])
        pairings = shuffled(device, keys[part], sizes, most_n, (start, size))
        n_pairs = len(keys[part])
        n_blocks = min(most_blocks, n_pairs * ceil(size / _WARP))
        drawn = device.empty(n_pairs * size, np.float64)
        arguments = [
            sizes,
            *(device.put(array) for array in _native.kernel_arrays(statistics[part], most_n)),
            pairings,
            np.int32(n_pairs),
            np.int32(size),
            np.int32(most_n),
            device.empty(max(1, n_blocks * tree_bytes), np.uint8),
            drawn,
        ]
        kernel(n_blocks, _WARP, shared_bytes, arguments)
        return drawn

    draw_in_parts(device, out, first, most_pairings(device, most_n, _PAIRINGS_BYTES), draw)
