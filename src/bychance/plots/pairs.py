"""plot_pair() and plot_null(): two columns by their kinds, and the null distribution of an estimate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import date2num
from matplotlib.patches import Patch

from bychance.array_types import BoolArray, IndexArray
from bychance.columns import Column, numbers_of, shared_rows
from bychance.errors import BychanceError, BychanceWarning
from bychance.estimate import Estimate, MeasureLike
from bychance.estimate import measure as measure_of
from bychance.io.infer import read_argument
from bychance.kinds import Kind
from bychance.measures import MIC, registry
from bychance.measures.mic import MicGrid, grid_of
from bychance.nulls.base import null_bins
from bychance.plots.drawing import ADJUSTED, CHANCE_BAR, COLORS, OBSERVED, axes_or_new, shown, style
from bychance.validation import number_within
from bychance.wording import LESS

__all__ = ["plot_null", "plot_pair"]

_POINTS = 5000  # points drawn at most, beyond which they overlap (taste)
_CATEGORIES = 20  # most common categories that are drawn (taste)


def plot_pair(
    x: Any,
    y: Any,
    *,
    measure: MeasureLike | None = None,
    labels: tuple[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot two columns on their shared rows: a scatter, boxes, or a mosaic of categories.

    More than 5,000 points are thinned evenly, and of more than 20 categories the most common are drawn.

    Parameters
    ----------
    x, y : array-like
        One-dimensional, of one length. NaN, None and NA are missing.
    measure : str, Measure or callable, optional
        Measure whose value is shown, for MIC with the grid that won.
    labels : tuple of str, optional
        Names of the axes, with units, by default the names of the series.
    ax : matplotlib Axes, optional
        Axes to draw into, by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> x = np.linspace(0, 1, 50)
    >>> ax = bc.plot_pair(x, np.sin(6 * x), measure="mic", labels=("time (s)", "height (m)"))
    >>> ax.get_xlabel(), ax.get_title("left")
    ('time (s)', 'n = 50, mic = 1')
    """
    names = (_name_of(x, "x"), _name_of(y, "y")) if labels is None else labels
    (x, y), are_dates = zip(*(_days_if_dates(values) for values in (x, y)), strict=True)
    read = [read_argument(values, name) for values, name in ((x, "x"), (y, "y"))]
    for said in filter(None, (said for _, said in read if measure is None)):  # a measure says it, too
        warnings.warn(said, BychanceWarning, stacklevel=2)
    columns = read[0][0], read[1][0]
    rows = shared_rows(*columns)
    n = len(columns[0]) if rows is None else int(rows.sum())
    if n == 0:
        raise BychanceError("there is nothing to draw: no row has both columns.")
    with style():
        ax = axes_or_new(ax)
        _DRAWN[columns[0].kind, columns[1].kind](ax, *columns, rows)
        for axis, is_date in zip((ax.xaxis, ax.yaxis), are_dates, strict=True):
            if is_date:
                axis.axis_date()
        ax.set(xlabel=shown(names[0]), ylabel=shown(names[1]), title=f"n = {n:,}")
        if measure is not None:
            resolved = registry.resolve(measure)
            value = measure_of(resolved, x, y)
            ax.set_title(f"n = {n:,}, {shown(resolved.name)} = {value:.3g}")
            if type(resolved) is MIC:
                _draw_grid(ax, grid_of(resolved, columns))
    return ax


Rows = BoolArray | None


def _name_of(values: Any, default: str) -> str:
    name = getattr(values, "name", None)
    return default if name is None or callable(name) else str(name)


def _days_if_dates(values: Any) -> tuple[Any, bool]:
    """Convert dates to matplotlib's day numbers, and return other values unchanged, with a flag."""
    array = np.asarray(values)
    if array.dtype.kind != "M":
        return values, False
    return date2num(array), True  # type: ignore[no-untyped-call] # matplotlib's own types lack it


