"""Exact moments of tr(A·ΠBΠ') over permutations Π within cells, of ratios of them, and of sums over strata.

T = Σ A_kl·B_π(k)π(l), π uniform within cells, A and B with zero row sums in every cell. T = ‖L‖² for a sum
L of independent vectors, one per cell, whose cumulants add. So the moments are those of each cell's own
trace (src/native/moments/trace_moments.hpp) and products of sums from two or three cells.

A matrix is given by a factor U with A = UU', so no n × n matrix is ever made. U has one column for a numeric
variable, and at most one less than its categories for a categorical one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.covariates.cells import Cells
from bychance.nulls.base import Moments

__all__ = [
    "Factor",
    "denominator_moments",
    "moments_of_ratios",
    "squared_sum_moments",
    "stratified_moments",
    "third_cumulants",
    "weighted_sum",
]


_MAX_JOINT_RANK = 200  # rank of x times rank of y up to which the third moment is computed (time; taste)
_MAX_CUBES = 5e7  # most entries of U⊗U⊗U over all rows: 400 MB of doubles (memory; taste)
# Weights of products of (q, u, w) of x with those of y in a fourth cumulant, over n, n(n − 1), and so on.
_FOURTH_CUMULANT = [
    sum(weight * np.outer(a, a) for weight, a in terms)
    for terms in (
        [(1, (1, 0, 0))],
        [(1, (-1, 1, 0)), (2, (-1, 0, 1)), (4, (1, 0, 0))],
        [(2, (2, -1, 0)), (4, (2, 0, -1))],
        [(1, (-6, 1, 2))],
    )
]


@dataclass(frozen=True, eq=False)
class Factor:
    """Matrix U of which A = UU' represents a variable in tr(A·B). Its columns sum to 0 in each cell."""

    cells: Cells
    u: FloatArray  # (n, q)

    @property
    def rank(self) -> int:
        """Number of columns of U, 0 if the covariates determine the variable."""
        return int(self.u.shape[1])

    @cached_property
    def trace(self) -> float:
        return float(np.sum(self.u**2))

    @cached_property
    def diagonal(self) -> FloatArray:
        return np.asarray(np.sum(self.u**2, axis=1))

    @cached_property
    def grams(self) -> FloatArray:
        """Gram matrices U_h'U_h of the rows of U in each cell h, one flattened matrix per cell."""
        return self.cells.products(self.u).reshape(len(self.cells), self.rank**2)

    @property
    def has_cubes(self) -> bool:
        """True if the sums of third-order products `cubes` fit in memory."""
        q = self.rank
        return len(self.u) * q * (q + 1) * (q + 2) / 6 <= _MAX_CUBES

    @cached_property
    def cubes(self) -> FloatArray:
        """Sums of third-order products u⊗u⊗u over the rows u of U, one vector per cell.

        Only distinct entries are kept, each times the square root of its multiplicity.
        """
        entries = list(combinations_with_replacement(range(self.rank), 3))
        times = np.array([(1, 3, 6)[len(set(entry)) - 1] for entry in entries])
        i, j, k = np.array(entries, dtype=np.intp).reshape(-1, 3).T
        return np.asarray(self.cells.sums(self.u[:, i] * self.u[:, j] * self.u[:, k]) * np.sqrt(times))

    @cached_property
    def weighted_sums(self) -> FloatArray:
        """Sums of the rows u_k of U, weighted by the diagonal of A = UU', one vector per cell."""
        return self.cells.sums(self.u * self.diagonal[:, np.newaxis])

    @cached_property
    def forms(self) -> FloatArray:
        """Three matrices per cell, flattened. Inner products with Gram matrices give fourth cumulants.

        The products are q, u and w. The matrices are Σ d_k·u_k u_k' with d the diagonal of A, tr(G_h)·G_h,
        and G_h².
        """
        grams = self.grams.reshape(len(self.grams), self.rank, self.rank)
        traces = np.einsum("hii->h", grams)[:, np.newaxis, np.newaxis]
        forms = np.stack([self.cells.products(self.u, self.diagonal), traces * grams, grams @ grams])
        return forms.reshape(3, *self.grams.shape)

    @cached_property
    def own_forms(self) -> FloatArray:
        """Inner products of each cell's three matrices `forms` with the cell's Gram matrix."""
        return np.asarray(np.einsum("fhi,hi->fh", self.forms, self.grams))

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums per stratum over the entries of A = UU' that permutations of its rows do not change.

        They determine the moments of the null (native/moments/trace_moments.hpp).
        """
        d, sums, (b1, _, t3) = self.diagonal, self.cells.sums, self.own_forms
        t2, r = np.sum(self.grams**2, axis=1), np.sum(self.weighted_sums**2, axis=1)
        u = np.sum(self.cubes**2, axis=1) if self.has_cubes else np.full(len(t2), np.nan)
        return np.ascontiguousarray(np.column_stack([sums(d), t2, t3, sums(d**2), sums(d**3), b1, r, u]))


def stratified_moments(x: Factor, y: Factor) -> Moments:
    """Compute mean, variance and third central moment of tr(A·ΠBΠ') over all permutations Π within cells.

    The third moment is NaN if it would take too long.
    """
    n, spread = _sizes(x.cells), _spread(x, y)
    means, variances, thirds = _moments_within(x.invariants, y.invariants, n)
    mean, within, joint = float(np.sum(means)), float(np.sum(variances)), float(np.sum(spread**2))
    own = np.sum(x.invariants[:, 1] * y.invariants[:, 1] / (n - 1) ** 2)
    variance = within + 2 * (joint - float(own))
    if not variance > 1e-12 * (joint + within):
        variance = 0.0
    if not (x.has_cubes and y.has_cubes and x.rank * y.rank <= _MAX_JOINT_RANK):
        return Moments(mean, variance)
    return Moments(mean, variance, float(np.sum(thirds)) + _third_between(x, y, n, spread))


def third_cumulants(x: Factor, y: Factor) -> float:
    """Return the squared third cumulants of L, whose squared norm is tr(A·ΠBΠ'), at unit size."""
    spread = float(np.sum(_spread(x, y) ** 2))
    if not (x.has_cubes and y.has_cubes) or spread == 0:
        return 0.0
    shared = (x.cubes * _beta(_sizes(x.cells))[:, np.newaxis]).T @ y.cubes
    return float(np.sum(shared**2) / spread**1.5)


def _sizes(cells: Cells) -> FloatArray:
    """Return the number of rows per cell, with 2 in place of 1 to avoid division by zero."""
    return np.maximum(cells.sizes, 2).astype(np.float64)


def _spread(x: Factor, y: Factor) -> FloatArray:
    """Return the covariances, over permutations, of the entries of L, whose squared norm is tr(A·ΠBΠ')."""
    return np.asarray((x.grams / (_sizes(x.cells) - 1)[:, np.newaxis]).T @ y.grams)


def _moments_within(x: FloatArray, y: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute mean, variance and third central moment of each cell's own trace over its permutations.

    The trace is constant in cells of two rows.
    """
    shape = y.shape[:-1]
    at, each = np.broadcast_to(np.arange(len(n)), shape).ravel(), np.arange(y.size // 8)
    rows = np.ascontiguousarray(y.reshape(-1, 8))
    mean, variance, third, _ = _native.trace_moments(x, rows, n[at], at, each)
    is_free = n > 2
    found = mean.reshape(shape), *(np.where(is_free, v.reshape(shape), 0.0) for v in (variance, third))
    return found[0], found[1], found[2]


def _third_between(x: Factor, y: Factor, n: FloatArray, spread: FloatArray) -> float:
    """Return the part of the third central moment of tr(A·ΠBΠ') from products of different cells."""
    q, c = x.rank, y.rank
    covariance = spread.reshape(q, q, c, c).transpose(0, 2, 1, 3).reshape(q * c, q * c)
    own = x.invariants[:, 2] * y.invariants[:, 2] / (n - 1) ** 3
    joint = 8 * (float(np.einsum("ij,ij->", covariance @ covariance, covariance)) - float(np.sum(own)))
    joint += 12 * _fourth_with_second(x, y, n, spread)
    beta = _beta(n)
    for times, first, second, k in ((6, x.weighted_sums, y.weighted_sums, 6), (4, x.cubes, y.cubes, 7)):
        shared = (first * beta[:, np.newaxis]).T @ second
        own = beta**2 * x.invariants[:, k] * y.invariants[:, k]
        joint += times * (float(np.sum(shared**2)) - float(np.sum(own)))
    return joint


def _beta(n: FloatArray) -> FloatArray:
    return np.divide(n, (n - 1) * (n - 2), out=np.zeros_like(n), where=n > 2)


def _fourth_with_second(x: Factor, y: Factor, n: FloatArray, spread: FloatArray) -> float:
    """Sum products of one cell's fourth and another cell's second cumulants, for the third moment.

    The sum is over κ_hg/(n_g − 1) for h ≠ g. κ_hg is bilinear in q, u and w, which are linear in the Gram
    matrix G_g, so the sum over g is a form in `spread`.
    """
    products = np.einsum("shi,thi->sth", x.forms @ spread, y.forms)
    products -= x.own_forms[:, np.newaxis] * y.own_forms / (n - 1)
    total, falling = -(products[1, 1] + 2 * products[2, 2]) / (n - 1) ** 2, np.ones_like(n)
    for k, weights in enumerate(_FOURTH_CUMULANT):
        falling = falling * (n - k)
        terms = np.einsum("sth,st->h", products, weights)
        total += np.divide(terms, falling, out=np.zeros_like(n), where=n > k)
    return float(np.sum(total))


def denominator_moments(
    own: tuple[FloatArray, FloatArray], cells: Cells, invariants: FloatArray, grams: FloatArray
) -> FloatArray:
    """Compute the first two raw moments of tr(MΠBΠ'), the denominator of a partial R² under permutations Π.

    `own` has the invariants and Gram matrices of each cell's block of M, `invariants` and `grams` those of B.
    The third central moment is below 0.1% of the cubed mean.
    """
    (own_invariants, own_grams), n = own, _sizes(cells)
    means, variances, _ = _moments_within(own_invariants, invariants, n)
    spread = grams / (n - 1)[:, np.newaxis]
    joint = np.tensordot(spread, own_grams, axes=(-2, 0))
    own = np.sum(own_grams**2, axis=1) * np.sum(spread**2, axis=-1)
    between = 2 * (np.sum(joint**2, axis=(-1, -2)) - np.sum(own, axis=-1))
    mean = np.sum(means, axis=-1)
    return np.stack([mean, np.maximum(np.sum(variances, axis=-1) + between, 0.0) + mean**2], axis=-1)


def moments_of_ratios(mean: Any, variance: Any, third: Any, left: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Approximate mean, variance and third central moment of a partial R² over permutations.

    Raw moments of the numerator are divided by those of the denominator.

    Denominators are taken to have no skewness. `left` has the first two raw moments of the denominators.
    The approximation is exact if permutation leaves the denominator unchanged, and for random rotations.
    """
    first, second = left
    cubed = 3 * first * second - 2 * first**3
    e1, e2 = mean / first, (variance + mean**2) / second
    e3 = (third + 3 * mean * variance + mean**3) / cubed
    return e1, np.maximum(e2 - e1**2, 0.0), e3 - 3 * e1 * e2 + 2 * e1**3


def weighted_sum(parts: Sequence[Moments], weights: Sequence[float] | FloatArray) -> Moments:
    """Compute the moments of a weighted sum of independent statistics, one per stratum."""
    mean = variance = third = 0.0
    for w, part in zip(weights, parts, strict=True):
        mean, variance = mean + w * part.mean, variance + w**2 * part.variance
        third += w**3 * part.third
    return Moments(float(mean), float(variance), float(third))


def squared_sum_moments(parts: Sequence[Moments]) -> Moments:
    """Compute mean and variance of (Σ S_h)² from those of S_h² for independent, symmetric S_h."""
    second = sum(part.mean for part in parts)
    fourth = sum(part.variance - 2 * part.mean**2 for part in parts)
    return Moments(float(second), float(fourth + 2 * second**2))
