"""True tails of a null by multilevel splitting over transpositions, for measures whose swaps cost little.

In:  an oracle (r², η², tables) with the values of random permutations, and the values asked about.
Out: P(D ≥ value) of each. One run of N particles has a standard error of about √(levels/N) in ln p.

Written apart from the library, so that what judges its laws shares no code with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupSums", "Lines", "Swaps", "Tables", "true_tails"]

_ROUNDING = 1e-10  # of the largest value
_LEAST = 1e-11  # where a run stops looking
Array = NDArray[np.float64]
Rows = NDArray[np.intp]


class Swaps(ABC):
    """Particles, each a permutation of the same two columns, with the value of each."""

    values: Array

    @abstractmethod
    def keep(self, particles: Rows) -> None:
        """Keep these particles, which may repeat."""

    @abstractmethod
    def propose(self, i: Rows, j: Rows) -> Array:
        """Return the value of each particle if its rows i and j were swapped."""

    @abstractmethod
    def accept(self, is_accepted: NDArray[np.bool_]) -> None:
        """Swap what was proposed last, in some particles."""


class Lines(Swaps):
    """r² of x and a permuted y."""

    def __init__(self, x: Array, y: Array, permutations: NDArray[np.integer]) -> None:
        self._x = (x - x.mean()) / np.sqrt(np.sum((x - x.mean()) ** 2))
        centered = (y - y.mean()) / np.sqrt(np.sum((y - y.mean()) ** 2))
        self._y = centered[permutations]
        self._all = np.arange(len(permutations))
        self._sum = self._y @ self._x
        self.values = self._sum**2

    def keep(self, particles: Rows) -> None:
        self._y, self._sum, self.values = self._y[particles], self._sum[particles], self.values[particles]
        self._all = np.arange(len(particles))

    def propose(self, i: Rows, j: Rows) -> Array:
        yi, yj = self._y[self._all, i], self._y[self._all, j]
        proposed: Array = self._sum + (self._x[i] - self._x[j]) * (yj - yi)
        self._last = i, j, yi, yj, proposed
        return np.square(proposed)

    def accept(self, is_accepted: NDArray[np.bool_]) -> None:
        i, j, yi, yj, proposed = (part[is_accepted] for part in self._last)
        at = self._all[is_accepted]
        self._y[at, i], self._y[at, j], self._sum[at] = yj, yi, proposed
        self.values[at] = proposed**2


class GroupSums(Swaps):
    """Σ over groups of weight · (sum of permuted y)²: η² with weights 1/size, a class's share with 1."""

    def __init__(
        self, groups: NDArray[np.integer], y: Array, weights: Array, permutations: NDArray[np.integer]
    ) -> None:
        centered = (y - y.mean()) / np.sqrt(np.sum((y - y.mean()) ** 2))
        self._groups, self._weights = groups, weights
        self._y = centered[permutations]
        self._all = np.arange(len(permutations))
        self._sums = np.stack([self._y[:, groups == g].sum(axis=1) for g in range(len(weights))], axis=1)
        self.values = self._sums**2 @ weights

    def keep(self, particles: Rows) -> None:
        self._y, self._sums, self.values = self._y[particles], self._sums[particles], self.values[particles]
        self._all = np.arange(len(particles))

    def propose(self, i: Rows, j: Rows) -> Array:
        gi, gj = self._groups[i], self._groups[j]
        yi, yj = self._y[self._all, i], self._y[self._all, j]
        step = np.where(gi == gj, 0.0, yj - yi)
        si, sj = self._sums[self._all, gi], self._sums[self._all, gj]
        change = self._weights[gi] * step * (2 * si + step) + self._weights[gj] * step * (step - 2 * sj)
        proposed: Array = self.values + change
        self._last = i, j, gi, gj, yi, yj, step, proposed
        return proposed

    def accept(self, is_accepted: NDArray[np.bool_]) -> None:
        i, j, gi, gj, yi, yj, step, proposed = (part[is_accepted] for part in self._last)
        at = self._all[is_accepted]
        self._y[at, i], self._y[at, j], self.values[at] = yj, yi, proposed
        self._sums[at, gi] += step
        self._sums[at, gj] -= step


