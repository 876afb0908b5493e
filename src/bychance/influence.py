"""How much a measure varies from sample to sample: two variables → a standard error, without resampling.

The measures with closed forms are shares R of a maximum: r², ρ², η², τ, φ² and mutual information. What R is
without each row in turn follows from a few sums, so that the jackknife costs as much as R itself; for ranks
the influence function takes its place (Hampel 1974). Errors are on the scale atanh √R, where they are nearly
the same for every R, as those of Fisher's z are for a correlation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.jackknife import Error, error_of_pulls, jackknife_error
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.base import Information, Matrix, Trace, Values
from bychance.measures.matrices import centered_line
from bychance.measures.ordering import order_values

__all__ = ["Spread", "has_closed_error", "spread_of"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


def has_closed_error(measure: Measure[Any], x: Kind, y: Kind) -> bool:
    """Whether the measure's standard error has a closed form for columns of these kinds."""
    return _form_of(measure, x, y) is not None


@dataclass(frozen=True, slots=True)
class Spread:
    """A share R of a measure's maximum (of a root: its square), and the standard error of atanh √R."""

    share: float
    error: Error


def spread_of(measure: Measure[Any], x: Values, y: Values) -> Spread:
    """The share and its error; x and y as the measure's `prepare` takes them, neither constant.

    >>> from bychance.measures import R2
    >>> x = np.random.default_rng(0).normal(size=(2, 100))
    >>> round(spread_of(R2(), x[0], x[0] + x[1]).error.size, 2)  # of Fisher's z, about 1/√97
    0.08
    """
    form = _form_of(measure, _kind(x), _kind(y))
    if form is None:
        raise TypeError(f"the standard error of {measure.name} has no closed form")
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = form(x, y)
    is_known = math.isfinite(spread.error.size) and spread.error.size > 0
    # Where R is 0 or 1 nothing is learned from its neighbors.
    return spread if is_known else Spread(spread.share, Error(1 / math.sqrt(len(x))))


def _kind(values: Values) -> Kind:
    return Kind.CATEGORICAL if values.dtype == np.int32 else Kind.NUMERIC


def _form_of(measure: Measure[Any], x: Kind, y: Kind) -> Callable[[Any, Any], Spread] | None:
    if measure.is_root and x is y is Kind.CATEGORICAL:
        return _contingency
    algebra = measure.forms.get((x, y))
    if isinstance(algebra, Information):
        return _information
    return _BY_MATRICES.get((algebra.x, algebra.y)) if isinstance(algebra, Trace) else None


def _jackknife(share: float, without: Floats, weights: Floats | None = None) -> Spread:
    """The error from R without each row (or one row of each cell)."""
    n = len(without) if weights is None else float(weights.sum())
    # Below what chance alone adds (the jackknife's bias), √R would be steep and its error without end.
    chance = (n - 1) * float(np.average(without, weights=weights) - share)
    slope = 4 * max(share, chance) * (1 - share) ** 2
    factor = 1 / math.sqrt(slope) if slope > 0 else math.nan
    return Spread(share, jackknife_error(without, weights).times(factor))


def _standardized(values: Floats) -> Floats:
    unit: Floats = centered_line(values).values * np.sqrt(len(values))
    return unit


def _lines(x: Floats, y: Floats) -> Spread:
    """r²: Fisher's z of the correlation without each row."""
    u, v = _standardized(x), _standardized(y)
    n = len(u)
    # A row takes n/(n − 1) of its term from the sums, since the means move too.
    gone = 1 / (n - 1)
    r = float(u @ v) / n
    without = (r - gone * u * v) / np.sqrt((1 - gone * u**2) * (1 - gone * v**2))
    z = np.arctanh(np.clip(without, -1 + 1e-15, 1 - 1e-15))
    return Spread(r**2, jackknife_error(z, sign=math.copysign(1.0, r)))


def _ranks(x: Floats, y: Floats) -> Spread:
    """ρ²: the influence on r of the ranks, and through the ranks of the rows above, which a row moves."""
    orders = [order_values(values) for values in (x, y)]
    u, v = (_standardized(order.midranks) for order in orders)
    n, r = len(x), float(u @ v) / len(x)
    influence = u * v - r * (u**2 + v**2) / 2
    for order, own, other in zip(orders, (u, v), (v, u), strict=True):
        above = _above(order.order, order.tie_groups, other - r * own)
        influence += above / (float(np.std(order.midranks)) / n)
    rest = 1 - r**2
    factor = 1 / rest if rest > 0 else math.nan
    return Spread(r**2, error_of_pulls(math.copysign(1.0, r) * influence).times(factor))


def _above(order: Codes, tie_groups: NDArray[np.int64], values: Floats) -> Floats:
    """Of each row, the mean over all rows of the values that lie above it, ties by half; centered."""
    sums = np.add.reduceat(values[order], np.cumsum(tie_groups) - tie_groups)
    above = sums[::-1].cumsum()[::-1] - sums / 2
    by_row = np.empty(len(order))
    by_row[order] = np.repeat(above, tie_groups) / len(order)
    centered: Floats = by_row - by_row.mean()
    return centered


