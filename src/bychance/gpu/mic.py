"""Nulls of MIC, MIC_e and TIC_e on a GPU: prepared variables and keys of streams → draws.

Draw k of a key is the re-pairing that `_native.Repairings.free(key, n)` numbers k. The search works in integers,
multiples of a unit that the budget of cells fixes: a value does not depend on what else is drawn, and differs
from the CPU's by less than `tolerance`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from math import ceil, floor, log, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.gpu.device import DeviceError
from bychance.gpu.launch import Gpu, gpu

__all__ = ["MOST_ROWS", "Key", "draw_mic", "tolerance"]

Key = tuple[int, int]
Variables = tuple[_native.MicVariable, _native.MicVariable]

MOST_ROWS = 1_000  # beyond, a block's tables outgrow shared memory
_KINDS = {"mic": 0, "mic_e": 1, "tic_e": 2}
_MOST_LEVELS = 16  # of a search, in registers at a time
_MOST_WARPS = 32  # of a multiprocessor: more would leave each less than 64 registers
_MOST_LABEL_BYTES = 1 << 14  # of a pair, in shared memory
_DRAWS_BYTES = 1 << 30  # of re-pairings in hand
_LEAST_BYTES = 1 << 24
_MOST_PER_WARP = 16  # draws of one warp of a block


def tolerance(name: str, bound: NDArray[np.float64] | float) -> Any:
    """How far a draw may lie from the CPU's: 2e-7 per grid that counts."""
    return 2e-7 * np.maximum(bound, 1.0) if name == "tic_e" else 2e-7


def draw_mic(
    pairs: Sequence[Variables],
    keys: Sequence[Key],
    first: int,
    count: int,
    *,
    name: str,
    exponent: float,
    clumps: float,
    on: Gpu | None = None,
) -> NDArray[np.float64]:
    """Draws first, first + 1, … of each pair's null under its key, one row per pair."""
    device = gpu() if on is None else on
    draws = np.empty((len(pairs), count))
    budgets = np.array([int(x.budget) for x, _ in pairs])
    with device.session():
        for budget in np.unique(budgets).tolist():
            at = np.flatnonzero(budgets == budget)
            some = [pairs[k] for k in at.tolist()], np.array([keys[k] for k in at.tolist()], dtype=np.uint64)
            draws[at] = _of_budget(device, Plan.of(device, name, budget, exponent, clumps), *some, first, count)
    return draws


@dataclass(frozen=True)
class Shape:
    """Where things lie in shared memory, in bytes: the struct of that name in mic.cu."""

    most_n: int
    words: int
    table: int
    ties: int
    parts: int
    entropy: int
    scales: int
    labels: int
    warps: int
    warp_bytes: int
    y_at_x: int
    x_at_y: int
    masks: int
    found: int
    pieces: int
    differs: int
    counts: int
    levels: int
    before: int
    after: int


