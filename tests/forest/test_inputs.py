"""Kinds of columns, and new rows of the same kinds."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.forest.features import Feature, feature_readers, read_like
from bychance.kinds import Kind
from tests.forest.frames import LIBRARIES, mixed


def read_features(X, categorical_features):
    return [read() for read in feature_readers(X, categorical_features)]


def kinds(columns):
    return {column.name: column.kind.value for column in columns}


@pytest.mark.parametrize("library", LIBRARIES)
def test_dtypes_say_what_columns_are(library):
    columns = read_features(LIBRARIES[library](mixed()[0]), "from_dtype")

    assert kinds(columns) == {
        "dose": "numeric", "city": "categorical", "flag": "categorical", "seen": "numeric",
        "noise": "categorical",
    }  # fmt: skip


def test_arrays_of_numbers_are_numeric_unless_listed():
    X = np.arange(12).reshape(4, 3)

    assert set(kinds(read_features(X, "from_dtype")).values()) == {"numeric"}
    assert kinds(read_features(X, [1])) == {"x0": "numeric", "x1": "categorical", "x2": "numeric"}


@pytest.mark.parametrize("chosen", [["b"], [1], [-2], [False, True, False], np.array([False, True, False])])
def test_categories_are_listed_by_name_position_or_mask(chosen):
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": [True, False]})

    assert kinds(read_features(frame, chosen)) == {"a": "numeric", "b": "categorical", "c": "numeric"}


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["z"], "`categorical_features` must be one of a, b; got 'z'"),
        ([2], "positions below 2"),
        ([True], "one entry for each of the 2 columns"),
        ("a", 'must be "from_dtype" or a list'),
        (3, 'must be "from_dtype" or a list'),
        ([0.5], "positions below 2"),
        (None, "must list all columns of categories, got categories such as 'u' in 'b'"),
        (["a"], "must list all columns of categories"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        read_features(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), chosen)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.to_datetime(["2020-01-01", "2020-03-01", "2020-02-01"])),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-03-01", "2020-02-01"])).dt.tz_localize("Europe/Rome"),
        pd.Series(pd.to_timedelta(["1D", "3D", "2D"])),
        pd.Series(pd.period_range("2020-01", periods=3, freq="M")),
        pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 3, 1), datetime.date(2020, 2, 1)]),
        pl.Series([datetime.time(1), datetime.time(3), datetime.time(2)]),
    ],
    ids=["datetime", "zoned", "span", "period", "date", "time"],
)
def test_dates_of_new_rows_are_on_the_scale_of_the_old(values):
    """Dates of new rows must not be counted from their own first date."""
    make = pd.DataFrame if isinstance(values, pd.Series) else pl.DataFrame
    columns = read_features(make({"t": values}), "from_dtype")
    (again,) = read_like(make({"t": values[1:]}), [Feature.of(columns[0])])

    np.testing.assert_array_equal(again.values, columns[0].values[1:])
    assert len(np.unique(columns[0].values)) == 3


def test_numbers_and_booleans_stand_for_each_other():
    flags, codes = pd.DataFrame({"f": [True, False]}), pd.DataFrame({"f": [1, 0]})
    as_flags, as_codes = (Feature.of(read_features(X, "from_dtype")[0]) for X in (flags, codes))

    (number,), (label,) = read_like(flags, [as_codes]), read_like(codes, [as_flags])

    assert (number.kind, number.values.tolist()) == (Kind.NUMERIC, [1.0, 0.0])
    assert (label.kind, [label.labels[k] for k in label.values]) == (Kind.CATEGORICAL, [1, 0])


def test_a_column_that_had_no_values_may_later_hold_anything():
    empty = Feature.of(read_features(pd.DataFrame({"a": [None, None]}), "from_dtype")[0])

    (column,) = read_like(pd.DataFrame({"a": ["x", "y"]}), [empty])

    assert column.is_missing.all()


DAYS = np.arange("2020-01-01", "2020-01-09", dtype="M8[D]")


@pytest.mark.parametrize(
    ("fitted", "asked"),
    [
        (DAYS, DAYS.astype("M8[ns]")),
        (DAYS.astype("M8[ns]"), DAYS),
        (np.arange(8).astype("m8[D]"), np.arange(8).astype("m8[D]").astype("m8[us]")),
        (np.arange(8).astype("m8[D]").astype("m8[us]"), np.arange(8).astype("m8[D]")),
        (np.arange(8).astype("M8[M]"), np.arange(8).astype("M8[M]").astype("M8[s]")),
    ],
)
def test_new_rows_may_have_another_unit(fitted, asked):
    y = np.arange(8) > 3
    tree = bc.DecisionTreeClassifier().fit(fitted[:, None], y)

    assert tree.predict(asked[2:, None]).tolist() == y[2:].tolist()


def test_dates_between_those_of_fit_are_cut_at_their_time():
    tree = bc.DecisionTreeClassifier().fit(DAYS[:, None], np.arange(8) > 3)
    hours = np.array(["2020-01-04T11", "2020-01-04T13", "1700-01-01T00", "9999-01-01T00"], dtype="M8[h]")

    assert tree.predict(hours[:, None]).tolist() == [False, True, False, True]


PERIODS = pd.Series(pd.period_range("2020-01", periods=8, freq="M"))
SPANS, DATES = pd.Series(DAYS - DAYS[0]), pd.Series(DAYS)


@pytest.mark.parametrize(
    ("fitted", "asked", "message"),
    [
        (PERIODS, PERIODS.dt.asfreq("D"), "held periods of M in fit, got periods of D"),
        (PERIODS, PERIODS.dt.to_timestamp(), "held periods of M in fit, got dates"),
        (SPANS, pd.Series(np.arange(8)), "held spans of time in fit, got numbers"),
        (DATES, SPANS, "held dates in fit, got spans of time"),
        (DATES, DATES.dt.tz_localize("UTC"), "held dates in fit, got dates with a time zone"),
        (pd.Series(np.arange(8.0)), DATES, "held numbers in fit, got dates"),
        (
            DATES.astype("category"),
            pd.Series(np.arange(8)),
            "categories such as 2020-01-01 in fit, got numbers",
        ),
        (DATES.astype("category"), SPANS, "categories such as 2020-01-01 in fit, got spans of time"),
        (pd.Series(list("abcdefgh")), DATES, "categories such as 'a' in fit, got dates"),
        (
            pd.Series(list("12345678")),
            pd.Series(range(8)).astype("category"),
            "'1' in fit, got categories such as 0",
        ),
    ],
)
def test_what_cannot_be_compared_with_fit_is_refused(fitted, asked, message):
    tree = bc.DecisionTreeClassifier().fit(pd.DataFrame({"t": fitted}), np.arange(8) > 3)

    with pytest.raises(BychanceError, match=f"`t` held .*{message.removeprefix('held ')}"):
        tree.predict(pd.DataFrame({"t": asked}))


@pytest.mark.parametrize(
    ("fitted", "asked"),
    [
        (DATES.astype("category"), DATES),
        (DATES.astype("category"), DATES.astype("M8[s]").astype("category")),
        (DATES.dt.date.astype("category"), DATES),
        (PERIODS.astype("category"), PERIODS),
        (SPANS.astype("category"), SPANS),
        (DATES, DATES.astype("category")),
    ],
)
def test_categories_of_dates_and_dates_stand_for_each_other(fitted, asked):
    y = np.arange(16) % 8 > 3
    tree = bc.DecisionTreeClassifier().fit(pd.DataFrame({"t": pd.concat([fitted, fitted])}), y)

    assert tree.predict_proba(pd.DataFrame({"t": asked[2:]}))[:, 1].tolist() == y[2:8].tolist()
