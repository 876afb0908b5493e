"""Numbers for thresholds have the order of their values, in training and in new rows."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc
from bychance.forest.features import Scale
from bychance.read_column import read_column

TRAINING = {
    "small": [-3, 0, 7],
    "large": [2**60, 2**60 + 1, 2**60 + 5],
    "negative": [-(2**60) - 1, -(2**60), 5 - 2**60],
    "far apart": [-(2**63), 2**60, 2**60 + 1, 2**63 - 1],
    "unsigned": [0, 2**63, 2**63 + 1, 2**64 - 1],
    "floats": [0.5, 1e300, -2.5],
}


@pytest.mark.parametrize("training", TRAINING.values(), ids=TRAINING)
def test_the_order_of_old_and_new_rows_is_kept(training):
    column = read_column(training, "x")
    scale = pickle.loads(pickle.dumps(Scale.of(column)))
    numbers = dict(zip(training, scale.numbers(column), strict=True))
    new = [2**60 - 1, 2**60 + 1, 2**60 + 3, 2**63 - 1, 0, 6, -5, 0.25, 2.0**60, 2.0**62, -(2.0**63), 1e300]

    for value in new:
        (number,) = scale.numbers(read_column([value], "x"))
        for known, other in numbers.items():
            assert number <= other if value <= known else number > other
            assert number >= other if value >= known else number < other


def test_gaps_are_nan():
    for first in (1, 2**60):
        column = read_column([first, None, first + 1], "x")

        assert np.isnan(Scale.of(column).numbers(column)).tolist() == [False, True, False]


@pytest.mark.parametrize("first", [2**60, -(2**62), 2**63 - 60])
@pytest.mark.parametrize("others", [[], [-(2**63), 2**63 - 1]], ids=["near", "far"])
@pytest.mark.parametrize("container", [pd.Series, pl.Series, pa.array, np.array])
def test_trees_tell_large_integers_apart(container, others, first):
    values, y = container([*(first + k for k in range(40)), *others]), np.arange(40 + len(others)) % 2
    make = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame, pa.array: pa.table}
    X = make[container]({"x": values}) if container in make else values[:, None]

    assert bc.DecisionTreeClassifier().fit(X, y).score(X, y) == 1


def test_trees_tell_nanoseconds_apart():
    dates = (10**18 + np.arange(40)).astype("M8[ns]")
    X, y = pd.DataFrame({"x": np.append(dates, dates.max().astype("M8[D]"))}), np.arange(41) % 2

    assert bc.DecisionTreeClassifier().fit(X, y).score(X, y) == 1


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (np.arange("2020-01-01", "2020-01-05", dtype="M8[D]"), "2020-01-02 12:00:00"),
        (pd.period_range("2020-01", periods=4, freq="M"), "2020-02"),
        (np.arange(4).astype("m8[s]"), "1.5 s"),
        (2**60 + np.arange(4), str(2**60 + 1)),
        (np.array([-(2**63), 0, 1, 2**63 - 1]), "0"),
        (np.array([1.25, 1.5, 1.75, 9]), "1.625"),
    ],
)
def test_thresholds_are_shown_as_values(values, shown):
    tree = bc.DecisionTreeClassifier().fit(pd.DataFrame({"x": values}), [0, 0, 1, 1])

    assert f"├─ ≤ {shown}: 0" in bc.export_tree(tree)
    assert f"└─ > {shown}: 1" in bc.export_tree(tree)
