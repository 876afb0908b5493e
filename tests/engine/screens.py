"""All pairs of two arrays for tests: lines of columns, bounds, candidates, rankings by matched p-values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import bychance as bc
from bychance.parallel import Workers
from bychance.ranking.all_pairs.api import file_of, ranking_of
from bychance.ranking.all_pairs.backend import N_BINS, NumpyBackend
from bychance.ranking.all_pairs.cuda import CudaBackend, cuda_lines
from bychance.ranking.all_pairs.doubtful import set_doubtful_aside
from bychance.ranking.all_pairs.lines import (
    ColumnClass,
    InfiniteError,
    doubled_midranks,
    lines_of,
    scale_of,
    width_of,
)
from bychance.ranking.all_pairs.reach import Reach
from bychance.ranking.all_pairs.reach import _invariants as line_invariants
from bychance.ranking.all_pairs.rounding import CHUNK_ROWS, rounding_bound
from bychance.ranking.all_pairs.screen import Screen
from bychance.ranking.all_pairs.sides import Lines, Side, read_sides
from bychance.ranking.api import all_options
from bychance.ranking.options import make_job

__all__ = [
    "CHUNK_ROWS",
    "N_BINS",
    "ColumnClass",
    "CudaBackend",
    "InfiniteError",
    "NumpyBackend",
    "Reach",
    "cuda_lines",
    "doubled_midranks",
    "half_precision",
    "line_invariants",
    "lines_of",
    "matched_arrays",
    "matched_arrays_to_file",
    "n_unscreened_by_auto",
    "product_of_lines",
    "rounding_bound",
    "scale_of",
    "screen_of",
    "width_of",
]


def half_precision(block: int) -> NumpyBackend:
    """Return the CPU with the precision of a GPU, in small blocks of columns."""
    return NumpyBackend(np.float16, block=block)


def matched_arrays(
    x: Any,
    y: Any = None,
    *,
    null: str = "moments",
    top: int | None = None,
    n_jobs: int | None = None,
    **options: Any,
) -> bc.Ranking:
    """Return `rank_arrays` of what screens and float64 find: no pair is sampled or split, or by this null."""
    job = make_job(all_options(null=null, **{"measure": "r2", **options}))
    return ranking_of(read_sides(x, y), job, top, Workers(n_jobs))


def matched_arrays_to_file(
    x: Any, path: Path, y: Any = None, *, threshold: float, top: int = 20, **options: Any
) -> bc.Ranking:
    """Write the pairs with a matched p-value of at most the threshold, and return the best."""
    job = make_job(all_options(null="moments", **{"measure": "r2", **options}))
    return file_of(read_sides(x, y), job, path, threshold, top, Workers())


def screen_of(
    x: np.ndarray, y: np.ndarray | None = None, *, dtype: type = np.float16, block: int = 5, room: int = 2**20
) -> Screen:
    """Return the screen of all pairs of columns that keeps `room` bytes of lines."""
    backend = NumpyBackend(dtype, block)
    lines = _lines(x, "x", backend, room)
    return Screen(lines, lines if y is None else _lines(y, "y", backend, room), backend)


def n_unscreened_by_auto(x: np.ndarray, y: np.ndarray) -> int:
    """Return how many pairs `null="auto"` measures without a screen."""
    screen = screen_of(x, y, dtype=np.float32)
    set_doubtful_aside(screen, make_job(all_options(measure="r2")))
    return screen.n_unscreened()


def product_of_lines(lines: np.ndarray, n: int, dtype: type) -> np.ndarray:
    """Return the correlations of lines of n rows with each other, with rounding."""
    return NumpyBackend(dtype).product(lines, lines, scale_of(n) ** -2)


def _lines(values: np.ndarray, name: str, backend: NumpyBackend, room: int) -> Lines:
    return Lines(Side(values, name), backend, is_ranked=False, room=room)
