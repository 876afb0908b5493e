"""p-values beyond what draws and laws can tell, for the pairs of a table where it matters.

Splitting (nulls/splitting.py) finds them for pairs whose decision is open though all draws are made; for
matched p-values below the range of their law, where they lie near the threshold of the discoveries; and for
the first rows of the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind
from bychance.nulls.sequential import FEW_EXCEEDANCES, discovery_threshold, limits_of_p, undecided
from bychance.nulls.splitting import (
    LEAST_MATCHED_P,
    MOST_ROWS,
    N_RUNS,
    Run,
    Tail,
    can_be_quick,
    pooled_tail,
    split_runs,
    tail_pair,
)
from bychance.progress import Progress
from bychance.ranking.execute import run_tasks
from bychance.ranking.kept.pair_rows import PKind, Rows, TextNumbers, fdr_factor
from bychance.ranking.kept.sinks import Sink
from bychance.ranking.one_by_one.per_pair import pair_of_row
from bychance.ranking.one_by_one.rounds import PairTask
from bychance.ranking.planning.plan import Plan

__all__ = ["find_tails"]

Mask = NDArray[np.bool_]

_NEAR = 100.0  # a factor of the threshold within which a matched p-value decides
_MOST_NEAR = 10_000
_FIRST_ROWS = 20
_PAIRS_PER_TASK, _MANY_TASKS = 8, 64


def find_tails(plan: Plan, sink: Sink, *, n_jobs: int | None, progress: bool) -> None:
    """Replace the rows whose p-values splitting has to find."""
    # Of a stream there are not all rows to exchange.
    if plan.job.tails == "none" or plan.job.sums is not None:
        return
    numbers, rows = sink.open_rows()
    if not len(numbers):
        return
    picked = np.flatnonzero(_is_wanted(plan, sink, numbers, rows))
    if not len(picked):
        return
    found, parts = rows.pick(picked), list(_parts(_are_quick(plan, rows)[picked]))
    tasks = {
        k: partial(_TailTask.of, plan, found.pick(part), runs=runs) for k, (part, runs) in enumerate(parts)
    }
    with Progress("tails", total=N_RUNS * len(picked), enabled=progress) as bar:
        done = dict(run_tasks(tasks, n_jobs=n_jobs, tick=bar.advance))
    runs_of: dict[int, list[Run]] = {}
    for k, (part, runs) in enumerate(parts):
        for place, run in enumerate(done[k]):
            runs_of.setdefault(int(part[place // len(runs)]), []).append(run)
    sink.update(numbers[picked], _with_tails(found, {k: pooled_tail(runs) for k, runs in runs_of.items()}))


def _parts(are_quick: Mask) -> Iterator[tuple[NDArray[np.intp], range]]:
    """Pairs and which of their runs are a task: some pairs with all of theirs, of slow ones each run."""
    quick = np.flatnonzero(are_quick)
    size = min(_PAIRS_PER_TASK, max(1, len(quick) // _MANY_TASKS))
    for start in range(0, len(quick), size):
        yield quick[start : start + size], range(N_RUNS)
    for pair in np.flatnonzero(~are_quick):
        for run in range(N_RUNS):
            yield np.array([pair]), range(run, run + 1)


def _with_tails(rows: Rows, tails: Mapping[int, Tail]) -> Rows:
    """The rows with the p-values that splitting found."""
    texts = TextNumbers.of(rows.texts)
    for k, tail in tails.items():
        if rows.is_stretched[k] and not tail.is_reached:
            continue
        rows.p_value[k], rows.p_se[k] = tail.p_value, tail.se_log10
        rows.p_kind[k], rows.is_stretched[k] = PKind.SPLITTING, False
        notes = tuple(texts)[rows.note[k]], tail.caveat
        rows.note[k] = texts["; ".join(filter(None, notes))]
    return replace(rows, texts=tuple(texts))


def _is_wanted(plan: Plan, sink: Sink, numbers: NDArray[np.int64], rows: Rows) -> Mask:
    job, p_values = plan.job, sink.p_values()
    is_coarse = (rows.p_kind == PKind.SEQUENTIAL) & (rows.exceedances < FEW_EXCEEDANCES)
    is_within = rows.is_stretched & (rows.p_value >= LEAST_MATCHED_P)
    can_be: Mask = (is_coarse | is_within) & ~np.isnan(p_values[numbers])
    if job.tails == "all":
        return can_be
    can_be &= rows.n <= MOST_ROWS
    n_tested = int(np.count_nonzero(~np.isnan(p_values)))
    factor = fdr_factor(job.fdr, n_tested)
    # A p-value decides by which side of this it lies on; the largest discovery may be far below it.
    n_found = int(np.count_nonzero(p_values <= discovery_threshold(p_values, job.fdr_level, factor)))
    threshold = job.fdr_level * max(n_found, 1) / (factor * max(n_tested, 1))
    wanted: Mask = can_be & _is_near(rows, threshold)
    # Above, ten exceedances are a p-value below the threshold: the draws have decided.
    if threshold < FEW_EXCEEDANCES / (job.sampling.cap + 1):
        wanted |= can_be & _is_open_at_the_cap(plan, p_values, numbers, rows, factor)
    n_first = sink.n_kept if job.tails == "top" else _FIRST_ROWS
    is_first = np.isin(numbers, sink.leading(n_first))
    is_quick = np.array([True]) if job.tails == "top" else _are_quick(plan, rows)
    wanted |= can_be & is_first & is_quick
    return wanted


def _is_open_at_the_cap(
    plan: Plan, p_values: NDArray[np.float64], numbers: NDArray[np.int64], rows: Rows, factor: float
) -> Mask:
    """Sampled pairs that took all draws, and still may or may not be discoveries."""
    is_sampled = rows.p_kind == PKind.SEQUENTIAL
    known = p_values.copy()
    known[numbers[is_sampled]] = np.nan
    at = np.flatnonzero(is_sampled)
    low, high = limits_of_p(rows.exceedances[at].astype(np.int64), rows.n_resamples[at].astype(np.int64))
    is_open = np.zeros(len(rows), dtype=np.bool_)
    is_open[at] = undecided(low, high, known[~np.isnan(known)], plan.job.fdr_level, factor)
    is_open &= rows.n_resamples >= plan.job.sampling.cap
    return is_open


def _is_near(rows: Rows, threshold: float) -> Mask:
    """Matched p-values beyond their range and near the threshold, the nearest where they are very many."""
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.abs(np.log(rows.p_value / threshold))
    is_near: Mask = rows.is_stretched & (distance <= np.log(_NEAR))
    if np.count_nonzero(is_near) > _MOST_NEAR:
        nearest = np.argsort(np.where(is_near, distance, np.inf), kind="stable")[:_MOST_NEAR]
        is_near = np.zeros(len(rows), dtype=np.bool_)
        is_near[nearest] = True
    return is_near


def _are_quick(plan: Plan, rows: Rows) -> Mask:
    """Whether a tail of each pair takes a fraction of a second."""
    measures = {measure.name: measure for measure in plan.job.measures.values()}
    by_text = [text in measures and can_be_quick(measures[text], MOST_ROWS) for text in rows.texts]
    are_quick: Mask = np.array(by_text, dtype=np.bool_)[rows.measure] & (rows.n <= MOST_ROWS)
    if plan.job.covariates is None:
        return are_quick
    # Beyond covariates the kernels know two numbers within cells.
    is_number = np.array([column.kind is Kind.NUMERIC for column in plan.table.columns])
    are_quick &= is_number[rows.x] & is_number[rows.y] & plan.job.covariates.makes_only_cells
    return are_quick


@dataclass(frozen=True, eq=False)
class _TailTask(PairTask):
    """Pairs whose tails are asked for, and by which of their runs."""

    runs: range

    def run(self, tick: Callable[[int], None]) -> list[Run]:
        """The runs of each pair, one pair after the other."""
        pairs = []
        for k, (measure, x, y) in enumerate(self.pairs()):
            plain = pair_of_row(measure, x, y, self.memory, self.job)
            pair = tail_pair(plain, self.job.sampling, float(self.rows.null_std[k]))
            pairs.append(
                replace(pair, repairings=[pair.repairings[run] for run in self.runs], numbers=self.runs)
            )
        found = split_runs(pairs)
        tick(len(found))
        return found
