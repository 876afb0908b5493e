"""Standard errors without resampling: two variables → how much a measure varies between samples.

The measures with closed forms are shares R of a maximum: r², ρ², η², τ, φ² and mutual information. R
without each row in turn follows from a few sums, so the jackknife costs as much as R itself. For ranks
the influence function takes its place (Hampel 1974). Errors are on the scale atanh √R, on which they are
nearly the same for every R, as those of Fisher's z are for a correlation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.jackknife import Error, error_of_pulls, jackknife_error, recompute_without
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.base import Information, Matrix, Trace, Values
from bychance.measures.bent import bent_line
from bychance.measures.matrices import centered_line
from bychance.measures.ordering import order_values

__all__ = ["Spread", "has_closed_error", "spread_of"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_MOST_CELLS = 1_000  # cells of a table, above which empty cells share too little to change an error
_LEAST = np.finfo(np.float64).tiny
_NO_ERROR = 1e-9  # below it a standard error is what rounding left of 0
_ROUNDING = 1e-12  # shares that are this near to 1 are 1 but for rounding


def has_closed_error(measure: Measure[Any], x: Kind, y: Kind) -> bool:
    """Return True if the standard error has a closed form for columns of these kinds."""
    return _form_of(measure, x, y) is not None


@dataclass(frozen=True, slots=True)
class Spread:
    """A share R of a measure's maximum (of a root: its square), and the standard error of atanh √R.

    `without` is R without each row, if rows are taken out one by one.
    """

    share: float
    error: Error
    without: Floats | None = None


def spread_of(measure: Measure[Any], x: Values, y: Values) -> Spread:
    """Return the share and its standard error, for prepared columns of which neither is constant.

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
    is_known = math.isfinite(spread.error.size) and spread.error.size > _NO_ERROR
    # If R is 0 or 1, its leave-one-out values say nothing.
    unknown = Error(1 / math.sqrt(len(x)), exception=spread.error.exception)
    return spread if is_known else replace(spread, error=unknown)


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
    """Compute the jackknife error of R from its values without each row, or without one row per cell."""
    n = len(without) if weights is None else float(weights.sum())
    if share > 1 - _ROUNDING:
        without = np.where(without > 1 - _ROUNDING, share, without)
    # Below what chance alone adds (the jackknife's bias), √R would be steep and its error without end.
    chance = (n - 1) * float(np.average(without, weights=weights) - share)
    slope = 4 * max(share, chance) * max(1 - share, _ROUNDING) ** 2
    factor = 1 / math.sqrt(slope) if slope > 0 else math.nan
    error = jackknife_error(without, weights).times(factor)
    return Spread(share, error, without if weights is None else None)


def _standardized(values: Floats) -> Floats:
    unit: Floats = centered_line(values).values * np.sqrt(len(values))
    return unit


def _correlation(x: Floats, y: Floats) -> float:
    return float(_standardized(x) @ _standardized(y)) / len(x)


def _lines(x: Floats, y: Floats) -> Spread:
    """Compute Fisher's z of the correlation without each row."""
    u, v = _standardized(x), _standardized(y)
    n = len(u)
    # A row takes n/(n − 1) of its term from the sums, since the means move too.
    gone = 1 / (n - 1)
    r = float(u @ v) / n
    left = np.minimum(1 - gone * u**2, 1 - gone * v**2)
    without = (r - gone * u * v) / np.sqrt((1 - gone * u**2) * (1 - gone * v**2))
    recompute_without(without, left, _correlation, x, y)
    z = np.arctanh(np.clip(without, -1 + 1e-15, 1 - 1e-15))
    sign = math.copysign(1.0, r)
    return Spread(r**2, jackknife_error(z, sign=sign), np.maximum(sign * without, 0.0) ** 2)


def _ranks(x: Floats, y: Floats) -> Spread:
    """Compute the influence of each row on the correlation of ranks, including the ranks that it moves."""
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
    """Compute the centered mean of the values above each row, with ties counted by half."""
    sums = np.add.reduceat(values[order], np.cumsum(tie_groups) - tie_groups)
    above = sums[::-1].cumsum()[::-1] - sums / 2
    by_row = np.empty(len(order))
    by_row[order] = np.repeat(above, tie_groups) / len(order)
    centered: Floats = by_row - by_row.mean()
    return centered


def _groups(x: Codes, y: Floats) -> Spread:
    """Compute the sums of squares between groups and in total without each row, for η²."""
    v = _standardized(y)
    n, sizes, sums = len(v), np.bincount(x).astype(np.float64), np.bincount(x, v)
    between, left = float(np.sum(sums**2 / sizes)), 1 - v**2 / (n - 1)
    fewer = np.maximum(sizes - 1, 1)[x]
    moved = between - (sums**2 / sizes)[x] + (sums[x] - v) ** 2 / fewer - v**2 / (n - 1)
    without = moved / (n * left)
    recompute_without(without, left, _share_of_groups, x, y)
    return _jackknife(between / n, without)


