"""Tests of whether a variable follows the covariates more finely than what was taken out of it.

Cells eight times as wide leave more of a variable that follows a number on the scale of its cells: jumps,
narrow waves, bumps, products of two covariates. If neighbors are alike in that, smaller cells leave some of
it too. Patterns of the calendar, such as weekdays beside the number of the day, show by their periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.given.cells import Cells, Codes, cross_labels
from bychance.given.design import Design, to_unit_range
from bychance.given.factors import DETERMINED
from bychance.given.neighbors import Neighbors

__all__ = ["WIDTH", "Leftover"]

Array = NDArray[np.float64]

WIDTH = 8  # times the rows of a cell, in the design beside it: 2 and 4 find fewer patterns
_LEVEL = 0.05  # of the tests of a variable by neighbors; a pair is doubtful if both of its variables are
_LEVEL_OF_PERIODS = 0.01  # of all of them together: at .05, 13% of related pairs without a pattern are told
_FEWEST_LEFT = 3
_ROWS_PER_PHASE = 6  # on average, as in a cell with a line: outliers decide in smaller groups
_LONGEST_PERIOD = 31  # steps of a number with equal steps: 7 for weekdays, 12 for months, 24 for hours
_NEAR_STEP = 1e-6  # of a step, within which a number counts as a multiple of it (rounding)
_MOST_STEPS = 1e9  # from the first to the last, beyond which digits of doubles could not tell
_HUGE = 1e100  # the ratio of a sum of squares to none: a pattern without noise


@dataclass(frozen=True, eq=False)
class Leftover:
    """Tests of variables on some rows: neighbors in what a coarser design leaves, and periods of numbers."""

    fine: Design
    coarse: Design
    neighbors: tuple[Neighbors, ...]
    phases: tuple[Cells, ...]

    @classmethod
    def of(cls, fine: Design, coarse: Design, labels: Sequence[Codes], numbers: Sequence[Array]) -> Leftover:
        """Prepare the tests: neighbors in all covariates and in each number, and periods."""
        neighbors = [Neighbors.of(coarse, cross_labels(labels, fine.n), numbers)]
        if len(labels) + len(numbers) > 1:
            neighbors += [Neighbors.of(coarse, cross_labels([], fine.n), [z]) for z in numbers]
        return cls(fine, coarse, tuple(neighbors), tuple(cells for z in numbers for cells in _phases(z)))

    def follows(self, columns: Array, left: Array | None = None) -> NDArray[np.bool_]:
        """Test every column of a matrix by itself; `left` is what the finer design leaves, if it is known."""
        left = self.fine.residualize(columns) if left is None else left
        each = np.arange(columns.shape[1])
        return self._tested(columns, left, each, np.ones(len(each)))

    def follow_together(self, columns: Array) -> bool:
        """Test the indicators of one categorical variable together, by their effective number."""
        left = self.fine.residualize(columns)
        products = left.T @ left
        size = float(np.sum(products**2))
        worth = np.trace(products) ** 2 / size if size > 0 else 1.0
        one = np.zeros(columns.shape[1], dtype=np.intp)
        return bool(self._tested(columns, left, one, np.array([worth]))[0])

    def _tested(
        self, columns: Array, left: Array, variable: NDArray[np.intp], worth: Array
    ) -> NDArray[np.bool_]:
        """Test variables of one column or several; `worth` scales the degrees of freedom of each."""
        df = self.fine.n - self.fine.df
        found = np.zeros(len(worth), dtype=np.bool_)
        if df < _FEWEST_LEFT:
            return found

        def each(of_columns: Array) -> Array:
            return np.asarray(np.bincount(variable, of_columns, minlength=len(worth)), dtype=np.float64)

        squares = each(np.sum(left**2, axis=0))
        more, starts = self.coarse.residualize(columns), np.unique(variable, return_index=True)[1]
        beyond = -special.ndtri(_LEVEL / len(self.neighbors))
        for neighbors in self.neighbors:
            found |= neighbors.scores(more, starts, worth) > beyond
        level = _LEVEL_OF_PERIODS / max(len(self.phases), 1)
        for cells in self.phases:
            k = len(cells) - 1
            if df - k >= _FEWEST_LEFT:
                between = each(np.sum(cells.sums(left) ** 2 / cells.sizes[:, np.newaxis], axis=0))
                # Of noise, as large a share is left between phases as within them.
                expected = (squares - between) * k / (self.fine.n - len(cells))
                found |= _is_beyond(between, expected, k * worth, (df - k) * worth, level)
        total = each(np.sum((columns - columns.mean(axis=0)) ** 2, axis=0))
        return np.asarray(found & (squares > DETERMINED * total))


def _is_beyond(found: Array, expected: Array, k: Array, df: Array, level: float) -> NDArray[np.bool_]:
    """F-tests of sums of squares with k degrees of freedom beside what df others lead to expect."""
    ratio = np.divide(found, expected, out=np.full_like(found, _HUGE), where=expected > 0)
    return np.asarray((found > 0) & (special.fdtrc(k, df, np.maximum(ratio, 0.0)) < level))


def _phases(z: Array) -> list[Cells]:
    """Return the rows by phase, for every period of 2 to 31 steps; none if the steps of z are not equal."""
    unit = to_unit_range(z)
    with np.errstate(over="ignore"):
        position = unit / np.diff(np.unique(unit)).min(initial=1.0)
    longest = float(position.max())
    if longest > _MOST_STEPS or np.abs(position - np.rint(position)).max() > _NEAR_STEP:
        return []
    steps = np.rint(position).astype(np.int64)
    most = min(_LONGEST_PERIOD, (int(longest) + 1) // 2, len(z) // _ROWS_PER_PHASE)
    phases = [Cells.of(steps % period) for period in range(2, most + 1)]
    return [cells for cells in phases if len(cells) > 1]
