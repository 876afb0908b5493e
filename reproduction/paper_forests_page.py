"""AUCs of the 19 sets → docs/paper_forests.md, and the distances from what is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.forest.curve import ScoreTable
from reproduction.known_auc import FORESTS, KNOWN

# Of the paper's four forests; a tuned level is another matter.
CRITERIA = {name: FORESTS[name] for name in ("gini", "sgini", "agini")}
LIMIT = 4.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """One set and criterion of the paper: what was found, and how far it is from what is known."""

    auc: float
    auc_se: float
    study: float
    study_se: float
    paper: float

    @property
    def distance(self) -> float:
        """From the study, in combined standard errors."""
        return (self.auc - self.study) / float(np.hypot(self.auc_se, self.study_se))


def agreement(name: str, table: ScoreTable, criterion: str) -> Agreement:
    """Compare the AUC of a forest on a set with the study's and the paper's."""
    known, k = KNOWN[name], list(CRITERIA).index(criterion)
    means, errors = percent(table)
    at = table.names.index(criterion)
    return Agreement(float(means[at]), float(errors[at]), known.study[k], known.study_se, known.paper[k])


PAGE = """# The paper's forests on its 19 sets

AUC in percent, by repeated stratified 2-fold cross-validation: the predictions of both halves are pooled;
with more than two classes every class is taken against the rest, weighted by its rows. ± is the standard
error over repetitions: how much other halves and seeds would change a value, not other rows. Differences
are taken on the same halves. How the default forest compares with other packages' is in
[forest_study.md](forest_study.md).

This page is written by `make paper-forests`.

## What adjusting the splits does

Gini, SGini and AGini(0.05) are the paper's forest, `RandomForestClassifier.from_paper`, with {trees:,} trees.

| set | repetitions | Gini | SGini − Gini | AGini(0.05) − Gini |
|---|---|---|---|---|
{effects}

## Agreement with the paper

The paper's table (Romano et al. 2016) has no standard errors. The reference is another implementation of its
protocol, with 1,000 trees and 50 repetitions (HIV, c-to-u, mfeat-pixel and splice: 25). The distance from it
is in combined standard errors, in bold beyond {limit:g}. The reference has standard errors for Gini alone,
which are taken for all criteria.

| set | criterion | AUC | reference | distance | paper | AUC − paper |
|---|---|---|---|---|---|---|
{agreement}
"""


def page(tables: dict[str, ScoreTable], trees: int) -> str:
    """The page, from the AUCs of each set."""
    rows = [
        _agreement_row(name, shown, agreement(name, table, criterion))
        for name, table in tables.items()
        for criterion, shown in CRITERIA.items()
    ]
    return PAGE.format(
        trees=trees,
        effects="\n".join(_effect_row(name, table) for name, table in tables.items()),
        limit=LIMIT,
        agreement="\n".join(rows),
    )


def _effect_row(name: str, table: ScoreTable) -> str:
    cells = (
        name,
        str(len(table.values)),
        _figure(table, "gini"),
        _change(table, "sgini", "gini"),
        _change(table, "agini", "gini"),
    )
    return f"| {' | '.join(cells)} |"


def _figure(table: ScoreTable, name: str) -> str:
    means, errors = percent(table)
    k = table.names.index(name)
    return f"{means[k]:.2f} ± {errors[k]:.2f}"


def _change(table: ScoreTable, name: str, reference: str) -> str:
    mean, error = table.difference(name, reference)
    return f"{100 * mean:+.2f} ± {100 * error:.2f}"


def _agreement_row(name: str, shown: str, found: Agreement) -> str:
    distance = f"{found.distance:+.1f}"
    cells = (
        name,
        shown,
        f"{found.auc:.2f} ± {found.auc_se:.2f}",
        f"{found.study:.2f} ± {found.study_se:.2f}",
        f"**{distance}**" if abs(found.distance) > LIMIT else distance,
        f"{found.paper:.2f}",
        f"{found.auc - found.paper:+.2f}",
    )
    return f"| {' | '.join(cells)} |"


def percent(table: ScoreTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard errors in percent."""
    return 100 * table.mean, 100 * table.standard_error
