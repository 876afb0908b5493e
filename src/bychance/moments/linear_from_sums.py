"""Partial r² of numeric columns of a stream, given covariates that are removed linearly.

In:  sums of products over the rows that each pair shares, and the sampled rows.
Out: observed values and null means of all rows. The shape of the residuals comes from the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import Column
from bychance.covariates.covariates import Covariates
from bychance.covariates.moments import moments_of_ratios
from bychance.covariates.pair import has_common_effect
from bychance.covariates.settings import remarks_of_pairs
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.linear_sums import GivenSums
from bychance.moments.row_sums import RowSums
from bychance.moments.ties import fewest_others
from bychance.moments.within_cells import of_partial_correlations
from bychance.nulls.statistics import PairStatistics, invariants_of_lines, spread

__all__ = ["given_from_sums"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_FEWEST_LEFT = 3
_KEPT = 1e-9  # the share of its square that a covariate must keep beside the earlier ones
_LEAST_LEFT = 1e-5  # of a sum of squares, below which rounding could show: the sample must tell


def given_from_sums(
    measure: Measure[Any], covariates: Covariates, pairs: ColumnPairs, sums: RowSums
) -> PairStatistics | None:
    """Compute statistics of pairs given covariates from sums, or return None if that needs sampled rows."""
    is_line = measure.name in ("r2", "explained") and has_common_effect(measure, covariates)
    sides = pairs.x, pairs.y
    are_numbers = all(column.kind is Kind.NUMERIC for side in sides for column in side)
    if sums.given is None or not (is_line and are_numbers):
        return None
    x, y = (np.array([sums.names[0].index(column.name) for column in side]) for side in sides)
    i, j = x[pairs.first], y[pairs.second]
    n = sums.counts[i, j]
    r, df, is_sound = _correlations(sums, sums.given, i, j)
    distinct = np.stack([sums.distinct[i], sums.distinct[j]])
    at = np.flatnonzero(is_sound & (n - df >= _FEWEST_LEFT) & (distinct.min(axis=0) > 1))
    first, second = pairs.first[at], pairs.second[at]
    (x_shapes, x_follows), (y_shapes, y_follows) = (_residual_shapes(side, covariates) for side in sides)
    still_follow = x_follows[first] & y_follows[second]
    moments, skewed = _null_moments(n[at], df[at], (x_shapes[first], y_shapes[second]))
    known = of_partial_correlations(
        r[at],
        n=n[at],
        df=df[at],
        distinct=distinct[:, at],
        others=fewest_others(pairs, n)[:, at],
        log_arrangements=special.gammaln(n[at] + 1.0),
        moments=moments,
        third_cumulants=skewed,
        is_ratio=np.ones(len(at), dtype=np.bool_),
        remarks=remarks_of_pairs(
            lambda k: ("", ""),
            covariates.names,
            n=n[at],
            df=df[at],
            n_used=n[at],
            shares=np.zeros((2, len(at))),  # not known
            follow=still_follow,
        ),
        still_follow=still_follow,
    )
    return spread(n, [(at, known)])


def _residual_shapes(columns: Sequence[Column], covariates: Covariates) -> tuple[Array, NDArray[np.bool_]]:
    """Return standardized moments of orders 3, 4 and 6 of each column's residuals, and flag lack of fit.

    The residuals are those of the sampled rows. A flagged column still follows the covariates. Moments are
    NaN if nothing is left of a column.
    """
    shapes, follows = np.full((len(columns), 3), np.nan), np.zeros(len(columns), dtype=np.bool_)
    for k, column in enumerate(columns):
        if len(column.present) < _FEWEST_LEFT:
            continue
        rows = None if column.is_missing is None else ~column.is_missing
        residuals = covariates.residuals_of([column], rows, "linear", are_ranks=False)
        follows[k] = residuals.follows[0]
        if not residuals.is_degenerate[0]:
            standardized = residuals.values[0] * np.sqrt(len(column.present))
            shapes[k] = [np.mean(standardized**power) for power in (3, 4, 6)]
    return shapes, follows


def _correlations(
    sums: RowSums, given: GivenSums, i: Indices, j: Indices
) -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """Compute partial correlations and the rank of the regressors, and flag the precise results.

    The cross-product matrix is swept by one regressor after the other, the intercept first.
    """
    q = len(given.regressors)
    products = np.empty((len(i), q + 3, q + 3))
    products[:, : q + 1, : q + 1] = np.moveaxis(given.alone[:, :, i, j], 2, 0)
    for at, own, other in ((q + 1, i, j), (q + 2, j, i)):
        column = np.column_stack([sums.powers[other, 0, own], given.with_column[:, own, other].T])
        products[:, at, : q + 1] = products[:, : q + 1, at] = column
        products[:, at, at] = sums.powers[other, 1, own]
    products[:, q + 1, q + 2] = products[:, q + 2, q + 1] = sums.cross[i, j]
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


def _null_moments(
    n: NDArray[np.int64], df: NDArray[np.int64], shapes: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return null moments and third cumulants, assuming that all residuals are like the sampled ones."""
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
