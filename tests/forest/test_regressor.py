"""Regressors: scikit-learn's contract, predictions, quantiles, and out-of-bag choices."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import bychance as bc
from bychance import _native
from tests.forest.frames import LIBRARIES, with_criterion
from tests.forest.tables import rows_of

CRITERIA = ("fair", "adjusted", "standardized", "variance")
ESTIMATORS = [
    bc.RandomForestRegressor(n_estimators=20),
    bc.RandomForestRegressor(n_estimators=20, bootstrap=True, max_samples=None, criterion="variance"),
    bc.DecisionTreeRegressor(),
    bc.DecisionTreeRegressor(criterion="variance"),
]


def expected_to_fail(estimator):
    """List checks that scikit-learn's own forest fails too, because weights do not repeat drawn rows."""
    if not hasattr(estimator, "n_estimators"):
        return {}
    reason = "sample_weight is not equivalent to removing/repeating samples."
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


def forest(**options):
    return bc.RandomForestRegressor(**{"n_estimators": 30, "random_state": 0} | with_criterion(options))


def numbers(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, 2 * X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=n) / 2


def mixed(n=400, seed=0):
    """Draw categories of 12 levels with different means, a number, gaps and noise."""
    rng = np.random.default_rng(seed)
    level, x = rng.integers(0, 12, n), rng.normal(size=n)
    y = np.sin(level * 5.0) * 2 + x + rng.normal(size=n) / 2
    columns = {
        "level": [f"L{k}" for k in level],
        "x": np.where(rng.random(n) < 0.1, np.nan, x),
        "noise": rng.normal(size=n),
        "label": [f"N{k}" for k in rng.integers(0, 30, n)],
    }
    return columns, y


# scikit-learn's contract


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bc.RandomForestRegressor(), sklearn.ensemble.RandomForestRegressor()),
        (bc.DecisionTreeRegressor(), sklearn.tree.DecisionTreeRegressor()),
    ],
)
def test_every_check_of_scikit_learns_own_for_one_target_is_run_here_too(ours, theirs):
    def names(estimator):
        checks = estimator_checks_generator(estimator)
        return {getattr(check, "func", check).__name__ for _, check in checks}

    more = names(theirs) - names(ours)
    assert all("multioutput" in name for name in more), more


def test_grid_search_goes_over_alpha():
    search = GridSearchCV(
        forest(criterion=bc.SplitCriterion("adjusted")), {"criterion__alpha": [0.05, 0.5]}, cv=2
    ).fit(*numbers())

    assert search.best_params_["criterion__alpha"] in (0.05, 0.5)


# Predictions


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_learns(criterion):
    X, y = load_diabetes(return_X_y=True)

    assert cross_val_score(forest(criterion=criterion), X, y, cv=3).mean() > 0.38


@pytest.mark.slow
def test_forest_predicts_no_worse_than_scikit_learns():
    X, y = make_friedman1(600, noise=1.0, random_state=0)
    ours = forest(n_estimators=100).fit(X[:300], y[:300]).score(X[300:], y[300:])
    theirs = sklearn.ensemble.RandomForestRegressor(random_state=0).fit(X[:300], y[:300])

    assert ours > theirs.score(X[300:], y[300:]) - 0.01


@pytest.mark.parametrize("categorical_split", ["ordered", "multiway"])
@pytest.mark.parametrize("missing", ["majority", "best"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_with_gaps_and_categories_are_learned_from(library, categorical_split, missing):
    columns, y = mixed()
    model = forest(categorical_split=categorical_split, missing=missing, oob_score=True)

    assert model.fit(LIBRARIES[library](columns), y).oob_score_ > 0.55
    assert model.feature_names_in_.tolist() == list(columns)


def test_categories_ordered_by_honest_means_beat_one_hot_columns():
    columns, y = mixed(800)
    X = pd.DataFrame(columns).drop(columns="label").fillna({"x": 0})
    ours = forest(categorical_split="ordered").fit(X[:400], y[:400]).predict(X[400:])
    coded = pd.get_dummies(X)
    theirs = sklearn.ensemble.RandomForestRegressor(30, random_state=0).fit(coded[:400], y[:400])

    assert r2_score(y[400:], ours) > r2_score(y[400:], theirs.predict(coded[400:])) - 0.02


def test_a_tree_on_all_rows_is_scikit_learns():
    """With raw variances and no ties, predictions on new rows are the same."""
    X, y = numbers()
    ours = bc.DecisionTreeRegressor(criterion="variance", max_depth=4).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    new = numbers(seed=1)[0]

    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-12)


def test_weights_count_rows():
    """A row of weight 0 is not in training, so it may fall on either side of a threshold."""
    X, y = numbers(120)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    seen, tree = weights > 0, bc.DecisionTreeRegressor(max_depth=5, random_state=0)
    weighted = tree.fit(X, y, sample_weight=weights).predict(X)
    repeated = tree.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict(X)

    np.testing.assert_allclose(weighted[seen], repeated[seen], rtol=1e-9)


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1e-9), (0.0, 1e9), (1e9, 1.0)])
def test_trees_do_not_depend_on_the_units_of_y(shift, scale):
    X, y = numbers(200)
    y = np.round(y * 1024) / 1024  # so that a shift is exact
    plain = forest(shrinkage="none").fit(X, y).predict(X)
    moved = forest(shrinkage="none").fit(X, y * scale + shift).predict(X)

    np.testing.assert_allclose((moved - shift) / scale, plain, rtol=1e-5, atol=1e-5)


