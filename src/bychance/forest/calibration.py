"""Out-of-bag votes → class probabilities whose mean is the classes' shares of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = ["Calibration", "calibrated"]

# Powers: at 0 noise would be predicted best, and rows would have no order; clear classes ask for any.
_LEAST, _MOST = 0.25, 4.0
_DIGITS = 6  # more say nothing, and sums of votes in another order may differ in the last
_LEAST_ROWS = 0.5  # of a class: one that no row has is still possible


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Class probabilities from votes: p ∝ weight · (1 + votes / share) ** power, one weight a class.

    `shares` are those of the classes among the rows that it was fitted to. One vote beside those of the trees
    is shared out by them, so that no probability is 0.
    """

    power: float
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]

    def probabilities(self, votes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn sums of the shares that trees give the classes into their probabilities.

        >>> calibration = Calibration(2.0, np.array([0.8, 0.2]), np.array([0.8, 0.2]))
        >>> calibration.probabilities(np.array([[80.0, 20.0], [50.0, 50.0]])).round(2).tolist()
        [[0.8, 0.2], [0.2, 0.8]]
        """
        odds = 1 + votes / self.shares
        odds **= self.power
        odds *= self.weights
        odds /= odds.sum(axis=1, keepdims=True)
        return odds


def calibrated(
    votes: NDArray[np.float64], y: NDArray[Any], weights: NDArray[np.float64], n_classes: int
) -> tuple[Calibration | None, NDArray[np.float64]]:
    """Fit the calibration of least log loss to these rows; their log losses come with it.

    It is a multinomial logit with one slope, the power, and an intercept for each class. The intercepts make
    the mean probability of a class its share of the rows. The power makes up for what trees have in common:
    they agree on too little if classes are clear, and on too much if they are noise. A single class has none.
    """
    is_there = np.bincount(y, minlength=n_classes) > 0
    if is_there.sum() < 2:
        return None, np.zeros(len(y))
    weights = weights / weights.sum()
    shares = np.maximum(np.bincount(y, weights=weights, minlength=n_classes), _LEAST_ROWS / len(y))
    logs = np.ascontiguousarray(np.log1p(votes[:, is_there] / shares[is_there]))
    start = np.log(shares[is_there])
    codes = (np.cumsum(is_there) - 1)[y].astype(np.int32)
    power, intercepts, losses = _native.calibrate(logs, codes, weights, start, _LEAST, _MOST)
    # A class without a row keeps its share, the others keep theirs in the mean.
    factors = np.zeros(n_classes)
    factors[is_there] = intercepts - start
    factors[is_there] -= np.average(factors, weights=shares * is_there)
    return Calibration(round(power, _DIGITS), shares * np.exp(factors.round(_DIGITS)), shares), losses
