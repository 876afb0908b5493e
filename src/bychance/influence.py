"""Standard errors of measures without resampling, by the jackknife or influence functions in closed form.

The measures with closed forms are shares R of a maximum: r², ρ², η², τ, φ² and mutual information. R
with each row left out follows from a few sums, so the jackknife costs as much as R itself. For ranks
the influence function takes its place (Hampel 1974). Errors are on the scale atanh √R, on which they are
nearly the same for every R, as those of Fisher's z are for a correlation. Kendall's τ and the distance
correlation compare all pairs of rows: their jackknife costs as much as one pass over these.

An error is itself an estimate. If it comes mostly from few rows, as with skewed columns, it has few degrees
of freedom, and it errs to one side: samples without the rare row that would lower the measure give too high a
value with too small an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import FloatArray, IndexArray, Int32Array, IntArray
from bychance.kinds import Kind, Role
from bychance.measures import Measure
from bychance.measures.base import Values, order_values
from bychance.measures.dcor import DistanceCorrelation, scaled_to_unit, without_outer_gaps
from bychance.measures.structures import Information, Matrix, Trace
from bychance.measures.trace import bent_line, centered_line

__all__ = [
    "MOST_ROWS",
    "Error",
    "ShareEstimate",
    "distance_correlation_error",
    "error_of_influences",
    "has_closed_error",
    "jackknife_error",
    "kendall_error",
    "share_estimate",
]

Numbers = NDArray[Any]

MOST_ROWS = 2_000  # rows of a jackknife over pairs of rows (32 MB per matrix of distances)
"""Largest number of rows for which all pairs of rows are compared."""

_MOST_DF = 1e9  # largest degrees of freedom: the error counts as known
_LITTLE_LEFT = 1e-3  # share of a column's variation below which differences of sums are too imprecise (taste)
_MOST_CELLS = 1_000  # cells of a table, above which empty cells share too little to change an error (taste)
_LEAST = np.finfo(np.float64).tiny
_NO_ERROR = 1e-9  # standard error below which it is 0 but for rounding
_ROUNDING = 1e-12  # shares closer to 1 than this are 1 but for rounding


class Error(NamedTuple):
    """Standard error of an estimate, with its degrees of freedom and acceleration (Efron 1987).

    The acceleration is below 0 if rare rows lower the estimate, and above 0 if they raise it: the
    error then changes with the estimate. The degrees of freedom are those of a χ² whose variance is that of
    the squared error (Satterthwaite 1946) less the part that the acceleration explains. `exception` is the
    loss by one exceptional row of a perfect relation, in units of 1/n.
    """

    size: float
    df: float = _MOST_DF
    acceleration: float = 0.0
    exception: float = 1.0

    def times(self, factor: float) -> Error:
        """Return a copy whose standard error is multiplied by a factor."""
        return self._replace(size=self.size * factor)


def jackknife_error(without: FloatArray, weights: FloatArray | None = None, *, sign: float = 1.0) -> Error:
    """Compute a jackknife standard error from leave-one-out values, one per row or per table cell.

    If the measure is the absolute value of a signed one, such as a correlation, `sign` is the sign.
    """
    n = len(without) if weights is None else float(weights.sum())
    pulls = sign * (np.average(without, weights=weights) - without)
    return error_of_influences(pulls, weights).times(math.sqrt((n - 1) * n))


def error_of_influences(pulls: FloatArray, weights: FloatArray | None = None) -> Error:
    """Compute the standard error of an estimate from each row's influence on it. Influences average 0.

    >>> error_of_influences(np.array([-1.0, 1.0, -1.0, 1.0])).size
    0.5
    """
    n = len(pulls) if weights is None else float(weights.sum())
    squares = pulls**2
    weighted = squares if weights is None else weights * squares
    second, third, fourth = (
        float(sum_) / n for sum_ in (weighted.sum(), weighted @ pulls, weighted @ squares)
    )
    if not (second > 0 and math.isfinite(fourth) and fourth > 0):
        return Error(math.sqrt(second / n) if second >= 0 else math.nan)
    skewness = third / second**1.5
    # For two values alone the skewness gives the kurtosis: 1 + skewness².
    excess = fourth / second**2 - 1 - skewness**2
    return Error(math.sqrt(second / n), 2 * n / max(excess, 2 * n / _MOST_DF), skewness / (6 * math.sqrt(n)))


def has_closed_error(measure: Measure[Any], x: Values, y: Values) -> bool:
    """Return True if the measure has a closed-form standard error for the kinds of x and y."""
    return _form_of(measure, _kind(x), _kind(y)) is not None


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """Estimated share R that a measure is of its maximum, with the standard error of atanh √R.

    For Cramér's V, R is the share of its square. `without` is R with each row left out in turn, or None if
    the error was not computed row by row.
    """

    share: float
    error: Error
    without: FloatArray | None = None


def share_estimate(measure: Measure[Any], x: Values, y: Values) -> ShareEstimate:
    """Estimate the share R that a measure is of its maximum, with its error. No column may be constant.

    >>> from bychance.measures.explained import R2
    >>> x = np.random.default_rng(0).normal(size=(2, 100))
    >>> round(share_estimate(R2(), x[0], x[0] + x[1]).error.size, 2)  # of Fisher's z, about 1/√97
    0.08
    """
    form = _form_of(measure, _kind(x), _kind(y))
    if form is None:
        raise TypeError(f"the standard error of {measure.name} has no closed form")
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = form(x, y)
    is_known = math.isfinite(estimate.error.size) and estimate.error.size > _NO_ERROR
    # If R is 0 or 1, its leave-one-out values say nothing.
    unknown = Error(1 / math.sqrt(len(x)), exception=estimate.error.exception)
    return estimate if is_known else replace(estimate, error=unknown)


def _kind(values: Values) -> Kind:
    return Kind.CATEGORICAL if values.dtype == np.int32 else Kind.NUMERIC


def _form_of(measure: Measure[Any], x: Kind, y: Kind) -> Callable[[Any, Any], ShareEstimate] | None:
    if measure.is_root and x is y is Kind.CATEGORICAL:
        return _phi2_estimate
    algebra = measure.forms.get((x, y))
    if isinstance(algebra, Information):
        return _information_estimate
    return _BY_MATRICES.get((algebra.x, algebra.y)) if isinstance(algebra, Trace) else None


class _LeaveOneOut(NamedTuple):
    """Measure on all rows and with each row left out. `left` is the share of variation without the row."""

    value: float
    without: FloatArray
    left: FloatArray


def _leave_one_out_values(
    form: Callable[[Any, Any], _LeaveOneOut],
    x: Numbers,
    y: Numbers,
    value: Callable[[Any, Any], float] | None = None,
) -> _LeaveOneOut:
    """Compute leave-one-out values by a fast formula, but directly for rows with nearly all the variation.

    For such a row differences of sums lose all digits. `value` is the measure, if `form` does not give it. If
    a column is constant without the row, the measure is 0.
    """
    found, of = form(x, y), value or (lambda *rest: form(*rest).value)
    for k in np.flatnonzero(found.left < _LITTLE_LEFT):
        rest = np.delete(x, k), np.delete(y, k)
        found.without[k] = of(*rest) if min(map(np.ptp, rest)) > 0 else 0.0
    return found


def _share_by_formula(form: Callable[[Any, Any], _LeaveOneOut], x: Numbers, y: Numbers) -> ShareEstimate:
    """Estimate R and its jackknife error. `form` computes R on all rows and with each row left out."""
    share, without, _ = _leave_one_out_values(form, x, y)
    return _jackknife(share, without)


def _jackknife(share: float, without: FloatArray, weights: FloatArray | None = None) -> ShareEstimate:
    """Return the share R with the jackknife error of atanh √R, from its leave-one-out values `without`."""
    n = len(without) if weights is None else float(weights.sum())
    if share > 1 - _ROUNDING:
        without = np.where(without > 1 - _ROUNDING, share, without)
    # Below what chance alone adds (the jackknife's bias), √R would be steep and its error without end.
    chance = (n - 1) * float(np.average(without, weights=weights) - share)
    slope = 4 * max(share, chance) * max(1 - share, _ROUNDING) ** 2
    factor = 1 / math.sqrt(slope) if slope > 0 else math.nan
    error = jackknife_error(without, weights).times(factor)
    return ShareEstimate(share, error, without if weights is None else None)


def _standardized(values: FloatArray) -> FloatArray:
    unit: FloatArray = centered_line(values).values * np.sqrt(len(values))
    return unit


def _r2_estimate(x: FloatArray, y: FloatArray) -> ShareEstimate:
    """Return r² with the jackknife error of Fisher's z, from the correlation with each row left out."""
    r, without, _ = _leave_one_out_values(_correlation, x, y)
    z = np.arctanh(np.clip(without, -1 + 1e-15, 1 - 1e-15))
    sign = math.copysign(1.0, r)
    return ShareEstimate(r**2, jackknife_error(z, sign=sign), np.maximum(sign * without, 0.0) ** 2)


