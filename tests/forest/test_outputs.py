"""Several targets: a forest for each is that of a fit of its own, and what is said of them all."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from scipy import sparse
from sklearn.base import clone

import bychance as bc
from tests.forest.frames import LIBRARIES, blobs

FOREST = bc.RandomForestClassifier(n_estimators=20, random_state=0)
TREE = bc.DecisionTreeClassifier(max_samples=0.6, random_state=0)


def two_targets(n=120):
    """Rows with a target of two classes and one of three, both numbers."""
    X, first = blobs(n=n)
    return X, np.column_stack([first, np.digitize(X[:, 1], [-0.5, 0.5])])


@pytest.mark.parametrize("made", [FOREST, TREE])
def test_two_targets_are_two_separate_fits(made):
    X, y = two_targets()
    both = clone(made).fit(X, y)
    alone = [clone(made).fit(X, target) for target in y.T]

    assert (both.n_outputs_, both.n_classes_, [each.n_outputs_ for each in alone]) == (2, [2, 3], [1, 1])
    for k, one in enumerate(alone):
        np.testing.assert_array_equal(both.classes_[k], one.classes_)
        np.testing.assert_array_equal(both.predict_proba(X)[k], one.predict_proba(X))
        np.testing.assert_array_equal(both.predict_log_proba(X)[k], one.predict_log_proba(X))
        np.testing.assert_array_equal(both.predict(X)[:, k], one.predict(X))
    np.testing.assert_array_equal(both.apply(X), np.column_stack([one.apply(X) for one in alone]))
    np.testing.assert_array_equal(
        both.feature_importances_, np.mean([one.feature_importances_ for one in alone], axis=0)
    )
    assert len(both.estimators_) == sum(len(one.estimators_) for one in alone)


def test_a_tree_of_several_targets_has_the_depth_of_the_deepest_and_the_leaves_of_all():
    X, y = two_targets()
    both, alone = clone(TREE).fit(X, y), [clone(TREE).fit(X, target) for target in y.T]

    assert both.get_depth() == max(one.get_depth() for one in alone)
    assert both.get_n_leaves() == sum(one.get_n_leaves() for one in alone)


def test_a_random_seed_is_drawn_once_for_all_targets():
    X, y = blobs()
    model = clone(FOREST).set_params(random_state=np.random.RandomState(0)).fit(X, np.column_stack([y, y]))
    first, second = model.predict_proba(X)

    np.testing.assert_array_equal(first, second)


def test_the_rows_are_kept_once():
    X, y = two_targets()
    first, second = clone(FOREST).fit(X, y).targets_

    assert first._training.features is second._training.features


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
@pytest.mark.parametrize("made", [FOREST, TREE])
def test_copies_predict_the_same(made, copied):
    X, y = two_targets()
    model = clone(made).fit(X, y)
    again = copied(model)

    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_a_pickle_does_not_hold_the_training_rows():
    X, y = blobs(n=4000, n_columns=10)
    model = clone(FOREST).set_params(n_estimators=2, max_depth=2).fit(X, np.column_stack([y, 1 - y]))

    assert len(pickle.dumps(model)) < X.nbytes / 4


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_of_targets_may_mix_numbers_and_strings(library):
    X, codes = blobs()
    y = {"number": codes.tolist(), "word": np.where(codes, "yes", "no").tolist()}
    predicted = clone(FOREST).fit(X, LIBRARIES[library](y)).predict(X)

    assert set(predicted[:, 0]) == {0, 1}
    assert set(predicted[:, 1]) == {"yes", "no"}


def test_sparse_columns_with_several_targets_are_as_dense_ones():
    X, y = two_targets()
    X[X < 0.3] = 0
    dense, thin = clone(FOREST).fit(X, y), clone(FOREST).fit(sparse.csr_array(X), y)

    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


def test_labels_are_scored_as_scikit_learn_scores_them():
    """A row counts where all of its labels are right."""
    X, y = two_targets()
    labels = (y > 0).astype(int)
    labels[::5] = 1 - labels[::5]
    ours = clone(FOREST).set_params(max_depth=2).fit(X, labels)
    theirs = sklearn.ensemble.RandomForestClassifier(n_estimators=5).fit(X, labels)

    assert ours.score(X, labels) == np.mean((ours.predict(X) == labels).all(axis=1)) < 1
    assert [shares.shape for shares in ours.predict_proba(X)] == [
        shares.shape for shares in theirs.predict_proba(X)
    ]
    with pytest.raises(ValueError, match="multiclass-multioutput is not supported"):
        clone(FOREST).fit(X, y).score(X, y)


@pytest.mark.parametrize("settings", [{"oob_score": True}, {"criterion": "agini", "alpha": "oob"}])
def test_figures_come_one_for_each_target(settings):
    X, y = two_targets()
    made = clone(FOREST).set_params(n_estimators=30, **settings)
    both, alone = clone(made).fit(X, y), [clone(made).fit(X, target) for target in y.T]

    figures = {"alpha_", "oob_score_", "oob_decision_function_", "alpha_losses_"} & set(vars(alone[0]))
    assert len(figures) > 1
    for figure in figures:
        for ours, one in zip(getattr(both, figure), alone, strict=True):
            np.testing.assert_array_equal(ours, getattr(one, figure))


def test_warm_start_adds_the_trees_that_would_have_come():
    X, y = two_targets()
    grown = clone(FOREST).fit(X, y)
    more = clone(FOREST).set_params(n_estimators=8, warm_start=True).fit(X, y)
    more.set_params(n_estimators=20).fit(X, y)

    for ours, theirs in zip(more.predict_proba(X), grown.predict_proba(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for other in (y[:, 0], np.column_stack([y, y])):
        with pytest.raises(ValueError, match="for the same targets: the first fit had 2"):
            more.fit(X, other)
    alone = clone(FOREST).set_params(warm_start=True).fit(X, y[:, 0])
    with pytest.raises(ValueError, match="the first fit had 1 of them, got 2"):
        alone.fit(X, y)


def test_one_target_after_several_leaves_nothing_of_them():
    X, y = two_targets()
    again = clone(FOREST).fit(X, y).fit(X, y[:, 1])
    fresh = clone(FOREST).fit(X, y[:, 1])

    np.testing.assert_array_equal(again.predict_proba(X), fresh.predict_proba(X))
    np.testing.assert_array_equal(again.feature_importances_, fresh.feature_importances_)
    assert (again.n_outputs_, again.targets_, len(again.estimators_)) == (1, [], 20)


def test_class_weights_may_differ_between_targets():
    X, y = blobs()
    weights = [None, {0: 1, 1: 5}]
    made = clone(FOREST).set_params(max_depth=2)
    both = clone(made).set_params(class_weight=weights).fit(X, np.column_stack([y, y]))

    for shares, class_weight in zip(both.predict_proba(X), weights, strict=True):
        alone = clone(made).set_params(class_weight=class_weight).fit(X, y)
        np.testing.assert_array_equal(shares, alone.predict_proba(X))
    with pytest.raises(ValueError, match="one entry for each of 2 targets, got 3"):
        both.set_params(class_weight=[None] * 3).fit(X, np.column_stack([y, y]))


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = two_targets()
    weights = np.ones(len(y))
    weights[::3] = 0
    weighted, without = clone(FOREST).fit(X, y, weights), clone(FOREST).fit(X[weights > 0], y[weights > 0])

    np.testing.assert_array_equal(weighted.predict(X), without.predict(X))
    np.testing.assert_array_equal(weighted.feature_importances_, without.feature_importances_)


def test_what_only_one_target_has_says_so():
    X, y = two_targets()
    model = clone(FOREST).fit(X, y)

    with pytest.raises(ValueError, match="importance_test takes one target"):
        model.importance_test(X, y)
    with pytest.raises(ValueError, match="export_tree shows a tree of one target"):
        bc.export_tree(model)
    with pytest.raises(AttributeError, match="ask each of `targets_`"):
        _ = model.feature_importances_se_
    assert np.isfinite(model.targets_[1].feature_importances_se_).all()
    assert bc.export_tree(model.targets_[1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1], [1, 1]], "inconsistent numbers of samples"),
        ([[0, 1.5], [1, 0.25], [0, 3.1]], "Unknown label type: continuous"),
        ([[0, np.nan], [1, 1], [0, 1]], "Input y contains NaN"),
        (sparse.csr_array(np.eye(3)), "`y` must be dense"),
        (pd.DataFrame({"a": [0, 1, 1], "b": ["x", None, "y"]}), "Input y contains NaN"),
    ],
)
def test_bad_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        clone(FOREST).fit(np.arange(6.0).reshape(3, 2), y)
