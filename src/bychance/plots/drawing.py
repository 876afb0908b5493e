"""Parts shared by all figures: style, colors, axes, and shortened names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.rcsetup import cycler
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from bychance.array_types import BoolArray, FloatArray
from bychance.names import display_name

__all__ = [
    "ADJUSTED",
    "CHANCE",
    "CHANCE_BAR",
    "COLORS",
    "MOVING",
    "OBSERVED",
    "axes_or_new",
    "pair_labels",
    "plot_filled",
    "shown",
    "style",
    "use_log",
]

# Okabe and Ito (2008), in the order of use, without their yellow, which is too pale on paper.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
ADJUSTED, OBSERVED, MOVING = COLORS[0], COLORS[1], COLORS[5]
CHANCE, CHANCE_BAR = "#777777", "#cccccc"
_WIDTH, _PAIRED_WIDTH = 40, 24  # characters of a name alone, and of each of a pair (taste)

_STYLE: dict[Any, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "svg.hashsalt": "bychance",
}


@contextmanager
def style() -> Iterator[None]:
    """Apply this library's style to figures made within the context.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> with style():
    ...     ax = Figure().subplots()
    ...     line, = ax.plot([0, 1])
    >>> line.get_color()
    '#0072B2'
    """
    with rc_context({**_STYLE, "axes.prop_cycle": cycler(color=COLORS)}):
        yield


def axes_or_new(ax: Axes | None, *, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the given axes, or axes of a new figure of `width` by `height` inches."""
    return plt.subplots(figsize=(width, height))[1] if ax is None else ax


def use_log(ax: Axes, form: str) -> None:
    """Make the x axis logarithmic, with plain numbers at 1, 2 and 5 of every decade."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter(form))


def plot_filled(ax: Axes, x: FloatArray, is_filled: BoolArray, labels: tuple[str, str], **looks: Any) -> None:
    """Plot one point per row of the axes, filled or hollow, each sort with its label in the legend."""
    for is_picked, fill, label in zip((is_filled, ~is_filled), ("full", "none"), labels, strict=True):
        if is_picked.any():
            ax.plot(x[is_picked], np.flatnonzero(is_picked), "o", fillstyle=fill, label=label, **looks)


def shown(name: object, width: int = _WIDTH) -> str:
    r"""Cut a name for a figure, and escape control characters and dollar signs, which start formulas.

    >>> print(shown("income ($)"))
    income (\$)
    """
    return display_name(str(name), width).replace("$", r"\$")


def pair_labels(x: Sequence[str], y: Sequence[str]) -> list[str]:
    """Return one label per pair of names, only the x name if all pairs have the same y.

    >>> pair_labels(["a", "b"], ["c", "c"]), pair_labels(["a", "a"], ["b", "c"])
    (['a', 'b'], ['a · b', 'a · c'])
    """
    if len(set(y)) == 1:
        return [shown(name) for name in x]
    shorter = ([shown(name, _PAIRED_WIDTH) for name in names] for names in (x, y))
    return [" · ".join(pair) for pair in zip(*shorter, strict=True)]
