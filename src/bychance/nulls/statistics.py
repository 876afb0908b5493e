"""Statistics from which nulls are computed: a record of many pairs of columns, and exact moments of one.

In:  values, invariants and counts of pairs of any kinds, from tables and streams, or an algebraic structure.
Out: PairStatistics, or the moments of a measure over all permutations, without sampling.

Formulas: mean, variance and third moment of tr(A·B) (src/native/moments/trace_moments.hpp), of mutual
information (src/native/moments/information_moments.hpp), of sums over pairs of rows (Mantel 1967), of
agreement, and of Kendall's S².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    PairInvariants,
    PairSum,
    SignSum,
    Structure,
    TogetherSum,
    Trace,
    TraceForm,
)
from bychance.nulls.base import Moments
from bychance.nulls.kendall import squared_s_moments
from bychance.scores import Value

__all__ = [
    "MAX_BULK_VARIANCE_OPERATIONS",
    "PairStatistics",
    "cheap_mean",
    "exact_moments",
    "invariants_of_lines",
    "joined",
    "merge_subsets",
    "of_lines",
    "of_one",
]


_NOTHING = np.zeros(1)  # value of a pair that is known by its moments only
MAX_VARIANCE_OPERATIONS = 1e9  # operations for the variance of mutual information: 1–2 s (time; taste)
MAX_BULK_VARIANCE_OPERATIONS = 5e7  # the same for a pair of a whole table: 50 ms (time; taste)


@dataclass(frozen=True, slots=True, eq=False)
class PairStatistics:
    """Statistics of P pairs of columns that determine their null distributions, as arrays.

    They are of the rows that both columns have. Arrays have one entry per pair, or a row for x and one for y.
    Entries of degenerate pairs mean nothing, except `n`, and `value`, 0 for standardized columns.
    """

    n: IntArray
    value: FloatArray  # tr(A·B), or if `bound` is stated the measure itself
    distinct: IntArray  # (2, P) distinct values, of numbers exact up to 10, which stands for more
    is_degenerate: BoolArray  # a constant column, a category for every row, fewer than three rows, or unknown
    sign: NDArray[np.int8] | None = None  # of the correlation; None if the measure has none

    # Invariants of A and of B, 8 each as src/native/moments/trace_moments.hpp orders them: one row per pair,
    # or with `at` one row per column of unit norm, and which of these each pair has.
    invariants: tuple[FloatArray, FloatArray] | None = None
    at: tuple[IndexArray, IndexArray] | None = None
    smallest: IntArray | None = None  # (2, P) sizes of the smallest groups, 0 of numbers

    # Stated if invariants do not give them: mutual information, and pairs given covariates.
    bound: FloatArray | None = None  # the largest value that the measure can have
    moments: FloatArray | None = (
        None  # (3, P) mean, variance and third central moment of the null, NaN if unknown
    )

    # Stated for pairs given covariates.
    df: IntArray | None = None  # degrees of freedom of the covariates
    third_cumulants: FloatArray | None = None  # of the null, within cells
    is_ratio: BoolArray | None = None  # the moments are of a ratio whose denominator varies, and approximate
    remarks: NDArray[np.object_] | None = None  # sentences for the pairs' notes
    still_follow: BoolArray | None = None  # x and y still follow the covariates

    # Stated once the measure's units are known, and for pairs given covariates.
    scale: FloatArray | None = None  # of tr(A·B)
    others: IntArray | None = None  # (2, P) rows that differ from the most common value, at least so many
    outside: IntArray | None = None  # (2, P) rows outside the largest cluster
    log_arrangements: FloatArray | None = None  # of the column with fewer, inf if its rows are not at hand

    def in_units(self, form: Trace) -> PairStatistics:
        """Return the statistics with `value`, bound and scale of the measure `form` in place of tr(A·B)."""
        assert self.invariants is not None
        variation = (
            1.0 if self.at is not None else self.invariants[1][:, 0]
        )  # standardized columns have norm 1
        scale = form.scale(self.n, variation)
        bound = form.bound(self.n, variation, *self.distinct)
        scales, bounds = (np.broadcast_to(np.float64(each), self.n.shape) for each in (scale, bound))
        return replace(self, value=np.clip(self.value * scale, 0.0, bound), scale=scales, bound=bounds)

    def invariants_of_pairs(self) -> tuple[FloatArray, FloatArray]:
        """Return the eight permutation-invariant sums of x's and of y's matrix, one row per pair."""
        assert self.invariants is not None
        if self.at is None:
            return self.invariants
        return self.invariants[0][self.at[0]], self.invariants[1][self.at[1]]

    def pick(self, rows: IndexArray) -> PairStatistics:
        """Return the statistics of the pairs at positions `rows`."""
        invariants = self.invariants
        at = None if self.at is None else (self.at[0][rows], self.at[1][rows])
        if invariants is not None and at is None:
            invariants = invariants[0][rows], invariants[1][rows]
        own: dict[str, Any] = {name: getattr(self, name)[..., rows] for name in self._names_of_set_arrays}
        return PairStatistics(**own, invariants=invariants, at=at)

    @property
    def _names_of_set_arrays(self) -> list[str]:
        """Names of the arrays that are not None, other than the invariants."""
        names = (field.name for field in fields(self) if field.name not in ("invariants", "at"))
        return [name for name in names if getattr(self, name) is not None]


def of_lines(
    n: IntArray, r: FloatArray, invariants: tuple[FloatArray, FloatArray], distinct: IntArray
) -> PairStatistics:
    """Create statistics of pairs of numeric columns from their correlations r, NaN if one is constant."""
    is_degenerate = (n < 3) | np.isnan(r)
    r = np.where(is_degenerate, 0.0, r)
    return PairStatistics(
        n=n,
        value=np.minimum(r * r, 1.0),
        sign=np.sign(r).astype(np.int8),
        distinct=distinct,
        is_degenerate=is_degenerate,
        invariants=invariants,
    )


def invariants_of_lines(sums: FloatArray) -> FloatArray:
    """Return eight permutation-invariant sums of cc' per standardized column c, from Σc³, Σc⁴ and Σc⁶.

    They are T, T2, T3, S2, S3, B1, R, U (trace_moments.hpp).
    """
    invariants = np.ones((len(sums), 8))
    invariants[:, 3] = invariants[:, 5] = sums[:, 1]
    invariants[:, 4] = sums[:, 2]
    invariants[:, 6] = invariants[:, 7] = sums[:, 0] ** 2
    return invariants


def of_one(*, invariants: tuple[FloatArray, FloatArray] | None = None, **stated: Any) -> PairStatistics:
    """Create `PairStatistics` of a single pair, from keyword values that are numbers or (x, y) tuples."""
    arrays: dict[str, Any] = {name: np.array(values)[..., np.newaxis] for name, values in stated.items()}
    return PairStatistics(value=_NOTHING, is_degenerate=_NOTHING > 0, invariants=invariants, **arrays)


def joined(
    parts: Sequence[PairStatistics], invariants: FloatArray, at: tuple[IndexArray, IndexArray]
) -> PairStatistics:
    """Join in one record the statistics of several sets of pairs of standardized numeric columns.

    `invariants` has one row per column, and `at` the positions of each pair's columns in it.
    """
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=-1)
        for name in parts[0]._names_of_set_arrays
    }
    return PairStatistics(**arrays, invariants=(invariants, invariants), at=at)


def merge_subsets(n: IntArray, parts: Sequence[tuple[IndexArray, PairStatistics]]) -> PairStatistics:
    """Merge statistics of subsets of pairs into one record of all pairs.

    `parts` has the positions of each subset among all pairs, and its statistics.

    Pairs in no part are degenerate, with n rows. All parts set the same arrays.
    """
    places, found = np.concatenate([at for at, _ in parts]), [part for _, part in parts]

    def placed(arrays: Sequence[NDArray[Any]], axis: int = -1) -> NDArray[Any]:
        values = np.moveaxis(np.concatenate(arrays, axis=axis), axis, 0)
        everything = np.full((len(n), *values.shape[1:]), "" if values.dtype == object else 0, values.dtype)
        everything[places] = values
        return np.moveaxis(everything, 0, axis)

    stated = found[0]._names_of_set_arrays
    own: dict[str, Any] = {name: placed([getattr(part, name) for part in found]) for name in stated}
    own["n"] = np.where(own["n"] > 0, own["n"], n).astype(np.int64)
    own["is_degenerate"] = ~placed([~part.is_degenerate for part in found])
    if found[0].invariants is not None:
        x, y = zip(*(part.invariants_of_pairs() for part in found), strict=True)
        own["invariants"] = placed(x, axis=0), placed(y, axis=0)
    return PairStatistics(**own)


@singledispatch
def exact_moments(structure: Structure) -> Moments | None:
    """Compute a measure's exact null moments over all permutations, or return None without a closed form."""
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
    moments = _moments_of_pair_sum(structure.n, structure.x, structure.y)
    return moments.scaled(structure.scale, structure.offset)


