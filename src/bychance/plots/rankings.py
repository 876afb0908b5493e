"""Figures of whole rankings: the best pairs, their ranks against alpha, and the bias of few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bychance.array_types import FloatArray, IndexArray
from bychance.errors import BychanceError
from bychance.plots.drawing import (
    ADJUSTED,
    CHANCE,
    CHANCE_BAR,
    MOVING,
    OBSERVED,
    axes_or_new,
    pair_labels,
    plot_filled,
    shown,
    style,
    use_log,
)
from bychance.ranking import Ranking, Sweep
from bychance.validation import whole_number

__all__ = ["plot_bias", "plot_ranking", "plot_sweep"]

_ROW = 0.3  # inches per pair
_BINS, _FEWEST = 12, 8  # bins of numbers of rows, and pairs for a mean in one (taste)
_ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}


def plot_ranking(ranking: Ranking, k: int = 15, *, ax: Axes | None = None) -> Axes:
    """Plot the observed values of the k best pairs, beside the values that chance alone gives.

    A filled point is above the null's quantile at the ranking's alpha, a hollow one is not. If nulls were
    sampled, a whisker on the bar's end is two Monte Carlo standard errors.

    Parameters
    ----------
    ranking : Ranking
        Result of `bc.rank`.
    k : int
        Number of pairs, without near-duplicates.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> ax = bc.plot_ranking(bc.rank(make_demo(), target="yield"), 4)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['rainfall', 'soil', 'sunshine', 'plot_code']
    """
    best = ranking._best(whole_number(k, "k"), fold=True, once=True)
    records = [record for record in ranking._records(best) if record["adjusted_at"] is not None]
    if not records:
        raise BychanceError("there is no pair to draw: none has a null.")
    with style():
        ax = axes_or_new(ax, height=1.3 + _ROW * len(records))
        _draw_pairs(ax, records, ranking.alpha)
        ys = sorted({record["y"] for record in records})
        ax.set(xlabel=_measures_of(ranking, records))
        ax.set_ylabel(f"against {shown(ys[0])}" if len(ys) == 1 else "pairs of columns")
        ax.legend(**_ABOVE)
    return ax


def plot_sweep(sweep: Sweep, *, ax: Axes | None = None) -> Axes:
    """Plot the ranks of the leading pairs at each alpha. A flat line is a stable rank.

    Pairs in the top k at every alpha are drawn bold, and those at some alphas dashed. A label that ends in
    "n = …" gives the number of rows: pairs that fall as alpha falls rest on few of them. Near-duplicates
    have no ranks.

    Parameters
    ----------
    sweep : Sweep
        Result of `Ranking.sweep`.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> ax = bc.plot_sweep(bc.rank(make_demo(), target="yield").sweep([0.4, 0.05], k=3))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['in the top 3 at every α', 'at some']
    """
    lowest = min(2 * sweep.k, int(np.count_nonzero(~sweep.rows.is_duplicate)))
    with style():
        ax = axes_or_new(ax, width=8.5, height=1.3 + 0.25 * lowest)
        handles = [
            _draw_places(ax, sweep, sweep.moving_rows, color=MOVING, linestyle="--"),
            _draw_places(ax, sweep, sweep.stable_rows, color=ADJUSTED, linewidth=2.5),
        ]
        _label_ends(ax, sweep, lowest)
        ax.set_xticks(range(len(sweep.alphas)), [f"{alpha:g}" for alpha in sweep.alphas])
        ax.set(xlabel="α (smaller mistrusts few rows more)", ylabel="place", ylim=(lowest + 0.5, 0.5))
        names = [f"in the top {sweep.k} at every α", "at some"]
        ax.legend(handles[::-1], names, **_ABOVE)
    return ax


def plot_bias(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """Plot the raw and adjusted score of every pair against its number of shared rows.

    Raw scores grow as rows get fewer. Adjusted scores of independent columns spread around zero. Lines are
    means of pairs with about as many rows, bands two standard errors on either side.

    Parameters
    ----------
    ranking : Ranking
        Result of `bc.rank`.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> ax = bc.plot_bias(bc.rank(make_demo(), measure="r2"))
    >>> ax.get_xscale(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('log', ['raw', 'adjusted'])
    """
    rows = ranking._rows
    is_known = np.isfinite(rows.observed) & np.isfinite(rows.adjusted)
    if not is_known.any():
        raise BychanceError("there is no pair to draw: none has a null.")
    n = rows.n[is_known]
    with style():
        ax = axes_or_new(ax)
        ax.axhline(0, color="black", linewidth=0.8)
        for label, color, scores in (
            ("raw", OBSERVED, rows.observed[is_known]),
            ("adjusted", ADJUSTED, rows.adjusted[is_known]),
        ):
            alpha = float(np.clip(30 / np.sqrt(len(n)), 0.03, 0.6))
            ax.scatter(n, scores, s=8, color=color, alpha=alpha, linewidths=0, rasterized=len(n) > 2000)
            ax.plot([], [], marker="o", color=color, label=label)
            _draw_means(ax, n, scores, color)
        name = _measures_of(ranking, list(ranking.best(1)))
        use_log(ax, "{x:,.0f}")
        ax.set(xlabel="rows that both columns have", ylabel=name)
        ax.legend()
    return ax


def _draw_pairs(ax: Axes, records: list[dict[str, Any]], alpha: float) -> None:
    at = np.arange(len(records))
    observed, means, excess = (
        np.array([record[name] for record in records]) for name in ("observed", "null_mean", "adjusted_at")
    )
    ends = observed - excess
    errors = 2 * np.array([record["adjusted_at_se"] for record in records])
    ax.use_sticky_edges = False
    label = f"chance: mean to quantile at α = {alpha:g}"
    ax.barh(at, ends - means, left=means, height=0.55, color=CHANCE_BAR, label=label)
    if errors.any():
        ax.errorbar(ends, at, xerr=errors, fmt="none", color=CHANCE, capsize=2)
    plot_filled(ax, observed, excess > 0, ("observed", "not above chance"), color=OBSERVED, markersize=6)
    ax.set_yticks(at, pair_labels([r["x"] for r in records], [r["y"] for r in records]))
    ax.set_ylim(len(records) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    for place, record in enumerate(records):
        text = f"n = {record['n']:,}"
        ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), va="center", fontsize="small")


def _measures_of(ranking: Ranking, records: list[dict[str, Any]]) -> str:
    """Return the measure with its description, or the names of several measures."""
    used = {record["measure"] for record in records}
    summaries = {measure.name: measure.summary for measure in ranking._plan.job.measures.values()}
    if len(used) > 1:
        return ", ".join(sorted(used))
    (name,) = used
    return f"{shown(name)} ({shown(summaries[name].partition(':')[0])})"


def _draw_places(ax: Axes, sweep: Sweep, rows: IndexArray, **looks: Any) -> Any:
    """Draw the ranks of the pairs in `rows` as lines over alpha, and return a handle for the legend."""
    places = sweep.folded_places
    for row in rows:
        ax.plot(places[row], marker="o", markersize=4, **looks)
    return ax.plot([], [], marker="o", markersize=4, **looks)[0]


def _label_ends(ax: Axes, sweep: Sweep, lowest: int) -> None:
    """Write ranks and pair names at both ends of the lines in the chart of ranks over alpha."""
    rows, names = np.concatenate([sweep.stable_rows, sweep.moving_rows]), sweep.table.names
    pairs = pair_labels([names[k] for k in sweep.rows.x[rows]], [names[k] for k in sweep.rows.y[rows]])
    places = sweep.folded_places
    left, right = {place: str(place) for place in range(1, lowest + 1)}, {}
    for row, pair in zip(rows, pairs, strict=True):
        first, last = int(places[row, 0]), int(places[row, -1])
        text = f"{pair}, n = {sweep.rows.n[row]:,}"
        if first <= lowest:
            left[first] = f"{text}   {first}"
        if last <= lowest:
            right[last] = f"{last}   {text}"
    ax.set_yticks(list(left), list(left.values()))
    for place, text in right.items():
        ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), va="center", fontsize=9)


def _draw_means(ax: Axes, n: NDArray[Any], scores: FloatArray, color: str) -> None:
    """Draw mean scores over bins of the number of rows, with a band of two standard errors."""
    edges = np.geomspace(n.min(), n.max(), _BINS + 1)
    bins = np.searchsorted(edges[1:-1], n, side="right")
    full = np.flatnonzero(np.bincount(bins) >= _FEWEST)
    in_bins = [bins == k for k in full]
    at, mean = (np.array([values[chosen].mean() for chosen in in_bins]) for values in (n, scores))
    error = np.array([2 * scores[chosen].std(ddof=1) / np.sqrt(chosen.sum()) for chosen in in_bins])
    ax.plot(at, mean, color=color, linewidth=2)
    ax.fill_between(at, mean - error, mean + error, color=color, alpha=0.3, linewidth=0)
