"""Two lists of numeric columns → counts, power sums and cross products over the rows that every pair shares.

Each is a matrix product of values and masks, columns centered near their median, scaled by powers of two to
at most 1 and zero where missing. Only distinct masks enter: columns that miss the same rows share the sums.
Rows are taken in chunks, so that the workspace does not grow with the table.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of
from bychance.ranking.side_memory import SideMemory

__all__ = [
    "N_POWERS",
    "PowerSums",
    "Scaled",
    "cross_products",
    "exact_numbers",
    "listed_products",
    "power_sums",
    "room",
]

N_POWERS = 6
_CHUNK_BYTES = 2**25
_LISTED_BYTES = 2**20  # of lines side by side: they stay in a core's own cache
_ROOMS = threading.local()


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


def power_sums(x: Sequence[Column], y: Sequence[Column], memory: SideMemory) -> PowerSums:
    """All sums for all pairs; half of the work where x and y are one list."""
    n = len(x[0])
    chunk = min(n, max(256, _CHUNK_BYTES // (8 * (N_POWERS + 1) * (len(x) + len(y)))))
    a = _Side(x, chunk, memory)
    b = a if x is y else _Side(y, chunk, memory)
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


def room(what: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """An array to write to, the same memory for every block that a thread measures.

    What was written there is lost with the next one of the same name. New memory for each block would be
    handed out page by page, and threads would wait for each other.
    """
    size = math.prod(shape)
    held = getattr(_ROOMS, what, None)
    if held is None or len(held) < size:
        held = np.empty(size)
        setattr(_ROOMS, what, held)
    return held[:size].reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Columns that miss nothing, as numbers that float64 holds apart, and how these are scaled."""

    columns: Sequence[Column]
    numbers: list[NDArray[Any]]
    scalings: NDArray[np.float64]

    def values(self, rows: slice) -> NDArray[np.float64]:
        """The scaled values of these rows, one line per column."""
        n = rows.stop - rows.start
        lines = np.empty((len(self.numbers), n))
        values = [np.ascontiguousarray(numbers[rows], dtype=np.float64) for numbers in self.numbers]
        nothing = [np.zeros(n, dtype=np.bool_)] * len(values)
        _native.line_powers(values, nothing, self.scalings, lines[np.newaxis])
        return lines


def cross_products(x: Scaled, y: Scaled, memory: SideMemory) -> NDArray[np.float64]:
    """Σ z_i·z_j of every column of x with every one of y; in a `room`."""
    n, n_x, n_y = len(x.numbers[0]), len(x.numbers), len(y.numbers)
    chunk = max(256, _CHUNK_BYTES // (8 * (n_x + n_y)))
    if n <= chunk:
        a = memory.of("z", x.columns, lambda _: x.values(slice(0, n)), n_bytes=8 * n * n_x)
        b = a if y is x else memory.of("z", y.columns, lambda _: y.values(slice(0, n)), n_bytes=8 * n * n_y)
        return np.matmul(a, b.T, out=room("products", (n_x, n_y)))
    total = _Total(n_x, n_y)
    for start in range(0, n, chunk):
        rows = slice(start, min(start + chunk, n))
        a = x.values(rows)
        total.add(a, a if y is x else y.values(rows))
    return total.sum


def listed_products(
    x: Scaled, y: Scaled, first: NDArray[np.intp], second: NDArray[np.intp], memory: SideMemory
) -> NDArray[np.float64]:
    """Σ z_i·z_j of x[first[k]] with y[second[k]] alone."""
    n, n_x, n_y = len(x.numbers[0]), len(x.numbers), len(y.numbers)
    a = memory.of("z", x.columns, lambda _: x.values(slice(0, n)), n_bytes=8 * n * n_x)
    b = a if y is x else memory.of("z", y.columns, lambda _: y.values(slice(0, n)), n_bytes=8 * n * n_y)
    products, size = np.empty(len(first)), max(1, _LISTED_BYTES // (8 * n))
    for start in range(0, len(first), size):
        some = slice(start, start + size)
        products[some] = np.einsum("ij,ij->i", a[first[some]], b[second[some]])
    return products


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

    def __init__(self, columns: Sequence[Column], chunk: int, memory: SideMemory) -> None:
        self._numbers = [exact_numbers(column) for column in columns]
        self._scalings = memory.of("scalings", columns, _scalings)
        self.masks, self.mask_of = memory.of("masks", columns, _distinct_masks)
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


def _distinct_masks(columns: Sequence[Column]) -> tuple[list[NDArray[np.bool_]], NDArray[np.intp]]:
    """The masks that differ, and which of them each column has."""
    nothing = np.zeros(len(columns[0]), dtype=np.bool_)
    masks: list[NDArray[np.bool_]] = []
    positions: dict[bytes, int] = {}
    mask_of = np.empty(len(columns), dtype=np.intp)
    for i, column in enumerate(columns):
        mask = nothing if column.is_missing is None else column.is_missing
        mask_of[i] = positions.setdefault(np.packbits(mask).tobytes(), len(positions))
        if mask_of[i] == len(masks):
            masks.append(mask)
    return masks, mask_of


def _scalings(columns: Sequence[Column]) -> NDArray[np.float64]:
    """How columns are scaled by the rows that they have."""
    numbers = [(exact_numbers(column), column.is_missing) for column in columns]
    present = (values if missing is None else values[~missing] for values, missing in numbers)
    return _native.line_scalings([np.ascontiguousarray(values, dtype=np.float64) for values in present])
