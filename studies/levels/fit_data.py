"""The grid on which the rules of validity.py were set."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.levels.designs import Draw, Grid

__all__ = ["FIT"]


def _normal_and_an_outlier(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.permutation(np.append(rng.standard_normal(n - 1), 10.0))


def _uniform_labels(rng: np.random.Generator, n: int, *, k: int) -> NDArray[Any]:
    return rng.integers(k, size=n).astype(str)


def _mostly_distinct(rng: np.random.Generator, n: int, *, share: float) -> NDArray[Any]:
    """Draw labels of which a share are all distinct, and the rest repeat some of these."""
    n_distinct = round(share * n)
    codes = np.arange(n)
    codes[n_distinct:] = rng.integers(n_distinct, size=n - n_distinct)
    return rng.permutation(codes).astype(str)


def _halving(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.minimum(rng.geometric(0.5, size=n), 4).astype(str)


def _rare_labels(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.choice(list("abc"), size=n, p=[0.9, 0.07, 0.03])


_NUMBERS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.random(n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "lognormal(½)": lambda rng, n: rng.lognormal(sigma=0.5, size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "Pareto(3)": lambda rng, n: rng.pareto(3.0, size=n),
    "one outlier": _normal_and_an_outlier,
    "five values": lambda rng, n: rng.integers(5, size=n).astype(float),
    "10% ones": lambda rng, n: (rng.random(n) < 0.1).astype(float),
}
_LABELS: dict[str, Draw] = {
    "2 labels": partial(_uniform_labels, k=2),
    "3 labels": partial(_uniform_labels, k=3),
    "5 labels": partial(_uniform_labels, k=5),
    "12 labels": partial(_uniform_labels, k=12),
    "60 labels": partial(_uniform_labels, k=60),
    "90% distinct": partial(_mostly_distinct, share=0.9),
    "50% distinct": partial(_mostly_distinct, share=0.5),
    "halving labels": _halving,
    "rare labels": _rare_labels,
}

FIT = Grid(
    numbers=_NUMBERS,
    labels=_LABELS,
    tied=frozenset({"five values", "10% ones"}),
    numeric=[(a, b) for k, a in enumerate(_NUMBERS) for b in list(_NUMBERS)[k:]],
    categorical=[(a, b) for k, a in enumerate(_LABELS) for b in list(_LABELS)[k:]],
    mixed=[(a, b) for a in _LABELS for b in _NUMBERS],
    seed=20_000,
)
