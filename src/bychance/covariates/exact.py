"""Exact distributions over permutations within cells, by convolution or enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import coded, crossed
from bychance.covariates.cells import Cells
from bychance.nulls.base import DiscreteNull
from bychance.nulls.kendall import s_law

__all__ = [
    "arrangement_count",
    "enumerate_within",
    "fourfold_law",
    "kendall_law",
    "log_arrangements",
]

Array = NDArray[np.float64]

_CHUNK = 1 << 18  # entries of permutation rows in flight


def fourfold_law(
    x: NDArray[np.bool_], y: NDArray[np.bool_], cells: Cells, max_operations: float
) -> DiscreteNull | None:
    """Compute the exact distribution of the common effect of two binary variables, the Mantel–Haenszel sum.

    The number of rows with both values is a sum of independent hypergeometric counts, one per cell. Return
    None if the convolution takes more than `max_operations`.
    """
    n, a, b = (cells.sums(v.astype(np.float64)) for v in (np.ones(cells.n), x, y))
    low = np.maximum(0, a + b - n)
    lengths = (np.minimum(a, b) - low + 1).astype(np.int64)
    if float(np.sum(np.cumsum(lengths) * lengths)) > max_operations:
        return None
    law = np.ones(1)
    for k, size in enumerate(lengths):
        law = np.convolve(law, _hypergeometric(n[k], a[k], b[k], low[k] + np.arange(size)))
    both = low.sum() + np.arange(len(law)) - float(np.sum(a * b / n))
    scale = float(np.sum(a * (n - a) / n)) * float(np.sum(b * (n - b) / n))
    return _folded(both**2 / scale, law, "exact tables")


def _hypergeometric(n: float, a: float, b: float, both: Array) -> Array:
    def log_choose(top: float, part: Array) -> Array:
        return np.asarray(
            special.gammaln(top + 1) - special.gammaln(part + 1) - special.gammaln(top - part + 1)
        )

    logs = log_choose(a, both) + log_choose(n - a, b - both)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def kendall_law(ties: list[tuple[int, tuple[int, ...], tuple[int, ...]]], scale: float) -> DiscreteNull:
    """Compute the exact distribution of scale · (Σ S_h)² over strata with ties in at most one variable."""
    law, largest = np.ones(1), 0.0
    for n, x_ties, y_ties in ties:
        values, probabilities = s_law(n, x_ties, y_ties)
        law = np.convolve(law, probabilities).astype(np.float64)
        largest += float(values[0])
    sums: Array = largest - 2.0 * np.arange(len(law), dtype=np.float64)
    return _folded(sums**2 * scale, law, "exact Kendall")


def arrangement_count(labels: NDArray[np.generic], cells: Cells) -> float:
    """Count the distinct arrangements of the values within their cells."""
    return round(exp(min(log_arrangements(labels, cells), 700.0)))


def log_arrangements(labels: NDArray[np.generic], cells: Cells) -> float:
    """Return the logarithm of the number of distinct arrangements of the values within their cells."""
    alike = np.unique(crossed(cells.codes, coded(labels)), return_counts=True)[1]
    return float(special.gammaln(cells.sizes + 1).sum() - special.gammaln(alike + 1).sum())


def enumerate_within(
    values_at: Callable[[NDArray[np.int32]], Array], labels: NDArray[np.generic], cells: Cells
) -> DiscreteNull:
    """Compute the distribution over every distinct arrangement within cells of these values."""
    draws = [values_at(rows) for rows in _arrangements(labels, cells)]
    return _folded(np.concatenate(draws), np.ones(sum(map(len, draws))), "exact permutations")


def _arrangements(labels: NDArray[np.generic], cells: Cells) -> Iterator[NDArray[np.int32]]:
    """Yield every distinct arrangement as permutation indices, in chunks of rows."""
    identity = np.arange(cells.n, dtype=np.int32)[np.newaxis]
    waiting: Iterator[NDArray[np.int32]] = iter([identity])
    for rows in cells.rows:
        if len(rows) > 1:
            waiting = _with_cell(waiting, rows, coded(labels[rows]))
    yield from waiting


def _with_cell(
    parts: Iterator[NDArray[np.int32]], rows: NDArray[np.intp], codes: NDArray[np.int32]
) -> Iterator[NDArray[np.int32]]:
    """Combine every arrangement so far with every arrangement of one cell's rows."""
    for part in parts:
        arrangements = _native.Arrangements(codes)
        size = max(_CHUNK // (part.shape[1] * len(part)), 1)
        while len(local := arrangements.next(size)):
            both = np.repeat(part, len(local), axis=0)
            both[:, rows] = np.tile(rows[local].astype(np.int32), (len(part), 1))
            yield both


def _folded(values: Array, weights: Array, engine: str) -> DiscreteNull:
    return DiscreteNull.folded(values, weights, engine=engine, reason="all permutations within the cells")
