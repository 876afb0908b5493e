"""Measures given covariates: weighted sums over strata, Kendall's S, and measures of residuals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IndexArray, Int32Array
from bychance.columns import coded
from bychance.covariates.design import DETERMINED, Design, columns_of, ranks_within, residuals_on
from bychance.covariates.measures import WITHIN_CELLS, ControlledVariable, GivenMeasure, share_explained
from bychance.covariates.moments import squared_sum_moments, weighted_sum
from bychance.kinds import Role
from bychance.measures import CallableMeasure
from bychance.measures.base import Measure, Values
from bychance.measures.ranks import untied_pairs
from bychance.measures.structures import CellSum, PairSum, Structure, TraceForm
from bychance.nulls.base import Moments, Null
from bychance.nulls.distributions import NullDistributions
from bychance.nulls.exact import values_under
from bychance.nulls.kendall import Ties, has_exact_distribution, kendall_null, squared_s_moments
from bychance.nulls.statistics import exact_moments

__all__ = ["ResidualEffect", "StrataKendall", "StrataSum", "StrataVariable"]


_SHARES = ("explained", "r2", "eta2", "spearman", "goodman_kruskal")  # strata are weighted by y's variation


@dataclass(frozen=True, eq=False)
class StrataVariable(ControlledVariable):
    """Variable prepared for a measure in each stratum with enough rows, with a weight per stratum."""

    parts: tuple[Any, ...]
    weights: FloatArray  # weight per stratum if this variable decides


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """Part of a pair in one stratum: both prepared variables, the rows, and the weight of its value."""

    x: Any
    y: Any
    rows: IndexArray
    weight: float

    @property
    def is_constant(self) -> bool:
        """True if all permutations within the stratum give the same value."""
        return bool(self.x.is_degenerate or self.y.is_degenerate)


class StrataSum(GivenMeasure):
    """Measure given strata: weighted sum Σ w_h·D_h of its values D_h in the strata h with enough rows.

    w_h is the stratum's share of y's variation if D is a share of it. It is the stratum's share of both
    variables' norms for `dcor`, and of the rows for all other measures.
    """

    def prepare(self, values: Values, role: Role) -> StrataVariable:
        """Prepare the variable for the measure in each stratum, and compute the weights of the strata."""
        share = share_explained(residuals_on(values, self.design))
        parts = tuple(self.base.prepare(self._part(values, rows), role) for rows in self.used_rows)
        is_stuck = not self.design.cells.vary(values).any()
        return StrataVariable(values, self.design, share, is_stuck, parts, self._weights(values, parts))

    @cached_property
    def used_rows(self) -> tuple[IndexArray, ...]:
        """Row numbers of each stratum that has enough rows for the measure."""
        return tuple(rows for rows in self.design.cells.rows if len(rows) >= max(self.base.min_n, 3))

    def strata_of(self, x: StrataVariable, y: StrataVariable) -> list[_Stratum]:
        """Return the strata with a positive weight, each with its part of x and y."""
        strata = map(_Stratum, x.parts, y.parts, self.used_rows, self.shares(x, y).tolist())
        return [stratum for stratum in strata if stratum.weight > 0]

    def values_at(self, x: StrataVariable, y: StrataVariable, rows: Int32Array) -> FloatArray:
        """Return the weighted sum over strata under each permutation."""
        if (statistic := self.statistic(x, y)) is not None:
            return statistic.draw(_native.Permutations.listed(rows), 0, len(rows))
        total, places = np.zeros(len(rows)), self.design.cells.places
        for own in self.strata_of(x, y):
            if own.is_constant:
                total += own.weight * self.base.estimate(own.x, own.y)
            else:
                total += own.weight * values_under(self.base, own.x, own.y, places[rows[:, own.rows]])
        return total

    def statistic(self, x: StrataVariable, y: StrataVariable) -> _native.Statistic | None:
        """Return the C++ object of the weighted sum, or None if the measure has none."""
        strata = self.strata_of(x, y)
        parts = [None if own.is_constant else self.base.statistic(own.x, own.y) for own in strata]
        if any(part is None and not own.is_constant for part, own in zip(parts, strata, strict=True)):
            return None
        constants = [self.base.estimate(own.x, own.y) if own.is_constant else 0.0 for own in strata]
        weights, rows = np.array([own.weight for own in strata]), [own.rows for own in strata]
        n, finish = self.design.n, _native.Finish()
        return _native.Statistic.weighted_sum(weights, parts, np.array(constants), rows, n, finish)

    def shares(self, x: StrataVariable, y: StrataVariable) -> FloatArray:
        """Return the weights of the strata, which sum to 1."""
        weights = x.weights if self.known_as == "eta2" and x.is_numeric else y.weights
        total = float(weights.sum())
        if self.known_as == "dcor":
            total = float(np.sqrt(x.weights.sum() * y.weights.sum()))
            weights = np.sqrt(x.weights * y.weights)
        elif isinstance(self.base, CallableMeasure):  # a user's function may fail for a constant
            varies = [not (u.is_degenerate or v.is_degenerate) for u, v in zip(x.parts, y.parts, strict=True)]
            weights = weights * np.array(varies, dtype=np.float64)
            total = float(weights.sum())
        return np.asarray(weights / total) if total > 0 else np.zeros_like(weights)

    def bound(self, x: StrataVariable, y: StrataVariable, which: str | None = None) -> float:
        """Return the maximum of the weighted sum, 1 if it is a share of variation or `dcor`.

        Otherwise it is the weighted sum of the strata's maxima, for `hsic` by the Cauchy–Schwarz inequality.
        """
        if which is None and self.known_as in (*_SHARES, "dcor"):
            return 1.0
        strata = self.strata_of(x, y)
        if which is None and self.known_as == "hsic":
            of_x = sum(own.weight * self.base.bound(own.x, own.x) for own in strata)
            of_y = sum(own.weight * self.base.bound(own.y, own.y) for own in strata)
            return float(np.sqrt(of_x * of_y))
        return float(sum(own.weight * self.base.bound(own.x, own.y, which) for own in strata))

    def matched(self, x: StrataVariable, y: StrataVariable) -> NullDistributions | None:
        """Return a Pearson III, gamma or normal null that matches exact moments, or None if unknown."""
        found = self.moments(x, y)
        if found is None:
            return None
        moments, structures = found
        summand, least = _kind_of_sum(structures)
        fields = _native.match_sum(
            summand, moments.mean, moments.variance, moments.third, x.n, least, self.bound(x, y)
        )
        return NullDistributions(*fields)

    def moments(self, x: StrataVariable, y: StrataVariable) -> tuple[Moments, list[Structure]] | None:
        """Return exact null moments of the sum, and the algebraic form of each stratum's value, or None."""
        parts, structures, strata = list[Moments](), list[Structure](), self.strata_of(x, y)
        for own in strata:
            if own.is_constant or len(own.rows) < 3:
                parts.append(Moments(self.base.estimate(own.x, own.y), 0.0, 0.0))
                continue
            known = ((s, exact_moments(s)) for s in self.base.structures(own.x, own.y))
            structure, moments = next(((s, m) for s, m in known if m is not None), (None, None))
            if structure is None or moments is None:
                return None
            structures.append(structure)
            parts.append(moments)
        return weighted_sum(parts, [own.weight for own in strata]), structures

    def _part(self, values: Values, rows: IndexArray) -> Values:
        part = values[rows]
        if part.dtype == np.int32 and not self.base.needs_shared_labels:
            return coded(part)
        return part

    def _weights(self, values: Values, parts: tuple[Any, ...]) -> FloatArray:
        used = self.used_rows
        if self.known_as == "dcor":
            return np.array([_squared_norm(values[r], part) for r, part in zip(used, parts, strict=True)])
        if self.known_as not in _SHARES:
            return np.array([len(rows) for rows in used], dtype=np.float64)
        if self.known_as == "spearman":
            values = ranks_within(np.asarray(values, dtype=np.float64), self.design.cells)
        columns = columns_of(values)
        return np.array([float(np.sum((columns[r] - columns[r].mean(axis=0)) ** 2)) for r in used])


