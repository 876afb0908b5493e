"""12.5 million closed-form pairs: the best 1,000 of them against numpy.corrcoef, and on more threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache, partial

import numpy as np

import bychance as bc
from benchmarks.timing import WALL, Row, beside

N_ROWS, N_COLUMNS, TOP = 2_000, 5_000, 1_000
N_GAPPY = 800, 800  # columns of two arrays: 640,000 pairs
THREADS = (2, 4, 8, 16)


def rows() -> Iterator[Row]:
    """Compare the best of all pairs on one core with numpy.corrcoef, and more threads with one."""
    n_pairs = N_COLUMNS * (N_COLUMNS - 1) // 2
    for measure, null in [("r2", "moments"), ("explained", "auto"), ("spearman", "moments")]:

        def start(measure: str = measure, null: str = null):
            ours = partial(bc.rank, values(), measure=measure, null=null, top=TOP)
            return ours, partial(np.corrcoef, values().T)

        what = f"{measure}, top {TOP:,} of {n_pairs:,} pairs, {N_ROWS:,} rows"
        yield beside(what, start, null=null, peer="np.corrcoef, r alone", target="6 s, at least 0.17×")
    for null in ("moments", "auto"):
        for n_jobs in THREADS:
            if n_jobs <= (os.cpu_count() or 1):
                yield on_threads(null, n_jobs)
    yield from with_gaps()


@cache
def values() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N_ROWS, N_COLUMNS))


def on_threads(null: str, n_jobs: int) -> Row:
    def start():
        run = partial(bc.rank, bc.read_table(values()), measure="r2", null=null, top=TOP)
        return partial(run, n_jobs=n_jobs), partial(run, n_jobs=1)

    what = f"r2, top {TOP:,}, {n_jobs} threads"
    return beside(what, start, null=null, peer="one thread", target="8× on 16", clock=WALL)


def gappy_arrays(n_rows: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Draw two arrays with each tenth value missing."""
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(2, n_rows, N_GAPPY[0]))
    arrays[rng.random(arrays.shape) < 0.1] = np.nan
    return arrays[0], arrays[1]


def with_gaps() -> Iterator[Row]:
    """Time 640,000 pairs with missing values, as two arrays and as one table."""
    what = f"r2, top {TOP:,} of {N_GAPPY[0] * N_GAPPY[1]:,} pairs with missing values"

    def arrays():
        x, y = gappy_arrays()
        return partial(bc.rank_arrays, x, y, top=TOP), partial(shared_correlations, x, y)

    def table():
        x, y = gappy_arrays()
        return partial(rank_of_table, x, y, top=TOP), partial(shared_correlations, x, y)

    yield beside(f"{what}, two arrays", arrays, null="moments", peer="NumPy, r alone")
    yield beside(f"{what}, one table", table, null="moments", peer="NumPy, r alone")


def rank_of_table(x: np.ndarray, y: np.ndarray, **options: object) -> object:
    """Rank the columns of one array with those of the other, all of them in a table."""
    sides = {f"x{k}": column for k, column in enumerate(x.T)}, {f"y{k}": c for k, c in enumerate(y.T)}
    table = bc.read_table({**sides[0], **sides[1]})
    return bc.rank(table, x=list(sides[0]), y=list(sides[1]), measure="r2", null="moments", **options)


def shared_correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return r on the rows that two columns share, from six products."""
    (a, here), (b, there) = ((np.nan_to_num(v), (~np.isnan(v)).astype(float)) for v in (x, y))
    n, sum_a, sum_b = here.T @ there, a.T @ there, here.T @ b
    covariance = a.T @ b - sum_a * sum_b / n
    variances = (a * a).T @ there - sum_a**2 / n, here.T @ (b * b) - sum_b**2 / n
    return covariance / np.sqrt(variances[0] * variances[1])