def _share_of_groups(x: Codes, y: Floats) -> float:
    """Compute η² from sums of squares."""
    sizes, sums = np.bincount(x), np.bincount(x, _standardized(y))
    return float(np.sum(sums**2 / np.maximum(sizes, 1))) / len(y)


def _line_and_classes(x: Floats, y: Codes) -> Spread:
    """Compute Σ cov(x, class)² over the variance of x and the impurity of y, without each row."""
    u = _standardized(x)
    n, sizes, sums = len(u), np.bincount(y).astype(np.float64), np.bincount(y, u)
    squares, pairs = float(sums @ sums), float(sizes @ sizes)
    shift = u / (n - 1)  # by which the mean moves
    moved = squares + 2 * shift * float(sums @ sizes) + shift**2 * pairs
    moved += (sums[y] - u + (sizes[y] - 1) * shift) ** 2 - (sums[y] + sizes[y] * shift) ** 2
    left = 1 - u**2 / (n - 1)
    variance = n * left / (n - 1)
    impurity = 1 - (pairs - 2 * sizes[y] + 1) / (n - 1) ** 2
    without = moved / (n - 1) ** 2 / variance / impurity
    recompute_without(without, left, _share_of_classes, x, y)
    return _jackknife(squares / n**2 / (1 - pairs / n**2), without)


def _share_of_classes(x: Floats, y: Codes) -> float:
    """Compute Σ cov(x, class)² over the variance of x and the impurity of y."""
    sizes, sums = np.bincount(y).astype(np.float64), np.bincount(y, _standardized(x))
    n = len(x)
    return float(sums @ sums) / (n**2 - float(sizes @ sizes))


def _bends_and_line(x: Floats, y: Floats) -> Spread:
    """Compute the share of y's sum of squares that a line with fixed bends explains, without each row."""
    v = _standardized(y)
    n = len(v)
    rest, moved = _residuals_without(x, v[:, np.newaxis])
    left = 1 - v**2 / (n - 1)
    without = 1 - moved / (n * left)
    recompute_without(without, left, _share_of_bends, x, y)
    return _jackknife(1 - rest / n, without)


def _share_of_bends(x: Floats, y: Floats) -> float:
    """Compute the share of y's sum of squares that a bent line explains."""
    v = _standardized(y)
    return 1 - _residuals_without(x, v[:, np.newaxis])[0] / len(v)


def _bends_and_classes(x: Floats, y: Codes) -> Spread:
    """Compute the share of the impurity of y that bent lines through its class indicators explain."""
    n, sizes = len(x), np.bincount(y).astype(np.float64)
    classes = np.eye(len(sizes))[y]
    rest, moved = _residuals_without(x, classes - sizes / n)
    pairs = float(sizes @ sizes)
    impurity = n - 1 - (pairs - 2 * sizes[y] + 1) / (n - 1)
    return _jackknife(1 - rest / (n - pairs / n), 1 - moved / impurity)


