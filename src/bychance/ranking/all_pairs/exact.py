"""Pairs by their numbers → their rows in float64, through the engine of ordinary tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bychance.ranking.all_pairs.lines import ColumnClass
from bychance.ranking.all_pairs.sides import Lines, Side
from bychance.ranking.block import Block, measure_block
from bychance.ranking.closed_form import Cut
from bychance.ranking.job import Job
from bychance.ranking.pair_rows import Measured, Rows
from bychance.ranking.side_memory import SideMemory

__all__ = ["listed_rows", "odd_pairs"]

_PART_BYTES = 2**31  # of columns in hand, twice
_PART_PAIRS = 2**18
_ODD_TILE = 512  # columns a side

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


def odd_pairs(x: Lines, y: Lines, job: Job, least: float | None, size: int) -> Iterator[Measured]:
    """Pairs that are not screened, tile by tile: with odd columns, or both of two values.

    Where there is a `least` score, only rows that reach it are wanted, and of these the best so many.
    """
    cut = None if least is None else Cut(size, least)
    for rows, columns, is_triangle in _rectangles(x, y):
        if not len(rows) or not len(columns):
            continue
        # Where one list is short, tiles are long.
        height, width = (
            _ODD_TILE if is_triangle else min(max(_ODD_TILE, _ODD_TILE**2 // len(other)), 2**14)
            for other in (columns, rows)
        )
        for top in range(0, len(rows), height):
            some = rows[top : top + height]
            x_columns = x.side.columns(some)
            for left in range(top if is_triangle else 0, len(columns), width):
                others = columns[left : left + width]
                first, second = _places(some, others, is_triangle)
                if not len(first):
                    continue
                y_columns = y.side.columns(others)
                block = Block(x_columns, y_columns, some, others, first, second, job, cut, SideMemory())
                yield measure_block(block)


def _rectangles(x: Lines, y: Lines) -> Iterator[tuple[Numbers, Numbers, bool]]:
    """Which columns meet which, and whether each two of one list meet once."""
    (odd, two), (y_odd, y_two) = (
        [np.flatnonzero(side.facts.kind == kind) for kind in (ColumnClass.ODD, ColumnClass.TWO_VALUED)]
        for side in (x, y)
    )
    rest = np.flatnonzero(x.facts.kind != ColumnClass.ODD)
    if x is y:
        yield odd, odd, True
        yield odd, rest, False
        yield two, two, True
    else:
        yield odd, np.arange(len(y.side)), False
        yield rest, y_odd, False
        yield two, y_two, False


def _places(x: Numbers, y: Numbers, is_triangle: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.divmod(np.arange(len(x) * len(y)), len(y))
    if is_triangle:
        is_once = x[first] < y[second]
        first, second = first[is_once], second[is_once]
    return first, second
