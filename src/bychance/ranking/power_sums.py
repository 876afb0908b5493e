"""Two lists of numeric columns → counts, power sums and cross products over the rows that every pair shares.

Each is a matrix product of values and masks, columns centered near their median, scaled by powers of two to
at most 1 and zero where missing. Only distinct masks enter: columns that miss the same rows share the sums.
Rows are taken in chunks, so that the workspace does not grow with the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of
from bychance.ranking.side_memory import SideMemory

__all__ = ["N_POWERS", "PowerSums", "complete_sums", "cross_products", "exact_numbers", "power_sums"]

N_POWERS = 6
_CHUNK_BYTES, _CHUNK_ROWS = 2**25, 2**16
_CENTER_SAMPLE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class PowerSums:
    """Sums over shared rows, by column and by the distinct masks of the other side.

    `counts[a, b]` counts the rows that mask a of x and mask b of y share; `x[b, p, i]` is Σ z^(p+1) of
    column i of x over the rows of mask b of y, `y[a, p, j]` the converse; `cross[i, j]` is Σ z_i·z_j.
    `x_mask` and `y_mask` give the mask of each column. For one list, `x` and `y` are one array.
    """

    counts: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    cross: NDArray[np.float64]
    x_mask: NDArray[np.intp]
    y_mask: NDArray[np.intp]


def power_sums(x: Sequence[Column], y: Sequence[Column]) -> PowerSums:
    """All sums for all pairs; half of the work where x and y are one list."""
    n = len(x[0])
    chunk = min(n, max(256, _CHUNK_BYTES // (8 * (N_POWERS + 1) * (len(x) + len(y)))))
    a = _Side(x, chunk)
    b = a if x is y else _Side(y, chunk)
    counts = _Total(len(a.masks), len(b.masks), np.float32)  # exact within a chunk, at half the cost
    cross = _Total(len(x), len(y))
    x_sums = _Total(len(b.masks), N_POWERS * len(x))
    y_sums = x_sums if a is b else _Total(len(a.masks), N_POWERS * len(y))
    for start in range(0, n, chunk):
        rows = slice(start, min(start + chunk, n))
        for side in (a,) if a is b else (a, b):
            side.read(rows)
        counts.add(a.is_present.astype(np.float32), b.is_present.astype(np.float32))
        cross.add(a.powers[: len(x)], b.powers[: len(y)])
        x_sums.add(b.is_present, a.powers)
        if a is not b:
            y_sums.add(a.is_present, b.powers)
    x_by_mask = x_sums.sum.reshape(-1, N_POWERS, len(x))
    y_by_mask = x_by_mask if a is b else y_sums.sum.reshape(-1, N_POWERS, len(y))
    return PowerSums(counts.sum, x_by_mask, y_by_mask, cross.sum, a.mask_of, b.mask_of)


def complete_sums(columns: Sequence[Column]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scalings of columns that miss nothing, one row each, and the sums of their six powers."""
    scalings = np.array([_scaling(exact_numbers(column), None) for column in columns])
    n, sums = len(columns[0]), np.zeros((len(columns), N_POWERS))
    height = max(1, _CHUNK_BYTES // (8 * N_POWERS * min(n, _CHUNK_ROWS)))
    for top in range(0, len(columns), height):
        some = slice(top, top + height)
        for start in range(0, n, _CHUNK_ROWS):
            rows = slice(start, min(start + _CHUNK_ROWS, n))
            sums[some] += _powers(columns[some], scalings[some], rows, N_POWERS).sum(axis=-1).T
    return scalings, sums


def cross_products(
    x: Sequence[Column],
    x_scalings: NDArray[np.float64],
    y: Sequence[Column],
    y_scalings: NDArray[np.float64],
    memory: SideMemory,
) -> NDArray[np.float64]:
    """Σ z_i·z_j of every column of x with every one of y, none of which misses anything."""
    n = len(x[0])
    chunk = max(256, _CHUNK_BYTES // (8 * (len(x) + len(y))))
    if n <= chunk:
        a, b = _kept_lines(x, x_scalings, memory), _kept_lines(y, y_scalings, memory)
        products: NDArray[np.float64] = a @ b.T
        return products
    total = _Total(len(x), len(y))
    for start in range(0, n, chunk):
        rows = slice(start, min(start + chunk, n))
        a = _powers(x, x_scalings, rows, 1)[0]
        total.add(a, a if y is x else _powers(y, y_scalings, rows, 1)[0])
    return total.sum


def _kept_lines(
    side: Sequence[Column], scalings: NDArray[np.float64], memory: SideMemory
) -> NDArray[np.float64]:
    n = len(side[0])
    return memory.of(
        "z", side, lambda side: _powers(side, scalings, slice(0, n), 1)[0], n_bytes=8 * n * len(side)
    )


def _powers(
    columns: Sequence[Column], scalings: NDArray[np.float64], rows: slice, n_powers: int
) -> NDArray[np.float64]:
    n = rows.stop - rows.start
    powers = np.empty((n_powers, len(columns), n))
    values = [np.ascontiguousarray(exact_numbers(column)[rows], dtype=np.float64) for column in columns]
    _native.line_powers(values, [np.zeros(n, dtype=np.bool_)] * len(columns), scalings, powers)
    return powers


def exact_numbers(column: Column) -> NDArray[Any]:
    """The column's values as numbers that float64 holds apart; anything where it is missing."""
    values, is_missing = column.values, column.is_missing
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return values
    if max(-int(values.min()), int(values.max())) <= 2**53:
        return values
    is_present = np.ones(len(values), dtype=np.bool_) if is_missing is None else ~is_missing
    numbers = np.zeros(len(values))
    numbers[is_present] = numbers_of(column, is_present, "r2")
    return numbers


class _Total:
    """The sum of products of chunks, A·B'."""

    def __init__(self, n_rows: int, n_columns: int, dtype: type[np.floating[Any]] = np.float64) -> None:
        self.sum = np.zeros((n_rows, n_columns))
        self._product = np.empty((n_rows, n_columns), dtype=dtype)

    def add(self, a: NDArray[np.floating[Any]], b: NDArray[np.floating[Any]]) -> None:
        self.sum += np.matmul(a, b.T, out=self._product)


class _Side:
    """The columns of one side, read in chunks of rows into `powers` (1 to 6, power by power) and masks."""

    powers: NDArray[np.float64]
    is_present: NDArray[np.float64]

    def __init__(self, columns: Sequence[Column], chunk: int) -> None:
        self._numbers = [exact_numbers(column) for column in columns]
        is_missing = [column.is_missing for column in columns]
        self._scalings = np.array([_scaling(*pair) for pair in zip(self._numbers, is_missing, strict=True)])
        self.masks, self.mask_of = _distinct_masks(is_missing, len(columns[0]))
        self._powers_room = np.empty(N_POWERS * len(columns) * chunk)
        self._present_room = np.empty(len(self.masks) * chunk)

    def read(self, rows: slice) -> None:
        """Bring `powers` and `is_present` to these rows."""
        n = rows.stop - rows.start
        values = [np.ascontiguousarray(numbers[rows], dtype=np.float64) for numbers in self._numbers]
        masks = [mask[rows] for mask in self.masks]
        powers = self._powers_room[: N_POWERS * len(values) * n].reshape(N_POWERS, -1, n)
        _native.line_powers(values, [masks[i] for i in self.mask_of], self._scalings, powers)
        self.powers = powers.reshape(-1, n)
        self.is_present = self._present_room[: len(masks) * n].reshape(-1, n)
        for row, mask in zip(self.is_present, masks, strict=True):
            np.logical_not(mask, out=row, casting="unsafe")


def _distinct_masks(
    is_missing: Sequence[NDArray[np.bool_] | None], n: int
) -> tuple[list[NDArray[np.bool_]], NDArray[np.intp]]:
    """The masks that differ, and which of them each column has."""
    nothing = np.zeros(n, dtype=np.bool_)
    masks: list[NDArray[np.bool_]] = []
    positions: dict[bytes, int] = {}
    mask_of = np.empty(len(is_missing), dtype=np.intp)
    for i, column_mask in enumerate(is_missing):
        mask = nothing if column_mask is None else column_mask
        mask_of[i] = positions.setdefault(np.packbits(mask).tobytes(), len(positions))
        if mask_of[i] == len(masks):
            masks.append(mask)
    return masks, mask_of


def _scaling(numbers: NDArray[Any], is_missing: NDArray[np.bool_] | None) -> tuple[float, float, float]:
    """Factor, center, factor: z = (value·before − center)·after lies in [−1, 1], both factors powers of two.

    The center is the median of some of the values: any point among them keeps power sums from canceling.
    """
    present = numbers if is_missing is None else numbers[np.flatnonzero(~is_missing)]
    if len(present) == 0:
        return 1.0, 0.0, 1.0
    smallest, largest = float(present.min()), float(present.max())
    before = _to_unit(max(abs(smallest), abs(largest)))
    sample = present[:: max(1, len(present) // _CENTER_SAMPLE)]
    center = float(np.partition(sample, len(sample) // 2)[len(sample) // 2]) * before
    return before, center, _to_unit(max(largest * before - center, center - smallest * before))


def _to_unit(size: float) -> float:
    """The power of two that brings this size to [1/2, 1), as far as float64 has it."""
    return math.ldexp(1.0, min(1000, -math.frexp(size)[1]))
