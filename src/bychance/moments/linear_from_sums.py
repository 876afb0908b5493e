"""Partial r² of numeric columns of a streamed table, beyond covariates that are taken out linearly.

In:  sums of products over the rows that each pair shares, and the sampled rows.
Out: observed values and null means of all rows; what the residuals are like comes from the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import Column, numbers_of
from bychance.covariates.covariates import Covariates
from bychance.covariates.moments import moments_of_ratios
from bychance.covariates.pair import has_common_effect
from bychance.covariates.settings import remarks_of_pairs
from bychance.covariates.variables import columns_of
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.moments.linear_sums import GivenSums
from bychance.moments.row_sums import RowSums
from bychance.moments.within_cells import of_partial_correlations
from bychance.nulls.statistics import GivenStatistics, PairStatistics, invariants_of_lines, spread

__all__ = ["given_from_sums"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_FEWEST_LEFT = 3
_KEPT = 1e-9  # the share of its square that a covariate must keep beside the earlier ones
_LEAST_LEFT = 1e-5  # of a sum of squares, below which rounding could show: the sample must tell


def given_from_sums(
    measure: Measure[Any],
    covariates: Covariates,
    sums: RowSums,
    sides: tuple[Sequence[Column], Sequence[Column]],
    pairs: tuple[Indices, Indices],
    others: NDArray[np.int64],
) -> PairStatistics | None:
    """Return the statistics of pairs given covariates; None if the sampled rows have to be used."""
    is_line = measure.name in ("r2", "explained") and has_common_effect(measure, covariates)
    are_numbers = all(column.kind is Kind.NUMERIC for side in sides for column in side)
    if sums.given is None or not (is_line and are_numbers):
        return None
    x, y = (np.array([sums.names[0].index(column.name) for column in side]) for side in sides)
    i, j = x[pairs[0]], y[pairs[1]]
    n = sums.counts[i, j]
    r, df, is_sound = _correlations(sums, sums.given, i, j)
    n_distinct = np.array([sums.lines.n_distinct(k) for k in range(len(sums.names[0]))])
    distinct = np.stack([n_distinct[i], n_distinct[j]])
    at = np.flatnonzero(is_sound & (n - df >= _FEWEST_LEFT) & (distinct.min(axis=0) > 1))
    first, second = pairs[0][at], pairs[1][at]
    shapes = [np.stack([_shape(column, covariates) for column in side]) for side in sides]
    follows = [np.array([_follows(column, covariates) for column in side]) for side in sides]
    still_follow = follows[0][first] & follows[1][second]
    moments, skewed = _null_moments(n[at], df[at], (shapes[0][first], shapes[1][second]))
    given = GivenStatistics(
        df=df[at],
        third_cumulants=skewed,
        is_ratio=np.ones(len(at), dtype=np.bool_),
        remarks=remarks_of_pairs(
            lambda k: [],  # how much of a column is explained is not known
            covariates.names,
            n=n[at],
            df=df[at],
            n_used=n[at],
            most_explained=0.0,
            follow=still_follow,
        ),
        still_follow=still_follow,
    )
    of_pairs = distinct[:, at], others[:, at], special.gammaln(n[at] + 1.0)
    known = of_partial_correlations(n[at], r[at], *of_pairs, moments, given)
    return spread(n, [(at, known)])


def _follows(column: Column, covariates: Covariates) -> bool:
    """Return True if the column's sampled rows still follow the covariates."""
    rows = None if column.is_missing is None else ~column.is_missing
    if len(column.present) < _FEWEST_LEFT:
        return False
    values = columns_of(numbers_of(column, rows, "given"))
    return bool(covariates.residual_tests("linear", rows).follows(values)[0])


def _correlations(
    sums: RowSums, given: GivenSums, i: Indices, j: Indices
) -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """Partial correlations, the rank of what is taken out, and whether rounding cannot show.

    Products of the regressors, x and y are swept by one regressor after the other, the intercept first.
    """
    lines, q = sums.lines, len(given.regressors)
    products = np.empty((len(i), q + 3, q + 3))
    products[:, : q + 1, : q + 1] = np.moveaxis(given.alone[:, :, i, j], 2, 0)
    for at, own, other in ((q + 1, i, j), (q + 2, j, i)):
        column = np.column_stack([lines.powers[other, 0, own], given.with_column[:, own, other].T])
        products[:, at, : q + 1] = products[:, : q + 1, at] = column
        products[:, at, at] = lines.powers[other, 1, own]
    products[:, q + 1, q + 2] = products[:, q + 2, q + 1] = lines.cross[i, j]
    sizes = np.einsum("kaa->ka", products).copy()
    df = np.zeros(len(i), dtype=np.int64)
    for k in range(q + 1):
        pivot = products[:, k, k]
        is_kept = pivot > _KEPT * sizes[:, k]
        df += is_kept
        row = products[:, k] * np.where(is_kept, 1.0 / np.where(is_kept, pivot, 1.0), 0.0)[:, np.newaxis]
        products = products - products[:, :, k, np.newaxis] * row[:, np.newaxis, :]
    left = products[:, [q + 1, q + 2], [q + 1, q + 2]]
    is_sound = np.all(left > _LEAST_LEFT * sizes[:, q + 1 :], axis=1)
    norm = np.sqrt(np.where(is_sound, left[:, 0] * left[:, 1], 1.0))
    return np.clip(products[:, q + 1, q + 2] / norm, -1.0, 1.0), df, is_sound


def _shape(column: Column, covariates: Covariates) -> Array:
    """Means of the third, fourth and sixth powers of standardized residuals, on the sampled rows."""
    rows = None if column.is_missing is None else ~column.is_missing
    if len(column.present) < _FEWEST_LEFT:
        return np.full(3, np.nan)
    residuals = covariates.design("linear", rows).residualize(numbers_of(column, rows, "given"))
    square = float(np.mean(residuals**2))
    if not square > 0:
        return np.full(3, np.nan)
    standard = residuals / np.sqrt(square)
    return np.array([np.mean(standard**power) for power in (3, 4, 6)])


def _null_moments(
    n: NDArray[np.int64], df: NDArray[np.int64], shapes: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return moments and third cumulants of the null, residuals of n rows being as the sampled ones."""
    rows = n.astype(np.float64)
    to_sums = np.stack([rows**-0.5, 1 / rows, rows**-2.0], axis=1)
    x, y = (invariants_of_lines(shape * to_sums) for shape in shapes)
    each = np.arange(len(n))
    mean, variance, third, _ = _native.trace_moments(x, y, rows, each, each)
    # A re-paired line keeps this share of its squares once residualized again.
    first = (rows - df) / (rows - 1)
    left = first, first**2 + 2 * (df - 1) / (rows - 1) ** 2
    mean, variance, third = moments_of_ratios(mean, variance, third, left)
    return np.stack([mean, variance, third]), (shapes[0][:, 0] * shapes[1][:, 0]) ** 2 / rows
