"""Sums of numeric columns over the rows that other columns have: what r² and its null are made of.

In:  batches of scaled values and of masks.
Out: LineSums, of which two add up to those of both lots of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = ["FEW_VALUES", "N_POWERS", "LineSums"]

N_POWERS = 6
FEW_VALUES = 10  # so many distinct values are as good as many

Few = frozenset[float] | None


@dataclass(frozen=True, slots=True, eq=False)
class LineSums:
    """Sums of the scaled values z of K numeric columns over the masks of M columns, the K numeric ones first.

    `powers[m, p, i]` is Σ z^(p+1) of column i over the rows that column m has; `cross[i, j]` is Σ z_i·z_j;
    `zeros` counts the rows at a column's center; `few` are a column's distinct numbers, None from ten on.
    """

    powers: NDArray[np.float64]
    cross: NDArray[np.float64]
    zeros: NDArray[np.int64]
    few: tuple[Few, ...]

    @classmethod
    def none(cls, n_masks: int, n_numeric: int) -> LineSums:
        """Those of no rows."""
        return cls(
            np.zeros((n_masks, N_POWERS, n_numeric)),
            np.zeros((n_numeric, n_numeric)),
            np.zeros(n_numeric, dtype=np.int64),
            (frozenset(),) * n_numeric,
        )

    def add(
        self,
        z: NDArray[np.float64],
        is_missing: Sequence[NDArray[np.bool_]],
        *,
        has_products: bool = True,
        target: int | None = None,
    ) -> None:
        """Add some rows, in place: one row of z per row, one mask per column.

        With a target, only sums over its mask and sums of the target are kept.
        """
        if target is not None:
            self._add_target(z, is_missing, target)
        else:
            _native.add_power_sums(z, list(is_missing), self.powers)
            if has_products:
                self.cross[...] += z.T @ z
        self.zeros[...] += len(z) - np.count_nonzero(z, axis=0)

    def _add_target(
        self, z: NDArray[np.float64], is_missing: Sequence[NDArray[np.bool_]], target: int
    ) -> None:
        _native.add_power_sums(z, [is_missing[target]], self.powers[target : target + 1])
        if target >= z.shape[1]:
            return
        others = [mask for k, mask in enumerate(is_missing) if k != target]
        own = np.zeros((len(others), N_POWERS, 1))
        _native.add_power_sums(np.ascontiguousarray(z[:, target : target + 1]), others, own)
        self.powers[np.arange(len(is_missing)) != target, :, target] += own[:, :, 0]
        products = z.T @ z[:, target]
        self.cross[target] += products
        self.cross[:, target] = self.cross[target]

    def with_values(
        self, numbers: Sequence[NDArray[np.float64]], is_missing: Sequence[NDArray[np.bool_]]
    ) -> LineSums:
        """The same, the distinct values of an added batch known; its missing values are not at the center."""
        few = (
            _some_distinct(known, values, mask)
            for known, values, mask in zip(self.few, numbers, is_missing, strict=False)
        )
        n_missing = [np.count_nonzero(mask) for mask in is_missing[: len(numbers)]]
        return replace(self, few=tuple(few), zeros=self.zeros - n_missing)

    def n_distinct(self, number: int) -> int:
        """How many distinct values each column has; 10 stands for more."""
        few = self.few[number]
        return FEW_VALUES if few is None else len(few)

    def of_columns(self, masks: Sequence[int], numbers: Sequence[int]) -> LineSums:
        """Return the sums of some of the columns over some of the masks."""
        return LineSums(
            self.powers[np.ix_(masks, range(N_POWERS), numbers)],
            self.cross[np.ix_(numbers, numbers)],
            self.zeros[numbers],
            tuple(self.few[k] for k in numbers),
        )

    def with_columns(self, tile: LineSums, masks: Sequence[int], numbers: Sequence[int]) -> LineSums:
        """Write the sums of some of the columns over some of the masks, in place but for distinct values."""
        self.powers[np.ix_(masks, range(N_POWERS), numbers)] = tile.powers
        self.cross[np.ix_(numbers, numbers)] = tile.cross
        self.zeros[numbers] = tile.zeros
        few = list(self.few)
        for k, values in zip(numbers, tile.few, strict=True):
            few[k] = values
        return replace(self, few=tuple(few))

    def merge(self, other: LineSums) -> LineSums:
        """Those of both lots of rows."""
        few = (
            _fewer(None if a is None or b is None else a | b)
            for a, b in zip(self.few, other.few, strict=True)
        )
        return LineSums(
            self.powers + other.powers, self.cross + other.cross, self.zeros + other.zeros, tuple(few)
        )


def _some_distinct(known: Few, values: NDArray[np.float64], is_missing: NDArray[np.bool_]) -> Few:
    if known is None:
        return None
    is_new = ~is_missing
    for value in known:
        is_new &= values != value
    new = values[is_new]
    # A few of them tell most columns at once.
    found = _fewer(known | frozenset(new[:100].tolist()))
    if found is None or len(new) <= 100:
        return found
    return _fewer(found | frozenset(np.unique(new).tolist()))


def _fewer(values: Few) -> Few:
    return None if values is None or len(values) >= FEW_VALUES else values
