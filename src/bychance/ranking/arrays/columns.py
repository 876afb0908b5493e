"""Columns of one array or of two, and plans by which their pairs are measured like those of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, Memory
from bychance.errors import BychanceError
from bychance.gpu.device import cupy
from bychance.io import Table
from bychance.io.cells import as_arrow
from bychance.io.frames import from_memory, is_frame
from bychance.kinds import Kind
from bychance.messages import Note
from bychance.moments.complete import exact_numbers
from bychance.pairs import ListedPairs, Pairs, Ways
from bychance.parallel import Workers
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan, block_size
from bychance.ranking.results import PairResults
from bychance.read_column import read_column

__all__ = ["ArraysPlan", "Side", "Sides", "read_sides"]

_BLOCK_BYTES = 2**28  # bytes of the columns of a block (memory)
_FEWEST, _MOST = 1 << 10, 1 << 16  # pairs of a block (speed)
_MANY_BLOCKS = 128  # blocks that keep all threads busy to the end (speed)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Numeric columns of one array, with names ("x0", "x1", … by default)."""

    values: Any
    letter: str
    given_names: Sequence[str] | None = None
    library: str = "pyarrow"  # of the frame that the ranking comes back as

    def __len__(self) -> int:
        return int(self.values.shape[1])

    def name(self, number: int) -> str:
        """Return the name of a column."""
        return f"{self.letter}{number}" if self.given_names is None else self.given_names[number]

    def columns(self, numbers: IntArray) -> tuple[Column, ...]:
        """Convert the columns with these numbers to `Column` objects, refusing infinite values."""
        precision = np.dtype(self.values.dtype if self.values.dtype.kind == "f" else np.float64)
        values = np.ascontiguousarray(self._picked(numbers).T, dtype=np.float64)
        self.refuse_infinite(values, numbers)
        is_missing = np.isnan(values)
        has_missing: BoolArray = np.asarray(is_missing.any(axis=1))
        return tuple(
            Column(
                self.name(int(number)),
                Kind.NUMERIC,
                values[k],
                is_missing[k] if has_missing[k] else None,
                precision=precision,
            )
            for k, number in enumerate(numbers)
        )

    def refuse_infinite(self, values: Any, numbers: Sequence[int] | IntArray, xp: Any = np) -> None:
        """Raise an error for the first infinite value of columns, given as rows of an array of `xp`."""
        if xp.isinf(values).any():
            k, row = (int(where[0]) for where in xp.isinf(values).nonzero())
            name = self.name(int(numbers[k]))
            raise BychanceError(
                f"Values must be finite or missing (NaN), got infinity in {name!r}, row {row}."
            )

    def _picked(self, numbers: IntArray) -> NDArray[Any]:
        if isinstance(self.values, np.ndarray):
            return self.values[:, numbers]
        picked: NDArray[Any] = self.values[:, cupy().asarray(numbers)].get()
        return picked


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Columns of two arrays to pair, or of one array twice. y's columns are numbered after x's."""

    x: Side
    y: Side

    @property
    def is_same(self) -> bool:
        """True if x and y are the same array, so that every two of its columns are paired once."""
        return self.x is self.y

    @property
    def n_rows(self) -> int:
        """Number of rows of every column."""
        return len(self.x.values)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of columns."""
        return len(self.x) * (len(self.x) - 1) // 2 if self.is_same else len(self.x) * len(self.y)

    @property
    def first_of_y(self) -> int:
        """Position of y's first column among all columns, 0 if x and y are the same array."""
        return 0 if self.is_same else len(self.x)

    def name(self, position: int) -> str:
        """Return the name of the column at a position."""
        n = len(self.x)
        return self.x.name(position) if position < n else self.y.name(position - n)

    def columns(self, positions: IntArray) -> tuple[Column, ...]:
        """Return the `Column` objects at ascending positions, x's columns first."""
        n = int(np.searchsorted(positions, len(self.x)))
        return *self.x.columns(positions[:n]), *self.y.columns(positions[n:] - len(self.x))

    def plan_of_all(
        self, x: IntArray, y: IntArray | None, job: Job, workers: Workers
    ) -> tuple[Plan, IntArray]:
        """Return a plan of all pairs between columns x and y (None: within x), and their positions."""
        used = x if y is None else np.concatenate([x, y])
        places = np.arange(len(used))
        first, second = (places, places) if y is None else np.split(places, [len(x)])
        pairs, table = _pairs(first, second, len(used)), Table(self.columns(used), (), origin="arrays")
        size = block_size(job, len(pairs), table)
        return Plan(table, job, pairs, size, tuple(pairs.tiles(size)), None, workers), used

    def plan_of_kept(
        self, used: IntArray, rows: PairResults, job: Job, notes: tuple[Note, ...], workers: Workers
    ) -> Plan:
        """Return the plan that a finished ranking keeps, whose table has only the columns `used`."""
        origin = "an array" if self.is_same else "two arrays"
        table = Table(self.columns(used), notes, origin=origin, library=self.x.library)
        x, y = (np.unique(side).astype(np.intp) for side in (rows.x, rows.y))
        pairs = _pairs(x, y, len(used))
        return Plan(table, job, pairs, block_size=1, tiles=(), target=None, workers=workers)


