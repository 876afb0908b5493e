"""Trees and forests that split on what chance does not explain, as scikit-learn estimators.

The flow: inputs (X → typed columns), parameters and criterion (what the user says → settings of the grower)
→ features and tree (the kernels' side) → grow (many trees, their votes) → tuning (alpha, shrinkage and
calibration out of bag), importance → base, trees_classifier and trees_regressor (what is predicted), forest
and decision_tree (how many trees), classifier and regressor (the estimators); then fitted_tree, export, curve
and selector.
"""

from __future__ import annotations

from bychance.extras import require

require("forest")

from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.criterion import SplitCriterion
from bychance.forest.curve import AlphaCurve, alpha_curve
from bychance.forest.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from bychance.forest.export import export_tree
from bychance.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from bychance.forest.importance import ImportanceTest
from bychance.forest.regressor import RandomForestRegressor
from bychance.forest.selector import ForestSelector

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