class Tables(Swaps):
    """Σ over cells of weight · f(count), f given for every count."""

    def __init__(
        self,
        x: NDArray[np.integer],
        y: NDArray[np.integer],
        weights: Array,
        of_count: Array,
        permutations: NDArray[np.integer],
    ) -> None:
        self._x, self._weights, self._f = x, weights, of_count
        self._y = y[permutations]
        self._all = np.arange(len(permutations))
        r, c = weights.shape
        cells = (self._all[:, np.newaxis] * r + x) * c + self._y
        self._counts = np.bincount(cells.ravel(), minlength=len(permutations) * r * c).reshape(-1, r, c)
        self.values = np.einsum("prc,rc->p", of_count[self._counts], weights)

    def keep(self, particles: Rows) -> None:
        self._y, self._counts, self.values = (
            self._y[particles], self._counts[particles], self.values[particles]
        )  # fmt: skip
        self._all = np.arange(len(particles))

    def propose(self, i: Rows, j: Rows) -> Array:
        xi, xj, yi, yj = self._x[i], self._x[j], self._y[self._all, i], self._y[self._all, j]
        moves = (xi, yi, -1), (xi, yj, 1), (xj, yj, -1), (xj, yi, 1)
        change = np.zeros(len(i))
        for row, column, step in moves:
            count = self._counts[self._all, row, column]
            # An entry below 0 is only read where nothing moves.
            change += self._weights[row, column] * (self._f[np.maximum(count + step, 0)] - self._f[count])
        change[(xi == xj) | (yi == yj)] = 0.0
        proposed = self.values + change
        self._last = i, j, xi, xj, yi, yj, proposed
        return proposed

    def accept(self, is_accepted: NDArray[np.bool_]) -> None:
        i, j, xi, xj, yi, yj, proposed = (part[is_accepted] for part in self._last)
        at = self._all[is_accepted]
        self._y[at, i], self._y[at, j], self.values[at] = yj, yi, proposed
        self._counts[at, xi, yi] -= 1
        self._counts[at, xi, yj] += 1
        self._counts[at, xj, yj] -= 1
        self._counts[at, xj, yi] += 1


def true_tails(
    swaps: Swaps, n: int, asked: Array, rng: np.random.Generator, *, n_particles: int, sweeps: float = 2.0
) -> Array:
    """Estimate P(D ≥ value) for each value, or NaN if the run got stuck before it."""
    tails = np.full(len(asked), np.nan)
    # Values that are one but for rounding must fall on one side of every level.
    slack = _ROUNDING * np.abs(swaps.values).max()
    level, p = -np.inf, 1.0
    n_steps = max(int(sweeps * n), 40)
    while True:
        values = swaps.values
        share = 0.5 if np.isfinite(level) else 1 - n_particles / len(values)
        goal = float(np.quantile(values, share, method="higher")) - slack
        above = values[values > level + 2 * slack]
        new = goal if goal > level + slack else float(above.min(initial=np.inf)) - slack
        is_reached = np.isnan(tails) & (asked - slack < new)
        tails[is_reached] = [p * np.mean(values >= v - slack) for v in asked[is_reached]]
        if np.isinf(new) or not np.isnan(tails).any() or p < _LEAST:
            return np.where(tails == 0, np.nan, tails)
        survivors = np.flatnonzero(values >= new)
        p *= len(survivors) / len(values)
        level = new
        start = rng.integers(len(survivors))
        swaps.keep(survivors[(start + np.arange(n_particles)) % len(survivors)])
        for i, j in rng.integers(n, size=(n_steps, 2, n_particles)):
            swaps.accept(swaps.propose(i, j) >= level)
