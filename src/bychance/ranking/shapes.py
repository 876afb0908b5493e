"""Where ranks or ξ see clearly more in a pair of numbers than a straight line does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from bychance.columns import Column, has_two_values
from bychance.kinds import Kind
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.wording import percent

if TYPE_CHECKING:
    from bychance.ranking.plan import Plan

__all__ = ["Shape", "shape_of"]

_LINEAR = ("explained", "r2")
_CLEARLY, _FEWEST_ROWS = 0.1, 20
_DEVIATIONS = 3.0  # from what independent columns give, at least


@dataclass(frozen=True, slots=True)
class Shape:
    """What another measure sees where a straight line explains `line`."""

    measure: str
    seen: float
    line: float

    @property
    def sees(self) -> str:
        """What is seen, as a clause."""
        return f"ranks explain {percent(self.seen)}" if self.by_ranks else f"xi is {self.seen:.2f}"

    @property
    def by_ranks(self) -> bool:
        """Whether ranks see it, and not ξ."""
        return self.measure == "spearman"

    def __str__(self) -> str:
        line = percent(self.line)
        if self.by_ranks:
            return f"another shape or extreme values: {self.sees}, a straight line {line}; try spearman"
        return f"another shape: {self.sees}, a straight line explains {line}; try mic"


def shape_of(plan: Plan, record: dict[str, Any]) -> Shape | None:
    """What ranks or ξ see beyond a line, and beyond chance among all pairs; None without data."""
    names = record["x"], record["y"]
    if names in plan.shapes or not plan.table.n_rows or record["adjusted"] is None:
        return plan.shapes.get(names)
    x, y = plan.table[names[0]], plan.table[names[1]]
    is_linear = record["measure"] in _LINEAR and x.kind is y.kind is Kind.NUMERIC
    if not is_linear or record["n"] < _FEWEST_ROWS or plan.job.covariates is not None:
        return None
    level = plan.job.fdr_level / max(len(plan.pairs), 1)
    deviations = max(_DEVIATIONS, -NormalDist().inv_cdf(level / 2))
    shape = plan.shapes[names] = _shape(x, y, record["n"], max(record["adjusted"], 0.0), deviations)
    return shape


def _shape(x: Column, y: Column, n: int, line: float, deviations: float) -> Shape | None:
    ranks = prepare_pair(registry.resolve("spearman"), x, y).observed
    # Of independent columns ρ has the standard deviation 1/√(n − 1), and ξ √(2/5n).
    if ranks - line > _CLEARLY and math.sqrt(ranks * (n - 1)) > deviations:
        return Shape("spearman", ranks, line)
    # Of two values ξ sees more than a line also where one number splits them.
    if line >= _CLEARLY and (has_two_values(x) or has_two_values(y)):
        return None
    xi = max(prepare_pair(registry.resolve("xi"), *sides).observed for sides in ((x, y), (y, x)))
    if xi - line > _CLEARLY and xi > deviations * math.sqrt(0.4 / n):
        return Shape("xi", xi, line)
    return None
