"""Pairs that no screen can judge, tile by tile: with odd columns, or both of two values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.parallel import run_tasks
from bychance.ranking.all_pairs.lines import ColumnClass
from bychance.ranking.all_pairs.sides import Lines, Side
from bychance.ranking.block import Block
from bychance.ranking.job import Job
from bychance.ranking.kept.best import Cut
from bychance.ranking.results import Measured

__all__ = ["odd_pairs"]

_TILE = 512  # columns per side
_LONGEST = 2**14  # where the other side has few
_TILE_BYTES = 2**28  # of one side
_MOST_PAIRS = 2**31

Numbers = NDArray[np.int64]


def odd_pairs(
    x: Lines,
    y: Lines,
    job: Job,
    cut: Cut | None,
    n_jobs: int | None,
    tick: Callable[[int], None],
) -> Iterator[Measured]:
    """Measure these pairs as those of any table; with a cut, give only rows that it leaves."""
    tiles = [tile for rectangle in _rectangles(x, y) for tile in _tiles(*rectangle, x.side.n_rows)]
    n_pairs = sum(len(tile.x) * len(tile.y) for tile in tiles)
    if n_pairs > _MOST_PAIRS:
        raise BychanceError(
            f"{n_pairs:,} pairs have columns that cannot be screened, with missing values, rare values or "
            f"outliers, and at most {_MOST_PAIRS:,} can: fill or leave out such columns."
        )
    tasks = {k: partial(_block, tile, (x.side, y.side), job, cut) for k, tile in enumerate(tiles)}
    for _, found in run_tasks(tasks, n_jobs=n_jobs, tick=tick):
        assert isinstance(found, Measured)  # this cut has no tally
        yield found


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """Columns of x and of y by number; each two of one list meet once where `is_triangle`."""

    x: Numbers
    y: Numbers
    is_triangle: bool


def _tiles(x: Numbers, y: Numbers, is_triangle: bool, n_rows: int) -> Iterator[_Tile]:
    if not len(x) or not len(y):
        return
    most = max(1, min(_LONGEST, _TILE_BYTES // (8 * n_rows)))
    height, width = (
        min(most, _TILE if is_triangle else max(_TILE, _TILE**2 // len(other))) for other in (y, x)
    )
    for top in range(0, len(x), height):
        for left in range(top if is_triangle else 0, len(y), width):
            yield _Tile(x[top : top + height], y[left : left + width], is_triangle)


def _block(tile: _Tile, sides: tuple[Side, Side], job: Job, cut: Cut | None) -> Block:
    first, second = np.divmod(np.arange(len(tile.x) * len(tile.y)), len(tile.y))
    if tile.is_triangle:
        is_once = tile.x[first] < tile.y[second]
        first, second = first[is_once], second[is_once]
    x, y = (side.columns(numbers) for side, numbers in zip(sides, (tile.x, tile.y), strict=True))
    return Block(x, y, tile.x, tile.y, first, second, job, cut)


def _rectangles(x: Lines, y: Lines) -> Iterator[tuple[Numbers, Numbers, bool]]:
    """Yield columns that meet in pairs that no screen has, and if each two of one list meet once."""
    plain, two, odd = (np.flatnonzero(y.facts.kind == kind) for kind in ColumnClass)
    if x is y:
        yield odd, odd, True
        yield odd, np.union1d(plain, two), False
        yield two, two, True
        return
    x_plain, x_two, x_odd = (np.flatnonzero(x.facts.kind == kind) for kind in ColumnClass)
    yield x_odd, np.arange(len(y.side)), False
    yield np.union1d(x_plain, x_two), odd, False
    yield x_two, two, False
