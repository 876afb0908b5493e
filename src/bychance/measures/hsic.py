"""Hilbert–Schmidt independence criterion (`hsic`): Gaussian kernels of numbers, equality of categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import CostError
from bychance.kinds import PairKind, Role
from bychance.measures.base import CountedValues, Measure, Values
from bychance.measures.structures import Structure, TraceForm

__all__ = ["HSIC", "Gram"]

_EXPONENT = 990  # binary exponent of the largest scaled value: sums of 2^25 distances are finite (proof)
_MAX_N = 5_000  # rows: an n × n matrix of 200 MB per variable (memory; taste)
_MAX_PRODUCT_N = 2_000  # rows for tr A³: half a second, and a skewness right to about 1% (time; measured)


@dataclass(frozen=True, eq=False)
class Gram(CountedValues):
    """Column prepared for `hsic`: its values and their centered kernel matrix, of which rows sum to 0."""

    matrix: FloatArray
    values: FloatArray
    are_categories: bool = False

    @property
    def is_degenerate(self) -> bool:
        """True if all values are equal, or if all are categories of one row each."""
        return self.n_distinct == 1 or (self.are_categories and self.n_distinct == self.n)

    @cached_property
    def invariants(self) -> FloatArray:
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

    def _evenly_spaced_part(self) -> FloatArray:
        """Return the centered kernel matrix, of 2,000 rows evenly spaced in value order if n is larger."""
        if self.n <= _MAX_PRODUCT_N:
            return self.matrix
        picked = np.argsort(self.values)[np.linspace(0, self.n - 1, _MAX_PRODUCT_N).round().astype(np.intp)]
        part = self.matrix[np.ix_(picked, picked)]
        part -= part.mean(axis=0)
        part -= part.mean(axis=1, keepdims=True)
        return part


class HSIC(Measure[Gram]):
    """Hilbert–Schmidt independence criterion tr(KHLH)/n², K and L Gaussian kernels, H the centering.

    A kernel's width is the median distance of two rows. The kernel of categories is 1 if two rows have the
    same one, else 0. The bound is √(HSIC(x, x)·HSIC(y, y)).

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 21)
    >>> round(bc.adjust("hsic", x, x**2).adjusted, 3)
    0.243
    """

    name = "hsic"
    summary = "Hilbert–Schmidt independence criterion, Gaussian kernels; categories are equal or not"
    kinds = PairKind.ANY
    symmetric = True
    is_same_on_both_sides = True

    def prepare(self, values: Values, role: Role) -> Gram:
        """Compute the centered kernel matrix of a column."""
        numbers = np.asarray(values, dtype=np.float64)
        n = len(numbers)
        if n > _MAX_N:
            raise CostError(
                f"hsic keeps one n × n matrix per variable and takes at most {_MAX_N:,} rows, got {n:,}; "
                "`dcor` answers the same question in O(n log n)."
            )
        if numbers.min() == numbers.max():
            return Gram(np.zeros((n, n)), numbers)
        if values.dtype == np.int32:
            kernel = (numbers[:, np.newaxis] == numbers).astype(np.float64)
            return Gram(_centered(kernel), numbers, are_categories=True)
        # Small values are scaled up, so that means of distances keep their digits. Huge values are divided
        # by 4, so that no difference overflows. A larger divisor would merge values near 0 beside them.
        exponent = int(np.frexp(np.abs(numbers).max())[1])
        scaled = np.ldexp(numbers, max(_EXPONENT - exponent, -2))
        distances = np.abs(scaled[:, np.newaxis] - scaled)
        # Beyond forty widths the kernel is exactly 0. The minimum keeps the square finite.
        with np.errstate(over="ignore"):
            kernel = np.exp(-0.5 * np.minimum(distances / _width(distances), 40.0) ** 2)
        return Gram(_centered(kernel), numbers)

    def estimate(self, x: Gram, y: Gram) -> float:
        """Compute the inner product of the centered kernels over n²."""
        return max(float(np.einsum("kl,kl->", x.matrix, y.matrix)) / x.n**2, 0.0)

    def n_bytes(self, n: int) -> int:
        """Return the size of the kernel matrix in bytes."""
        return 8 * n * n

    def _statistic(self, x: Gram, y: Gram) -> _native.Statistic:
        return _native.Statistic.matrices(x.matrix, y.matrix, _native.Finish(divisor=float(x.n**2), low=0.0))

    def default_bound(self, x: Gram, y: Gram) -> float:
        """Return √(HSIC(x, x)·HSIC(y, y)), the bound by Cauchy and Schwarz."""
        norms = [float(np.einsum("kl,kl->", v.matrix, v.matrix)) for v in (x, y)]
        return float(np.sqrt(norms[0] * norms[1])) / x.n**2

    def structures(self, x: Gram, y: Gram) -> tuple[Structure, ...]:
        """Return the measure as tr(A·B) of the centered kernel matrices."""
        return (TraceForm(x.n, x, y, 1 / x.n**2, "pearson3"),)


def _centered(kernel: FloatArray) -> FloatArray:
    """Center the rows and columns of a kernel matrix, in place."""
    kernel -= kernel.mean(axis=0)
    kernel -= kernel.mean(axis=1, keepdims=True)
    return np.ascontiguousarray((kernel + kernel.T) / 2)


def _width(distances: FloatArray) -> float:
    """Return the width of the Gaussian kernel: the median distance, or if 0 the mean nonzero one."""
    between = distances[np.triu_indices(len(distances), k=1)]
    median = float(np.median(between))
    return median if median > 0 else float(between[between > 0].mean())
