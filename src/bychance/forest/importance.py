"""Importance of columns on out-of-bag rows, with p-values from one forest or from permutations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
from scipy.stats import chi2, hypergeom
from scipy.stats import f as f_distribution

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array
from bychance.forest.grow import batches_of_trees, choice_step
from bychance.forest.tree import Training
from bychance.io import make_frame
from bychance.names import count_of, display_name
from bychance.parallel import on_threads
from bychance.seeding import stream_key

__all__ = [
    "EqualSquares",
    "ImportanceTest",
    "Importances",
    "LeaveOneOutFit",
    "RootFit",
    "RootImportances",
    "centered",
    "false_discovery_rates",
    "importances_of",
    "p_value_of_ratio",
    "p_values_of_rare_flags",
    "p_values_of_z",
    "permuted",
    "response_variances",
    "responses_of",
    "root_fit",
    "root_importances",
]


@dataclass(frozen=True, slots=True)
class EqualSquares:
    """Effective degrees of freedom of a weighted sum of squares, one by its variance and one by its skewness.

    >>> EqualSquares.of(np.array([1.0, 0.5]))
    EqualSquares(varying=1.8, skewed=1.543...)
    """

    varying: float
    skewed: float

    @classmethod
    def of(cls, variances: FloatArray) -> EqualSquares:
        """Compute the effective degrees of freedom of a sum of squares with these variances, 0 if all are 0.

        >>> EqualSquares.of(np.array([1e-200, 1e-200])), EqualSquares.of(np.array([0.0]))
        (EqualSquares(varying=2.0, skewed=2.0), EqualSquares(varying=0.0, skewed=0.0))
        """
        largest = variances.max(initial=0.0)
        if not largest > 0:
            return cls(0.0, 0.0)
        parts = variances / largest
        first, second, third = (float(np.sum(parts**power)) for power in (1, 2, 3))
        return cls(first**2 / second, second**3 / third**2)

    def __mul__(self, other: EqualSquares) -> EqualSquares:
        """Return the degrees of freedom for the products of all variances of two sums of squares."""
        return EqualSquares(self.varying * other.varying, self.skewed * other.skewed)


def p_values_of_z(z_scores: FloatArray, skewed: FloatArray) -> FloatArray:
    """Convert z-scores of sums of squares to upper-tail p-values, with `skewed` degrees of freedom each.

    For m equal squares with sum x the standard error from rows is √x, so that z is (x − m)/√x. A sum of 0
    squares is a constant and has p-value 1.
    """
    m = np.where(skewed > 0, skewed, 1)
    root = (z_scores + np.sqrt(z_scores**2 + 4 * m)) / 2
    return np.asarray(np.where(skewed > 0, chi2.sf(root**2, m), 1 + 0 * root))


def p_value_of_ratio(ratio: float, squares: EqualSquares, n_left: float) -> float:
    """Compute the F-test p-value of `ratio`: a sum of squares over its null mean estimated from residuals."""
    scaled = 1 + (ratio - 1) * np.sqrt(squares.varying / squares.skewed)
    return float(f_distribution.sf(scaled, squares.skewed, n_left))


_FEW = 5  # expected number of rows with the rarer value in the rarer class
_ROUNDING = 1e-7


def p_values_of_rare_flags(training: Training) -> FloatArray:
    """Compute Fisher's exact p-value of each rare binary column, NaN for other columns.

    The test is two-sided: it sums over all counts at least as far from the expected count.
    """
    p_values = np.full(training.features.n_features, np.nan)
    if training.n_classes != 2 or training.weights is not None:
        return p_values
    native = training.features.native
    for k, feature in enumerate(training.features.columns):
        values = native.values(k) if feature.categories is None else feature.categories
        if len(values) != 2:
            continue
        codes = native.codes(k)
        is_known = codes >= 0
        is_flagged, is_first = codes[is_known] == 1, training.y[is_known] == 1
        p_values[k] = _p_value(len(is_first), is_flagged, is_first)
    return p_values


def _p_value(n: int, is_flagged: BoolArray, is_first: BoolArray) -> float:
    n_flagged, n_first = int(is_flagged.sum()), int(is_first.sum())
    if min(n_flagged, n - n_flagged) * min(n_first, n - n_first) >= _FEW * n:
        return np.nan
    counts = np.arange(max(0, n_flagged + n_first - n), min(n_flagged, n_first) + 1)
    distances = np.abs(counts - n_flagged * n_first / n)
    observed = distances[int(np.sum(is_flagged & is_first)) - counts[0]]
    hypergeometric = hypergeom(n, n_first, n_flagged)
    return float(min(1.0, hypergeometric.pmf(counts[distances >= observed - _ROUNDING]).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class RootImportances:
    """Importances of columns at the root node, per block of rows, with degrees of freedom.

    The degrees of freedom of numbers are averaged with those of the lines that trees fit. `error_ratio` is
    the ratio, at least 1, of the standard error under independence to the one estimated from rows.
    """

    means: FloatArray
    by_block: FloatArray
    freedom: FloatArray
    error_ratio: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RootFit:
    """Fit of the responses by one training column: fitted values, and each row's leverage.

    `parts` are the weights of the directions of the fit.
    """

    fitted: FloatArray
    leverage: FloatArray
    parts: FloatArray


def root_importances(training: Training, n_blocks: int) -> RootImportances:
    """Compute the importance of each column at the root node, from leave-one-out fits of the target."""
    features, step = training.features, choice_step(len(training.y))
    some = training.every(step)
    weights = some.row_weights
    responses, unit = responses_of(some)
    block = np.arange(0, len(training.y), step) % n_blocks
    by_block, freedom = np.zeros((n_blocks, features.n_features)), np.ones(features.n_features)
    error_ratio = np.ones(features.n_features)
    for k, is_categorical in enumerate(features.is_categorical):
        codes = features.native.codes(k)[::step]
        rows = np.flatnonzero((codes >= 0) & (weights > 0))
        if len(rows) > 2:
            y, w = centered(responses[rows], weights[rows]), weights[rows]
            fit = root_fit(codes[rows], y, w, is_categorical=is_categorical)
            judged = LeaveOneOutFit.of(fit, y, w)
            by_block[:, k] = np.bincount(block[rows], judged.by_row, n_blocks)
            error_ratio[k] = judged.error_ratio
            # Trees count about as much as the root, and fit lines alone to numbers.
            parts = fit.parts if is_categorical else (fit.parts + (np.arange(len(fit.parts)) == 0)) / 2
            freedom[k] = EqualSquares.of(parts).skewed
    by_block *= unit / weights.sum()
    return RootImportances(by_block.sum(axis=0), by_block, freedom, error_ratio)


def responses_of(training: Training) -> tuple[FloatArray, float]:
    """Return the target as response columns (numbers, or class indicators), and a scale factor."""
    if not training.n_classes:
        return training.y[:, None] - training.y.mean(), 1.0
    if training.n_classes == 2:
        return (training.y == 1)[:, None].astype(float), 2.0
    return np.eye(training.n_classes)[training.y], 1.0


def response_variances(y: FloatArray, w: FloatArray) -> FloatArray:
    """Return the eigenvalues of the responses' covariance matrix, up to a factor.

    >>> three_classes = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    >>> response_variances(three_classes, np.ones(6)).round(6).tolist()
    [0.0, 4.5, 4.5]
    """
    y = centered(y, w)
    largest = float(np.abs(y).max())
    if not largest > 0:
        return np.ones(1)
    y = y / largest  # keeps fourth powers within the range of floats
    return np.asarray(np.maximum(np.linalg.eigvalsh((w[:, None] * y).T @ y), 0))


def centered(y: FloatArray, w: FloatArray) -> FloatArray:
    """Subtract the weighted mean from each response column."""
    return np.asarray(y - np.average(y, axis=0, weights=w))


def root_fit(codes: Int32Array, y: FloatArray, w: FloatArray, *, is_categorical: bool) -> RootFit:
    """Fit responses by one complete column: a curve over its ranks, or its category means."""
    return _fitted_groups(codes, y, w) if is_categorical else _fitted_curve(codes, y, w)


def _fitted_curve(codes: Int32Array, y: FloatArray, w: FloatArray) -> RootFit:
    """Fit the responses by a line over a column's ranks, and an orthogonal parabola shrunk to half."""
    shapes: list[FloatArray] = []
    for power in (1, 2):
        shape = (codes / max(1, int(codes.max()))) ** power
        shape -= np.average(shape, weights=w)
        for other in shapes:
            shape -= (w * shape) @ other * other
        spread = float(np.sum(w * shape * shape))
        if spread > _NOTHING * w.sum():
            shapes.append(shape / np.sqrt(spread))
    if not shapes:
        return RootFit(np.zeros_like(y), np.zeros(len(w)), np.ones(1))
    basis, parts = np.array(shapes), np.array([1.0, _PARABOLA][: len(shapes)])
    fitted = (basis.T * parts) @ ((basis * w) @ y)
    return RootFit(fitted, parts @ basis**2, parts)


