"""Array backend of the screen (NumPy or GPU): copies columns, multiplies them, finds large correlations."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bychance.ranking.all_pairs.lines import Facts, lines_of
from bychance.ranking.all_pairs.rounding import CHUNK_ROWS

__all__ = ["N_BINS", "Backend", "NumpyBackend", "ScreenedTile"]

N_BINS = 1024
"""Bins of equal width in which |r| is counted, from 0 to 1; the last also has what rounding left above 1."""


class ScreenedTile(NamedTuple):
    """Correlations of one tile (x block × y block) that reach the threshold, and a histogram of all.

    `at` is None if more of them reach it than were asked for.
    """

    at: NDArray[np.int64] | None
    r: NDArray[np.float32]
    bins: NDArray[np.int64] | None

    @property
    def places(self) -> NDArray[np.int64]:
        """Flat indices, within the tile, of the correlations that reach the threshold."""
        return np.empty(0, dtype=np.int64) if self.at is None else self.at


class Backend(Protocol):
    """Interface of a screening device: its `name` and the float type of its standardized columns."""

    name: str
    dtype: Any

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns per block, so that a tile of their correlations fits in memory."""

    def room(self) -> int:
        """Return the bytes that may be used to keep standardized columns between passes."""

    def put(self, values: Any) -> Any:
        """Copy the values to this device."""

    def stream(self) -> AbstractContextManager[Any]:
        """Return a context for a thread that standardizes columns. Leaving it waits for the work."""

    def lines(self, values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
        """Standardize a block of columns on this device, and return it with facts about each column."""

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Compute scale · x·y' in float32, summed over chunks of rows."""

    def clear_diagonal(self, r: Any) -> None:
        """Set the correlation of each column with itself to 0."""

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Return the correlations with |r| ≥ threshold, unless they exceed `most`, and a histogram."""


class NumpyBackend:
    """Screen on the CPU with NumPy. Its half precision serves tests: GPU rounding, but slow."""

    name = "cpu"

    def __init__(self, dtype: Any = np.float32, block: int = 1024) -> None:
        self.dtype, self._block = dtype, block

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns whose block about fits in a core's cache."""
        return max(1, min(self._block, 2**25 // n_rows))

    def room(self) -> int:
        """Return 2 GiB, the memory for standardized columns."""
        return 2**31

    def put(self, values: Any) -> Any:
        """Return the values as a NumPy array, copied from the GPU if they are there."""
        return values if isinstance(values, np.ndarray) else values.get()

    def stream(self) -> AbstractContextManager[Any]:
        """Return a context that does nothing."""
        return nullcontext()

    def lines(self, values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
        """Standardize a block of columns with NumPy."""
        return lines_of(values, self.dtype, is_ranked=is_ranked)

    def clear_diagonal(self, r: Any) -> None:
        """Set the correlation of each column with itself to 0."""
        np.fill_diagonal(r, 0.0)

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Compute scale · x·y' by BLAS in float32, summed over chunks of rows."""
        total: Any = 0.0
        for start in range(0, x.shape[1], CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            parts = (side[:, rows].astype(np.float32, copy=False) for side in (x, y))
            total = total + np.matmul(next(parts), next(parts).T)
        return total * np.float32(scale)

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Compare all correlations of a tile with the threshold, and count them in a histogram."""
        size = np.abs(r).ravel()
        at = np.flatnonzero(size >= np.float32(threshold))
        bins = None
        if is_counted:
            which = np.minimum(size * np.float32(N_BINS), N_BINS - 1).astype(np.int64)
            bins = np.bincount(which, minlength=N_BINS)
        if most is not None and len(at) > most:
            return ScreenedTile(None, r.ravel()[:0], bins)
        return ScreenedTile(at, r.ravel()[at], bins)