def _correlation(x: FloatArray, y: FloatArray) -> _LeaveOneOut:
    u, v = _standardized(x), _standardized(y)
    # A row takes n/(n − 1) of its term from the sums, since the means move too.
    gone = 1 / (len(u) - 1)
    r = float(u @ v) / len(u)
    left = 1 - gone * u**2, 1 - gone * v**2
    return _LeaveOneOut(r, (r - gone * u * v) / np.sqrt(left[0] * left[1]), np.minimum(*left))


def _spearman_estimate(x: FloatArray, y: FloatArray) -> ShareEstimate:
    """Return Spearman's ρ² with its error, from each row's influence, including that on the other ranks."""
    orders = [order_values(values) for values in (x, y)]
    u, v = (_standardized(order.midranks) for order in orders)
    n, r = len(x), float(u @ v) / len(x)
    influence = u * v - r * (u**2 + v**2) / 2
    for order, own, other in zip(orders, (u, v), (v, u), strict=True):
        above = _sums_above(order.order, order.sizes, other - r * own)
        influence += above / (float(np.std(order.midranks)) / n)
    factor = 1 / (1 - r**2) if r**2 < 1 else math.nan
    return ShareEstimate(r**2, error_of_influences(math.copysign(1.0, r) * influence).times(factor))


