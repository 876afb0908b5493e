"""Sampled pairs of numeric columns, for measures that are r² of values or of midranks: no Python per row.

In:  columns side by side and the rows that they fill.
Out: batches whose statistics the kernels make from the columns, as those of a single pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.measures import Measure
from bychance.measures.base import Matrix, Trace, is_built_in
from bychance.moments.complete import exact_numbers
from bychance.moments.ties import least_p_of_columns
from bychance.nulls.choose import MANY_ROWS
from bychance.nulls.draws import draw_statistics
from bychance.nulls.permutation import Permutation
from bychance.ranking.job import Job
from bychance.ranking.one_by_one.sampled import Batch, most_cells
from bychance.seeding import stream_key

__all__ = ["Columns", "are_lines", "are_plain", "columns_of_pairs", "line_batches", "pick_columns"]

Array = NDArray[np.float64]
Columns = tuple[Sequence[Column], Sequence[Column]]
Places = NDArray[np.int64]


def are_lines(measure: Measure[Any], columns: Columns, n: NDArray[np.int64], job: Job) -> NDArray[np.bool_]:
    """Which of these pairs, of two kinds that are all the same, can be sampled here."""
    if not len(n):
        return np.zeros(0, dtype=np.bool_)
    form = measure.forms.get((columns[0][0].kind, columns[1][0].kind))
    is_lines = isinstance(form, Trace) and {form.x, form.y} <= {Matrix.LINE, Matrix.RANKS}
    is_sampled = isinstance(job.null, Permutation) or job.null == "auto"
    # Beyond covariates a pair is more than two lines; of a stream there are not all rows.
    is_sampled &= job.covariates is None and job.sums is None
    settings = job.sampling
    if not (is_lines and is_sampled and is_built_in(type(measure))) or (
        settings.is_restricted or settings.follows_precision
    ):
        return np.zeros(len(n), dtype=np.bool_)
    return are_plain(columns) & ((n <= MANY_ROWS) | (not settings.is_adaptive))


def are_plain(columns: Columns) -> NDArray[np.bool_]:
    """Of which pairs float64 holds every value as it is."""
    plain = {id(column): _is_plain(column) for side in columns for column in _distinct(side)}
    return np.array([plain[id(x)] and plain[id(y)] for x, y in zip(*columns, strict=True)])


def pick_columns(columns: Columns, at: NDArray[np.intp]) -> Columns:
    """Some of the pairs."""
    return [columns[0][k] for k in at.tolist()], [columns[1][k] for k in at.tolist()]


def columns_of_pairs(
    columns: Columns,
) -> tuple[list[Any], list[Any], Places, Places, list[tuple[Column, Column]]]:
    """Each column once as values and what is missing, the places of both columns of each pair, and the pairs.

    Both columns of a pair stand in the order of their names.
    """
    pairs = [(x, y) if x.name <= y.name else (y, x) for x, y in zip(*columns, strict=True)]
    used = _distinct([*columns[0], *columns[1]])
    places = {id(column): k for k, column in enumerate(used)}
    first, second = (np.array([places[id(pair[side])] for pair in pairs]) for side in (0, 1))
    nothing = np.zeros(len(used[0]), dtype=np.bool_)
    values = [np.ascontiguousarray(column.values, dtype=np.float64) for column in used]
    return values, [nothing if c.is_missing is None else c.is_missing for c in used], first, second, pairs


def line_batches(
    measure: Measure[Any],
    columns: Columns,
    at: NDArray[np.intp],
    moments: NDArray[np.float64],
    job: Job,
    n_draws: int,
) -> Iterator[Batch]:
    """The pairs in batches of little memory, less those with a column that is constant on their rows.

    `at` says where their rows are; `moments` are exact means and standard deviations, NaN where none is.
    """
    size = max(1, most_cells(job) // (n_draws + len(columns[0][0])))
    for start in range(0, len(at), size):
        part = slice(start, start + size)
        batch = _batch(measure, (columns[0][part], columns[1][part]), at[part], moments[:, part], job)
        if len(batch.at):
            yield batch


def _batch(
    measure: Measure[Any], columns: Columns, at: NDArray[np.intp], moments: NDArray[np.float64], job: Job
) -> Batch:
    form = measure.forms.get((columns[0][0].kind, columns[1][0].kind))
    is_ranked = isinstance(form, Trace) and form.x is Matrix.RANKS
    values, is_missing, first, second, pairs = columns_of_pairs(columns)
    statistics, products = _native.line_statistics(values, is_missing, first, second, is_ranked)
    is_some = np.array([statistic is not None for statistic in statistics])
    made = [statistic for statistic in statistics if statistic is not None]
    settings, n = job.sampling, np.array([statistic.n for statistic in made])
    kept = [pair for pair, some in zip(pairs, is_some, strict=True) if some]
    keys = [stream_key(job.root, "pair", x.name, y.name) for x, y in kept]

    def draw(first: int, count: int) -> Array:
        repairings = [_native.Repairings.free(key, one.n) for key, one in zip(keys, made, strict=True)]
        draws, used = draw_statistics(job.device, made, repairings, first, count)
        job.used_devices.add(used)
        return draws

    products = products[is_some]
    return Batch(
        at=at[is_some],
        n=n,
        sign=np.sign(products).astype(np.int8),
        observed=np.minimum(products * products, 1.0),
        bound=np.ones(len(n)),
        exact_mean=moments[0, is_some],
        exact_std=moments[1, is_some],
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, kept),
    )


def _distinct(columns: Sequence[Column]) -> list[Column]:
    return list({id(column): column for column in columns}.values())


def _is_plain(column: Column) -> bool:
    """Whether float64 holds every value as it is."""
    return column.values.dtype.kind in "fiub" and exact_numbers(column) is column.values
