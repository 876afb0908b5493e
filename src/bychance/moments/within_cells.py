"""Partial correlations of many pairs of numeric columns given covariates.

Columns are residualized once per set of rows, and pairs that share their rows are measured together. A set
of rows with few pairs is left to the stages of a single pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, FloatArray, IndexArray
from bychance.columns import Column, distinct_masks
from bychance.covariates.covariates import Covariates
from bychance.covariates.design import Design
from bychance.covariates.pair import has_common_effect
from bychance.covariates.residual_columns import PartialCorrelations, ResidualColumns, correlate
from bychance.covariates.residual_tests import STEEP, are_comparable, excess, is_notable
from bychance.covariates.settings import remarks_of_pairs
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.moments.column_pairs import ColumnPairs
from bychance.nulls.statistics import PairStatistics, merge_subsets

__all__ = ["of_partial_correlations", "within_cells"]

Rows = BoolArray | None

_FEWEST_PAIRS = 4  # pairs with equal rows from which measuring them together pays (speed)
_FEWEST_LEFT = 3  # residual degrees of freedom that a pair needs at least


def within_cells(
    measure: Measure[Any], covariates: Covariates, column_pairs: ColumnPairs
) -> PairStatistics | None:
    """Compute squared partial correlations of pairs given covariates, or return None if not applicable.

    Pairs that must be measured one by one are marked degenerate.
    """
    columns = [*column_pairs.x, *column_pairs.y]
    pairs = column_pairs.first, column_pairs.second + len(column_pairs.x)
    is_line = has_common_effect(measure, covariates) and not measure.bends_levels
    if not is_line or not _are_numbers(columns, pairs):
        return None
    parts = [
        part
        for rows, at in _sets_of_rows(columns, pairs)
        if len(at) >= _FEWEST_PAIRS
        for part in _PairsOnSameRows(measure, covariates, columns, pairs, rows).parts(at)
    ]
    if not parts:
        return None
    return merge_subsets(np.zeros(len(pairs[0]), dtype=np.int64), parts)


def _are_numbers(columns: Sequence[Column], pairs: tuple[IndexArray, IndexArray]) -> bool:
    return all(columns[k].kind is Kind.NUMERIC for k in np.union1d(*pairs))


def _sets_of_rows(
    columns: Sequence[Column], pairs: tuple[IndexArray, IndexArray]
) -> list[tuple[Rows, IndexArray]]:
    """Group the pairs by the set of rows in which both columns have a value."""
    used, nothing = np.union1d(*pairs), np.zeros(len(columns[0]), dtype=np.bool_)
    masks = [nothing if (own := columns[k].is_missing) is None else own for k in used]
    distinct, mask_of = distinct_masks(masks)
    kept: list[Rows] = [~masks[k] if masks[k].any() else None for k in distinct]
    of_column = np.zeros(len(columns), dtype=np.int64)
    of_column[used] = mask_of
    first, second = of_column[pairs[0]], of_column[pairs[1]]
    low, high = np.minimum(first, second), np.maximum(first, second)
    codes, inverse = np.unique(low * len(kept) + high, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(inverse.reshape(-1)))[:-1])
    return [
        (_both(kept[code // len(kept)], kept[code % len(kept)]), group)
        for code, group in zip(codes.tolist(), groups, strict=True)
    ]


def _both(first: Rows, second: Rows) -> Rows:
    if first is None or second is None or first is second:
        return second if first is None else first
    return first & second


@dataclass(frozen=True, eq=False)
class _PairsOnSameRows:
    """Pairs of numeric columns with the same shared rows, measured together given covariates."""

    measure: Measure[Any]
    covariates: Covariates
    columns: Sequence[Column]
    pairs: tuple[IndexArray, IndexArray]
    rows: Rows

    def parts(self, at: IndexArray) -> Iterator[tuple[IndexArray, PairStatistics]]:
        """Yield statistics of pairs, each under the simplest model that removes the effect of the covariates.

        Nothing is yielded if rows are few or the covariates are constant there. Pairs that still follow
        the covariates go on to the next finer design.
        """
        if not self.covariates.vary(self.rows):
            return
        for style, finer in zip_longest(self.covariates.styles, self.covariates.styles[1:]):
            design = self.covariates.design(style, self.rows)
            if not len(at) or design.n - design.df < _FEWEST_LEFT:
                return
            x, y, first, second = self._lines(at, style)
            is_usable = ~(x.is_degenerate[first] | y.is_degenerate[second])
            first, second, at = first[is_usable], second[is_usable], at[is_usable]
            found = correlate(x, y, design, is_symmetric=self.measure.symmetric)
            r, t = found.r[first, second], np.zeros(len(at))
            if finer is not None:
                t = self._steepness(at, r, (x.norms[first], y.norms[second]), style, finer)
            goes = t > STEEP
            stays = ~goes
            if stays.any():
                picked, own = (first[stays], second[stays]), at[stays]
                yield own, self._statistics(design, (x, y), found, picked, own)
            at = at[goes]

    def _statistics(
        self,
        design: Design,
        lines: tuple[ResidualColumns, ResidualColumns],
        found: PartialCorrelations,
        picked: tuple[IndexArray, IndexArray],
        at: IndexArray,
    ) -> PairStatistics:
        """Compute `PairStatistics` of pairs from the residuals of their columns under one covariate model."""
        (x, y), (first, second), count = lines, picked, len(at)
        n, df, shares = (
            np.full(count, design.n),
            np.full(count, design.df),
            [x.shares[first], y.shares[second]],
        )
        still_follow = x.follows[first] & y.follows[second]
        remarks = remarks_of_pairs(
            lambda k: [self.columns[side[at[k]]].name for side in self.pairs],
            self.covariates.names,
            n=n,
            df=df,
            n_used=((x.varies * design.cells.sizes.astype(np.float64)) @ y.varies.T)[picked],
            shares=np.stack(shares),
            follow=still_follow,
        )
        return of_partial_correlations(
            found.r[picked],
            n=n,
            df=df,
            distinct=np.stack([x.n_distinct[first], y.n_distinct[second]]),
            others=np.stack([x.n_others[first], y.n_others[second]]),
            log_arrangements=np.minimum(x.log_arrangements[first], y.log_arrangements[second]),
            moments=found.moments[:, first, second],
            third_cumulants=found.third_cumulants[picked],
            is_ratio=np.full(count, not design.has_only_cells),
            remarks=remarks,
            still_follow=still_follow,
        )

    def _lines(
        self, at: IndexArray, style: str
    ) -> tuple[ResidualColumns, ResidualColumns, IndexArray, IndexArray]:
        """Return the residuals of the x and y columns of some pairs, and each pair's positions in them."""
        xs, first = np.unique(self.pairs[0][at], return_inverse=True)
        ys, second = np.unique(self.pairs[1][at], return_inverse=True)
        x, y = (
            self.covariates.residuals_of(
                [self.columns[k] for k in side], self.rows, style, are_ranks=self.measure.name == "spearman"
            )
            for side in (xs, ys)
        )
        return x, y, first, second

    def _steepness(
        self, at: IndexArray, r: FloatArray, norms: tuple[FloatArray, FloatArray], coarse: str, fine: str
    ) -> FloatArray:
        """Return each pair's drop in covariance under a finer covariate model, in standard errors."""
        t = np.zeros(len(at))
        design = self.covariates.design(coarse, self.rows)
        notable = np.flatnonzero(is_notable(r * r, design.n - design.df))
        if not len(notable):
            return t
        finer = self.covariates.design(fine, self.rows)
        if not are_comparable(design, finer):
            return t
        x, y, first, second = self._lines(at[notable], fine)
        kept = x.norms[first] * y.norms[second] / (norms[0] * norms[1])[notable]
        before = r[notable]
        after = np.sign(before) * (x.values @ y.values.T)[first, second] * kept
        squares = ((x.values**2) @ (y.values**2).T)[first, second] * kept**2
        t[notable] = excess(design, finer, np.abs(before), after, squares)
        return t


def of_partial_correlations(r: FloatArray, **stated: Any) -> PairStatistics:
    """Return `PairStatistics` whose values are the squares of the partial correlations r."""
    none = np.zeros(len(r), dtype=np.bool_)
    sign, bound = np.sign(r).astype(np.int8), np.ones(len(r))
    return PairStatistics(value=r * r, sign=sign, is_degenerate=none, bound=bound, **stated)
