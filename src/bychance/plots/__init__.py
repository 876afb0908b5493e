"""Figures of rankings, nulls, pairs and forests: results → matplotlib axes. Nothing is computed anew.

Every function draws into `ax`, or into a new pyplot figure where none is given, and returns the axes.
"""

from __future__ import annotations

from bychance.plots.forests import plot_alpha_curve, plot_importances
from bychance.plots.nulls import plot_null
from bychance.plots.pairs import plot_pair
from bychance.plots.rankings import plot_bias, plot_ranking, plot_sweep
from bychance.plots.styling import COLOURS, style

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