def _sums_above(order: Int32Array, tie_groups: IntArray, values: FloatArray) -> FloatArray:
    """Sum `values` over the rows ranked above each row, counting ties half, then divide by n and center."""
    sums = np.add.reduceat(values[order], np.cumsum(tie_groups) - tie_groups)
    above = sums[::-1].cumsum()[::-1] - sums / 2
    by_row = np.empty(len(order))
    by_row[order] = np.repeat(above, tie_groups) / len(order)
    centered: FloatArray = by_row - by_row.mean()
    return centered


def _eta2(x: Int32Array, y: FloatArray) -> _LeaveOneOut:
    """Return η² on all rows and with each row left out, from sums of squares."""
    v = _standardized(y)
    n, sizes, sums = len(v), np.maximum(np.bincount(x), 1), np.bincount(x, v)
    between, left = float(np.sum(sums**2 / sizes)), 1 - v**2 / (n - 1)
    fewer = np.maximum(sizes - 1, 1)[x]
    moved = between - (sums**2 / sizes)[x] + (sums[x] - v) ** 2 / fewer - v**2 / (n - 1)
    return _LeaveOneOut(between / n, moved / (n * left), left)


def _classes_by_line(x: FloatArray, y: Int32Array) -> _LeaveOneOut:
    """Return the share of y's Gini impurity that a line in x explains, on all rows and without each row."""
    u = _standardized(x)
    n, sizes, sums = len(u), np.bincount(y).astype(np.float64), np.bincount(y, u)
    squares, pairs = float(sums @ sums), float(sizes @ sizes)
    shift = u / (n - 1)  # by which the mean moves
    moved = squares + 2 * shift * float(sums @ sizes) + shift**2 * pairs
    moved += (sums[y] - u + (sizes[y] - 1) * shift) ** 2 - (sums[y] + sizes[y] * shift) ** 2
    left = 1 - u**2 / (n - 1)
    impurity = 1 - (pairs - 2 * sizes[y] + 1) / (n - 1) ** 2
    return _LeaveOneOut(squares / (n**2 - pairs), moved / (n * (n - 1)) / left / impurity, left)


