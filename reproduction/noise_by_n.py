"""The four-panel figure: raw and adjusted measures against noise at several sizes, and how far sizes differ.

The paper does not name the sizes. Here they start at 10 points for r², and at 20 for MIC.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bychance.plots import COLORS
from reproduction.claims import N_ERRORS, Claim
from reproduction.item import Item, Outcome
from reproduction.noise import LEVELS
from reproduction.run import Run
from reproduction.simulate import SHAPES, mean_and_error, simulate

__all__ = ["ITEM"]

SIZES = {"r²": [10, 20, 30, 40, 100, 200], "MIC": [20, 40, 60, 80, 100, 200]}
MEASURES = {"r²": ("r2", ["linear"]), "MIC": ("mic", list(SHAPES))}
SOURCE = "Figure 3"
INDEPENDENT = {10: 0.622, 100: 0.639}  # Ar² at 20% noise, by another program

Means = dict[str, NDArray[np.float64]]
"""By "r²", "Ar²", …: [0] means and [1] standard errors, a row per size and a column per level of noise."""


def compute(run: Run) -> Outcome:
    """Compute means of all four at every size and level of noise, and the spread over sizes."""
    runs = run.size(2_000, 60)
    means: Means = {}
    for name in MEASURES:
        means |= _means(run, name, runs)
    table: dict[str, list[Any]] = {"measure": [], "n": [], "noise": [], "mean": [], "se": []}
    for name, (mean, error) in means.items():
        for row, n in enumerate(SIZES[name.removeprefix("A")]):
            for column, noise in enumerate(LEVELS):
                cells = (name, n, noise, float(mean[row, column]), float(error[row, column]))
                for key, cell in zip(table, cells, strict=True):
                    table[key].append(cell)
    size = f"{runs:,} simulations a level, size and shape"
    claims = [claim for name in MEASURES for claim in _claims(name, means, size)]
    claims += _sharper_claims(run)
    return Outcome(table, claims, {"means": means})


def _means(run: Run, name: str, runs: int) -> Means:
    """Compute raw and adjusted means over the shapes, which have the null of their size in common."""
    measure, shapes = MEASURES[name]
    scores = {
        shape: simulate(run, measure, sizes=SIZES[name], noises=LEVELS, runs=runs, shape=shape)
        for shape in shapes
    }
    raw, adjusted = np.empty((2, 2, len(SIZES[name]), len(LEVELS)))
    for row, n in enumerate(SIZES[name]):
        for column, level in enumerate(LEVELS):
            figures = np.array([mean_and_error(scores[shape][n, level].observed) for shape in shapes])
            mean = float(figures[:, 0].mean())
            error = float(np.linalg.norm(figures[:, 1])) / len(shapes)
            raw[:, row, column] = mean, error
            adjusted[:, row, column] = scores[shapes[0]][n, level].adjust_mean(mean, error)
    return {name: raw, f"A{name}": adjusted}


def spread(figures: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest mean over sizes less the smallest per level of noise, with its error."""
    means, errors = figures
    columns = np.arange(means.shape[1])
    largest, smallest = means.argmax(axis=0), means.argmin(axis=0)
    return np.ptp(means, axis=0), np.hypot(errors[largest, columns], errors[smallest, columns])


def _claims(name: str, means: Means, size: str) -> list[Claim]:
    return [*_baseline_claims(name, means, size), *_unbiasedness_claims(name, means, size)]


def _baseline_claims(name: str, means: Means, size: str) -> list[Claim]:
    """Make the claims of Property 3.1 at 100% noise."""
    raw, adjusted = means[name][:, :, -1], means[f"A{name}"][:, :, -1]
    return [
        Claim(
            text=f"mean {name} at 100% noise, n = {SIZES[name][-1]}",
            source=SOURCE,
            paper=0,
            ours=float(raw[0, -1]),
            se=float(raw[1, -1]),
            size=size,
            kind="above",
        ),
        Claim(
            text=f"mean A{name} at 100% noise: most standard errors from 0, over all n",
            source=SOURCE,
            paper=N_ERRORS,
            ours=float(np.max(np.abs(adjusted[0]) / adjusted[1])),
            size=size,
            kind="at_most",
        ),
    ]