@exact_moments.register
def _(structure: TogetherSum) -> Moments:
    # Each row shares its category with itself, and with the others of the category.
    n, sides = int(structure.rows.sum()), (_same_category(structure.rows), _same_category(structure.columns))
    moments = _moments_of_pair_sum(n, *sides)
    return moments.scaled(structure.scale, structure.offset + structure.scale * n)


@exact_moments.register
def _(structure: SignSum) -> Moments:
    return squared_s_moments(*structure.ties).scaled(structure.scale)


def _same_category(sizes: IntArray) -> PairInvariants:
    """Return sums over the matrix with 1 for two different rows of one category, from category sizes."""
    s = sizes.astype(np.float64)
    pairs = float((s * (s - 1)).sum())
    return PairInvariants(len(s), 0, pairs, pairs, float((s * (s - 1) ** 2).sum()))


def _moments_of_pair_sum(n: int, x: PairInvariants, y: PairInvariants) -> Moments:
    """Compute mean and variance of Σ_{k≠l} W_kl·V_kl over all permutations of the rows of V.

    Each matrix is its mean entry plus row effects u_k + u_l plus a remainder whose rows sum to 0. Sums of
    products of row effects and of remainders are uncorrelated: their variances are
    4·R(W)·R(V)/((n − 1)(n − 2)²) and 2·Q(W)·Q(V)/(n(n − 3)), with R = (n − 2)²·Σu² and Q the squared
    remainder.
    """
    (rx, sx), (ry, sy) = (
        (max(v.row_squares - v.total**2 / n, 0.0), max(v.squares - v.total**2 / (n * (n - 1)), 0.0))
        for v in (x, y)
    )
    qx, qy = sx - 2 * rx / (n - 2), sy - 2 * ry / (n - 2)
    effects, remainders = 4 * rx * ry / ((n - 1) * (n - 2) ** 2), 2 * qx * qy / (n * max(n - 3, 1))
    variance = snapped(effects + remainders, effects + 2 * sx * sy / (n * (n - 1)))
    return Moments(x.total * y.total / (n * (n - 1)), variance)


