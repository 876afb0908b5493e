"""Importances with known relevant columns: p-values on noise, and Li et al.'s simulation.

    python -m studies.importance_levels --repetitions 90 --jobs 8

First the share of p-values up to .05 of 13 columns of noise, in 250 rows, for two, three and five equal
classes, five unequal ones and numbers, with the half width of its 95% interval over tables. Then the mean
importance over tables that is farthest from zero of all those columns and targets, in its standard errors.
Then how well importances separate relevant columns from noise in the simulation of Li et al. (2019): 50
columns of 2 to 51 values, of which five of the first ten matter. The mean AUC is beside that of the absolute
correlation with y.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

import bychance as bc

Figures: TypeAlias = NDArray[np.float64]  # importances, p-values

_LI_TREES, _NOISE_TREES = 300, 150
_LEVELS = (2, 3, 5, 8, 12, 20, 40)
_SHARES: dict[str, list[float]] = {
    "two classes": [1 / 2] * 2,
    "three": [1 / 3] * 3,
    "five": [1 / 5] * 5,
    "five unequal": [0.5, 0.3, 0.1, 0.06, 0.04],
    "numbers": [],
}


def noise(rng: np.random.Generator, n: int = 250) -> pd.DataFrame:
    """Draw six columns of numbers, one with missing values, and seven of categories."""
    numbers = {f"number {k}": rng.normal(size=n) for k in range(6)}
    numbers["number 5"][rng.random(n) < 0.3] = np.nan
    return pd.DataFrame(numbers | {f"{k} labels": rng.integers(k, size=n).astype(str) for k in _LEVELS})


def of_forest(X: pd.DataFrame, y: NDArray[Any], seed: int, **options: Any) -> Figures:
    kind = bc.RandomForestRegressor if y.dtype.kind == "f" else bc.RandomForestClassifier
    forest = kind(random_state=seed, **options).fit(X, y)
    return np.array([forest.feature_importances_, forest.feature_importances_p_])


def of_selector(X: pd.DataFrame, y: NDArray[Any], seed: int) -> Figures:
    selector = bc.ForestSelector(random_state=seed).fit(X, y)
    return np.array([selector.importances_, selector.pvalues_])


MODELS: dict[str, Callable[[pd.DataFrame, NDArray[Any], int], Figures]] = {
    "default forest": partial(of_forest, n_estimators=_NOISE_TREES),
    "forest of ForestSelector": partial(
        of_forest, n_estimators=500, max_features=2, max_samples=0.5, shrinkage="none"
    ),
    "ForestSelector": of_selector,
}


def of_noise(model: str, target: str, seed: int) -> Figures:
    """Return importances and p-values of one model on one table."""
    shares = _SHARES[target]
    rng = np.random.default_rng([seed, list(_SHARES).index(target)])
    X = noise(rng)
    y = rng.choice(len(shares), size=len(X), p=shares) if shares else rng.normal(size=len(X))
    return MODELS[model](X, y, seed)


def print_noise(model: str, seeds: range, parallel: Parallel) -> None:
    print(f"{model:26}", end="", flush=True)
    farthest = 0.0
    for target in _SHARES:
        figures = np.array(parallel(delayed(of_noise)(model, target, seed) for seed in seeds))
        importances, is_small = figures[:, 0], (figures[:, 1] <= 0.05).mean(axis=1)
        cell = f"{is_small.mean():.4f} ± {1.96 * _errors(is_small):.4f}"
        print(f"{cell:>18}", end="", flush=True)
        farthest = max(farthest, float(np.abs(importances.mean(axis=0) / _errors(importances)).max()))
    print(f"{farthest:10.1f}", flush=True)


def _errors(values: NDArray[np.float64]) -> Any:
    return values.std(axis=0, ddof=1) / np.sqrt(len(values))


def li_aucs(n: int, seed: int) -> tuple[float, float]:
    """Compute AUCs of the importances and of the absolute correlation, in one table of n rows."""
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


def print_li(n: int, seeds: range, parallel: Parallel) -> None:
    aucs = np.array(parallel(delayed(li_aucs)(n, seed) for seed in seeds))
    aucs = np.column_stack([aucs, aucs[:, 0] - aucs[:, 1]])
    pairs = zip(aucs.mean(axis=0), _errors(aucs), strict=True)
    ours, theirs, difference = (f"{mean:.4f} ± {error:.4f}" for mean, error in pairs)
    print(f"{n} rows: importances {ours}, correlation {theirs}, difference {difference}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studies.importance_levels", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=90, help="tables of noise per target")
    parser.add_argument("--only", nargs="*", choices=MODELS, default=list(MODELS))
    parser.add_argument("--li", type=int, default=40, help="tables of Li et al.'s simulation per size")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    with Parallel(arguments.jobs) as parallel:
        if arguments.repetitions:
            print(f"{'':26}" + "".join(f"{target:>18}" for target in _SHARES) + "  farthest")
            for model in arguments.only:
                seeds = range(arguments.seed, arguments.seed + arguments.repetitions)
                print_noise(model, seeds, parallel)
        for n in (200, 1000) if arguments.li else ():
            print_li(n, range(arguments.seed, arguments.seed + arguments.li), parallel)


if __name__ == "__main__":
    main()
