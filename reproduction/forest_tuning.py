"""AGini at a tuned level, chosen on the scored rows, as in the paper, and on others."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.forest.curve import ScoreTable
from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.forest_drawing import gain_axis, set_axis
from reproduction.forest_tests import difference, gain_claims, mean_difference
from reproduction.forests import auc_tables, sets_at_hand, size_of, tuned_levels
from reproduction.item import Item, Outcome
from reproduction.known_auc import FORESTS, KNOWN
from reproduction.run import Run

__all__ = ["ITEM"]

WAYS = {
    "tuned": "chosen and scored on the same rows (the paper's way)",
    "honest": "chosen out of bag on the training rows",
}


def compute(run: Run) -> Outcome:
    """Compute the gain over Gini of the two ways to choose the level, on the same folds."""
    sets, repeats = sets_at_hand(run), run.size(10, 2)
    levels = tuned_levels(run, sets.names)
    tables = {}
    for name in sets.names:
        made = auc_tables(run, ("gini", levels[name], "oob"), [name], repeats=repeats)[name]
        tables[name] = ScoreTable(("gini", "tuned", "honest"), made.values)
    size = size_of(run, sets.names, repeats)
    records = [
        _record(name, way, tables[name], levels[name]) for name in KNOWN if name in tables for way in WAYS
    ]
    honest = [record for record in records if record["way"] == WAYS["honest"] and record["paper"] > 0.1]
    optimism, error = mean_difference(tables, "tuned", "honest")
    claims = [
        *gain_claims(tables, "honest", "AGini with α chosen on other rows", size),
        *(_claim(record, size_of(run, [record["set"]], repeats)) for record in honest),
        Claim(
            text="AUC with α chosen on the scored rows less that with α chosen on others, mean over sets",
            source="not in the paper",
            paper=0,
            ours=optimism,
            size=size,
            se=error,
            kind="above",
        ),
    ]
    columns = {key: [record[key] for record in records] for key in records[0]}
    return Outcome(columns, claims, left_out=sets.left_out)


def _record(name: str, way: str, table: ScoreTable, level: str) -> dict[str, Any]:
    over, error = difference(table, way)
    gini, *_, tuned = KNOWN[name].paper
    return {
        "set": name,
        "way": WAYS[way],
        "level": level if way == "tuned" else "one per fold",
        "over Gini": over,
        "standard error": error,
        "paper": round(tuned - gini, 2),
    }


def _claim(record: dict[str, Any], size: str) -> Claim:
    return Claim(
        text=f"{record['set']}: AGini with α chosen on other rows less Gini (paper {record['paper']:+})",
        source="Table 2",
        paper=0,
        ours=record["over Gini"],
        size=size,
        se=record["standard error"],
        kind="above",
    )


def draw(outcome: Outcome) -> Figure:
    """Draw the gain over Gini on each set with both ways, and the paper's."""
    table = outcome.table
    names = list(dict.fromkeys(table["set"]))
    figure = Figure(figsize=(7.2, 1.4 + 0.24 * len(names)))
    ax = figure.subplots()
    for k, (way, marker) in enumerate(zip(WAYS.values(), "os", strict=True)):
        at = [row for row, name in enumerate(table["way"]) if name == way]
        over, error, paper = (
            np.array([table[key][row] for row in at]) for key in ("over Gini", "standard error", "paper")
        )
        places = np.arange(len(names)) + 0.24 * (k - 0.5)
        style: dict[str, Any] = {"linestyle": "", "marker": marker, "color": COLORS[k]}
        ax.errorbar(over, places, xerr=2 * error, label=f"α {way}, ± 2 standard errors", **style)
    ax.plot(
        paper, range(len(names)), "D", mfc="none", color=COLORS[6], label=f"the paper's {FORESTS['tuned']}"
    )
    gain_axis(ax, "x")
    set_axis(ax, names)
    figure.legend(loc="outside lower center", ncols=1)
    return figure


ITEM = Item("forest_tuning", "AGini with α tuned on the scored rows and on others", compute, draw)
