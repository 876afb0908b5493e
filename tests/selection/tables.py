"""Tables for the tests of selection: the demo in several libraries, and numbers of which two matter."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa

from bychance.datasets import make_demo

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def demo(library="pandas", **others):
    table = make_demo()
    target = table.pop("yield")
    return LIBRARIES[library]({**table, **others}), target


def noisy(rng, n=80, n_columns=6):
    """Draw numbers of which the first two matter."""
    X = rng.normal(size=(n, n_columns))
    return X, X[:, 0] + X[:, 1] + rng.normal(size=n)
