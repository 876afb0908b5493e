"""study_numbers(): the criteria of regression side by side on one table, and what columns matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.evaluate import rows_of
from bychance.forest.forest import importance_records
from bychance.forest.regressor import RandomForestRegressor
from bychance.progress import Progress
from bychance.seeding import stream_key

__all__ = ["NumberStudy", "study_numbers"]

CRITERIA: dict[str, dict[str, Any]] = {
    "variance": {"criterion": "variance"},
    "standardized": {"criterion": "standardized"},
    "adjusted(0.05)": {"criterion": "adjusted"},
    "fair": {},
}


@dataclass(frozen=True, slots=True, eq=False)
class NumberStudy:
    """What `study_numbers` finds: R² per repetition and criterion, and the default forest on all rows."""

    r2: NDArray[np.float64]
    forest: RandomForestRegressor = field(repr=False)

    def criteria(self) -> list[dict[str, Any]]:
        """One record per criterion: its R² and how far it exceeds that of raw gains, with standard errors."""
        over = self.r2 - self.r2[:, :1]
        root = np.sqrt(len(self.r2))
        return [
            {
                "criterion": name,
                "r2": float(self.r2[:, k].mean()),
                "r2_se": float(self.r2[:, k].std(ddof=1) / root),
                "over_variance": float(over[:, k].mean()),
                "over_variance_se": float(over[:, k].std(ddof=1) / root),
            }
            for k, name in enumerate(CRITERIA)
        ]

    def importances(self) -> list[dict[str, Any]]:
        """One record per column, the most important first."""
        return importance_records(self.forest)


def study_numbers(
    X: Any,
    y: NDArray[np.float64],
    *,
    n_estimators: int = 500,
    n_repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NumberStudy:
    """Out-of-fold R² of each criterion, by repeated 2-fold cross-validation on the same folds."""
    settings: dict[str, Any] = {"n_estimators": n_estimators, "n_jobs": n_jobs}
    r2 = np.empty((n_repeats, len(CRITERIA)))
    with Progress("forests", total=2 * n_repeats * len(CRITERIA), enabled=progress) as bar:
        for repeat in range(n_repeats):
            key = np.array(stream_key(seed, "folds", str(repeat)), dtype=np.uint64)
            order = np.random.Generator(np.random.Philox(key=key)).permutation(len(y))
            is_first = np.zeros(len(y), dtype=np.bool_)
            is_first[order[::2]] = True
            for k, options in enumerate(CRITERIA.values()):
                predicted = np.empty(len(y))
                for fold in (is_first, ~is_first):
                    model = RandomForestRegressor(**settings, **options, random_state=repeat)
                    model.fit(rows_of(X, ~fold), y[~fold])
                    predicted[fold] = model.predict(rows_of(X, fold))
                    bar.advance(1)
                r2[repeat, k] = 1 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2)
    return NumberStudy(r2, RandomForestRegressor(**settings, random_state=seed).fit(X, y))
