"""Scikit-learn trees and forests that choose splits by the excess of their gain over chance.

The flow: parameters (what the user says → settings of the grower) and features (X → typed columns → codes) →
tree (one tree) → grow (many trees, their votes) → out_of_bag (alpha, shrinkage and calibration), importance →
base (fit and what is predicted) → classifier, regressor and trees (the estimators); then selector with
conditional_importance, curve and export.
"""

from __future__ import annotations

from bychance.errors import require

require("forest")

from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.curve import AlphaCurve, alpha_curve
from bychance.forest.export import export_tree
from bychance.forest.importance import ImportanceTest
from bychance.forest.parameters import SplitCriterion
from bychance.forest.regressor import RandomForestRegressor
from bychance.forest.selector import ForestSelector
from bychance.forest.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
)

__all__ = [
    "AlphaCurve",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestSelector",
    "ImportanceTest",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "SplitCriterion",
    "alpha_curve",
    "export_tree",
]
