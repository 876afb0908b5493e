"""Chatterjee's ξ: how close y comes to being a function of x (`xi`)."""

from __future__ import annotations

import numpy as np

from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.ordering import Ordering, order_values
from bychance.measures.structures import PairInvariants, PairSum, Structure

__all__ = ["Xi"]


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
        return _native.Statistic.rank_steps(x.order, x.tie_groups, y.max_ranks, finish)

    def default_bound(self, x: Ordering, y: Ordering) -> float:
        """Return 1 − n(n − m)/2Σ l(n − l), with m rows holding the lowest y (l as in `Xi`).

        Without ties it is (n − 2)/(n + 1).
        """
        return 1.0 if y.is_degenerate else 1 - y.n * (y.n - float(y.tie_groups[0])) / y.rank_spread

    def structures(self, x: Ordering, y: Ordering) -> tuple[Structure, ...]:
        """Return the measure as a sum over pairs of rows: neighbors in x times rank distances in y."""
        return (PairSum(x.n, _neighbors(x), _rank_distances(y), -x.n / y.rank_spread / 2, 1.0),)


def _neighbors(x: Ordering) -> PairInvariants:
    """Compute sums over the matrix of probabilities that two rows are neighbors in x (tied rows shuffled)."""
    t = x.tie_groups.astype(np.float64)
    n_sides = np.full(len(t), 2.0)
    n_sides[0] -= 1
    n_sides[-1] -= 1
    row_sums = 2 * (t - 1) / t + n_sides / t
    squares = (4 * (t - 1) / t).sum() + 2 * (1 / (t[:-1] * t[1:])).sum()
    row_squares = float((t * row_sums**2).sum())
    return PairInvariants(len(t), x.n_others, float((t * row_sums).sum()), float(squares), row_squares)


def _rank_distances(y: Ordering) -> PairInvariants:
    """Compute sums over the matrix of rank distances |r_k − r_l| in y, from its groups of ties."""
    t = y.tie_groups.astype(np.float64)
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
