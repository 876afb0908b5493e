"""Standardized columns for the search for large |r|, in blocks, and facts that decide which it takes.

In code, "line" means a standardized column: values (or midranks), centered, of unit norm, times a power of
two, in the screen's precision. Columns that cannot be screened are called odd: their line is zero, and their
pairs are measured like those of any table. They have missing values, are constant, vary too little for their
size, have rare values, or are dominated by a few outliers, so that their null may not be a Beta distribution.
Binary columns are screened with all others but not with each other, since that null belongs to a 2 × 2 table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.arrays.columns import Side
from bychance.ranking.arrays.products import Backend

__all__ = ["ColumnClass", "Facts", "Lines", "doubled_midranks", "scale_of", "standardized"]

# Rows that tensor cores take at a time: with a length that is no multiple of 8 they are three times slower.
_ROW_STEP = 32  # rows that the length of a standardized column is a multiple of
_MAX_FOURTH = 0.5  # Σc⁴ of columns up to which the null of r² is always matched by a Beta distribution
_MAX_ERROR = 1e-10  # relative error of a centered column; with more it is not screened (see products.py)


class ColumnClass(IntEnum):
    """Class of a column in the search for large correlations: ordinary, binary, or excluded."""

    PLAIN = 0
    TWO_VALUED = 1
    ODD = 2


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Arrays per standardized column c: its `ColumnClass`, Σc³, Σc⁴, and norm of the rounding error."""

    kind: NDArray[np.int8]
    third: FloatArray
    fourth: FloatArray
    rounding: FloatArray

    @property
    def is_screened(self) -> BoolArray:
        """Flag the columns that the search for large correlations covers (all except class ODD)."""
        return np.not_equal(self.kind, ColumnClass.ODD)


class Lines:
    """Standardized columns of an array in blocks, made on the device and kept there while memory lasts."""

    def __init__(self, side: Side, backend: Backend, *, is_ranked: bool, room: int) -> None:
        self.side, self._backend, self._is_ranked, self._room = side, backend, is_ranked, room
        step = backend.block_columns(len(side.values))
        self.blocks = [slice(start, min(start + step, len(side))) for start in range(0, len(side), step)]
        self._kept: dict[int, Any] = {}
        parts = list(self._scan())
        self.facts = Facts(
            *(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Facts))
        )

    @property
    def n_bytes(self) -> int:
        """Bytes of the standardized columns that are kept on the device."""
        return sum(lines.nbytes for lines in self._kept.values())

    def blocks_from(self, number: int) -> Iterator[tuple[slice, Any]]:
        """Yield (column range, standardized columns) per block from `number` on, preparing one ahead."""
        for later, (lines, _) in self._ahead(range(number, len(self.blocks))):
            yield self.blocks[later], lines

    def _scan(self) -> Iterator[Facts]:
        for number, (lines, facts) in self._ahead(range(len(self.blocks))):
            if self.n_bytes + lines.nbytes <= self._room:
                self._kept[number] = lines
            assert facts is not None  # nothing was kept before
            yield facts

    def _ahead(self, numbers: Sequence[int]) -> Iterator[tuple[int, tuple[Any, Facts | None]]]:
        if not numbers:
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
        block, backend = self.blocks[number], self._backend
        with backend.stream():
            values = backend.put(self.side.values[:, block])
            self.side.refuse_infinite(values.T, range(block.start, block.stop), backend.xp)
            return standardized(values, backend.dtype, is_ranked=self._is_ranked, xp=backend.xp)


