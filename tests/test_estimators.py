"""Refused X and y of all estimators, and the words of the errors."""

from __future__ import annotations

import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import bychance as bc
from bychance.estimators import checked_target

ROWS = 40
NUMBERS = np.random.default_rng(0).normal(size=(ROWS, 3))
FRAME = pd.DataFrame(NUMBERS, columns=["a", "b", "c"])
CLASSES = np.where(NUMBERS[:, 0] > 0, "u", "v")
TABLE = "`X` must be a frame or a two-dimensional array, got "
TARGET = "`y` must be an array of one value per row, "
NO_TABLES = {
    "polars' lazy frame": (pl.from_pandas(FRAME).lazy(), "got a lazy frame: call .collect() first."),
    "narwhals' lazy frame": (
        nw.from_native(pl.from_pandas(FRAME).lazy()),
        "got a lazy frame: call .collect() first.",
    ),
    "generator": ((row for row in NUMBERS), TABLE + "a generator."),
    "iterator": (iter(NUMBERS), TABLE + "a iterator."),
    "dict": ({"a": NUMBERS[:, 0]}, TABLE + "a dict: pandas.DataFrame makes it a frame."),
    "dicts": ([{"a": 1.0}] * ROWS, TABLE + "a list of dicts: pandas.DataFrame"),
    "structured array": (FRAME.to_records(), TABLE + "a structured array: pandas.DataFrame"),
    "path": ("table.csv", TABLE + "'table.csv'."),
    "nothing": (None, TABLE + "None."),
    "rows of two lengths": ([[1, 2], [3]], TABLE + "rows of 2 and 1 values."),
    "groups": (FRAME.groupby("a"), TABLE + "a DataFrameGroupBy."),
    "three dimensions": (NUMBERS[:, :, None], "Found array with dim 3"),
    "one dimension": (NUMBERS[:, 0], "Expected 2D array, got 1D array"),
}
NO_TARGETS = {
    "lazy frame": (pl.DataFrame({"y": CLASSES}).lazy(), "got a LazyFrame."),
    "expression": (pl.col("a"), "got a Expr."),
    "generator": ((label for label in CLASSES), "got a generator."),
    "number": (3, "got 3."),
    "set": ({"u", "v"}, "got a set."),
    "dict": ({"y": CLASSES}, "got a dict."),
    "lists": ([[1, 2], [3]] * (ROWS // 2), "got rows of 2 and 1 values."),
}
ESTIMATORS = {
    "forest": lambda: bc.RandomForestClassifier(2, random_state=0),
    "regression": lambda: bc.RandomForestRegressor(2, random_state=0),
    "tree": lambda: bc.DecisionTreeClassifier(random_state=0),
    "forest selector": lambda: bc.ForestSelector(bc.RandomForestClassifier(5, random_state=0)),
    "selector": lambda: bc.ChanceSelector(),
}


@pytest.fixture(scope="module", params=ESTIMATORS)
def fitted(request):
    y = NUMBERS[:, 0] if request.param == "regression" else CLASSES
    return ESTIMATORS[request.param]().fit(NUMBERS, y)


@pytest.mark.parametrize("kind", NO_TABLES)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_no_table_is_named_in_fit(kind, estimator):
    X, message = NO_TABLES[kind]

    with pytest.raises(ValueError, match=re.escape(message)):
        ESTIMATORS[estimator]().fit(X, CLASSES)


@pytest.mark.parametrize("kind", NO_TABLES)
def test_what_is_no_table_is_named_later(kind, fitted):
    X, message = NO_TABLES[kind]
    use = fitted.predict if hasattr(fitted, "predict") else fitted.transform

    with pytest.raises(ValueError, match=re.escape(message)):
        use(X)


@pytest.mark.parametrize("kind", NO_TARGETS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_no_target_is_named(kind, estimator):
    y, message = NO_TARGETS[kind]

    with pytest.raises(
        bc.BychanceError, match=re.escape("`y` must be an array of one value per row, " + message)
    ):
        ESTIMATORS[estimator]().fit(FRAME, y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_wrappers_of_narwhals_are_the_frames_in_them(estimator):
    y = NUMBERS[:, 0] if estimator == "regression" else CLASSES
    model = ESTIMATORS[estimator]().fit(nw.from_native(FRAME), y)
    use = model.predict if hasattr(model, "predict") else model.transform

    np.testing.assert_array_equal(use(nw.from_native(FRAME)), use(FRAME))


def test_objects_of_one_type_of_number_are_numbers():
    assert checked_target(np.array([True, False], dtype=object)).dtype == np.bool_
    assert checked_target(pd.Series([1, 2], dtype=object)).dtype.kind == "i"
    assert checked_target(np.array([1, 2.5], dtype=object)).dtype == object


def test_numbers_that_are_arrays_without_dimensions_are_a_target():
    assert checked_target([np.array(1.5), np.array(2.5)]).tolist() == [1.5, 2.5]
