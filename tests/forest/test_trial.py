"""The first trees of a forest say how many columns the others try."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bychance as bc
from bychance.forest import grow, trial


def clear_classes(rng, n=300):
    """Two of thirty columns tell the classes without an error."""
    X = rng.integers(0, 2, (n, 30))
    return X, X[:, 3] & X[:, 17]


def noisy_classes(rng, n=300):
    X = rng.normal(size=(n, 30))
    return X, (X[:, :10].sum(axis=1) + 6 * rng.normal(size=n) > 0).astype(int)


def turns_after(X, y, **settings):
    model = bc.RandomForestClassifier(40, random_state=0, **settings).fit(X, y)
    before = model._settings(model._features, len(y))
    return before, trial.after_trial(model._training, before, model.estimators_).turns


def test_clear_classes_have_more_columns_tried(rng):
    before, after = turns_after(*clear_classes(rng))

    assert after.usual == before.turns.clear


def test_noisy_classes_have_few_columns_tried(rng):
    before, after = turns_after(*noisy_classes(rng))

    assert after == before.turns


def test_a_trial_needs_rows_out_of_bag(rng):
    before, after = turns_after(*clear_classes(rng), bootstrap=False, max_samples=None)

    assert after == before.turns


@pytest.mark.parametrize("make", [clear_classes, noisy_classes])
@pytest.mark.parametrize("n_first", [10, 40, 50])
def test_a_forest_that_goes_on_is_one_grown_at_once(make, n_first, rng):
    X, y = make(rng)
    model = bc.RandomForestClassifier(n_first, random_state=1, warm_start=True).fit(X, y)
    model.set_params(n_estimators=60).fit(X, y)
    at_once = bc.RandomForestClassifier(60, random_state=1).fit(X, y)

    np.testing.assert_array_equal(model.predict_proba(X), at_once.predict_proba(X))


def test_a_number_of_columns_is_kept_to(rng):
    X, y = clear_classes(rng)
    model = bc.RandomForestClassifier(60, max_features=4, random_state=0).fit(X, y)
    settings = model._settings(model._features, len(y))

    assert {settings.of_tree(number).max_features for number in range(60)} == {4}
    assert trial.after_trial(model._training, settings, model.estimators_) is settings


@pytest.mark.parametrize("make", [clear_classes, noisy_classes])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_what_threads_grow_ahead_of_the_trial_changes_nothing(make, n_jobs, rng, monkeypatch):
    monkeypatch.setattr(grow, "_PART_TREES", 1)
    X, y = make(rng, n=2_000)
    settings = dict(n_estimators=60, random_state=3, oob_score=True)
    one, many = (bc.RandomForestClassifier(n_jobs=n, **settings).fit(X, y) for n in (1, n_jobs))

    np.testing.assert_array_equal(one.oob_decision_function_, many.oob_decision_function_)
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))


def test_trees_that_are_called_off_are_not_grown(rng, monkeypatch):
    X, y = rng.normal(size=(20_000, 10)), rng.normal(size=20_000)
    model = bc.RandomForestRegressor(2, max_features=10, max_depth=1, random_state=0).fit(X, y)
    kernel, grown = grow._native.grow_trees, []
    monkeypatch.setattr(grow._native, "grow_trees", lambda *inputs: grown.append(1) or kernel(*inputs))
    growing = grow.grow_trees(
        model._training,
        model._settings(model._features, len(y)),
        [[number] for number in range(1_000)],
        0,
        shrinkages=(),
        step=1,
        n_jobs=2,
    )
    next(growing)
    growing.close()
    n_begun = len(grown)
    time.sleep(0.1)

    assert len(grown) == n_begun < 1_000


def test_the_longest_parts_are_begun_first_and_put_back(rng):
    model = bc.RandomForestRegressor(1).fit(rng.normal(size=(20, 8)), rng.normal(size=20))
    settings = model._settings(model._features, 30_000)
    parts = [[number] for number in range(40, 48)]
    order = trial._longest_first(settings, parts)
    turns = [settings.turn_of(parts[place][0]) for place in order]

    assert (turns[0].max_features, turns[0].random_cuts) == (6, True)
    assert (turns[-1].max_features, turns[-1].random_cuts) == (3, False)
    assert list(trial._put_back(order, (parts[place] for place in order))) == parts