def width_of(n_rows: int) -> int:
    """Return the padded length of a standardized column: the number of rows rounded up to 32."""
    return -(-n_rows // _ROW_STEP) * _ROW_STEP


def scale_of(n_rows: int) -> float:
    """Return the power of two near sqrt(`n_rows`) that scales unit-norm columns to entries of about 1."""
    return float(2.0 ** math.ceil(math.log2(n_rows) / 2))


def standardized(values: Any, dtype: Any, *, is_ranked: bool, xp: Any = np) -> tuple[Any, Facts]:
    """Return the columns of `values` centered and scaled, one per row, and `Facts` about them.

    `xp` is the library of the arrays: NumPy or CuPy.
    """
    n = values.shape[0]
    with np.errstate(all="ignore"):
        v = xp.ascontiguousarray(values.T).astype(np.float64)
        is_missing = xp.isnan(v).any(axis=1)
        if is_ranked:
            v = doubled_midranks(v, xp)
        size = abs(v).max(axis=1)
        c = v - v.mean(axis=1)[:, None]
        c -= c.mean(axis=1)[:, None]
        norm = xp.sqrt((c * c).sum(axis=1))
        is_odd = is_missing | ~(math.sqrt(n) * 2.0**-51 * size < _MAX_ERROR * norm) | ~(norm < np.inf)
        c /= xp.where(is_odd, 1.0, norm)[:, None]
        c[is_odd] = 0.0
        squares = c * c
        third, fourth = (squares * c).sum(axis=1), (squares * squares).sum(axis=1)
        del squares
        is_odd |= (fourth > _MAX_FOURTH) | _has_rare_values(v, fourth, xp) | (n <= MOST_ENUMERATED)
        has_two = abs(n * fourth - n * third * third - 1) <= 2 * _native.TWO_VALUES * n * fourth
        kind = xp.where(is_odd, int(ColumnClass.ODD), has_two.astype(np.int8))
        c *= scale_of(n)
        c[is_odd] = 0.0
        lines = xp.zeros((len(c), width_of(n)), dtype=dtype)
        lines[:, :n] = c
        c -= lines[:, :n]
        rounding = xp.sqrt((c * c).sum(axis=1)) / scale_of(n)
    to_host = getattr(xp, "asnumpy", np.asarray)
    return lines, Facts(*(to_host(each) for each in (kind.astype(np.int8), third, fourth, rounding)))


def doubled_midranks(v: Any, xp: Any) -> Any:
    """Return twice the midranks of each row of v, an array of `xp` (NumPy or CuPy).

    >>> doubled_midranks(np.array([[3.0, 1.0, 3.0, 7.0]]), np).tolist()
    [[5.0, 2.0, 5.0, 8.0]]
    """
    n_lines, n = v.shape
    order = xp.argsort(v, axis=1)
    ordered = xp.take_along_axis(v, order, axis=1)
    is_new = xp.zeros((n_lines, n), dtype=np.int64)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = (xp.arange(n_lines) * n)[:, None]
    group = xp.cumsum(is_new, axis=1) + starts
    sizes = xp.bincount(group.ravel(), minlength=n_lines * n).reshape(n_lines, n)
    doubled = 2 * xp.cumsum(sizes, axis=1) - sizes + 1
    ranks = xp.empty(n_lines * n)
    ranks[(order + starts).ravel()] = doubled.ravel()[group.ravel()]
    return ranks.reshape(n_lines, n)


def _has_rare_values(v: Any, fourth: Any, xp: Any) -> Any:
    """Flag columns whose rows nearly all have one value, so that a continuous null is unreliable.

    With o others, Σc⁴ is at least (1 − o/n)²/o: the others have at least 1 − o/n of Σc² between them. Only
    columns with so large a sum are sorted: n − m alike rows stand side by side.
    """
    n = v.shape[1]
    most = int(_native.most_rare_others(n))
    has_rare = xp.zeros(len(v), dtype=np.bool_)
    suspects = xp.flatnonzero(fourth >= (1 - most / n) ** 2 / most * (1 - 1e-6))
    if len(suspects):
        ordered = xp.sort(v[suspects], axis=1)
        has_rare[suspects] = (ordered[:, n - most - 1 :] == ordered[:, : most + 1]).any(axis=1)
    return has_rare