def _unbiasedness_claims(name: str, means: Means, size: str) -> list[Claim]:
    """Make the claims of Property 3.2, from 10% noise on: without noise r² is 1 whatever n."""
    raw, adjusted = means[name][:, :, 1:], means[f"A{name}"][:, :, 1:]
    excess, excess_error = raw[0, 0] - raw[0, -1], np.hypot(raw[1, 0], raw[1, -1])
    least = int(np.argmin(excess / excess_error))
    (raw_spread, raw_error), (apart, error) = spread(raw), spread(adjusted)
    worst = int(np.argmax(apart / error))
    sizes = f"n = {SIZES[name][0]} less n = {SIZES[name][-1]}"
    rows = [
        (f"mean {name}, {sizes}, at {LEVELS[least + 1]:.0%} noise, the least clear level", "above",
         excess[least], excess_error[least]),
        (f"spread of mean A{name} over n at {LEVELS[worst + 1]:.0%} noise, the clearest level", "equal",
         apart[worst], error[worst]),
        (f"average spread over n: A{name} less {name}", "below",
         apart.mean() - raw_spread.mean(), np.hypot(error.mean(), raw_error.mean())),
    ]  # fmt: skip
    return [
        Claim(text=text, source=SOURCE, paper=0, ours=float(ours), se=float(se), size=size, kind=kind)
        for text, kind, ours, se in rows
    ]


def _sharper_claims(run: Run) -> list[Claim]:
    """Make the claims of Property 3.2 for Ar² with more simulations than the paper's."""
    runs, noise = run.size(50_000, 2_000), 0.2
    scores = simulate(run, "r2", sizes=list(INDEPENDENT), noises=[noise], runs=runs)
    found = {n: scores[n, noise].adjusted_mean for n in INDEPENDENT}
    small, large = found
    rows = [
        (f"mean Ar² at {noise:.0%} noise, n = {large} less n = {small}", "Property 3.2", 0.0, 0.0,
         found[large][0] - found[small][0], float(np.hypot(found[large][1], found[small][1]))),
        *((f"mean Ar² at {noise:.0%} noise, n = {n}", "independent check", expected, 0.0005, *found[n])
          for n, expected in INDEPENDENT.items()),
    ]  # fmt: skip
    return [
        Claim(
            text=text,
            source=source,
            paper=paper,
            ours=ours,
            se=se,
            rounding=rounding,
            size=f"{runs:,} simulations",
        )
        for text, source, paper, rounding, ours, se in rows
    ]


def draw(outcome: Outcome) -> Figure:
    """Draw a panel for each measure, and the spread over sizes, raw and adjusted, beside them."""
    figure = Figure(figsize=(10, 6.2))
    means, percent = outcome.shown["means"], 100 * np.array(LEVELS)
    for row, name in zip(figure.subplots(2, 3, sharex=True), MEASURES, strict=True):
        for ax, label, about in zip(row, (name, f"A{name}"), ("raw", "adjusted"), strict=False):
            for n, mean, error, color in zip(SIZES[name], *means[label], _SHADES, strict=True):
                _band(ax, percent, mean, error, color=color, label=f"n = {n}")
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=f"{label} ({about})", ylabel=f"mean {label}", ylim=(-0.06, 1.04))
        row[0].legend(handlelength=1.2)
        for label, color, line in zip((name, f"A{name}"), COLORS, ("o--", "o-"), strict=False):
            _band(row[2], percent, *spread(means[label]), line, color=color, label=label)
        row[2].set(title="Spread over n", ylabel="largest mean − smallest", ylim=(0, None))
        row[2].legend()
    for ax in figure.axes[3:]:
        ax.set_xlabel("noise (%)")
    return figure


# One hue from light to dark: sizes have an order.
_SHADES = ("#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b")


def _band(ax: Any, x: Any, mean: Any, error: Any, line: str = "-", **more: Any) -> None:
    ax.fill_between(x, mean - 2 * error, mean + 2 * error, color=more["color"], alpha=0.25, linewidth=0)
    ax.plot(x, mean, line, **more)


ITEM = Item("noise_by_n", "Noise and sample size", compute, draw)
