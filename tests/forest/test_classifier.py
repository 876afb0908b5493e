"""Classifiers: scikit-learn's contract, predictions, and independence of threads."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
import sklearn.tree
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import bychance as bc
from tests.engine.settings import put
from tests.forest.frames import LIBRARIES, blobs, forest, mixed

CRITERIA = ("fair", "agini", "sgini", "gini", "entropy")
ESTIMATORS = [
    bc.RandomForestClassifier(n_estimators=20),
    bc.RandomForestClassifier.from_paper(n_estimators=20),
    bc.RandomForestClassifier(n_estimators=20, bootstrap=True, max_samples=None, criterion="gini"),
    bc.DecisionTreeClassifier(),
    bc.DecisionTreeClassifier(criterion="gini"),
]


def expected_to_fail(estimator):
    """List checks that scikit-learn's own forest fails too, because weights do not repeat drawn rows."""
    if isinstance(estimator, bc.DecisionTreeClassifier):
        return {}
    reason = "sample_weight is not equivalent to removing/repeating samples."
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


# scikit-learn's contract


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bc.RandomForestClassifier(), sklearn.ensemble.RandomForestClassifier()),
        (bc.DecisionTreeClassifier(), sklearn.tree.DecisionTreeClassifier()),
    ],
)
def test_every_check_of_scikit_learns_own_for_one_target_is_run_here_too(ours, theirs):
    def names(estimator):
        checks = estimator_checks_generator(estimator)
        return {getattr(check, "func", check).__name__ for _, check in checks}

    more = names(theirs) - names(ours)
    assert all("multioutput" in name or "multilabel" in name for name in more), more


def test_scikit_learn_fits_a_forest_to_each_of_several_targets():
    X, first = blobs()
    y = np.column_stack([first, X[:, 1] > 0])
    both = MultiOutputClassifier(forest(random_state=0)).fit(X, y)

    for k, target in enumerate(y.T):
        alone = forest(random_state=0).fit(X, target)
        np.testing.assert_array_equal(both.predict_proba(X)[k], alone.predict_proba(X))


def test_names_are_loaded_when_first_used():
    assert {"RandomForestClassifier", "DecisionTreeClassifier", "export_tree", "alpha_curve"} <= set(dir(bc))


def test_grid_search_goes_over_alpha():
    X, y = blobs()
    search = GridSearchCV(
        forest(criterion=bc.SplitCriterion("agini")), {"criterion__alpha": [0.05, 0.5]}, cv=2
    ).fit(X, y)

    assert search.best_params_["criterion__alpha"] in (0.05, 0.5)


def test_permutation_importance_works():
    columns, y = mixed()
    X = pd.DataFrame(columns)

    result = permutation_importance(forest().fit(X, y), X, y, n_repeats=2, random_state=0)

    assert result.importances_mean[0] > result.importances_mean[3]


# Predictions


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_learns(criterion):
    X, y = load_iris(return_X_y=True)

    assert cross_val_score(forest(criterion=criterion), X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize("categorical_split", ["ordered", "multiway"])
@pytest.mark.parametrize("missing", ["majority", "best"])
def test_frames_with_gaps_and_categories_are_learned_from(library, categorical_split, missing):
    columns, y = mixed(400)
    X = LIBRARIES[library](columns)
    model = forest(categorical_split=categorical_split, missing=missing, oob_score=True, n_estimators=100)

    assert model.fit(X, y).oob_score_ > 0.72
    assert model.feature_names_in_.tolist() == list(columns)


def test_frames_of_all_libraries_give_the_same_forest():
    columns, y = mixed()
    first, *others = (
        forest().fit(make(columns), y).predict_proba(make(columns)) for make in LIBRARIES.values()
    )

    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize(
    "as_sparse", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.dok_matrix]
)
@pytest.mark.parametrize(
    "made", [forest(oob_score=True), bc.DecisionTreeClassifier(max_samples=0.5, random_state=0)]
)
def test_sparse_columns_are_learned_from_as_dense_ones_are(made, as_sparse):
    X, y = blobs()
    X[X < 0.3] = 0
    dense, thin = clone(made).fit(X, y), clone(made).fit(as_sparse(X), y)

    np.testing.assert_array_equal(thin.predict_proba(as_sparse(X)), dense.predict_proba(X))
    np.testing.assert_array_equal(thin.apply(X), dense.apply(X))
    np.testing.assert_array_equal(thin.feature_importances_, dense.feature_importances_)


