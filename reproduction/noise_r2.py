"""The first noise figure: r² and adjusted r² of a linear relationship among 30 points."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from reproduction.claims import N_ERRORS, Claim
from reproduction.item import Item, Outcome
from reproduction.noise import LEVELS, draw_noise, range_claims, sample_points
from reproduction.run import Run
from reproduction.simulate import mean_and_error, simulate

__all__ = ["ITEM"]

N = 30
# 100,000 simulations with another program from 10% noise on, standard errors at most 0.0005.
INDEPENDENT = {
    "r²": [0.8135, 0.6472, 0.5023, 0.3773, 0.2711, 0.1845, 0.1190, 0.0709, 0.0432, 0.0344],
    "Ar²": [0.8068, 0.6346, 0.4846, 0.3551, 0.2450, 0.1554, 0.0876, 0.0378, 0.0090, -0.0001],
}


def compute(run: Run) -> Outcome:
    """Compute means of both at every level of noise."""
    runs = run.size(2_000, 200)
    size = f"{runs:,} simulations a level"
    scores = simulate(run, "r2", sizes=[N], noises=LEVELS, runs=runs)
    at_levels = [scores[N, level] for level in LEVELS]
    columns = {
        "r²": [mean_and_error(score.observed) for score in at_levels],
        "Ar²": [score.adjusted_mean for score in at_levels],
    }
    table: dict[str, list[Any]] = {"noise": LEVELS}
    for name, figures in columns.items():
        table[name], table[f"{name}_se"] = ([pair[k] for pair in figures] for k in (0, 1))
    source = "Figure 1"
    claims = range_claims(table, "r²", "Ar²", source, size)
    for name, expected in INDEPENDENT.items():
        apart = np.abs(np.array(table[name][1:]) - expected) / np.hypot(table[f"{name}_se"][1:], 0.0005)
        claims.append(
            Claim(
                text=f"{name} at ten levels: most standard errors from the reference",
                source="independent check",
                paper=N_ERRORS,
                ours=float(apart.max()),
                size=size,
                kind="at_most",
            )
        )
    return Outcome(table, claims, {"points": sample_points("linear", N, run.seed)})


ITEM = Item(
    "noise_r2",
    "r² and Ar² against noise",
    compute,
    partial(draw_noise, names=("r²", "Ar²"), about=f"linear relationship, n = {N}"),
)