def _squared_norm(values: Values, part: Any) -> float:
    """Return the squared norm of the distance matrix (`dcor`) of a stratum, in the units of its values.

    Prepared values are divided by a power of two, which the range without the extremes recovers.
    """
    if values.dtype == np.int32:
        return float(part.squared_norm)
    inner = float(np.ptp(part.values))
    ascending = np.sort(values)
    scale = float(ascending[-2] - ascending[1]) / inner if inner > 0 else 0.0
    return float(part.squared_norm) * scale**2


def _kind_of_sum(structures: list[Structure]) -> tuple[str, float]:
    """Return the kind of value summed over strata, and a count that decides if its matched null is valid.

    The count is the smallest expected cell count or number of distinct values, NaN if the kind needs none.
    """
    first = structures[0] if structures else None
    if isinstance(first, TraceForm):
        return "dense" if first.distribution == "pearson3" else "trace", np.nan
    if isinstance(first, CellSum) and first.function == "information":
        tables = [s for s in structures if isinstance(s, CellSum)]
        return "information", min(float(s.rows.min() * s.columns.min() / s.rows.sum()) for s in tables)
    if isinstance(first, PairSum):
        sums = [s for s in structures if isinstance(s, PairSum)]
        return "pairs", min(min(s.x.n_distinct, s.y.n_distinct) for s in sums)
    return "other", np.nan


