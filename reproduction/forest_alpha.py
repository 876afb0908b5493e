"""AUC of AGini(α) forests against α, on average over the sets and on each."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.forest_drawing import gain_axis
from reproduction.forest_tests import Tables, difference, gain_claim, mean_difference, percent
from reproduction.forests import LEVELS, auc_tables, sets_at_hand, size_of
from reproduction.item import Item, Outcome
from reproduction.known_auc import KNOWN
from reproduction.run import Run

__all__ = ["ITEM"]

BEST = ("0.01", "0.05")  # by the caption of the figure
GOOD = ("0.05", "0.1")  # by the text
NAMED = {"HIV": 1, "monks1": 2, "monks2": 3}
MEAN = "mean over sets"


def compute(run: Run) -> Outcome:
    """Compute AUC at each level and its excess over Gini's, on each set and on average."""
    sets = sets_at_hand(run)
    tables = auc_tables(run, ("gini", "sgini", *LEVELS), sets.names)
    records = [
        _record(name, forest, *percent(tables[name], forest), *difference(tables[name], forest))
        for name in KNOWN
        if name in tables
        for forest in ("sgini", *LEVELS)
    ]
    for forest in ("sgini", *LEVELS):
        auc = float(np.mean([percent(table, forest)[0] for table in tables.values()]))
        error = float(np.sqrt(np.sum([percent(t, forest)[1] ** 2 for t in tables.values()]))) / len(tables)
        records.append(_record(MEAN, forest, auc, error, *mean_difference(tables, forest)))
    columns = {key: [record[key] for record in records] for key in records[0]}
    return Outcome(columns, _claims(tables, size_of(run, sets.names)), left_out=sets.left_out)


def _record(
    name: str, forest: str, auc: float, error: float, over: float, over_error: float
) -> dict[str, Any]:
    return {
        "set": name,
        "level": forest,
        "AUC": auc,
        "standard error": error,
        "over Gini": over,
        "standard error of that": over_error,
    }


def _claims(tables: Tables, size: str) -> list[Claim]:
    """Make the claims that some levels help, and that none beats the better of those in the caption."""
    claims = []
    for level in dict.fromkeys((*GOOD, *BEST)):
        over, error = mean_difference(tables, level)
        source = "Section 4.3" if level in GOOD else "Figure 9"
        claims.append(gain_claim(f"AGini({level}) less Gini", source, over, error, size))
    means = {level: mean_difference(tables, level)[0] for level in LEVELS}
    best = max(BEST, key=means.__getitem__)
    other = max((level for level in LEVELS if level not in BEST), key=means.__getitem__)
    over, error = mean_difference(tables, other, best)
    claims.append(
        Claim(
            text=f"α = 0.01 or 0.05 is best on average: α = {other} less α = {best}",
            source="Figure 9",
            paper=0,
            ours=over,
            size=size,
            se=error,
            kind="at_most",
        )
    )
    return claims


def draw(outcome: Outcome) -> Figure:
    """Draw the gain over Gini against α: its mean with two standard errors, and that of each set."""
    figure = Figure(figsize=(7.8, 3.8))
    mean_ax, sets_ax = figure.subplots(1, 2)
    names = [name for name in dict.fromkeys(outcome.table["set"]) if name != MEAN]
    for name in names:
        levels, over, _ = _curve(outcome, name)
        color = COLORS[NAMED[name]] if name in NAMED else "#999999"
        sets_ax.plot(levels, over, linewidth=1.6 if name in NAMED else 0.8, color=color)
        if name in NAMED:
            sets_ax.annotate(
                name, (levels[-1], over[-1]), (4, 0), textcoords="offset points", color=color, va="center"
            )
    levels, over, error = _curve(outcome, MEAN)
    band: dict[str, Any] = {"color": COLORS[0], "alpha": 0.2, "linewidth": 0}
    mean_ax.fill_between(levels, over - 2 * error, over + 2 * error, label="± 2 standard errors", **band)
    mean_ax.plot(levels, over, marker="o", color=COLORS[0], label="AGini(α)")
    at = list(zip(outcome.table["set"], outcome.table["level"], strict=True)).index((MEAN, "sgini"))
    mean_ax.axhline(outcome.table["over Gini"][at], color=COLORS[1], linestyle="--", label="SGini")
    mean_ax.axhline(0, color="black", linewidth=0.8)
    mean_ax.set(title=f"mean over {len(names)} sets", ylabel="AUC less that of Gini (percentage points)")
    mean_ax.legend()
    sets_ax.set(title="each set (linear within ± 0.1)")
    gain_axis(sets_ax, "y", "")
    for ax in (mean_ax, sets_ax):
        ax.set(xscale="log", xlabel="level α of AGini(α)")
        ax.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    return figure


def _curve(outcome: Outcome, name: str) -> tuple[Any, Any, Any]:
    table = outcome.table
    at = [
        k
        for k, (s, level) in enumerate(zip(table["set"], table["level"], strict=True))
        if s == name and level in LEVELS
    ]
    over, error = (np.array([table[key][k] for k in at]) for key in ("over Gini", "standard error of that"))
    return np.array([float(table["level"][k]) for k in at]), over, error


ITEM = Item("forest_alpha", "AUC of random forests against α", compute, draw)
