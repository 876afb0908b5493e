"""P-values of all columns under joint permutations of one target, for bounds on true discoveries.

Permuting only the target keeps the dependence among the columns. Closed-form distributions convert the
statistics to p-values. The observed target counts as one more permutation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bychance.array_types import FloatArray
from bychance.columns import Column, Memory
from bychance.errors import BychanceError
from bychance.nulls.permutation import Permutation
from bychance.parallel import one_blas_thread
from bychance.ranking.block import Block
from bychance.ranking.closed_testing import Threshold
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import Cut
from bychance.seeding import stream_key

__all__ = ["N_PERMUTATIONS", "JointTests", "joint_tests"]

N_PERMUTATIONS = 999  # permuted targets beside the observed one: alpha = 0.05 is 50 of 1,000 (taste)
_VALUES_AT_ONCE = 1 << 24  # values of permuted targets in memory: 128 MB (memory)
_PAIRS_AT_ONCE = 1 << 17  # pairs of a column and a permuted target that are measured at a time (memory)
_ROUNDING = 1e-12  # relative error of products and quotients (rounding)
_MOST_COLUMNS = 20_000  # columns with one target: their p-values take 160 MB (memory)


@dataclass(frozen=True, slots=True, eq=False)
class JointTests:
    """P-values of each table column with the observed target and with 999 permuted targets."""

    p_values: FloatArray

    def threshold(self, alpha: float) -> Threshold:
        """Return the rejection rule that holds for all selections at once with probability 1 - alpha.

        It is the alpha-quantile of the least p_(k)/k over all permutations (Blanchard, Neuvial and Roquain
        2020, Annals of Statistics 48:1281). Columns below the first threshold are related: without them the
        quantile is larger, until no further column falls below it.
        """
        rank = int(alpha * (N_PERMUTATIONS + 1) * (1 + _ROUNDING))
        if not rank:
            raise BychanceError(
                f'`level` must be at most {1 - 1 / (N_PERMUTATIONS + 1):g} with method="joint", got '
                f"{1 - alpha:g}: {N_PERMUTATIONS} permutations tell no more.",
                "level",
            )
        is_left, slope = ~np.isnan(self.p_values[:, 0]), 0.0
        while is_left.any():
            ordered = np.sort(self.p_values[is_left], axis=0)
            least = np.nanmin(ordered / np.arange(1, len(ordered) + 1)[:, None], axis=0)
            # Just below the quantile: a column that only reaches it is not counted.
            slope = float(np.partition(least, rank)[rank]) * (1 - _ROUNDING)
            is_related = is_left & (self.p_values[:, 0] <= slope)
            if not is_related.any():
                break
            is_left &= ~is_related
        return Threshold(1.0, slope)


def joint_tests(plan: Plan) -> JointTests:
    """Compute all columns' p-values with a jointly permuted target, or raise an error if impossible."""
    _check(plan)
    table, target = plan.table, plan.table[str(plan.target)]
    rows, job = np.arange(table.n_rows), replace(plan.job, null="moments", levels=(plan.job.alpha,))
    is_present = np.ones(len(rows), dtype=np.bool_) if target.is_missing is None else ~target.is_missing
    null = plan.job.null if isinstance(plan.job.null, Permutation) else Permutation()
    permutations = null.permutations(
        stream_key(plan.job.root, "joint", target.name), int(is_present.sum()), is_present, len(rows)
    )
    columns = plan.columns_at(plan.pairs.x)
    chunk = max(1, min(_VALUES_AT_ONCE // max(len(rows), 1), _PAIRS_AT_ONCE // len(columns)))
    found, memory = [], Memory()  # of the columns, prepared once
    for start in range(0, N_PERMUTATIONS + 1, chunk):
        permuted = []
        for number in range(start, min(start + chunk, N_PERMUTATIONS + 1)):
            at = rows.copy()
            if number:
                at[is_present] = rows[is_present][permutations.rows(number - 1, 1)[0]]
            permuted.append(target.at(at))
        found.append(_p_values(columns, tuple(permuted), job, memory))
    p_values = np.full((len(table.columns), N_PERMUTATIONS + 1), np.nan)
    p_values[plan.pairs.x] = np.concatenate(found, axis=1)
    return JointTests(p_values)


def _p_values(
    columns: tuple[Column, ...], targets: tuple[Column, ...], job: Job, memory: Memory
) -> FloatArray:
    """Compute the p-value of every column with every permuted target by closed-form distributions."""
    x, y = np.arange(len(columns)), np.arange(len(targets))
    first, second = np.repeat(x, len(y)), np.tile(y, len(x))
    block = Block(columns, targets, x, y, first, second, job, Cut(1, np.inf), memory)  # no row is wanted
    with one_blas_thread():
        p_values = block.measured().p_values
    return p_values.reshape(len(columns), len(targets))


def _check(plan: Plan) -> None:
    """Raise an error if the target cannot be permuted jointly for all columns."""
    job, needs = plan.job, '`method="joint"` permutes the target for all columns together'
    if plan.target is None:
        raise BychanceError(f"{needs}: rank(…, target=…) names one; this ranking has none.", "method")
    if job.sums is not None or not plan.table.n_rows:
        raise BychanceError(
            f"{needs} and needs the rows of the table: this ranking was streamed, or is without its data.",
            "method",
        )
    if job.covariates is not None:
        raise BychanceError(
            f"{needs}, which would also undo its relation to the covariates: leave out `given`, or use "
            'method="simes".',
            "method",
        )
    target = plan.table[plan.target]
    kinds = {(plan.table.columns[k].kind, target.kind) for k in plan.pairs.x.tolist()}
    without = {
        job.measures[pair].name for pair in kinds & set(job.measures) if pair not in job.measures[pair].forms
    }
    if without:
        raise BychanceError(
            f"{needs}, by closed-form p-values of all pairs: {' and '.join(sorted(without))} has none. "
            'Use method="simes", or a measure such as "explained".',
            "method",
        )
    if len(plan.pairs.x) > _MOST_COLUMNS:
        raise BychanceError(
            f'{needs}, at most {_MOST_COLUMNS:,} of them, got {len(plan.pairs.x):,}: use method="simes".',
            "method",
        )
