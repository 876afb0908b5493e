"""Options of the estimators: warm starts, out-of-bag scores, weights, columns and rows of a tree."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import bychance as bc
from bychance.forest.parameters import GRID
from tests.forest.frames import blobs, forest

CRITERIA = ("fair", "agini", "sgini", "gini", "entropy")


@pytest.mark.parametrize("settings", [{}, {"oob_score": True}])
def test_warm_start_adds_the_trees_that_would_have_come(settings):
    X, y = blobs()
    grown = forest(n_estimators=35, oob_score=True).fit(X, y)
    more = forest(n_estimators=16, warm_start=True, **settings).fit(X, y)
    more.set_params(n_estimators=35, oob_score=True).fit(X, y)

    np.testing.assert_array_equal(more.predict_proba(X), grown.predict_proba(X))
    np.testing.assert_allclose(more.feature_importances_, grown.feature_importances_, rtol=1e-12)
    np.testing.assert_allclose(more.oob_decision_function_, grown.oob_decision_function_, rtol=1e-12)


def test_warm_start_says_what_cannot_be_added_to():
    X, y = blobs()
    model = forest(warm_start=True).fit(X, y)

    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="number of rows must be those of the first fit"):
        model.set_params(n_estimators=40).fit(X[:-1], y[:-1])
    with pytest.raises(ValueError, match="must be larger or equal to len"):
        model.set_params(n_estimators=10).fit(X, y)


def test_the_out_of_bag_score_is_about_that_of_new_rows():
    X, y = blobs(n=2000)
    new_X, new_y = blobs(n=4000, seed=1)
    model = forest(oob_score=True, n_estimators=100).fit(X, y)

    assert abs(model.oob_score_ - model.score(new_X, new_y)) < 0.04
    assert abs(model.oob_score_ - np.mean(model.oob_decision_function_.argmax(axis=1) == y)) < 1e-12


def test_the_out_of_bag_score_may_be_a_function():
    X, y = blobs(seed=1)
    model = forest(oob_score=balanced_accuracy_score).fit(X, y)

    predicted = model.oob_decision_function_.argmax(axis=1)
    assert model.oob_score_ == balanced_accuracy_score(y, predicted) != accuracy_score(y, predicted)


def test_too_few_trees_leave_rows_without_a_vote():
    X, y = blobs()
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model = forest(n_estimators=1, oob_score=True).fit(X, y)

    assert np.isnan(model.oob_decision_function_).any()


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = blobs()
    weights = np.ones(len(y))
    weights[::3] = 0
    kept = weights > 0

    weighted = forest(oob_score=True).fit(X, y, weights)
    without = forest().fit(X[kept], y[kept])

    np.testing.assert_array_equal(weighted.predict_proba(X), without.predict_proba(X))
    assert np.isnan(weighted.oob_decision_function_[~kept]).all()


def test_equal_weights_of_one_change_nothing():
    X, y = blobs()

    np.testing.assert_array_equal(
        forest().fit(X, y, np.ones(len(y))).predict_proba(X), forest().fit(X, y).predict_proba(X)
    )


def test_heavy_classes_are_predicted_more_often():
    X, y = blobs(n=300)
    settings = {"max_depth": 2, "n_estimators": 50}
    plain = forest(**settings).fit(X, y)
    heavy = forest(class_weight={0: 1, 1: 5}, **settings).fit(X, y)

    assert (heavy.predict(X) == 1).mean() > (plain.predict(X) == 1).mean() + 0.1


def test_balanced_classes_weigh_the_same():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), (np.arange(300) % 10 == 0).astype(int)
    shares = forest(class_weight="balanced", max_depth=1).fit(X, y).predict_proba(X).mean(axis=0)

    np.testing.assert_allclose(shares, [0.5, 0.5], atol=0.05)


def test_from_paper_sets_the_protocol_of_the_paper():
    made = bc.RandomForestClassifier.from_paper("sgini", random_state=3, n_jobs=2)
    protocol = {
        "n_estimators": 1000, "criterion__name": "sgini", "criterion__null": "multinomial",
        "criterion__quantile": "cantelli", "criterion__min_adjusted_gain": None,
        "categorical_split": "multiway", "max_features": "auto", "max_depth": None, "min_samples_split": 2,
        "min_samples_leaf": 1, "max_samples": 0.5, "bootstrap": False,
        "missing": "majority", "random_state": 3, "n_jobs": 2,
    }  # fmt: skip

    assert {name: made.get_params()[name] for name in protocol} == protocol
    with pytest.raises(TypeError, match="multiple values"):
        bc.RandomForestClassifier.from_paper(missing="best")


@pytest.mark.parametrize(
    ("m", "expected"), [(1, 1), (2, 2), (4, 2), (6, 3), (10, 3), (28, 5), (60, 8), (240, 16)]
)
def test_as_many_columns_are_tried_as_in_the_paper(m, expected):
    from bychance.forest.features import Feature
    from bychance.kinds import Kind

    features = [Feature(f"x{k}", Kind.NUMERIC) for k in range(m)]

    settings = forest(max_features="auto")._settings(SimpleNamespace(columns=features, n_rows=100))
    assert settings.max_features == expected


def test_rows_are_shared_out_between_growing_ordering_and_out_of_bag():
    from bychance.forest.features import Feature
    from bychance.kinds import Kind

    number, labels = Feature("x", Kind.NUMERIC), Feature("c", Kind.CATEGORICAL, ("a", "b", "c"))

    def rows(features, **settings):
        chosen = forest(**settings)._settings(SimpleNamespace(columns=features, n_rows=100))
        return chosen.n_grow, chosen.n_order, chosen.categorical_split

    assert rows([number]) == (63, 0, "ordered")
    assert rows([number, labels]) == (63, 18, "ordered")
    assert rows([labels], bootstrap=True, max_samples=None) == (100, 18, "ordered")
    assert rows([labels], categorical_split="multiway") == (63, 0, "multiway")
    assert rows([labels], max_samples=None) == (100, 0, "ordered")
    assert rows([labels], max_samples=80) == (80, 10, "ordered")


def test_categories_without_rows_to_order_them_have_one_child_each():
    X = pd.DataFrame({"city": list("abcd") * 10})
    tree = bc.DecisionTreeClassifier().fit(X, [0, 1, 0, 1] * 10).tree_

    assert (tree.node(0).kind, len(tree.node(0).children)) == ("multiway", 4)


def test_a_stopping_rule_keeps_noise_from_growing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    free, stopped = (
        forest(criterion="agini", min_adjusted_gain=gain, n_estimators=10).fit(X, y) for gain in (None, 0)
    )

    assert (
        sum(tree.n_nodes for tree in stopped.estimators_) < sum(tree.n_nodes for tree in free.estimators_) / 3
    )


@pytest.mark.parametrize("criterion", ["fair", "agini", "gini"])
def test_a_split_of_exactly_the_least_gain_is_made(criterion):
    """Scikit-learn's min_impurity_decrease does the same."""
    X, y = blobs()

    def n_leaves(least):
        judged = bc.SplitCriterion(criterion, min_adjusted_gain=least)
        tree = bc.DecisionTreeClassifier(criterion=judged, max_depth=1)
        return tree.fit(X, y).get_n_leaves()

    score = bc.DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_.node(0).score

    assert n_leaves(score) == 2
    assert n_leaves(np.nextafter(score, np.inf)) == 1


