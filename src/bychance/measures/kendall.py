"""Squared Kendall correlation τ_b² (`kendall`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import identity_permutation
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
    bounds: ClassVar[Mapping[str, str]] = {"attainable": "attainable_bound"}

    def prepare(self, values: Values, role: Role) -> Ordering:
        """Order the values."""
        return order_values(np.asarray(values, dtype=np.float64))

    def estimate(self, x: Ordering, y: Ordering) -> float:
        """S² over the product of the untied pairs."""
        return self._s(x, y) ** 2 * self._scale(x, y)

    def resample(self, x: Ordering, y: Ordering, permutations: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same, y permuted."""
        s = _native.kendall_s(x.order, x.tie_groups, y.codes, y.n_distinct, permutations)
        return s**2 * self._scale(x, y)

    def attainable_bound(self, x: Ordering, y: Ordering) -> float:
        """The largest value that these two tie patterns allow, sorted alike or oppositely."""
        alike = np.empty((2, x.n), dtype=np.int32)
        alike[0, x.order], alike[1, x.order] = y.order, y.order[::-1]
        return float(self.resample(x, y, alike).max())

    def sign(self, x: Ordering, y: Ordering) -> int:
        """The sign of S."""
        return int(np.sign(self._s(x, y)))

    def structures(self, x: Ordering, y: Ordering) -> tuple[Structure, ...]:
        """A squared sum of signs."""
        return (
            SignSum(x.n, tuple(map(int, x.tie_groups)), tuple(map(int, y.tie_groups)), self._scale(x, y)),
        )

    @staticmethod
    def _s(x: Ordering, y: Ordering) -> float:
        identity = identity_permutation(x.n)
        return float(_native.kendall_s(x.order, x.tie_groups, y.codes, y.n_distinct, identity)[0])

    @staticmethod
    def _scale(x: Ordering, y: Ordering) -> float:
        product = _untied_pairs(x) * _untied_pairs(y)
        return 0.0 if product == 0 else 1 / product


def _untied_pairs(variable: Ordering) -> float:
    groups = variable.tie_groups.astype(np.float64)
    return variable.n * (variable.n - 1) / 2 - float(np.sum(groups * (groups - 1))) / 2