def _fitted_groups(codes: Int32Array, y: FloatArray, w: FloatArray) -> RootFit:
    sizes = np.bincount(codes, w)
    n_groups, sizes = int(np.sum(sizes > 0)), np.where(sizes > 0, sizes, 1)
    if n_groups < 2:
        return RootFit(np.zeros_like(y), np.zeros(len(w)), np.ones(1))
    fitted = np.column_stack([np.bincount(codes, w * column)[codes] for column in y.T]) / sizes[codes, None]
    return RootFit(fitted, 1 / sizes[codes] - 1 / w.sum(), np.ones(n_groups - 1))


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOutFit:
    """Each row's response times its leave-one-out fit by one column, with two standard errors of the sum.

    The first is from the rows themselves. It is too small if the fit sees few different responses, for
    example of a rare flag whose rows are all in the common class. The second holds under independence, where
    a row with any response could have been there.
    """

    by_row: FloatArray
    of_rows: float
    if_independent: float

    @classmethod
    def of(cls, fit: RootFit, y: FloatArray, w: FloatArray) -> LeaveOneOutFit:
        """Compute each row's response times its leave-one-out fit, and two standard errors of their sum."""
        n = w.sum() ** 2 / np.sum(w * w)
        others = fit.fitted - (n / (n - 1) * w * fit.leverage)[:, None] * y
        by_row = w * np.sum(y * others, axis=1)
        covariances = (w[:, None] * y).T @ y / w.sum()
        variance = float(w**2 @ np.sum(others @ covariances * others, axis=1))
        return cls(by_row, float(np.sqrt(by_row @ by_row)), float(np.sqrt(max(variance, 0.0))))

    @property
    def error_ratio(self) -> float:
        """Ratio, at least 1, of the standard error under independence to the one estimated from rows."""
        return max(1.0, self.if_independent / self.of_rows) if self.of_rows > 0 else 1.0

    @property
    def z_score(self) -> float:
        """Sum over rows divided by the larger standard error, 0 if the fit is 0."""
        error = max(self.of_rows, self.if_independent)
        return float(self.by_row.sum()) / error if error > 0 else 0.0


