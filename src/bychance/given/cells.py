"""Which rows may trade places: crossed categories, and cells of rows with similar numbers.

A cell is split at the median of the covariate with the widest range of ranks there, between different
values, while both parts keep enough rows. So ties never part, and nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import coded, crossed
from bychance.measures.ordering import order_values

__all__ = ["Cells", "cross_labels", "split_cells"]

Codes = NDArray[np.int32]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of every row, numbered from 0, none of them empty."""

    codes: Codes

    @classmethod
    def of(cls, labels: NDArray[np.generic]) -> Cells:
        """Cells numbered in the order of their categories."""
        return cls(coded(labels))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows per cell."""
        return np.bincount(self.codes).astype(np.int64)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rows cell by cell."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each cell begins in that order."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.intp)

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], ...]:
        """The rows of each cell."""
        return tuple(np.split(self.order, self.starts[1:]))

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """Place of each row among the rows of its cell."""
        places = np.empty(self.n, dtype=np.int32)
        places[self.order] = np.arange(self.n) - np.repeat(self.starts, self.sizes)
        return places

    def sums(self, values: Array) -> Array:
        """Sums over the rows of each cell, of a column or of every column of a matrix."""
        if len(self) == 1:
            return np.asarray(values.sum(axis=0))[np.newaxis]
        return np.asarray(np.add.reduceat(values[self.order], self.starts, axis=0))

    def vary(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return, for each cell, if it has two different values or more."""
        ordered = values[self.order]
        low, high = (ufunc.reduceat(ordered, self.starts) for ufunc in (np.minimum, np.maximum))
        return np.asarray(low != high)

    def centered(self, values: Array) -> Array:
        """The values less their means in each cell; twice over, so that no large mean leaves a trace."""
        sizes = self.sizes if values.ndim == 1 else self.sizes[:, np.newaxis]
        for _ in range(2):
            values = values - (self.sums(values) / sizes)[self.codes]
        return values


def cross_labels(labels: Sequence[Codes], n: int) -> Codes:
    """Return the stratum of every row: one per combination of categories that occurs.

    Rows alone in their stratum carry nothing. Permutation within the others is valid however many they are.
    """
    strata = np.zeros(n, dtype=np.int32)
    for codes in labels:
        strata = Cells.of(crossed(strata, codes)).codes
    return strata


def split_cells(strata: Codes, numbers: Sequence[Array], fewest: int) -> Cells:
    """The strata cut into cells of similar numbers, each of at least `fewest` rows or a whole stratum."""
    codes, count = np.empty(len(strata), dtype=np.int32), 0
    for stratum in Cells(strata).rows:
        if len(stratum) < 2 * fewest:
            codes[stratum] = count
            count += 1
            continue
        values = np.column_stack([z[stratum] for z in numbers])
        ranks = np.column_stack([order_values(np.ascontiguousarray(z)).midranks for z in values.T])
        for cell in _split(values, ranks, fewest):
            codes[stratum[cell]] = count
            count += 1
    return Cells(codes)


def _split(values: Array, ranks: Array, fewest: int) -> list[NDArray[np.intp]]:
    done, waiting = list[NDArray[np.intp]](), [np.arange(len(values))]
    while waiting:
        cell = waiting.pop()
        column = int(np.argmax(np.ptp(ranks[cell], axis=0)))
        cell = cell[np.argsort(ranks[cell, column], kind="stable")]
        cut = _cut(values[cell, column], fewest)
        if cut is None:
            done.append(cell)
        else:
            waiting += [cell[cut:], cell[:cut]]
    return done


def _cut(ascending: Array, fewest: int) -> int | None:
    """The change of value nearest the middle that leaves enough rows on either side."""
    n = len(ascending)
    cuts = np.arange(fewest, n - fewest + 1)
    cuts = cuts[ascending[cuts] != ascending[cuts - 1]] if len(cuts) else cuts
    return int(cuts[np.argmin(np.abs(cuts - n // 2))]) if len(cuts) else None
