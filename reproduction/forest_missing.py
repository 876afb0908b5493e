"""The paper's forests with missing values, removed at random because its sets are complete."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.forest_drawing import gain_axis
from reproduction.forest_tests import difference, gain_claim, mean_difference, percent, wilcoxon_p
from reproduction.forests import auc_tables, sets_at_hand, size_of
from reproduction.item import Item, Outcome
from reproduction.known_auc import FORESTS, KNOWN
from reproduction.run import Run

__all__ = ["ITEM"]

SHARES = (0.0, 0.1, 0.3)
CRITERIA = {"gini": FORESTS["gini"], "sgini": FORESTS["sgini"], "0.05": FORESTS["agini"]}
SOURCE = "Section 4.3"
MEAN = "mean over sets"


def compute(run: Run) -> Outcome:
    """Compute AUCs of the three forests on each set, complete and with values removed."""
    sets, repeats = sets_at_hand(run), run.size(10, 2)
    size = size_of(run, sets.names, repeats)
    records, claims = [], list[Claim]()
    for share in SHARES:
        tables = auc_tables(run, tuple(CRITERIA), sets.names, repeats=repeats, missing=share)
        for name in (name for name in KNOWN if name in tables):
            records += [
                _record(
                    share, name, forest, percent(tables[name], forest)[0], *difference(tables[name], forest)
                )
                for forest in CRITERIA
            ]
        for forest in list(CRITERIA)[1:]:
            auc = float(np.mean([percent(table, forest)[0] for table in tables.values()]))
            over, error = mean_difference(tables, forest)
            records.append(_record(share, MEAN, forest, auc, over, error))
            if share:
                p = wilcoxon_p(tables, forest)
                claims += _claims(CRITERIA[forest], share, over, error, p, size)
    columns = {key: [record[key] for record in records] for key in records[0]}
    return Outcome(columns, claims, left_out=sets.left_out)


def _record(share: float, name: str, forest: str, auc: float, over: float, error: float) -> dict[str, Any]:
    return {
        "missing": share,
        "set": name,
        "forest": CRITERIA[forest],
        "AUC": auc,
        "over Gini": over,
        "standard error of that": error,
    }


def _claims(forest: str, share: float, over: float, error: float, p: float, size: str) -> list[Claim]:
    where = f"with {share:.0%} of values missing"
    return [
        gain_claim(f"{forest} less Gini {where}", SOURCE, over, error, size),
        Claim(
            text=f"{forest} above Gini {where} over sets: one-sided Wilcoxon p below 0.05",
            source=SOURCE,
            paper=0.05,
            ours=p,
            size=size,
            kind="below",
        ),
    ]


def draw(outcome: Outcome) -> Figure:
    """Draw the gain over Gini against the share of missing values: a thin line per set, and the mean."""
    table = outcome.table
    names = [name for name in dict.fromkeys(table["set"]) if name != MEAN]
    figure = Figure(figsize=(7.2, 4.4))
    axes, shares = figure.subplots(1, 2, sharey=True), 100 * np.array(SHARES)
    for k, (ax, forest) in enumerate(zip(axes, list(CRITERIA.values())[1:], strict=True)):
        for name in names:
            over, _ = _gains(outcome, name, forest)
            ax.plot(shares, over, color="#999999", linewidth=0.8, label="a set")
        over, error = _gains(outcome, MEAN, forest)
        label = f"{forest}, mean over {len(names)} sets, ± 2 standard errors"
        style: dict[str, Any] = {"marker": "os"[k], "capsize": 3, "color": COLORS[k], "linewidth": 2}
        ax.errorbar(shares, over, yerr=2 * error, label=label, **style)
        ax.set(title=forest, xlabel="values removed (%)")
        ax.set_xticks(shares)
    for ax in axes:
        gain_axis(ax, "y", "")
    axes[0].set_ylabel("AUC less that of Gini\n(percentage points; linear within ± 0.1)")
    labelled = {
        label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(labelled.values(), labelled.keys(), loc="outside lower center", ncols=1)
    return figure


def _gains(outcome: Outcome, name: str, forest: str) -> tuple[Any, Any]:
    rows = zip(
        *(outcome.table[key] for key in ("set", "forest", "over Gini", "standard error of that")), strict=True
    )
    found = np.array([(over, error) for s, f, over, error in rows if (s, f) == (name, forest)])
    return found[:, 0], found[:, 1]


ITEM = Item("forest_missing", "The same forests with values removed at random", compute, draw)
