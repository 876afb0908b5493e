"""study_forest(): the criteria side by side on one table, the curve of alpha, and what columns matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.curve import AlphaCurve, agini_makers, with_changes
from bychance.forest.evaluate import AucTable, compare_auc
from bychance.forest.forest import importance_records
from bychance.forest.parameters import GRID
from bychance.progress import Progress

__all__ = ["ForestStudy", "study_forest"]

# By the names of the table of AUCs, which has the levels of the curve as well.
CRITERIA = {"gini": "Gini", "sgini": "SGini", "0.05": "AGini(0.05)", "tuned": "AGini(tuned)", "fair": "fair"}


@dataclass(frozen=True, slots=True, eq=False)
class ForestStudy:
    """What `study_forest` finds: AUCs, the curve of alpha, and the default forest fitted on all rows."""

    auc: AucTable
    curve: AlphaCurve = field(repr=False)
    forest: RandomForestClassifier = field(repr=False)

    def criteria(self) -> list[dict[str, Any]]:
        """One record per criterion: its AUC and how much it exceeds Gini's, with standard errors."""
        records = []
        for name, shown in CRITERIA.items():
            k = self.auc.names.index(name)
            over, over_se = self.auc.difference(name, "gini")
            figures = (self.auc.mean[k], self.auc.standard_error[k], over, over_se)
            keys = ("auc", "auc_se", "over_gini", "over_gini_se")
            records.append({"criterion": shown, **dict(zip(keys, map(float, figures), strict=True))})
        return records

    def importances(self) -> list[dict[str, Any]]:
        """One record per column, the most important first."""
        return importance_records(self.forest)


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
    return ForestStudy(auc, AlphaCurve(GRID, auc), with_changes(fair, {}, seed).fit(X, y))
