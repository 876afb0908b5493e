"""The second noise figure: MIC and AMIC of a quadratic relationship among 60 points, 30 permutations each."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import bychance as bc
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.noise import LEVELS, draw_noise, range_claims, sample_points
from reproduction.run import Run
from reproduction.simulate import mean_and_error, noisy_sample

__all__ = ["ITEM"]

N, PERMUTATIONS = 60, 30


def compute(run: Run) -> Outcome:
    """Compute means of both at every level of noise."""
    runs = run.size(2_000, 40)
    settings = [{"noise": level, "runs": runs} for level in LEVELS]
    made = run.pieces("noise_mic", mic_and_amic, settings)
    table: dict[str, list[Any]] = {"noise": LEVELS}
    for name in ("MIC", "AMIC"):
        figures = [mean_and_error(piece[name]) for piece in made]
        table[name], table[f"{name}_se"] = ([pair[k] for pair in figures] for k in (0, 1))
    source, size = "Figure 2", f"{runs:,} simulations a level, S = {PERMUTATIONS}"
    claims = [
        Claim(
            text="mean MIC at 100% noise",
            source=source,
            paper=0.26,
            ours=table["MIC"][-1],
            se=table["MIC_se"][-1],
            rounding=0.005,
            size=size,
        ),
        *range_claims(table, "MIC", "AMIC", source, size),
        _few_suffice(run, made[-1], size),
    ]
    return Outcome(table, claims, {"points": sample_points("quadratic", N, run.seed)})


def mic_and_amic(seed: int, noise: float, runs: int) -> dict[str, Any]:
    """Compute MIC of every sample, and its adjustment by the mean of 30 permutations of that sample."""
    rng = np.random.default_rng([seed, round(100 * noise)])
    mic, amic = [], []
    for _ in range(runs):
        x, y = noisy_sample(rng, "quadratic", N, noise)
        observed = bc.measure("mic", x, y)
        by_chance = np.mean([bc.measure("mic", x, rng.permutation(y)) for _ in range(PERMUTATIONS)])
        mic.append(observed)
        amic.append((observed - by_chance) / (1 - by_chance))
    return {"MIC": mic, "AMIC": amic}


def _few_suffice(run: Run, noise_alone: dict[str, Any], size: str) -> Claim:
    """Return the mean of AMIC, less that of the same samples adjusted by 10,000 permutations."""
    sample = noisy_sample(np.random.default_rng([run.seed, N]), "linear", N, 1.0)
    null = bc.adjust("mic", *sample, null="paper", rng=run.seed).null
    by_many = (noise_alone["MIC"] - null.mean) / (1 - null.mean)
    over, error = mean_and_error(noise_alone["AMIC"] - by_many)
    return Claim(
        text="mean AMIC by S = 30 less that by S = 10,000, at 100% noise",
        source="Section 3",
        paper=0,
        ours=over,
        se=float(np.hypot(error, null.mean_se / (1 - null.mean))),
        size=size,
    )


ITEM = Item(
    "noise_mic",
    "MIC and AMIC against noise",
    compute,
    partial(draw_noise, names=("MIC", "AMIC"), about=f"quadratic relationship, n = {N}, S = {PERMUTATIONS}"),
)
