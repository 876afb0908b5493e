"""Pairs of numeric columns beyond covariates, all at once: columns residualized once per set of rows.

Pairs that share their rows are measured together. A set of rows with few pairs is left to the stages of a
single pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, distinct_masks
from bychance.given.adapt import has_common_effect
from bychance.given.covariates import Covariates
from bychance.given.design import Design
from bychance.given.laws import match_shares
from bychance.given.lines import LinePairs, Lines, pair_lines
from bychance.given.record import MOST_EXPLAINED, remarks_on
from bychance.given.steepness import STEEP, are_comparable, excess, is_notable
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.nulls.laws import Laws
from bychance.nulls.matching import normal_theory

__all__ = ["GivenFigures", "given_figures"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Rows = NDArray[np.bool_] | None

_FEWEST_PAIRS = 4  # of one set of rows, from which measuring them together pays
_FEWEST_LEFT = 3
_LOG_ARRANGEMENTS, _LOG_FEW_ARRANGEMENTS = log(10_000), log(64)  # of which `auto` and "moments" list all


class GivenFigures(NamedTuple):
    """Pairs that are not degenerate: the fields of closed_form.Figures."""

    at: Indices
    observed: NDArray[np.float64]
    bound: NDArray[np.float64]
    sign: NDArray[np.int8]
    nulls: Laws
    is_open: NDArray[np.bool_]
    has_few_atoms: NDArray[np.bool_]
    remarks: NDArray[np.object_]
    still_follow: NDArray[np.bool_]

    @classmethod
    def of_correlations(
        cls,
        at: Indices,
        r: NDArray[np.float64],
        nulls: Laws,
        *,
        is_open: NDArray[np.bool_],
        has_few_atoms: NDArray[np.bool_],
        remarks: NDArray[np.object_],
        still_follow: NDArray[np.bool_],
    ) -> GivenFigures:
        """Squares of partial correlations, whose maximum is 1."""
        sign = np.sign(r).astype(np.int8)
        bound = np.ones(len(at))
        return cls(at, r * r, bound, sign, nulls, is_open, has_few_atoms, remarks, still_follow)


def given_figures(
    measure: Measure[Any],
    null: object,
    covariates: Covariates,
    columns: Sequence[Column],
    pairs: tuple[Indices, Indices],
) -> GivenFigures | None:
    """What is known of the pairs at once; None where this measure or null has no such form."""
    has_law = null in ("auto", "moments") or (null == "normal" and measure.name != "spearman")
    if not has_law or not has_common_effect(measure, covariates) or not _are_numbers(columns, pairs):
        return None
    parts = [
        part
        for rows, at in _sets_of_rows(columns, pairs)
        if len(at) >= _FEWEST_PAIRS
        for part in _Together(measure, str(null), covariates, columns, pairs, rows).parts(at)
    ]
    return _joined(parts) if parts else None


def _are_numbers(columns: Sequence[Column], pairs: tuple[Indices, Indices]) -> bool:
    return all(columns[k].kind is Kind.NUMERIC for k in np.union1d(*pairs))


def _sets_of_rows(columns: Sequence[Column], pairs: tuple[Indices, Indices]) -> list[tuple[Rows, Indices]]:
    """Which pairs share which rows: by the masks of both columns."""
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
class _Together:
    """Pairs that share these rows, and how they are measured."""

    measure: Measure[Any]
    null: str
    covariates: Covariates
    columns: Sequence[Column]
    pairs: tuple[Indices, Indices]
    rows: Rows

    def parts(self, at: Indices) -> Iterator[GivenFigures]:
        """The figures of some pairs; none where there are too few rows, or z is constant there.

        Pairs that still follow the covariates go on to the next finer design.
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
            found = pair_lines(x, y, design, is_symmetric=self.measure.symmetric)
            r, t = found.r[first, second], np.zeros(len(at))
            if finer is not None:
                t = self._steepness(at, r, (x.norms[first], y.norms[second]), style, finer)
            goes = t > STEEP
            stays = ~goes
            if stays.any():
                picked, own = (first[stays], second[stays]), at[stays]
                follow = x.follows[picked[0]] & y.follows[picked[1]]
                remarks = self._remarks(design, (x, y), picked, own, follow)
                yield _figures(self.measure, self.null, design, (x, y), found, picked, own, remarks, follow)
            at = at[goes]

    def _remarks(
        self,
        design: Design,
        lines: tuple[Lines, Lines],
        picked: tuple[Indices, Indices],
        at: Indices,
        follow: NDArray[np.bool_],
    ) -> NDArray[np.object_]:
        """Return what each pair's notes say of the control, as the stages of a single pair do."""
        (x, y), (first, second), n = lines, picked, design.n
        shares = x.shares[first], y.shares[second]
        n_used = np.full(len(at), n)
        if not (x.varies.all() and y.varies.all()):
            n_used = np.rint((x.varies * design.cells.sizes.astype(np.float64)) @ y.varies.T)[first, second]

        def remark(k: int, *, is_own: bool) -> str:
            i, j = (self.columns[side[at[k]]].name for side in self.pairs)
            sides = [(i, float(shares[0][k])), (j, float(shares[1][k]))]
            if self.measure.symmetric:
                sides.sort()  # as the stages of a single pair take them
            return "; ".join(
                remarks_on(
                    (sides[0][0], sides[1][0]),
                    self.covariates.names,
                    n=n,
                    df=design.df,
                    n_used=int(n_used[k]) if is_own else n,
                    shares=(sides[0][1], sides[1][1]) if is_own else (0.0, 0.0),
                    follow=bool(follow[k]),
                )
            )

        remarks = np.full(len(at), "", dtype=np.object_)
        for does in (False, True):  # all pairs alike
            alike = np.flatnonzero(follow == does)
            remarks[alike] = remark(int(alike[0]), is_own=False) if len(alike) else ""
        for k in np.flatnonzero((2 * n_used < n) | (np.maximum(*shares) > MOST_EXPLAINED)).tolist():
            remarks[k] = remark(k, is_own=True)
        return remarks

    def _lines(self, at: Indices, style: str) -> tuple[Lines, Lines, Indices, Indices]:
        """The columns of both sides in a design, and which of them each pair has."""
        xs, first = np.unique(self.pairs[0][at], return_inverse=True)
        ys, second = np.unique(self.pairs[1][at], return_inverse=True)
        x, y = (
            self.covariates.lines(
                [self.columns[k] for k in side], self.rows, style, are_ranks=self.measure.name == "spearman"
            )
            for side in (xs, ys)
        )
        return x, y, first, second

    def _steepness(self, at: Indices, r: Array, norms: tuple[Array, Array], coarse: str, fine: str) -> Array:
        """How far a finer design takes more out of each pair than its share, in standard errors."""
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


