"""The grid that judged the rules first: six were tightened after a look, so it is blind no more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.levels.designs import Grid

__all__ = ["SEEN"]


def _two_clusters(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.where(rng.random(n) < 0.3, rng.normal(4.0, 1.0, n), rng.normal(0.0, 1.0, n))


def _contaminated(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw one row in twenty with eight times the spread."""
    return rng.logistic(size=n) * np.where(rng.random(n) < 0.05, 8.0, 1.0)


def _many_zeros(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.where(rng.random(n) < 0.6, 0.0, rng.gamma(2.0, size=n))


def _zipf(rng: np.random.Generator, n: int, *, k: int) -> NDArray[Any]:
    shares = 1 / np.arange(1, k + 1)
    return rng.choice(k, size=n, p=shares / shares.sum()).astype(str)


def _birthdays(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw from three times as many labels as rows: some 85% of the labels that occur are distinct."""
    return rng.integers(3 * n, size=n).astype(str)


def _blocks(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Draw four groups of exactly equal size, or one more."""
    return rng.permutation(np.arange(n) % 4).astype(str)


def _flags(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.where(rng.random(n) < 0.2, "yes", "no")


SEEN = Grid(
    numbers={
        "Laplace": lambda rng, n: rng.laplace(size=n),
        "t(4)": lambda rng, n: rng.standard_t(4, size=n),
        "Cauchy": lambda rng, n: rng.standard_cauchy(n),
        "gamma(½)": lambda rng, n: rng.gamma(0.5, size=n),
        "χ²(6)": lambda rng, n: rng.chisquare(6, size=n),
        "beta(2, 5)": lambda rng, n: rng.beta(2.0, 5.0, size=n),
        "arcsine": lambda rng, n: rng.beta(0.5, 0.5, size=n),
        "two clusters": _two_clusters,
        "contaminated": _contaminated,
        "60% zeros": _many_zeros,
        "Poisson(2)": lambda rng, n: rng.poisson(2.0, size=n).astype(float),
    },
    labels={
        "flags": _flags,
        "four blocks": _blocks,
        "6 Zipf labels": lambda rng, n: _zipf(rng, n, k=6),
        "40 Zipf labels": lambda rng, n: _zipf(rng, n, k=40),
        "birthdays": _birthdays,
    },
    tied=frozenset({"60% zeros", "Poisson(2)"}),
    numeric=[
        ("Laplace", "t(4)"),
        ("Cauchy", "Cauchy"),
        ("gamma(½)", "gamma(½)"),
        ("χ²(6)", "χ²(6)"),
        ("χ²(6)", "gamma(½)"),
        ("beta(2, 5)", "two clusters"),
        ("arcsine", "arcsine"),
        ("contaminated", "contaminated"),
        ("60% zeros", "60% zeros"),
        ("Poisson(2)", "Poisson(2)"),
        ("Poisson(2)", "gamma(½)"),
    ],
    categorical=[
        ("flags", "flags"),
        ("four blocks", "four blocks"),
        ("four blocks", "6 Zipf labels"),
        ("6 Zipf labels", "6 Zipf labels"),
        ("40 Zipf labels", "40 Zipf labels"),
        ("40 Zipf labels", "flags"),
        ("birthdays", "flags"),
        ("birthdays", "birthdays"),
        ("birthdays", "6 Zipf labels"),
    ],
    mixed=[
        ("four blocks", "Laplace"),
        ("four blocks", "gamma(½)"),
        ("flags", "χ²(6)"),
        ("6 Zipf labels", "χ²(6)"),
        ("6 Zipf labels", "gamma(½)"),
        ("6 Zipf labels", "contaminated"),
        ("40 Zipf labels", "t(4)"),
        ("birthdays", "beta(2, 5)"),
        ("four blocks", "60% zeros"),
    ],
    seed=70_000,
)
