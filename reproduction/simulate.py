"""The paper's simulated samples, and what a measure makes of many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from reproduction.run import Run

__all__ = ["SHAPES", "Scores", "mean_and_error", "noisy_sample", "simulate"]

Array = NDArray[np.float64]


def _cubic(x: Array) -> Array:
    u = x - 1 / 3
    return (128 * u**3 - 48 * u**2 - 12 * u + 164 / 27) * 3 / 44


# All map [0, 1] onto [0, 1]. The paper only names them. These are usual in studies of MIC.
SHAPES: Mapping[str, Callable[[Array], Array]] = {
    "linear": lambda x: x,
    "quadratic": lambda x: 4 * (x - 0.5) ** 2,
    "cubic": _cubic,
    "4th root": lambda x: x**0.25,
}


def noisy_sample(rng: np.random.Generator, shape: str, n: int, noise: float) -> tuple[Array, Array]:
    """Draw uniform x with y = f(x), and a uniform y for a share of the points.

    With noise 1 the two are independent.

    >>> x, y = noisy_sample(np.random.default_rng(0), "linear", 10, 0.3)
    >>> int((x != y).sum())
    3
    """
    x = rng.random(n)
    y = SHAPES[shape](x).copy()
    replaced = rng.choice(n, round(noise * n), replace=False)
    y[replaced] = rng.random(len(replaced))
    return x, y


@dataclass(frozen=True, slots=True)
class Scores:
    """A measure on many samples of one size, and its adjustments by the paper's null.

    That null depends on the size of a sample alone: the Beta law for r², and for MIC the law over
    permutations, which depends on ranks alone.
    """

    observed: Array
    null: bc.Null
    bound: float

    @property
    def adjusted(self) -> Array:
        """(D − E₀)/(max D − E₀): Definition 3.1."""
        return (self.observed - self.null.mean) / (self.bound - self.null.mean)

    @property
    def standardized(self) -> Array:
        """(D − E₀)/SD₀: Definition 4.1."""
        return (self.observed - self.null.mean) / self.null.std

    def adjusted_at(self, alpha: float) -> Array:
        """Compute D − q₀(1 − α): Definition 4.2."""
        return self.observed - self.null.quantile(1 - alpha)

    @property
    def p_values(self) -> Array:
        """P(D₀ ≥ D)."""
        return np.array([self.null.sf(value) for value in self.observed.tolist()])

    @property
    def adjusted_mean(self) -> tuple[float, float]:
        """The mean of the adjusted measure with its standard error, that of the null's mean included."""
        return self.adjust_mean(*mean_and_error(self.observed))

    def adjust_mean(self, mean: float, error: float) -> tuple[float, float]:
        """Adjust a mean over samples of this size, and return its standard error."""
        room = self.bound - self.null.mean
        adjusted = (mean - self.null.mean) / room
        return adjusted, float(np.hypot(error, (1 - adjusted) * self.null.mean_se)) / room


def simulate(
    run: Run, measure: str, *, sizes: list[int], noises: list[float], runs: int, shape: str = "linear"
) -> dict[tuple[int, float], Scores]:
    """Compute scores for every size and level of noise."""
    chance = {n: _chance(measure, n, run.seed) for n in sizes}
    cases = [(n, noise) for n in sizes for noise in noises]
    settings = [
        {"measure": measure, "shape": shape, "n": n, "noise": noise, "runs": runs} for n, noise in cases
    ]
    made = run.pieces("simulation", _estimates, settings)
    return {
        case: Scores(piece["observed"], chance[case[0]].null, chance[case[0]].bound)
        for case, piece in zip(cases, made, strict=True)
    }


def mean_and_error(values: Array) -> tuple[float, float]:
    """Compute the mean with its standard error.

    >>> mean_and_error(np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _chance(measure: str, n: int, seed: int) -> bc.Estimate:
    """Draw the null of this size, which all samples without ties have in common."""
    x, y = noisy_sample(np.random.default_rng(n), "linear", n, 1.0)
    return bc.adjust(measure, x, y, null="paper", rng=seed)


def _estimates(seed: int, measure: str, shape: str, n: int, noise: float, runs: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, n, round(100 * noise), list(SHAPES).index(shape)])
    samples = (noisy_sample(rng, shape, n, noise) for _ in range(runs))
    return {"observed": [bc.measure(measure, x, y) for x, y in samples]}