def test_depth_and_leaves_are_limited():
    X, y = blobs()

    assert bc.DecisionTreeClassifier(max_depth=3).fit(X, y).get_depth() == 3
    small = bc.DecisionTreeClassifier(min_samples_leaf=0.1).fit(X, y)
    assert np.bincount(small.apply(X))[np.unique(small.apply(X))].min() >= 12
    assert small.get_n_leaves() == len(np.unique(small.apply(X)))


def test_verbose_shows_a_bar(monkeypatch):
    asked = []
    from bychance.progress import Progress

    class Recorded(Progress):
        def __init__(self, description, *, total, enabled):
            asked.append((description, total, enabled))
            super().__init__(description, total=total, enabled=False)

    monkeypatch.setattr("bychance.forest.base.Progress", Recorded)
    X, y = blobs()
    forest(verbose=1).fit(X, y)
    forest(criterion="agini", alpha="oob").fit(X, y)

    assert asked == [("trees", 30, True), ("trees", 30 * len(GRID), False)]


@pytest.mark.parametrize("criterion", ["fair", "gini"])
def test_a_share_of_the_rows_of_a_tree_leaves_room_for_two_children_with_replacement(criterion):
    X, y = blobs()
    drawn = {"bootstrap": True, "max_samples": None, "max_features": None}
    grown = forest(criterion=criterion, min_samples_leaf=0.4, **drawn).fit(X, y)

    assert np.mean([tree.n_nodes > 1 for tree in grown.estimators_]) > 0.9
