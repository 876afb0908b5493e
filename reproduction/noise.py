"""A measure and its adjustment against the share of noise: what two figures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bychance.plots import COLORS
from reproduction.claims import N_ERRORS, Claim
from reproduction.item import Outcome
from reproduction.simulate import noisy_sample

__all__ = ["LEVELS", "draw_noise", "range_claims", "sample_points"]

LEVELS = [round(0.1 * step, 1) for step in range(11)]


def sample_points(shape: str, n: int, seed: int) -> list[Any]:
    """Draw one sample per level of noise."""
    return [noisy_sample(np.random.default_rng([seed, k]), shape, n, level) for k, level in enumerate(LEVELS)]


def range_claims(table: dict[str, list[Any]], raw: str, adjusted: str, source: str, size: str) -> list[Claim]:
    """Make the claims about noise alone: the raw measure is not zero, the adjusted one is."""
    last = {name: table[name][-1] for name in table}
    steps = -np.diff(table[adjusted])
    errors = np.hypot(table[f"{adjusted}_se"][1:], table[f"{adjusted}_se"][:-1])
    least = int(np.argmin(steps - N_ERRORS * errors))
    return [
        Claim(
            text=f"mean {raw} at 100% noise",
            source=source,
            paper=0,
            ours=last[raw],
            se=last[f"{raw}_se"],
            size=size,
            kind="above",
        ),
        Claim(
            text=f"mean {adjusted} at 100% noise",
            source=source,
            paper=0,
            ours=last[adjusted],
            se=last[f"{adjusted}_se"],
            size=size,
        ),
        Claim(
            text=f"mean {adjusted} without noise",
            source=source,
            paper=1,
            ours=table[adjusted][0],
            rounding=1e-9,
            size=size,
        ),
        Claim(
            text=f"least fall of mean {adjusted} from one level of noise to the next",
            source=source,
            paper=0,
            ours=float(steps[least]),
            se=float(errors[least]),
            size=size,
            kind="above",
        ),
    ]


def draw_noise(outcome: Outcome, names: Sequence[str], about: str) -> Figure:
    """Draw a sample of every level of noise above the means, with bands of two standard errors."""
    figure = Figure(figsize=(10, 4.6))
    layout: list[Any] = [[f"sample {k}" for k in range(len(LEVELS))], *[["means"] * len(LEVELS)] * 2]
    axes = figure.subplot_mosaic(layout)
    for k, (x, y) in enumerate(outcome.shown["points"]):
        ax = axes[f"sample {k}"]
        ax.plot(x, y, ".", color="#444444", markersize=3)
        ax.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xticks=[], yticks=[], aspect="equal")
        ax.set_title(f"{LEVELS[k]:.0%}", loc="center", fontweight="normal")
        for spine in ax.spines.values():
            spine.set(visible=True, color="#bbbbbb")
    means, table = axes["means"], outcome.table
    percent = 100 * np.asarray(table["noise"])
    for name, color, place in zip(names, COLORS, ((0, 7), (0, -15)), strict=False):
        mean, error = np.asarray(table[name]), np.asarray(table[f"{name}_se"])
        means.fill_between(percent, mean - 2 * error, mean + 2 * error, color=color, alpha=0.3, linewidth=0)
        means.plot(percent, mean, "o-", color=color, label=f"{name}, mean ± 2 SE")
        for x, y in zip(percent, mean, strict=True):
            means.annotate(
                f"{y:z.2f}",
                (x, y),
                place,
                textcoords="offset points",
                ha="center",
                color=color,
                fontsize=8.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )
    means.axhline(0, color="black", linewidth=0.8)
    means.set(xlabel="share of points that are noise (%)", ylabel="mean", xticks=percent)
    means.set(xlim=(-4.5, 104.5), ylim=(-0.12, 1.1))
    means.legend(title=about, alignment="left")
    return figure
