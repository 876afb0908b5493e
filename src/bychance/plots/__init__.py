"""Figures of rankings, nulls, pairs and forests: results → matplotlib axes. Nothing is computed anew.

Every function draws into `ax`, or into a new pyplot figure where none is given, and returns the axes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bychance.plots.styling import COLOURS, style

if TYPE_CHECKING:
    from bychance.plots.forests import plot_alpha_curve, plot_importances
    from bychance.plots.nulls import plot_null
    from bychance.plots.pairs import plot_pair
    from bychance.plots.rankings import plot_bias, plot_ranking, plot_sweep

__all__ = [
    "COLOURS",
    "plot_alpha_curve",
    "plot_bias",
    "plot_importances",
    "plot_null",
    "plot_pair",
    "plot_ranking",
    "plot_sweep",
    "style",
]

_LOADED_LATER = {
    "plot_alpha_curve": "bychance.plots.forests",
    "plot_bias": "bychance.plots.rankings",
    "plot_importances": "bychance.plots.forests",
    "plot_null": "bychance.plots.nulls",
    "plot_pair": "bychance.plots.pairs",
    "plot_ranking": "bychance.plots.rankings",
    "plot_sweep": "bychance.plots.rankings",
}


def __getattr__(name: str) -> Any:
    """Functions whose modules import matplotlib: they are loaded when first asked for."""
    if name in _LOADED_LATER:
        return getattr(import_module(_LOADED_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LOADED_LATER})