def _pairs(x: IndexArray, y: IndexArray, n_columns: int) -> Pairs:
    ways = np.full((2, 2), Ways.ONCE, dtype=np.int8)
    return Pairs(x, y, x is y, np.zeros(n_columns, dtype=np.bool_), ways)


@dataclass(frozen=True, eq=False, kw_only=True)
class ArraysPlan(Plan):
    """Plan for listed pairs of columns of two arrays, sorted by x and then by y.

    Columns are made for a block at a time, and kept for pairs that are sampled or split.
    """

    sides: Sides
    _made: dict[int, Column] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of_pairs(cls, sides: Sides, x: IntArray, y: IntArray, job: Job, workers: Workers) -> ArraysPlan:
        """Create the plan of pairs that are listed by the column positions `x` and `y`."""
        most = max(1, _BLOCK_BYTES // (16 * sides.n_rows))
        size = max(1, min(most, _MOST, max(_FEWEST, len(x) // _MANY_BLOCKS)))
        table = Table((), (), origin="arrays")
        pairs = ListedPairs.of(table, x, y)
        return cls(table, job, pairs, size, tuple(pairs.tiles(size)), None, workers, sides=sides)

    def columns_of_block(
        self, x: IndexArray, y: IndexArray
    ) -> tuple[tuple[Column, ...], tuple[Column, ...], Memory]:
        """Return the columns of a block twice, as x and as y, and an empty cache."""
        columns = self.sides.columns(x)
        return columns, columns, Memory()

    def columns_at(self, positions: IndexArray) -> tuple[Column, ...]:
        """Return the `Column` objects at these positions, converting each array column only once."""
        new = np.array(sorted({*positions.tolist()} - self._made.keys()), dtype=np.int64)
        self._made.update(zip(new.tolist(), self.sides.columns(new), strict=True))
        return tuple(self._made[k] for k in positions.tolist())


def read_sides(x: Any, y: Any = None) -> Sides:
    """Check two arrays or frames and return their columns. A single array is returned twice."""
    first = _side(x, "X")
    if y is None or y is x:
        return Sides(first, first)
    second = _side(y, "Y")
    if len(first.values) != len(second.values):
        raise BychanceError(
            f"`Y` must have as many rows as `X`, {len(first.values):,}, got {len(second.values):,}.", "Y"
        )
    if shared := set(first.given_names or ()) & set(second.given_names or ()):
        raise BychanceError(
            f"The columns of `X` and `Y` must differ in name, got {min(shared)!r} in both.", "Y"
        )
    return Sides(first, second)


def _side(values: Any, argument: str) -> Side:
    names, library = None, "pyarrow"
    if is_frame(values):
        values, names, library = _of_frame(values, argument)
    return Side(_array(values, argument), argument.lower(), names, library)


def _of_frame(frame: Any, argument: str) -> tuple[FloatArray, list[str], str]:
    """Return a frame's numeric values, its column names, and its library."""
    source = from_memory(frame, None)
    columns = [read_column(as_arrow(values), name) for name, values in source.columns.items()]
    for column in columns:
        if not column.has_order:
            raise BychanceError(
                f"`{argument}` must hold numbers, and {column.name!r} is categorical: leave it out, or use "
                "`bc.rank`.",
                argument,
            )
    values = [np.asarray(exact_numbers(column), dtype=np.float64) for column in columns]
    filled = [
        value if column.is_missing is None else np.where(column.is_missing, np.nan, value)
        for column, value in zip(columns, values, strict=True)
    ]
    numbers = np.column_stack(filled) if filled else np.empty((0, 0))
    return numbers, list(source.columns), source.library


def _array(values: Any, argument: str) -> Any:
    is_array = isinstance(values, np.ndarray) or hasattr(values, "__cuda_array_interface__")
    if not is_array or values.ndim != 2:
        shape = f"{values.ndim} dimensions" if is_array else type(values).__name__
        raise BychanceError(
            f"`{argument}` must be a two-dimensional array of rows × columns, or a frame, got {shape}.",
            argument,
        )
    if values.dtype.kind not in "fiub" or values.dtype.itemsize > 8:
        raise BychanceError(f"`{argument}` must hold numbers, got {values.dtype}.", argument)
    if 0 in values.shape:
        raise BychanceError(
            f"`{argument}` must have rows and columns, got {values.shape[0]:,} × {values.shape[1]:,}.",
            argument,
        )
    is_long = values.dtype.kind in "iu" and values.dtype.itemsize == 8
    if is_long and max(-int(values.min()), int(values.max())) > 2**53:
        message = f"`{argument}` must hold integers of at most 2**53 in size, as float64 does."
        raise BychanceError(message, argument)
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values
