"""Frames as they are, and what y is taken for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_diabetes

import bychance as bc
from bychance.datasets import DEMO_TRUTH
from bychance.kinds import Kind
from tests.selection.tables import LIBRARIES, demo, noisy

# Frames as they are


def test_transform_gives_the_same_kind_of_frame(library):
    X, y = demo(library)

    selected = bc.ChanceSelector().fit_transform(X, y)

    assert type(selected) is type(X)
    assert selected.equals(X.select(list(DEMO_TRUTH)) if library == "pyarrow" else X[list(DEMO_TRUTH)])


def test_pandas_keeps_its_index_and_dtypes():
    X, y = demo()
    X = X.astype({"soil": "category"}).set_axis(range(1000, 1400))

    selected = bc.ChanceSelector().fit_transform(X, y)

    assert selected.equals(X[list(DEMO_TRUTH)])
    assert selected.dtypes["soil"] == "category"


def test_missing_values_and_categories_are_taken_as_they_are(library, rng):
    y = rng.normal(size=60)
    columns = {
        "number": [None if k % 5 == 0 else float(v) for k, v in enumerate(y + rng.normal(size=60))],
        "label": [None if k % 7 == 0 else ("high" if v > 0 else "low") for k, v in enumerate(y)],
        "flag": (y > 0.5).tolist(),
        "noise": rng.choice(["a", "b", "c"], 60).tolist(),
    }

    selector = bc.ChanceSelector(fdr_level=0.01).fit(LIBRARIES[library](columns), y)

    assert selector.get_feature_names_out().tolist() == ["number", "label", "flag"]
    assert sorted(record["n"] for record in selector.ranking_.best()) == [48, 51, 60, 60]


@pytest.mark.parametrize("asked", ["pandas", "polars"])
def test_set_output_is_followed_with_types_kept(library, asked):
    X, y = demo(library)
    selected = bc.ChanceSelector().set_output(transform=asked).fit(X, y).transform(X)

    assert type(selected) is LIBRARIES[asked]
    assert list(selected.columns) == list(DEMO_TRUTH)
    assert str(selected["rainfall"].dtype).lower() == "float64"


def test_arrays_of_strings_and_numbers_are_read_by_column():
    X, y = demo()

    selector = bc.ChanceSelector().fit(X.to_numpy(), y)

    assert selector.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert selector.transform(X.to_numpy()).shape == (400, 3)


def test_columns_of_which_nothing_can_be_learned_are_never_kept(rng):
    n = 60
    y = rng.normal(size=n)
    few = np.where(np.arange(n) < 9, y, np.nan)
    identifier = [f"P{k:03}" for k in range(n)]
    X = pd.DataFrame({"id": identifier, "constant": 1.0, "few": few, "noise": rng.normal(size=n), "copy": y})

    with pytest.warns(UserWarning, match="k=4 is greater than the 2 of 5 features with a score"):
        selector = bc.ChanceSelector(k=4).fit(X, y)

    assert selector.get_feature_names_out().tolist() == ["noise", "copy"]
    assert np.isnan(selector.scores_).tolist() == [True, True, True, False, False]
    assert "identifier" in str(selector.ranking_.notes[0])


# What y is


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["u", "v"] * 10, Kind.CATEGORICAL),
        ([True, False] * 10, Kind.CATEGORICAL),
        (pd.Series(["u", "v"] * 10, dtype="category"), Kind.CATEGORICAL),
        (pl.Series(["u", None] + ["v"] * 18), Kind.CATEGORICAL),
        (pa.array(["u", "v"] * 10), Kind.CATEGORICAL),
        ([0, 1] * 10, Kind.CATEGORICAL),
        ([0, 1, 2, 3] * 5, Kind.CATEGORICAL),
        ([0.0, 1.0, 2.0, 3.0] * 5, Kind.CATEGORICAL),
        ([0, 1, 2, 3, 4] * 4, Kind.NUMERIC),
        ([0.5, 1.0] * 10, Kind.NUMERIC),
        (np.arange(20), Kind.NUMERIC),
    ],
)
def test_target_is_classes_or_numbers_by_what_it_holds(y, kind, rng):
    selector = bc.ChanceSelector().fit(rng.normal(size=(20, 2)), y)

    assert selector.ranking_._plan.table["y"].kind is kind


def test_target_of_a_regression_in_whole_numbers_is_numeric():
    X, y = load_diabetes(return_X_y=True, as_frame=True)

    selector = bc.ChanceSelector(k=2).fit(X, y)

    assert (y % 1 == 0).all()
    assert selector.ranking_._plan.table["target"].kind is Kind.NUMERIC
    assert selector.get_feature_names_out().tolist() == ["bmi", "s5"]


def test_target_kind_overrides(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 4

    kinds = [
        bc.ChanceSelector(target_kind=kind).fit(X, y).ranking_._plan.table["y"].kind.value
        for kind in ("numeric", "categorical")
    ]

    assert kinds == ["numeric", "categorical"]


def test_measures_of_numbers_take_classes_as_numbers(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2

    assert bc.ChanceSelector("spearman").fit(X, y).ranking_._plan.table["y"].kind is Kind.NUMERIC


def test_target_may_have_the_name_of_a_column():
    X, y = demo()
    named = bc.ChanceSelector().fit(X, pd.Series(y, name="soil"))

    np.testing.assert_array_equal(named.scores_, bc.ChanceSelector().fit(X, y).scores_)


def test_rows_without_a_target_are_not_used(rng):
    X, y = noisy(rng)
    y[:20] = np.nan

    selector = bc.ChanceSelector().fit(X, y)

    assert {record["n"] for record in selector.ranking_.best()} == {60}