def _bent_line(x: FloatArray, y: Numbers) -> _LeaveOneOut:
    """Return the share of y's variation that a piecewise linear fit on x explains, with each row left out.

    The variation of a categorical y is its Gini impurity. Without row k, the residual sum of squares is lower
    by e_k²/(1 − h_k), for its residual e_k and leverage h_k.
    """
    n = len(x)
    if y.dtype == np.int32:
        sizes = np.bincount(y).astype(np.float64)
        pairs = float(sizes @ sizes)
        targets, whole = np.eye(len(sizes))[y] - sizes / n, n - pairs / n
        left, share_left = n - 1 - (pairs - 2 * sizes[y] + 1) / (n - 1), np.ones(n)
    else:
        targets, whole = _standardized(y)[:, np.newaxis], n
        left = n - targets[:, 0] ** 2 * n / (n - 1)
        share_left = left / n
    basis = bent_line(x).basis()
    residuals = targets - basis @ (basis.T @ targets)
    own, leverage = (np.einsum("kj,kj->k", each, each) for each in (residuals, basis))
    room = 1 - 1 / n - leverage
    # A row that alone has its own coefficient has no residual, and takes none away.
    taken = np.divide(own, room, out=np.zeros(n), where=room > _NO_ERROR)
    unexplained = float(own.sum())
    return _LeaveOneOut(1 - unexplained / whole, 1 - np.maximum(unexplained - taken, 0.0) / left, share_left)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells of a contingency table, each with its count and its row and column index.

    An empty cell may have rows in the population. It counts as a fraction of a row (`weights`), and its
    influence on R is that of one more row there: `step` is 1 for empty cells, and −1 for cells with rows.
    """

    counts: FloatArray
    row: IndexArray
    column: IndexArray

    @property
    def step(self) -> FloatArray:
        """Change of each cell's count in the jackknife: minus one row, or plus one if the cell is empty."""
        return np.where(self.counts > 0, -1.0, 1.0)

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Row totals and column totals of the table."""
        return self.by_row(self.counts), self.by_column(self.counts)

    def by_row(self, values: FloatArray) -> FloatArray:
        """Sum cell values within each row of the table (category of x)."""
        return np.asarray(np.bincount(self.row, values), dtype=np.float64)

    def by_column(self, values: FloatArray) -> FloatArray:
        """Sum cell values within each column of the table (category of y)."""
        return np.asarray(np.bincount(self.column, values), dtype=np.float64)

    @property
    def weights(self) -> FloatArray:
        """Jackknife weight of each cell: its count, or a fraction of a row if the cell is empty.

        The empty cells of a category share one eighth of a row in proportion to the other column's totals. A
        cell has such a share by row and by column, and gets the smaller one. With half a row, as in Jeffreys'
        prior, limits hold hardly more often for rare categories, and too often for others.
        """
        rows, columns = self.totals
        is_empty = self.counts == 0
        by_column, by_row = is_empty * columns[self.column], is_empty * rows[self.row]
        of_row = by_column / np.maximum(self.by_row(by_column)[self.row], _LEAST)
        of_column = by_row / np.maximum(self.by_column(by_row)[self.column], _LEAST)
        return np.where(is_empty, np.minimum(of_row, of_column) / 8, self.counts)


def _cells(x: Int32Array, y: Int32Array) -> _Cells:
    """Return the cells of the contingency table of x and y, with empty ones only if it is small."""
    height, width = int(x.max()) + 1, int(y.max()) + 1
    cells, counts = np.unique(x.astype(np.int64) * width + y, return_counts=True)
    if len(cells) < height * width <= _MOST_CELLS:
        empty = np.setdiff1d(np.arange(height * width), cells, assume_unique=True)
        cells, counts = np.append(cells, empty), np.append(counts, np.zeros(len(empty)))
    return _Cells(counts.astype(np.float64), *np.divmod(cells, width))


def _share_of_table(
    share: float, moved: FloatArray, cells: _Cells, *, is_steep: bool = False
) -> ShareEstimate:
    """Return the share R with its jackknife error, from its values with one row removed per table cell.

    Empty cells count for measures that are steep at a count of 0 (`is_steep`), such as mutual information,
    and for others only if the relation is perfect.
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
    return ShareEstimate(share, error)