def test_a_constant_target_is_predicted_as_that():
    X, _ = numbers(50)
    model = forest(oob_score=True).fit(X, np.full(50, 7.25))

    assert (model.predict(X) == 7.25).all()
    assert (model.predict(X, quantiles=[0.1, 0.9]) == 7.25).all()
    assert (model.feature_importances_ == 0).all()
    assert np.isnan(model.oob_score_)


# Out of bag


def test_out_of_bag_score_is_r2_of_rows_left_out():
    X, y = numbers()
    model = forest(oob_score=True, shrinkage="none").fit(X, y)
    roles = np.array([tree.native.roles() for tree in model.estimators_]).T
    sums = np.zeros(len(y))
    for tree, role in zip(model.estimators_, roles.T, strict=True):
        answers = np.zeros((len(y), 1))
        _native.add_answers([tree.native], rows_of(model._training.features), answers)
        sums += np.where(role == 2, answers[:, 0], 0)

    np.testing.assert_allclose(model.oob_prediction_, sums / (roles == 2).sum(axis=1), rtol=1e-12)
    assert model.oob_score_ == pytest.approx(r2_score(y, model.oob_prediction_))


def test_noise_is_shrunk_and_a_clear_function_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))

    assert forest().fit(X, 0.3 * X[:, 0] + rng.normal(size=400)).shrinkage_ != "none"
    assert forest().fit(X, 5 * X[:, 0] + X[:, 1] ** 2).shrinkage_ == "none"


def test_alpha_out_of_bag_has_the_least_squared_error():
    model = forest(criterion="adjusted", alpha="oob", oob_score=True).fit(*numbers())

    assert model.alpha_ == model.alpha_grid_[np.argmin(model.alpha_losses_)]
    assert model.oob_score_ > 0.5


def test_importances_find_what_matters_and_are_near_zero_for_noise():
    X, y = numbers(400)
    model = forest(n_estimators=100).fit(X, y)
    importances = model.feature_importances_

    assert importances[:2].min() > 10 * np.abs(importances[2:]).max()
    assert model.feature_importances_se_.shape == (4,)


@pytest.mark.slow
def test_importance_test_tells_signal_from_noise():
    X, y = numbers(400)
    test = forest(n_estimators=20).importance_test(X, y, n_permutations=19)

    assert (test.p_values[:2] == 0.05).all()
    assert test.importances[:2].min() > test.null.max()


# Threads, copies and warm starts


def test_threads_and_pickles_change_nothing():
    X, y = numbers(200)
    one, two = forest(oob_score=True).fit(X, y), forest(oob_score=True, n_jobs=2).fit(X, y)
    copied = pickle.loads(pickle.dumps(one))

    for other in (two, copied):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
        np.testing.assert_array_equal(one.predict(X, quantiles=[0.2]), other.predict(X, quantiles=[0.2]))
        np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)


def test_warm_start_adds_the_trees_of_a_larger_forest():
    X, y = numbers(200)
    grown = forest(n_estimators=10, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=25).fit(X, y)

    np.testing.assert_array_equal(grown.predict(X), forest(n_estimators=25).fit(X, y).predict(X))


# Refused input


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (["a", "b"] * 10, "y must hold numbers, got 'a'"),
        ([1.0, np.nan] * 10, "NaN"),
        ([1.0, np.inf] * 10, "infinity"),
        (np.arange(20).astype("datetime64[D]"), "dtype datetime64"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y, match):
    with pytest.raises(ValueError, match=match):
        forest().fit(np.arange(20.0)[:, None], y)


def test_criteria_of_the_classifier_are_refused_by_name():
    X, y = numbers(20)

    with pytest.raises(bc.BychanceError, match=r"`criterion`.*gini"):
        forest(criterion="gini").fit(X, y)


def test_the_classifier_points_to_the_regressor_for_numbers():
    X, y = numbers(200)
    counts = np.arange(200) % 86

    with pytest.raises(ValueError, match="RandomForestRegressor"):
        bc.RandomForestClassifier().fit(X, y)
    with pytest.warns(bc.BychanceWarning, match=r"86 different numbers.*`DecisionTreeRegressor`"):
        bc.DecisionTreeClassifier().fit(X, counts)


def test_thirty_numbers_are_classes_without_a_word(recwarn):
    bc.DecisionTreeClassifier().fit(np.arange(300.0)[:, None], np.arange(300) % 30)

    assert not recwarn.list
