"""Selections by a score among five samples of different size with one population value.

What the figures of selection probabilities have in common, for r² and for MIC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bychance.plots import COLORS
from reproduction.claims import N_ERRORS, Claim
from reproduction.item import Outcome
from reproduction.run import Run
from reproduction.simulate import Scores, simulate

__all__ = ["ALPHAS", "SIZES", "Selection", "check_claims", "compare", "draw_selection", "select"]

SIZES = [20, 40, 60, 80, 100]
ALPHAS = (0.4, 0.1, 0.05)
NOISES = {"independent": 1.0, "10% noise": 0.1}

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Selection:
    """Counts of how often each size is selected, by case and score."""

    shares: Mapping[tuple[str, str], Shares]
    runs: int

    @property
    def size(self) -> str:
        """The size of the run, as claims state it."""
        return f"{self.runs:,} iterations"

    def error(self, case: str, score: str) -> Shares:
        """Compute standard errors. A share that was never or always seen has that of one in all runs."""
        share = np.clip(self.shares[case, score], 1 / self.runs, 1 - 1 / self.runs)
        return np.sqrt(share * (1 - share) / self.runs)

    def difference(self, case: str, score: str) -> tuple[float, float]:
        """Return P(n = 20) − P(n = 100) with its standard error."""
        first, last = self.shares[case, score][[0, -1]]
        over = first - last
        return float(over), float(np.sqrt(max(first + last - over**2, 1 / self.runs) / self.runs))

    def table(self) -> dict[str, list[Any]]:
        """Return one row per case, score and size."""
        rows = [
            (case, score, n, float(share), float(error))
            for (case, score), shares in self.shares.items()
            for n, share, error in zip(SIZES, shares, self.error(case, score), strict=True)
        ]
        names = ("case", "score", "n", "share", "se")
        return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def select(run: Run, measure: str, symbol: str, *, p_values: bool = False) -> Selection:
    """Draw five samples repeatedly and select the one with the largest score, for each score."""
    runs = run.size(10_000, 400)
    scores = simulate(run, measure, sizes=SIZES, noises=list(NOISES.values()), runs=runs)
    shares = {}
    for case, noise in NOISES.items():
        samples = [scores[n, noise] for n in SIZES]
        for score, columns in _columns(samples, symbol, p_values=p_values).items():
            shares[case, score] = _shares(np.column_stack(columns))
    return Selection(shares, runs)


def _columns(samples: Sequence[Scores], symbol: str, *, p_values: bool) -> dict[str, list[Any]]:
    columns = {
        symbol: [sample.observed for sample in samples],
        f"A{symbol}": [sample.adjusted for sample in samples],
        f"S{symbol}": [sample.standardized for sample in samples],
    }
    columns |= {f"A{symbol}({a:g})": [sample.adjusted_at(a) for sample in samples] for a in ALPHAS}
    if p_values:
        columns["p-value"] = [-sample.p_values for sample in samples]
    return columns


def _shares(scores: NDArray[np.float64]) -> Shares:
    """Return the share of rows in which each column is the largest, with ties shared out evenly."""
    is_best = scores == scores.max(axis=1, keepdims=True)
    share: Shares = (is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0)
    return share


def compare(selection: Selection, symbol: str, figures: Sequence[str]) -> list[Claim]:
    """Make the claims of the paper's three figures of r², and of its text on MIC."""
    fair, none, some = 1 / len(SIZES), "independent", "10% noise"
    rows = [
        (figures[0], none, symbol, 0, "above"),
        (figures[1], none, f"A{symbol}", 0, "above"),
        (figures[1], some, symbol, 0, "above"),
        (figures[1], some, f"A{symbol}", 0, "above"),
        (figures[1], some, f"S{symbol}", -1, "above"),
        (figures[2], some, f"A{symbol}(0.4)", 0, "above"),
        (figures[2], some, f"A{symbol}(0.05)", -1, "above"),
    ]
    claims = [
        Claim(
            text=f"P(n = {SIZES[k]}) by {score}, {case}",
            source=source,
            paper=fair,
            ours=float(selection.shares[case, score][k]),
            se=float(selection.error(case, score)[k]),
            size=selection.size,
            kind=kind,
        )
        for source, case, score, k, kind in rows
    ]
    unbiased = f"S{symbol}"
    apart = np.abs(selection.shares[none, unbiased] - fair) / np.sqrt(fair * (1 - fair) / selection.runs)
    claims.append(
        Claim(
            text=f"shares by {unbiased}, {none}: most standard errors from 0.2",
            source=figures[1],
            paper=N_ERRORS,
            ours=float(apart.max()),
            size=selection.size,
            kind="at_most",
        )
    )
    return [*claims, *_order_claims(selection, symbol, figures[2])]


