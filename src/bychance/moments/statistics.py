"""What the engines for many pairs answer with: one entry per pair, in the order in which they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["InformationRows", "TraceRows", "join_traces", "rows_of_groups", "rows_of_tables", "tell_nothing"]


@dataclass(frozen=True, slots=True, eq=False)
class TraceRows:
    """tr(A·B) of many pairs on the rows each shares, and the invariants of A and B there.

    `sign` is that of the correlation, None where the measure has none. `x_distinct` and `y_distinct` count
    distinct values; for lines they are only exact up to 10, and 10 stands for more. `is_degenerate` marks
    pairs with a constant column, a column of unique categories, or fewer than three shared rows; their
    other entries mean nothing, except that `n` is right, and that `trace` is 0 for lines. `x_smallest` and
    `y_smallest` are the sizes of the smallest groups, where both columns have groups. `at` says which rows of
    the invariants belong to each pair of unit lines; without it they are one per pair.
    """

    n: NDArray[np.int64]
    trace: NDArray[np.float64]
    sign: NDArray[np.int8] | None
    x_invariants: NDArray[np.float64]  # 8 each, as src/native/nulls/trace_moments.hpp orders them
    y_invariants: NDArray[np.float64]
    x_distinct: NDArray[np.int64]
    y_distinct: NDArray[np.int64]
    is_degenerate: NDArray[np.bool_]
    x_smallest: NDArray[np.int64] | None = None
    y_smallest: NDArray[np.int64] | None = None
    at: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    def invariants_of_pairs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Those of A and of B, one row per pair."""
        if self.at is None:
            return self.x_invariants, self.y_invariants
        return self.x_invariants[self.at[0]], self.y_invariants[self.at[1]]

    def pick(self, rows: NDArray[np.intp]) -> TraceRows:
        """Those of some of the pairs."""
        picked: dict[str, Any] = {}
        for name in (f.name for f in fields(self) if f.name != "at"):
            is_shared = self.at is not None and name.endswith("invariants")
            array = getattr(self, name)
            picked[name] = array if array is None or is_shared else array[rows]
        at = None if self.at is None else (self.at[0][rows], self.at[1][rows])
        return TraceRows(**picked, at=at)


def rows_of_tables(
    trace: NDArray[np.float64],
    x_invariants: NDArray[np.float64],
    y_invariants: NDArray[np.float64],
    n: NDArray[np.int64],
    x_distinct: NDArray[np.int64],
    y_distinct: NDArray[np.int64],
    x_smallest: NDArray[np.int64],
    y_smallest: NDArray[np.int64],
) -> TraceRows:
    """Those of two categorical columns each."""
    is_degenerate = tell_nothing(n, x_distinct, y_distinct)
    distinct, smallest = (x_distinct, y_distinct), (x_smallest, y_smallest)
    return TraceRows(n, trace, None, x_invariants, y_invariants, *distinct, is_degenerate, *smallest)


def rows_of_groups(
    n: NDArray[np.int64],
    trace: NDArray[np.float64],
    group_invariants: NDArray[np.float64],
    line_invariants: NDArray[np.float64],
    n_groups: NDArray[np.int64],
    n_values: NDArray[np.int64],
    *,
    labels_are_x: bool,
) -> TraceRows:
    """Those of a categorical and a numeric column each."""
    groups, lines = (group_invariants, n_groups), (line_invariants, n_values)
    (x, x_distinct), (y, y_distinct) = (groups, lines) if labels_are_x else (lines, groups)
    is_degenerate = (n < 3) | (n_groups <= 1) | (n_groups == n) | (n_values <= 1)
    return TraceRows(n, trace, None, x, y, x_distinct, y_distinct, is_degenerate)


def tell_nothing(
    n: NDArray[np.int64], x_distinct: NDArray[np.int64], y_distinct: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which pairs have one group, a group for every row, or fewer than three rows."""
    fewest, most = np.minimum(x_distinct, y_distinct), np.maximum(x_distinct, y_distinct)
    is_degenerate: NDArray[np.bool_] = (n < 3) | (fewest <= 1) | (most == n)
    return is_degenerate


def join_traces(
    parts: Sequence[TraceRows],
    invariants: NDArray[np.float64],
    at: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> TraceRows:
    """Pairs of unit lines one after the other, whose invariants are at these places."""
    names = ("n", "trace", "sign", "x_distinct", "y_distinct", "is_degenerate")
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return TraceRows(**joined, x_invariants=invariants, y_invariants=invariants, at=at)


@dataclass(frozen=True, slots=True, eq=False)
class InformationRows:
    """Mutual information of many pairs in bits, with the moments of its null and what trust needs.

    `variance` is NaN where it is too dear for this table; `x_smallest` and `y_smallest` are the sizes of the
    smallest groups.
    """

    n: NDArray[np.int64]
    observed: NDArray[np.float64]
    bound: NDArray[np.float64]  # the smaller entropy
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    x_distinct: NDArray[np.int64]
    y_distinct: NDArray[np.int64]
    is_degenerate: NDArray[np.bool_]
    x_smallest: NDArray[np.int64]
    y_smallest: NDArray[np.int64]
