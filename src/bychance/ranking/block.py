"""A block of pairs → their rows: pure, small, and carrying all it needs, so that it can run anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.pairs import n_shared
from bychance.ranking.closed_form import measure_whole
from bychance.ranking.duplicates import DUPLICATES, are_near_duplicates
from bychance.ranking.job import Job, are_of_kinds
from bychance.ranking.pair_rows import Rows, TextList
from bychance.ranking.per_pair import measure_one_by_one

__all__ = ["Block", "measure_block"]

# An estimate so close to its bound is looked at more closely: the columns may be near-duplicates. Where r² is
# above 0.999, Kendall's τ² is about 0.96 of its bound, and ξ little less.
_CLOSE, _CLOSE_NUMBERS = 0.999, 0.9


@dataclass(frozen=True, eq=False)
class Block:
    """Pairs by their positions in the table (`x`, `y`) and among the columns at hand (`first`, `second`)."""

    columns: tuple[Column, ...]
    x: NDArray[np.intp]
    y: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    most_alike: NDArray[np.int64]  # of the columns at hand: at most how many rows have one value
    job: Job

    def __len__(self) -> int:
        return len(self.x)


def measure_block(block: Block, tick: Callable[[int], None] = lambda steps: None) -> Rows:
    """Every pair of the block with its null and adjustments; `tick` hears how many are done.

    >>> from bychance.ranking.job import make_job
    >>> from bychance.ranking.plan import make_plan
    >>> from bychance.table import read_table
    >>> table = read_table({"a": np.arange(20.0), "b": np.arange(20.0) ** 2})
    >>> job = make_job(measure="r2", null="paper", by="adjusted", alpha=0.05, min_n=10, fdr="bh", rng=0)
    >>> rows = measure_block(make_plan(table, job).block(0))
    >>> rows.n.tolist(), rows.observed.round(3).tolist()
    ([20], [0.932])
    """
    job, texts = block.job, TextList()
    n = _n_shared(block)
    rows = Rows.unknown(block.x, block.y, n, len(job.sweep))
    is_labels = np.array([column.kind is Kind.CATEGORICAL for column in block.columns])
    bounds = np.full(len(block), np.nan)
    for (x_kind, y_kind), measure in job.measures.items():
        of_kind = are_of_kinds(is_labels, block.first, block.second, (x_kind, y_kind))
        rows.measure[of_kind] = texts.number(measure.name)
        least = max(job.min_n, measure.min_n)
        rows.note[of_kind & (n < least)] = texts.number(f"fewer than {least} shared rows")
        rows.note[of_kind & (n == 0)] = texts.number("no shared rows")
        picked = np.flatnonzero(of_kind & (n >= least))
        form = measure.algebra(x_kind, y_kind)
        if form is not None and len(picked):
            pairs = block.first[picked], block.second[picked]
            is_done, bounds[picked] = measure_whole(
                form, measure, job, rows, picked, block.columns, pairs, block.most_alike, texts
            )
            tick(int(is_done.sum()))
            picked = picked[~is_done]
        sides = _side_by_side(block, picked)
        bounds[picked] = measure_one_by_one(measure, job, rows, picked, sides, texts, tick)
        tick(int(np.sum(of_kind & (n < least))))
    _mark_duplicates(block, rows, is_labels, bounds, texts)
    return replace(rows, texts=texts.texts())


def _n_shared(block: Block) -> NDArray[np.int64]:
    first, second = np.unique(block.first), np.unique(block.second)
    counts = n_shared([block.columns[k] for k in first], [block.columns[k] for k in second])
    shared: NDArray[np.int64] = counts[
        np.searchsorted(first, block.first), np.searchsorted(second, block.second)
    ]
    return shared


def _side_by_side(block: Block, picked: NDArray[np.intp]) -> tuple[list[Column], list[Column]]:
    first, second = block.first[picked], block.second[picked]
    return [block.columns[k] for k in first], [block.columns[k] for k in second]


def _mark_duplicates(
    block: Block, rows: Rows, is_labels: NDArray[np.bool_], bounds: NDArray[np.float64], texts: TextList
) -> None:
    has_labels = is_labels[block.first] | is_labels[block.second]
    is_close = rows.observed > np.where(has_labels, _CLOSE, _CLOSE_NUMBERS) * bounds
    for k in np.flatnonzero(is_close & (rows.null_std > 0)):
        x, y = block.columns[block.first[k]], block.columns[block.second[k]]
        if are_near_duplicates(x, y):
            rows.is_duplicate[k] = True
            notes = (texts.texts()[rows.note[k]], DUPLICATES)
            rows.note[k] = texts.number("; ".join(filter(None, notes)))
