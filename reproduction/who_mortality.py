"""Maternal mortality: the indicator that goes with it most by MIC and its adjustments."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import bychance as bc
from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.who import FILE, read_who, title_of, values_of

__all__ = ["ITEM"]

MORTALITY = "Maternal_mortality"
OIL = "Oil_consumption_per_person"
LOST = (
    "Years of life lost to communicable diseases (%)",
    "Years of life lost to non-communicable diseases (%)",
)
EITHER = "years of life lost to communicable or non-communicable diseases"
# What to order by, at which level, and what the paper finds. Its text says α = 0.01, its caption 0.1.
PAPER = {
    "MIC": ("observed", 0.1, OIL),
    "AMIC": ("adjusted", 0.1, OIL),
    "SMIC": ("standardized", 0.1, EITHER),
    "AMIC(0.1)": ("adjusted_at", 0.1, EITHER),
    "AMIC(0.01)": ("adjusted_at", 0.01, EITHER),
}


def compute(run: Run) -> Outcome:
    """Find the top partner of maternal mortality by each score."""
    path = run.data.file(FILE)
    settings = [
        {"by": by, "alpha": alpha, "draws": run.size(run.permutations, 99), "step": run.size(1, 10)}
        for by, alpha, _ in PAPER.values()
    ]
    tops = run.pieces("who_mortality", partial(top_partner, path=str(path)), settings)
    table: dict[str, list[Any]] = {
        "score": list(PAPER),
        "top partner": [str(top["x"]) for top in tops],
        "n": [int(top["n"]) for top in tops],
        "MIC": [float(top["mic"]) for top in tops],
    }
    claims = [
        Claim(
            text=f"maternal mortality: the top partner by {score}",
            source="Figure 8",
            paper=title_of(PAPER[score][2]),
            ours=EITHER if partner in LOST else title_of(partner),
            size=f"n = {n}, {settings[0]['draws']:,} permutations per pair",
            kind="same",
        )
        for score, partner, n in zip(table["score"], table["top partner"], table["n"], strict=True)
    ]
    values = values_of(read_who(path))
    shown = {"x": {name: values[name] for name in (OIL, *LOST)}, "y": values[MORTALITY]}
    return Outcome(table, claims, shown)


def top_partner(*, seed: int, by: str, alpha: float, draws: int, step: int, path: str) -> dict[str, Any]:
    """Return the best record of a ranking by MIC, in a quick run among fewer indicators."""
    table = read_who(Path(path))
    others = [name for name in table.names if name != MORTALITY]
    asked = [name for k, name in enumerate(others) if k % step == 0 or name in (OIL, *LOST)]
    ranking = bc.rank(
        table, x=asked, y=MORTALITY, measure="mic", null=bc.Permutation(draws), by=by, alpha=alpha, rng=seed
    )
    top = next(ranking.best(1))
    return {"x": top["x"], "n": top["n"], "mic": top["observed"]}


def draw(outcome: Outcome) -> Figure:
    """Draw maternal mortality against the indicators that lead, and the scores by which they do."""
    figure = Figure(figsize=(8.4, 3.6))
    deaths, tops = outcome.shown["y"], outcome.table["top partner"]
    led = {
        name: [score for score, top in zip(outcome.table["score"], tops, strict=True) if top == name]
        for name in outcome.shown["x"]
    }
    names = [name for name, scores in led.items() if scores]
    axes = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    labels = {
        OIL: "oil consumption per person\n(tonnes a year)",
        LOST[0]: "years of life lost to\ncommunicable diseases (%)",
        LOST[1]: "years of life lost to\nnon-communicable diseases (%)",
    }
    for ax, name in zip(axes, names, strict=True):
        x = outcome.shown["x"][name]
        n = int(np.sum(~np.isnan(x) & ~np.isnan(deaths)))
        ax.scatter(x, deaths, s=14, color=COLORS[0], alpha=0.7)
        ax.set(xlabel=labels[name], title=f"first by {', '.join(led[name])}\n(n = {n})")
    axes[0].set_ylabel("maternal deaths per 100,000 live births")
    return figure


ITEM = Item(
    "who_mortality",
    "Maternal mortality: the top partner by MIC and its adjustments",
    compute,
    draw,
    needs=(FILE,),
)
