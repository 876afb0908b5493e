"""Example 2: of two columns of noise, Gini gain prefers that with three categories to that with two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import bychance as bc
from bychance.plots import COLORS
from reproduction.claims import Claim
from reproduction.item import Item, Outcome
from reproduction.run import Run

__all__ = ["ITEM"]

N, ALPHA = 100, 0.05
CATEGORIES = (2, 3)
NULLS = {
    "paper": "the paper's null and Cantelli's bound",
    "moments": "exact permutation moments and a quantile",
}
SCORES: dict[str, Callable[[bc.Estimate], float]] = {
    "Gini": lambda r: r.observed,
    "AGini": lambda r: r.adjusted,
    "SGini": lambda r: r.standardized,
    "AGini(0.05)": lambda r: r.adjusted_at(0.05),
    "AGini(0.4)": lambda r: r.adjusted_at(0.4),
    "p-value": lambda r: -r.p_value,
}
# Cantelli's bound gives no p-value worth the name: most are 1.
JUDGED = [(null, score) for null in NULLS for score in SCORES if (null, score) != ("paper", "p-value")]
# 200,000 simulations with another program and permutation moments, standard errors at most 0.0011.
INDEPENDENT = dict(zip(SCORES, (0.7075, 0.4279, 0.4783, 0.2441, 0.4023, 0.4986), strict=True))
PENALTIES = {2: 0.036, 3: 0.053}
BOUNDS, QUANTILES = {2: 0.03567, 3: 0.05315}, {2: 0.0200, 3: 0.0291}  # by rational arithmetic

Shares = dict[tuple[str, str], tuple[float, float]]
"""By null and score: how often X₂ wins, and the standard error."""


def compute(run: Run) -> Outcome:
    """Compute how often three categories beat two, and the penalties of both."""
    runs = run.size(50_000, 1_000)
    parts = run.pieces("example_2", gains, [{"runs": runs // 10, "part": part} for part in range(10)])
    shares: Shares = {}
    for null, score in JUDGED:
        share = float(np.mean([part[f"{null} {score}"] for part in parts]))
        shares[null, score] = share, float(np.sqrt(share * (1 - share) / runs))
    table: dict[str, list[Any]] = {"null": [null for null, _ in shares], "score": [s for _, s in shares]}
    table["P(X2 wins)"], table["se"] = ([pair[k] for pair in shares.values()] for k in (0, 1))
    raw = {k: np.concatenate([part[f"gini {k}"] for part in parts]) for k in CATEGORIES}
    penalties = {k: [_null(k, name).quantile(1 - ALPHA) for name in ("paper", "exact")] for k in CATEGORIES}
    claims = _win_claims(shares, f"{runs:,} simulations") + _penalty_claims(penalties)
    return Outcome(table, claims, {"shares": shares, "gains": raw, "penalties": penalties})


def gains(seed: int, runs: int, part: int) -> dict[str, Any]:
    """Draw samples of 100 rows, and return if X₂ wins by each null and score, and both Gini gains."""
    rng = np.random.default_rng([seed, part])
    found: dict[str, list[Any]] = {f"{null} {score}": [] for null, score in JUDGED}
    found |= {f"gini {k}": [] for k in CATEGORIES}
    for _ in range(runs):
        y = rng.integers(2, size=N)
        columns = [rng.integers(k, size=N) for k in CATEGORIES]
        results = {null: [bc.adjust("gini", x, y, null=null) for x in columns] for null in NULLS}
        for null, name in JUDGED:
            two, three = map(SCORES[name], results[null])
            found[f"{null} {name}"].append(two < three)
        for k, result in zip(CATEGORIES, results["paper"], strict=True):
            found[f"gini {k}"].append(result.observed)
    return found


def _null(n_categories: int, null: str) -> bc.Null:
    """Make the null of categories and classes that are as equal in number as can be."""
    x = np.arange(N) * n_categories // N
    return bc.adjust("gini", x, np.arange(N) % 2, null=null).null


def _win_claims(shares: Shares, size: str) -> list[Claim]:
    rows = [("Example 2", 0.7, ("paper", "Gini"), 0.05, 0.0)]
    rows += [
        ("independent check", expected, ("moments", score), 0.0, 0.0011)
        for score, expected in INDEPENDENT.items()
    ]
    return [
        Claim(
            text=f"P(X₂ beats X₁) by {which[1]}",
            source=source,
            paper=paper,
            ours=shares[which][0],
            se=float(np.hypot(shares[which][1], reference_error)),
            rounding=rounding,
            size=size,
        )
        for source, paper, which, rounding, reference_error in rows
    ]


def _penalty_claims(penalties: dict[int, list[float]]) -> list[Claim]:
    claims = []
    for k, (bound, exact) in penalties.items():
        about = f"of {k} categories"
        rows = [
            (f"Cantelli's bound on the 0.95-quantile {about}", "Section 4", PENALTIES[k], bound, 5e-4),
            (f"0.95-quantile {about}", "Section 4", PENALTIES[k], exact, 5e-4),
            (f"Cantelli's bound {about}", "independent check", BOUNDS[k], bound, 5e-6),
            (f"0.95-quantile {about}", "independent check", QUANTILES[k], exact, 5e-5),
        ]
        claims += [
            Claim(text=text, source=source, paper=paper, ours=ours, rounding=rounding, size="exact")
            for text, source, paper, ours, rounding in rows
        ]
    return claims


def draw(outcome: Outcome) -> Figure:
    """Draw the chance to win by each score, and the null distributions with both penalties."""
    figure = Figure(figsize=(10.5, 4))
    left, right = figure.subplots(1, 2)
    _draw_shares(left, outcome.shown["shares"])
    for (k, values), color in zip(outcome.shown["gains"].items(), COLORS, strict=False):
        _draw_tail(right, values, f"{k} categories", color)
        for penalty, line in zip(outcome.shown["penalties"][k], ("-", ":"), strict=True):
            right.axvline(penalty, color=color, linestyle=line, linewidth=1.2)
    right.axhline(ALPHA, color="black", linestyle="--", linewidth=0.8)
    right.annotate("0.05", (0.064, ALPHA), (0, 3), textcoords="offset points", ha="right", fontsize=9)
    right.plot([], [], "-", color="#666666", linewidth=1.2, label="Cantelli's bound (the paper)")
    right.plot([], [], ":", color="#666666", linewidth=1.2, label="exact 0.95-quantile")
    right.set(title="What is fined at α = 0.05", xlabel="Gini gain of noise, n = 100", xlim=(0, 0.065))
    right.set(ylabel="share of samples above", yscale="log", ylim=(1e-3, 1.1))
    right.legend(frameon=True, facecolor="white", edgecolor="none", framealpha=1)
    return figure


def _draw_shares(ax: Any, shares: Shares) -> None:
    places = {score: place for place, score in enumerate(SCORES)}
    for (null, label), shift, color in zip(NULLS.items(), (-0.2, 0.2), COLORS, strict=False):
        bars = {places[score] + shift: pair for (of, score), pair in shares.items() if of == null}
        heights, errors = np.array(list(bars.values())).T
        ax.bar(list(bars), heights, 0.38, yerr=2 * errors, color=color, capsize=2, label=label)
        for place, height in zip(bars, heights, strict=True):
            above = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
            ax.annotate(f"{height:.2f}", (place, height), (0, 4), **above)
    ax.axhline(0.5, color="black", linestyle="--", linewidth=0.8)
    ax.set_xticks(list(places.values()), list(places), fontsize=8)
    ax.set(title="Three categories against two, all noise", ylabel="P(X₂ beats X₁) ± 2 SE", ylim=(0, 0.95))
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper right")


def _draw_tail(ax: Any, values: NDArray[np.float64], label: str, color: str) -> None:
    above = 1 - np.arange(len(values)) / len(values)
    ax.step(np.sort(values), above, where="post", color=color, label=label)


ITEM = Item("example_2", "Gini gain with two and three categories", compute, draw)
