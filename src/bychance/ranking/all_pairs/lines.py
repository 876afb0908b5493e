"""Standardization of a block of columns for the screen, and facts that decide which columns it takes.

In code, "line" means a standardized column: values (or midranks), centered, of unit norm, times a power of
two, in the screen's precision. Columns that cannot be screened are called odd: their line is zero, and their
pairs are measured like those of any table. They have missing values, are constant, vary too little for their
size, have rare values, or are dominated by a few outliers, so that their null may not be a Beta distribution.
Binary columns are screened with all others but not with each other, since that null belongs to a 2 × 2 table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import BychanceError
from bychance.nulls.exact import MOST_ENUMERATED

__all__ = [
    "MAX_ERROR",
    "MAX_FOURTH",
    "ColumnClass",
    "Facts",
    "InfiniteError",
    "classed",
    "doubled_midranks",
    "lines_of",
    "most_others",
    "scale_of",
    "width_of",
]

# Rows that tensor cores take at a time: with a length that is no multiple of 8 they are three times slower.
_ROW_STEP = 32
MAX_FOURTH = 0.5  # Σc⁴ up to which two columns always have a Beta law
MAX_ERROR = 1e-10

Array = NDArray[np.float64]


class ColumnClass(IntEnum):
    """Treatment of a column by the screen: normal, binary, or not screened."""

    PLAIN = 0
    TWO_VALUED = 1
    ODD = 2


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about standardized columns c: class, Σc³, Σc⁴, and norm of the rounding error."""

    kind: NDArray[np.int8]
    third: NDArray[np.float64]
    fourth: NDArray[np.float64]
    rounding: NDArray[np.float64]


def width_of(n_rows: int) -> int:
    """Return the padded length of a standardized column: the number of rows rounded up to 32."""
    return -(-n_rows // _ROW_STEP) * _ROW_STEP


def scale_of(n_rows: int) -> float:
    """Return the power of two that makes standardized values about 1, for float16's range and precision."""
    return float(2.0 ** math.ceil(math.log2(n_rows) / 2))


def most_others(n_rows: int) -> int:
    """Return the number of rows unlike the most common value up to which a column is not screened."""
    return int(_native.most_rare_others(n_rows))


def lines_of(values: NDArray[Any], dtype: Any, *, is_ranked: bool) -> tuple[NDArray[Any], Facts]:
    """Standardize columns (rows × columns), and return one row per column and facts about each.

    Twins on a GPU: src/bychance/gpu/columns.cu and cuda.py.
    """
    n = values.shape[0]
    with np.errstate(all="ignore"):
        v = np.ascontiguousarray(values.T).astype(np.float64)
        is_missing = np.isnan(v).any(axis=1)
        if np.isinf(v).any():
            raise InfiniteError(*(int(where[0]) for where in np.isinf(v).nonzero()))
        if is_ranked:
            v = doubled_midranks(v, np)
        size = np.abs(v).max(axis=1)
        c = v - v.mean(axis=1)[:, None]
        c -= c.mean(axis=1)[:, None]
        norm = np.sqrt((c * c).sum(axis=1))
        is_odd = is_missing | ~(math.sqrt(n) * 2.0**-51 * size < MAX_ERROR * norm) | ~(norm < np.inf)
        c /= np.where(is_odd, 1.0, norm)[:, None]
        c[is_odd] = 0.0
        squares = c * c
        third, fourth = (squares * c).sum(axis=1), (squares * squares).sum(axis=1)
        del squares
        is_odd |= fourth > MAX_FOURTH
        is_odd |= _has_rare_values(v, fourth)
        is_odd |= n <= MOST_ENUMERATED
        c *= scale_of(n)
        c[is_odd] = 0.0
        lines = np.zeros((len(c), width_of(n)), dtype=dtype)
        lines[:, :n] = c
        c -= lines[:, :n]
        rounding = np.sqrt((c * c).sum(axis=1)) / scale_of(n)
    return lines, classed(n, is_odd, third, fourth, rounding)


def classed(n: int, is_odd: NDArray[np.bool_], third: Array, fourth: Array, rounding: Array) -> Facts:
    """Return the class of each column for the screen, with its Σc³ and Σc⁴ (c: standardized values)."""
    has_two = np.abs(n * fourth - n * third * third - 1) <= 2 * _native.TWO_VALUES * n * fourth
    kind = np.where(has_two, np.int8(ColumnClass.TWO_VALUED), np.int8(ColumnClass.PLAIN))
    kind[is_odd] = ColumnClass.ODD
    return Facts(kind, third, fourth, rounding)


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


def _has_rare_values(v: Array, fourth: Array) -> NDArray[np.bool_]:
    """Flag columns with too few rows unlike the most common value for a reliable continuous distribution.

    With o others, Σc⁴ is at least (1 − o/n)²/o: the others have at least 1 − o/n of Σc² between them. Only
    columns with so large a sum are sorted: n − m alike rows stand side by side.
    """
    n = v.shape[1]
    most = most_others(n)
    has_rare = np.zeros(len(v), dtype=np.bool_)
    suspects = np.flatnonzero(fourth >= (1 - most / n) ** 2 / most * (1 - 1e-6))
    if len(suspects):
        ordered = np.sort(v[suspects], axis=1)
        has_rare[suspects] = (ordered[:, n - most - 1 :] == ordered[:, : most + 1]).any(axis=1)
    return has_rare


class InfiniteError(BychanceError):
    """Infinite value, with its column and row within a block."""

    def __init__(self, column: int, row: int) -> None:
        super().__init__(f"Values must be finite, got an infinite one in column {column}, row {row}.")
        self.column, self.row = column, row
