"""Where ranks or ξ see clearly more in a pair of numbers than a straight line does, or ranks far less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bychance.columns import Column, has_two_values
from bychance.estimate import evaluate
from bychance.kinds import Kind
from bychance.measures import registry
from bychance.nulls import Auto
from bychance.pair import Pair, prepare_pair
from bychance.wording import percent

if TYPE_CHECKING:
    from bychance.ranking.planning.plan import Plan

__all__ = ["LINEAR", "Shape", "shape_of"]

LINEAR = ("explained", "r2")
_CLEARLY, _FAR_LESS, _FEWEST_ROWS = 0.1, 0.3, 20
_LEVEL, _LOOKS = 0.004, 3  # of a single pair; at ranks, and at ξ from both sides
_LEAST_RANKS, _LEAST_XI = 8, 4  # n ρ² and n ξ² that could be beyond chance at that level
_SAMPLED_ROWS = 500  # up to which nulls without a law are sampled, in a quarter of a second


@dataclass(frozen=True, slots=True)
class Shape:
    """What another measure sees where a straight line explains `line`."""

    measure: str
    seen: float
    line: float

    @property
    def sees(self) -> str:
        """What is seen, as a clause."""
        return self.sees_by("ranks")

    def sees_by(self, ranks: str) -> str:
        """Write what is seen, with this word for the ranks."""
        return f"{ranks} explain {percent(self.seen)}" if self.by_ranks else f"xi is {self.seen:.2f}"

    @property
    def by_ranks(self) -> bool:
        """Whether ranks see it, and not ξ."""
        return self.measure == "spearman"

    @property
    def is_less(self) -> bool:
        """Whether the line rests on extreme values: it explains more than ranks do."""
        return self.seen < self.line

    def __str__(self) -> str:
        line = percent(self.line)
        if self.is_less:
            return f"rests on extreme values: {self.sees}, a straight line {line}; try spearman"
        if self.by_ranks:
            return f"another shape or extreme values: {self.sees}, a straight line {line}; try spearman"
        return f"another shape: {self.sees}, a straight line explains {line}; try mic"


def shape_of(plan: Plan, record: dict[str, Any]) -> Shape | None:
    """What ranks or ξ see beyond a line and beyond chance among all pairs, or far less; None without data."""
    names = record["x"], record["y"]
    if names in plan.shapes or not plan.table.n_rows or record["adjusted"] is None:
        return plan.shapes.get(names)
    x, y = plan.table[names[0]], plan.table[names[1]]
    is_linear = record["measure"] in LINEAR and x.kind is y.kind is Kind.NUMERIC
    if not is_linear or record["n"] < _FEWEST_ROWS or plan.job.covariates is not None:
        return None
    # Copies of a row lie side by side in the order of x: to ξ they look like a function.
    if plan.repeated_rows is not None and plan.repeated_rows.caution:
        return None
    level = min(plan.job.fdr_level / max(len(plan.pairs), 1), _LEVEL)
    # Beside a line that is not beyond chance, whatever is beyond it is news.
    is_found = record["q_value"] is not None and record["q_value"] < plan.job.fdr_level
    margin = _CLEARLY if is_found else 0.0
    shape = plan.shapes[names] = _shape(x, y, max(record["adjusted"], 0.0), margin, level)
    return shape


def _shape(x: Column, y: Column, line: float, margin: float, level: float) -> Shape | None:
    ranks = prepare_pair(registry.resolve("spearman"), x, y)
    is_more = ranks.observed - line > margin and ranks.n * ranks.observed > _LEAST_RANKS
    if is_more and _is_beyond_chance(ranks, level):
        return Shape("spearman", ranks.observed, line)
    if line - ranks.observed > _FAR_LESS and 2 * ranks.observed < line:
        return Shape("spearman", ranks.observed, line)
    # Of two values ξ sees more than a line also where one number splits them.
    if line >= _CLEARLY and (has_two_values(x) or has_two_values(y)):
        return None
    sides = [prepare_pair(registry.resolve("xi"), *side) for side in ((x, y), (y, x))]
    xi = max(sides, key=lambda pair: pair.observed)
    is_more = xi.observed - line > margin and xi.n * xi.observed**2 > _LEAST_XI
    if is_more and _is_beyond_chance(xi, level):
        return Shape("xi", xi.observed, line)
    return None


def _is_beyond_chance(pair: Pair, level: float) -> bool:
    """By the pair's own null: among few values ξ and ranks vary more than among many."""
    null = Auto(tails="none") if pair.n <= _SAMPLED_ROWS else "moments"
    return _LOOKS * evaluate(pair, null).p_value <= level
