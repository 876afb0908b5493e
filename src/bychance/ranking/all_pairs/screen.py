"""Screen of all column pairs, tile by tile: pairs whose |r| may reach a threshold, and histogram of |r|."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.ranking.all_pairs.backend import N_BINS, Backend, ScreenedTile
from bychance.ranking.all_pairs.lines import ColumnClass, scale_of
from bychance.ranking.all_pairs.rounding import rounding_bound
from bychance.ranking.all_pairs.sides import Lines

__all__ = ["Passed", "Screen", "Stripes"]

MOST_CANDIDATES = 2**25
_MANY = 2**18


@dataclass(slots=True, eq=False)
class Passed:
    """Pairs that passed the screen, including all with true |r| ≥ `reach`, and a histogram of |r|."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    reach: float
    counts: NDArray[np.int64] | None = None


@dataclass(slots=True, eq=False)
class Screen:
    """Standardized columns of two arrays, or of one array twice, and passes over all their pairs."""

    x: Lines
    y: Lines
    backend: Backend
    bound: float = field(init=False)

    def __post_init__(self) -> None:
        off = (float(side.facts.rounding[_is_screened(side)].max(initial=0.0)) for side in (self.x, self.y))
        self.bound = rounding_bound(self.x.side.n_rows, *off)

    @property
    def is_same(self) -> bool:
        """True if both sides are one array, so that each two columns are paired once."""
        return self.x is self.y

    def n_pairs(self) -> int:
        """Count the screened pairs: not both binary, and neither column excluded from the screen."""
        plain, two = (
            [int(np.count_nonzero(side.facts.kind == kind)) for side in (self.x, self.y)]
            for kind in (ColumnClass.PLAIN, ColumnClass.TWO_VALUED)
        )
        if self.is_same:
            return plain[0] * (plain[0] - 1) // 2 + plain[0] * two[0]
        return plain[0] * (plain[1] + two[1]) + two[0] * plain[1]

    def n_unscreened(self) -> int:
        """Count the pairs that are left out of the screen."""
        x, y = len(self.x.side), len(self.y.side)
        return (x * (x - 1) // 2 if self.is_same else x * y) - self.n_pairs()

    def run(
        self,
        least_r: float,
        *,
        keep: int | None = None,
        is_counted: bool = False,
        tick: Callable[[int], None] = lambda steps: None,
        stripes: Stripes | None = None,
    ) -> Passed:
        """Return all pairs that may have |r| ≥ least_r, or at least the `keep` strongest of them.

        `stripes` stores the pairs found in each block of x, and returns those of an interrupted run.
        """
        found = _Found(keep, least_r - self.bound)
        counts = np.zeros(N_BINS, dtype=np.int64) if is_counted else None
        n_done = 0
        while (
            stripes is not None
            and n_done < len(self.x.blocks)
            and (known := stripes.found(self.x.blocks[n_done]))
        ):
            found.add(*known, np.ones(len(known[0]), dtype=np.float32))
            tick(_width(self.x.blocks[n_done]) * len(self.y.side))
            n_done += 1
        for number, (rows, lines) in enumerate(self.x.blocks_from(n_done), n_done):
            n_before = found.n_parts
            for columns, r in self._tiles(number, rows, lines):
                screened = self._screened(r, found, is_counted=is_counted)
                if counts is not None and screened.bins is not None:
                    # A tile on the diagonal has every pair twice.
                    counts += (screened.bins + 1) // 2 if self.is_same and rows == columns else screened.bins
                self._take(found, screened, rows, columns)
                tick(_width(rows) * _width(columns))
            if stripes is not None:
                stripes.keep(rows, *found.since(n_before))
        x, y = found.joined()
        return Passed(x, y, found.threshold + self.bound, counts)

    def _tiles(self, number: int, rows: slice, lines: Any) -> Iterator[tuple[slice, Any]]:
        scale = 1 / scale_of(self.x.side.n_rows) ** 2
        for columns, others in self.y.blocks_from(number if self.is_same else 0):
            r = self.backend.product(lines, others, scale)
            if self.is_same and rows == columns:
                self.backend.clear_diagonal(r)
            yield columns, r

    def _screened(self, r: Any, found: _Found, *, is_counted: bool) -> ScreenedTile:
        most = None if found.keep is None else 8 * found.keep + _MANY
        screened = self.backend.screened(r, found.threshold, most=most, is_counted=is_counted)
        if screened.at is None and screened.bins is not None and found.keep is not None:
            # At least `keep` pairs of this tile alone lie at or above the edge of some bin.
            above = np.cumsum(screened.bins[::-1])[::-1]
            edge = int(np.flatnonzero(above >= 2 * found.keep)[-1]) / N_BINS
            found.threshold = max(found.threshold, edge)
        if screened.at is None:
            again = self.backend.screened(r, found.threshold, most=None, is_counted=False)
            screened = again._replace(bins=screened.bins)
        if found.keep is None and len(found) + len(screened.places) > MOST_CANDIDATES:
            raise BychanceError(
                f"More than {MOST_CANDIDATES:,} pairs pass the screen: lower `threshold` or "
                + Option("top")
                + "."
            )
        return screened

    def _take(self, found: _Found, screened: ScreenedTile, rows: slice, columns: slice) -> None:
        width = columns.stop - columns.start
        x, y = screened.places // width + rows.start, screened.places % width + columns.start
        a, b = self.x.facts.kind[x], self.y.facts.kind[y]
        is_kept = (a != ColumnClass.ODD) & (b != ColumnClass.ODD)
        is_kept &= (a != ColumnClass.TWO_VALUED) | (b != ColumnClass.TWO_VALUED)
        if self.is_same:
            is_kept &= x < y
        found.add(x[is_kept], y[is_kept], np.abs(screened.r[is_kept]))


class Stripes(Protocol):
    """Storage of the pairs that passed the screen, per block of x columns."""

    def found(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the pairs that an interrupted run stored for a block, or None."""

    def keep(self, block: slice, x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        """Store the pairs of a block."""


def _width(block: slice) -> int:
    return int(block.stop - block.start)


class _Found:
    """Pairs found so far, with computed |r| at or above a threshold, which rises if `keep` limits them."""

    def __init__(self, keep: int | None, threshold: float) -> None:
        self.keep, self.threshold = keep, threshold
        self._parts: list[tuple[Any, Any, Any]] = []
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, x: NDArray[np.int64], y: NDArray[np.int64], size: NDArray[np.float32]) -> None:
        """Add pairs with their |r|, and keep the largest if there are too many."""
        if not len(x):
            return
        self._parts.append((x, y, size))
        self._n += len(x)
        if self.keep is not None and self._n > 4 * self.keep + _MANY:
            x, y, size = (np.concatenate(arrays) for arrays in zip(*self._parts, strict=True))
            self.threshold = float(np.partition(size, len(size) - self.keep)[len(size) - self.keep])
            is_kept = size >= self.threshold
            self._parts, self._n = [(x[is_kept], y[is_kept], size[is_kept])], int(is_kept.sum())

    @property
    def n_parts(self) -> int:
        """Number of batches of pairs added so far."""
        return len(self._parts)

    def since(self, n_parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs of all batches after the first `n_parts`."""
        nothing = np.empty(0, dtype=np.int64)
        later = [(nothing, nothing), *((x, y) for x, y, _ in self._parts[n_parts:])]
        x, y = (np.concatenate(side) for side in zip(*later, strict=True))
        return x, y

    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all pairs, sorted by x and then by y."""
        if not self._parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        x, y, size = (np.concatenate(arrays) for arrays in zip(*self._parts, strict=True))
        if self.keep is not None:
            is_kept = size >= self.threshold
            x, y = x[is_kept], y[is_kept]
        order = np.lexsort((y, x))
        return x[order], y[order]


def _is_screened(side: Lines) -> NDArray[np.bool_]:
    return np.not_equal(side.facts.kind, ColumnClass.ODD)
