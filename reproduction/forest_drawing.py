"""Shared by the figures of forests: an axis of gains over Gini, and one with a line per set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes

__all__ = ["gain_axis", "set_axis"]

GAIN = "AUC less that of Gini (percentage points; linear within ± 0.1)"
_TICKS = (-10, -3, -1, -0.3, -0.1, 0, 0.1, 0.3, 1, 3, 10)


def gain_axis(ax: Axes, which: Literal["x", "y"], label: str = GAIN) -> None:
    """Scale an axis of gains between a hundredth of a point and ten: logarithmic, linear around 0."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    scale, line = (ax.set_xscale, ax.axvline) if which == "x" else (ax.set_yscale, ax.axhline)
    limit = ax.set_xlim if which == "x" else ax.set_ylim
    low, high = sorted(axis.get_view_interval())
    low, high = 1.3 * min(low, -0.1), 1.3 * max(high, 0.1)
    line(0, color="black", linewidth=0.8)
    scale("symlog", linthresh=0.1, linscale=0.5)
    limit(low, high)
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    axis.set_ticks(ticks, labels=[f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks])
    axis.set_ticks([], minor=True)
    axis.set_label_text(label)


def set_axis(ax: Axes, names: Sequence[str]) -> None:
    """Label a line per set, the first at the top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