def _residuals_without(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Return the residual sum of squares of centered y on the bent line of x, and without each row."""
    basis = bent_line(x).basis()
    residuals = y - basis @ (basis.T @ y)
    squares = np.einsum("kj,kj->k", residuals, residuals)
    room = 1 - 1 / len(x) - np.einsum("kj,kj->k", basis, basis)
    # A row that alone has its own coefficient has no residual, and takes none away.
    taken = np.divide(squares, room, out=np.zeros_like(squares), where=room > _NO_ERROR)
    rest = float(squares.sum())
    return rest, np.maximum(rest - taken, 0.0)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells of a contingency table: their counts, and which category of x and of y.

    A cell without rows may have some in the population. It counts as if it had a part of a row (`weights`),
    which changes R as one more row there does: `step` is 1 for those cells, and −1 for cells with rows.
    """

    counts: Floats
    row: NDArray[np.intp]
    column: NDArray[np.intp]

    @property
    def step(self) -> Floats:
        """Rows that each cell has more."""
        return np.where(self.counts > 0, -1.0, 1.0)

    @property
    def totals(self) -> tuple[Floats, Floats]:
        """Numbers of rows of each category of x and of y."""
        return self.by_row(self.counts), self.by_column(self.counts)

    def by_row(self, values: Floats) -> Floats:
        """Sum cell values within each category of x."""
        return np.asarray(np.bincount(self.row, values), dtype=np.float64)

    def by_column(self, values: Floats) -> Floats:
        """Sum cell values within each category of y."""
        return np.asarray(np.bincount(self.column, values), dtype=np.float64)

    @property
    def weights(self) -> Floats:
        """Counts of rows. Empty cells of a category share an eighth of a row by the other column's totals.

        Of a cell's parts of its row and of its column, the smaller. Half a row, as of Jeffreys' prior, holds
        hardly more often for rare categories, and too often for others.
        """
        rows, columns = self.totals
        is_empty = self.counts == 0
        by_column, by_row = is_empty * columns[self.column], is_empty * rows[self.row]
        parts = (
            part / np.maximum(total, _LEAST)
            for part, total in (
                (by_column, self.by_row(by_column)[self.row]),
                (by_row, self.by_column(by_row)[self.column]),
            )
        )
        return np.where(is_empty, np.minimum(*parts) / 8, self.counts)


def _cells(x: Codes, y: Codes) -> _Cells:
    """Return the cells that have rows, and the empty ones too if the whole table has few cells."""
    height, width = int(x.max()) + 1, int(y.max()) + 1
    cells, counts = np.unique(x.astype(np.int64) * width + y, return_counts=True)
    if len(cells) < height * width <= _MOST_CELLS:
        empty = np.setdiff1d(np.arange(height * width), cells, assume_unique=True)
        cells, counts = np.append(cells, empty), np.append(counts, np.zeros(len(empty)))
    return _Cells(counts.astype(np.float64), *np.divmod(cells, width))


def _over_cells(share: float, moved: Floats, cells: _Cells, *, is_steep: bool = False) -> Spread:
    """Compute the error of R from its values with one row less per cell, or one more if empty.

    Empty cells count for measures that are steep there, and for others only if the relation is perfect.
    """
    is_empty, weights = cells.step > 0, cells.weights
    without = np.where(is_empty, 2 * share - moved, moved)
    error = _jackknife(share, without, cells.counts).error
    if is_steep and share < 1 - _ROUNDING:
        # Parts of rows are not a sample, so the degrees of freedom stay.
        error = _jackknife(share, without, weights).error._replace(df=error.df)
    if weights[is_empty].sum() > 0:
        taken = cells.counts.sum() * float(np.average(share - moved[is_empty], weights=weights[is_empty]))
        error = error._replace(exception=taken)
    return Spread(share, error)


def _classes(x: Codes, y: Codes) -> Spread:
    """Compute τ, or the Gini gain over its maximum."""
    cells = _cells(x, y)
    counts, step, (rows, columns) = cells.counts, cells.step, cells.totals
    n, squares = len(x), cells.by_row(counts**2)
    within, same = float(np.sum(squares / rows)), float(np.sum(columns**2))
    squares, rows = squares[cells.row], rows[cells.row]
    moved = within - squares / rows + (squares + 2 * step * counts + 1) / np.maximum(rows + step, 1)
    left = (same + 2 * step * columns[cells.column] + 1) / (n + step) ** 2
    share = (within / n - same / n**2) / (1 - same / n**2)
    return _over_cells(share, (moved / (n + step) - left) / (1 - left), cells)


def _contingency(x: Codes, y: Codes) -> Spread:
    """Compute φ² over its maximum."""
    cells = _cells(x, y)
    counts, step, totals = cells.counts, cells.step, cells.totals
    rows, columns = totals[0][cells.row], totals[1][cells.column]
    ratio = counts**2 / (rows * columns)
    whole, widest = float(ratio.sum()), min(map(len, totals)) - 1
    others = cells.by_row(ratio)[cells.row] - ratio, cells.by_column(ratio)[cells.column] - ratio
    then = [np.maximum(side + step, 1) for side in (rows, columns)]
    moved = whole - others[0] - others[1] - ratio + (counts + step) ** 2 / (then[0] * then[1])
    moved += others[0] * rows / then[0] + others[1] * columns / then[1]
    return _over_cells((whole - 1) / widest, (moved - 1) / widest, cells)


def _information(x: Codes, y: Codes) -> Spread:
    """Compute mutual information over the smaller entropy, both as sums of k·log k."""
    cells = _cells(x, y)
    rows, columns = cells.totals
    sums = [float(_k_log_k(counts).sum()) for counts in (cells.counts, rows, columns)]
    share = _share_of_entropy(len(x), *sums)
    met = cells.counts, rows[cells.row], columns[cells.column]
    then = [total + _k_log_k(counts + cells.step) - _k_log_k(counts)
            for total, counts in zip(sums, met, strict=True)]  # fmt: skip
    moved = _share_of_entropy(len(x) + cells.step, *then)
    return _over_cells(float(share), moved, cells, is_steep=True)


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
    (Matrix.BENDS, Matrix.LINE): _bends_and_line,
    (Matrix.BENDS, Matrix.INDICATOR): _bends_and_classes,
    (Matrix.PROJECTOR, Matrix.INDICATOR): _classes,
    (Matrix.PROJECTOR, Matrix.PROJECTOR): _contingency,
}
