"""Pairs by their numbers → their rows in float64, through the engine of ordinary tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bychance.io import Table
from bychance.messages import Note
from bychance.pairs import Pairs, Ways
from bychance.ranking.all_pairs.rates import rate_factor
from bychance.ranking.all_pairs.sides import Side
from bychance.ranking.block import Block, measure_block
from bychance.ranking.job import Job
from bychance.ranking.kept.sinks import Listed
from bychance.ranking.planning.plan import Plan
from bychance.ranking.results import PairResults, join_results, p_values_of_tests
from bychance.ranking.rounds import draw_until_decided
from bychance.ranking.tails import find_tails, n_left_open

__all__ = ["Sides", "decided_rows", "listed_rows", "plan_of"]

_PART_BYTES = 2**31  # of columns in hand, twice
_PART_PAIRS = 2**18

Numbers = NDArray[np.int64]
Sides = tuple[Side, Side]


def listed_rows(sides: Sides, x: Numbers, y: Numbers, job: Job) -> Iterator[PairResults]:
    """The rows of these pairs, part by part; their `x` and `y` are the columns' numbers in their arrays."""
    n_columns = max(1, _PART_BYTES // (16 * sides[0].n_rows))
    size = _PART_PAIRS if n_columns >= max(len(side) for side in sides) else min(_PART_PAIRS, n_columns)
    for start in range(0, len(x), size):
        some = slice(start, start + size)
        yield measure_block(_listed_block(sides, x[some], y[some], job)).rows


def decided_rows(
    sides: Sides,
    x: Numbers,
    y: Numbers,
    job: Job,
    *,
    n_tested: int | None = None,
    limit: float = 0.0,
    n_jobs: int | None,
    progress: bool,
) -> tuple[PairResults, int]:
    """Return the rows of these pairs as a table of them would have them, and how many decisions stay open.

    Pairs are sampled and split until it is decided which are discoveries among `n_tested` (by default these
    pairs alone), and which have a p-value of at most the `limit`. Of some among many, nothing is split if
    that would leave decisions open.
    """
    rows = join_results(list(listed_rows(sides, x, y, job)))
    plan, placed = plan_of(sides, job, rows)
    is_whole = n_tested is None
    if n_tested is None:
        n_tested = int(np.count_nonzero(~np.isnan(p_values_of_tests(rows))))
    listed = Listed(placed, job.by, rate_factor(job.fdr, n_tested), n_tested)
    draw_until_decided(plan, listed, n_jobs=n_jobs, progress=progress)
    n_open = n_left_open(plan, listed, limit)
    if is_whole or not n_open:
        n_open = find_tails(plan, listed, limit=limit, n_jobs=n_jobs, progress=progress)
    return replace(listed.rows, x=rows.x, y=rows.y), n_open


def plan_of(
    sides: Sides, job: Job, rows: PairResults, notes: tuple[Note, ...] = ()
) -> tuple[Plan, PairResults]:
    """Return a plan over a table of the columns in these rows, and the rows by their places in it."""
    x_used, y_used = (np.unique(numbers).astype(np.intp) for numbers in (rows.x, rows.y))
    if sides[0] is sides[1]:
        used = np.union1d(x_used, y_used)
        columns = sides[0].columns(used)
        x, y = np.searchsorted(used, rows.x), np.searchsorted(used, rows.y)
    else:
        columns = (*sides[0].columns(x_used), *sides[1].columns(y_used))
        x, y = np.searchsorted(x_used, rows.x), len(x_used) + np.searchsorted(y_used, rows.y)
    origin = "two arrays" if sides[0] is not sides[1] else "an array"
    table = Table(columns, notes, origin=origin, library=sides[0].library)
    ways = np.full((2, 2), Ways.ONCE, dtype=np.int8)
    is_labels = np.zeros(len(columns), dtype=np.bool_)
    pairs = Pairs(np.unique(x), np.unique(y), False, is_labels, ways)
    plan = Plan(table, job, pairs, block_size=1, tiles=(), target=None)
    return plan, replace(rows, x=x.astype(np.int32), y=y.astype(np.int32))


def _listed_block(sides: Sides, x: Numbers, y: Numbers, job: Job) -> Block:
    if sides[0] is sides[1]:
        used, places = np.unique(np.concatenate([x, y]), return_inverse=True)
        columns = sides[0].columns(used)
        return Block(columns, columns, used, used, places[: len(x)], places[len(x) :], job, is_listed=True)
    x_used, first = np.unique(x, return_inverse=True)
    y_used, second = np.unique(y, return_inverse=True)
    x_columns, y_columns = sides[0].columns(x_used), sides[1].columns(y_used)
    return Block(x_columns, y_columns, x_used, y_used, first, second, job, is_listed=True)
