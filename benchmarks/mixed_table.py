"""The mixed table: numbers and categories of 5 to 50 levels, half of the categories with an effect."""

from __future__ import annotations

import numpy as np
import pandas as pd


def mixed_table(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Draw columns and classes, and return the class shares too."""
    rng = np.random.default_rng(seed)
    n_levels = np.linspace(5, 50, 10).round().astype(int)
    effects = [rng.normal(scale=0.7, size=levels) for levels in n_levels]
    x = rng.standard_normal((n_rows, 10))
    codes = [rng.integers(levels, size=n_rows) for levels in n_levels]
    z = 1.2 * x[:, 0] - x[:, 1] + 0.8 * x[:, 2] * x[:, 3]
    z += sum(effects[k][codes[k]] for k in range(0, 10, 2))
    shares = 1 / (1 + np.exp(-1.5 * z))
    numbers = {f"x{k}": x[:, k] for k in range(10)}
    labels = {
        f"c{k}": pd.Categorical.from_codes(codes[k], categories=[f"v{j}" for j in range(n_levels[k])])
        for k in range(10)
    }
    return pd.DataFrame({**numbers, **labels}), (rng.random(n_rows) < shares).astype(int), shares
