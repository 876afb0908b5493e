"""ForestSelector: scikit-learn's contract, selected columns, and false discoveries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bychance as bc
from tests.forest.frames import LIBRARIES, blobs, mixed


@parametrize_with_checks([bc.ForestSelector(bc.RandomForestClassifier(20), fdr_level=1.0)])
@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_matters_is_kept_in_the_callers_library(library):
    columns, y = mixed(400)
    selector = bc.ForestSelector(random_state=0).fit(LIBRARIES[library](columns), y)
    kept = selector.transform(LIBRARIES[library](columns))

    assert {"dose", "city"} <= set(selector.get_feature_names_out()) <= {"dose", "city", "flag"}
    assert type(kept).__module__.split(".")[0] == library
    assert (selector.support_ == (selector.qvalues_ <= 0.05)).all()


@pytest.mark.slow
def test_columns_that_matter_together_only_are_found():
    """The product of two columns is independent of either alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6))
    y = X[:, 0] * X[:, 1] + rng.normal(size=800) / 4

    assert bc.ForestSelector(random_state=0).fit(X, y).support_[:2].all()
    assert not bc.ChanceSelector("r2", fdr_level=0.05).fit(X, y).support_[:2].any()


def test_numbers_are_regressed_on_and_few_values_are_classes():
    X, y = blobs(200)

    assert isinstance(bc.ForestSelector(random_state=0).fit(X, y).estimator_, bc.RandomForestClassifier)
    assert isinstance(bc.ForestSelector(random_state=0).fit(X, X[:, 0]).estimator_, bc.RandomForestRegressor)


def test_it_is_a_step_of_a_pipeline():
    X, y = blobs(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(bc.ForestSelector(random_state=0), bc.RandomForestClassifier(20, random_state=0))

    assert model.fit(frame, y).score(frame, y) > 0.85
    assert model[-1].feature_names_in_.tolist() == ["a", "b"]


def test_nothing_found_is_said_in_scikit_learns_words():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    selector = bc.ForestSelector(fdr_level=1e-9, random_state=0).fit(X, y)

    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (60, 0)


def test_two_uniform_p_values_make_one_that_is_uniform(rng):
    from bychance.forest.selector import _harmonic_mean_p

    shares = [
        np.mean(_harmonic_mean_p(*rng.random((2, 200_000))) <= level) for level in (0.01, 0.05, 0.3, 0.8)
    ]

    np.testing.assert_allclose(shares, [0.01, 0.05, 0.3, 0.8], atol=0.003, rtol=0)
    assert 0 < _harmonic_mean_p(np.array([0.0]), np.array([0.0]))[0] < 1e-300
    assert _harmonic_mean_p(np.array([1.0]), np.array([1.0]))[0] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-90, 1e90, 1e200, 1e300])
def test_a_target_in_other_units_keeps_the_same_columns(scale, rng):
    X = rng.normal(size=(150, 4))
    y = X[:, 0] + X[:, 1] / 2 + rng.normal(size=150) / 2
    selectors = [
        bc.ForestSelector(bc.RandomForestRegressor(30, random_state=0)).fit(X, y * factor)
        for factor in (1, scale)
    ]

    np.testing.assert_allclose(selectors[0].pvalues_, selectors[1].pvalues_, rtol=0.05)
    assert selectors[1].support_.tolist() == [True, True, False, False]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_a_column_that_does_not_vary_has_a_p_value_of_one(n_classes, rng):
    constant = pd.DataFrame({"number": np.ones(100), "label": ["a"] * 100, "empty": np.full(100, np.nan)})
    X = constant.assign(varies=rng.normal(size=100))
    y = rng.integers(0, n_classes, 100) if n_classes else rng.normal(size=100)
    selector = bc.ForestSelector(random_state=0, fdr_level=0.99).fit(X, y)

    assert (
        selector.pvalues_[:3].tolist() == selector.estimator_.feature_importances_p_[:3].tolist() == [1] * 3
    )
    assert selector.pvalues_[3] < 1
    assert not selector.support_[:3].any()


@pytest.mark.parametrize("options", [{"fdr_level": 0}, {"fdr_level": 2}, {"estimator": "forest"}])
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(bc.BychanceError, match=f"`{next(iter(options))}`"):
        bc.ForestSelector(**options).fit(*blobs())


@pytest.mark.statistical
def test_few_of_the_kept_columns_are_noise():
    """In 30 tables six of 40 columns matter: at most 8% of the kept are noise."""
    wrong, found = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 40))
        X[:, 20:] = rng.integers(0, 8, (300, 20))
        y = X[:, :6].sum(axis=1) / 2 + rng.normal(size=300)
        support = bc.ForestSelector(random_state=seed).fit(X, y).support_
        wrong.append(support[6:].sum() / max(1, support.sum()))
        found.append(support[:6].mean())

    assert np.mean(wrong) < 0.08
    assert np.mean(found) > 0.97


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([f"{k / 7:.2f}" for k in range(40)], "got numbers as strings such as '0.00': make them numbers"),
        (np.arange(40).astype("M8[D]"), "got dates or times such as 1970-01-01: make them numbers"),
        (["u"] * 40, "`y` must vary, got one class or value throughout"),
        (np.full(40, 2.5), "`y` must vary, got one class or value throughout"),
    ],
)
def test_a_target_of_which_nothing_can_be_learned_is_named(y, message, rng):
    with pytest.raises(bc.BychanceError, match=message):
        bc.ForestSelector(random_state=0).fit(rng.normal(size=(40, 2)), y)


def test_numbers_as_strings_are_classes_where_each_has_rows_enough():
    X, y = blobs()
    selector = bc.ForestSelector(bc.RandomForestClassifier(5, random_state=0))

    assert selector.fit(X, y.astype(str)).estimator_.classes_.tolist() == sorted(set(y.astype(str)))
    assert type(bc.ForestSelector()._forest(y.astype(str))) is bc.RandomForestClassifier


@pytest.mark.parametrize("target", ["outlier", "rare class"])
def test_lumps_are_no_discoveries(target, rng):
    """Many categories beside an outlier, and rare flags beside a rare class."""
    if target == "outlier":
        y = rng.normal(size=200)
        y[7] = 1e6
        X = pd.DataFrame({f"x{k}": rng.integers(0, 40, 200).astype(str) for k in range(12)})
        X.loc[7, "x0"] = "alone"
    else:
        y = np.arange(1000) < 50
        X = pd.DataFrame({f"x{k}": (rng.permutation(1000) < 10) * 1.0 for k in range(12)})

    assert not bc.ForestSelector(random_state=0).fit(X, y).get_support().any()
