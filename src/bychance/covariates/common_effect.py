"""Partial R² given covariates: one effect shared by all cells, tr(A·B)/tr(B).

A and B are the matrices of the residuals of x and y. The null distribution permutes the residuals of y
within cells and residualizes them again (Freedman and Lane 1983).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, Int32Array
from bychance.covariates.design import principal_columns, ranks_given, residuals_on, unit_columns
from bychance.covariates.measures import (
    WITHIN_CELLS,
    ControlledVariable,
    GivenMeasure,
    counts_of,
    share_explained,
)
from bychance.covariates.moments import (
    Factor,
    denominator_moments,
    moments_of_ratios,
    stratified_moments,
    third_cumulants,
)
from bychance.kinds import Role
from bychance.measures.base import Values
from bychance.measures.structures import NormalTheory, Structure
from bychance.measures.trace import bent_line
from bychance.nulls.base import DiscreteNull, Moments, Null
from bychance.nulls.distributions import NullDistributions
from bychance.nulls.exact import hypergeometric

__all__ = ["CommonEffect"]


@dataclass(frozen=True, eq=False)
class FactoredVariable(ControlledVariable):
    """Variable residualized on covariates, as a matrix U of residuals, of which tr(A·B) takes A = UU'."""

    factor: Factor

    @cached_property
    def left(self) -> FloatArray:
        """First two raw moments, over permutations, of the share of variation left by residualizing again."""
        moments = denominator_moments(
            self.design.block_sums, self.design.cells, self.factor.invariants, self.factor.grams
        )
        return np.asarray(moments / self.factor.trace ** np.array([1, 2]))


class CommonEffect(GivenMeasure):
    """Partial R² of x and y given covariates, with one effect for all cells (groups of similar rows)."""

    def prepare(self, values: Values, role: Role) -> FactoredVariable:
        """Residualize the variable, its ranks for `spearman`, or a piecewise linear basis for `shape`.

        If all covariates are categorical, ranks are taken within strata.
        """
        used = values
        if self.known_as == "spearman":
            used = np.asarray(ranks_given(np.asarray(values, dtype=np.float64), self.design))
        explains = values.dtype == np.int32 if self.known_as == "eta2" else role is Role.X
        if self.base.bends_levels and role is Role.X and values.dtype != np.int32:
            left = self.design.residualize(unit_columns(bent_line(np.asarray(used, np.float64)).basis()))
        else:
            left = residuals_on(used, self.design)
        factor = Factor(self.design.cells, principal_columns(left, is_projector=explains))
        return FactoredVariable(values, self.design, share_explained(left), factor.rank == 0, factor)

    def values_at(self, x: FactoredVariable, y: FactoredVariable, rows: Int32Array) -> FloatArray:
        """Return the partial R² under each permutation, with y residualized again (Freedman and Lane)."""
        a, b = self._ordered(x, y)
        if b is x:  # in the inverse order beside y as it is
            rows = np.argsort(rows, axis=1).astype(np.int32)
        top = lost = np.zeros(len(rows))
        for column in b.factor.u.T:
            permuted = column[rows]
            top = top + np.sum((permuted @ a.factor.u) ** 2, axis=1)
            lost = lost + self.design.explained_squares(permuted)
        return np.clip(top / (b.factor.trace - lost), 0.0, 1.0)

    def statistic(self, x: FactoredVariable, y: FactoredVariable) -> _native.Statistic | None:
        """Return the C++ object of the measure as a squared inner product, or None if it is not one."""
        a, b = self._ordered(x, y)
        if not self.has_only_cells or a.factor.rank != 1 or b.factor.rank != 1 or a is y:
            return None
        first, second = (np.ascontiguousarray(v.factor.u[:, 0]) for v in (a, b))
        finish = _native.Finish(squared=True, scale=1 / b.factor.trace, low=0.0, high=1.0)
        return _native.Statistic.lines(first, second, finish)

    def sign(self, x: FactoredVariable, y: FactoredVariable) -> int | None:
        """Return the sign of the partial correlation of two numeric variables."""
        if not (x.is_numeric and y.is_numeric) or self.base.bends_levels:
            return None
        if x.is_degenerate or y.is_degenerate:
            return 0
        return int(np.sign(np.dot(x.factor.u[:, 0], y.factor.u[:, 0])))

    def moments(self, x: FactoredVariable, y: FactoredVariable) -> Moments:
        """Return moments of the partial R² over permutations, exact if covariates only form cells."""
        a, b = self._ordered(x, y)
        numerator = stratified_moments(a.factor, b.factor).scaled(1 / b.factor.trace)
        if self.has_only_cells:
            return numerator
        is_symmetric = self.base.symmetric and x.is_numeric and y.is_numeric
        left = np.sqrt(a.left * b.left) if is_symmetric else b.left
        ratios = moments_of_ratios(numerator.mean, numerator.variance, numerator.third, (left[0], left[1]))
        return Moments(*map(float, ratios))

    def matched(self, x: FactoredVariable, y: FactoredVariable) -> NullDistributions:
        """Return the null with the exact moments: Beta if y is numeric or binary, otherwise Pearson III.

        Third cumulants bound how far down a Beta distribution holds.
        """
        moments, (_, b) = self.moments(x, y), self._ordered(x, y)
        fields = _native.match_shares(
            n=np.array([self.design.n]),
            mean=np.array([moments.mean]),
            variance=np.array([moments.variance]),
            third=np.array([moments.third]),
            third_cumulants=np.array([third_cumulants(x.factor, y.factor)]),
            rank=max(x.factor.rank, y.factor.rank),
            is_numeric=b.factor.rank == 1,
            **counts_of(x, y),
        )
        return NullDistributions(*fields)

    def cheap_null(self, x: FactoredVariable, y: FactoredVariable, max_operations: float) -> Null | None:
        """Return the exact Mantel–Haenszel null of binary x and y, or None if not applicable or too costly.

        The number of rows with both values is a sum of independent hypergeometric counts, one per cell.
        """
        if self.known_as == "spearman" or not self.has_only_cells:
            return None
        if not x.n_distinct == y.n_distinct == 2:
            return None
        cells = self.design.cells
        a, b = (cells.sums((v.values == v.values.max()).astype(np.float64)) for v in (x, y))
        n, low = cells.sizes, np.maximum(0, a + b - cells.sizes)
        lengths = np.minimum(a, b) - low + 1
        if float(np.sum(np.cumsum(lengths) * lengths)) > max_operations:
            return None
        tables = [hypergeometric(*map(int, totals))[1] for totals in zip(n, a, b, strict=True)]
        probabilities = reduce(np.convolve, (weights / weights.sum() for weights in tables))
        both: FloatArray = low.sum() + np.arange(len(probabilities)) - float(np.sum(a * b / n))
        scale = float(np.sum(a * (n - a) / n)) * float(np.sum(b * (n - b) / n))
        return DiscreteNull.folded(both**2 / scale, probabilities, engine="exact tables", reason=WITHIN_CELLS)

    def structures(self, x: FactoredVariable, y: FactoredVariable) -> tuple[Structure, ...]:
        """Return the degrees of freedom of the F-test for null="normal", or () if it does not apply."""
        a, b = self._ordered(x, y)
        if not b.is_numeric or self.known_as == "spearman":
            return ()
        return (NormalTheory(a.factor.rank, x.n - self.design.df - a.factor.rank),)

    def _ordered(self, x: Any, y: Any) -> tuple[FactoredVariable, FactoredVariable]:
        """Return the explaining, then the explained variable: x, y, or for `eta2` the categories first."""
        return (y, x) if self.known_as == "eta2" and x.is_numeric else (x, y)
