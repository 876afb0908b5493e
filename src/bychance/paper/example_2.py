"""Example 2: of two columns of noise, Gini gain prefers that with three categories to that with two."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.paper.claims import Claim
from bychance.paper.item import Item, Outcome
from bychance.paper.run import Run
from bychance.plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ITEM"]

N, ALPHA = 100, 0.05
SCORES: dict[str, Callable[[bc.Estimate], float]] = {
    "Gini": lambda r: r.observed,
    "AGini": lambda r: r.adjusted,
    "SGini": lambda r: r.standardized,
    "AGini(0.05)": lambda r: r.adjusted_at(0.05),
    "AGini(0.4)": lambda r: r.adjusted_at(0.4),
}
# 200,000 simulations with another program, standard errors at most 0.0011.
INDEPENDENT = dict(zip(SCORES, (0.7075, 0.4279, 0.4783, 0.1224, 0.3016), strict=True))
PENALTIES = {2: 0.036, 3: 0.053}
BOUNDS, QUANTILES = {2: 0.03567, 3: 0.05315}, {2: 0.0200, 3: 0.0291}  # by rational arithmetic


def compute(run: Run) -> Outcome:
    """How often three categories beat two, and what they are fined."""
    runs = run.size(100_000, 1_000)
    settings = [{"runs": runs // 10, "part": part} for part in range(10)]
    parts = run.pieces("example_2", gains, settings)
    wins = {name: np.concatenate([part[name] for part in parts]) for name in SCORES}
    shares = {name: float(won.mean()) for name, won in wins.items()}
    errors = {name: float(np.sqrt(share * (1 - share) / runs)) for name, share in shares.items()}
    table: dict[str, list[Any]] = {
        "score": list(SCORES),
        "P(X2 wins)": list(shares.values()),
        "se": list(errors.values()),
    }
    shown = {k: np.concatenate([part[f"gini {k}"] for part in parts]) for k in PENALTIES}
    penalties = {k: [_null(k, name).quantile(1 - ALPHA) for name in ("paper", "exact")] for k in PENALTIES}
    claims = _win_claims(shares, errors, f"{runs:,} simulations") + _penalty_claims(penalties)
    return Outcome(table, claims, {"gains": shown, "penalties": penalties})


def gains(seed: int, runs: int, part: int) -> dict[str, Any]:
    """Whether X₂ wins by each score, and the Gini gain of both columns, on samples of 100 rows."""
    rng = np.random.default_rng([seed, part])
    pairs = [_adjusted_pair(rng) for _ in range(runs)]
    wins = {name: [score(two) < score(three) for two, three in pairs] for name, score in SCORES.items()}
    raw = {f"gini {k}": [pair[k - 2].observed for pair in pairs] for k in PENALTIES}
    return {**wins, **raw}


def _adjusted_pair(rng: np.random.Generator) -> tuple[bc.Estimate, bc.Estimate]:
    y = rng.integers(2, size=N)
    two, three = (bc.adjust("gini", rng.integers(k, size=N), y, null="paper") for k in PENALTIES)
    return two, three


def _null(n_categories: int, null: str) -> bc.Null:
    """Of categories and classes that are as equal in number as can be."""
    x = np.arange(N) * n_categories // N
    return bc.adjust("gini", x, np.arange(N) % 2, null=null).null


def _win_claims(shares: dict[str, float], errors: dict[str, float], size: str) -> list[Claim]:
    text = "P(X₂ beats X₁) by "
    paper = Claim(
        text=f"{text}Gini",
        source="Example 2",
        paper=0.7,
        ours=shares["Gini"],
        se=errors["Gini"],
        rounding=0.05,
        size=size,
    )
    checks = [
        Claim(
            text=text + name,
            source="independent check",
            paper=expected,
            ours=shares[name],
            se=float(np.hypot(errors[name], 0.0011)),
            size=size,
        )
        for name, expected in INDEPENDENT.items()
    ]
    return [paper, *checks]


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
    """The chance to win by each score, and the null distributions with both penalties."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8))
    left, right = figure.subplots(1, 2)
    names, shares = outcome.table["score"], np.array(outcome.table["P(X2 wins)"])
    left.bar(names, shares, yerr=2 * np.array(outcome.table["se"]), color=COLOURS[0], capsize=3, width=0.65)
    left.axhline(0.5, color="black", linestyle="--", linewidth=0.8)
    left.annotate("no preference", (4.45, 0.5), (0, 3), textcoords="offset points", ha="right", fontsize=9)
    for place, share in enumerate(shares):
        left.annotate(f"{share:.2f}", (place, share), (0, 5), textcoords="offset points", ha="center")
    left.set(title="Three categories against two, all noise", ylabel="P(X₂ beats X₁) ± 2 SE", ylim=(0, 0.85))
    left.tick_params(axis="x", labelsize=8.5)
    left.grid(visible=False, axis="x")
    for (k, values), color in zip(outcome.shown["gains"].items(), COLOURS, strict=False):
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


def _draw_tail(ax: Any, values: NDArray[np.float64], label: str, color: str) -> None:
    above = 1 - np.arange(len(values)) / len(values)
    ax.step(np.sort(values), above, where="post", color=color, label=label)


ITEM = Item("example_2", "Gini gain with two and three categories", compute, draw)
