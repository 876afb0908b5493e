"""Exact moments of trace statistics over permutations within cells, of their ratios, and of sums over strata.

T = Σ A_kl·B_π(k)π(l), π uniform within cells, A and B with zero row sums in every cell. T = ‖L‖² for a sum
L of independent vectors, one per cell, whose cumulants add. So the moments are those of each cell's own
trace (src/native/moments/trace_moments.hpp) and products of sums from two or three cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.covariates.design import Design
from bychance.covariates.factors import Factor
from bychance.nulls.base import Moments

__all__ = [
    "denominator_moments",
    "moments_of_ratios",
    "squared_sum_moments",
    "stratified_moments",
    "third_cumulants",
    "weighted_sum",
]

Array = NDArray[np.float64]

_MAX_JOINT_RANK = 200  # rank of x times rank of y, beyond which the third moment is not computed


def stratified_moments(x: Factor, y: Factor) -> Moments:
    """Compute mean, variance and third central moment of tr(A·ΠBΠ') over all permutations Π within cells.

    The third moment is NaN if it would take too long.
    """
    cells = x.cells
    is_large = cells.sizes > 1
    sizes = cells.sizes[is_large].astype(np.float64)
    within = _within_cells(x.invariants[is_large], y.invariants[is_large], sizes)
    spread = _spread(x, y, is_large, sizes)
    own = (
        np.einsum("hij,hij->h", x.grams, x.grams)[is_large]
        * np.einsum("hij,hij->h", y.grams, y.grams)[is_large]
    )
    between = 2 * (float(np.sum(spread**2)) - float(np.sum(own / (sizes - 1) ** 2)))
    variance = within.variance + between
    scale = float(np.sum(spread**2)) + within.variance
    if not variance > 1e-12 * scale:
        variance = 0.0
    if not (x.has_cubes and y.has_cubes and x.rank * y.rank <= _MAX_JOINT_RANK):
        return Moments(within.mean, variance)
    return Moments(within.mean, variance, within.third + _third_between(x, y, is_large, sizes, spread))


def _within_cells(x: Array, y: Array, sizes: Array) -> Moments:
    """Sum the null moments of the trace statistic over cells.

    The statistic is constant in cells of two rows.
    """
    mean = float(np.sum(x[:, 0] * y[:, 0] / (sizes - 1)))
    is_free = sizes > 2
    if not is_free.any():
        return Moments(mean, 0.0, 0.0)
    first, second = (np.ascontiguousarray(v[is_free]) for v in (x, y))
    each = np.arange(len(first))
    _, variances, thirds, _ = _native.trace_moments(first, second, sizes[is_free], each, each)
    return Moments(mean, float(np.sum(variances)), float(np.sum(thirds)))


def _spread(x: Factor, y: Factor, is_large: NDArray[np.bool_], sizes: Array) -> Array:
    """Return Σ_h vec(G_h)·vec(G*_h)'/(n_h − 1), the covariance of L with its entries in another order."""
    first, second = (v.grams[is_large].reshape(len(sizes), v.rank**2) for v in (x, y))
    return np.asarray((first / (sizes - 1)[:, np.newaxis]).T @ second)


def _third_between(x: Factor, y: Factor, is_large: NDArray[np.bool_], sizes: Array, spread: Array) -> float:
    """Return the part of the third central moment that comes from products between cells."""
    q, c = x.rank, y.rank
    covariance = spread.reshape(q, q, c, c).transpose(0, 2, 1, 3).reshape(q * c, q * c)
    invariants = x.invariants[is_large], y.invariants[is_large]
    own = invariants[0][:, 2] * invariants[1][:, 2] / (sizes - 1) ** 3
    joint = 8 * (float(np.einsum("ij,ij->", covariance @ covariance, covariance)) - float(np.sum(own)))
    joint += 12 * _fourth_with_second(x, y, is_large, sizes, spread)
    beta = _beta(sizes)
    for times, first, second, own_x, own_y in (
        (6, x.weighted_sums, y.weighted_sums, invariants[0][:, 6], invariants[1][:, 6]),
        (4, x.cubes, y.cubes, invariants[0][:, 7], invariants[1][:, 7]),
    ):
        shared = (first[is_large] * beta[:, np.newaxis]).T @ second[is_large]
        joint += times * (float(np.sum(shared**2)) - float(np.sum(beta**2 * own_x * own_y)))
    return joint


def third_cumulants(x: Factor, y: Factor) -> float:
    """Return the squared norm of the third cumulants of the standardized vector L, its skewness."""
    is_large = x.cells.sizes > 1
    sizes = x.cells.sizes[is_large].astype(np.float64)
    spread = float(np.sum(_spread(x, y, is_large, sizes) ** 2))
    if not (x.has_cubes and y.has_cubes) or spread == 0:
        return 0.0
    shared = (x.cubes[is_large] * _beta(sizes)[:, np.newaxis]).T @ y.cubes[is_large]
    return float(np.sum(shared**2) / spread**1.5)


def _beta(sizes: Array) -> Array:
    return np.divide(sizes, (sizes - 1) * (sizes - 2), out=np.zeros_like(sizes), where=sizes > 2)


def _fourth_with_second(
    x: Factor, y: Factor, is_large: NDArray[np.bool_], sizes: Array, spread: Array
) -> float:
    """Sum products of fourth cumulants of one cell's vector with second cumulants of another's.

    The sum is over κ_hg/(n_g − 1) for h ≠ g. κ_hg is bilinear in q, u and w, which are linear in the Gram
    matrix G_g, so the sum over g is a form in `spread`.
    """
    first, second = (_forms(v, is_large) for v in (x, y))
    own = [[_dot(form, v.grams[is_large]) for form in forms] for v, forms in ((x, first), (y, second))]
    n = sizes

    def both(a: Sequence[float], b: Sequence[float]) -> Array:
        """Return Σ_g (a·(q, u, w))(b·(q, u, w)*)/(n_g − 1) over all other cells g."""
        left = sum(s * f for s, f in zip(a, first, strict=True))
        right = sum(s * f for s, f in zip(b, second, strict=True))
        size = len(n)
        whole = np.einsum("hi,hi->h", np.reshape(left, (size, -1)) @ spread, np.reshape(right, (size, -1)))
        own_x = sum(s * v for s, v in zip(a, own[0], strict=True))
        own_y = sum(s * v for s, v in zip(b, own[1], strict=True))
        return np.asarray(whole - own_x * own_y / (n - 1))

    def same(*coefficients: float) -> Array:
        return both(coefficients, coefficients)

    total = same(1, 0, 0) / n
    total = total + (same(-1, 1, 0) + 2 * same(-1, 0, 1) + 4 * same(1, 0, 0)) / (n * (n - 1))
    falling = n * (n - 1) * (n - 2)
    threes = 2 * same(2, -1, 0) + 4 * same(2, 0, -1)
    total = total + np.divide(threes, falling, out=np.zeros_like(n), where=n > 2)
    fours = same(-6, 1, 2)
    total = total + np.divide(fours, falling * (n - 3), out=np.zeros_like(n), where=n > 3)
    total = total - (same(0, 1, 0) + 2 * same(0, 0, 1)) / (n - 1) ** 2
    return float(np.sum(total))


def _forms(v: Factor, is_large: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """Return three matrices per cell whose inner products with a Gram matrix G_g give q, u and w.

    They are the weighted Gram matrix, tr(G_h)·G_h, and G_h².
    """
    grams = v.grams[is_large]
    traces = np.einsum("hii->h", grams)
    return v.weighted_grams[is_large], grams * traces[:, np.newaxis, np.newaxis], grams @ grams


def _dot(first: Array, second: Array) -> Array:
    return np.asarray(np.einsum("hij,hij->h", first, second))


def denominator_moments(design: Design, t: Array, t2: Array, s2: Array, grams: Array) -> tuple[Array, Array]:
    """Compute mean and variance of tr(MΠBΠ'), the squares left after permuting and residualizing again.

    In each cell h, t, t2 and s2 are the traces of B_hh and of its square and the sum of the squares of its
    diagonal, and `grams` holds U_h'U_h as a vector. The third central moment is below 0.1% of the cubed
    mean.
    """
    rest = design.rest
    t, t2, s2, grams = t[..., rest.at], t2[..., rest.at], s2[..., rest.at], grams[..., rest.at, :]
    mean = np.sum(rest.t * t / (rest.n - 1), axis=-1)
    within = np.sum(_core_variances(rest.n, (rest.t, rest.t2, rest.s2), (t, t2, s2)), axis=-1)
    spread = grams / (rest.n - 1)[:, np.newaxis]
    joint = np.tensordot(spread, rest.shared, axes=(-2, 0))
    own = rest.shared_squares * np.sum(spread**2, axis=-1)
    between = 2 * (np.sum(joint**2, axis=(-1, -2)) - np.sum(own, axis=-1))
    return mean, np.maximum(within + between, 0.0)


def _core_variances(n: Array, x: tuple[Array, Array, Array], y: tuple[Array, Array, Array]) -> Array:
    """Compute the variance of tr(A·ΠBΠ') in each cell from its sums T, T2 and S2 (Kazi-Aoual et al. 1995)."""
    spread = [(n - 1) * t2 - t * t for t, t2, _ in (x, y)]
    excess = [n * (n + 1) * s2 - (n - 1) * (t * t + 2 * t2) for t, t2, s2 in (x, y)]
    first, falling = (n - 1) ** 2 * (n + 1) * (n - 2), (n + 1) * n * (n - 1) * (n - 2) * (n - 3)
    weight = np.divide(2.0, first, out=np.zeros_like(n), where=n > 2)
    weight_of_excess = np.divide(1.0, falling, out=np.zeros_like(n), where=n > 3)
    return np.asarray(weight * spread[0] * spread[1] + weight_of_excess * excess[0] * excess[1])


def moments_of_ratios(mean: Any, variance: Any, third: Any, left: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Approximate the null moments of a permuted partial R² by E[T^j] = E[num^j]/E[den^j].

    Denominators are taken to have no skewness. `left` has the first two raw moments of the denominators.
    The approximation is exact if permutation leaves the denominator unchanged, and for random rotations.
    """
    first, second = left
    cubed = 3 * first * second - 2 * first**3
    e1, e2 = mean / first, (variance + mean**2) / second
    e3 = (third + 3 * mean * variance + mean**3) / cubed
    return e1, np.maximum(e2 - e1**2, 0.0), e3 - 3 * e1 * e2 + 2 * e1**3


def weighted_sum(parts: Sequence[Moments], weights: Sequence[float] | Array) -> Moments:
    """Compute the moments of Σ w_h·D_h from those of the independent values D_h of the strata."""
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
