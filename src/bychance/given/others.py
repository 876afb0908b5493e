"""Kendall's S over strata, and measures of residuals: distance correlation, ξ, MIC, own functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.given.base import GivenMeasure
from bychance.given.factors import DETERMINED
from bychance.given.laws import kendall_law
from bychance.given.moments import squared_sum_moments
from bychance.given.strata_sum import StrataSum, StrataVariable
from bychance.given.variables import ControlledVariable, columns_of
from bychance.kinds import Role
from bychance.measures.base import Values
from bychance.measures.kendall import untied_pairs
from bychance.nulls.base import Moments, Null
from bychance.nulls.exact import values_under
from bychance.nulls.kendall import has_exact_law, squared_s_moments
from bychance.nulls.laws import Laws

__all__ = ["ResidualEffect", "StrataKendall"]

Array = NDArray[np.float64]

_MAX_KENDALL_N = 200  # rows of a stratum whose law of S is cheap


class StrataKendall(StrataSum):
    """`kendall` given categories: (Σ S_h)² over untied pairs within strata, as the seasonal Kendall test."""

    @cached_property
    def used_rows(self) -> tuple[NDArray[np.intp], ...]:
        """Every stratum: two rows have a sign as well."""
        return tuple(rows for rows in self.design.cells.rows if len(rows) > 1)

    def estimate(self, x: StrataVariable, y: StrataVariable) -> float:
        """Return the squared sum over its scale."""
        return self.statistic(x, y).value()

    def statistic(self, x: StrataVariable, y: StrataVariable) -> _native.Statistic:
        """Return the squared sum over its scale, for the kernels."""
        return self._sum(x, y, _native.Finish(squared=True, scale=self._scale(x, y)))

    def _sum(self, x: StrataVariable, y: StrataVariable, finish: _native.Finish) -> _native.Statistic:
        signs = [
            _native.Statistic.kendall(
                first.order, first.tie_groups, second.codes, second.n_distinct, _native.Finish()
            )
            for first, second in self.pairs(x, y)
        ]
        ones, zeros = np.ones(len(signs)), np.zeros(len(signs))
        return _native.Statistic.weighted_sum(ones, signs, zeros, x.rows, self.design.n, finish)

    def sign(self, x: StrataVariable, y: StrataVariable) -> int:
        """The sign of Σ S_h."""
        return int(np.sign(self._sum(x, y, _native.Finish()).value()))

    bound = GivenMeasure.bound

    def laws(self, x: StrataVariable, y: StrataVariable) -> Laws:
        """Beta with the exact mean and variance."""
        # Two rows have S = ±1, whose square is constant.
        parts = [squared_s_moments(*t) if t[0] > 2 else Moments(1.0, 0.0) for t in self._ties(x, y)]
        moments = squared_sum_moments(parts).scaled(self._scale(x, y))
        distinct, others = (x.n_distinct, y.n_distinct), (x.n_others, y.n_others)
        fields = _native.match_signs(
            moments.mean, moments.variance, x.n, distinct, others, self.bound(x, y), is_in_strata=True
        )
        return Laws(**fields)

    def cheap_law(self, x: StrataVariable, y: StrataVariable, max_operations: float) -> Null | None:
        """The convolution of the strata's laws, where no stratum has ties in both variables."""
        ties = self._ties(x, y)
        lengths = np.array([n * (n - 1) / 2 for n, _, _ in ties])
        is_known = all(n <= _MAX_KENDALL_N and has_exact_law(n, first, second) for n, first, second in ties)
        if not is_known or float(np.sum(np.cumsum(lengths) * lengths)) > max_operations:
            return None
        return kendall_law(ties, self._scale(x, y))

    def _ties(
        self, x: StrataVariable, y: StrataVariable
    ) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        return [
            (first.n, tuple(map(int, first.tie_groups)), tuple(map(int, second.tie_groups)))
            for first, second in self.pairs(x, y)
            if not (first.is_degenerate or second.is_degenerate)
        ]

    def _scale(self, x: StrataVariable, y: StrataVariable) -> float:
        untied = [sum(untied_pairs(part.tie_groups) for part in v.parts) for v in (x, y)]
        return 1 / (untied[0] * untied[1]) if untied[0] * untied[1] > 0 else 0.0


@dataclass(frozen=True, eq=False)
class ResidualVariable(ControlledVariable):
    """What Z leaves of a numeric variable, and that made ready for the measure."""

    residuals: Array
    part: Any

    @property
    def is_degenerate(self) -> bool:
        """Whether z determines the variable."""
        return bool(np.all(self.residuals == 0))


class ResidualEffect(GivenMeasure):
    """f(Mx, My) for measures that only know a whole sample; its null is f(Mx, MΠMy), Π within cells."""

    @property
    def is_costly(self) -> bool:
        """Whether every draw is prepared anew."""
        return not self.design.has_only_cells

    def prepare(self, values: Values, role: Role) -> ResidualVariable:
        """The residuals, made ready for the measure."""
        numbers = columns_of(np.asarray(values, dtype=np.float64))[:, 0]
        residuals = self.design.residualize(numbers)
        total = float(np.sum((numbers - numbers.mean()) ** 2))
        left = float(residuals @ residuals)
        if left <= DETERMINED * total:
            residuals = np.zeros_like(residuals)
        residuals = _without_noise(residuals)
        share = 1 - min(left / total, 1.0) if total > 0 else 1.0
        return ResidualVariable(values, self.design, share, residuals, self.base.prepare(residuals, role))

    def estimate(self, x: ResidualVariable, y: ResidualVariable) -> float:
        """The measure of both residuals."""
        return float(self.base.estimate(x.part, y.part))

    def values_at(self, x: ResidualVariable, y: ResidualVariable, rows: NDArray[np.int32]) -> Array:
        """The measure with y's residuals permuted, and residualized again where Z is more than cells."""
        if self.design.has_only_cells:
            return values_under(self.base, x.part, y.part, rows)
        values = np.empty(len(rows))
        for k, row in enumerate(rows):
            again = _without_noise(self.design.residualize(y.residuals[row]))
            values[k] = self.base.estimate(x.part, self.base.prepare(again, Role.Y))
        return values

    def statistic(self, x: ResidualVariable, y: ResidualVariable) -> _native.Statistic | None:
        """The measure's own, where permutation leaves residuals as they are."""
        return self.base.statistic(x.part, y.part) if self.design.has_only_cells else None

    def bound(self, x: ResidualVariable, y: ResidualVariable, which: str | None = None) -> float:
        """That of the measure on the residuals."""
        return float(self.base.bound(x.part, y.part, which))

    def default_bound(self, x: ResidualVariable, y: ResidualVariable) -> float:
        """The same."""
        return float(self.base.default_bound(x.part, y.part))

    def sign(self, x: ResidualVariable, y: ResidualVariable) -> int | None:
        """That of the measure on the residuals."""
        return self.base.sign(x.part, y.part)


def _without_noise(residuals: Array) -> Array:
    """Residuals to 12 digits of the largest, so that rounding breaks no ties."""
    largest = float(np.abs(residuals).max())
    return np.round(residuals / largest, 12) if largest > 0 else residuals
