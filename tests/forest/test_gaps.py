"""Informative missing values: a split may separate rows with a value from rows without."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import bychance as bc
from tests.forest.frames import LIBRARIES


def telling_gaps(rng, n=300):
    """Draw noise in which half of the rows of one class have no number or label."""
    y = rng.permutation(np.arange(n) % 2)
    is_missing = (y == 1) & (rng.random(n) < 0.5)
    number = np.where(is_missing, np.nan, rng.normal(size=n))
    label = [None if gap else f"c{k}" for gap, k in zip(is_missing, rng.integers(0, 5, n), strict=True)]
    return {"number": number, "label": label, "other": rng.normal(size=n)}, y


@pytest.mark.parametrize("name", ["number", "label"])
def test_a_tree_splits_by_whether_there_is_a_value(name, rng):
    columns, y = telling_gaps(rng)
    X = LIBRARIES["pandas"]({name: columns[name], "other": columns["other"]})
    tree = bc.DecisionTreeClassifier(criterion=bc.SplitCriterion(min_adjusted_gain=3)).fit(X, y)
    root = tree.estimators_[0].node(0)
    is_missing = X[name].isna().to_numpy()

    assert root.is_by_missing
    assert root.gain == pytest.approx(np.var(y) * 2 * np.corrcoef(is_missing, y)[0, 1] ** 2)
    assert tree.predict_proba(X)[is_missing, 1].min() == 1
    drawn = bc.export_tree(tree)
    assert "─ present: " in drawn
    assert "─ missing: 1  (" in drawn
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize("name", ["number", "label"])
def test_forests_learn_from_gaps_and_say_so(name, rng):
    columns, y = telling_gaps(rng)
    X = LIBRARIES["pandas"]({name: columns[name], "other": columns["other"]})
    best, majority = (
        bc.RandomForestClassifier(50, missing=missing, random_state=0).fit(X[::2], y[::2])
        for missing in ("best", "majority")
    )
    scores = [roc_auc_score(y[1::2], model.predict_proba(X[1::2])[:, 1]) for model in (best, majority)]

    assert scores[0] > scores[1] + 0.05
    assert best.feature_importances_p_[0] < 0.01
    assert not any(tree.node(k).is_by_missing for tree in majority.estimators_ for k in range(tree.n_nodes))


def test_numbers_are_predicted_from_gaps(rng):
    columns, y = telling_gaps(rng)
    X = LIBRARIES["pandas"](columns)
    target = y + 0.1 * rng.normal(size=len(y))
    best, majority = (
        bc.RandomForestRegressor(50, missing=missing, oob_score=True, random_state=0).fit(X, target)
        for missing in ("best", "majority")
    )

    assert best.oob_score_ > majority.oob_score_ + 0.1


def test_a_category_that_is_new_counts_as_a_value():
    y = np.arange(60) % 2
    X = LIBRARIES["pandas"]({"label": [None if k else "a" for k in y]})
    tree = bc.DecisionTreeClassifier().fit(X, y)
    new = LIBRARIES["pandas"]({"label": ["a", "new", None]})

    assert tree.estimators_[0].node(0).is_by_missing
    assert tree.predict_proba(new)[:, 1].tolist() == [0, 0, 1]


@pytest.mark.parametrize("split", ["ordered", "multiway"])
def test_an_identifier_with_missing_values_is_split_by_them_alone(split, rng):
    names = pd.Series([f"name {k}" for k in range(60)]).where(rng.random(60) > 0.3)
    y = names.isna() + rng.normal(size=60)
    tree = bc.DecisionTreeRegressor(categorical_split=split).fit(pd.DataFrame({"name": names}), y)

    assert tree.tree_.node(0).is_by_missing
    assert tree.get_n_leaves() == 2
