"""Second look: pairs with a number that a straight line, or group means, did not find.

In:  a ranking by `explained` or `r2`.
Out: the pairs that ranks, or a bent line in ranks, find at half the level, and how much they explain.

A pair has two looks if one column is categorical: a straight and a bent line in the ranks of the number. Two
numbers have three, since either may bend. A pair's p-value is the smallest of its looks, times their number
(Bonferroni), at most 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.estimate import evaluate
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.explained import Explained
from bychance.measures.looks import RankBends, RankLine
from bychance.measures.shape import Shape
from bychance.memory import Memory
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.pair import prepare_pair
from bychance.ranking.block import Block, measure_block
from bychance.ranking.results import fdr_factor, p_values_of_tests, rates_of
from bychance.wording import percent

if TYPE_CHECKING:
    from bychance.ranking.plan import Plan
    from bychance.ranking.ranking import Ranking

__all__ = ["LINEAR", "Looks", "Seen", "look_again", "null_of_looks", "seen_beside_line", "seen_of"]

LINEAR = ("explained", "r2")
_CLEARLY, _FAR_LESS = 0.1, 0.3  # shares by which another look differs from a line that is found, to be told
_LEAST = 8.0  # the same times the rows: as much as chance gives in one look of 200
_ROWS_OF_PAIRS = 30_000_000  # rows times pairs that are looked at: about three seconds

_N, _C = Kind.NUMERIC, Kind.CATEGORICAL
_KINDS = ((_N, _N), (_N, _C))


@dataclass(frozen=True, slots=True)
class Looks:
    """Pairs found by the second look, as positions of columns, the smallest p-value first.

    `is_shape` says of each whether a bent line saw it, and not a straight one. `is_found` flags the rows of
    the ranking that count beside them.
    """

    x: NDArray[np.intp]
    y: NDArray[np.intp]
    is_shape: NDArray[np.bool_]
    is_found: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, slots=True)
class Seen:
    """Shares that a line (or group means) and another look explain of one pair, adjusted for chance.

    `is_shape` if the other look is a bent line, `in_ranks` if this is one through ranks, and `is_turned` if
    it is y that bends and explains x. `by_groups` if x is categorical.
    """

    line: float
    seen: float
    is_shape: bool = False
    in_ranks: bool = False
    is_turned: bool = False
    by_groups: bool = False

    @property
    def is_less(self) -> bool:
        """Return True if the line rests on extreme values: it explains more than ranks do."""
        return self.seen < self.line

    def clause(self, x: str, y: str, *, has_target: bool) -> str:
        """Write by which look the pair is related, and how much that explains."""
        it, of = ("it", "") if has_target else (x, f" of {y}")
        seen, line = percent(self.seen), f"{self._line} {percent(self.line)}"
        ranks = " of the ranks" if self.in_ranks else ""
        if self.is_turned:
            return f"by the shape of {y}: that explains {seen} of {ranks and 'the ranks of '}{x}, {line}"
        if self.is_shape:
            its = "its" if has_target else "the"
            return f"by {its} shape: {it} explains {seen}{ranks}{of}, {line}"
        if self.by_groups:
            return f"by the ranks of {y}: {it} explains {seen} of them, {line}"
        return f"by ranks: they explain {seen}, {line}"

    def __str__(self) -> str:
        line = f"{self._line} {percent(self.line)}"
        if self.is_shape:
            ranks = " in ranks" if self.in_ranks else ""
            return f"another shape: it explains {percent(self.seen)}{ranks}, {line}; try shape"
        ranks = f"{'in ranks it explains' if self.by_groups else 'ranks explain'} {percent(self.seen)}"
        if self.is_less:
            return f"rests on extreme values: {ranks}, {line}; try spearman"
        if self.by_groups:
            return f"extreme values hide it: {ranks}, {line}"
        return f"another shape or extreme values: {ranks}, {line}; try spearman"

    @property
    def _line(self) -> str:
        return "group means" if self.by_groups else "a straight line"


def look_again(ranking: Ranking) -> Looks:
    """Look again at the pairs that were not found, at half the level, since one sentence counts both lists.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> found = look_again(bc.rank({"x": x, "wave": np.cos(5 * x)}))
    >>> len(found), found.is_shape.tolist()
    (1, [True])
    """
    plan, rows, level = ranking._plan, ranking._rows, ranking.fdr_level
    is_tested = ~np.isnan(p_values_of_tests(rows))
    is_found, is_sure = ((ranking._q_value < part) & is_tested for part in (level, level / 2))
    empty = np.zeros(0, dtype=np.intp)
    none = Looks(empty, empty, empty.astype(np.bool_), is_found)
    if not plan.table.n_rows or plan.job.covariates is not None:
        return none
    x, y = _candidates(ranking, is_found, is_sure)
    p_values, is_shape = _p_values(plan, x, y)
    rates = rates_of(p_values, p_values, int((~np.isnan(p_values)).sum()), fdr_factor(plan.job.fdr, len(x)))
    order = np.argsort(p_values, kind="stable")
    seen = order[rates[order] < level / 2]
    was_found = _keys(plan, rows.x[is_found], rows.y[is_found])
    if np.isin(_keys(plan, x[seen], y[seen]), was_found).all():
        return none  # the line found them too: there is one list
    return Looks(x[seen], y[seen], is_shape[seen], is_sure)


def _candidates(
    ranking: Ranking, is_found: NDArray[np.bool_], is_sure: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of a linear measure with a number that are not sure, in the order of the ranking."""
    rows, plan, order = ranking._rows, ranking._plan, ranking._best()
    most = max(_ROWS_OF_PAIRS // plan.table.n_rows, 1)
    is_linear = np.isin(rows.text("measure"), LINEAR)
    order = order[(is_linear & ~is_sure)[order]]
    x, y = rows.x[order].astype(np.intp), rows.y[order].astype(np.intp)
    has_all_pairs = bool(plan.tiles)  # not the plan of two arrays, which has the columns that were kept
    if (
        has_all_pairs
        and len(rows) < ranking.n_pairs <= most
        and is_linear.all()
        and is_found.sum() == ranking.n_found
    ):
        # Pairs that were not kept were not found.
        sides = [plan.pairs.within(tile) for tile in plan.tiles]
        others_x, others_y = (np.concatenate(side) for side in zip(*sides, strict=True))
        is_other = ~np.isin(_keys(plan, others_x, others_y), _keys(plan, rows.x, rows.y))
        x, y = np.append(x, others_x[is_other]), np.append(y, others_y[is_other])
    has_number = ~(plan.pairs.is_labels[x] & plan.pairs.is_labels[y])
    return x[has_number][:most], y[has_number][:most]


def _keys(plan: Plan, x: NDArray[np.integer[Any]], y: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = x.astype(np.int64) * len(plan.table.columns) + y
    return keys


def _p_values(
    plan: Plan, x: NDArray[np.intp], y: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the p-value of each pair by all of its looks, and whether the smallest is of a bent line."""
    is_labels = plan.pairs.is_labels
    number, other = np.where(is_labels[x], y, x), np.where(is_labels[x], x, y)
    are_numbers = np.flatnonzero(~is_labels[other])
    by_line, by_bends = (_looked_at(plan, look, number, other) for look in (RankLine(), RankBends()))
    by_bends[are_numbers] = np.fmin(
        by_bends[are_numbers], _looked_at(plan, RankBends(), other[are_numbers], number[are_numbers])
    )
    n_looks = np.full(len(x), 2)
    n_looks[are_numbers] = 3
    return np.minimum(n_looks * np.fmin(by_line, by_bends), 1.0), by_bends < by_line


def _looked_at(
    plan: Plan, look: Measure[Any], x: NDArray[np.intp], y: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the p-values of pairs by a look, permuting blocks or groups if the ranking does."""
    if not len(x):
        return np.zeros(0)
    positions, places = np.unique(np.concatenate([x, y]), return_inverse=True)
    columns = tuple(plan.table.columns[k] for k in positions)
    job = replace(
        plan.job,
        measures=dict.fromkeys(_KINDS, look),
        null=null_of_looks(plan),
        sweep=(),
        sums=None,
        device="cpu",
    )
    first, second = places[: len(x)], places[len(x) :]
    block = Block(columns, columns, positions, positions, first, second, job, memory=Memory(), is_listed=True)
    return p_values_of_tests(measure_block(block).rows)


def null_of_looks(plan: Plan) -> NullSpec:
    """Return the null of other looks: closed-form, or permuting blocks or groups if the ranking does."""
    null = plan.job.null
    return null if isinstance(null, Permutation) and null.is_restricted else "moments"


def seen_beside_line(ranking: Ranking, record: dict[str, Any]) -> Seen | None:
    """Return what other looks see of a pair; if a line finds two numbers, only what is far more or less."""
    plan, looks = ranking._plan, ranking._looks
    x, y = (plan.table.position(record[side]) for side in ("x", "y"))
    found = np.flatnonzero((looks.x == x) & (looks.y == y))
    if len(found):
        return ranking._seen(record["x"], record["y"], is_shape=bool(looks.is_shape[found[0]]))
    is_found = record["q_value"] is not None and record["q_value"] < ranking.fdr_level
    are_numbers = not (plan.pairs.is_labels[x] or plan.pairs.is_labels[y])
    if not (is_found and are_numbers and record["measure"] in LINEAR) or plan.job.covariates is not None:
        return None
    if (record["x"], record["y"], None) not in ranking._seen_pairs and not plan.table.n_rows:
        return None
    seen = ranking._seen(record["x"], record["y"])
    if seen.seen - seen.line > max(_CLEARLY, _LEAST / record["n"]):
        return seen
    ranks = ranking._seen(record["x"], record["y"], is_shape=False)
    return ranks if ranks.line - ranks.seen > _FAR_LESS and 2 * ranks.seen < ranks.line else None


def seen_of(x: Column, y: Column, *, is_shape: bool | None) -> Seen:
    """Return what a line and another look see of a pair: by default the look that sees more."""
    by_groups = x.kind is _C
    ranks = Seen(_share(Explained(), x, y), _share(RankLine(), x, y), by_groups=by_groups)
    if is_shape is False:
        return ranks
    best = max((_shape_of(*side) for side in _sides(x, y)), key=lambda found: found[0])[1]
    return ranks if is_shape is None and ranks.seen >= best.seen else best


def _sides(x: Column, y: Column) -> Iterator[tuple[Column, Column, bool]]:
    """Yield the ways in which one of the two numbers, or the only one, may bend."""
    if x.kind is _N:
        yield x, y, False
    if y.kind is _N:
        yield y, x, True


def _shape_of(x: Column, y: Column, is_turned: bool) -> tuple[float, Seen]:
    """Return what a bent line explains of ranks or classes, and what to tell of it."""
    values, ranks = _share(Shape(), x, y), _share(RankBends(), x, y)
    in_ranks = values < ranks / 2  # extreme values leave little to a line through values
    seen = Seen(_share(Explained(), x, y), ranks if in_ranks else values, True, in_ranks, is_turned)
    return ranks, seen


def _share(measure: Measure[Any], x: Column, y: Column) -> float:
    """Return the share of y's variation that x explains, adjusted for chance."""
    return max(evaluate(prepare_pair(measure, x, y), "moments").adjusted, 0.0)