_NOTHING = 1e-9  # share of a sum of squares that rounding may leave
_PARABOLA = 0.5  # weight beside the line: 1 would cost lines power, 0 would miss curves


@dataclass(frozen=True, slots=True, eq=False)
class Importances:
    """Mean importance of each column over trees, its standard error over trees, and its row-based z-score.

    The z-score is the importance over its standard error for independent rows. `freedom` is the number of
    degrees of freedom of the column's fit times the number of responses, 0 if the fit is 0. For categories
    the former is the mean of the root's and of the splits' degrees of freedom. For several classes the latter
    is the number of responses of equal variance with the same skewness. `exact` has the p-values of rare
    flags, NaN for other columns.
    """

    means: FloatArray
    errors: FloatArray
    z_scores: FloatArray
    freedom: FloatArray
    exact: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """P-value of each column: upper tail of its z-score if the target is independent of it.

        Rows change roles from tree to tree, so that an importance is a quadratic form in the responses: a sum
        of squares less its mean. `freedom` squares match forests on noise. Rare flags have their exact
        distribution.
        """
        p_values = p_values_of_z(self.z_scores, self.freedom)
        return np.where(np.isnan(self.exact) | np.isnan(p_values), p_values, self.exact)

    @property
    def q_values(self) -> FloatArray:
        """Benjamini–Hochberg q-value of each column."""
        return false_discovery_rates(self.p_values)


