"""Constants and shared-memory layout of the MIC kernel (mic.cu) for one budget of grid cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MicPlan"]

_KINDS = {"mic": 0, "mic_e": 1, "tic_e": 2}
_LEVELS = 16  # of a search, in registers at a time
_N_WARPS = (8, 4, 2, 1)  # of a block, the first that fits
_LARGE = 28  # budget above which a block has no more than four warps, which wait less for each other
# Warps of a multiprocessor, up to each budget: the registers left to each. Measured on an H200.
_MOST_WARPS = ((12, 40), (28, 32), (10**9, 16))
_LABEL_BYTES = 1 << 14  # of both variables: more stay in global memory
_BLOCK_BYTES = 1 << 10  # of shared memory that every block takes beside its own
_MOST_N = 16_376  # four times a count must fit in 16 bits


@dataclass(frozen=True)
class MicPlan:
    """Constants and memory layout of the MIC kernel for all n that share one budget of grid cells."""

    kind: int
    budget: int
    clumps: float
    most_n: int

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, name: str, budget: int, exponent: float, clumps: float) -> MicPlan:
        """Make the plan for a budget of grid cells. `most_n` is the largest n that has it."""
        n = int((budget + 1) ** (1 / exponent)) + 2
        while int(max(n**exponent, 4.0)) > budget:
            n -= 1
        return cls(_KINDS[name], budget, float(clumps), min(-(-n // 8) * 8, _MOST_N))

    @property
    def most_rows(self) -> int:
        """Largest number of rows of a grid."""
        return max(self.budget // 2, 2)

    @property
    def unit(self) -> float:
        """Unit of the kernel's integers.

        It is so small that no sum of a search, at most n ln(rows), reaches 2³⁰ units.
        """
        return float(2.0 ** -floor(30 - log2(self.most_n * log(self.most_rows) + 1)))

    def table(self) -> NDArray[np.int32]:
        """Return k ln k for k = 0, …, most_n as integers in units, modulo 2³²."""
        k = np.arange(self.most_n + 1, dtype=np.float64)
        g = np.rint(k * np.log(np.maximum(k, 1)) / self.unit).astype(np.int64)
        return (g & 0xFFFFFFFF).astype(np.uint32).view(np.int32)

    def defines(self, most_bytes: int) -> dict[str, object]:
        """Return the macro constants that mic.cu is compiled with. They do not depend on the tie groups."""
        near = self._near(most_bytes)
        n_warps = self.n_warps(most_bytes)
        block, warp = self._places(near.is_far)
        places = {f"AT_{name.upper()}": at for name, at in {**block, **warp}.items()}
        return {
            "BUDGET": self.budget,
            "KIND": self.kind,
            "CLUMPS": repr(self.clumps),
            "MOST_N": self.most_n,
            "LEVELS": _LEVELS,
            "WARPS": n_warps,
            "BLOCKS": max(1, self._most_warps() // n_warps),
            "IS_FAR": int(near.is_far),
            "NEAR_BYTES": near.n_level_bytes,
            **places,
        }

    def room(self, pieces: int, most_bytes: int) -> Room:
        """Return the offsets in a warp's memory that depend on the number of tie groups (`pieces`)."""
        is_far, most_near = self._near(most_bytes)
        counts, levels, carried = self._sizes(pieces)
        near, far = _Places(self._places(is_far)[1]["counts"]), _Places(self._mask_bytes if is_far else 0)
        near.of(counts)
        before, after, levels_at = near.of(carried), near.of(carried), near.of(min(levels, most_near))
        return Room(levels_at, far.of(levels if levels > most_near else 0), before, after, near.end, far.end)

    def shared_bytes(self, pieces: int, n_warps: int, most_bytes: int) -> int:
        """Return the shared memory that a CUDA block needs, in bytes."""
        is_far = self._near(most_bytes).is_far
        return self._places(is_far)[0]["warps"] + n_warps * self.room(pieces, most_bytes).n_bytes

    def n_warps(self, most_bytes: int) -> int:
        """Return how many warps of a CUDA block fit in its shared memory."""
        fits = (n for n in self._block_sizes() if self.shared_bytes(self.most_n, n, most_bytes) <= most_bytes)
        return next(fits, 1)

    def _block_sizes(self) -> tuple[int, ...]:
        return _N_WARPS if self.budget <= _LARGE else tuple(n for n in _N_WARPS if n <= 4)

    def _most_warps(self) -> int:
        return next(n_warps for budget, n_warps in _MOST_WARPS if self.budget <= budget)

    def _near(self, most_bytes: int) -> _Near:
        """Choose which arrays of a warp go to shared memory: bit masks or not, and how many bytes of levels.

        Many warps hide each other's waiting. So that as many warps fit as their registers allow, levels
        get the shared memory that is left. If none is left, masks go to global memory too.
        """
        counts, levels, carried = self._sizes(self.most_n)
        n_warps = self._block_sizes()[0]
        n_blocks = max(1, self._most_warps() // n_warps)
        left = 0
        for is_far in (False, True):
            block, warp = self._places(is_far)
            others = _Places(warp["counts"])
            for n_bytes in (counts, carried, carried):
                others.of(n_bytes)
            room = (most_bytes + _BLOCK_BYTES) // n_blocks - _BLOCK_BYTES - block["warps"]
            left = room // n_warps // 16 * 16 - others.end
            if left >= 0:
                return _Near(is_far, min(levels, left))
        return _Near(True, 0)

    def _sizes(self, pieces: int) -> tuple[int, int, int]:
        """Return the largest sizes, in bytes, of the counts, the levels and the buffer between passes."""
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

    @lru_cache(maxsize=512)  # noqa: B019 there are few plans, and they are kept anyway
    def _places(self, is_far: bool) -> tuple[dict[str, int], dict[str, int]]:
        """Return offsets of the arrays that every pair needs, in a block's memory and in each warp's part."""
        partitions, words = self.most_rows - 1, (self.most_n + 31) // 32
        n_label_bytes = 2 * partitions * self.most_n
        places = _Places(0)
        block = {
            "table": places.of(4 * (self.most_n + 1)),
            "ties": places.of(8 * words),
            "parts": places.of(8 * partitions),
            "entropy": places.of(16 * partitions),
            "scales": places.of(8 * (self.most_rows + 1)),
            "labels": places.of(n_label_bytes) if n_label_bytes <= _LABEL_BYTES else -1,
            "warps": places.end,
        }
        places = _Places(0)
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


class Room(NamedTuple):
    """Offsets of a warp's levels and of its two buffers between passes, and the total sizes in bytes.

    Names with `far` are of global memory, all others of shared memory.
    """

    levels: int
    far_levels: int
    before: int
    after: int
    n_bytes: int
    n_far_bytes: int


class _Near(NamedTuple):
    """Choice of what shared memory holds: masks unless `is_far`, and this many bytes of levels."""

    is_far: bool
    n_level_bytes: int


class _Places:
    """Allocator of memory offsets that are multiples of 16 bytes."""

    def __init__(self, begin: int) -> None:
        self.end = begin

    def of(self, n_bytes: int) -> int:
        place, self.end = self.end, self.end + -(-n_bytes // 16) * 16
        return place
