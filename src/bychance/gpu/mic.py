"""Permutation draws of MIC, MIC_e and TIC_e on a GPU.

Draw k of a random key uses the permutation that `_native.Permutations.free(key, n)` numbers k. The search
works in integers, multiples of a unit that the budget of cells fixes: a value does not depend on what else
is drawn, and differs from the CPU's by less than `tolerance`. `MicPlan` has the constants of the kernel
(mic.cu) and lays out its shared memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import FloatArray, Int32Array
from bychance.gpu.device import DeviceError, Gpu, draw_in_parts, gpu, most_pairings, shuffled
from bychance.messages import Option

__all__ = ["MOST_ROWS", "Key", "MicPlan", "draw_mic", "tolerance"]

Key = tuple[int, int]
Variables = tuple[_native.MicVariable, _native.MicVariable]

MOST_ROWS = 1_000  # rows of a pair; with more, the tables of a thread block outgrow shared memory (hardware)
_FEWEST_PIECES = 16  # tie groups that a memory layout holds at least, so that few layouts occur (taste)
_PAIRINGS_BYTES = 1 << 27  # bytes of permutations held at a time: up to a fifth of a second of work (taste)
_MOST_PER_WARP = 8  # permutations that one warp of a thread block measures in turn (speed)

_KINDS = {"mic": 0, "mic_e": 1, "tic_e": 2}
_LEVELS = 16  # column counts that one pass of the search holds in registers (speed)
_N_WARPS = (8, 4, 2, 1)  # warps of a thread block to try: the first number that fits is taken (speed)
_LARGE = 28  # grid cells above which a thread block has four warps at most, which wait less (speed)
# Warps of a multiprocessor, up to each budget: the registers left to each. Measured on an H200.
_MOST_WARPS = ((12, 40), (28, 32), (10**9, 16))
_LABEL_BYTES = 1 << 14  # bytes of row labels of both variables; more stay in global memory (speed)
_BLOCK_BYTES = 1 << 10  # bytes of shared memory that CUDA itself takes per thread block (hardware)
_MOST_N = 16_376  # rows; four times a count must fit in 16 bits (proof)


def tolerance(name: str, bound: FloatArray | float) -> Any:
    """Return the largest difference between a draw of MIC (MIC_e, TIC_e) on the GPU and on the CPU."""
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
) -> FloatArray:
    """Return MIC of each pair under `count` random permutations, from number `first` on, one row per pair."""
    device, draws = gpu(), np.empty((len(pairs), count))
    alike: dict[tuple[int, int], list[int]] = {}
    for k, (x, y) in enumerate(pairs):
        # The larger number of tie groups, rounded up to a power of two.
        pieces = 1 << (max(x.n_groups, y.n_groups) - 1).bit_length()
        alike.setdefault((int(x.budget), max(_FEWEST_PIECES, pieces)), []).append(k)
    plans = [MicPlan.of(name, budget, exponent, clumps, device.shared_bytes) for budget, _ in alike]
    with device.session():
        for plan in plans:
            device.request("mic.cu", "mic_draws", **plan.defines())
        for plan, ((_, pieces), at) in zip(plans, alike.items(), strict=True):
            draws[at] = _draw_alike(
                device, plan, pieces, [pairs[k] for k in at], [keys[k] for k in at], first, count
            )
    return draws


def _draw_alike(
    device: Gpu,
    plan: MicPlan,
    pieces: int,
    pairs: Sequence[Variables],
    keys: Sequence[Key],
    first: int,
    count: int,
) -> FloatArray:
    """Draw MIC under permutations for pairs that share one kernel and memory layout, one row per pair."""
    if plan.shared_bytes(pieces, 1) > plan.most_bytes:
        raise DeviceError(
            Option("device", "cuda")
            + f" cannot hold MIC of {plan.budget} cells in {plan.most_bytes:,} bytes of "
            "shared memory; use " + Option("device", "cpu") + ".",
            "device",
        )
    draws, key_words = np.empty((len(pairs), count)), np.array(keys, dtype=np.uint64)

    def draw(part: slice, start: int, size: int) -> Any:
        return _batch(device, plan, pieces, pairs[part], key_words[part], start, size)

    draw_in_parts(device, draws, first, most_pairings(device, plan.most_n, _PAIRINGS_BYTES), draw)
    return draws


def _batch(
    device: Gpu,
    plan: MicPlan,
    pieces: int,
    pairs: Sequence[Variables],
    keys: NDArray[np.uint64],
    first: int,
    count: int,
) -> Any:
    n_pairs, most_n, n_warps, room = len(pairs), plan.most_n, plan.n_warps, plan.room(pieces)
    variables = {id(each): each for pair in pairs for each in pair}
    places = dict(zip(variables, range(len(variables)), strict=True))
    n_of, x, y = (
        device.put(np.array(numbers, dtype=np.int32))
        for numbers in zip(*((x.n, places[id(x)], places[id(y)]) for x, y in pairs), strict=True)
    )
    layout = [device.put(array) for array in _native.mic_layout(list(variables.values()), most_n)]
    pairings = shuffled(device, keys, n_of, most_n, (first, count))
    out = device.empty(n_pairs * count, np.float64)

    per_warp = n_pairs * count // (8 * device.n_multiprocessors * n_warps)
    per_block = n_warps * max(1, min(_MOST_PER_WARP, per_warp))
    n_blocks = n_pairs * ceil(count / per_block)
    arguments = [
        *map(np.int32, room),
        device.empty(max(1, n_blocks * n_warps * room.n_far_bytes), np.uint8),
        device.put(plan.table()),
        np.float64(plan.unit),
        n_of,
        x,
        y,
        *layout,
        pairings,
        np.int32(count),
        np.int32(per_block),
        out,
    ]
    search = device.request("mic.cu", "mic_draws", **plan.defines()).result()
    search(n_blocks, 32 * n_warps, plan.shared_bytes(pieces, n_warps), arguments)
    return out


class Room(NamedTuple):
    """Memory layout of one warp (32 GPU threads) of the MIC kernel: byte offsets of its arrays, total sizes.

    Names with `far` are of global memory, all others of shared memory.
    """

    levels: int
    far_levels: int
    before: int
    after: int
    n_bytes: int
    n_far_bytes: int


class _Places:
    """Allocator of memory offsets that are multiples of 16 bytes."""

    def __init__(self, begin: int = 0) -> None:
        self.end = begin

    def of(self, n_bytes: int) -> int:
        place, self.end = self.end, self.end + -(-n_bytes // 16) * 16
        return place


@dataclass(frozen=True)
class MicPlan:
    """Constants and memory layout of the MIC kernel for all n that share one budget of grid cells.

    A block of threads has `most_bytes` of shared memory.
    """

    kind: int
    budget: int
    clumps: float
    most_n: int
    most_bytes: int

    @classmethod
    def of(cls, name: str, budget: int, exponent: float, clumps: float, most_bytes: int) -> MicPlan:
        """Make the plan for a budget of grid cells. `most_n` is the largest n that has it."""
        n = int((budget + 1) ** (1 / exponent)) + 2
        while int(max(n**exponent, 4.0)) > budget:
            n -= 1
        return cls(_KINDS[name], budget, float(clumps), min(-(-n // 8) * 8, _MOST_N), most_bytes)

    @property
    def most_rows(self) -> int:
        """Largest number of rows that a MIC grid may have."""
        return max(self.budget // 2, 2)

    @property
    def unit(self) -> float:
        """Step between two fixed-point numbers of the kernel, a power of two.

        It is so small that no sum of a search, at most n ln(rows), reaches 2³⁰ units.
        """
        return float(2.0 ** -floor(30 - log2(self.most_n * log(self.most_rows) + 1)))

    def table(self) -> Int32Array:
        """Return k ln k for k = 0, …, most_n as fixed-point int32 numbers, modulo 2³²."""
        k = np.arange(self.most_n + 1, dtype=np.float64)
        g = np.rint(k * np.log(np.maximum(k, 1)) / self.unit).astype(np.int64)
        return (g & 0xFFFFFFFF).astype(np.uint32).view(np.int32)

    def defines(self) -> dict[str, object]:
        """Return the macro constants that mic.cu is compiled with. They do not depend on the tie groups."""
        is_far, n_level_bytes = self._memory_split
        block, warp = self._places(is_far)
        return {
            "BUDGET": self.budget,
            "KIND": self.kind,
            "CLUMPS": repr(self.clumps),
            "MOST_N": self.most_n,
            "LEVELS": _LEVELS,
            "WARPS": self.n_warps,
            "BLOCKS": max(1, self._most_warps // self.n_warps),
            "IS_FAR": int(is_far),
            "NEAR_BYTES": n_level_bytes,
            **{f"AT_{name.upper()}": at for name, at in {**block, **warp}.items()},
        }

    def room(self, pieces: int) -> Room:
        """Return the layout of one warp's memory (32 GPU threads) for up to `pieces` tie groups."""
        is_far, most_near = self._memory_split
        counts, levels, carried = self._sizes(pieces)
        near, far = _Places(self._places(is_far)[1]["counts"]), _Places(self._mask_bytes if is_far else 0)
        near.of(counts)
        before, after, levels_at = near.of(carried), near.of(carried), near.of(min(levels, most_near))
        return Room(levels_at, far.of(levels if levels > most_near else 0), before, after, near.end, far.end)

    def shared_bytes(self, pieces: int, n_warps: int) -> int:
        """Return the shared memory that a CUDA block of `n_warps` warps needs, in bytes."""
        return self._places(self._memory_split[0])[0]["warps"] + n_warps * self.room(pieces).n_bytes

    @property
    def n_warps(self) -> int:
        """Number of warps of a CUDA block that fit in its shared memory."""
        fits = (n for n in self._block_sizes if self.shared_bytes(self.most_n, n) <= self.most_bytes)
        return next(fits, 1)

    @property
    def _block_sizes(self) -> tuple[int, ...]:
        return _N_WARPS if self.budget <= _LARGE else tuple(n for n in _N_WARPS if n <= 4)

    @property
    def _most_warps(self) -> int:
        return next(n_warps for budget, n_warps in _MOST_WARPS if self.budget <= budget)

    @property
    def _memory_split(self) -> tuple[bool, int]:
        """True if bit masks go to global memory, and shared bytes per warp for best scores of the search.

        Many warps hide each other's waiting. So that as many warps fit as their registers allow, levels
        get the shared memory that is left. If none is left, masks go to global memory too.
        """
        counts, levels, carried = self._sizes(self.most_n)
        n_warps = self._block_sizes[0]
        n_blocks = max(1, self._most_warps // n_warps)
        for is_far in (False, True):
            block, warp = self._places(is_far)
            others = _Places(warp["counts"])
            for n_bytes in (counts, carried, carried):
                others.of(n_bytes)
            room = (self.most_bytes + _BLOCK_BYTES) // n_blocks - _BLOCK_BYTES - block["warps"]
            left = room // n_warps // 16 * 16 - others.end
            if left >= 0:
                return is_far, min(levels, left)
        return True, 0

    def _sizes(self, pieces: int) -> tuple[int, int, int]:
        """Return the most bytes that a warp needs for counts, best scores, and a buffer between passes."""
        counts = levels = carried = 0
        for rows in range(2, self.most_rows + 1):
            most = min(pieces, self.most_n, int(min(max(self.clumps * (self.budget // rows), 1), 1e9)))
            columns = self.budget // rows if self.kind == 0 else min(self.budget // rows, rows)
            n_words = (rows + 2) // 2
            counts = max(counts, 4 * (most + 1) * (n_words if n_words <= 2 else -(-n_words // 4) * 4))
            if columns > 2:
                passes = ceil((columns - 1) / _LEVELS)
                kept = ceil((columns - 1) / passes) - 1
                levels = max(levels, 4 * (max(most - 64, 0) + 1) * (-(-kept // 4) * 4))
                carried = max(carried, 4 * (most + 1) if passes > 1 else 0)
        return counts, levels, carried

    @property
    def _mask_bytes(self) -> int:
        return -(-8 * (self.most_rows - 1) * ((self.most_n + 31) // 32) // 16) * 16

    def _places(self, is_far: bool) -> tuple[dict[str, int], dict[str, int]]:
        """Return byte offsets in shared memory, by name, of the kernel's arrays per block and per warp."""
        partitions, words = self.most_rows - 1, (self.most_n + 31) // 32
        n_label_bytes = 2 * partitions * self.most_n
        places = _Places()
        block = {
            "table": places.of(4 * (self.most_n + 1)),
            "ties": places.of(8 * words),
            "parts": places.of(8 * partitions),
            "entropy": places.of(16 * partitions),
            "scales": places.of(8 * (self.most_rows + 1)),
            "labels": places.of(n_label_bytes) if n_label_bytes <= _LABEL_BYTES else -1,
            "warps": places.end,
        }
        places = _Places()
        warp = {
            "y_at_x": places.of(2 * self.most_n),
            "x_at_y": places.of(2 * self.most_n),
            "masks": 0 if is_far else places.of(self._mask_bytes),
            "found": places.of(8 * partitions),
            "pieces": places.of(8 * partitions),
            "differs": places.of(4 * words),
            "counts": places.end,
        }
        return block, warp
