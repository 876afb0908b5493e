"""Search of all column pairs, in tiles of x × y, for pairs whose |r| may reach a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import IntArray
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.ranking.arrays.columns import Sides
from bychance.ranking.arrays.lines import ColumnClass, Lines, scale_of
from bychance.ranking.arrays.products import N_BINS, Backend, ScreenedTile, rounding_bound
from bychance.ranking.results import PairResults
from bychance.ranking.resume import Parts

__all__ = ["Passed", "Screen"]

_MOST_CANDIDATES = 2**25  # pairs that may pass a fixed threshold (memory)
_MANY = 2**18  # pairs beyond those wanted that are collected before the threshold rises (speed)


@dataclass(slots=True, eq=False)
class Passed:
    """Pairs found by the search for large |r|: all with |r| ≥ `reach`, and a histogram of all."""

    x: IntArray
    y: IntArray
    reach: float
    counts: IntArray | None = None


@dataclass(slots=True, eq=False)
class Screen:
    """Search of all column pairs of two arrays (or of one) for large |r|, on standardized columns.

    `bound` is the largest error of a correlation.
    """

    sides: Sides
    x: Lines
    y: Lines
    backend: Backend
    bound: float = field(init=False)

    def __post_init__(self) -> None:
        facts = self.x.facts, self.y.facts
        off = (float(known.rounding[known.is_screened].max(initial=0.0)) for known in facts)
        self.bound = rounding_bound(self.sides.n_rows, *off)

    @classmethod
    def of(cls, sides: Sides, backend: Backend, *, is_ranked: bool, room: int | None = None) -> Self:
        """Standardize the columns of both arrays, and keep at most `room` bytes of them on the device."""
        room = backend.room() if room is None else room
        y = Lines(sides.y, backend, is_ranked=is_ranked, room=room)
        x = y if sides.is_same else Lines(sides.x, backend, is_ranked=is_ranked, room=room - y.n_bytes)
        return cls(sides, x, y, backend)

    def n_pairs(self) -> int:
        """Count the pairs that the search for large |r| covers: no excluded column, and not both binary."""
        plain, two = (
            [int(np.count_nonzero(side.facts.kind == kind)) for side in (self.x, self.y)]
            for kind in (ColumnClass.PLAIN, ColumnClass.TWO_VALUED)
        )
        if self.sides.is_same:
            return plain[0] * (plain[0] - 1) // 2 + plain[0] * two[0]
        return plain[0] * (plain[1] + two[1]) + two[0] * plain[1]

    def n_unscreened(self) -> int:
        """Count the pairs that the search for large |r| leaves out."""
        return self.sides.n_pairs - self.n_pairs()

    def run(
        self,
        least_r: float,
        *,
        keep: int | None = None,
        is_counted: bool = False,
        tick: Callable[[int], None] = lambda steps: None,
        parts: Parts | None = None,
    ) -> Passed:
        """Return all pairs that may have |r| ≥ least_r, or at least the `keep` strongest of them.

        `parts` stores the pairs found in each block of x, and has those of an interrupted run.
        """
        found = _Found(keep, least_r - self.bound)
        counts = np.zeros(N_BINS, dtype=np.int64) if is_counted else None
        n_done = 0 if parts is None else self._restored(parts, found, tick)
        for number, (rows, lines) in enumerate(self.x.blocks_from(n_done), n_done):
            n_before = len(found.parts)
            for columns, r in self._tiles(number, rows, lines):
                screened = self._screened(r, found, is_counted=is_counted)
                if counts is not None and screened.bins is not None:
                    # A tile on the diagonal has every pair twice.
                    is_twice = self.sides.is_same and rows == columns
                    counts += (screened.bins + 1) // 2 if is_twice else screened.bins
                self._take(found, screened, rows, columns)
                tick(_width(rows) * _width(columns))
            if parts is not None:
                x, y, _ = found.since(n_before)
                parts.keep(_name(rows), PairResults.unknown(x, y, np.zeros_like(x), 1), {})
        x, y = found.strongest()
        return Passed(x, y, found.threshold + self.bound, counts)

    def _restored(self, parts: Parts, found: _Found, tick: Callable[[int], None]) -> int:
        """Add the pairs that an interrupted run stored, and return the number of blocks it had finished."""
        for number, rows in enumerate(self.x.blocks):
            if (known := parts.kept(_name(rows))) is None:
                return number
            pairs = known[0]
            found.add(pairs.x.astype(np.int64), pairs.y.astype(np.int64), np.ones(len(pairs)))
            tick(_width(rows) * len(self.y.side))
        return len(self.x.blocks)

    def _tiles(self, number: int, rows: slice, lines: Any) -> Iterator[tuple[slice, Any]]:
        scale = 1 / scale_of(self.sides.n_rows) ** 2
        for columns, others in self.y.blocks_from(number if self.sides.is_same else 0):
            r = self.backend.product(lines, others, scale)
            if self.sides.is_same and rows == columns:
                r.reshape(-1)[:: len(r) + 1] = 0  # columns with themselves
            yield columns, r

    def _screened(self, r: Any, found: _Found, *, is_counted: bool) -> ScreenedTile:
        most = None if found.keep is None else 8 * found.keep + _MANY
        screened = self.backend.screened(r, found.threshold, most=most, is_counted=is_counted)
        if screened.at is None:
            if screened.bins is not None and found.keep is not None:
                # At least `keep` pairs of this tile alone lie at or above the edge of some bin.
                above = np.cumsum(screened.bins[::-1])[::-1]
                edge = int(np.flatnonzero(above >= 2 * found.keep)[-1]) / N_BINS
                found.threshold = max(found.threshold, edge)
            again = self.backend.screened(r, found.threshold, most=None, is_counted=False)
            screened = again._replace(bins=screened.bins)
        if found.keep is None and len(found) + len(screened.r) > _MOST_CANDIDATES:
            raise BychanceError(
                f"More than {_MOST_CANDIDATES:,} pairs pass the screen: lower `threshold` or "
                + Option("top")
                + "."
            )
        return screened

    def _take(self, found: _Found, screened: ScreenedTile, rows: slice, columns: slice) -> None:
        assert screened.at is not None
        x, y = np.divmod(screened.at, _width(columns))
        x, y = x + rows.start, y + columns.start
        kinds = self.x.facts.kind[x], self.y.facts.kind[y]
        is_kept = (np.maximum(*kinds) < ColumnClass.ODD) & (np.minimum(*kinds) < ColumnClass.TWO_VALUED)
        if self.sides.is_same:
            is_kept &= x < y
        found.add(x[is_kept], y[is_kept], np.abs(screened.r[is_kept]))


class _Found:
    """Pairs found so far with |r| ≥ threshold. The threshold rises so that at least `keep` pairs stay."""

    def __init__(self, keep: int | None, threshold: float) -> None:
        self.keep, self.threshold = keep, threshold
        self.parts: list[tuple[IntArray, IntArray, NDArray[Any]]] = []

    def __len__(self) -> int:
        return sum(len(x) for x, _, _ in self.parts)

    def add(self, x: IntArray, y: IntArray, size: NDArray[Any]) -> None:
        """Add pairs with their |r|, and keep the largest if there are too many."""
        self.parts += [(x, y, size)] if len(x) else []
        if self.keep is not None and len(self) > 4 * self.keep + _MANY:
            x, y, size = self.since(0)
            self.threshold = float(np.partition(size, len(size) - self.keep)[len(size) - self.keep])
            is_kept = size >= self.threshold
            self.parts = [(x[is_kept], y[is_kept], size[is_kept])]

    def since(self, n_parts: int) -> tuple[IntArray, IntArray, NDArray[Any]]:
        """Return the pairs of all batches after the first `n_parts`, with their |r|."""
        nothing = np.empty(0, dtype=np.int64)
        batches = [(nothing, nothing, np.empty(0, dtype=np.float32)), *self.parts[n_parts:]]
        x, y, size = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
        return x, y, size

    def strongest(self) -> tuple[IntArray, IntArray]:
        """Return the pairs at or above the threshold, sorted by x and then by y."""
        x, y, size = self.since(0)
        if self.keep is not None:
            x, y = x[size >= self.threshold], y[size >= self.threshold]
        order = np.lexsort((y, x))
        return x[order], y[order]


def _name(block: slice) -> str:
    return f"{block.start}-{block.stop}"


def _width(block: slice) -> int:
    return int(block.stop - block.start)
