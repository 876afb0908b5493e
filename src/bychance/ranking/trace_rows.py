"""What the engines for many pairs answer with: one entry a pair, in the order in which they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.laws import Laws

__all__ = ["InformationRows", "PairFigures", "TraceRows"]


@dataclass(frozen=True, slots=True, eq=False)
class TraceRows:
    """tr(A·B) of many pairs on the rows each shares, and the invariants of A and B there.

    `sign` is that of the correlation, None where the measure has none. `x_distinct` and `y_distinct` count
    distinct values; for lines they are only exact up to 10, and 10 stands for more. `is_degenerate` marks
    pairs with a constant column, a label of its own for every row, or fewer than three shared rows; their
    other entries mean nothing, except that `n` is right, and that `trace` is 0 for lines. `x_smallest` and
    `y_smallest` are the sizes of the smallest groups, where both columns have groups.
    """

    n: NDArray[np.int64]
    trace: NDArray[np.float64]
    sign: NDArray[np.int8] | None
    x_invariants: NDArray[np.float64]  # (pairs, 8), as src/native/nulls/trace_moments.hpp orders them
    y_invariants: NDArray[np.float64]
    x_distinct: NDArray[np.int64]
    y_distinct: NDArray[np.int64]
    is_degenerate: NDArray[np.bool_]
    x_smallest: NDArray[np.int64] | None = None
    y_smallest: NDArray[np.int64] | None = None

    def pick(self, at: NDArray[np.intp]) -> TraceRows:
        """Those of some of the pairs."""
        picked: dict[str, Any] = {}
        for name in (f.name for f in fields(self)):
            array = getattr(self, name)
            picked[name] = None if array is None else array[at]
        return TraceRows(**picked)


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


@dataclass(frozen=True, slots=True, eq=False)
class PairFigures:
    """Pairs that are not degenerate, with their nulls: `at` says which of those asked for."""

    at: NDArray[np.intp]
    observed: NDArray[np.float64]
    bound: NDArray[np.float64]
    sign: NDArray[np.int8] | None
    nulls: Laws
    is_open: NDArray[np.bool_]  # where `auto` looks for an exact law first
    has_few_atoms: NDArray[np.bool_]  # where `moments` looks for one, too

    def pick(self, at: NDArray[np.intp]) -> PairFigures:
        """Those of some of the pairs."""
        return PairFigures(
            self.at[at],
            self.observed[at],
            self.bound[at],
            None if self.sign is None else self.sign[at],
            self.nulls.pick(at),
            self.is_open[at],
            self.has_few_atoms[at],
        )

    @classmethod
    def joined(cls, parts: Sequence[PairFigures]) -> PairFigures:
        """Those of several sets of pairs, all with signs."""
        arrays = (
            np.concatenate([getattr(part, f.name) for part in parts])
            for f in fields(cls)
            if f.name != "nulls"
        )
        at, observed, bound, sign, is_open, has_few_atoms = arrays
        nulls = Laws.joined([part.nulls for part in parts])
        return cls(at, observed, bound, sign, nulls, is_open, has_few_atoms)