def _gini_estimate(x: Int32Array, y: Int32Array) -> ShareEstimate:
    """Return Goodman and Kruskal's τ (Gini gain over its maximum) with its jackknife error."""
    cells, n = _cells(x, y), len(x)
    step, columns = cells.step, cells.totals[1]
    same, one = float(np.sum(columns**2)), np.ones(len(step))
    within, moved = _sum_of_ratios(cells, one, one)
    left = (same + 2 * step * columns[cells.column] + 1) / (n + step) ** 2
    share = (within / n - same / n**2) / (1 - same / n**2)
    return _share_of_table(share, (moved / (n + step) - left) / (1 - left), cells)


def _phi2_estimate(x: Int32Array, y: Int32Array) -> ShareEstimate:
    """Estimate φ² over its maximum, with its jackknife error, from a contingency table."""
    cells = _cells(x, y)
    columns, widest = cells.totals[1][cells.column], min(map(len, cells.totals)) - 1
    whole, moved = _sum_of_ratios(cells, columns, np.maximum(columns + cells.step, 1))
    return _share_of_table((whole - 1) / widest, (moved - 1) / widest, cells)


def _sum_of_ratios(cells: _Cells, weights: FloatArray, then: FloatArray) -> tuple[float, FloatArray]:
    """Return Σ c²/(r·w) over counts c, row totals r and weights w, and its value after each cell's step.

    `weights` are those of each cell's column, and `then` those after its step.
    """
    counts, step, rows = cells.counts, cells.step, cells.totals[0][cells.row]
    rows_then = np.maximum(rows + step, 1)
    ratio = counts**2 / (rows * weights)
    in_row, in_column = cells.by_row(ratio)[cells.row] - ratio, cells.by_column(ratio)[cells.column] - ratio
    moved = float(ratio.sum()) - in_row - in_column - ratio + (counts + step) ** 2 / (rows_then * then)
    return float(ratio.sum()), moved + in_row * rows / rows_then + in_column * weights / then


def _information_estimate(x: Int32Array, y: Int32Array) -> ShareEstimate:
    """Estimate mutual information over the smaller entropy, and its jackknife error, from category codes."""
    cells = _cells(x, y)
    rows, columns = cells.totals
    sums = [float(_k_log_k(counts).sum()) for counts in (cells.counts, rows, columns)]
    share = _share_of_entropy(len(x), *sums)
    met = cells.counts, rows[cells.row], columns[cells.column]
    then = [total + _k_log_k(counts + cells.step) - _k_log_k(counts)
            for total, counts in zip(sums, met, strict=True)]  # fmt: skip
    moved = _share_of_entropy(len(x) + cells.step, *then)
    return _share_of_table(float(share), moved, cells, is_steep=True)


def _k_log_k(counts: FloatArray) -> FloatArray:
    return counts * np.log(np.maximum(counts, 1))


