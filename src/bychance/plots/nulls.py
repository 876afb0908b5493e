"""plot_null(): the null distribution of an estimate, with its observed value."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from bychance.errors import BychanceError
from bychance.estimate import Estimate
from bychance.null_picture import null_bins
from bychance.plots.drawing import ADJUSTED, CHANCE_BAR, OBSERVED, axes_or_new, shown
from bychance.plots.styling import style
from bychance.validation import number_within
from bychance.wording import LESS

__all__ = ["plot_null"]


def plot_null(estimate: Estimate, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Plot the distribution under independence, its mean and quantile at alpha, and the observed value.

    Parameters
    ----------
    estimate : Estimate
        Result of `bc.adjust`.
    alpha : float
        The quantile at 1 − alpha is marked. If the null was sampled, a band around it is two Monte Carlo
        standard errors wide on either side.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

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
            _draw_density(ax, estimate)
        _mark(ax, estimate, alpha)
        ax.set(xlabel=shown(estimate.measure), ylabel="density under independence", title=_title(estimate))
        ax.set_ylim(bottom=0)
        ax.legend()
    return ax


def _draw_density(ax: Axes, estimate: Estimate) -> None:
    """Draw the null's density, and over it the part at or above the observed value."""
    bins = null_bins(estimate.null, estimate.observed)
    ax.stairs(bins.density, bins.edges, fill=True, color=CHANCE_BAR, label="by chance")
    if bins.is_reached.any():
        sign = LESS if estimate.p_kind == "bound" else "="
        label = f"at least as much: p {sign} {estimate.p_value:.2g}"
        reached = np.where(bins.is_reached, bins.density, 0)
        ax.stairs(reached, bins.edges, fill=True, color=OBSERVED, alpha=0.5, label=label)


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
