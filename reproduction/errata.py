"""The paper's errata: what is printed, what a computation gives, and three of them drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bychance as bc
from bychance.plots import COLORS
from reproduction.errata_checks import CHECKS, sr2_at_equal_p
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.simulate import simulate

__all__ = ["ITEM"]

SIZES = (10, 20, 30, 40, 60, 80, 100)


def compute(run: Run) -> Outcome:
    """Compute each erratum as the claim that does not hold."""
    claims = [(number, check(run)) for number, checks in CHECKS.items() for check in checks]
    table: dict[str, list[Any]] = {
        "erratum": [number for number, _ in claims],
        "where": [claim.source for _, claim in claims],
        "what": [claim.text for _, claim in claims],
        "printed": [str(claim.paper) for _, claim in claims],
        "right": [str(claim.ours) for _, claim in claims],
        "confirmed": [claim.verdict == "does not hold" for _, claim in claims],
    }
    scores = simulate(run, "r2", sizes=list(SIZES), noises=[0.2], runs=run.size(20_000, 2_000))
    shown = {n: scores[n, 0.2].adjusted_mean for n in SIZES}
    return Outcome(table, [claim for _, claim in claims], {"Ar²": shown})


def draw(outcome: Outcome) -> Figure:
    """Draw a bound that is no quantile, two orders that differ, and a mean that is nearly constant."""
    figure = Figure(figsize=(10.5, 3.4))
    bound, orders, mean = figure.subplots(1, 3)
    _draw_bound(bound)
    orders.plot(SIZES, [sr2_at_equal_p(n) for n in SIZES], marker="o", color=COLORS[0])
    orders.set(title="p-values and Sr² rank differently", xlabel="n", ylabel="Sr² of an r² with p = 0.001")
    values, errors = np.array(list(outcome.shown["Ar²"].values())).T
    band: dict[str, Any] = {"color": COLORS[0], "alpha": 0.2, "linewidth": 0}
    mean.fill_between(SIZES, values - 2 * errors, values + 2 * errors, label="± 2 standard errors", **band)
    mean.plot(SIZES, values, marker="o", color=COLORS[0], label="mean Ar²")
    mean.axhline(0.64, color="black", linestyle="--", linewidth=0.8, label="population value 0.64")
    mean.set(title="Ar² is unbiased only nearly", xlabel="n", ylabel="mean of Ar² at 20% noise")
    mean.legend(loc="lower right")
    return figure


def _draw_bound(ax: Axes) -> None:
    """Draw Cantelli's bound and the quantile of Gini gain against α."""
    alphas = np.linspace(0.01, 0.6, 60)
    x, y = np.arange(100) * 3 // 100, np.arange(100) % 2
    for k, (null, label) in enumerate((("paper", "Cantelli's bound (paper)"), ("exact", "exact quantile"))):
        law = bc.adjust("gini", x, y, null=null).null
        ax.plot(alphas, [law.quantile(1 - alpha) for alpha in alphas], color=COLORS[1 - k], label=label)
    ax.set(title="Cantelli's bound is no quantile", xlabel="α", ylabel="Gini gain (3 categories, n = 100)")
    ax.legend()


ITEM = Item("errata", "Errata", compute, draw)
