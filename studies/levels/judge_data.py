"""The grid that judges the rules, without any kind of data, size or seed of the other grids.

Its kinds and its seed were written down before any of its cells was run, and no rule has been changed since.
A rule that is mended after a look at it needs another grid: other kinds, and another seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.levels.designs import Grid

__all__ = ["JUDGE"]


def _below_detection(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw logistic values, and set those below a limit (about three in ten) to it."""
    return np.maximum(rng.logistic(size=n), -0.85)


def _spikes(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw rows of which three in a hundred lie six units up."""
    return rng.triangular(-1.0, 0.0, 1.0, size=n) + np.where(rng.random(n) < 0.03, 6.0, 0.0)


def _ages(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw whole years, more of the young."""
    return np.floor(18 + 72 * rng.random(n) ** 1.5)


def _weekdays(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw seven labels, two of them half as common."""
    shares = np.array([2, 2, 2, 2, 2, 1, 1]) / 12
    return rng.choice(7, size=n, p=shares).astype(str)


def _any_shares(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw five labels with shares that are drawn for each data set."""
    return rng.choice(5, size=n, p=rng.dirichlet(np.full(5, 0.7))).astype(str)


def _surnames(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw rows with a new label with probability 25/(25 + rows before), else that of a row before."""
    codes = np.empty(n, dtype=np.int64)
    n_labels = 0
    for row in range(n):
        if rng.random() < 25 / (25 + row):
            codes[row], n_labels = n_labels, n_labels + 1
        else:
            codes[row] = codes[rng.integers(row)]
    return codes.astype(str)


def _twins(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw every label twice, but one once if the number of rows is odd."""
    return rng.permutation(np.arange(n) // 2).astype(str)


def _complaints(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw mostly none, and four kinds that are rare."""
    return rng.choice(5, size=n, p=[0.88, 0.06, 0.03, 0.02, 0.01]).astype(str)


def _halves(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw two groups whose sizes are equal, or differ by one."""
    return rng.permutation(np.arange(n) % 2).astype(str)


JUDGE = Grid(
    numbers={
        "Gumbel": lambda rng, n: rng.gumbel(size=n),
        "half-normal": lambda rng, n: np.abs(rng.standard_normal(n)),
        "Weibull(0.7)": lambda rng, n: rng.weibull(0.7, size=n),
        "inverse Gaussian": lambda rng, n: rng.wald(1.0, 1.0, size=n),
        "log-logistic(3)": lambda rng, n: np.exp(rng.logistic(size=n) / 3),
        "semicircle": lambda rng, n: rng.beta(1.5, 1.5, size=n),
        "spikes": _spikes,
        "below detection": _below_detection,
        "ages": _ages,
        "counts": lambda rng, n: rng.negative_binomial(1, 0.25, size=n).astype(float),
    },
    labels={
        "halves": _halves,
        "weekdays": _weekdays,
        "any shares": _any_shares,
        "surnames": _surnames,
        "twins": _twins,
        "complaints": _complaints,
    },
    tied=frozenset({"below detection", "ages", "counts"}),
    numeric=[
        ("Gumbel", "half-normal"),
        ("half-normal", "half-normal"),
        ("Weibull(0.7)", "Weibull(0.7)"),
        ("inverse Gaussian", "inverse Gaussian"),
        ("log-logistic(3)", "log-logistic(3)"),
        ("log-logistic(3)", "semicircle"),
        ("semicircle", "semicircle"),
        ("spikes", "spikes"),
        ("below detection", "below detection"),
        ("ages", "counts"),
        ("counts", "counts"),
        ("counts", "inverse Gaussian"),
    ],
    categorical=[
        ("halves", "halves"),
        ("halves", "weekdays"),
        ("weekdays", "weekdays"),
        ("any shares", "any shares"),
        ("any shares", "complaints"),
        ("complaints", "complaints"),
        ("surnames", "halves"),
        ("surnames", "surnames"),
        ("surnames", "any shares"),
        ("twins", "twins"),
        ("twins", "weekdays"),
    ],
    mixed=[
        ("halves", "Gumbel"),
        ("halves", "Weibull(0.7)"),
        ("weekdays", "half-normal"),
        ("weekdays", "inverse Gaussian"),
        ("any shares", "Gumbel"),
        ("any shares", "log-logistic(3)"),
        ("complaints", "half-normal"),
        ("complaints", "spikes"),
        ("surnames", "semicircle"),
        ("twins", "Gumbel"),
        ("weekdays", "below detection"),
        ("any shares", "counts"),
    ],
    seed=910_000,
)
