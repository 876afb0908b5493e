"""Trees of a fitted forest: predictions of each, and the paths of rows."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import bychance as bc


def mixed(rng, n=150):
    X = pd.DataFrame({"x": rng.normal(size=n), "city": rng.choice(list("abcd"), n)})
    X.loc[::9, "x"] = np.nan
    return X, X["x"].fillna(0).to_numpy() + (X["city"] == "a") + rng.normal(size=n)


def test_trees_of_numbers_average_to_the_forest(rng):
    X, y = mixed(rng)
    forest = bc.RandomForestRegressor(7, random_state=0).fit(X, y)
    alone = [tree.predict(X) for tree in forest.estimators_]

    np.testing.assert_allclose(np.mean(alone, axis=0), forest.predict(X))


def test_trees_of_classes_average_to_the_forest_unless_it_is_calibrated(rng):
    X, y = mixed(rng)
    labels = np.array(["no", "yes"])[(y > 0).astype(int)]
    forest = bc.RandomForestClassifier(7, shrinkage="rows", random_state=0).fit(X, labels)
    shares = [tree.predict_proba(X) for tree in forest.estimators_]

    np.testing.assert_allclose(np.mean(shares, axis=0), forest.predict_proba(X))
    np.testing.assert_array_equal(
        forest.estimators_[3].predict(X), forest.classes_[np.argmax(shares[3], axis=1)]
    )


@pytest.mark.parametrize("split", ["ordered", "multiway"])
def test_a_path_leads_from_the_root_to_the_node_of_apply(split, rng):
    X, y = mixed(rng)
    forest = bc.RandomForestRegressor(3, categorical_split=split, random_state=0).fit(X, y)
    for number, tree in enumerate(forest.estimators_):
        path = tree.decision_path(X).toarray()
        ends = tree.apply(X)
        np.testing.assert_array_equal(ends, forest.apply(X)[:, number])
        assert path[:, 0].all()
        for row, end in zip(path, ends, strict=True):
            nodes = np.flatnonzero(row)
            assert nodes[-1] == end
            for above, below in pairwise(nodes):
                assert below in tree.node(int(above)).children


def test_a_single_tree_has_a_path_too(rng):
    X, y = mixed(rng)
    tree = bc.DecisionTreeRegressor(max_depth=2).fit(X, y)

    assert tree.decision_path(X).sum(axis=1).max() == tree.get_depth() + 1


def test_a_copied_tree_predicts_the_same(rng):
    X, y = mixed(rng)
    tree = bc.RandomForestRegressor(2, random_state=0).fit(X, y).estimators_[1]

    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tree)).predict(X), tree.predict(X))


def test_importances_of_numbers_are_shares_of_their_variance(rng):
    X, y = mixed(rng, 400)
    small, large = (
        bc.RandomForestRegressor(30, random_state=0).fit(X, unit * y).feature_importances_
        for unit in (1, 1024)
    )

    np.testing.assert_allclose(small, large, rtol=1e-12)
    assert (small > 0).all()
    assert (small < 1).all()


@pytest.mark.parametrize(
    "make", [bc.RandomForestClassifier, bc.ExtraTreesRegressor, bc.DecisionTreeClassifier]
)
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("min_impurity_decrease", "min_adjusted_gain"),
        ("max_leaf_nodes", "max_depth"),
        ("ccp_alpha", "shrunk"),
    ],
)
def test_parameters_that_only_scikit_learn_has_are_refused_in_a_sentence(make, name, instead):
    with pytest.raises(TypeError, match=f"has no `{name}`.*{instead}"):
        make(**{name: 3})


def test_a_misspelled_parameter_is_an_error_as_usual():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        bc.RandomForestClassifier(n_trees=3)
