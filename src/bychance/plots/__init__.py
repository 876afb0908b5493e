"""Figures of rankings, nulls, pairs and forests: results → matplotlib axes. Nothing is computed anew.

Every function draws into `ax`, or into a new pyplot figure if none is given, and returns the axes. The
functions are public as `bychance.plot_…`.
"""

from __future__ import annotations

from bychance.errors import require

require("plot")

from bychance.plots.drawing import COLORS, style

__all__ = ["COLORS", "style"]
