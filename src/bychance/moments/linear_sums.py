"""Sums of products of columns and covariates over the rows of each pair, for partial correlations.

In:  batches of scaled values, masks, and covariates without missing values.
Out: GivenSums, which can be added over batches of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.messages import Option

__all__ = ["GivenSums", "Regressor"]

Array = NDArray[np.float64]
Regressor = tuple[object, ...]
"""A numeric covariate by its name, or the rows of one of a covariate's labels by both."""

_MOST_SUMS = 1 << 24  # 128 MB


@dataclass(frozen=True, slots=True, eq=False)
class GivenSums:
    """Sums of products of q regressors w and K numeric columns z, over the rows of each pair of columns.

    `with_column[a, i, j]` is Σ w_a·z_i over the rows that column j has. `alone[a, b, i, j]` is Σ w_a·w_b
    over the rows that both have, where w_0 is 1 and w_a is regressor a − 1.
    """

    regressors: tuple[Regressor, ...]
    with_column: Array
    alone: Array

    @classmethod
    def none(cls, n_numeric: int) -> GivenSums:
        """Return empty sums for this many numeric columns."""
        return cls((), np.zeros((0, n_numeric, n_numeric)), np.zeros((1, 1, n_numeric, n_numeric)))

    def add(
        self,
        z: Array,
        is_missing: Sequence[NDArray[np.bool_]],
        mask_of: NDArray[np.intp],
        regressors: Sequence[Regressor],
        values: Array,
    ) -> GivenSums:
        """Return the sums with a batch of rows added.

        Missing masks are given once each, and `mask_of` gives the mask of each column.
        """
        grown = self._with_regressors(regressors)
        at = [grown.regressors.index(each) for each in regressors]
        present = np.stack([~mask for mask in is_missing], axis=1).astype(np.float64)
        n, q, places = len(z), len(at), np.ix_(mask_of, mask_of)
        products = (values[:, :, np.newaxis] * z[:, np.newaxis, :]).reshape(n, -1).T @ present
        grown.with_column[at] += products.reshape(q, z.shape[1], -1)[:, :, mask_of]
        w, own = np.column_stack([np.ones(n), values]), [0, *(1 + k for k in at)]
        for a in range(q + 1):
            weighted = w[:, a : a + 1, np.newaxis] * w[:, a:, np.newaxis] * present[:, np.newaxis, :]
            found = (weighted.reshape(n, -1).T @ present).reshape(q + 1 - a, present.shape[1], -1)
            for b in range(a, q + 1):
                grown.alone[own[a], own[b]] += found[b - a][places]
                if a != b:
                    grown.alone[own[b], own[a]] += found[b - a][places]
        return grown

    def merge(self, other: GivenSums) -> GivenSums:
        """Add the sums over other rows."""
        a, b = self._with_regressors(other.regressors), other._with_regressors(self.regressors)
        at = [b.regressors.index(each) for each in a.regressors]
        rows = [0, *(1 + k for k in at)]
        return GivenSums(
            a.regressors, a.with_column + b.with_column[at], a.alone + b.alone[np.ix_(rows, rows)]
        )

    def of_columns(self, numbers: Sequence[int]) -> GivenSums:
        """Return the sums of a subset of the numeric columns."""
        q = range(len(self.regressors))
        return GivenSums(
            self.regressors,
            self.with_column[np.ix_(q, numbers, numbers)],
            self.alone[np.ix_(range(len(q) + 1), range(len(q) + 1), numbers, numbers)],
        )

    def _with_regressors(self, regressors: Sequence[Regressor]) -> GivenSums:
        """Return the sums enlarged for new regressors. A new category had no rows before."""
        new = [each for each in regressors if each not in self.regressors]
        if not new:
            return self
        q, width = len(self.regressors) + len(new), self.alone.shape[-1]
        if (q * q + 3 * q + 1) * width * width > _MOST_SUMS:
            raise BychanceError(
                Option("given")
                + " with "
                + Option("control", "linear")
                + f" makes {q:,} columns of its categories, too many for sums "
                "over all rows of a stream; "
                + Option("control", "smooth")
                + ' and "strata" use a sample of the rows.',
                "given",
            )
        with_column, alone = np.zeros((q, width, width)), np.zeros((q + 1, q + 1, width, width))
        old = len(self.regressors)
        with_column[:old], alone[: old + 1, : old + 1] = self.with_column, self.alone
        return GivenSums((*self.regressors, *new), with_column, alone)