_MAX_KENDALL_N = 200  # rows of a stratum whose exact distribution of S is cheap, as in nulls/exact.py (time)


class StrataKendall(StrataSum):
    """Kendall's tau given categories: (Σ S_h)² over untied pairs within strata (seasonal Kendall test)."""

    @cached_property
    def used_rows(self) -> tuple[IndexArray, ...]:
        """Row numbers of each stratum of two rows or more."""
        return tuple(rows for rows in self.design.cells.rows if len(rows) > 1)

    def statistic(self, x: StrataVariable, y: StrataVariable) -> _native.Statistic:
        """Return the C++ object that sums Kendall's S over strata, squares the sum and scales it."""
        return self._sum(x, y, _native.Finish(squared=True, scale=self._scale(x, y)))

    def _sum(self, x: StrataVariable, y: StrataVariable, finish: _native.Finish) -> _native.Statistic:
        signs = [
            _native.Statistic.kendall(
                first.order, first.sizes, second.codes, second.n_distinct, _native.Finish()
            )
            for first, second in zip(x.parts, y.parts, strict=True)
        ]
        ones, zeros = np.ones(len(signs)), np.zeros(len(signs))
        return _native.Statistic.weighted_sum(ones, signs, zeros, self.used_rows, self.design.n, finish)

    def sign(self, x: StrataVariable, y: StrataVariable) -> int:
        """Return the sign of Kendall's S, summed over the strata."""
        return int(np.sign(self._sum(x, y, _native.Finish()).value()))

    bound = GivenMeasure.bound

    def matched(self, x: StrataVariable, y: StrataVariable) -> NullDistributions:
        """Return a Beta null distribution with the exact mean and variance."""
        # Two rows have S = ±1, whose square is constant.
        parts = [squared_s_moments(*t) if t[0] > 2 else Moments(1.0, 0.0) for t in self._ties(x, y)]
        moments = squared_sum_moments(parts).scaled(self._scale(x, y))
        distinct, others = (x.n_distinct, y.n_distinct), (x.n_others, y.n_others)
        fields = _native.match_signs(
            moments.mean, moments.variance, x.n, distinct, others, self.bound(x, y), is_in_strata=True
        )
        return NullDistributions(*fields)

    def cheap_null(self, x: StrataVariable, y: StrataVariable, max_operations: float) -> Null | None:
        """Return the exact distribution by convolution over strata, or None if ties or cost forbid it."""
        ties = self._ties(x, y)
        lengths = np.array([n * (n - 1) / 2 for n, _, _ in ties])
        is_known = all(each[0] <= _MAX_KENDALL_N and has_exact_distribution(*each) for each in ties)
        if not is_known or float(np.sum(np.cumsum(lengths) * lengths)) > max_operations:
            return None
        return kendall_null(ties, self._scale(x, y), reason=WITHIN_CELLS)

    def _ties(self, x: StrataVariable, y: StrataVariable) -> list[tuple[int, Ties, Ties]]:
        return [
            (first.n, tuple(map(int, first.sizes)), tuple(map(int, second.sizes)))
            for first, second in zip(x.parts, y.parts, strict=True)
            if not (first.is_degenerate or second.is_degenerate)
        ]

    def _scale(self, x: StrataVariable, y: StrataVariable) -> float:
        untied = [sum(untied_pairs(part.sizes) for part in v.parts) for v in (x, y)]
        return 1 / (untied[0] * untied[1]) if untied[0] * untied[1] > 0 else 0.0


