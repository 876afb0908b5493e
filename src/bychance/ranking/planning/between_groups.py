"""A column with one value per group, and a target that differs between groups → whether p counts too much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from bychance.columns import Column, coded
from bychance.kinds import Kind
from bychance.measures.ordering import order_values

__all__ = ["blocks_of", "rests_on_rows"]

_FEWEST_LEFT = 3  # groups beyond what x takes
_SEEMS, _DIFFERS, _HOLDS = 0.05, 0.01, 1e-3  # p by rows, of groups beyond x, and by groups
_MOST_CATEGORIES = 20
_FEWEST_BLOCKS, _ROWS_PER_BLOCK, _MOST_BLOCKS = 6, 3, 500


def rests_on_rows(x: Column, y: Column, key: NDArray[np.int64]) -> bool:
    """Whether y differs between groups beyond x, and groups as single observations leave x unproven.

    `key` says the group of each row, −1 for none. Mean squares of y are compared, by a line in x, one in its
    ranks, or its categories: x seems related by rows (p < 0.05), groups differ beyond x (p < 0.01), and with
    this as the error x is not clear (p > 0.001). Of independent columns, few of 1,000 are taken for such.

    >>> from bychance.io import read_table
    >>> rng, unit = np.random.default_rng(0), np.repeat(np.arange(12), 30)
    >>> beds, stay = rng.integers(10, 60, size=12)[unit], rng.normal(size=12)[unit] + rng.normal(size=360)
    >>> table = read_table({"beds": beds, "stay": stay, "noise": rng.normal(size=360)})
    >>> rests_on_rows(table["beds"], table["stay"], unit), rests_on_rows(table["beds"], table["noise"], unit)
    (True, False)
    """
    is_known = key >= 0
    for column in (x, y):
        is_known = is_known if column.is_missing is None else is_known & ~column.is_missing
    if not is_known.any():
        return False
    groups = coded(key[is_known])
    counts = np.bincount(groups).astype(np.float64)
    targets = _numbers(y.values[is_known], y.kind)
    means = np.array([np.bincount(groups, target) / counts for target in targets])
    within = sum(float(((own - mean[groups]) ** 2).sum()) for own, mean in zip(targets, means, strict=True))
    of_group = np.zeros(len(counts), dtype=x.values.dtype)
    of_group[groups] = x.values[is_known]
    between = _Between(means, counts, within, len(groups) - len(counts))
    compared = [between.compare(design) for design in _designs(of_group, x.kind)]
    seems = any(by_rows < _SEEMS for by_rows, _, _ in compared)
    return seems and all(beyond < _DIFFERS and by_groups > _HOLDS for _, beyond, by_groups in compared)


class _Between:
    """Means of y per group, how many rows each has, and the squares within with their degrees of freedom."""

    def __init__(
        self, means: NDArray[np.float64], counts: NDArray[np.float64], within: float, n_within: int
    ) -> None:
        self.means, self.root = means, np.sqrt(counts)
        self.within, self.n_within = within, n_within

    def compare(self, design: NDArray[np.float64]) -> tuple[float, float, float]:
        """The p-values of x by rows, of groups beyond x, and of x by groups; 1 where nothing tells."""
        n_left = len(self.root) - int(np.linalg.matrix_rank(design))
        n_taken = len(self.root) - n_left - 1
        whole, left = self._squares(np.ones((len(self.root), 1))), self._squares(design)
        if n_left < _FEWEST_LEFT or n_taken < 1 or self.n_within < 1 or min(self.within, left) <= 0:
            return 1.0, 1.0, 1.0
        taken, error, of_row = (whole - left) / n_taken, left / n_left, self.within / self.n_within
        by_rows = fdtrc(n_taken, self.n_within, taken / of_row)
        beyond = fdtrc(n_left, self.n_within, error / of_row)
        return float(by_rows), float(beyond), float(fdtrc(n_taken, n_left, taken / error))

    def _squares(self, design: NDArray[np.float64]) -> float:
        """What the design leaves of the squares between groups, each counted by its rows."""
        weighted, targets = design * self.root[:, None], (self.means * self.root).T
        solution = np.linalg.lstsq(weighted, targets, rcond=None)[0]
        return float(((targets - weighted @ solution) ** 2).sum())


def blocks_of(column: Column) -> NDArray[np.int64] | None:
    """The blocks of rows that have one value each, where these are few, long, and in no order; else None.

    >>> from bychance.io import read_table
    >>> table = read_table({"beds": [30, 12, 45, 18, 51, 24, 39], "n": range(7)})
    >>> blocks_of(table["beds"].at(np.repeat(np.arange(7), 3))).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6]
    """
    if column.kind is not Kind.NUMERIC or column.is_missing is not None or column.clock is not None:
        return None
    is_new = column.values[1:] != column.values[:-1]
    n_blocks = 1 + int(np.count_nonzero(is_new))
    if not _FEWEST_BLOCKS <= n_blocks <= min(_MOST_BLOCKS, len(column) // _ROWS_PER_BLOCK):
        return None
    blocks = np.concatenate([[0], np.cumsum(is_new)]).astype(np.int64)
    values = column.values[np.concatenate([[True], is_new])].astype(np.float64)
    turns = np.count_nonzero(np.diff(np.sign(np.diff(values))))
    # Values that turn rarely were sorted or are a series; those that recur in many blocks are states.
    is_drawn = 4 * turns >= len(values) and 4 * len(np.unique(values)) >= 3 * len(values)
    return blocks if is_drawn and np.median(np.bincount(blocks)) >= _ROWS_PER_BLOCK else None


def _numbers(values: NDArray[np.generic], kind: Kind) -> list[NDArray[np.float64]]:
    """Ranks, or an indicator of each category."""
    if kind is Kind.NUMERIC:
        return [_ranks(values.astype(np.float64))]
    codes = coded(values)
    return [(codes == k).astype(np.float64) for k in range(min(int(codes.max()) + 1, _MOST_CATEGORIES))]


def _designs(values: NDArray[np.generic], kind: Kind) -> list[NDArray[np.float64]]:
    """A line in the numbers and one in their ranks; or the categories."""
    if kind is not Kind.NUMERIC:
        codes = coded(values)
        return [np.eye(int(codes.max()) + 1)[codes]]
    numbers = values.astype(np.float64)
    scaled = (numbers - numbers.mean()) / (np.abs(numbers - numbers.mean()).max() or 1.0)
    return [np.column_stack([np.ones(len(own)), own]) for own in (scaled, _ranks(numbers) / len(numbers))]


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks: NDArray[np.float64] = order_values(values).midranks
    return ranks
