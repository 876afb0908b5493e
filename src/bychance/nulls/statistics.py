"""Statistics of many pairs of columns at once, in one record for all kinds of columns and streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.measures.structures import Trace

__all__ = [
    "PairStatistics",
    "invariants_of_lines",
    "joined",
    "of_lines",
    "of_one",
    "spread",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

_NOTHING = np.zeros(1)


@dataclass(frozen=True, slots=True, eq=False)
class PairStatistics:
    """Statistics of P pairs of columns on the rows that both have, from which nulls are computed.

    Arrays have one entry per pair. Of two rows the first is of x. Entries of degenerate pairs mean
    nothing, except that `n` is right and that `value` is 0 for standardized columns.
    """

    n: Counts
    value: Array  # tr(A·B), or if `bound` is stated the measure itself
    distinct: Counts  # (2, P) distinct values, of numbers exact up to 10, which stands for more
    is_degenerate: Flags  # a constant column, a category for every row, fewer than three rows, or unknown
    sign: NDArray[np.int8] | None = None  # of the correlation; None if the measure has none

    # Invariants of A and of B, 8 each as src/native/moments/trace_moments.hpp orders them: one row per pair,
    # or with `at` one row per column of unit norm, and which of these each pair has.
    invariants: tuple[Array, Array] | None = None
    at: tuple[Indices, Indices] | None = None
    smallest: Counts | None = None  # (2, P) sizes of the smallest groups, 0 of numbers

    # Stated if invariants do not give them: mutual information, and pairs given covariates.
    bound: Array | None = None  # the largest value that the measure can have
    moments: Array | None = None  # (3, P) mean, variance and third central moment of the null, NaN if unknown

    # Stated for pairs given covariates.
    df: Counts | None = None  # degrees of freedom of the covariates
    third_cumulants: Array | None = None  # of the null, within cells
    is_ratio: Flags | None = None  # the moments are of a ratio whose denominator varies, and approximate
    remarks: NDArray[np.object_] | None = None  # sentences for the pairs' notes
    still_follow: Flags | None = None  # x and y still follow the covariates

    # Stated once the measure's units are known, and for pairs given covariates.
    scale: Array | None = None  # of tr(A·B)
    others: Counts | None = None  # (2, P) rows that differ from the most common value, at least so many
    apart: Counts | None = None  # (2, P) rows outside the largest lump
    log_arrangements: Array | None = None  # of the column with fewer, inf if its rows are not at hand

    def in_units(self, form: Trace) -> PairStatistics:
        """Return the statistics with values of the measure instead of traces tr(A·B)."""
        assert self.invariants is not None
        variation = (
            1.0 if self.at is not None else self.invariants[1][:, 0]
        )  # standardized columns have norm 1
        scale = form.scale(self.n, variation)
        bound = form.bound(self.n, variation, *self.distinct)
        scales, bounds = (np.broadcast_to(np.float64(each), self.n.shape) for each in (scale, bound))
        return replace(self, value=np.clip(self.value * scale, 0.0, bound), scale=scales, bound=bounds)

    def invariants_of_pairs(self) -> tuple[Array, Array]:
        """Return the permutation-invariant sums of A and of B, one row per pair."""
        assert self.invariants is not None
        if self.at is None:
            return self.invariants
        return self.invariants[0][self.at[0]], self.invariants[1][self.at[1]]

    def pick(self, rows: Indices) -> PairStatistics:
        """Select a subset of the pairs."""
        invariants = self.invariants
        at = None if self.at is None else (self.at[0][rows], self.at[1][rows])
        if invariants is not None and at is None:
            invariants = invariants[0][rows], invariants[1][rows]
        own: dict[str, Any] = {name: getattr(self, name)[..., rows] for name in self._stated}
        return PairStatistics(**own, invariants=invariants, at=at)

    @property
    def _stated(self) -> list[str]:
        """Names of the arrays that are set, other than the invariants."""
        names = (field.name for field in fields(self) if field.name not in ("invariants", "at"))
        return [name for name in names if getattr(self, name) is not None]


def of_lines(n: Counts, r: Array, invariants: tuple[Array, Array], distinct: Counts) -> PairStatistics:
    """Return the statistics of pairs of numeric columns with correlations r, NaN if a column is constant."""
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


def invariants_of_lines(sums: Array) -> Array:
    """Return the eight permutation-invariant sums of cc' for each standardized column c.

    They are T, T2, T3, S2, S3, B1, R, U, computed from Σc³, Σc⁴ and Σc⁶.
    """
    invariants = np.ones((len(sums), 8))
    invariants[:, 3] = invariants[:, 5] = sums[:, 1]
    invariants[:, 4] = sums[:, 2]
    invariants[:, 6] = invariants[:, 7] = sums[:, 0] ** 2
    return invariants


def of_one(*, invariants: tuple[Array, Array] | None = None, **stated: Any) -> PairStatistics:
    """Return the statistics of a single pair, from numbers and from (x, y) pairs of numbers."""
    arrays: dict[str, Any] = {name: np.array(values)[..., np.newaxis] for name, values in stated.items()}
    return PairStatistics(value=_NOTHING, is_degenerate=_NOTHING > 0, invariants=invariants, **arrays)


def joined(parts: Sequence[PairStatistics], invariants: Array, at: tuple[Indices, Indices]) -> PairStatistics:
    """Join statistics of pairs of standardized columns.

    `invariants` has one row per column, and `at` the positions of each pair's columns in it.
    """
    names = ("n", "value", "sign", "distinct", "is_degenerate")
    found = ([getattr(part, name) for part in parts] for name in names)
    arrays: dict[str, Any] = {n: np.concatenate(each, axis=-1) for n, each in zip(names, found, strict=True)}
    return PairStatistics(**arrays, invariants=(invariants, invariants), at=at)


def spread(n: Counts, parts: Sequence[tuple[Indices, PairStatistics]]) -> PairStatistics:
    """Return the statistics of all pairs, with each part's results at its positions.

    Pairs in no part are degenerate, with n rows. All parts set the same arrays.
    """
    places, found = np.concatenate([at for at, _ in parts]), [part for _, part in parts]

    def placed(arrays: Sequence[NDArray[Any]], axis: int = -1) -> NDArray[Any]:
        values = np.moveaxis(np.concatenate(arrays, axis=axis), axis, 0)
        everything = np.full((len(n), *values.shape[1:]), "" if values.dtype == object else 0, values.dtype)
        everything[places] = values
        return np.moveaxis(everything, 0, axis)

    stated = found[0]._stated
    own: dict[str, Any] = {name: placed([getattr(part, name) for part in found]) for name in stated}
    own["n"] = np.where(own["n"] > 0, own["n"], n).astype(np.int64)
    own["is_degenerate"] = ~placed([~part.is_degenerate for part in found])
    if found[0].invariants is not None:
        x, y = zip(*(part.invariants_of_pairs() for part in found), strict=True)
        own["invariants"] = placed(x, axis=0), placed(y, axis=0)
    return PairStatistics(**own)
