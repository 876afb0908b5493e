"""bychance: how much of a dependency measure is just chance.

The stages, in order: columns (arrays → typed columns), measures (an estimate and its algebra), nulls (its
distribution under independence), adjustments (the paper's three formulas), estimate (one pair, whole).
"""

from __future__ import annotations

from bychance.errors import BychanceError, BychanceWarning, CostError, MeasureError, UnknownNameError
from bychance.estimate import Estimate, adjust, list_measures, measure, register
from bychance.measures import MIC, Measure, MICe, TICe
from bychance.mic_grid import MicGrid, mic_grid
from bychance.nulls import Auto, Null, Permutation
from bychance.ranking import Ranking, Sweep, rank, rank_to_file
from bychance.table import Table, TextFormat, read_table

__version__ = "0.1.0"

__all__ = [
    "MIC",
    "Auto",
    "BychanceError",
    "BychanceWarning",
    "CostError",
    "Estimate",
    "MICe",
    "Measure",
    "MeasureError",
    "MicGrid",
    "Null",
    "Permutation",
    "Ranking",
    "Sweep",
    "TICe",
    "Table",
    "TextFormat",
    "UnknownNameError",
    "adjust",
    "list_measures",
    "measure",
    "mic_grid",
    "rank",
    "rank_to_file",
    "read_table",
    "register",
]
