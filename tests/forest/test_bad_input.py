"""Refused input of the estimators, and degenerate tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import bychance as bc
from tests.forest.frames import LIBRARIES, blobs, forest, mixed

CRITERIA = ("fair", "agini", "sgini", "gini", "entropy")


def test_one_class_is_what_everything_is_predicted_as():
    X, _ = blobs()
    model = forest(oob_score=True).fit(X, ["only"] * len(X))

    assert set(model.predict(X)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((len(X), 1)))
    np.testing.assert_array_equal(model.feature_importances_, 0)


@pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")
def test_a_class_of_its_own_for_every_row_is_learned_by_heart():
    X, _ = blobs(n=30)
    y = [f"c{k:02}" for k in range(30)]

    assert bc.DecisionTreeClassifier(criterion="gini").fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("criterion", ["fair", "agini", "sgini"])
def test_columns_that_say_nothing_are_never_split_on(criterion):
    X, y = blobs()
    frame = pd.DataFrame({
        "signal": X[:, 0],
        "constant": 1.0,
        "gone": np.nan,
        "name": [f"row {k}" for k in range(len(y))],
        "same": "a",
    })  # fmt: skip
    model = forest(criterion=criterion, max_features=None).fit(frame, y)
    used = {model._features[k].name for tree in model.estimators_ for k in _split_columns(tree)}

    assert used == {"signal"}
    assert model.feature_importances_[0] > 0
    np.testing.assert_array_equal(model.feature_importances_[1:], 0)


def _split_columns(tree):
    nodes = (tree.node(k) for k in range(tree.n_nodes))
    return {node.feature for node in nodes if node.feature is not None}


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused(value):
    X, y = blobs()
    X[3, 1] = value

    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest().fit(X, y)
    with pytest.raises(ValueError, match=r"`x1` must be finite, got -?inf at row 3"):
        forest().fit(pd.DataFrame(X, columns=[f"x{k}" for k in range(4)]), y)


def test_infinity_in_a_sparse_matrix_is_refused():
    X, y = blobs()
    X[3, 1] = np.inf

    with pytest.raises(ValueError, match="Input X contains infinity"):
        forest().fit(sparse.lil_matrix(X), y)


def test_columns_at_prediction_must_be_those_of_fit(library):
    columns, y = mixed()
    make = LIBRARIES[library]
    model = forest().fit(make(columns), y)

    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make({name: columns[name] for name in list(columns)[:3]}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make({name.upper(): values for name, values in columns.items()}))
    with pytest.raises(ValueError, match="`dose` held numbers in fit, got categories such as"):
        model.predict(make({**columns, "dose": columns["city"]}))
    with pytest.raises(ValueError, match=r"`city` held categories such as 'city .' in fit, got numbers"):
        model.predict(make({**columns, "city": columns["dose"]}))


def test_a_column_without_values_may_come_at_prediction(library):
    columns, y = mixed()
    make = LIBRARIES[library]
    model = forest().fit(make(columns), y)
    nothing = [None] * len(y)

    for name in ("dose", "city", "flag"):
        shares = model.predict_proba(make({**columns, name: nothing}))
        np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-1.0, "Negative values in data passed to `sample_weight`"),
        (0.0, "Sample weights must contain at least one non-zero number"),
        (np.nan, "Input sample_weight contains NaN"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        forest().fit(X, y, np.full(len(y), weights))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, r"`alpha` must lie in \(0, 1\], got 0"),
        ({"alpha": 1.01}, r"`alpha` must lie in \(0, 1\]"),
        ({"alpha": "tuned"}, r'`alpha` must lie in \(0, 1\] or be "oob"'),
        ({"alpha": "oob"}, '`alpha` belongs to criterion="agini"'),
        ({"criterion": "gain"}, "`criterion` must be one of"),
        ({"null": "normal"}, "`null` must be one of moments, multinomial"),
        ({"quantile": 0.5}, "`quantile` must be one of"),
        ({"categorical_split": "binary"}, "`categorical_split` must be one of"),
        ({"missing": "drop"}, "`missing` must be one of"),
        ({"n_estimators": 0}, "`n_estimators` must be a positive integer, got 0"),
        ({"n_estimators": True}, "`n_estimators` must be a positive integer"),
        ({"max_features": "all"}, "`max_features` must be one of"),
        ({"max_features": 0}, "`max_features` must be a positive integer"),
        ({"max_features": 1.5}, r"`max_features` must lie in \(0, 1\]"),
        ({"max_depth": -1}, "`max_depth` must be a positive integer"),
        ({"min_samples_split": 1}, "`min_samples_split` must be an integer of at least 2"),
        ({"min_samples_leaf": 0}, "`min_samples_leaf` must be an integer of at least 1"),
        ({"min_adjusted_gain": np.nan}, "`min_adjusted_gain` must be a finite number"),
        ({"max_samples": 1000}, "`max_samples` must be in 1 to n_samples=120"),
        ({"max_samples": 0.0}, r"`max_samples` must lie in \(0, 1\]"),
        (
            {"bootstrap": False, "max_samples": None, "oob_score": True},
            "`oob_score` needs rows that trees are not grown on",
        ),
        ({"class_weight": "heavy"}, "class_weight"),
        ({"warm_start": True, "criterion": "agini", "alpha": "oob"}, "cannot be combined"),
    ],
)
def test_settings_are_checked_in_fit(settings, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        forest(**settings).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (pd.DataFrame({"a": []}), [], "0 sample"),
        (pd.DataFrame(index=range(3)), [0, 1, 1], "0 feature"),
        (np.zeros((0, 2)), [], "0 sample"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, 1], "inconsistent numbers of samples"),
        (pd.DataFrame({"a": [1, 2, 3]}), None, "requires y to be passed"),
        (pd.DataFrame({"a": [1, 2, 3]}), ["a", None, "b"], "Input y contains NaN"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, np.nan, 1], "Input y contains NaN"),
        (pd.DataFrame({"a": [1.0, 2, 3]}), [0.5, 1.25, 3.1], "Unknown label type: continuous"),
        (pd.DataFrame({"a": [1, 2, 3]}), np.eye(3, 2), "one value per row, got 2 columns"),
        (pd.DataFrame({"a": [1, 2, 3]}), pd.DataFrame(np.eye(3, 2)), "one value per row, got 2 columns"),
        (pd.DataFrame({"a": [1, "x", 3]}), [0, 1, 1], "`a` must hold values of one type"),
        (pl.DataFrame({"a": [[1], [2], [3]]}), [0, 1, 1], "`a` must hold numbers, dates, booleans or"),
    ],
)
def test_what_is_no_table_of_rows_with_classes_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        forest().fit(X, y)


@pytest.mark.parametrize("size", [1e-70, 1e70])
def test_numbers_whose_powers_leave_the_floats_are_refused(size):
    X, _ = blobs()
    y = X[:, 0] * size

    with pytest.raises(bc.BychanceError, match="`y` must be at most 1e"):
        bc.RandomForestRegressor(n_estimators=2).fit(X, y)
    with pytest.raises(bc.BychanceError, match="`sample_weight` must be at most 1e"):
        bc.RandomForestRegressor(n_estimators=2).fit(X, X[:, 0], sample_weight=np.full(len(X), size))


@pytest.mark.parametrize("unit", [2.0**-190, 2.0**190])
def test_the_unit_of_a_target_changes_no_tree(unit):
    X, _ = blobs()
    y = X[:, 0] + X[:, 1] ** 2
    one, other = (bc.RandomForestRegressor(5, random_state=0).fit(X, y * k).predict(X) for k in (1, unit))

    np.testing.assert_array_equal(one, other / unit)


def test_fractions_that_cannot_be_frequencies_get_a_warning():
    X, y = blobs()
    weights = np.linspace(1000.5, 3000, len(y))

    with pytest.warns(bc.BychanceWarning, match=r"has mean 2e\+03, and weights are frequencies"):
        forest().fit(X, y, sample_weight=weights)
    forest().fit(X, y, sample_weight=weights / weights.mean())
    forest().fit(X, y, sample_weight=np.full(len(y), 50))


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_gap_in_a_list_of_labels_is_no_class(gap):
    X, y = blobs()

    with pytest.raises(bc.BychanceError, match="y contains NaN"):
        forest().fit(X, [gap, *("a" if k else "b" for k in y[1:])])


def test_numbers_among_labels_are_refused_wherever_they_come_first():
    X, y = blobs()
    labels = [1, "a", "b"] * len(y)

    with pytest.raises(bc.BychanceError, match="labels of one type, got int and str"):
        forest().fit(X, labels[: len(y)])


def test_labels_of_two_types_are_refused():
    X, y = blobs()

    with pytest.raises(bc.BychanceError, match="labels of one type, got int and str"):
        forest().fit(X, ["a" if k else 1 for k in y])


def test_labels_of_bytes_are_refused():
    X, y = blobs()

    with pytest.raises(bc.BychanceError, match="must hold strings, numbers or booleans, got bytes"):
        forest().fit(X, np.where(y, b"a", b"b"))


def test_booleans_as_objects_are_classes():
    X, y = blobs()

    assert forest().fit(X, (y > 0).astype(object)).classes_.tolist() == [False, True]


def test_numbers_beside_strings_in_lists_stay_numbers():
    X, y = blobs()
    rows = [["a" if k % 3 else "b", float(row[0])] for k, row in enumerate(X)]
    model = forest().fit(rows, y)

    assert [feature.kind.value for feature in model._features] == ["categorical", "numeric"]


def test_two_columns_of_one_name_are_refused_by_name():
    X, y = blobs()
    frame = pd.DataFrame(X[:, :2], columns=["age", "age"])

    with pytest.raises(bc.BychanceError, match="'age' twice or more in"):
        forest().fit(frame, y)