def _draw_points(ax: Axes, x: Column, y: Column, rows: Rows) -> None:
    values = numbers_of(x, rows, "a scatter"), numbers_of(y, rows, "a scatter")
    step = -(-len(values[0]) // _POINTS)
    alpha = float(np.clip(20 / np.sqrt(len(values[0])), 0.2, 0.8))
    ax.scatter(values[0][::step], values[1][::step], s=14, alpha=alpha, linewidths=0, color=ADJUSTED)


def _draw_boxes(ax: Axes, x: Column, y: Column, rows: Rows) -> None:
    is_upright = x.kind is Kind.CATEGORICAL
    labels, codes = _labels_of(x if is_upright else y, rows)
    values = numbers_of(y if is_upright else x, rows, "boxes")
    kept = _most_common(codes)
    ax.boxplot(
        [values[codes == code] for code in kept],
        orientation="vertical" if is_upright else "horizontal",
        tick_labels=[f"{labels[code]} ({np.sum(codes == code):,})" for code in kept],
        patch_artist=True,
        boxprops={"facecolor": COLORS[4], "alpha": 0.6},
        medianprops={"color": OBSERVED},
        flierprops={"markersize": 3},
    )
    if is_upright and len(kept) > 4:
        ax.tick_params(axis="x", rotation=90)


def _draw_mosaic(ax: Axes, x: Column, y: Column, rows: Rows) -> None:
    x_labels, x_codes = _labels_of(x, rows)
    y_labels, y_codes = _labels_of(y, rows)
    across, upward = _most_common(x_codes), _most_common(y_codes)
    counts = np.array(
        [[np.sum((x_codes == i) & (y_codes == j)) for j in upward] for i in across], dtype=float
    )
    widths = counts.sum(axis=1) / counts.sum()
    left = np.cumsum(widths) - widths
    heights = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    bottom = np.cumsum(heights, axis=1) - heights
    colors = [COLORS[k % len(COLORS)] for k in range(len(upward))]
    for k, color in enumerate(colors):
        looks: dict[str, Any] = {"color": color, "edgecolor": "white", "align": "edge"}
        ax.bar(left, heights[:, k], widths, bottom[:, k], **looks)
    ax.set_xticks(left + widths / 2, [x_labels[i] for i in across], rotation=90 if len(across) > 4 else 0)
    ax.set_yticks(np.linspace(0, 1, 5), [f"{share:.0%}" for share in np.linspace(0, 1, 5)])
    ax.grid(visible=False)
    patches = [Patch(color=color) for color in colors]
    # matplotlib leaves out labels that start with an underscore, and a space shows the same.
    texts = [f" {y_labels[j]}" for j in upward]
    ax.legend(patches[::-1], texts[::-1], loc="upper left", bbox_to_anchor=(1, 1))


def _draw_grid(ax: Axes, grid: MicGrid) -> None:
    for cut in grid.x_cuts:
        ax.axvline(cut, color=OBSERVED, linewidth=1)
    for cut in grid.y_cuts:
        ax.axhline(cut, color=OBSERVED, linewidth=1)


def _labels_of(column: Column, rows: Rows) -> tuple[list[str], IndexArray]:
    """Return a column's category labels as texts, and the index of each row's label."""
    values = column.values if rows is None else column.values[rows]
    known = column.labels or (False, True)
    return [shown(label) for label in known], values.astype(np.intp)


def _most_common(codes: IndexArray) -> IndexArray:
    """Return the category codes that occur, in ascending order, only the most common if they are too many."""
    found, counts = np.unique(codes, return_counts=True)
    return np.sort(found[np.argsort(-counts, kind="stable")[:_CATEGORIES]])


_DRAWN = {
    (Kind.NUMERIC, Kind.NUMERIC): _draw_points,
    (Kind.NUMERIC, Kind.CATEGORICAL): _draw_boxes,
    (Kind.CATEGORICAL, Kind.NUMERIC): _draw_boxes,
    (Kind.CATEGORICAL, Kind.CATEGORICAL): _draw_mosaic,
}


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
    """Draw the null's density, and highlight its tail at or above the observed value."""
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