def _figures(
    measure: Measure[Any],
    null: str,
    design: Design,
    lines: tuple[Lines, Lines],
    found: LinePairs,
    picked: tuple[Indices, Indices],
    at: Indices,
    remarks: NDArray[np.object_],
    still_follow: NDArray[np.bool_],
) -> GivenFigures:
    """The figures of pairs in one design."""
    (x, y), (first, second) = lines, picked
    r = found.r[picked]
    distinct = x.n_distinct[first], y.n_distinct[second]
    n = np.full(len(at), design.n)
    if null == "normal":
        laws = normal_theory(df_explained=np.ones_like(n), df_residual=n - design.df - 1)
    else:
        laws = match_shares(
            mean=found.mean[picked],
            variance=found.variance[picked],
            third=found.third[picked],
            third_cumulants=found.third_cumulants[picked],
            rank=np.ones(len(at)),
            is_numeric=True,
            n=n,
            distinct=distinct,
            others=(x.n_others[first], y.n_others[second]),
        )
        log_floor = -np.minimum(x.log_arrangements[first], y.log_arrangements[second])
        laws = replace(laws, log_floor=log_floor)
    is_fourfold = (distinct[0] == 2) & (distinct[1] == 2) & design.has_only_cells
    arrangements = y.log_arrangements[second]
    is_open = (arrangements <= _LOG_ARRANGEMENTS + 1e-9) | (is_fourfold & (measure.name != "spearman"))
    if not design.has_only_cells:  # the moments of a ratio are near, and no sample may take them for exact
        is_open |= ~laws.is_trusted
    has_few_atoms = arrangements <= _LOG_FEW_ARRANGEMENTS + 1e-9
    return GivenFigures.of_correlations(
        at,
        r,
        laws,
        is_open=is_open,
        has_few_atoms=has_few_atoms,
        remarks=remarks,
        still_follow=still_follow,
    )


def _joined(parts: Sequence[GivenFigures]) -> GivenFigures:
    """Those of several sets of rows, in the order of the pairs."""
    order = np.argsort(np.concatenate([part.at for part in parts]), kind="stable")
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])[order]
        for name in GivenFigures._fields
        if name != "nulls"
    }
    return GivenFigures(**joined, nulls=Laws.joined([part.nulls for part in parts]).pick(order))
