"""Choice of alpha, shrinkage and calibration by out-of-bag votes, and votes free of that choice's bias."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.forest.grow import GrownTrees, Votes
from bychance.forest.parameters import Shrinkage
from bychance.forest.tree import Training
from bychance.parallel import on_threads
from bychance.seeding import stream_key

__all__ = [
    "Calibration",
    "TunedForest",
    "best_shrinkage",
    "fit_calibration",
    "fit_logit",
    "losses_of",
    "oob_answers",
    "squared_errors",
    "tune",
]

# Bounds of the power. Noise would choose 0, which removes the order of rows, and clear classes any power.
_LEAST, _MOST = 0.25, 4.0
_DIGITS = 6  # of power and weights: sums of votes in another order may differ in later digits
_PRECISION, _ROUNDING = 1e-9, 1e-12  # errors of mean shares, and of a mean log loss
_RIDGE = 1e-12  # keeps second derivatives invertible if all rows are sure of their class
_FARTHEST, _MOST_STEPS, _MOST_HALVINGS = (
    5,
    60,
    20,
)  # limits of Newton steps, whose derivatives only hold nearby
_LEAST_ROWS = 0.5  # rows of a class that has none


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Class probabilities from votes: p ∝ weight · (1 + votes / share) ** power, one weight per class.

    `shares` are the class shares of the rows in the fit. They divide one additional vote, so that no
    probability is 0.
    """

    power: float
    weights: FloatArray
    shares: FloatArray

    def probabilities(self, votes: FloatArray) -> FloatArray:
        """Convert class votes, summed over trees, to probabilities.

        >>> calibration = Calibration(2.0, np.array([0.8, 0.2]), np.array([0.8, 0.2]))
        >>> calibration.probabilities(np.array([[80.0, 20.0], [50.0, 50.0]])).round(2).tolist()
        [[0.8, 0.2], [0.2, 0.8]]
        """
        odds = 1 + votes / self.shares
        odds **= self.power
        odds *= self.weights
        odds /= odds.sum(axis=1, keepdims=True)
        return odds


def fit_calibration(
    votes: FloatArray, y: NDArray[Any], weights: FloatArray, n_classes: int
) -> tuple[Calibration | None, FloatArray]:
    """Fit the calibration with the least log loss, and return it with each row's log loss.

    The model is a multinomial logit with one slope, the power, and an intercept for each class. The
    intercepts make the mean probability of a class equal its share of the rows. The power corrects the
    agreement of the trees, which is too weak if classes are clear, and too strong for noise. A single class
    is not calibrated.
    """
    is_there = np.bincount(y, minlength=n_classes) > 0
    if is_there.sum() < 2:
        return None, np.zeros(len(y))
    weights = weights / weights.sum()
    shares = np.maximum(np.bincount(y, weights=weights, minlength=n_classes), _LEAST_ROWS / len(y))
    start = np.log(shares[is_there])
    logs = np.log1p(votes.T[is_there] / shares[is_there, None])
    power, intercepts, losses = fit_logit(logs, (np.cumsum(is_there) - 1)[y], weights, start)
    # A class without rows keeps its share. The other classes keep theirs in the mean.
    factors = np.zeros(n_classes)
    factors[is_there] = intercepts - start
    factors[is_there] -= np.average(factors, weights=shares * is_there)
    return Calibration(round(power, _DIGITS), shares * np.exp(factors.round(_DIGITS)), shares), losses


