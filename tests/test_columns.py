"""What a column is: every container and dtype that users bring, and what is missing in it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc
from bychance.columns import codes_of, read_column, shared_codes_of
from bychance.kinds import Kind

NUMBERS = [3.0, 1.0, None, 2.0, 5.0]
LABELS = ["b", "a", None, "a", "c"]
CONTAINERS = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "list": list,
    "object array": lambda v: np.array(v, dtype=object),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_numbers_are_numeric_whatever_holds_them(container):
    column = read_column(CONTAINERS[container](NUMBERS), "x")

    assert column.kind is Kind.NUMERIC
    assert column.is_missing.tolist() == [False, False, True, False, False]


@pytest.mark.parametrize("container", CONTAINERS)
def test_labels_are_categorical_whatever_holds_them(container):
    column = read_column(CONTAINERS[container](LABELS), "x")

    assert column.kind is Kind.CATEGORICAL
    codes = codes_of(column, ~column.is_missing)
    assert codes[1] == codes[2]
    assert sorted(set(codes)) == [0, 1, 2]


@pytest.mark.parametrize("container", CONTAINERS)
def test_results_do_not_depend_on_the_container(container, rng):
    x, y = rng.random(5), ["b", "a", "b", "a", "c"]
    convert = CONTAINERS[container]

    assert bc.adjust("explained", convert(y), convert(list(x))) == bc.adjust("explained", y, x)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False, True], Kind.CATEGORICAL),
        (np.array([1, 2, 3], dtype=np.uint8), Kind.NUMERIC),
        (np.array([1, 2, 3], dtype=np.float16), Kind.NUMERIC),
        (np.array(["2020-01-01", "2021-01-01", "NaT"], dtype="datetime64[D]"), Kind.NUMERIC),
        ([date(2020, 1, 1), date(2021, 1, 1), None], Kind.NUMERIC),
        ([Decimal("1.5"), Decimal("2.5"), None], Kind.NUMERIC),
        (pd.Series([1, 2, None], dtype="Int64"), Kind.NUMERIC),
        (pd.Series(["a", "b", None], dtype="string"), Kind.CATEGORICAL),
        (pd.Categorical([1, 2, 1]), Kind.CATEGORICAL),
        (pd.Series(pd.Categorical([1, 2, None])), Kind.CATEGORICAL),
        (pd.Series([True, None, False], dtype="boolean"), Kind.CATEGORICAL),
        (pl.Series(["a", "b", None], dtype=pl.Categorical), Kind.CATEGORICAL),
        (pa.array(["a", "b", None]).dictionary_encode(), Kind.CATEGORICAL),
        (np.array([b"a", b"b", b"c"]), Kind.CATEGORICAL),
    ],
)
def test_dtype_says_the_kind(values, kind):
    assert read_column(values, "x").kind is kind


def test_missing_is_found_in_every_dtype():
    for values in [
        [1.0, float("nan"), 3.0],
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a", None], dtype="string"),
        pl.Series([1, None]),
        [None, None],
    ]:
        assert read_column(values, "x").is_missing.any()


def test_large_integers_stay_apart_as_labels():
    """2**60 and 2**60 + 1 are one number as float64, two labels as what they are."""
    column = read_column(np.array([2**60, 2**60 + 1, 2**60]), "x")

    assert codes_of(column, None).tolist() == [0, 1, 0]


def test_shared_codes_mean_equal_labels():
    x, y = read_column(["a", "b", "c"], "x"), read_column(["c", "b", "z"], "y")
    first, second = shared_codes_of(x, y, None)

    assert (first == second).tolist() == [False, True, False]


def test_booleans_count_as_zero_and_one_for_numeric_measures():
    flags, y = [True, False, True, True, False], [1.0, 0.2, 0.9, 1.1, 0.0]

    assert bc.measure("r2", flags, y) == bc.measure("r2", np.array(flags, dtype=float), y)


def test_dates_are_numbers():
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-04", "2020-01-08"], dtype="datetime64[D]")

    assert bc.measure("r2", days, [0, 1, 3, 7]) == pytest.approx(1.0)


def test_strings_never_agree_with_booleans():
    result = bc.adjust("agreement", ["cat", "dog"] * 10, [False, True] * 10)

    assert result.observed == 0


@pytest.mark.parametrize(
    "steps",
    [
        2**60 + np.arange(10),
        np.arange(10, dtype=np.uint64) + np.uint64(2**63),
        np.arange(10).astype("datetime64[ns]") + np.timedelta64(60 * 365, "D"),
        pd.period_range("2020-01", periods=10, freq="M"),
        pd.array([2**60 + k for k in range(10)], dtype="Int64"),
    ],
)
def test_neighbors_beyond_float_precision_stay_apart(steps):
    assert bc.measure("r2", steps, np.arange(10)) == pytest.approx(1.0)


def test_missing_integers_keep_large_labels_apart():
    labels = pd.array([2**53, 2**53 + 1, None] * 4, dtype="Int64")

    assert bc.measure("mi", labels, ["a", "b", "c"] * 4) == pytest.approx(1.0)


def test_categories_of_any_object_are_labels(rng):
    bins, y = pd.cut(pd.Series(rng.random(30)), 3), rng.random(30)

    assert bc.measure("explained", bins, y) == pytest.approx(bc.measure("explained", bins.astype(str), y))


@pytest.mark.parametrize(
    "values",
    [pa.array([None] * 5, pa.string()), pd.Categorical([None] * 5), pd.Series([None] * 5, dtype="string")],
)
def test_columns_of_nothing_have_no_estimate(values):
    assert bc.adjust("r2", values, np.arange(5)).n == 0
    assert bc.adjust("mi", values, np.arange(5)).n == 0


@pytest.mark.parametrize("values", [None, {1, 2}, {"a": 1}, 3.5, (v for v in [1, 2])])
def test_what_is_not_an_array_is_named(values):
    with pytest.raises(ValueError, match=f"got a single {type(values).__name__}"):
        read_column(values, "x")


def test_arrow_dictionaries_of_numbers_are_labels():
    arrow = pd.Series([1, 2, 1], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.int64())))

    assert read_column(arrow, "x").kind is Kind.CATEGORICAL


@pytest.mark.parametrize(
    "values", [pd.Series([], dtype=float), pd.Categorical([]), pa.array([], pa.string()), []]
)
def test_empty_columns_are_refused(values):
    with pytest.raises(ValueError, match="`x` must not be empty"):
        read_column(values, "x")
