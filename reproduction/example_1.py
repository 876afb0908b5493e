"""Example 1: the MIC of independent variables is far from zero, and the further the fewer the points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.simulate import mean_and_error, simulate

__all__ = ["ITEM"]

PAPER = {20: 0.36, 80: 0.25}
INDEPENDENT = {20: 0.358, 80: 0.245}  # reference simulations with another kernel


def compute(run: Run) -> Outcome:
    """Compute MIC and AMIC of independent uniform variables at both sizes."""
    runs = run.size(10_000, 400)
    size = f"{runs:,} simulations"
    scores = simulate(run, "mic", sizes=list(PAPER), noises=[1.0], runs=runs)
    raw = {n: mean_and_error(scores[n, 1.0].observed) for n in PAPER}
    adjusted = {n: scores[n, 1.0].adjusted_mean for n in PAPER}
    claims = [
        Claim(
            text=f"mean {name} of {n} independent points",
            source=source,
            paper=paper,
            ours=mean,
            se=error,
            rounding=rounding,
            size=size,
        )
        for name, source, figures, expected, rounding in (
            ("MIC", "Example 1", raw, PAPER, 0.005),
            ("MIC", "independent check", raw, INDEPENDENT, 0.0005),
            ("AMIC", "Property 3.1", adjusted, dict.fromkeys(PAPER, 0), 0.0),
        )
        for (n, (mean, error)), paper in zip(figures.items(), expected.values(), strict=True)
    ]
    claims.append(
        Claim(
            text="mean MIC at n = 20 less that at n = 80",
            source="Example 1",
            paper=0,
            ours=raw[20][0] - raw[80][0],
            se=math.hypot(raw[20][1], raw[80][1]),
            size=size,
            kind="above",
        )
    )
    table: dict[str, list[Any]] = {"n": list(PAPER)}
    for name, figures in (("MIC", raw), ("AMIC", adjusted)):
        table[name], table[f"{name}_se"] = ([figures[n][k] for n in PAPER] for k in (0, 1))
    shown = {
        "MIC": [scores[n, 1.0].observed for n in PAPER],
        "AMIC (adjusted)": [scores[n, 1.0].adjusted for n in PAPER],
    }
    return Outcome(table, claims, shown)


def draw(outcome: Outcome) -> Figure:
    """Draw box plots of both, with their means."""
    figure = Figure(figsize=(6.4, 3.8))
    for ax, (name, samples) in zip(figure.subplots(1, 2), outcome.shown.items(), strict=True):
        boxes = ax.boxplot(
            samples,
            widths=0.5,
            patch_artist=True,
            medianprops={"color": "black"},
            flierprops={"marker": ".", "markersize": 2, "alpha": 0.4, "markeredgecolor": "#666666"},
        )
        for box, color in zip(boxes["boxes"], COLORS, strict=False):
            box.set(facecolor=color, alpha=0.75)
        means = [float(np.mean(sample)) for sample in samples]
        ax.plot([1, 2], means, "D", color="white", markeredgecolor="black", label="mean")
        for place, mean in enumerate(means, 1):
            ax.annotate(f"{mean:z.2f}", (place, mean), (31, 3), textcoords="offset points")
        ax.axhline(0, color="black", linewidth=0.8, linestyle="--")
        ax.set_xticks([1, 2], [f"n = {n}" for n in outcome.table["n"]])
        ax.set(title=name, ylabel=f"{name.split()[0]} of independent variables", xlim=(0.5, 2.7))
        ax.grid(visible=False, axis="x")
    figure.axes[0].legend(loc="upper right")
    return figure


ITEM = Item("example_1", "MIC of independent variables", compute, draw)
