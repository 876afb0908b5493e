"""All pairs of two arrays for tests: lines of columns, bounds, candidates, rankings by matched p-values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import bychance as bc
from bychance.parallel import Workers
from bychance.ranking.api import all_options
from bychance.ranking.arrays.api import _best, _ranking, _searched
from bychance.ranking.arrays.bounds import Reach
from bychance.ranking.arrays.bounds import _invariants as line_invariants
from bychance.ranking.arrays.columns import Side, Sides, read_sides
from bychance.ranking.arrays.lines import (
    ColumnClass,
    doubled_midranks,
    scale_of,
    standardized,
    width_of,
)
from bychance.ranking.arrays.products import CHUNK_ROWS, N_BINS, Backend, CudaBackend, rounding_bound
from bychance.ranking.arrays.search import _exclude_unreliable_columns
from bychance.ranking.arrays.tiles import Screen
from bychance.ranking.options import make_job
from tests.engine.settings import settings

__all__ = [
    "CHUNK_ROWS",
    "N_BINS",
    "Backend",
    "ColumnClass",
    "CudaBackend",
    "Reach",
    "doubled_midranks",
    "half_precision",
    "line_invariants",
    "matched_arrays",
    "matched_arrays_to_file",
    "n_unscreened_by_auto",
    "product_of_lines",
    "ranked_arrays",
    "rounding_bound",
    "scale_of",
    "screen_of",
    "standardized",
    "width_of",
]


def half_precision(block: int) -> Backend:
    """Return the CPU with the precision of a GPU, in small blocks of columns."""
    return Backend(np.float16, block=block)


@contextmanager
def nothing_sampled() -> Iterator[None]:
    """Let all p-values be matched ones, and screen all columns that can be screened."""
    with settings(most_pairs_sampled=-1):
        yield


def matched_arrays(
    x: Any, y: Any = None, *, top: int | None = None, n_jobs: int | None = None, **options: Any
) -> bc.Ranking:
    """Return what screens and float64 find, also if all pairs are kept: no pair is sampled or split."""
    job, sides, workers = (
        make_job(all_options(**{"measure": "r2", **options})),
        read_sides(x, y),
        Workers(n_jobs),
    )
    size = sides.n_pairs if top is None else top
    with nothing_sampled():
        shortlist = _searched(sides, job, workers, lambda search: search.best(size))
    return _ranking(sides, job, replace(shortlist, n_doubtful=0), size, workers)


def ranked_arrays(x: Any, y: Any, *, null: Any, **options: Any) -> bc.Ranking:
    """Rank all pairs of two arrays with a null of `rank`: "moments" samples nothing."""
    if null == "moments":
        return matched_arrays(x, y, **options)
    return _best(read_sides(x, y), make_job(all_options(null=null, **options)), None, Workers())


def matched_arrays_to_file(x: Any, path: Path, y: Any = None, *, top: int = 20, **options: Any) -> bc.Ranking:
    """Write the pairs with a matched p-value of at most the threshold, and return the best."""
    with nothing_sampled():
        return bc.rank_arrays(x, y, path=path, top=top, **options)


def screen_of(
    x: np.ndarray, y: np.ndarray | None = None, *, dtype: type = np.float16, block: int = 5, room: int = 2**20
) -> Screen:
    """Return the screen of all pairs of columns that keeps `room` bytes of lines."""
    first = Side(x, "x")
    sides = Sides(first, first if y is None else Side(y, "y"))
    return Screen.of(sides, Backend(dtype, block), is_ranked=False, room=room)


def n_unscreened_by_auto(x: np.ndarray, y: np.ndarray) -> int:
    """Return how many pairs `null="auto"` measures without a screen."""
    screen = screen_of(x, y, dtype=np.float32)
    _exclude_unreliable_columns(screen, make_job(all_options(measure="r2")))
    return screen.n_unscreened()


def product_of_lines(lines: np.ndarray, n: int, dtype: type) -> np.ndarray:
    """Return the correlations of lines of n rows with each other, with rounding."""
    return Backend(dtype).product(lines, lines, scale_of(n) ** -2)
