"""Squared Kendall correlation τ_b² (`kendall`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.ordering import Ordering, order_values
from bychance.measures.structures import SignSum, Structure

__all__ = ["Kendall"]


class Kendall(Measure[Ordering]):
    """Squared Kendall τ_b: concordant minus discordant pairs, over the untied pairs, squared.

    >>> import bychance as bc
    >>> bc.measure("kendall", [1, 2, 3, 4], [1, 3, 2, 4])
    0.444...
    """

    name = "kendall"
    summary = "squared Kendall τ_b"
    kinds = PairKind.NUMERIC
    symmetric = True
    is_same_on_both_sides = True
    bounds: ClassVar[Mapping[str, str]] = {"attainable": "attainable_bound"}

    def prepare(self, values: Values, role: Role) -> Ordering:
        """Sort the values into ranks and groups of ties."""
        return order_values(np.asarray(values, dtype=np.float64))

    def estimate(self, x: Ordering, y: Ordering) -> float:
        """Compute S² over the product of x's and y's untied pairs (S: concordant minus discordant)."""
        return self._statistic(x, y).value()

    def _statistic(self, x: Ordering, y: Ordering) -> _native.Statistic:
        return _signs(x, y, _native.Finish(squared=True, scale=self._scale(x, y)))

    def attainable_bound(self, x: Ordering, y: Ordering) -> float:
        """Return the largest value that any pairing of these columns can reach, given their ties."""
        alike = np.empty((2, x.n), dtype=np.int32)
        alike[0, x.order], alike[1, x.order] = y.order, y.order[::-1]
        return float(self.resample(x, y, _native.Repairings.listed(alike), 0, 2).max())

    def sign(self, x: Ordering, y: Ordering) -> int:
        """Return the sign of S, the concordant minus the discordant pairs."""
        return int(np.sign(_signs(x, y, _native.Finish()).value()))

    def structures(self, x: Ordering, y: Ordering) -> tuple[Structure, ...]:
        """Return the measure as a squared sum of signs, with the groups of ties."""
        ties = tuple(x.tie_groups.tolist()), tuple(y.tie_groups.tolist())
        return (SignSum((x.n, *ties), self._scale(x, y)),)

    @staticmethod
    def _scale(x: Ordering, y: Ordering) -> float:
        product = untied_pairs(x.tie_groups) * untied_pairs(y.tie_groups)
        return 0.0 if product == 0 else 1 / product


def _signs(x: Ordering, y: Ordering, finish: _native.Finish) -> _native.Statistic:
    """Create the C++ statistic S, concordant minus discordant pairs, with its final transform."""
    return _native.Statistic.kendall(x.order, x.tie_groups, y.codes, y.n_distinct, finish)


def untied_pairs(tie_groups: NDArray[np.int64]) -> float:
    """Count the pairs of rows with different values, from the sizes of groups of ties."""
    n, groups = float(tie_groups.sum()), tie_groups.astype(np.float64)
    return n * (n - 1) / 2 - float(np.sum(groups * (groups - 1))) / 2
