"""Squared Pearson correlation, on values (`r2`) and on midranks (`spearman`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import Line, centered_line, resample_trace, trace
from bychance.measures.ordering import order_values
from bychance.measures.structures import NormalTheory, Structure, TableForm, TableTrace, TraceForm

__all__ = ["R2", "Spearman"]


class R2(Measure[Line]):
    """Squared Pearson correlation: the share of variance that a line explains.

    Its adjustment is the textbook adjusted R².

    >>> import bychance as bc
    >>> bc.measure("r2", [1, 2, 3, 4], [1, 3, 2, 4])
    0.64...
    """

    name = "r2"
    summary = "squared Pearson correlation"
    kinds = PairKind.NUMERIC
    symmetric = True
    paper_null: ClassVar[str | None] = "normal"
    bounds: ClassVar[Mapping[str, str]] = {"attainable": "attainable_bound"}

    def prepare(self, values: Values, role: Role) -> Line:
        """Center and scale."""
        return centered_line(np.asarray(values, dtype=np.float64))

    def estimate(self, x: Line, y: Line) -> float:
        """The squared inner product of the two lines."""
        return min(trace(x, y), 1.0)

    def resample(self, x: Line, y: Line, permutations: NDArray[np.int32]) -> NDArray[np.float64]:
        """Squared inner products, y permuted."""
        return np.minimum(resample_trace(x, y, permutations), 1.0)

    def attainable_bound(self, x: Line, y: Line) -> float:
        """The largest value that these two samples can give, sorted alike or oppositely."""
        ascending, other = np.sort(x.values), np.sort(y.values)
        return float(max((ascending @ other) ** 2, (ascending @ other[::-1]) ** 2))

    def sign(self, x: Line, y: Line) -> int:
        """The sign of the correlation."""
        return int(np.sign(x.values @ y.values))

    def structures(self, x: Line, y: Line) -> tuple[Structure, ...]:
        """A trace form; Beta(1/2, (n−2)/2) with a normal margin."""
        return (TraceForm(x.n, x, y, 1.0, "beta"), NormalTheory(1, x.n - 2))

    def table_form(self, x: Kind, y: Kind) -> TableForm:
        """Two lines."""
        return TableTrace("line", "line", "one", "beta")


class Spearman(R2):
    """Squared Spearman correlation: r² on midranks, so that any monotone relation counts.

    >>> import bychance as bc
    >>> bc.measure("spearman", [1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """

    name = "spearman"
    summary = "squared Spearman correlation, on midranks"
    paper_null = None

    def prepare(self, values: Values, role: Role) -> Line:
        """Rank, center and scale."""
        return centered_line(order_values(np.asarray(values, dtype=np.float64)).midranks)

    def structures(self, x: Line, y: Line) -> tuple[Structure, ...]:
        """A trace form of ranks."""
        return (TraceForm(x.n, x, y, 1.0, "beta"),)

    def table_form(self, x: Kind, y: Kind) -> TableForm:
        """Two lines of ranks."""
        return TableTrace("ranks", "ranks", "one", "beta")
