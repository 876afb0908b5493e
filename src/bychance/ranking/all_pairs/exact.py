"""Pairs by their numbers → their rows in float64, through the engine of ordinary tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bychance.ranking.all_pairs.sides import Side
from bychance.ranking.block import Block, measure_block
from bychance.ranking.job import Job
from bychance.ranking.kept.pair_rows import Rows

__all__ = ["listed_rows"]

_PART_BYTES = 2**31  # of columns in hand, twice
_PART_PAIRS = 2**18

Numbers = NDArray[np.int64]


def listed_rows(sides: tuple[Side, Side], x: Numbers, y: Numbers, job: Job) -> Iterator[Rows]:
    """The rows of these pairs, part by part; their `x` and `y` are the columns' numbers in their arrays."""
    n_columns = max(1, _PART_BYTES // (16 * sides[0].n_rows))
    size = _PART_PAIRS if n_columns >= max(len(side) for side in sides) else min(_PART_PAIRS, n_columns)
    for start in range(0, len(x), size):
        some = slice(start, start + size)
        yield measure_block(_listed_block(sides, x[some], y[some], job)).rows


def _listed_block(sides: tuple[Side, Side], x: Numbers, y: Numbers, job: Job) -> Block:
    if sides[0] is sides[1]:
        used, places = np.unique(np.concatenate([x, y]), return_inverse=True)
        columns = sides[0].columns(used)
        return Block(columns, columns, used, used, places[: len(x)], places[len(x) :], job, is_listed=True)
    x_used, first = np.unique(x, return_inverse=True)
    y_used, second = np.unique(y, return_inverse=True)
    x_columns, y_columns = sides[0].columns(x_used), sides[1].columns(y_used)
    return Block(x_columns, y_columns, x_used, y_used, first, second, job, is_listed=True)