def false_discovery_rates(p_values: FloatArray) -> FloatArray:
    """Compute Benjamini and Hochberg's q-values.

    >>> false_discovery_rates(np.array([0.01, 0.5, 0.04])).tolist()
    [0.03, 0.5, 0.06]
    """
    q_values = p_values.copy()
    _native.false_discovery_rates(q_values, 1.0)
    return q_values


def importances_of(trees: Sequence[_native.Tree], training: Training, n_jobs: int | None) -> Importances:
    """Compute the importance of each column on out-of-bag rows, NaN without such rows.

    Each column counts as if a few of the roots were split on it, beside its own splits.
    """
    n_features = training.features.n_features
    parts = batches_of_trees(trees, len(training.y))
    n_blocks = _n_blocks(training)
    by_tree, freedom, by_block = [], np.zeros((2, n_features)), np.zeros((n_blocks, n_features))
    first = partial(root_importances, training, n_blocks)  # takes long, so it runs beside the trees
    tasks: list[Callable[[], Any]] = [first, *(partial(_importances, part, training) for part in parts)]
    measured = on_threads(lambda task: task(), tasks, n_jobs, ahead=inf)
    root, share = next(measured), min(1, _ROOTS / n_features)
    for of_trees, of_splits, of_blocks in measured:
        by_tree.append(of_trees)
        freedom += of_splits
        by_block += of_blocks.T
    freedom[:, freedom[0] == 0] = 1
    gains = np.concatenate(by_tree) + share * root.means
    if not np.any(trees[0].roles() == _OUT_OF_BAG):
        gains[:] = np.nan
    unit = _column_scales(gains)
    spread = unit * (gains / unit).std(axis=0, ddof=1) if len(trees) > 1 else np.full(n_features, np.nan)
    is_categorical = np.asarray(training.features.is_categorical)
    squares = np.where(is_categorical, (freedom[1] / freedom[0] + root.freedom) / 2, root.freedom)
    by_block += len(trees) * share * root.by_block
    gains, by_block, spread = (values / _scale(training) for values in (gains, by_block, spread))
    fits_something = np.any(by_block != 0, axis=0)
    return Importances(
        means=gains.mean(axis=0),
        errors=spread / np.sqrt(len(trees)),
        z_scores=_z_scores(gains.sum(axis=0), by_block) / root.error_ratio,
        freedom=fits_something * _n_responses(training) * squares,
        exact=p_values_of_rare_flags(training),
    )


def _scale(training: Training) -> float:
    """Return the variance of a numeric target (the unit of importances), or 1 for classes."""
    if training.n_classes:
        return 1.0
    mean = np.average(training.y, weights=training.weights)
    return float(np.average((training.y - mean) ** 2, weights=training.weights)) or 1.0


def _n_responses(training: Training) -> float:
    some = training.every(choice_step(len(training.y)))
    return EqualSquares.of(response_variances(responses_of(some)[0], some.row_weights)).skewed


