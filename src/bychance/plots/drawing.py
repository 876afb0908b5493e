"""Parts shared by all figures: axes, colors, and shortened names."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from bychance.names import display_name
from bychance.plots.styling import COLORS

__all__ = [
    "ADJUSTED",
    "CHANCE",
    "CHANCE_BAR",
    "MOVING",
    "OBSERVED",
    "axes_or_new",
    "pair_labels",
    "shown",
    "use_log",
]

ADJUSTED, OBSERVED, MOVING = COLORS[0], COLORS[1], COLORS[5]
CHANCE, CHANCE_BAR = "#777777", "#cccccc"
_WIDTH, _PAIRED_WIDTH = 40, 24  # characters of a name alone, and of each of a pair (taste)


def axes_or_new(ax: Axes | None, *, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the given axes, or axes of a new figure of this size in inches."""
    return plt.subplots(figsize=(width, height))[1] if ax is None else ax


def use_log(ax: Axes, form: str) -> None:
    """Make the x axis logarithmic, with plain numbers at 1, 2 and 5 of every decade."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter(form))


def shown(name: object, width: int = _WIDTH) -> str:
    r"""Cut a name for a figure, and escape control characters and the dollars of formulas.

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
