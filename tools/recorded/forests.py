"""The recorded calls of trees and forests: every criterion, null and kind of split, and the importances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import bychance as bc
from tools.recorded.data import classes_and_columns
from tools.recorded.figures import Call
from tools.recorded.interface import grow_paper_forest, trees_of

__all__ = ["forest_calls"]

_CRITERIA = ("fair", "agini", "sgini", "gini", "entropy")


def forest_calls() -> Iterator[Call]:
    """Yield all calls, whose answers are the same bit for bit for any number of threads."""
    for label, options in _forests().items():
        yield Call(f"forest/{label}", "bitwise", partial(_forest, options))
    for criterion in ("agini", "sgini", "gini"):
        yield Call(f"forest/paper {criterion}", "bitwise", partial(_paper_forest, criterion))
    for label, options in _trees().items():
        yield Call(f"tree/{label}", "bitwise", partial(_tree, options))
    for criterion in ("fair", "gini"):
        yield Call(f"importance_test/{criterion}", "1e-10", partial(_test, criterion))
    yield Call("alpha_curve", "bitwise", _curve)


def _forests() -> dict[str, dict[str, Any]]:
    calls: dict[str, dict[str, Any]] = {criterion: {"criterion": criterion} for criterion in _CRITERIA}
    calls |= {
        f"three classes {criterion}": {"criterion": criterion, "n_classes": 3} for criterion in _CRITERIA
    }
    calls |= {f"categorical_split={split}": {"categorical_split": split} for split in ("ordered", "multiway")}
    calls |= {f"shrinkage={how}": {"shrinkage": how} for how in ("rows", "chance", "none")}
    return calls | {
        "agini gamma": {"criterion": bc.SplitCriterion("agini", quantile="gamma", alpha=0.2)},
        "sgini multinomial": {"criterion": bc.SplitCriterion("sgini", null="multinomial")},
        "alpha=oob": {"criterion": bc.SplitCriterion("agini", alpha="oob")},
        "oob_score": {"oob_score": True},
        "bootstrap": {"bootstrap": True, "max_samples": None},
        "missing=best": {"missing": "best"},
        "balanced": {"class_weight": "balanced"},
        "max_depth=3": {"max_depth": 3, "min_samples_leaf": 4},
        "max_features=2": {"max_features": 2},
        "n_jobs=2": {"n_jobs": 2},
        "random_state=9": {"random_state": 9},
    }


def _trees() -> dict[str, dict[str, Any]]:
    calls: dict[str, dict[str, Any]] = {criterion: {"criterion": criterion} for criterion in _CRITERIA}
    return calls | {
        "min_adjusted_gain=0.5": {"criterion": bc.SplitCriterion(min_adjusted_gain=0.5)},
        "max_samples=0.6": {"max_samples": 0.6},
        "three classes": {"n_classes": 3, "max_depth": 4},
    }


def _forest(options: dict[str, Any]) -> Mapping[str, Any]:
    X, y = classes_and_columns(n_classes=options.get("n_classes", 2))
    settings = {"n_estimators": 24, "random_state": 0} | options
    settings.pop("n_classes", None)
    return _forest_figures(bc.RandomForestClassifier(**settings).fit(X, y), X)


def _paper_forest(criterion: str) -> Mapping[str, Any]:
    X, y = classes_and_columns()
    forest = grow_paper_forest(X, y, criterion=criterion, n_estimators=24, random_state=0)
    return _forest_figures(forest, X)


def _forest_figures(forest: Any, X: Any) -> dict[str, Any]:
    figures = {
        "probabilities": forest.predict_proba(X),
        "leaves": forest.apply(X),
        "importances": forest.feature_importances_,
        "importance_errors": forest.feature_importances_se_,
        "n_nodes": [tree.n_nodes for tree in trees_of(forest)],
        "depths": [tree.depth for tree in trees_of(forest)],
        "alpha": forest.alpha_,
        "shrinkage": forest.shrinkage_,
    }
    for name in ("alpha_losses_", "oob_score_", "oob_decision_function_"):
        if hasattr(forest, name):
            figures[name] = getattr(forest, name)
    return figures


def _tree(options: dict[str, Any]) -> Mapping[str, Any]:
    X, y = classes_and_columns(n_classes=options.get("n_classes", 2))
    settings = {"random_state": 0} | options
    settings.pop("n_classes", None)
    tree = bc.DecisionTreeClassifier(**settings).fit(X, y)
    return {
        "probabilities": tree.predict_proba(X),
        "leaves": tree.apply(X),
        "importances": tree.feature_importances_,
        "shape": [tree.get_depth(), tree.get_n_leaves()],
    }


def _test(criterion: str) -> Mapping[str, Any]:
    X, y = classes_and_columns()
    forest = bc.RandomForestClassifier(12, criterion=criterion, random_state=0)
    test = forest.importance_test(X, y, n_permutations=9)
    return {"importances": test.importances, "null": test.null, "p_values": test.p_values}


def _curve() -> Mapping[str, Any]:
    X, y = classes_and_columns()
    forest = bc.RandomForestClassifier.from_paper(n_estimators=12)
    curve = bc.alpha_curve(X, y, alphas=[0.05, 0.5], n_repeats=2, forest=forest)
    return {"auc": curve.auc, "error": np.asarray(curve.standard_error), "best": curve.best}