def _groups(x: Codes, y: Floats) -> Spread:
    """η²: sums of squares between groups and in all, without each row."""
    v = _standardized(y)
    n, sizes, sums = len(v), np.bincount(x).astype(np.float64), np.bincount(x, v)
    between = float(np.sum(sums**2 / sizes))
    left = np.maximum(sizes - 1, 1)[x]
    without = between - (sums**2 / sizes)[x] + (sums[x] - v) ** 2 / left - v**2 / (n - 1)
    return _jackknife(between / n, without / (n - v**2 * n / (n - 1)))


def _line_and_classes(x: Floats, y: Codes) -> Spread:
    """The linear analogue of τ: Σ cov(x, class)² over the variance of x and the impurity of y."""
    u = _standardized(x)
    n, sizes, sums = len(u), np.bincount(y).astype(np.float64), np.bincount(y, u)
    squares, pairs = float(sums @ sums), float(sizes @ sizes)
    shift = u / (n - 1)  # by which the mean moves
    moved = squares + 2 * shift * float(sums @ sizes) + shift**2 * pairs
    moved += (sums[y] - u + (sizes[y] - 1) * shift) ** 2 - (sums[y] + sizes[y] * shift) ** 2
    variance = (n - u**2 * n / (n - 1)) / (n - 1)
    impurity = 1 - (pairs - 2 * sizes[y] + 1) / (n - 1) ** 2
    return _jackknife(squares / n**2 / (1 - pairs / n**2), moved / (n - 1) ** 2 / variance / impurity)


def _table(x: Codes, y: Codes) -> tuple[Floats, Floats, Floats]:
    """The counts of the cells as a square, and of rows and columns so that they meet them."""
    width, height = int(y.max()) + 1, int(x.max()) + 1
    cells = np.bincount(x.astype(np.int64) * width + y, minlength=height * width).astype(np.float64)
    table = cells.reshape(height, width)
    return table, table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)


def _over_cells(share: float, without: Floats, table: Floats) -> Spread:
    """The error from R without a row of each cell, where there is one."""
    is_full = table > 0
    return _jackknife(share, without[is_full], table[is_full])


def _classes(x: Codes, y: Codes) -> Spread:
    """τ, and the Gini gain over its maximum."""
    table, rows, columns = _table(x, y)
    n, squares = table.sum(), np.sum(table**2, axis=1, keepdims=True)
    within, same = float(np.sum(squares / rows)), float(np.sum(columns**2))
    moved = within - squares / rows + (squares - 2 * table + 1) / np.maximum(rows - 1, 1)
    # A row that was alone leaves nothing behind.
    moved -= np.where(rows == 1, squares - 2 * table + 1, 0.0)
    left = (same - 2 * columns + 1) / (n - 1) ** 2
    share = (within / n - same / n**2) / (1 - same / n**2)
    return _over_cells(share, (moved / (n - 1) - left) / (1 - left), table)


def _contingency(x: Codes, y: Codes) -> Spread:
    """φ² over its maximum."""
    table, rows, columns = _table(x, y)
    ratio = table**2 / (rows * columns)
    whole, widest = float(ratio.sum()), min(table.shape) - 1
    others = [ratio.sum(axis=axis, keepdims=True) - ratio for axis in (1, 0)]
    fewer = [np.maximum(side - 1, 1) for side in (rows, columns)]
    moved = whole - others[0] - others[1] - ratio + (table - 1) ** 2 / (fewer[0] * fewer[1])
    moved += others[0] * rows / fewer[0] + others[1] * columns / fewer[1]
    return _over_cells((whole - 1) / widest, (moved - 1) / widest, table)


def _information(x: Codes, y: Codes) -> Spread:
    """Mutual information over the smaller entropy, both from sums of k·log k."""
    table, rows, columns = _table(x, y)
    n = table.sum()
    sums = [float(_k_log_k(counts).sum()) for counts in (table, rows, columns)]
    share = _share_of_entropy(n, *sums)
    fewer = [total + _k_log_k(np.maximum(counts - 1, 0)) - _k_log_k(counts)
             for total, counts in zip(sums, (table, rows, columns), strict=True)]  # fmt: skip
    return _over_cells(float(share), np.broadcast_to(_share_of_entropy(n - 1, *fewer), table.shape), table)


def _k_log_k(counts: Floats) -> Floats:
    return counts * np.log(np.maximum(counts, 1))


def _share_of_entropy(n: Any, cells: Any, rows: Any, columns: Any) -> Any:
    whole = n * np.log(n)
    return (cells - rows - columns + whole) / np.minimum(whole - rows, whole - columns)


_BY_MATRICES: dict[tuple[Matrix, Matrix], Callable[[Any, Any], Spread]] = {
    (Matrix.LINE, Matrix.LINE): _lines,
    (Matrix.RANKS, Matrix.RANKS): _ranks,
    (Matrix.PROJECTOR, Matrix.LINE): _groups,
    (Matrix.LINE, Matrix.PROJECTOR): lambda x, y: _groups(y, x),
    (Matrix.LINE, Matrix.INDICATOR): _line_and_classes,
    (Matrix.PROJECTOR, Matrix.INDICATOR): _classes,
    (Matrix.PROJECTOR, Matrix.PROJECTOR): _contingency,
}
