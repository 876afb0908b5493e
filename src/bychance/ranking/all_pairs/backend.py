"""Backend of the screen, NumPy or a GPU: moves blocks, multiplies lines, finds large products."""

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
    """Products of one tile that reach the threshold, by their places, and all products in bins.

    `at` is None where they are more than was asked for.
    """

    at: NDArray[np.int64] | None
    r: NDArray[np.float32]
    bins: NDArray[np.int64] | None

    @property
    def places(self) -> NDArray[np.int64]:
        """Places of the products that reach the threshold."""
        return np.empty(0, dtype=np.int64) if self.at is None else self.at


class Backend(Protocol):
    """A device: its `name` and the precision of its lines."""

    name: str
    dtype: Any

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns per block, so that tiles and what they need fit."""

    def room(self) -> int:
        """Return the bytes of lines that may stay between passes."""

    def put(self, values: Any) -> Any:
        """Return an array of this device with these values."""

    def stream(self) -> AbstractContextManager[Any]:
        """Return the context in which a separate thread makes lines. The work is done when it is left."""

    def lines(self, values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
        """Return the lines of a block of columns that is on this device, and facts about each column."""

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Scale · x·y' in float32, summed up by chunks of rows."""

    def clear_diagonal(self, r: Any) -> None:
        """Set the products of columns with themselves to 0."""

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Return the entries of at least this size, unless they are more than `most`, and counts in bins."""


class NumpyBackend:
    """The CPU. Lines of halves are for tests: the same rounding as on a GPU, slowly."""

    name = "cpu"

    def __init__(self, dtype: Any = np.float32, block: int = 1024) -> None:
        self.dtype, self._block = dtype, block

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns whose block nearly stays in a core's cache."""
        return max(1, min(self._block, 2**25 // n_rows))

    def room(self) -> int:
        """Return two GiB."""
        return 2**31

    def put(self, values: Any) -> Any:
        """Return the values themselves, fetched if they are on a GPU."""
        return values if isinstance(values, np.ndarray) else values.get()

    def stream(self) -> AbstractContextManager[Any]:
        """Return a context in which there is nothing to wait for."""
        return nullcontext()

    def lines(self, values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
        """Use NumPy."""
        return lines_of(values, self.dtype, is_ranked=is_ranked)

    def clear_diagonal(self, r: Any) -> None:
        """Use NumPy."""
        np.fill_diagonal(r, 0.0)

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Use BLAS in float32."""
        total: Any = 0.0
        for start in range(0, x.shape[1], CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            parts = (side[:, rows].astype(np.float32, copy=False) for side in (x, y))
            total = total + np.matmul(next(parts), next(parts).T)
        return total * np.float32(scale)

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Compare and count all entries."""
        size = np.abs(r).ravel()
        at = np.flatnonzero(size >= np.float32(threshold))
        bins = None
        if is_counted:
            which = np.minimum(size * np.float32(N_BINS), N_BINS - 1).astype(np.int64)
            bins = np.bincount(which, minlength=N_BINS)
        if most is not None and len(at) > most:
            return ScreenedTile(None, r.ravel()[:0], bins)
        return ScreenedTile(at, r.ravel()[at], bins)
