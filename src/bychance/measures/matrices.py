"""Four kinds of matrix that represent a column in tr(A·B), and the trace of each combination.

Line: A = cc', c the centered values at unit norm. Partition: A = Σ_g w_g·1_g1_g' centered, over groups g
(w_g = 1/n_g projects on group means, w_g = 1 is the class indicator). Bent (bent.py): A projects on
piecewise linear functions. Gram: a dense centered matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Kind
from bychance.measures.base import CountedGroups, CountedValues
from bychance.measures.bent import Bent
from bychance.measures.structures import CellFunction

__all__ = [
    "Form",
    "Gram",
    "Line",
    "Partition",
    "centered_line",
    "scaled_to_unit",
    "trace_statistic",
]

# Rows. tr A³ costs a matrix product, half a second here. Fewer rows change the skewness by about 1%.
_MAX_PRODUCT_N = 2_000


@dataclass(frozen=True, eq=False)
class Line(CountedValues):
    """Matrix cc' of a numeric column, c its centered values at unit norm (0 if constant).

    `tie_groups` are the sizes of its groups of equal values, or None if they have not been counted.
    """

    values: NDArray[np.float64]
    is_degenerate: bool
    tie_groups: NDArray[np.int64] | None = None
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC
    variation: ClassVar[float] = 1.0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rows with each distinct value."""
        return super().sizes if self.tie_groups is None else self.tie_groups

    @property
    def n_apart(self) -> int:
        """Number of rows outside the largest cluster, values within 0.3 standard deviations of each other."""
        return self.n_others if self.n > _native.FEW_ROWS else self.n - _native.largest_lump(self.values)

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """Eight sums over the matrix cc' that permutations do not change, for the null's moments."""
        return _native.line_invariants(self.values)


@dataclass(frozen=True, eq=False)
class Partition(CountedGroups):
    """Matrix Σ w_g·1_g1_g' of a categorical column, with a weight w_g per group g."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    is_indicator: bool
    kind_of_column: ClassVar[Kind] = Kind.CATEGORICAL

    @classmethod
    def projector(cls, codes: NDArray[np.int32]) -> Partition:
        """Create the matrix that projects on group means."""
        return cls(codes, np.bincount(codes).astype(np.int64), is_indicator=False)

    @classmethod
    def indicator(cls, codes: NDArray[np.int32]) -> Partition:
        """Create the class indicator matrix, 1 for two rows of one class and else 0."""
        return cls(codes, np.bincount(codes).astype(np.int64), is_indicator=True)

    @property
    def is_degenerate(self) -> bool:
        """True if all rows are in one group, or each row is a group."""
        return len(self.sizes) in (1, self.n)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each group: 1, or 1 over its size for a projector."""
        return np.ones(len(self.sizes)) if self.is_indicator else 1.0 / self.sizes

    @cached_property
    def variation(self) -> float:
        """Trace of the class indicator: n times the probability that two rows differ in category."""
        return self.n - float(np.sum(self.sizes**2)) / self.n

    @property
    def cell_function(self) -> CellFunction:
        """Function of a cell's count whose sum over the table is the trace with a projector."""
        return "gain" if self.is_indicator else "contingency"

    @property
    def n_others(self) -> int:
        """Number of rows outside the largest group."""
        return self.n - int(self.sizes.max())

    @property
    def n_apart(self) -> int:
        """Number of rows outside the largest group, since each category is a cluster."""
        return self.n_others

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """Eight sums over the centered matrix that permutations do not change, for the null's moments."""
        return _native.partition_invariants(self.sizes, self.weights)


@dataclass(frozen=True, eq=False)
class Gram(CountedValues):
    """Dense symmetric matrix of a column with zero row sums, and the values that it compares."""

    matrix: NDArray[np.float64]
    values: NDArray[np.float64]
    are_categories: bool = False

    @property
    def is_degenerate(self) -> bool:
        """True if all values are equal, or if all are categories of one row each."""
        return self.n_distinct == 1 or (self.are_categories and self.n_distinct == self.n)

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """Eight sums over the matrix that permutations do not change, for the null's moments."""
        a, diagonal = self.matrix, np.diag(self.matrix)
        squares = np.einsum("kl,kl->k", a, a)
        part = self._evenly_spaced_part()
        third = np.einsum("kl,kl->", part @ part, part) * (self.n / len(part)) ** 3
        r = diagonal @ a @ diagonal
        u = np.einsum("kl,kl,kl->", a, a, a)
        b1 = diagonal @ squares
        s2, s3 = np.sum(diagonal**2), np.sum(diagonal**3)
        return np.array([diagonal.sum(), squares.sum(), third, s2, s3, b1, r, u], dtype=np.float64)

    def _evenly_spaced_part(self) -> NDArray[np.float64]:
        """Return the recentered matrix of at most 2,000 rows, evenly spaced in order of value."""
        if self.n <= _MAX_PRODUCT_N:
            return self.matrix
        picked = np.argsort(self.values)[np.linspace(0, self.n - 1, _MAX_PRODUCT_N).round().astype(np.intp)]
        part = self.matrix[np.ix_(picked, picked)]
        part -= part.mean(axis=0)
        part -= part.mean(axis=1, keepdims=True)
        return part


Form = Line | Partition | Bent | Gram


def centered_line(values: NDArray[np.float64], tie_groups: NDArray[np.int64] | None = None) -> Line:
    """Center a numeric column and scale it to norm 1, without overflow of large values."""
    unit = _native.unit_line(values)
    return Line(unit, not unit.any(), tie_groups)


def scaled_to_unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide values by a power of two so that none exceeds 1 in size. Distinct values stay distinct."""
    largest = max(abs(float(values.max())), abs(float(values.min())))
    return np.ldexp(values, -int(np.frexp(largest)[1]))


def trace_statistic(x: Form, y: Form, finish: _native.Finish) -> _native.Statistic:
    """Create the C++ statistic tr(A·B), a function of the permutation, with its final transform."""
    if isinstance(x, Line) and isinstance(y, Line):
        return _native.Statistic.lines(x.values, y.values, finish)
    if isinstance(x, Partition) and isinstance(y, Line):
        return _native.Statistic.group_sums(x.codes, x.weights, y.values, True, finish)
    if isinstance(x, Line) and isinstance(y, Partition):
        return _native.Statistic.group_sums(y.codes, y.weights, x.values, False, finish)
    if isinstance(x, Bent) and isinstance(y, Line):
        return _native.Statistic.bent_line(x.line, y.values, finish)
    if isinstance(x, Bent) and isinstance(y, Partition):
        return _native.Statistic.bent_classes(x.line, y.codes, y.n_distinct, finish)
    if isinstance(x, Gram) and isinstance(y, Gram):
        return _native.Statistic.matrices(x.matrix, y.matrix, finish)
    if isinstance(x, Partition) and isinstance(y, Partition):
        # Σ w_i·v_j·(n_ij − a_i·b_j/n)², x a projector (w_i = 1/a_i).
        sizes = x.n_distinct, y.n_distinct
        return _native.Statistic.cells(y.cell_function, x.codes, y.codes, *sizes, finish)
    raise TypeError(f"no trace of {type(x).__name__} and {type(y).__name__}")
