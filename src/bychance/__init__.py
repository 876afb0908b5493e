"""bychance: how much of a dependency measure is just chance.

The stages, in order: columns and table (arrays, frames, files → typed columns), pairs, measures (an estimate
and its algebra), nulls (its distribution under independence), adjustments (the paper's three formulas),
evaluate and estimate (one pair, whole), bulk (many pairs at once), ranking (every pair of a table),
selection (scikit-learn's selectors on top of it), forest (the same nulls at every split of a tree) and plots
(figures of all of these), loaded when first used, and paper (its examples and figures, computed anew).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bychance.errors import BychanceError, BychanceWarning, CostError, MeasureError, UnknownNameError
from bychance.estimate import Estimate, adjust, measure
from bychance.given.record import Controlled
from bychance.given.settings import Given
from bychance.measures import MIC, Measure, MICe, TICe
from bychance.mic_grid import MicGrid, mic_grid
from bychance.named_measures import list_measures, register
from bychance.nulls import Null, Permutation
from bychance.ranking import Ranking, Sweep, rank, rank_to_file
from bychance.table import Table, TextFormat, read_table

if TYPE_CHECKING:
    from bychance.forest import (
        AlphaCurve,
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        ForestSelector,
        ImportanceTest,
        RandomForestClassifier,
        RandomForestRegressor,
        alpha_curve,
        export_tree,
    )
    from bychance.plots.forests import plot_alpha_curve, plot_importances
    from bychance.plots.nulls import plot_null
    from bychance.plots.pairs import plot_pair
    from bychance.plots.rankings import plot_bias, plot_ranking, plot_sweep
    from bychance.selection import ChanceSelector

__version__ = "0.1.0"

__all__ = [
    "MIC",
    "AlphaCurve",
    "BychanceError",
    "BychanceWarning",
    "ChanceSelector",
    "Controlled",
    "CostError",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Estimate",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestSelector",
    "Given",
    "ImportanceTest",
    "MICe",
    "Measure",
    "MeasureError",
    "MicGrid",
    "Null",
    "Permutation",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ranking",
    "Sweep",
    "TICe",
    "Table",
    "TextFormat",
    "UnknownNameError",
    "adjust",
    "alpha_curve",
    "export_tree",
    "list_measures",
    "measure",
    "mic_grid",
    "plot_alpha_curve",
    "plot_bias",
    "plot_importances",
    "plot_null",
    "plot_pair",
    "plot_ranking",
    "plot_sweep",
    "rank",
    "rank_to_file",
    "read_table",
    "register",
]

_LOADED_LATER = {
    "AlphaCurve": "bychance.forest",
    "ChanceSelector": "bychance.selection",
    "DecisionTreeClassifier": "bychance.forest",
    "DecisionTreeRegressor": "bychance.forest",
    "ExtraTreesClassifier": "bychance.forest",
    "ExtraTreesRegressor": "bychance.forest",
    "ForestSelector": "bychance.forest",
    "ImportanceTest": "bychance.forest",
    "RandomForestClassifier": "bychance.forest",
    "RandomForestRegressor": "bychance.forest",
    "alpha_curve": "bychance.forest",
    "export_tree": "bychance.forest",
    "plot_alpha_curve": "bychance.plots.forests",
    "plot_bias": "bychance.plots.rankings",
    "plot_importances": "bychance.plots.forests",
    "plot_null": "bychance.plots.nulls",
    "plot_pair": "bychance.plots.pairs",
    "plot_ranking": "bychance.plots.rankings",
    "plot_sweep": "bychance.plots.rankings",
}


def __getattr__(name: str) -> Any:
    """Names whose modules import heavy packages: those are loaded when first asked for."""
    if name in _LOADED_LATER:
        return getattr(import_module(_LOADED_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
