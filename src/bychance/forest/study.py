"""study_forest() and study_numbers(): the criteria side by side on one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.curve import AlphaCurve, agini_makers, with_changes
from bychance.forest.evaluate import ScoreTable, compare_auc, compare_r2
from bychance.forest.parameters import GRID
from bychance.forest.regressor import RandomForestRegressor
from bychance.progress import Progress

__all__ = ["ForestStudy", "study_forest", "study_numbers"]

# By the names of the table of AUCs, which has the levels of the curve as well.
CRITERIA = {"gini": "Gini", "sgini": "SGini", "0.05": "AGini(0.05)", "tuned": "AGini(tuned)", "fair": "fair"}
NUMBER_CRITERIA: dict[str, dict[str, Any]] = {
    "variance": {"criterion": "variance"},
    "standardized": {"criterion": "standardized"},
    "adjusted(0.05)": {"criterion": "adjusted"},
    "fair": {},
}


@dataclass(frozen=True, slots=True, eq=False)
class ForestStudy:
    """AUCs, or R² of numbers, and for classes the curve of alpha."""

    scores: ScoreTable
    curve: AlphaCurve | None = field(default=None, repr=False)

    def criteria(self) -> list[dict[str, Any]]:
        """One record per criterion: its score and how far it exceeds that of raw gains, with errors."""
        score, raw, shown = "auc", "gini", CRITERIA
        if self.curve is None:
            score, raw, shown = "r2", "variance", {name: name for name in NUMBER_CRITERIA}
        keys = (score, f"{score}_se", f"over_{raw}", f"over_{raw}_se")
        records = []
        for name, criterion in shown.items():
            k = self.scores.names.index(name)
            own = self.scores.mean[k], self.scores.standard_error[k]
            figures = map(float, (*own, *self.scores.difference(name, raw)))
            records.append({"criterion": criterion, **dict(zip(keys, figures, strict=True))})
        return records


def study_forest(
    X: Any,
    y: Any,
    *,
    n_estimators: int = 500,
    n_repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ForestStudy:
    """The paper's criteria and the default beside each other, by repeated 2-fold cross-validation.

    Gini, SGini and AGini are as in the paper. AGini(tuned) chooses its level out of bag on the training rows
    of every fold, so that no row that it is scored on had a say; the best point of the curve, in contrast,
    is chosen and scored on the same rows.
    """
    settings: dict[str, Any] = {"n_estimators": n_estimators, "n_jobs": n_jobs}
    paper = RandomForestClassifier.from_paper(**settings)
    fair = RandomForestClassifier(**settings)
    makers = agini_makers(paper, GRID)
    makers["tuned"] = partial(with_changes, paper, {"alpha": "oob"})
    makers["fair"] = partial(with_changes, fair, {})
    with Progress("forests", total=2 * n_repeats * len(makers), enabled=progress) as bar:
        auc = compare_auc(makers, X, y, n_repeats=n_repeats, seed=seed, tick=bar.advance)
    return ForestStudy(auc, AlphaCurve(GRID, auc))


def study_numbers(
    X: Any,
    y: NDArray[np.float64],
    *,
    n_estimators: int = 500,
    n_repeats: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ForestStudy:
    """The criteria of regression beside each other, on the same folds."""
    fair = RandomForestRegressor(n_estimators=n_estimators, n_jobs=n_jobs)
    makers = {name: partial(with_changes, fair, changes) for name, changes in NUMBER_CRITERIA.items()}
    with Progress("forests", total=2 * n_repeats * len(makers), enabled=progress) as bar:
        r2 = compare_r2(makers, X, y, n_repeats=n_repeats, seed=seed, tick=bar.advance)
    return ForestStudy(r2)