@dataclass(frozen=True, eq=False)
class ResidualVariable(ControlledVariable):
    """Numeric column as residuals on the covariates, and these residuals prepared for the measure."""

    residuals: FloatArray
    part: Any


class ResidualEffect(GivenMeasure):
    """Measure given covariates, computed from the residuals Mx and My of x and y on them: f(Mx, My).

    The null distribution is that of f(Mx, MΠMy) over permutations Π within cells.
    """

    def __init__(self, base: Measure[Any], design: Design) -> None:
        super().__init__(base, design)
        self.is_costly = not design.has_only_cells

    def prepare(self, values: Values, role: Role) -> ResidualVariable:
        """Residualize the variable, and prepare the residuals for the measure."""
        left = residuals_on(np.asarray(values, dtype=np.float64), self.design)[:, 0]
        is_left = float(left @ left) > DETERMINED
        residuals = _without_noise(left if is_left else np.zeros_like(left))
        part = self.base.prepare(residuals, role)
        is_stuck = not residuals.any()
        return ResidualVariable(values, self.design, share_explained(left), is_stuck, residuals, part)

    def estimate(self, x: ResidualVariable, y: ResidualVariable) -> float:
        """Return the measure of the residuals of x and y."""
        return float(self.base.estimate(x.part, y.part))

    def values_at(self, x: ResidualVariable, y: ResidualVariable, rows: Int32Array) -> FloatArray:
        """Return the measure of x's residuals with y's permuted residuals, one value per permutation.

        Unless the design has only cells, permuted residuals are residualized again.
        """
        if self.has_only_cells:
            return values_under(self.base, x.part, y.part, rows)
        values = np.empty(len(rows))
        for k, row in enumerate(rows):
            again = _without_noise(self.design.residualize(y.residuals[row]))
            values[k] = self.base.estimate(x.part, self.base.prepare(again, Role.Y))
        return values

    def statistic(self, x: ResidualVariable, y: ResidualVariable) -> _native.Statistic | None:
        """Return the measure's C++ object for the residuals, or None unless the design has only cells."""
        return self.base.statistic(x.part, y.part) if self.has_only_cells else None

    def bound(self, x: ResidualVariable, y: ResidualVariable, which: str | None = None) -> float:
        """Return the maximum of the measure on the residuals."""
        return float(self.base.bound(x.part, y.part, which))

    def sign(self, x: ResidualVariable, y: ResidualVariable) -> int | None:
        """Return the sign of the relation between the residuals."""
        return self.base.sign(x.part, y.part)


def _without_noise(residuals: FloatArray) -> FloatArray:
    """Round residuals to 12 digits of the largest, so that rounding breaks no ties."""
    largest = float(np.abs(residuals).max())
    return np.round(residuals / largest, 12) if largest > 0 else residuals