def _share_of_entropy(n: Any, cells: Any, rows: Any, columns: Any) -> Any:
    whole = n * np.log(n)
    return (cells - rows - columns + whole) / np.minimum(whole - rows, whole - columns)


_BY_MATRICES: dict[tuple[Matrix, Matrix], Callable[[Any, Any], ShareEstimate]] = {
    (Matrix.LINE, Matrix.LINE): _r2_estimate,
    (Matrix.RANKS, Matrix.RANKS): _spearman_estimate,
    (Matrix.PROJECTOR, Matrix.LINE): partial(_share_by_formula, _eta2),
    (Matrix.LINE, Matrix.PROJECTOR): lambda x, y: _share_by_formula(_eta2, y, x),
    (Matrix.LINE, Matrix.INDICATOR): partial(_share_by_formula, _classes_by_line),
    (Matrix.BENDS, Matrix.LINE): partial(_share_by_formula, _bent_line),
    (Matrix.BENDS, Matrix.INDICATOR): partial(_share_by_formula, _bent_line),
    (Matrix.PROJECTOR, Matrix.INDICATOR): _gini_estimate,
    (Matrix.PROJECTOR, Matrix.PROJECTOR): _phi2_estimate,
}


def kendall_error(x: Numbers, y: Numbers) -> Error:
    """Compute the standard error of atanh τ_b."""
    signs = [np.sign(values[:, None] - values[None, :]) for values in (x, y)]
    agreement = np.einsum("ij,ij->i", *signs)
    untied = [np.abs(sign).sum(axis=1) for sign in signs]
    without = _leave_one_out(agreement)
    sides = [_leave_one_out(counts) for counts in untied]
    tau = without / np.sqrt(np.maximum(sides[0] * sides[1], 1e-300))
    sign = 1.0 if agreement.sum() >= 0 else -1.0
    return jackknife_error(np.arctanh(np.clip(tau, -1 + 1e-12, 1 - 1e-12)), sign=sign)


def distance_correlation_error(x: Numbers, y: Numbers) -> Error:
    """Compute the standard error of the bias-corrected squared distance correlation."""
    dcor = DistanceCorrelation()
    found = _leave_one_out_values(
        _distances_without, x, y, lambda u, v: dcor.estimate(dcor.prepare(u, Role.X), dcor.prepare(v, Role.Y))
    )
    return jackknife_error(found.without)


def _distances_without(x: FloatArray, y: FloatArray) -> _LeaveOneOut:
    """Compute the distance correlation with each row left out. The value on all rows is NaN."""
    trimmed = (without_outer_gaps(values, np.argsort(values, kind="stable")) for values in (x, y))
    a, b = (np.abs(values[:, None] - values[None, :]) for values in map(scaled_to_unit, trimmed))
    cross, own_x, own_y = (_leave_one_out_products(*sides) for sides in ((a, b), (a, a), (b, b)))
    with np.errstate(divide="ignore", invalid="ignore"):
        without = cross / np.sqrt(own_x * own_y)
        left = np.minimum(own_x / own_x.max(), own_y / own_y.max())
    return _LeaveOneOut(math.nan, without, left)


def _leave_one_out(of_rows: FloatArray) -> FloatArray:
    """Return the sum over all pairs of rows with each row left out, from each row's sum over its pairs."""
    without: FloatArray = of_rows.sum() / 2 - of_rows
    return without


def _leave_one_out_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the inner product of two U-centered distance matrices with each row left out, up to scale."""
    n = len(a) - 1
    products = np.einsum("ij,ij->i", a, b)
    rows_a, rows_b = a.sum(axis=1), b.sum(axis=1)
    inner = products.sum() - 2 * products
    totals = (rows_a.sum() - 2 * rows_a) * (rows_b.sum() - 2 * rows_b)
    rows = rows_a @ rows_b - rows_a * rows_b - b @ rows_a - a @ rows_b + products
    centered: FloatArray = inner + totals / ((n - 1) * (n - 2)) - 2 * rows / (n - 2)
    return centered
