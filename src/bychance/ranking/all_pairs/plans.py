"""Plans for pairs of two arrays' columns, so that they are measured and sampled like pairs of a table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.io import Table
from bychance.memory import Memory
from bychance.messages import Note
from bychance.pairs import Pairs, Ways
from bychance.parallel import Workers
from bychance.ranking.all_pairs.sides import Side
from bychance.ranking.options import Job
from bychance.ranking.plan import ListedPlan, Plan, block_size
from bychance.ranking.results import PairResults

__all__ = ["ArraysPlan", "Sides", "name_at", "plan_of", "plan_of_all"]

_BLOCK_BYTES = 2**28  # of columns of a block
_FEWEST, _MOST, _MANY_BLOCKS = 1 << 10, 1 << 16, 128  # pairs of a block, and blocks that busy all threads

Numbers = NDArray[np.int64]
Sides = tuple[Side, Side]


@dataclass(frozen=True, eq=False, kw_only=True)
class ArraysPlan(ListedPlan):
    """Plan for listed pairs of columns of two arrays, sorted by x and then by y.

    `x` and `y` are positions: those of the second array follow those of the first. Columns are made for a
    block at a time, and kept for pairs that are sampled or split.
    """

    sides: Sides
    _made: dict[int, Column] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of_pairs(cls, sides: Sides, x: Numbers, y: Numbers, job: Job, workers: Workers) -> ArraysPlan:
        """Return the plan of the listed pairs."""
        most = max(1, _BLOCK_BYTES // (16 * sides[0].n_rows))
        size = max(1, min(most, _MOST, max(_FEWEST, len(x) // _MANY_BLOCKS)))
        return cls.of(Table((), (), origin="arrays"), job, x, y, size, workers, sides=sides)

    def columns_of_block(
        self, x: NDArray[np.intp], y: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], tuple[Column, ...], Memory]:
        """Convert the array columns of one block's pairs to table columns."""
        used = np.union1d(x, y)
        return used, columns_of(self.sides, used), Memory()

    def columns_at(self, positions: NDArray[np.intp]) -> tuple[Column, ...]:
        """Return the columns at these positions, each converted once."""
        new = np.array([k for k in positions.tolist() if k not in self._made], dtype=np.int64)
        self._made.update(zip(new.tolist(), columns_of(self.sides, new), strict=True))
        return tuple(self._made[k] for k in positions.tolist())


def plan_of_all(
    sides: Sides, x: Numbers, y: Numbers, job: Job, workers: Workers, *, is_triangle: bool
) -> Plan:
    """Return the plan of all pairs between these columns of x and y, or within one list."""
    numbers = (x,) if is_triangle else (x, y)
    columns = tuple(c for side, own in zip(sides, numbers, strict=False) for c in side.columns(own))
    positions = np.arange(len(columns))
    first, second = (positions, positions) if is_triangle else np.split(positions, [len(x)])
    pairs = _pairs(first, second, len(columns))
    table = Table(columns, (), origin="arrays")
    size = block_size(job, len(pairs), table)
    return Plan(table, job, pairs, size, tuple(pairs.tiles(size)), None, workers)


def plan_of(
    sides: Sides, job: Job, rows: PairResults, notes: tuple[Note, ...], workers: Workers
) -> tuple[Plan, PairResults]:
    """Return a plan over a table of only the columns in these rows, and the rows re-indexed to it."""
    used, places = np.unique(np.concatenate([rows.x, rows.y]).astype(np.int64), return_inverse=True)
    origin = "two arrays" if sides[0] is not sides[1] else "an array"
    table = Table(columns_of(sides, used), notes, origin=origin, library=sides[0].library)
    x, y = places[: len(rows)], places[len(rows) :]
    pairs = _pairs(np.unique(x), np.unique(y), len(used))
    plan = Plan(table, job, pairs, block_size=1, tiles=(), target=None, workers=workers)
    return plan, replace(rows, x=x.astype(np.int32), y=y.astype(np.int32))


def columns_of(sides: Sides, positions: Numbers) -> tuple[Column, ...]:
    """Return columns of two arrays by ascending positions, those of y after those of x."""
    if sides[0] is sides[1]:
        return sides[0].columns(positions)
    n = int(np.searchsorted(positions, len(sides[0])))
    return *sides[0].columns(positions[:n]), *sides[1].columns(positions[n:] - len(sides[0]))


def name_at(sides: Sides, position: int) -> str:
    """Return the name of the column at a position."""
    n = len(sides[0])
    return sides[0].name(position) if position < n else sides[1].name(position - n)


def _pairs(x: NDArray[np.intp], y: NDArray[np.intp], n_columns: int) -> Pairs:
    ways = np.full((2, 2), Ways.ONCE, dtype=np.int8)
    return Pairs(x, y, x is y, np.zeros(n_columns, dtype=np.bool_), ways)
