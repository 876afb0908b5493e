"""The data of the calls beyond covariates, of streams and of two arrays."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tools.recorded.data import Table, cut, with_gaps

__all__ = ["COVARIATES", "covariate_table", "steep_table", "stream_table", "two_arrays", "unsound_table"]

COVARIATES = ("age", "dose", "visits", "site", "shift")


@cache
def covariate_table(n: int = 240, *, has_gaps: bool = True) -> Table:
    """Draw three numbers and two categories that depend on numeric, counted and categorical covariates."""
    rng = np.random.default_rng([2035, n])
    age, dose = 50 + 10 * rng.standard_normal(n), np.exp(rng.standard_normal(n))
    visits = rng.poisson(2.0, n).astype(np.float64)
    site, shift = np.array(list("nsew"))[rng.integers(0, 4, n)], rng.permutation(np.arange(n) % 2)
    base = 0.06 * (age - 50) + (site == "n")
    a = base + rng.standard_normal(n)
    columns = {
        "a": a,
        "b": np.round(0.4 * a + np.log(dose) + rng.standard_normal(n), 1),
        "outliers": np.exp(3 * (0.2 * base + rng.standard_normal(n))),
        "group": cut(a + (site == "n") + rng.standard_normal(n), 3),
        "letters": cut(visits / 2 + rng.standard_normal(n), 5),
        "age": age,
        "dose": dose,
        "visits": visits,
        "site": site,
        "shift": np.array(["early", "late"])[shift],
    }
    shares = {"b": 0.15, "letters": 0.12, "age": 0.04, "site": 0.05} if has_gaps else {}
    return {name: with_gaps(v, shares[name], rng) if name in shares else v for name, v in columns.items()}


@cache
def steep_table(n: int = 300) -> Table:
    """Draw columns that follow a number steeply, are determined by it, or vary within few cells."""
    rng = np.random.default_rng([2036, n])
    dose = np.exp(1.5 * rng.standard_normal(n))
    return {
        "effect": np.log(dose) ** 2 + 0.3 * rng.standard_normal(n),
        "side effect": np.log(dose) ** 2 + 0.3 * rng.standard_normal(n),
        "determined": 3 * dose + 1,
        "rare": (np.arange(n) % 60 == 0) * rng.standard_normal(n),
        "kind": cut(dose, 3),
        "dose": dose,
        "row": np.array([f"row {k // 2}" for k in range(n)]),
        "same": np.full(n, "all"),
    }


@cache
def stream_table(n: int = 900) -> Table:
    """Draw numbers, dates, large integers, ticks and labels, half of them with missing values."""
    rng = np.random.default_rng([2037, n])
    x, z = rng.standard_normal((2, n))
    many = rng.integers(0, 200, n)
    columns = {
        "x": x,
        "y": with_gaps(0.2 * x + rng.standard_normal(n), 0.2, rng),
        "outliers": np.exp(3 * z + 0.3 * x),
        "count": rng.poisson(1.0, n),
        "large": 2**60 + np.argsort(np.argsort(z)) * 1000,
        "day": np.datetime64("2001-03-04", "s") + (1e6 * (x + z)).astype("m8[s]"),
        "tick": z + rng.standard_normal(n) > 0.5,
        "group": with_gaps(cut(x + rng.standard_normal(n), 4), 0.1, rng),
        "many": np.array([f"m{k}" for k in many]),
        "others": np.array([f"o{k}" for k in (many + 40 * rng.integers(0, 5, n)) % 150]),
        "site": cut(rng.standard_normal(n), 3),
        "age": with_gaps(50 + 10 * (z + rng.standard_normal(n)), 0.05, rng),
    }
    return {name: np.asarray(values) for name, values in columns.items()}


@cache
def unsound_table(n: int = 900) -> Table:
    """Draw numbers whose sums cancel: far from zero, or nearly constant on the shared rows."""
    rng = np.random.default_rng([2038, n])
    x, z = rng.standard_normal((2, n))
    is_far = np.arange(n) % 5 < 3
    side = cut(x + rng.standard_normal(n), 3).astype(object)
    side[is_far] = None
    return {
        "x": x,
        "shifted": 1e9 + x + rng.standard_normal(n),
        "shifted with gaps": with_gaps(-3e9 + z + 0.3 * x, 0.2, rng),
        "far": np.where(is_far, 1e7 * (3 + z), 1000 + 1e-3 * (x + z)),
        "without far": np.where(is_far, np.nan, z),
        "outlier": np.where(np.arange(n) == 7, 1e12, z),
        "group": cut(x + rng.standard_normal(n), 3),
        "side": side,
    }


@cache
def two_arrays(
    n: int = 90, *, has_gaps: bool = False, is_odd: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw two arrays of related columns with constant, rare, long-tailed and distant ones."""
    rng = np.random.default_rng([2039, n])
    x, y = rng.standard_normal((n, 12)), rng.standard_normal((n, 11))
    y[:, 4], y[:, 5] = x[:, 7] + 0.5 * y[:, 4], x[:, 8] + 2 * y[:, 5]
    x[:, 0], y[:, 0] = rng.integers(0, 3, n), rng.integers(0, 3, n) + x[:, 0]
    if is_odd:
        x[:, 1], y[:, 1] = rng.integers(0, 2, n), rng.integers(0, 2, n)
        x[:, 2], x[n // 2, 2] = 0.0, 1.0
        x[:, 3], y[:, 2] = 3.0, rng.random(n) < 0.04
        x[:, 5], y[:, 3] = rng.standard_cauchy(n), rng.standard_cauchy(n)
        x[:, 6], y[:, 7] = rng.lognormal(size=n) ** 2, 1e9 + y[:, 7]
        y[:, 6] = np.exp(2 * x[:, 9] + y[:, 6])
    if has_gaps:
        for values in (x, y):
            share = np.where(np.arange(values.shape[1]) % 3 == 1, 0.0, rng.choice([0.05, 0.3]))
            values[rng.random(values.shape) < share] = np.nan
        x[12:, 10], y[: n - 40, 9], y[:, 10] = np.nan, np.nan, np.nan
    return x, y
