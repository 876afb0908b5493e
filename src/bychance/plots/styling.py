"""Style of figures: legible in print, with colors that color-blind readers can distinguish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["COLORS", "style"]

# Okabe and Ito (2008), in the order of use, without their yellow, which is too pale on paper.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


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
    from matplotlib import rc_context
    from matplotlib.rcsetup import cycler

    with rc_context({**_STYLE, "axes.prop_cycle": cycler(color=COLORS)}):
        yield


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