def test_probabilities_are_the_mean_of_the_trees():
    X, y = blobs()
    model = forest(shrinkage="none").fit(X, y)
    whole, alone = model.predict_proba(X), [tree.predict_proba(X) for tree in model.estimators_]

    np.testing.assert_allclose(whole, np.mean(alone, axis=0), rtol=1e-12)


def test_leaves_are_numbered_by_tree():
    X, y = blobs()
    model = forest().fit(X, y)
    leaves = model.apply(X)

    assert leaves.shape == (len(X), 30)
    for tree, column in zip(model.estimators_, leaves.T, strict=True):
        assert set(column) <= set(range(tree.n_nodes))


def test_rows_are_predicted_alike_alone_and_in_blocks(monkeypatch):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    model = forest().fit(X, y)
    whole = model.predict_proba(X)
    put(monkeypatch, cells_predicted_at_once=7 * len(columns))

    np.testing.assert_array_equal(model.predict_proba(X), whole)
    np.testing.assert_array_equal(model.predict_proba(X.iloc[[5]]), whole[[5]])


def test_an_unseen_category_is_predicted_by_the_shares_of_the_node():
    X = pd.DataFrame({"city": ["a"] * 40 + ["b"] * 40 + ["c"] * 20})
    y = [0] * 40 + [1] * 60
    tree = bc.DecisionTreeClassifier(categorical_split="multiway").fit(X, y)

    np.testing.assert_allclose(tree.predict_proba(pd.DataFrame({"city": ["new", "a"]})), [[0.4, 0.6], [1, 0]])


@pytest.mark.parametrize("kind", ["int", "bool", "string", "category"])
def test_classes_come_back_as_they_were(kind):
    X, codes = blobs()
    y = {
        "int": codes * 7 - 3,
        "bool": codes == 1,
        "string": np.where(codes, "yes", "no"),
        "category": pd.Series(np.where(codes, "yes", "no"), dtype="category"),
    }[kind]
    model = forest().fit(X, y)

    assert set(model.predict(X)) == set(np.asarray(y))
    assert model.classes_.tolist() == sorted(set(np.asarray(y).tolist()))


def test_a_polars_target_is_read():
    X, codes = blobs()
    model = forest().fit(X, pl.Series("y", np.where(codes, "yes", "no").tolist()))

    assert model.classes_.tolist() == ["no", "yes"]


# Independence of threads


@pytest.mark.parametrize("settings", [{}, {"bootstrap": True}, {"criterion": "agini", "alpha": "oob"}])
def test_a_forest_is_bitwise_the_same_for_any_number_of_jobs(settings):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    one, two, many = (forest(n_jobs=jobs, oob_score=True, **settings).fit(X, y) for jobs in (1, 2, 5))

    for other in (two, many):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)
        np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)
        np.testing.assert_array_equal(one.apply(X), other.apply(X))


@pytest.mark.slow
def test_processes_grow_the_same_forest_as_threads():
    columns, y = mixed(80)
    X = pd.DataFrame(columns)
    here = forest(n_estimators=4).fit(X, y)
    with parallel_config(backend="loky", n_jobs=2):
        there = forest(n_estimators=4).fit(X, y)

    np.testing.assert_array_equal(here.predict_proba(X), there.predict_proba(X))


def test_another_seed_gives_another_forest():
    X, y = blobs()

    assert (forest().fit(X, y).predict_proba(X) != forest(random_state=1).fit(X, y).predict_proba(X)).any()


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
@pytest.mark.parametrize("made", [forest(warm_start=True), bc.DecisionTreeClassifier()])
def test_copies_predict_the_same(made, copied):
    columns, y = mixed()
    X = pd.DataFrame(columns)
    model = clone(made).fit(X, y)
    again = copied(model)

    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.apply(X), model.apply(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_a_pickle_does_not_hold_the_training_rows():
    X, y = blobs(n=4000, n_columns=10)
    model = forest(n_estimators=2, max_depth=2).fit(X, y)

    assert len(pickle.dumps(model)) < X.nbytes / 4


def test_labels_differ_by_zero_bytes_at_their_end():
    X, y = [["u"]] * 20 + [["u\0"]] * 20, ["a"] * 20 + ["a\0"] * 20
    forest = bc.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)

    assert forest.classes_.tolist() == ["a", "a\0"]
    assert forest.predict(X).tolist() == y
