"""Measures of the order of two numeric columns: Kendall's τ_b² (`kendall`) and Chatterjee's ξ (`xi`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from bychance import _native
from bychance.array_types import IntArray
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, NamedBounds, Ordering, Values, order_values
from bychance.measures.structures import PairInvariants, PairSum, SignSum, Structure

__all__ = ["Kendall", "Xi", "untied_pairs"]


class Kendall(Measure[Ordering]):
    """Squared Kendall's τ_b: concordant minus discordant pairs over the untied pairs, squared.

    >>> import bychance as bc
    >>> bc.measure("kendall", [1, 2, 3, 4], [1, 3, 2, 4])
    0.444...
    """

    name = "kendall"
    summary = "squared Kendall τ_b"
    kinds = PairKind.NUMERIC
    symmetric = True
    is_same_on_both_sides = True

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
        return float(self.resample(x, y, _native.Permutations.listed(alike), 0, 2).max())

    bounds: ClassVar[NamedBounds] = {"attainable": attainable_bound}

    def sign(self, x: Ordering, y: Ordering) -> int:
        """Return the sign of S, the concordant minus the discordant pairs."""
        return int(np.sign(_signs(x, y, _native.Finish()).value()))

    def structures(self, x: Ordering, y: Ordering) -> tuple[Structure, ...]:
        """Return the measure as a squared sum of signs, with the groups of ties."""
        ties = tuple(x.sizes.tolist()), tuple(y.sizes.tolist())
        return (SignSum((x.n, *ties), self._scale(x, y)),)

    @staticmethod
    def _scale(x: Ordering, y: Ordering) -> float:
        product = untied_pairs(x.sizes) * untied_pairs(y.sizes)
        return 0.0 if product == 0 else 1 / product


def _signs(x: Ordering, y: Ordering, finish: _native.Finish) -> _native.Statistic:
    """Create the C++ object of S (concordant minus discordant pairs), transformed by `finish`."""
    return _native.Statistic.kendall(x.order, x.sizes, y.codes, y.n_distinct, finish)


def untied_pairs(sizes: IntArray) -> float:
    """Count the pairs of rows with different values, from the sizes of groups of ties."""
    n, groups = float(sizes.sum()), sizes.astype(np.float64)
    return n * (n - 1) / 2 - float(np.sum(groups * (groups - 1))) / 2


class Xi(Measure[Ordering]):
    """Chatterjee's ξ(x → y): 1 − n·Σ|r_{i+1} − r_i| / 2Σ l_i(n − l_i), rows in the order of x.

    If x has ties, ξ is the average over all orders of the tied rows, so that row order does not matter.
    Its maximum depends on n and on ties in y. The adjustment divides by it.

    >>> import bychance as bc
    >>> x = np.arange(10.0)
    >>> bc.measure("xi", x, (x - 4.5) ** 2), bc.adjust("xi", x, x).adjusted
    (0.5, 1.0)
    """

    name = "xi"
    summary = "Chatterjee's ξ: how close y comes to a function of x"
    kinds = PairKind.NUMERIC
    symmetric = False
    is_same_on_both_sides = True

    def prepare(self, values: Values, role: Role) -> Ordering:
        """Sort the values into ranks and groups of ties."""
        return order_values(np.asarray(values, dtype=np.float64))

    def estimate(self, x: Ordering, y: Ordering) -> float:
        """Compute ξ for the observed pairing of rows, or 0 if x or y is constant."""
        if x.is_degenerate or y.is_degenerate:
            return 0.0
        return self._statistic(x, y).value()

    def _statistic(self, x: Ordering, y: Ordering) -> _native.Statistic:
        finish = _native.Finish(scale=-x.n / y.rank_spread, offset=1.0)
        return _native.Statistic.rank_steps(x.order, x.sizes, y.max_ranks, finish)

    def default_bound(self, x: Ordering, y: Ordering) -> float:
        """Return the largest value of ξ given the ties in y, from the number of rows with y's lowest value.

        Without ties it is (n − 2)/(n + 1).
        """
        return 1.0 if y.is_degenerate else 1 - y.n * (y.n - float(y.sizes[0])) / y.rank_spread

    def structures(self, x: Ordering, y: Ordering) -> tuple[Structure, ...]:
        """Return the measure as a sum over pairs of rows: neighbors in x times rank distances in y."""
        return (PairSum(x.n, _neighbors(x), _rank_distances(y), -x.n / y.rank_spread / 2, 1.0),)


def _neighbors(x: Ordering) -> PairInvariants:
    """Compute sums over the matrix W of ξ: probabilities that two rows are neighbors in x order."""
    t = x.sizes.astype(np.float64)
    n_sides = np.full(len(t), 2.0)
    n_sides[0] -= 1
    n_sides[-1] -= 1
    row_sums = 2 * (t - 1) / t + n_sides / t
    squares = (4 * (t - 1) / t).sum() + 2 * (1 / (t[:-1] * t[1:])).sum()
    row_squares = float((t * row_sums**2).sum())
    return PairInvariants(len(t), x.n_others, float((t * row_sums).sum()), float(squares), row_squares)


def _rank_distances(y: Ordering) -> PairInvariants:
    """Compute sums over the matrix V of ξ: rank distances |r_k − r_l| in y, from its groups of ties."""
    t = y.sizes.astype(np.float64)
    # Distances do not depend on the origin. With the most common value as origin, their squares stay exact.
    ranks = t.cumsum()
    n_below = ranks - t
    ranks -= ranks[t.argmax()]
    weighted = t * ranks
    n, total, squares = float(y.n), float(weighted.sum()), float((t * ranks**2).sum())
    sum_below = weighted.cumsum() - weighted
    row_sums = ranks * n_below - sum_below + (total - sum_below - weighted) - (n - n_below - t) * ranks
    row_squares = float((t * row_sums**2).sum())
    pairs = 2 * (n * squares - total**2)
    return PairInvariants(len(t), y.n_others, float((t * row_sums).sum()), pairs, row_squares)