def fit_logit(
    x: FloatArray,
    y: NDArray[Any],
    weights: FloatArray,
    start: FloatArray,
    bounds: tuple[float, float] = (_LEAST, _MOST),
) -> tuple[float, FloatArray, FloatArray]:
    """Fit class probabilities ∝ exp(intercept + slope · x). Return slope, intercepts and each row's log loss.

    `x` has one line per class, and `weights` sum to 1. The loss is convex in slope and intercepts together,
    so that the bound is best if the best slope lies beyond it.
    """
    own = y * x.shape[1] + np.arange(x.shape[1])
    shares = np.bincount(y, weights=weights, minlength=len(x)).astype(np.float64)
    point = np.append(np.clip(1.0, *bounds), start)
    loss_of = partial(_logit_loss, x, own, weights, weights @ x.take(own), shares)
    loss, losses, gradient, hessian = loss_of(point)
    for _ in range(_MOST_STEPS):
        # The last intercept is fixed: a constant added to all intercepts changes nothing.
        is_free = bounds[0] < point[0] < bounds[1] or (gradient[0] < 0) == (point[0] == bounds[0])
        free = slice(not is_free, -1)
        if np.abs(gradient[free]).max() < _PRECISION:
            break
        step = np.zeros(len(point))
        step[free] = np.linalg.solve(hessian[free, free], -gradient[free])
        step *= min(1.0, _FARTHEST / np.abs(step).max())
        for _ in range(_MOST_HALVINGS):
            nearer = point + step
            nearer[0] = min(max(nearer[0], bounds[0]), bounds[1])
            found = loss_of(nearer)
            if found[0] <= loss + _ROUNDING:
                break
            step /= 2
        else:
            break
        point, (loss, losses, gradient, hessian) = nearer, found
    return float(point[0]), point[1:], losses


