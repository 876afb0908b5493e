"""The data of the recorded calls: pairs of columns by kind, tables, and a classification problem.

Rare labels and other nulls of a few atoms on many rows are left out: their laws are still being mended.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import bychance as bc

__all__ = [
    "LABELS",
    "MIXED",
    "NUMERIC",
    "WHO_DEATHS",
    "Table",
    "classes_and_columns",
    "cut",
    "mixed_table",
    "numeric_table",
    "pair",
    "who_path",
    "who_table",
    "with_gaps",
]

Column = NDArray[Any]
Table = dict[str, Column]

NUMERIC = ("plain", "tied", "missing", "outliers", "dates", "few", "many", "constant")
LABELS = ("labels", "labels_missing", "labels_few", "labels_many", "labels_constant", "identifier", "raters")
MIXED = (
    "groups",
    "classes",
    "groups_missing",
    "groups_few",
    "groups_many",
    "near_identifier",
    "dated",
)
WHO_DEATHS = "Breast_cancer_number_of_female_deaths"

_SIZES = {"tied": 70, "missing": 80, "dates": 50, "few": 8, "many": 1200, "constant": 30}
_SIZES |= {"labels_few": 9, "labels_many": 1500, "identifier": 40, "groups_few": 9, "groups_many": 1000}


@cache
def pair(kind: str) -> tuple[Column, Column]:
    """Draw two columns of a kind, weakly dependent unless one of them is degenerate."""
    rng = np.random.default_rng([2016, *kind.encode()])
    n = _SIZES.get(kind, 60)
    x = rng.standard_normal(n)
    y = 0.4 * x + rng.standard_normal(n)
    if kind in NUMERIC:
        return _numeric(kind, x, y, rng)
    if kind in LABELS:
        return _labels(kind, x, y, rng)
    return _mixed(kind, x, y, rng)


def _numeric(kind: str, x: Column, y: Column, rng: np.random.Generator) -> tuple[Column, Column]:
    if kind == "tied":
        return np.round(x), np.round(2 * y) / 2
    if kind == "missing":
        return with_gaps(x, 0.2, rng), with_gaps(y, 0.15, rng)
    if kind == "outliers":
        return x, np.exp(4 * y)
    if kind == "dates":
        return np.datetime64("2001-01-01") + np.argsort(np.argsort(x)) * np.timedelta64(9, "D"), y
    if kind == "constant":
        return np.ones(len(x)), y
    return x, y


def _labels(kind: str, x: Column, y: Column, rng: np.random.Generator) -> tuple[Column, Column]:
    if kind == "identifier":
        return np.array([f"id{k}" for k in range(len(x))]), cut(y, 3)
    if kind == "labels_constant":
        return np.full(len(x), "a"), cut(y, 3)
    if kind == "raters":
        return cut(x, 4), cut(y, 4)
    if kind == "labels_few":
        return cut(x, 2), cut(y, 3)
    if kind == "labels_missing":
        return with_gaps(cut(x, 3), 0.15, rng), with_gaps(cut(y, 4), 0.1, rng)
    return (cut(x, 5), cut(y, 6)) if kind == "labels_many" else (cut(x, 3), cut(y, 4))


def _mixed(kind: str, x: Column, y: Column, rng: np.random.Generator) -> tuple[Column, Column]:
    if kind == "classes":
        return x, cut(y, 3)
    if kind == "groups_missing":
        return with_gaps(cut(x, 4), 0.1, rng), with_gaps(y, 0.2, rng)
    if kind == "near_identifier":
        return np.array([f"id{k}" for k in rng.integers(50, size=len(x))]), y
    if kind == "dated":
        return cut(x, 3), np.datetime64("1999-12-31T23:00:00") + (1e5 * y).astype("m8[s]")
    return cut(x, 2 if kind == "groups_few" else 4), y


@cache
def mixed_table(n: int = 150) -> Table:
    """Draw numbers with missing values, ties and outliers, labels, dates, a constant, and an identifier."""
    rng = np.random.default_rng([2016, n])
    a, b = rng.standard_normal((2, n))
    columns = {
        "a": a,
        "b": with_gaps(a + b, 0.2, rng),
        "tied": with_gaps(np.round(b), 0.1, rng),
        "outliers": np.exp(4 * rng.standard_normal(n)),
        "date": np.datetime64("2010-05-05") + np.argsort(b) * np.timedelta64(1, "D"),
        "group": cut(a + rng.standard_normal(n), 3),
        "letters": with_gaps(cut(rng.standard_normal(n), 8), 0.15, rng),
        "coin": rng.random(n) < 0.4,
        "constant": np.ones(n),
        "identifier": np.array([f"row {k}" for k in range(n)]),
        "short": np.where(np.arange(n) < 8, a, np.nan),
    }
    return {name: np.asarray(values) for name, values in columns.items()}


@cache
def numeric_table(n: int = 120, n_columns: int = 12) -> Table:
    """Draw numbers that share one factor, every third of them with missing values."""
    rng = np.random.default_rng([2016, n, n_columns])
    factor = rng.standard_normal(n)
    made = {f"v{k}": factor * (k / n_columns) + rng.standard_normal(n) for k in range(n_columns)}
    return {name: with_gaps(v, 0.25, rng) if k % 3 == 2 else v for k, (name, v) in enumerate(made.items())}


@cache
def classes_and_columns(n: int = 160, n_classes: int = 2) -> tuple[Any, Column]:
    """Draw an Arrow table of mixed columns with missing values, and classes related to some of them."""
    rng = np.random.default_rng([2016, n, n_classes])
    signal = rng.standard_normal((3, n))
    columns = {
        "number": signal[0],
        "ties": np.round(signal[1]),
        "gaps": with_gaps(signal[2], 0.25, rng),
        "kind": cut(signal[0] + rng.standard_normal(n), 4),
        "many": cut(rng.standard_normal(n), 12),
        "noise": rng.standard_normal(n),
    }
    score = signal[0] + 0.5 * signal[2] + rng.standard_normal(n)
    frame = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    return frame, cut(score, n_classes)


def who_path() -> Path | None:
    """Return the path of the WHO table, or None if it is not beside the checkout."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    path = Path(os.environ.get("BYCHANCE_DATA", beside)) / "WHO.csv"
    return path if path.is_file() else None


@cache
def who_table() -> bc.Table:
    path = who_path()
    assert path is not None, "calls that need the table are left out where it is not here"
    return bc.read_table(path, drop=["Country", "CountryID", "Continent"])


def cut(values: Column, n_labels: int) -> Column:
    """Cut values into labels by their order, the first the most common and none of them rare."""
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    codes = np.floor(n_labels * (place / len(values)) ** 1.5).astype(int)
    return np.array([f"k{code}" for code in codes])


def with_gaps(values: Column, share: float, rng: np.random.Generator) -> Column:
    is_gone = rng.random(len(values)) < share
    if values.dtype.kind == "f":
        return np.where(is_gone, np.nan, values)
    gapped = values.astype(object)
    gapped[is_gone] = None
    return gapped
