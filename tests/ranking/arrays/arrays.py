"""Two arrays with every sort of column, and the ordinary engine as oracle."""

from __future__ import annotations

import numpy as np

import bychance as bc


def mixed_arrays(n, n_x=18, n_y=20, seed=0):
    """Draw normal, two-valued, rare, constant, heavy-tailed, related and gappy columns."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, n_x)), rng.normal(size=(n, n_y))
    x[:, 1], y[:, 1] = rng.integers(0, 2, n), rng.integers(0, 2, n)
    x[:, 2] = rng.integers(0, 3, n)
    x[:, 3], x[n // 2, 3] = 0, 1
    x[:, 4] = 3.0
    x[rng.random(n) < 0.1, 5], y[rng.random(n) < 0.1, 2] = np.nan, np.nan
    x[:, 6], y[:, 3] = rng.standard_cauchy(n), rng.standard_cauchy(n)
    y[:, 4], y[:, 5] = x[:, 7] + 0.5 * rng.normal(size=n), x[:, 8]
    y[:, 6] = x[:, 2] + 0.1 * rng.normal(size=n)
    y[:, 7] = 1e9 + rng.normal(size=n)
    x[:, 9], y[:, 9] = rng.lognormal(size=n) ** 2, np.exp(x[:, 11])
    x[:, 10], y[:, 8] = rng.random(n) < 0.03, rng.random(n) < 0.03
    return x, y


def ordinary(x, y, *, null="moments", **options):
    """Rank the same pairs as columns of a table."""
    table = {f"x{k}": x[:, k] for k in range(x.shape[1])} | {f"y{k}": y[:, k] for k in range(y.shape[1])}
    sides = [name for name in table if name[0] == "x"], [name for name in table if name[0] == "y"]
    return bc.rank(table, x=sides[0], y=sides[1], null=null, numeric=list(table), **options)


def by_pair(ranking, columns):
    """Return the frame's columns by the names of x and y."""
    frame = ranking.to_frame()
    lists = [frame[name].to_pylist() for name in columns]
    names = zip(frame["x"].to_pylist(), frame["y"].to_pylist(), strict=True)
    return {pair: values for pair, *values in zip(names, *lists, strict=True)}


def gappy_arrays(n=110, n_x=40, n_y=45, *, has_complete=True, seed=2):
    """Draw every sort of column, most with gaps, some related, some with few shared rows."""
    rng = np.random.default_rng(seed)
    x, y = mixed_arrays(n, n_x, n_y, seed)
    x[:, 12:20] = y[:, 12:20] + rng.normal(size=(n, 8)) * np.linspace(0.3, 3, 8)
    x[:, 20:24] = rng.integers(0, 3, (n, 4))
    for values in (x, y):
        share = rng.choice([0.02, 0.1, 0.4], size=values.shape[1])
        if has_complete:
            share[::3] = 0.0
        values[rng.random(values.shape) < share] = np.nan
        values[0, share > 0] = np.nan
    x[15:, 30], y[:85, 31], y[:, 32] = np.nan, np.nan, np.nan
    return x, y
