"""Importances where it is known which columns matter: p-values on noise, and Li et al.'s simulation.

    python -m tools.importance_levels --repetitions 90

First the share of p-values up to .05 of 13 columns of noise, in 250 rows, for two, three and five classes and
for numbers. Then how well importances tell relevant columns from noise in the simulation of Li et al. (2019):
50 columns of 2 to 51 values, of which five of the first ten matter; the mean AUC beside that of the absolute
correlation with y.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

import bychance as bc

_LI_TREES, _NOISE_TREES = 300, 150
_LEVELS = (2, 3, 5, 8, 12, 20, 40)
_TARGETS = {"two classes": 2, "three": 3, "five": 5, "numbers": 0}


def noise(rng: np.random.Generator, n: int = 250) -> pd.DataFrame:
    """Six columns of numbers, one of which has gaps, and seven of categories."""
    numbers = {f"number {k}": rng.normal(size=n) for k in range(6)}
    numbers["number 5"][rng.random(n) < 0.3] = np.nan
    return pd.DataFrame(numbers | {f"{k} labels": rng.integers(k, size=n).astype(str) for k in _LEVELS})


def of_forest(X: pd.DataFrame, y: NDArray[Any], seed: int, **options: Any) -> NDArray[np.float64]:
    """The p-values of a forest's importances."""
    kind = bc.RandomForestRegressor if y.dtype.kind == "f" else bc.RandomForestClassifier
    return kind(random_state=seed, **options).fit(X, y).feature_importances_p_


def of_selector(X: pd.DataFrame, y: NDArray[Any], seed: int) -> NDArray[np.float64]:
    """The p-values of a selector."""
    return bc.ForestSelector(random_state=seed).fit(X, y).pvalues_


PVALUES: dict[str, Callable[[pd.DataFrame, NDArray[Any], int], NDArray[np.float64]]] = {
    "default forest": lambda X, y, seed: of_forest(X, y, seed, n_estimators=_NOISE_TREES),
    "forest of ForestSelector": lambda X, y, seed: of_forest(
        X, y, seed, n_estimators=500, max_features=2, max_samples=0.5, shrinkage="none"
    ),
    "ForestSelector": of_selector,
}


def small_shares(name: str, n_classes: int, seeds: range) -> float:
    """The share of p-values up to .05; 0 classes are numbers."""
    p_values = []
    for seed in seeds:
        rng = np.random.default_rng([seed, n_classes])
        X = noise(rng)
        y = rng.integers(n_classes, size=len(X)) if n_classes else rng.normal(size=len(X))
        p_values.append(PVALUES[name](X, y, seed))
    return float(np.mean(np.array(p_values) <= 0.05))


def li_aucs(n: int, seed: int) -> tuple[float, float]:
    """Of the importances and of the absolute correlation, in one table of n rows."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, j + 1, n) for j in range(1, 51)]).astype(float)
    matters = rng.choice(10, 5, replace=False)
    standardized = (X - X.mean(axis=0)) / X.std(axis=0)
    y = rng.random(n) < 1 / (1 + np.exp(1 - 0.4 * standardized[:, matters].sum(axis=1)))
    is_relevant = np.isin(np.arange(50), matters)
    forest = bc.RandomForestClassifier(_LI_TREES, random_state=seed).fit(X, y)
    correlation = np.abs(standardized.T @ (y - y.mean()))
    return (
        float(roc_auc_score(is_relevant, forest.feature_importances_)),
        float(roc_auc_score(is_relevant, correlation)),
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.importance_levels", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=90, help="tables of noise per target")
    parser.add_argument("--li", type=int, default=40, help="tables of Li et al.'s simulation per size")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.repetitions)
    print(f"{'':26}" + "".join(f"{target:>14}" for target in _TARGETS))
    for name in PVALUES if arguments.repetitions else ():
        shares = (small_shares(name, n_classes, seeds) for n_classes in _TARGETS.values())
        print(f"{name:26}" + "".join(f"{share:14.3f}" for share in shares), flush=True)
    for n in (200, 1000) if arguments.li else ():
        aucs = np.array([li_aucs(n, arguments.seed + k) for k in range(arguments.li)])
        aucs = np.column_stack([aucs, aucs[:, 0] - aucs[:, 1]])
        errors = aucs.std(axis=0, ddof=1) / np.sqrt(len(aucs))
        figures = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(aucs.mean(axis=0), errors, strict=True)]
        print(
            f"{n} rows: importances {figures[0]}, correlation {figures[1]}, difference {figures[2]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
