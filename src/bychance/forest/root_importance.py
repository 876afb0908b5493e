"""What every column tells of the target at the root, whether trees choose it there or not.

The rows that grow a tree fit a function, and rows out of bag judge it. At the root, the mean over all ways to
part the rows is known: each row is judged by what all others fit, f − h·y for a fit f of leverage h. Numbers
have a curve over their ranks, categories their means. Under independence the sum is 0 in the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import choice_step
from bychance.forest.squares import Squares
from bychance.forest.tree import Training

__all__ = [
    "Judged",
    "RootFit",
    "RootImportances",
    "centered",
    "response_variances",
    "responses_of",
    "root_fit",
    "root_importances",
]


@dataclass(frozen=True, slots=True, eq=False)
class RootImportances:
    """One number per column, what each block of rows adds to it, and the degrees of freedom of the fit.

    Those of numbers count the lines that trees fit to them too, as much as the root. `understated` says by
    what factor the rows' own spread is below that under independence, at least 1.
    """

    means: NDArray[np.float64]
    by_block: NDArray[np.float64]
    freedom: NDArray[np.float64]
    understated: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RootFit:
    """What one column fits: one line per row and one column per response, with each row's leverage.

    `parts` say how much each direction counts of those that the fit may take.
    """

    fitted: NDArray[np.float64]
    leverage: NDArray[np.float64]
    parts: NDArray[np.float64]


def root_importances(training: Training, n_blocks: int) -> RootImportances:
    """The covariance of fit and response, in the unit of a tree's importances; of many rows, some 20,000."""
    features, step = training.features, choice_step(len(training.y))
    some = training.every(step)
    weights = np.ones(len(some.y)) if some.weights is None else some.weights
    responses, unit = responses_of(some)
    block = np.arange(0, len(training.y), step) % n_blocks
    by_block, freedom = np.zeros((n_blocks, features.n_features)), np.ones(features.n_features)
    understated = np.ones(features.n_features)
    for k, is_categorical in enumerate(features.is_categorical):
        codes = features.native.codes(k)[::step]
        rows = np.flatnonzero((codes >= 0) & (weights > 0))
        if len(rows) > 2:
            y, w = centered(responses[rows], weights[rows]), weights[rows]
            fit = root_fit(codes[rows], y, w, is_categorical=is_categorical)
            judged = Judged.of(fit, y, w)
            by_block[:, k] = np.bincount(block[rows], judged.by_row, n_blocks)
            understated[k] = judged.understated
            # Trees count for about as much as the root, and of numbers they fit lines alone.
            parts = fit.parts if is_categorical else (fit.parts + (np.arange(len(fit.parts)) == 0)) / 2
            freedom[k] = Squares.of(parts).skewed
    by_block *= unit / weights.sum()
    return RootImportances(by_block.sum(axis=0), by_block, freedom, understated)


def responses_of(training: Training) -> tuple[NDArray[np.float64], float]:
    """As columns: numbers, class indicators, or of two classes the second, which then counts twice."""
    if not training.n_classes:
        return training.y[:, None] - training.y.mean(), 1.0
    if training.n_classes == 2:
        return (training.y == 1)[:, None].astype(float), 2.0
    return np.eye(training.n_classes)[training.y], 1.0


def response_variances(y: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    """In directions in which the responses vary independently, in any unit.

    >>> three_classes = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    >>> response_variances(three_classes, np.ones(6)).round(6).tolist()
    [0.0, 4.5, 4.5]
    """
    y = centered(y, w)
    largest = float(np.abs(y).max())
    if not largest > 0:
        return np.ones(1)
    y = y / largest  # whose fourth powers are within the range of floats
    return np.asarray(np.maximum(np.linalg.eigvalsh((w[:, None] * y).T @ y), 0))


def centered(y: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Less the mean of each response."""
    return np.asarray(y - np.average(y, axis=0, weights=w))


def root_fit(
    codes: NDArray[np.int32], y: NDArray[np.float64], w: NDArray[np.float64], *, is_categorical: bool
) -> RootFit:
    """What a column without gaps fits to centered responses: a curve over ranks, or means of categories."""
    return _fitted_groups(codes, y, w) if is_categorical else _fitted_curve(codes, y, w)


def _fitted_curve(codes: NDArray[np.int32], y: NDArray[np.float64], w: NDArray[np.float64]) -> RootFit:
    """A line, and by half a parabola orthogonal to it."""
    shapes: list[NDArray[np.float64]] = []
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


def _fitted_groups(codes: NDArray[np.int32], y: NDArray[np.float64], w: NDArray[np.float64]) -> RootFit:
    sizes = np.bincount(codes, w)
    n_groups, sizes = int(np.sum(sizes > 0)), np.where(sizes > 0, sizes, 1)
    if n_groups < 2:
        return RootFit(np.zeros_like(y), np.zeros(len(w)), np.ones(1))
    fitted = np.column_stack([np.bincount(codes, w * column)[codes] for column in y.T]) / sizes[codes, None]
    return RootFit(fitted, 1 / sizes[codes] - 1 / w.sum(), np.ones(n_groups - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Per row its response times what the others fit, and two standard errors of their sum.

    The rows tell one themselves. Where a fit meets few different responses, as that of a rare flag whose rows
    are all of the common class, or all but one of a long-tailed target, they agree by chance and tell next to
    nothing of it; under independence a row with any response could have been there, which tells the other.
    """

    by_row: NDArray[np.float64]
    of_rows: float
    if_independent: float

    @classmethod
    def of(cls, fit: RootFit, y: NDArray[np.float64], w: NDArray[np.float64]) -> Judged:
        """Responses that sum to 0 are off by n/(n − 1)."""
        n = w.sum() ** 2 / np.sum(w * w)
        others = fit.fitted - (n / (n - 1) * w * fit.leverage)[:, None] * y
        by_row = w * np.sum(y * others, axis=1)
        covariances = (w[:, None] * y).T @ y / w.sum()
        variance = float(w**2 @ np.sum(others @ covariances * others, axis=1))
        return cls(by_row, float(np.sqrt(by_row @ by_row)), float(np.sqrt(max(variance, 0.0))))

    @property
    def understated(self) -> float:
        """The second standard error over the first, at least 1."""
        return max(1.0, self.if_independent / self.of_rows) if self.of_rows > 0 else 1.0

    @property
    def z_score(self) -> float:
        """The sum in the larger of both; 0 where nothing is fitted."""
        error = max(self.of_rows, self.if_independent)
        return float(self.by_row.sum()) / error if error > 0 else 0.0


_NOTHING = 1e-9  # of a spread: what rounding leaves
_PARABOLA = 0.5  # as much as a line would cost lines their power; without one, columns of a bow are not found
