"""P-values of importances on noise in lumps: rare flags, rare classes, long tails and many categories.

    python -m studies.importance_lumps --repetitions 100 --jobs 16

Twenty columns of noise per table. For the forests and for ForestSelector: the share of p-values up to .05 and
.001, and of tables in which a column is found at a false discovery rate of .05.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

import bychance as bc

N_COLUMNS, N_TREES, FDR_LEVEL = 20, 100, 0.05
Draw = Callable[[np.random.Generator, int], pd.DataFrame]
Target = Callable[[np.random.Generator, int], NDArray[np.float64] | NDArray[np.bool_]]


def flags(share: float) -> Draw:
    return lambda rng, n: pd.DataFrame((rng.random((n, N_COLUMNS)) < share) * 1.0).add_prefix("x")


def categories(count: int) -> Draw:
    return lambda rng, n: pd.DataFrame(rng.integers(0, count, (n, N_COLUMNS)).astype(str)).add_prefix("x")


def numbers(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(rng.normal(size=(n, N_COLUMNS))).add_prefix("x")


def class_of(share: float) -> Target:
    return lambda rng, n: rng.permutation(n) < share * n


def long_tailed(sigma: float) -> Target:
    return lambda rng, n: np.exp(sigma * rng.normal(size=n))


def with_outlier(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.concatenate([[1e6], rng.normal(size=n - 1)])


TABLES: dict[str, tuple[int, Draw, Target]] = {
    "flags of 1%, class of 1%": (1000, flags(0.01), class_of(0.01)),
    "flags of 1%, class of 5%": (1000, flags(0.01), class_of(0.05)),
    "flags of 1%, class of 20%": (1000, flags(0.01), class_of(0.2)),
    "flags of 3%, class of 20%": (1000, flags(0.03), class_of(0.2)),
    "flags of 3%, 300 rows, class of 20%": (300, flags(0.03), class_of(0.2)),
    "flags of 3%, long-tailed numbers": (300, flags(0.03), long_tailed(2)),
    "80 categories, class of 5%": (300, categories(80), class_of(0.05)),
    "80 categories, long-tailed numbers": (300, categories(80), long_tailed(1)),
    "80 categories, one outlier of 1e6": (200, categories(80), with_outlier),
    "numbers, long-tailed numbers": (300, numbers, long_tailed(2)),
    "numbers, class of 1%": (2000, numbers, class_of(0.01)),
}


def p_values(name: str, seed: int) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    """Return p-values of a forest and of ForestSelector."""
    n, draw, target = TABLES[name]
    rng = np.random.default_rng([seed, list(TABLES).index(name)])
    X, y = draw(rng, n), target(rng, n)
    forest = bc.RandomForestClassifier if y.dtype == np.bool_ else bc.RandomForestRegressor
    alone = forest(N_TREES, random_state=seed).fit(X, y).feature_importances_p_
    return name, alone, bc.ForestSelector(random_state=seed).fit(X, y).pvalues_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100, help="tables of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.repetitions)
    measured = Parallel(options.jobs)(delayed(p_values)(name, seed) for name in TABLES for seed in seeds)
    print("| | p ≤ .05 | p ≤ .001 | tables | selector: p ≤ .05 | p ≤ .001 | tables |\n" + "|---" * 7 + "|")
    for name in TABLES:
        print(f"| {name} | " + " | ".join(cells(measured, name)) + " |")


def cells(measured: list[tuple[str, NDArray[np.float64], NDArray[np.float64]]], name: str) -> list[str]:
    shown = []
    for which in (1, 2):
        found = np.array([each[which] for each in measured if each[0] == name])
        ranks = np.arange(1, N_COLUMNS + 1)
        is_found = (np.sort(found) <= FDR_LEVEL * ranks / N_COLUMNS).any(axis=1)
        shown += [f"{np.mean(found <= level):.3f}" for level in (0.05, 0.001)] + [f"{is_found.mean():.2f}"]
    return shown


if __name__ == "__main__":
    main()
