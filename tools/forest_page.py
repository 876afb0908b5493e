"""AUCs of the 19 sets → docs/forest_study.md, and the distances from what is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.forest.evaluate import AucTable
from bychance.paper.known_auc import FORESTS, KNOWN

# Of the paper's four forests; a tuned level is another matter.
CRITERIA = {name: FORESTS[name] for name in ("gini", "sgini", "agini")}
LIMIT = 4.0
FAIR_LIMIT = 3.0


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


def agreement(name: str, table: AucTable, criterion: str) -> Agreement:
    known, k = KNOWN[name], list(CRITERIA).index(criterion)
    means, errors = percent(table)
    at = table.names.index(criterion)
    return Agreement(float(means[at]), float(errors[at]), known.study[k], known.study_se, known.paper[k])


PAGE = """# The forest on 19 public sets

AUC in percent, by repeated stratified 2-fold cross-validation: the predictions of both halves are pooled;
with more than two classes every class is taken against the rest, weighted by its rows. The numbers of
repetitions of the paper's forests and of the other two stand beside each set. ± is the standard error over
repetitions: how much other halves and seeds would change a value, not other rows. Differences are taken on
the same halves.

This page is written by `make forest-study`.

## What adjusting the splits does

Gini, SGini and AGini(0.05) are the paper's forest, `RandomForestClassifier.from_paper`, with {paper_trees:,}
trees. `fair` is the default of `RandomForestClassifier`; scikit-learn's forest has its own defaults, with
categories as one-hot columns. Both have {trees:,} trees.

| set | repetitions | Gini | SGini − Gini | AGini(0.05) − Gini | fair | scikit-learn | fair − scikit-learn |
|---|---|---|---|---|---|---|---|
{effects}

{summary}

## Agreement with the paper

The paper's table (Romano et al. 2016) has no standard errors. The reference is another implementation of its
protocol, with 1,000 trees and 50 repetitions (HIV, c-to-u, mfeat-pixel and splice: 25). The distance from it
is in combined standard errors, in bold beyond {limit:g}. The reference has standard errors for Gini alone,
which are taken for all criteria.

| set | criterion | AUC | reference | distance | paper | AUC − paper |
|---|---|---|---|---|---|---|
{agreement}
"""


def page(paper: dict[str, AucTable], peers: dict[str, AucTable], paper_trees: int, trees: int) -> str:
    """The page, from the paper's forests and from the default beside scikit-learn's on the same sets."""
    rows = [
        _agreement_row(name, shown, agreement(name, table, criterion))
        for name, table in paper.items()
        for criterion, shown in CRITERIA.items()
    ]
    return PAGE.format(
        paper_trees=paper_trees,
        trees=trees,
        effects="\n".join(_effect_row(name, table, peers[name]) for name, table in paper.items()),
        summary=summary(peers),
        limit=LIMIT,
        agreement="\n".join(rows),
    )


def _effect_row(name: str, paper: AucTable, peers: AucTable) -> str:
    cells = (
        name,
        f"{len(paper.values)} / {len(peers.values)}",
        _figure(paper, "gini"),
        _change(paper, "sgini", "gini"),
        _change(paper, "agini", "gini"),
        _figure(peers, "fair"),
        _figure(peers, "sklearn"),
        _change(peers, "fair", "sklearn"),
    )
    return f"| {' | '.join(cells)} |"


def _figure(table: AucTable, name: str) -> str:
    means, errors = percent(table)
    k = table.names.index(name)
    return f"{means[k]:.2f} ± {errors[k]:.2f}"


def _change(table: AucTable, name: str, reference: str) -> str:
    mean, error = table.difference(name, reference)
    shown = f"{100 * mean:+.2f} ± {100 * error:.2f}"
    return f"**{shown}**" if name == "fair" and mean < -FAIR_LIMIT * error else shown


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


def summary(tables: dict[str, AucTable]) -> str:
    """How the default compares with scikit-learn's forest, in three lines."""
    differences = {name: table.difference("fair", "sklearn") for name, table in tables.items()}
    means = 100 * np.array([difference for difference, _ in differences.values()])
    error = 100 * float(np.sqrt(sum(se**2 for _, se in differences.values()))) / len(differences)
    better = [name for name, (difference, se) in differences.items() if difference > FAIR_LIMIT * se]
    worse = [name for name, (difference, se) in differences.items() if difference < -FAIR_LIMIT * se]
    return (
        f"`fair` − scikit-learn over {len(tables)} sets: mean {means.mean():+.2f} ± {error:.2f}, median "
        f"{np.median(means):+.2f}. By more than {FAIR_LIMIT:g} standard errors\n"
        f"it is better on {', '.join(better) or 'none'},\n"
        f"and worse (in bold) on {', '.join(worse) or 'none'}."
    )


def percent(table: AucTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard errors in percent."""
    return 100 * table.mean, 100 * table.standard_error
