"""Cross-validated AUC and the curve of alpha."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import bychance as bc
from bychance.forest.curve import ScoreTable, auc, compare_auc, two_folds
from tests.forest.frames import LIBRARIES, blobs, mixed


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("decimals", [1, 9])
def test_auc_is_that_of_scikit_learn(n_classes, decimals):
    """AUC is compared with and without ties, and weighted one against the rest for more than two classes."""
    rng = np.random.default_rng(n_classes)
    codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=200)]
    shares = rng.dirichlet(np.ones(n_classes), size=len(codes)).round(decimals) + 1e-3
    shares /= shares.sum(axis=1, keepdims=True)
    shares = shares.round(12)
    shares[:, 0] = 1 - shares[:, 1:].sum(axis=1)
    score = shares[:, 1] if n_classes == 2 else shares
    expected = roc_auc_score(codes, score, multi_class="ovr", average="weighted")

    assert auc(codes, shares) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 100))
def test_folds_halve_all_rows_and_every_class(codes, seed):
    codes = np.array(codes)
    is_first = two_folds(codes, np.random.default_rng(seed))

    assert abs(2 * is_first.sum() - len(codes)) <= 1
    for k in np.unique(codes):
        assert abs(2 * is_first[codes == k].sum() - (codes == k).sum()) <= 1


class Constant:
    """Model that predicts given values, and remembers the rows that it was shown."""

    shown: ClassVar[list] = []

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Constant.shown.append(("fit", self.seed, set(X[:, 0])))
        return self

    def predict_proba(self, X):
        Constant.shown.append(("predict", self.seed, set(X[:, 0])))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_each_half_is_predicted_from_the_other():
    Constant.shown = []
    X, y = np.arange(10)[:, None], np.arange(10) % 2
    table = compare_auc({"a": Constant}, X, y, n_repeats=3)

    for (_, seed, trained), (_, _, predicted) in zip(Constant.shown[::2], Constant.shown[1::2], strict=True):
        assert trained | predicted == set(range(10))
        assert not trained & predicted
        assert seed in (0, 1, 2)
    assert len(Constant.shown) == 12
    np.testing.assert_array_equal(table.values, 0.5)


def test_a_class_with_a_single_row_has_share_zero_where_it_was_not_seen():
    X, y = np.arange(9)[:, None], np.r_[np.arange(8) % 2, 2]

    assert compare_auc({"a": Constant}, X, y, n_repeats=2).values.shape == (2, 1)


def test_one_class_cannot_be_told_apart():
    with pytest.raises(ValueError, match="`y` must have at least two classes"):
        compare_auc({"a": Constant}, np.zeros((4, 1)), np.zeros(4))


def test_differences_are_paired():
    table = ScoreTable(("a", "b"), np.array([[0.8, 0.7], [0.6, 0.5], [0.7, 0.62]]))
    mean, error = table.difference("a", "b")

    assert mean == pytest.approx(np.mean([0.1, 0.1, 0.08]))
    assert error == pytest.approx(np.std([0.1, 0.1, 0.08], ddof=1) / np.sqrt(3))
    np.testing.assert_allclose(table.standard_error, np.std(table.values, axis=0, ddof=1) / np.sqrt(3))


@pytest.fixture(scope="module")
def curve():
    columns, y = mixed()
    forest = bc.RandomForestClassifier.from_paper(n_estimators=20)
    return bc.alpha_curve(pd.DataFrame(columns), y, alphas=[0.05, 0.5, 0.05], n_repeats=3, forest=forest)


def test_a_curve_has_a_point_and_an_error_for_each_level(curve):
    frame = curve.to_frame()

    assert list(frame.columns) == ["alpha", "auc", "auc_se", "over_gini", "over_gini_se"]
    assert frame["alpha"].tolist() == [0.05, 0.5]
    np.testing.assert_array_equal(frame["auc"], curve.table.values[:, :2].mean(axis=0))
    assert curve.best == curve.alphas[int(frame["auc"].argmax())]


def test_a_curve_can_be_drawn(curve, tmp_path):
    axes = curve.plot()
    axes.figure.savefig(tmp_path / "curve.svg")

    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_legend().get_texts()][-1] == "AGini(α)"
    assert curve.plot(axes) is axes


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_curve_is_the_same_for_every_library(library, curve):
    columns, y = mixed()
    forest = bc.RandomForestClassifier.from_paper(n_estimators=20)
    X = LIBRARIES[library](columns)
    other = bc.alpha_curve(X, y, alphas=[0.05, 0.5], n_repeats=3, forest=forest)

    np.testing.assert_array_equal(other.table.values, curve.table.values)
    assert type(other.to_frame()).__module__.split(".")[0] == library


def test_another_seed_cuts_other_halves():
    X, y = blobs()
    forest = bc.RandomForestClassifier.from_paper(n_estimators=5)
    first, second = (
        bc.alpha_curve(X.tolist(), y, alphas=[0.5], n_repeats=2, forest=forest, rng=seed) for seed in (0, 1)
    )

    assert (first.auc != second.auc).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": []}, "`alphas` must hold at least one value"),
        ({"alphas": [0.0]}, r"`alphas` must lie in \(0, 1\]"),
        ({"n_repeats": 0}, "`n_repeats` must be a positive integer"),
    ],
)
def test_options_of_the_curve_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        bc.alpha_curve(*blobs(), **options)
