"""Synthetic harvest data whose relations are known: three columns affect the yield, all others are noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DEMO_TRUTH", "make_demo"]

# Which columns of the demo table really say something about `yield`, and how.
DEMO_TRUTH = {
    "rainfall": "linear, on 400 rows",
    "soil": "three kinds with different means",
    "sunshine": "a weak linear effect",
}


def make_demo(n: int = 400, *, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Return synthetic harvest data: three columns affect `yield`, all others are noise.

    Noise comes in the two guises that mislead raw measures: columns with few values present
    (`survey_*`, NaN elsewhere) and columns with many categories (`farmer`, `plot_code`).

    >>> table = make_demo()
    >>> sorted(table)[:3], int(np.isfinite(table["survey_1"]).sum())
    (['farmer', 'plot_code', 'rainfall'], 12)
    """
    rng = np.random.default_rng(seed)
    soil = rng.choice(["clay", "loam", "sand"], size=n)
    rainfall, sunshine = rng.normal(size=n), rng.normal(size=n)
    soil_effect = np.select([soil == "clay", soil == "loam"], [-0.5, 0.5], 0.0)
    harvest = 0.5 * rainfall + 0.35 * sunshine + soil_effect + rng.normal(size=n)
    table: dict[str, NDArray[Any]] = {
        "yield": harvest,
        "rainfall": rainfall,
        "soil": soil,
        "sunshine": sunshine,
        "farmer": np.char.add("farmer ", rng.integers(120, size=n).astype(str)),
        "plot_code": np.char.add("plot ", rng.integers(60, size=n).astype(str)),
    }
    for k in range(1, 7):
        survey = np.full(n, np.nan)
        present = rng.choice(n, 12, replace=False)
        survey[present] = rng.normal(size=12)
        table[f"survey_{k}"] = survey
    return table