def _order_claims(selection: Selection, symbol: str, source: str) -> list[Claim]:
    """Make the claims that a smaller α moves the choice to larger samples."""
    over = {a: selection.difference("10% noise", f"A{symbol}({a:g})") for a in ALPHAS}
    return [
        Claim(
            text=f"P(n = 20) − P(n = 100) by A{symbol}(α): α = {large:g} less α = {small:g}",
            source=source,
            paper=0,
            ours=over[large][0] - over[small][0],
            se=float(np.hypot(over[large][1], over[small][1])),
            size=selection.size,
            kind="above",
        )
        for large, small in pairwise(ALPHAS)
    ]


def check_claims(
    selection: Selection, expected: Mapping[tuple[str, str], Sequence[float]], runs: int
) -> list[Claim]:
    """Make the claims that every row agrees with an independent simulation."""
    claims = []
    for (case, score), reference in expected.items():
        share = np.clip(reference, 1 / selection.runs, 1 - 1 / selection.runs)
        error = np.sqrt(share * (1 - share) * (1 / selection.runs + 1 / runs))
        apart = np.abs(selection.shares[case, score] - np.array(reference)) / error
        claims.append(
            Claim(
                text=f"shares by {score}, {case}: most standard errors from the reference",
                source="independent check",
                paper=N_ERRORS,
                ours=float(apart.max()),
                size=selection.size,
                kind="at_most",
            )
        )
    return claims


def draw_selection(outcome: Outcome, symbol: str) -> Figure:
    """Draw bars with two standard errors: three scores in both cases, then the levels of α."""
    selection: Selection = outcome.shown["selection"]
    scores = [symbol, f"A{symbol}", f"S{symbol}"]
    rows = [
        ("independent", scores),
        ("10% noise", scores),
        ("10% noise", [f"A{symbol}({a:g})" for a in ALPHAS]),
    ]
    figure = Figure(figsize=(9, 7))
    grid = figure.subplots(3, 3, sharex=True, sharey="row")
    for axes, (case, names), color in zip(grid, rows, COLORS, strict=False):
        for ax, name in zip(axes, names, strict=True):
            shares, error = selection.shares[case, name], selection.error(case, name)
            ax.bar(np.arange(len(SIZES)), shares, yerr=2 * error, color=color, capsize=2.5, width=0.7)
            ax.axhline(1 / len(SIZES), color="black", linestyle="--", linewidth=0.9)
            ax.set_title(_title(name, case), fontsize=10)
            ax.set_xticks(np.arange(len(SIZES)), [str(n) for n in SIZES])
            ax.grid(visible=False, axis="x")
        axes[0].set(ylabel="P(selected) ± 2 SE", ylim=(0, None))
    for ax in grid[-1]:
        ax.set_xlabel("sample size n")
    place = {"textcoords": "offset points", "ha": "right", "fontsize": 9}
    grid[0, 0].annotate("unbiased: 0.2", (4.4, 0.2), (0, 4), **place)
    return figure


def _title(name: str, case: str) -> str:
    shown = name.replace("(", "(α = ")
    return f"{shown}, {'independent' if case == 'independent' else 'linear, 10% noise'}"
