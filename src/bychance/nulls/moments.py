"""Exact permutation moments of a measure, from its algebraic structure, without sampling.

Formulas: mean, variance and third moment of tr(A·B) (src/native/moments/trace_moments.hpp), of mutual
information (src/native/moments/information_moments.hpp), of sums over pairs of rows (Mantel 1967), of
agreement, and of Kendall's S².
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    PairInvariants,
    PairSum,
    SignSum,
    Structure,
    TogetherSum,
    TraceForm,
)
from bychance.nulls.base import Moments
from bychance.nulls.kendall import squared_s_moments
from bychance.scores import Value

__all__ = ["MAX_BULK_VARIANCE_OPERATIONS", "cheap_mean", "exact_moments"]

# A second or two; tables that need more have their variance sampled.
MAX_VARIANCE_OPERATIONS = 1e9
# A pair of a whole table: some 50 milliseconds.
MAX_BULK_VARIANCE_OPERATIONS = 5e7


@singledispatch
def exact_moments(structure: Structure) -> Moments | None:
    """Compute exact moments over all permutations, or return None without a closed form."""
    return None


@exact_moments.register
def _(structure: TraceForm) -> Moments:
    invariants = structure.x.invariants, structure.y.invariants
    return Moments(*_native.scaled_trace_moments(*invariants, float(structure.n), float(structure.scale)))


@exact_moments.register
def _(structure: CellSum) -> Moments | None:
    if structure.function == "information":
        return _information_moments(structure)
    if structure.function == "diagonal":
        return _diagonal_moments(structure)
    return None


@exact_moments.register
def _(structure: PairSum) -> Moments:
    n = float(structure.n)
    pairs, triples = n * (n - 1), n * (n - 1) * (n - 2)
    mean = structure.x.total * structure.y.total / pairs
    # Less the mean entry of either matrix the sum differs by a constant, and no large mean is subtracted.
    x, y = _less_mean_entry(structure.x, n), _less_mean_entry(structure.y, n)
    same, adjacent = 2 * x.squares * y.squares / pairs, 4 * _adjacent(x) * _adjacent(y) / triples
    disjoint = _disjoint(x) * _disjoint(y) / (triples * (n - 3)) if n > 3 else 0.0
    variance = snapped(same + adjacent + disjoint, same + abs(adjacent) + disjoint)
    return Moments(mean, variance).scaled(structure.scale, structure.offset)


@exact_moments.register
def _(structure: TogetherSum) -> Moments:
    # The indicator of "same label" is a centered matrix plus what its row sums add, so the sum splits into
    # tr(A·B), a sum over rows of r_k·s_k and a constant: no term cancels another.
    n = float(structure.rows.sum())
    first, second = (_Indicator.of(sizes) for sizes in (structure.rows, structure.columns))
    mean, quadratic, _third = _native.scaled_trace_moments(first.invariants, second.invariants, n, 1.0)
    linear = 4 * n**2 * first.row_squares * second.row_squares / (n - 1)
    shared = 4 * n**2 * first.overlap * second.overlap / ((n - 1) * (n - 2))
    variance = snapped(quadratic + linear + shared, quadratic + linear)
    total = mean + n**2 * first.density * second.density
    return Moments(total, variance).scaled(structure.scale, structure.offset)


@exact_moments.register
def _(structure: SignSum) -> Moments:
    return squared_s_moments(*structure.ties).scaled(structure.scale)


@dataclass(frozen=True, slots=True)
class _Indicator:
    """Matrix with 1 for two rows of the same category: invariants of its centered part, and row sums."""

    invariants: NDArray[np.float64]
    density: float  # the mean entry
    row_squares: float  # Σ r_k², r_k the mean of row k less the density
    overlap: float  # Σ d_k·r_k, d the diagonal of the centered part

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> _Indicator:
        shares = sizes / sizes.sum()
        density = float((shares**2).sum())
        above = shares - density
        return cls(
            _native.partition_invariants(sizes, np.ones(len(sizes))),
            density,
            float((sizes * above**2).sum()),
            float((sizes * (1 - 2 * shares + density) * above).sum()),
        )


def cheap_mean(structure: Structure) -> float | None:
    """Return the exact mean of mutual information, which is cheap even if its variance is not, or None."""
    if isinstance(structure, CellSum) and structure.function == "information":
        return float(structure.scale * _native.information_mean(structure.rows, structure.columns))
    return None


def _less_mean_entry(v: PairInvariants, n: float) -> PairInvariants:
    """Return the invariants of the matrix after subtracting the mean off-diagonal entry."""
    squares = max(v.squares - v.total**2 / (n * (n - 1)), 0.0)
    return replace(v, total=0.0, squares=squares, row_squares=max(v.row_squares - v.total**2 / n, 0.0))


def _adjacent(v: PairInvariants) -> float:
    """Return the sum of products of two matrix entries that share exactly one row."""
    return v.row_squares - v.squares


def _disjoint(v: PairInvariants) -> float:
    """Return the sum of products of two matrix entries that share no row."""
    return v.total**2 - 4 * v.row_squares + 2 * v.squares


def _information_moments(structure: CellSum) -> Moments:
    try:
        found = _native.information_moments(structure.rows, structure.columns, MAX_VARIANCE_OPERATIONS)
    except OverflowError as error:
        raise CostError(f"{error}, too many for this table") from None
    return Moments(*found).scaled(structure.scale, structure.offset)


def snapped(variance: Value, terms: Value) -> Value:
    """Return the variance, or 0 if it is within rounding of terms of this size."""
    return variance * (variance > 1e-12 * terms)


def _diagonal_moments(structure: CellSum) -> Moments:
    a, b = structure.rows.astype(np.float64), structure.columns.astype(np.float64)
    n, products = a.sum(), a * b
    spread = np.sum(products * (n - a) * (n - b)) + products.sum() ** 2 - np.sum(products**2)
    matches = Moments(float(products.sum() / n), float(spread / (n**2 * (n - 1))))
    return matches.scaled(structure.scale, structure.offset)
