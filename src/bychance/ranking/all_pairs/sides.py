"""Columns of two arrays: facts about all, standardized blocks, and single columns by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.gpu.device import cupy
from bychance.io.cells import as_arrow
from bychance.io.frames import from_memory, is_frame
from bychance.kinds import Kind
from bychance.moments.complete import exact_numbers
from bychance.ranking.all_pairs.backend import Backend
from bychance.ranking.all_pairs.lines import Facts, InfiniteError
from bychance.read_column import read_column

__all__ = ["Lines", "Side", "read_sides"]

_STEP = 256  # columns that are picked at a time, so that they stay in a core's cache


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Columns of one array (rows × columns), named "x0", "x1" … without `given_names`."""

    values: Any
    letter: str
    given_names: Sequence[str] | None = None
    library: str = "pyarrow"  # of the frame that the ranking comes back as

    def __len__(self) -> int:
        return int(self.values.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of rows of every column."""
        return int(self.values.shape[0])

    def name(self, number: int) -> str:
        """Return the name of a column."""
        return f"{self.letter}{number}" if self.given_names is None else self.given_names[number]

    def columns(self, numbers: NDArray[np.intp]) -> tuple[Column, ...]:
        """Return the numbered columns as table columns."""
        precision = np.dtype(self.values.dtype if self.values.dtype.kind == "f" else np.float64)
        values = np.empty((len(numbers), self.n_rows))
        for some in (slice(start, start + _STEP) for start in range(0, len(numbers), _STEP)):
            values[some] = self.picked(numbers[some]).T
        if np.isinf(values).any():
            number, row = (int(where[0]) for where in np.isinf(values).nonzero())
            raise _infinite(self.name(int(numbers[number])), row)
        is_missing = np.isnan(values)
        has_missing: NDArray[np.bool_] = np.asarray(is_missing.any(axis=1))
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

    def picked(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """Return the values of the numbered columns (rows × columns)."""
        if isinstance(self.values, np.ndarray):
            return self.values[:, numbers]
        picked: NDArray[Any] = self.values[:, cupy().asarray(numbers)].get()
        return picked


def read_sides(x: Any, y: Any = None) -> tuple[Side, Side]:
    """Check two arrays or frames and return their columns. A single array is returned twice."""
    first = _side(x, "X")
    if y is None or y is x:
        return first, first
    second = _side(y, "Y")
    if first.n_rows != second.n_rows:
        raise BychanceError(
            f"`Y` must have as many rows as `X`, {first.n_rows:,}, got {second.n_rows:,}.", "Y"
        )
    if shared := set(first.given_names or ()) & set(second.given_names or ()):
        raise BychanceError(
            f"The columns of `X` and `Y` must differ in name, got {min(shared)!r} in both.", "Y"
        )
    return first, second


def _side(values: Any, argument: str) -> Side:
    names, library = None, "pyarrow"
    if is_frame(values):
        values, names, library = _of_frame(values, argument)
    return Side(_array(values, argument), argument.lower(), names, library)


def _of_frame(frame: Any, argument: str) -> tuple[NDArray[np.float64], list[str], str]:
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


def _infinite(name: str, row: int) -> BychanceError:
    """Return the error for an infinite value in this column and row."""
    return BychanceError(f"Values must be finite or missing (NaN), got infinity in {name!r}, row {row}.")


class Lines:
    """Standardized columns of an array in blocks, made on the device and kept there while memory lasts."""

    facts: Facts

    def __init__(self, side: Side, backend: Backend, *, is_ranked: bool, room: int) -> None:
        self.side, self._backend, self.is_ranked, self._room = side, backend, is_ranked, room
        step = backend.block_columns(side.n_rows)
        self.blocks = [slice(start, min(start + step, len(side))) for start in range(0, len(side), step)]
        self._kept: dict[int, Any] = {}
        facts = list(self._scan())
        names = ("kind", "third", "fourth", "rounding")
        self.facts = Facts(*(np.concatenate([getattr(part, name) for part in facts]) for name in names))

    @property
    def n_bytes(self) -> int:
        """Bytes of standardized columns that are kept."""
        return sum(lines.nbytes for lines in self._kept.values())

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        """Yield every block as its column range and its standardized columns."""
        return self.blocks_from(0)

    def blocks_from(self, number: int) -> Iterator[tuple[slice, Any]]:
        """Yield the blocks from this number on, and standardize the next one in the meantime."""
        for later, (lines, _) in self._ahead(range(number, len(self.blocks))):
            yield self.blocks[later], lines

    def _scan(self) -> Iterator[Facts]:
        for number, (lines, facts) in self._ahead(range(len(self.blocks))):
            if self.n_bytes + lines.nbytes <= self._room:
                self._kept[number] = lines
            assert facts is not None  # nothing was kept before
            yield facts

    def _ahead(self, numbers: Sequence[int]) -> Iterator[tuple[int, tuple[Any, Facts | None]]]:
        if all(number in self._kept for number in numbers):
            yield from ((number, (self._kept[number], None)) for number in numbers)
            return
        with ThreadPoolExecutor(1) as maker:
            waiting = maker.submit(self._made, numbers[0])
            for number, following in zip(numbers, [*numbers[1:], None], strict=True):
                made = waiting.result()
                if following is not None:
                    waiting = maker.submit(self._made, following)
                yield number, made

    def _made(self, number: int) -> tuple[Any, Facts | None]:
        if number in self._kept:
            return self._kept[number], None
        block = self.blocks[number]
        with self._backend.stream():
            values = self._backend.put(self.side.values[:, block])
            try:
                return self._backend.lines(values, is_ranked=self.is_ranked)
            except InfiniteError as error:
                raise _infinite(self.side.name(block.start + error.column), error.row) from None
