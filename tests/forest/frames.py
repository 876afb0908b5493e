"""Small tables and a small forest for the tests of forests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import bychance as bc

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def mixed(n=240, seed=0):
    """Draw numbers, strings, booleans and dates, some missing. The first two columns and `flag` matter."""
    rng = np.random.default_rng(seed)
    dose = rng.normal(size=n)
    city = rng.integers(5, size=n)
    flag = rng.random(n) < 0.5
    signal = dose + np.array([-1.5, 1.0, 0.0, 1.5, -1.0])[city] + flag
    y = np.where(signal + 0.5 * rng.normal(size=n) > 0.5, "ill", "well")
    columns = {
        "dose": [None if gap else float(v) for v, gap in zip(dose, rng.random(n) < 0.1, strict=True)],
        "city": [None if gap else f"city {k}" for k, gap in zip(city, rng.random(n) < 0.1, strict=True)],
        "flag": [bool(v) for v in flag],
        "seen": list(np.datetime64("2020-01-01") + rng.integers(1000, size=n)),
        "noise": [f"n{k}" for k in rng.integers(30, size=n)],
    }
    columns["seen"] = [day.item() for day in columns["seen"]]
    return columns, y


def blobs(n=120, n_columns=4, seed=0):
    """Draw numbers of which the first two matter, and two classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    return X, (X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=n) > 0).astype(int)


def forest(**settings):
    """Make a small forest that is the same every time."""
    return bc.RandomForestClassifier(**{"n_estimators": 30, "random_state": 0, **with_criterion(settings)})


def with_criterion(settings):
    """Make a small forest with the settings of the criterion in an object."""
    names = "alpha", "null", "quantile", "min_adjusted_gain"
    own = {name: settings[name] for name in names if name in settings}
    others = {name: value for name, value in settings.items() if name not in names}
    return (
        others | {"criterion": bc.SplitCriterion(settings.get("criterion", "fair"), **own)} if own else others
    )
