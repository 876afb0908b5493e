"""Dependency measures adjusted for chance, and rankings of column pairs by them. Start with `bc.rank`.

>>> import bychance as bc
>>> from bychance.datasets import make_demo
>>> ranking = bc.rank(make_demo(), "yield")  # or a frame, or a path, and the column to explain
>>> ranking.top(3).column("x").to_pylist()
['rainfall', 'soil', 'sunshine']

`bc.rank(table)` ranks all pairs of columns, `bc.adjust("r2", x, y)` is for one pair, `bc.ChanceSelector`
selects columns in a scikit-learn pipeline, and `bc.RandomForestClassifier` adjusts its splits for chance.

The stages of the source, in order: columns and io (arrays, frames, files → typed columns), pairs, measures
(an estimate and its algebra), nulls (its distribution under independence), estimate (one pair, adjusted),
ranking (every pair of a table), selection (scikit-learn's selectors on top of it), forest (the same nulls at
every split of a tree), plots and report. Public names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bychance.covariates.settings import Controlled, Given
    from bychance.errors import BychanceError, BychanceWarning, CostError, MeasureError, UnknownNameError
    from bychance.estimate import Estimate, adjust, measure
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
        SplitCriterion,
        alpha_curve,
        export_tree,
    )
    from bychance.io import Table, TextFormat, read_table
    from bychance.measures import MIC, Measure, MICe, TICe
    from bychance.measures.mic import MicGrid, mic_grid
    from bychance.measures.registry import list_measures, register
    from bychance.nulls import Auto, Null, Permutation
    from bychance.plots.forests import plot_alpha_curve, plot_importances
    from bychance.plots.pairs import plot_null, plot_pair
    from bychance.plots.rankings import plot_bias, plot_ranking, plot_sweep
    from bychance.ranking import AtLeastTrue, Ranking, Streaming, Sweep, rank, rank_arrays, rank_to_file
    from bychance.ranking.missing import missingness
    from bychance.sample_size import rows_needed
    from bychance.selection import ChanceSelector

__version__ = "0.1.0"

__all__ = [
    "MIC",
    "AlphaCurve",
    "AtLeastTrue",
    "Auto",
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
    "SplitCriterion",
    "Streaming",
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
    "missingness",
    "plot_alpha_curve",
    "plot_bias",
    "plot_importances",
    "plot_null",
    "plot_pair",
    "plot_ranking",
    "plot_sweep",
    "rank",
    "rank_arrays",
    "rank_to_file",
    "read_table",
    "register",
    "rows_needed",
]

# Loaded when first asked for, so that a program pays for what it uses.
_NAMES = {
    "bychance.errors": ("BychanceError", "BychanceWarning", "CostError", "MeasureError", "UnknownNameError"),
    "bychance.estimate": ("Estimate", "adjust", "measure"),
    "bychance.forest": (
        *("AlphaCurve", "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreesClassifier"),
        *("ExtraTreesRegressor", "ForestSelector", "ImportanceTest", "RandomForestClassifier"),
        *("RandomForestRegressor", "SplitCriterion", "alpha_curve", "export_tree"),
    ),
    "bychance.covariates.settings": ("Controlled", "Given"),
    "bychance.measures": ("MIC", "Measure", "MICe", "TICe"),
    "bychance.measures.mic": ("MicGrid", "mic_grid"),
    "bychance.measures.registry": ("list_measures", "register"),
    "bychance.nulls": ("Auto", "Null", "Permutation"),
    "bychance.plots.forests": ("plot_alpha_curve", "plot_importances"),
    "bychance.plots.pairs": ("plot_null", "plot_pair"),
    "bychance.plots.rankings": ("plot_bias", "plot_ranking", "plot_sweep"),
    "bychance.ranking": (
        *("AtLeastTrue", "Ranking", "Streaming", "Sweep"),
        *("rank", "rank_arrays", "rank_to_file"),
    ),
    "bychance.ranking.missing": ("missingness",),
    "bychance.sample_size": ("rows_needed",),
    "bychance.selection": ("ChanceSelector",),
    "bychance.io": ("Table", "TextFormat", "read_table"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
