"""How pairs with one budget of cells are drawn: constants and shared memory of mic.cu, and g as integers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log, log2

import numpy as np
from numpy.typing import NDArray

__all__ = ["MicPlan"]

_KINDS = {"mic": 0, "mic_e": 1, "tic_e": 2}
_LEVELS = 16  # of a search, in registers at a time
_N_WARPS = (4, 2, 1)  # of a block, the first that fits
# Warps of a multiprocessor, up to each budget: the registers left to each. Measured on an H200.
_MOST_WARPS = ((16, 32), (28, 24), (10**9, 16))
_LABEL_BYTES = 1 << 14  # of both variables: more stay in global memory
_MOST_N = 16_376  # four times a count must fit in 16 bits


@dataclass(frozen=True)
class MicPlan:
    """What all n with one budget share; `most_n` is the largest of them."""

    kind: int
    budget: int
    clumps: float
    most_n: int

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, name: str, budget: int, exponent: float, clumps: float) -> MicPlan:
        """The plan for a budget."""
        n = int((budget + 1) ** (1 / exponent)) + 2
        while int(max(n**exponent, 4.0)) > budget:
            n -= 1
        return cls(_KINDS[name], budget, float(clumps), min(-(-n // 8) * 8, _MOST_N))

    @property
    def most_rows(self) -> int:
        """The largest number of rows of a grid."""
        return max(self.budget // 2, 2)

    @property
    def unit(self) -> float:
        """What integers count: so small that no sum of a search, n ln(rows) at most, reaches 2³⁰ of it."""
        return float(2.0 ** -floor(30 - log2(self.most_n * log(self.most_rows) + 1)))

    def table(self) -> NDArray[np.int32]:
        """g(k) = k ln k in units, modulo 2³²."""
        k = np.arange(self.most_n + 1, dtype=np.float64)
        g = np.rint(k * np.log(np.maximum(k, 1)) / self.unit).astype(np.int64)
        return (g & 0xFFFFFFFF).astype(np.uint32).view(np.int32)

    def defines(self, n_warps: int) -> dict[str, object]:
        """The constants that mic.cu is compiled with."""
        block, warp = self._places()
        places = {f"AT_{name.upper()}": at for name, at in {**block, **warp}.items()}
        return {
            "BUDGET": self.budget,
            "KIND": self.kind,
            "CLUMPS": repr(self.clumps),
            "MOST_N": self.most_n,
            "LEVELS": _LEVELS,
            "WARPS": n_warps,
            "BLOCKS": max(1, self._most_warps() // n_warps),
            **places,
        }

    def _most_warps(self) -> int:
        return next(n_warps for budget, n_warps in _MOST_WARPS if self.budget <= budget)

    def room(self, pieces: int) -> tuple[int, int, int, int]:
        """Where levels and both buffers between passes lie in a warp's memory, and how large that is."""
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
        places = _Places(self._places()[1]["counts"])
        places.of(counts)
        return places.of(levels), places.of(carried), places.of(carried), places.end

    def shared_bytes(self, pieces: int, n_warps: int) -> int:
        """Of a block."""
        return self._places()[0]["warps"] + n_warps * self.room(pieces)[-1]

    def n_warps(self, pieces: int, most_bytes: int) -> int:
        """Warps of a block: as many as fit in its shared memory."""
        return next((n for n in _N_WARPS if self.shared_bytes(pieces, n) <= most_bytes), 1)

    @lru_cache(maxsize=256)  # noqa: B019 there are few plans, and they are kept anyway
    def _places(self) -> tuple[dict[str, int], dict[str, int]]:
        """Where what all pairs have lies in the memory of a block, and in that of each warp."""
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
            "masks": places.of(8 * partitions * words),
            "found": places.of(8 * partitions),
            "pieces": places.of(8 * partitions),
            "differs": places.of(4 * words),
            "counts": places.end,
        }
        return block, warp


class _Places:
    """Hands out room, sixteen bytes at a time."""

    def __init__(self, begin: int) -> None:
        self.end = begin

    def of(self, n_bytes: int) -> int:
        place, self.end = self.end, self.end + -(-n_bytes // 16) * 16
        return place