def cheap_mean(structure: Structure) -> float | None:
    """Return the exact mean of mutual information, which is cheap even if its variance is not, or None."""
    if isinstance(structure, CellSum) and structure.function == "information":
        mean, _, _ = _native.information_moments(structure.rows, structure.columns, 0.0)
        return structure.scale * mean
    return None


def _information_moments(structure: CellSum) -> Moments:
    totals = structure.rows, structure.columns
    mean, variance, cost = _native.information_moments(*totals, MAX_VARIANCE_OPERATIONS)
    if cost > MAX_VARIANCE_OPERATIONS:
        raise CostError(f"the variance needs about {cost:.0f} operations, too many for this table")
    return Moments(mean, variance).scaled(structure.scale, structure.offset)


def snapped(variance: Value, terms: Value) -> Value:
    """Set a variance to 0 if it is below the rounding error of terms of size `terms`, and return it."""
    return variance * (variance > 1e-12 * terms)


def _diagonal_moments(structure: CellSum) -> Moments:
    a, b = structure.rows.astype(np.float64), structure.columns.astype(np.float64)
    n, products = a.sum(), a * b
    spread = np.sum(products * (n - a) * (n - b)) + products.sum() ** 2 - np.sum(products**2)
    matches = Moments(float(products.sum() / n), float(spread / (n**2 * (n - 1))))
    return matches.scaled(structure.scale, structure.offset)
