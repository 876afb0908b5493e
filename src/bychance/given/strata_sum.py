"""Separate effects: a measure in every stratum, averaged with weights that no permutation changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import coded
from bychance.given.base import GivenMeasure
from bychance.given.moments import weighted_sum
from bychance.given.variables import ControlledVariable, columns_of, left_of, ranks_within
from bychance.kinds import Role
from bychance.measures import CallableMeasure
from bychance.measures.base import Values
from bychance.measures.structures import CellSum, PairSum, Structure, TraceForm
from bychance.nulls.base import Moments
from bychance.nulls.exact import values_under
from bychance.nulls.laws import Laws
from bychance.nulls.moments import exact_moments

__all__ = ["StrataSum", "StrataVariable"]

Array = NDArray[np.float64]

_SHARES = ("explained", "r2", "eta2", "spearman", "goodman_kruskal")  # of y's variation, which weighs strata


@dataclass(frozen=True, eq=False)
class StrataVariable(ControlledVariable):
    """A variable prepared in every stratum of enough rows."""

    parts: tuple[Any, ...]
    weights: Array  # what the stratum weighs if this variable decides
    rows: tuple[NDArray[np.intp], ...]  # of the strata in use


class StrataSum(GivenMeasure):
    """Σ w_h·D_h over strata of three rows or more, four for `dcor`.

    w_h is the stratum's share of y's variation where D is a share of it, of both variables' norms for
    `dcor`, and of the rows elsewhere.
    """

    def prepare(self, values: Values, role: Role) -> StrataVariable:
        """The variable in every stratum."""
        share = left_of(values, self.design, is_projector=False)[1]
        used = self.used_rows
        parts = tuple(self.base.prepare(self._part(values, rows), role) for rows in used)
        return StrataVariable(values, self.design, share, parts, self._weights(values, used, parts), used)

    @cached_property
    def used_rows(self) -> tuple[NDArray[np.intp], ...]:
        """The rows of each stratum that has enough of them."""
        return tuple(rows for rows in self.design.cells.rows if len(rows) >= max(self.base.min_n, 3))

    def estimate(self, x: StrataVariable, y: StrataVariable) -> float:
        """Return the weighted sum of the strata's values."""
        weighed = zip(self.shares(x, y), self.pairs(x, y), strict=True)
        return float(sum(weight * self.base.estimate(*pair) for weight, pair in weighed if weight > 0))

    def values_at(self, x: StrataVariable, y: StrataVariable, rows: NDArray[np.int32]) -> Array:
        """Return the weighted sum under each permutation."""
        if (statistic := self.statistic(x, y)) is not None:
            return statistic.draw(_native.Repairings.listed(rows), 0, len(rows))
        total, places = np.zeros(len(rows)), self.design.cells.places
        for weight, (first, second), own in zip(self.shares(x, y), self.pairs(x, y), x.rows, strict=True):
            if weight > 0:
                if first.is_degenerate or second.is_degenerate:
                    total += weight * self.base.estimate(first, second)
                else:
                    total += weight * values_under(self.base, first, second, places[rows[:, own]])
        return total

    def statistic(self, x: StrataVariable, y: StrataVariable) -> _native.Statistic | None:
        """Return the weighted sum for the kernels; None if the measure has no kernel."""
        return self._native_sum(x, y, self.shares(x, y), _native.Finish())

    def _native_sum(
        self, x: StrataVariable, y: StrataVariable, weights: Array, finish: _native.Finish
    ) -> _native.Statistic | None:
        at, pairs = np.flatnonzero(weights > 0), self.pairs(x, y)
        parts, constants = list[_native.Statistic | None](), list[float]()
        for first, second in (pairs[k] for k in at):
            is_constant = first.is_degenerate or second.is_degenerate
            part = None if is_constant else self.base.statistic(first, second)
            if part is None and not is_constant:
                return None
            parts.append(part)
            constants.append(self.base.estimate(first, second) if is_constant else 0.0)
        rows = [x.rows[k] for k in at]
        return _native.Statistic.weighted_sum(
            weights[at], parts, np.array(constants), rows, self.design.n, finish
        )

    def pairs(self, x: StrataVariable, y: StrataVariable) -> list[tuple[Any, Any]]:
        """Both variables in every stratum in use."""
        return list(zip(x.parts, y.parts, strict=True))

    def shares(self, x: StrataVariable, y: StrataVariable) -> Array:
        """What each stratum weighs."""
        if self.known_as == "dcor":
            weights = np.sqrt(x.weights * y.weights)
            total = float(np.sqrt(x.weights.sum() * y.weights.sum()))
            return np.asarray(weights / total) if total > 0 else np.zeros_like(weights)
        weights = x.weights if self.known_as == "eta2" and x.is_numeric else y.weights
        if isinstance(self.base, CallableMeasure):  # which need not have a value for a constant
            varies = [not (u.is_degenerate or v.is_degenerate) for u, v in self.pairs(x, y)]
            weights = weights * np.array(varies, dtype=np.float64)
        total = float(weights.sum())
        return np.asarray(weights / total) if total > 0 else np.zeros_like(weights)

    def bound(self, x: StrataVariable, y: StrataVariable, which: str | None = None) -> float:
        """The same sum of the strata's bounds; by Cauchy and Schwarz for `hsic`."""
        shares, pairs = self.shares(x, y), self.pairs(x, y)
        if which is None and self.known_as in (*_SHARES, "dcor"):
            return 1.0
        if self.known_as == "hsic" and which is None:
            own = [
                sum(w * self.base.default_bound(v, v) for w, v in zip(shares, z.parts, strict=True))
                for z in (x, y)
            ]
            return float(np.sqrt(own[0] * own[1]))
        return float(
            sum(w * self.base.bound(*pair, which) for w, pair in zip(shares, pairs, strict=True) if w > 0)
        )

    def default_bound(self, x: StrataVariable, y: StrataVariable) -> float:
        """The same."""
        return self.bound(x, y)

    def laws(self, x: StrataVariable, y: StrataVariable) -> Laws | None:
        """Pearson III with three moments, a gamma law for mutual information, normal laws elsewhere."""
        found = self.moments(x, y)
        if found is None:
            return None
        moments, structures = found
        summand, least = _summand_of(structures)
        fields = _native.match_sum(
            summand, moments.mean, moments.variance, moments.third, x.n, least, self.bound(x, y)
        )
        return Laws(**fields)

    def moments(self, x: StrataVariable, y: StrataVariable) -> tuple[Moments, list[Structure]] | None:
        """Exact moments, and the structures they come from; None where a stratum has none in closed form."""
        parts, structures, shares = list[Moments](), list[Structure](), self.shares(x, y)
        for weight, pair in zip(shares, self.pairs(x, y), strict=True):
            if weight == 0 or pair[0].n < 3 or pair[0].is_degenerate or pair[1].is_degenerate:
                parts.append(Moments(self.base.estimate(*pair) if weight > 0 else 0.0, 0.0, 0.0))
                continue
            known = ((s, exact_moments(s)) for s in self.base.structures(*pair))
            structure, moments = next(((s, m) for s, m in known if m is not None), (None, None))
            if structure is None or moments is None:
                return None
            structures.append(structure)
            parts.append(moments)
        return weighted_sum(parts, shares), structures

    def _part(self, values: Values, rows: NDArray[np.intp]) -> Values:
        part = values[rows]
        if part.dtype == np.int32 and not self.base.needs_shared_labels:
            return coded(part)
        return part

    def _weights(self, values: Values, used: tuple[NDArray[np.intp], ...], parts: tuple[Any, ...]) -> Array:
        if self.known_as == "dcor":
            return np.array(
                [_squared_norm(values[rows], part) for rows, part in zip(used, parts, strict=True)]
            )
        if self.known_as not in _SHARES:
            return np.array([len(rows) for rows in used], dtype=np.float64)
        if self.known_as == "spearman":
            values = ranks_within(np.asarray(values, dtype=np.float64), self.design.cells)
        columns = columns_of(values)
        return np.array([float(np.sum((columns[r] - columns[r].mean(axis=0)) ** 2)) for r in used])


def _squared_norm(values: Values, part: Any) -> float:
    """That of the stratum's U-centered distances, in the units of the column.

    What was prepared is over a power of two, which the range of all but the extremes gives back.
    """
    inner = float(np.ptp(part.values))
    ascending = np.sort(values)
    scale = float(ascending[-2] - ascending[1]) / inner if inner > 0 else 0.0
    return float(part.squared_norm) * scale**2


def _summand_of(structures: list[Structure]) -> tuple[str, float]:
    """Return what is summed, and what its law rests on: rows that a cell expects, or distinct values."""
    first = structures[0] if structures else None
    if isinstance(first, TraceForm):
        return "dense" if first.law == "pearson3" else "trace", np.nan
    if isinstance(first, CellSum) and first.function == "information":
        tables = [s for s in structures if isinstance(s, CellSum)]
        return "information", min(float(s.rows.min() * s.columns.min() / s.rows.sum()) for s in tables)
    if isinstance(first, PairSum):
        sums = [s for s in structures if isinstance(s, PairSum)]
        return "pairs", min(min(s.x.n_distinct, s.y.n_distinct) for s in sums)
    return "other", np.nan
