"""plot_null(): what chance gives, and what was observed."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from bychance.errors import BychanceError
from bychance.estimate import Estimate
from bychance.plots.drawing import ADJUSTED, CHANCE_BAR, OBSERVED, axes_or_new, shown
from bychance.plots.styling import style
from bychance.validation import number_within
from bychance.wording import LESS

__all__ = ["plot_null"]

_BINS = 60
_TAIL = 5e-4


def plot_null(estimate: Estimate, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """The distribution under independence, its mean and quantile at alpha, and the observed value.

    Parameters
    ----------
    estimate : Estimate
        What `bc.adjust` gives.
    alpha : float
        Which quantile to mark: that at 1 − alpha. Where the null was sampled a band around it is as wide as
        two Monte Carlo standard errors on either side.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> rng = np.random.default_rng(1)
    >>> ax = bc.plot_null(bc.adjust("mic", rng.random(30), rng.random(30)))
    >>> ax.get_xlabel()
    'mic'
    """
    alpha = number_within(alpha, "alpha", 1)
    if not np.isfinite(estimate.null.mean):
        raise BychanceError(f"there is no null to draw: {estimate.note}.")
    with style():
        ax = axes_or_new(ax)
        if not estimate.null.is_degenerate:
            _draw_law(ax, estimate)
        _mark(ax, estimate, alpha)
        ax.set(xlabel=shown(estimate.measure), ylabel="density under independence", title=_title(estimate))
        ax.set_ylim(bottom=0)
        ax.legend()
    return ax


def _draw_law(ax: Axes, estimate: Estimate) -> None:
    """The probability of each of many bins, which every null knows, over its width."""
    null, observed = estimate.null, estimate.observed
    low, high = null.quantile(_TAIL), null.quantile(1 - _TAIL)
    width = (max(high, observed) - min(low, observed)) / _BINS
    # Bins start at the observed value, so that they are whole on either side of it.
    first, last = np.floor((low - observed) / width), np.ceil((high - observed) / width)
    edges = observed + width * np.arange(first, last + 2)
    # The first starts where the law does: many have most of their density there.
    start = max(null.quantile(0), edges[0])
    edges = np.append(start, edges[edges > start + width / 2])
    tails = np.array([null.sf(edge) for edge in edges])
    density = (tails[:-1] - tails[1:]) / np.diff(edges)
    is_reached = edges[:-1] >= observed - width / 2
    ax.stairs(density, edges, fill=True, color=CHANCE_BAR, label="by chance")
    if is_reached.any():
        sign = LESS if estimate.p_kind == "bound" else "="
        label = f"at least as much: p {sign} {estimate.p_value:.2g}"
        ax.stairs(np.where(is_reached, density, 0), edges, fill=True, color=OBSERVED, alpha=0.5, label=label)


def _mark(ax: Axes, estimate: Estimate, alpha: float) -> None:
    null = estimate.null
    if not null.is_degenerate:
        quantile, error = null.quantile(1 - alpha), null.quantile_se(1 - alpha)
        ax.axvline(null.mean, color="black", linestyle="--", label=f"mean {null.mean:.3g}")
        if error > 0:
            ax.axvspan(quantile - 2 * error, quantile + 2 * error, color=ADJUSTED, alpha=0.25)
        label = f"quantile at α = {alpha:g}: {quantile:.3g}"
        ax.axvline(quantile, color=ADJUSTED, linestyle=":", linewidth=2, label=label)
    label = f"observed {estimate.observed:.3g}"
    ax.axvline(estimate.observed, color=OBSERVED, linewidth=2, label=label)


def _title(estimate: Estimate) -> str:
    draws = "" if estimate.null.n_resamples is None else f", {estimate.null.n_resamples:,} permutations"
    return f"n = {estimate.n:,}; null: {estimate.null.engine}{draws}"