def _logit_loss(
    x: FloatArray,
    own: NDArray[Any],
    weights: FloatArray,
    mean_own: float,
    shares: FloatArray,
    point: FloatArray,
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Compute mean log loss, log loss per row, and gradient and Hessian of the mean."""
    p = np.exp(point[0] * x + point[1:, None])
    p /= p.sum(axis=0)
    losses = -np.log(p.take(own))
    weighted, mean = p * weights, np.einsum("ki,ki->i", p, x)
    sums, from_mean = weighted.sum(axis=1), x - mean
    gradient = np.append(weights @ mean - mean_own, sums - shares)
    hessian = np.empty((len(point), len(point)))
    hessian[1:, 1:] = np.diag(sums + _RIDGE) - weighted @ p.T
    weighted *= from_mean
    hessian[0, 1:] = hessian[1:, 0] = weighted.sum(axis=1)
    hessian[0, 0] = np.vdot(weighted, from_mean) + _RIDGE
    return float(weights @ losses), losses, gradient, hessian


def oob_answers(votes: FloatArray, n_trees: IntArray) -> FloatArray:
    """Return each row's mean out-of-bag prediction. Rows without one get NaN, with a warning."""
    if not n_trees.all():
        message = (
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates."
        )
        warnings.warn(message, UserWarning, stacklevel=4)
    with np.errstate(invalid="ignore"):
        return np.asarray(votes / n_trees[:, None])


def losses_of(votes: Votes, training: Training) -> FloatArray:
    """Compute each row's out-of-bag loss without shrinkage: log loss, or squared error.

    One vote divided among all classes is added, so that no share is 0. For numbers, a row without votes is
    predicted by the mean of all rows.

    >>> votes = Votes(("none",), np.array([[[3.0, 0.0], [0.0, 0.0]]]), np.array([3, 0]))
    >>> training = Training(None, np.array([1, 0], dtype=np.int32), 2)
    >>> losses_of(votes, training).round(3).tolist()
    [2.079, 0.693]
    """
    if not training.n_classes:
        return np.asarray(squared_errors(votes, training)[0])
    return _log_losses(votes, training.every(votes.step).y)


def squared_errors(votes: Votes, training: Training) -> FloatArray:
    """Compute each row's squared out-of-bag error, one array row per shrinkage."""
    training = training.every(votes.step)
    mean = np.average(training.y, weights=training.weights)
    sums, n_trees = votes.shares[:, :, 0], np.maximum(votes.n_trees, 1)
    predicted = np.where(votes.n_trees > 0, sums / n_trees, mean)
    return np.asarray((training.y - predicted) ** 2)


def _log_losses(votes: Votes, y: NDArray[Any]) -> FloatArray:
    own = votes.shares[0, np.arange(len(y)), y]
    smoothed: FloatArray = (own + 1 / votes.shares.shape[2]) / (votes.n_trees + 1)
    return -np.log(smoothed)


_LOSS_DIGITS = 9  # of log losses: equal votes may differ in later digits
_CAUTION = 0.5  # least advantage over the first layer, in standard errors


@dataclass(frozen=True, slots=True, eq=False)
class TunedForest:
    """Forest grown at the chosen alpha, with the chosen shrinkage and calibration.

    All rows take part in the choices, which are made by log loss. For numbers they are made by squared error,
    without calibration. `losses` and `votes` of every level are empty if there was nothing to choose.
    """

    alpha: float
    shrinkage: Shrinkage
    grown: GrownTrees
    calibration: Calibration | None = None
    losses: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    votes: tuple[Votes, ...] = ()

    def cross_fitted_votes(self, training: Training, root: int) -> FloatArray:
        """Sum each row's out-of-bag votes, with alpha, shrinkage and calibration chosen on the other half.

        The rows are split into two random halves. Each half takes the votes of the level, the shrinkage and
        the calibration that the other half chooses.
        """
        n_rows, weights = len(training.y), training.row_weights
        rng = np.random.Generator(np.random.Philox(key=np.array(stream_key(root, "alpha"), dtype=np.uint64)))
        is_first = np.zeros(n_rows, dtype=np.bool_)
        is_first[rng.permutation(n_rows)[: n_rows // 2]] = True
        shares = np.empty((n_rows, training.n_outputs))
        for half in (is_first, ~is_first):
            votes = self.votes[int(np.argmin(self.losses[:, half] @ weights[half]))]
            layer, calibration = best_shrinkage(votes, training, half)
            shares[~half] = votes.shares[layer, ~half]
            if calibration is not None:
                shares[~half] = calibration.probabilities(shares[~half]) * votes.n_trees[~half, None]
        return shares


def tune(
    training: Training,
    grow: Callable[[float], GrownTrees],
    alphas: Sequence[float],
    n_jobs: int | None = None,
) -> TunedForest:
    """Grow a forest for each alpha, and return the one with the least out-of-bag loss."""
    best, losses, votes = None, [], []
    for alpha in alphas:
        grown = grow(alpha)
        losses.append(losses_of(grown.votes, training))
        votes.append(grown.votes)
        weights = training.every(grown.votes.step).weights
        means = np.array([np.average(loss, weights=weights) for loss in losses])
        if best is None or means[-1] < means[:-1].min():
            best = grown
    assert best is not None
    layer, calibration = best_shrinkage(best.votes, training, n_jobs=n_jobs)
    shrinkage = best.votes.shrinkages[layer]
    return TunedForest(
        alphas[int(np.argmin(means))], shrinkage, best, calibration, np.array(losses), tuple(votes)
    )


def best_shrinkage(
    votes: Votes, training: Training, is_used: BoolArray | None = None, n_jobs: int | None = None
) -> tuple[int, Calibration | None]:
    """Choose the shrinkage with the least out-of-bag loss, and calibrate the class votes.

    Other layers must be better than the first by more than half the standard error of the difference. A
    single layer is not calibrated.
    """
    has_votes = votes.n_trees > 0 if is_used is None else is_used & (votes.n_trees > 0)
    if len(votes.shrinkages) == 1 or not has_votes.any():
        return 0, None
    judged = training.every(votes.step)
    weights = judged.row_weights[has_votes]
    if not training.n_classes:
        return _least(squared_errors(votes, training)[:, has_votes], weights), None
    n_classes = training.n_classes
    calibrate = partial(fit_calibration, y=judged.y[has_votes], weights=weights, n_classes=n_classes)
    layers = (shares[has_votes] for shares in votes.shares)
    calibrations, losses = zip(*on_threads(calibrate, layers, n_jobs), strict=True)
    layer = _least(np.array(losses).round(_LOSS_DIGITS), weights)
    return layer, calibrations[layer]


def _least(losses: FloatArray, weights: FloatArray) -> int:
    weights = weights / weights.sum()
    gains = losses[0] - losses
    means = gains @ weights
    return int(np.argmax(means - _CAUTION * np.sqrt((gains - means[:, None]) ** 2 @ weights**2)))