def _z_scores(sums: FloatArray, by_block: FloatArray) -> FloatArray:
    """Divide sums over rows by their standard errors from blocks. Return 0 for columns that fit nothing."""
    unit = _column_scales(by_block)
    errors = np.sqrt(np.sum((by_block / unit) ** 2, axis=0))
    return np.asarray(np.where(errors > 0, sums / unit / np.where(errors > 0, errors, 1), sums * 0))


def _column_scales(values: FloatArray) -> FloatArray:
    """Return a power of two per column, by which values are divided so that squares stay finite."""
    return np.asarray(np.ldexp(1.0, np.frexp(np.abs(values).max(axis=0))[1]))


def _n_blocks(training: Training) -> int:
    """Return the number of row blocks for standard errors, limited by memory."""
    return min(len(training.y), max(64, min(1024, 4_000_000 // training.features.n_features)))


def _importances(trees: Sequence[_native.Tree], training: Training) -> tuple[FloatArray, ...]:
    n_features = training.features.n_features
    by_tree, freedom = np.zeros((len(trees), n_features)), np.zeros((2, n_features))
    by_block = np.zeros((n_features, _n_blocks(training)))
    table, target = training.features.native, training.target
    for tree, importance in zip(trees, by_tree, strict=True):
        tree.add_importances(table, target, importance, freedom, by_block)
    return by_tree, freedom, by_block


def permuted(training: Training, root: int, number: int) -> Training:
    """Return the training data with the target permuted by permutation `number`, unchanged for 0."""
    if number == 0:
        return training
    key = np.array(stream_key(root, "importance", str(number)), dtype=np.uint64)
    order = np.random.Generator(np.random.Philox(key=key)).permutation(len(training.y))
    # Weights are class weights here, and stay with their classes.
    weights = None if training.weights is None else training.weights[order]
    return replace(training, y=training.y[order], weights=weights)


@dataclass(frozen=True, slots=True, eq=False)
class ImportanceTest:
    """Result of `importance_test`: importances, and null importances from permutations of y.

    Attributes
    ----------
    names : tuple of str
        The columns.
    importances : array of shape (n_features,)
        The importances of the columns.
    null : array of shape (n_permutations, n_features)
        The importances in forests that were grown on permutations of y.
    p_values : array of shape (n_features,)
        (1 + #{null ≥ importance}) / (1 + n_permutations).
    """

    names: tuple[str, ...]
    importances: FloatArray = field(repr=False)
    null: FloatArray = field(repr=False)
    library: str = field(default="pyarrow", repr=False)

    @property
    def p_values(self) -> FloatArray:
        """Permutation p-value of each column."""
        n_reached = np.sum(self.null >= self.importances, axis=0)
        return np.asarray((1 + n_reached) / (1 + len(self.null)))

    def to_frame(self) -> Any:
        """Return importance, null mean and standard deviation, and p-value of each column, best first."""
        # Equal p-values are common. Ties are broken by the importance.
        order = np.lexsort((-self.importances, self.p_values))
        columns = {
            "column": [self.names[k] for k in order],
            "importance": self.importances[order],
            "null_mean": self.null.mean(axis=0)[order],
            "null_std": self.null.std(axis=0, ddof=1)[order],
            "p_value": self.p_values[order],
        }
        return make_frame(columns, self.library)

    def __repr__(self) -> str:
        order = np.lexsort((-self.importances, self.p_values))[:20]
        names = [display_name(self.names[k], 40) for k in order]
        width = max(map(len, names))
        lines = [
            f"{name:<{width}}  {self.importances[k]:+.4f}  p = {self.p_values[k]:.3g}"
            for name, k in zip(names, order, strict=True)
        ]
        return "\n".join(
            [f"{count_of(len(self.names), 'column')}, {count_of(len(self.null), 'permutation')}", *lines]
        )


_OUT_OF_BAG = 2
# Expected number of roots per column and tree, times the number of columns. Fewer roots leave more noise from
# the trees that chose the column, more roots hide its effect together with others.
_ROOTS = 4
