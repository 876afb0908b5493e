"""Run of a plan: all pairs are measured, permuted until decided, and later measured again in another way.

Pairs of a finished ranking get other measures (`measured_by`) or finer p-values (`refined`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance import _native
from bychance.array_types import IndexArray
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.measures import Measure
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.parallel import Workers
from bychance.ranking.collector import Collected, Collector
from bychance.ranking.plan import Plan
from bychance.ranking.results import (
    PairResults,
    p_values_of_tests,
    q_values,
    rates_of,
    scores_of,
    stated_of,
)
from bychance.ranking.resume import Parts
from bychance.ranking.rounds import draw_until_decided
from bychance.ranking.tails import find_tails, with_tails

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = [
    "measure_all",
    "measure_pairs",
    "measured_by",
    "refined",
    "rows_of_plan",
]


def measure_all(plan: Plan, top: int | None, parts: Parts | None = None) -> Collected:
    """Measure all pairs, permute further until discoveries are decided, and return the kept results."""
    collector = Collector(plan, top=top, parts=parts)
    n_open = measure_pairs(plan, collector)
    return replace(collector.finish(), n_open=n_open)


def rows_of_plan(plan: Plan) -> PairResults:
    """Measure all pairs of a plan, and return their results without ranks."""
    collector = Collector(plan)
    measure_pairs(plan, collector)
    return collector.rows()


def measure_pairs(plan: Plan, collector: Collector, limit: float = 0.0, *, is_whole: bool = True) -> int:
    """Measure all pairs into the collector, and return the number of those whose discovery stays undecided.

    P-values are refined to decide discoveries (and p <= `limit`). If the pairs are only some of many, nothing
    is split if that would leave decisions open.
    """
    _measure_blocks(plan, collector)
    if collector.has_sampled_rows:
        draw_until_decided(plan, collector)
    return find_tails(plan, collector, limit, is_whole=is_whole) if collector.has_open_rows else 0


def _measure_blocks(plan: Plan, collector: Collector) -> None:
    """Measure all blocks that are not finished, with a first sample of permutations per sampled null."""
    left = [number for number in range(len(plan.tiles)) if number not in collector.finished]
    cut = None
    if collector.keeps_best:
        cut = collector.cut
        # Squares first: each prepares another side, so that threads prepare sides side by side.
        left.sort(key=lambda number: plan.tiles[number].x != plan.tiles[number].y)
    blocks = {number: partial(plan.block, number, cut) for number in left}
    n_pairs = plan.n_pairs - sum(len(plan.numbers(number)) for number in collector.finished)
    for number, found in plan.run(blocks, "pairs", n_pairs):
        collector.add(number, found)
    if collector.keeps_best:
        collector.settle()


def measured_by(
    plan: Plan,
    measure: Measure[Any],
    x: IndexArray,
    y: IndexArray,
    *,
    null: NullSpec | None = None,
    columns: tuple[Column, ...] | None = None,
) -> tuple[Plan, PairResults]:
    """Measure pairs of columns by another measure, and return its plan and results.

    By default the null is closed-form, or permutes blocks or groups if the plan's does.
    """
    if null is None:
        own = plan.job.null
        null = own if isinstance(own, Permutation) and own.is_restricted else "moments"
    plan = plan.by(measure, x, y, null=null, columns=columns)
    return plan, rows_of_plan(plan)


def refined(ranking: Ranking, k: int, workers: Workers) -> Ranking:
    """Return the ranking with p-values from rare-event simulation (splitting) for the k best pairs."""
    plan, rows = ranking._plan, ranking._rows
    index = ranking._best(k, fold=True)
    stated = stated_of(rows.pick(index))
    index = index[stated.can_be_finer & ~np.isnan(stated.value)]
    if not len(index):
        return ranking
    if plan.job.sums is not None or not plan.table.n_rows:
        raise BychanceError(
            "`refine` needs the rows of the table: this ranking was streamed, or is without its data."
        )
    return _with_p_values(ranking, index, with_tails(replace(plan, workers=workers), rows.pick(index)))


def _with_p_values(ranking: Ranking, index: IndexArray, found: PairResults) -> Ranking:
    """Return the ranking with new p-values in these rows, and updated q-values and ranks."""
    job, old_p = ranking._plan.job, p_values_of_tests(ranking._rows)
    rows = ranking._rows.replaced(index, found)
    p_values = p_values_of_tests(rows)
    rates = rates_of(p_values, job.fdr, ranking.n_tested)
    q_value = q_values(rates, rows)
    if len(rows) < ranking.n_pairs:  # the other p-values are not at hand, but q falls where p does
        q_value = np.where(p_values <= old_p, np.minimum(q_value, ranking._q_value), q_value)
    place = np.empty_like(ranking._place)
    place[_native.descending_order(*scores_of(rows, job.by))] = np.sort(ranking._place)
    was_found, is_found = ((q < job.fdr_level) & ~np.isnan(p_values) for q in (ranking._q_value, q_value))
    return replace(
        ranking,
        _rows=rows,
        _q_value=q_value,
        _place=place,
        n_found=ranking.n_found + int(is_found.sum()) - int(was_found.sum()),
        _n_open=max(ranking._n_open - int(np.count_nonzero(~was_found[index])), 0),
    )