@dataclass(frozen=True)
class Plan:
    """How pairs of one budget are drawn: constants of the kernel, shared memory and g as integers."""

    kind: int
    budget: int
    clumps: float
    shape: Shape
    n_warps: int
    n_blocks: int  # that a multiprocessor holds
    unit: float

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, device: Gpu, name: str, budget: int, exponent: float, clumps: float) -> Plan:
        """The plan for a budget, the same for all n that have it."""
        kind, most_n = _KINDS[name], _most_n(budget, exponent)
        most_rows = max(budget // 2, 2)
        shape = _shape(kind, budget, clumps, most_n)
        n_warps = _n_warps(device, shape)
        unit = 2.0 ** -floor(30 - log2(most_n * log(max(most_rows, 2)) + 1))
        return cls(kind, budget, clumps, shape, n_warps, max(1, _resident(device, shape, n_warps)), unit)

    @property
    def shared_bytes(self) -> int:
        """Of a block."""
        return self.shape.warps + self.n_warps * self.shape.warp_bytes

    def table(self) -> NDArray[np.int32]:
        """g(k) = k ln k in units, modulo 2³²."""
        k = np.arange(self.shape.most_n + 1, dtype=np.float64)
        g = np.rint(k * np.log(np.maximum(k, 1)) / self.unit).astype(np.int64)
        return (g & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def _of_budget(
    device: Gpu, plan: Plan, pairs: Sequence[Variables], keys: NDArray[np.uint64], first: int, count: int
) -> NDArray[np.float64]:
    if plan.shared_bytes > device.shared_bytes:
        raise DeviceError(
            f"`device='cuda'` cannot hold MIC of {plan.budget} cells in {device.shared_bytes:,} bytes of shared "
            "memory; use `device='cpu'`.",
            "device",
        )
    draws = np.empty((len(pairs), count))
    for part, start, size in _batches(device, plan, len(pairs), count):
        draws[part, start : start + size] = _batch(device, plan, pairs[part], keys[part], first + start, size)
    return draws


def _batches(device: Gpu, plan: Plan, n_pairs: int, count: int) -> Iterator[tuple[slice, int, int]]:
    """Pairs and their draws, as many at a time as memory holds."""
    n_bytes = max(_LEAST_BYTES, min(_DRAWS_BYTES, device.free_bytes() // 4))
    most = max(1, n_bytes // (2 * plan.shape.most_n))
    size = min(count, most)
    n_together = max(1, most // size)
    for pair in range(0, n_pairs, n_together):
        for start in range(0, count, size):
            yield slice(pair, pair + n_together), start, min(size, count - start)


def _batch(
    device: Gpu, plan: Plan, pairs: Sequence[Variables], keys: NDArray[np.uint64], first: int, count: int
) -> NDArray[np.float64]:
    shape, n_pairs = plan.shape, len(pairs)
    variables, places = _distinct([each for pair in pairs for each in pair])
    n_of = device.put(np.array([x.n for x, _ in pairs], dtype=np.int32))
    layout = [device.put(array) for array in _native.mic_layout(variables, shape.most_n)]
    pairings = device.empty(n_pairs * count * shape.most_n, np.uint16)
    out = device.empty(n_pairs * count, np.float64)

    n_threads = max(32, min(128, 65_536 // (2 * shape.most_n) // 32 * 32))
    shuffle = device.kernel("shuffles.cu", "shuffles")
    arguments = [device.put(keys), n_of, np.uint64(first), np.int32(count), np.int32(shape.most_n), pairings]
    n_bytes = 2 * shape.most_n * (n_threads + 2)
    shuffle(n_pairs * ceil(count / n_threads), n_threads, n_bytes, arguments)

    per_warp = n_pairs * count // (8 * device.n_multiprocessors * plan.n_warps)
    per_block = plan.n_warps * max(1, min(_MOST_PER_WARP, per_warp))
    search = device.kernel(
        "mic.cu",
        "mic_draws",
        BUDGET=plan.budget,
        KIND=plan.kind,
        CLUMPS=repr(float(plan.clumps)),
        WARPS=plan.n_warps,
        BLOCKS=plan.n_blocks,
        LEVELS=_MOST_LEVELS,
        LABELS_IN_SHARED=int(shape.labels >= 0),
    )
    arguments = [
        device.put(np.array(astuple(shape), dtype=np.int32)),
        device.put(plan.table()),
        np.float64(plan.unit),
        n_of,
        device.put(places[0::2]),
        device.put(places[1::2]),
        *layout,
        pairings,
        np.int32(count),
        np.int32(per_block),
        out,
    ]
    search(n_pairs * ceil(count / per_block), 32 * plan.n_warps, plan.shared_bytes, arguments)
    return device.get(out).reshape(n_pairs, count)


def _distinct(
    variables: Sequence[_native.MicVariable],
) -> tuple[list[_native.MicVariable], NDArray[np.int32]]:
    """Each variable once, and the place of every one among them."""
    places: dict[int, int] = {}
    at = [places.setdefault(id(each), len(places)) for each in variables]
    kept = {id(each): each for each in variables}
    return [kept[key] for key in places], np.array(at, dtype=np.int32)


def _most_n(budget: int, exponent: float) -> int:
    """The largest n with this budget, a multiple of eight for whole words; at most what 16 bits hold."""
    n = int((budget + 1) ** (1 / exponent)) + 2
    while int(max(n**exponent, 4.0)) > budget:
        n -= 1
    return min(-(-n // 8) * 8, 16_376)


def _shape(kind: int, budget: int, clumps: float, most_n: int) -> Shape:
    most_rows = max(budget // 2, 2)
    partitions, words = most_rows - 1, (most_n + 31) // 32
    counts = levels = carried = 4
    for rows in range(2, most_rows + 1):
        columns = budget // rows if kind == 0 else min(budget // rows, rows)
        pieces = min(most_n, int(min(max(clumps * (budget // rows), 1), 1e9)))
        n_words = (rows + 2) // 2
        counts = max(counts, 4 * (pieces + 1) * (n_words if n_words <= 2 else -(-n_words // 4) * 4))
        passes = ceil((columns - 1) / _MOST_LEVELS)
        kept = ceil((columns - 1) / passes) - 1
        if columns > 2:
            levels = max(levels, 4 * (max(pieces - 32, 0) + 1) * (-(-kept // 4) * 4))
        if columns > 2 and passes > 1:
            carried = max(carried, 4 * (pieces + 1))
    label_bytes = 2 * partitions * most_n
    block = _Places()
    shared = dict(
        most_n=most_n,
        words=words,
        table=block.of(4 * (most_n + 1)),
        ties=block.of(8 * words),
        parts=block.of(8 * partitions),
        entropy=block.of(16 * partitions),
        scales=block.of(8 * (most_rows + 1)),
        labels=block.of(label_bytes) if label_bytes <= _MOST_LABEL_BYTES else -1,
        warps=block.end,
    )
    warp = _Places()
    own = dict(
        y_at_x=warp.of(2 * most_n),
        x_at_y=warp.of(2 * most_n),
        masks=warp.of(8 * partitions * words),
        found=warp.of(8 * partitions),
        pieces=warp.of(8 * partitions),
        differs=warp.of(4 * words),
        counts=warp.of(counts),
        levels=warp.of(levels),
        before=warp.of(carried),
        after=warp.of(carried),
    )
    return Shape(**shared, **own, warp_bytes=warp.end)


class _Places:
    """Hands out room, sixteen bytes at a time."""

    def __init__(self) -> None:
        self.end = 0

    def of(self, n_bytes: int) -> int:
        place, self.end = self.end, self.end + -(-n_bytes // 16) * 16
        return place


def _n_warps(device: Gpu, shape: Shape) -> int:
    """Warps per block that let a multiprocessor hold the most of them."""
    return max((4, 8, 2, 1), key=lambda n_warps: n_warps * _resident(device, shape, n_warps))


def _resident(device: Gpu, shape: Shape, n_warps: int) -> int:
    """Blocks that a multiprocessor holds."""
    n_bytes = shape.warps + n_warps * shape.warp_bytes + 1024
    return min(_MOST_WARPS // n_warps, (device.shared_bytes + 1024) // n_bytes)
