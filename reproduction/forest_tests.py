"""Tables of AUCs → means, paired differences and tests over repetitions and sets, in percent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bychance.forest.curve import ScoreTable
from reproduction.claims import Claim
from reproduction.known_auc import PAPER_WILCOXON

__all__ = ["difference", "gain_claim", "gain_claims", "mean_difference", "percent", "t_mark", "wilcoxon_p"]

Tables = Mapping[str, ScoreTable]


def percent(table: ScoreTable, forest: str) -> tuple[float, float]:
    """Return the mean AUC of a forest in percent, and its standard error."""
    k = table.names.index(forest)
    return 100 * float(table.mean[k]), 100 * float(table.standard_error[k])


def difference(table: ScoreTable, forest: str, reference: str = "gini") -> tuple[float, float]:
    """Return how much larger a forest's AUC is on the same folds, and its standard error."""
    mean, error = table.difference(forest, reference)
    return 100 * mean, 100 * error


def mean_difference(tables: Tables, forest: str, reference: str = "gini") -> tuple[float, float]:
    """Return the mean of that difference over sets, and its standard error for other folds."""
    found = np.array([difference(table, forest, reference) for table in tables.values()])
    return float(found[:, 0].mean()), float(np.sqrt((found[:, 1] ** 2).sum())) / len(found)


def gain_claim(text: str, source: str, over: float, error: float, size: str) -> Claim:
    """Make the claim that a difference in AUC, in percent and the mean over sets, is above 0."""
    text = f"{text}, AUC in percent, mean over sets"
    return Claim(text=text, source=source, paper=0, ours=over, size=size, se=error, kind="above")


def gain_claims(tables: Tables, forest: str, shown: str, size: str) -> list[Claim]:
    """Make the claims that a forest is better than Gini: by the mean and the signed-rank test over sets."""
    over, error = mean_difference(tables, forest)
    said = f" (paper {PAPER_WILCOXON[forest]})" if forest in PAPER_WILCOXON else ""
    return [
        gain_claim(f"{shown} less Gini", "Section 4.3", over, error, size),
        Claim(
            text=f"{shown} above Gini over sets: one-sided Wilcoxon p{said} below 0.05",
            source="Table 2",
            paper=0.05,
            ours=wilcoxon_p(tables, forest),
            size=size,
            kind="below",
        ),
    ]


def t_mark(table: ScoreTable, forest: str) -> str:
    """Return the mark of paired one-sided t-tests at 0.05: + above Gini, - below, = neither.

    >>> values = np.array([[0.8, 0.9], [0.7, 0.9], [0.8, 0.8]])
    >>> t_mark(ScoreTable(("gini", "sgini"), values), "sgini")
    '='
    """
    from scipy import stats

    ours, theirs = (table.values[:, table.names.index(name)] for name in (forest, "gini"))
    if np.all(ours == theirs):
        return "="
    sides: dict[str, Any] = {"+": "greater", "-": "less"}
    for sign, side in sides.items():
        if stats.ttest_rel(ours, theirs, alternative=side).pvalue < 0.05:
            return sign
    return "="


def wilcoxon_p(tables: Tables, forest: str) -> float:
    """Test if the forest's AUC exceeds Gini's over sets: one-sided signed-rank, normal with continuity."""
    from scipy import stats

    over = [difference(table, forest)[0] for table in tables.values()]
    found = stats.wilcoxon(over, alternative="greater", correction=True, method="approx")
    return float(found.pvalue)
