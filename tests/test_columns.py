"""Columns: every container and dtype that users bring, and their missing values."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bychance as bc
from bychance.columns import codes_of, is_binary, numbers_of, shared_codes_of
from bychance.io.frames import as_categorical
from bychance.kinds import Kind
from bychance.read_column import read_column

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


@pytest.mark.parametrize(
    "values",
    [
        np.array([-128, 127, 0, -128] * 100, dtype=np.int8),
        np.array([3, 1, 3, 2**62, 2**62 + 1]),
        np.array([2**62, 2**62 + 1, 2**62 + 3]),
        np.array([5.0, -2.0, 5.0, -0.0, 0.0]),
        np.array([-2.0, 1e-17, 2e-17, 0.0]),
        np.array([2.0**60, 2.0**60 + 256, 0.5]),
        np.array([1e300, -1e300, 0.5]),
        np.array([0.5, 1.5, 0.25]),
        np.array([np.nan, 2.0, 1.0, 2.0]),
    ],
)
def test_codes_number_the_distinct_values_in_order(values):
    column = read_column(values, "x")
    rows = None if column.is_missing is None else ~column.is_missing
    expected = np.unique(values[~np.isnan(values)], return_inverse=True)[1]

    codes = codes_of(column, rows)

    assert codes.dtype == np.int32
    assert codes.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 5.0] * 200, True),
        ([0.0, 5.0] * 200 + [3.0], False),
        ([np.nan] * 150 + [2.0, 1.0], True),
        ([np.nan] * 150 + [2.0, 1.0, 3.0], False),
        ([1.0] * 300, True),
        ([1.0, 2.0, 3.0], False),
        ([np.nan] * 3, False),
    ],
)
def test_a_third_value_is_found_wherever_it_is(values, expected):
    assert is_binary(read_column(np.array(values), "x")) == expected


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


def test_dates_may_span_more_than_an_int64_of_nanoseconds():
    """`Timestamp.max` as an open end: 1700 to 2262 is more than 2**63 nanoseconds."""
    years = np.arange("1700", "2000", dtype="M8[Y]").astype("M8[ns]")
    open_end = np.append(years, np.datetime64(pd.Timestamp.max))

    for dates in (open_end, pd.Series(open_end), pl.Series(open_end), pa.array(open_end)):
        assert bc.measure("spearman", dates, np.arange(301)) == pytest.approx(1)
        assert bc.measure("r2", dates, open_end.astype(np.float64)) == pytest.approx(1)


def test_dates_of_months_and_years_are_counted_in_days():
    months = np.arange("2020-01", "2021-01", dtype="M8[M]")

    assert bc.measure("r2", months, pd.Series(months)) == pytest.approx(1)
    with pytest.raises(ValueError, match="can be counted in days"):
        read_column(np.array([2**60], dtype="M8[Y]"), "x")


DAYS = np.arange("2020-01-01", "2020-01-09", dtype="M8[D]")
LARGE = [2**60 + k for k in range(9)]


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([*LARGE, None]),
        [*LARGE, None],
        [*LARGE, float("nan")],
        [*(2**63 + k for k in range(9)), None],
        np.array([*LARGE, np.nan], dtype=object),
        np.ma.array([*LARGE, 0], mask=[False] * 9 + [True]),
        pa.array([*LARGE, None]),
        pa.array([*LARGE, None]).cast(pa.decimal128(38, 0)),
        [*map(Decimal, LARGE), None],
        pd.array([*LARGE, None], dtype="Int64"),
    ],
)
def test_missing_values_leave_large_integers_in_order(values):
    for name in ("spearman", "kendall", "r2"):
        assert bc.measure(name, values, np.arange(10)) == pytest.approx(1)


@pytest.mark.parametrize(
    "values",
    [
        [-(2**63), *(2**63 - 9 + np.arange(8)), 2**63 - 1],
        np.append(np.zeros(2, dtype=np.uint64), 2**64 - 8 + np.arange(8, dtype=np.float64).astype(np.uint64)),
        np.append(np.array([-(2**62)]), 2**60 + np.arange(9)).astype("M8[ns]"),
    ],
)
@pytest.mark.parametrize("name", ["spearman", "kendall", "xi", "mic"])
def test_large_integers_keep_their_order_however_far_apart(values, name):
    """Ranks are those of the integers, though float64 cannot hold them apart even from the smallest."""
    ranks = np.unique(values, return_inverse=True)[1]
    y = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])

    assert bc.measure(name, values, y) == bc.measure(name, ranks, y)
    assert bc.measure(name, y, values) == bc.measure(name, y, ranks)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=40))
@pytest.mark.slow
def test_numbers_have_the_order_of_the_integers_they_stand_for(integers):
    near = [value for base in integers for value in range(base, min(base + 3, 2**63))]
    numbers = numbers_of(read_column(np.array(near), "x"), None, "r2")
    exact = [value - min(near) for value in near] if max(map(abs, near)) > 2**53 else near

    assert sorted(range(len(near)), key=near.__getitem__) == np.argsort(numbers, kind="stable").tolist()
    assert len(np.unique(numbers)) == len(set(near))
    np.testing.assert_allclose(numbers, np.array(exact, dtype=np.float64), rtol=len(near) * 2.0**-52)


@pytest.mark.parametrize(
    "values", [[2**63 + 1, 2**63, -1], [2**70, 2**70 + 1], [2**60, 2**60 + 1, 0.5], [10**400, 1]]
)
def test_numbers_that_cannot_be_held_apart_are_refused(values):
    for container in (list, lambda v: np.array(v, dtype=object)):
        with pytest.raises(ValueError, match="64-bit integers or floats represent exactly"):
            read_column(container(values), "x")


def test_large_integers_beside_floats_are_floats_where_that_loses_nothing():
    for values in ([10**18, 0.5, None], [10**18, 0.5, float("nan")], np.array([10**18, 0.5, None], object)):
        assert read_column(values, "x").values.tolist()[:2] == [1e18, 0.5]


def test_nan_in_a_dictionary_is_missing():
    column = read_column(pa.array([1.0, float("nan"), 2.0, None]).dictionary_encode(), "x")

    assert column.is_missing.tolist() == [False, True, False, True]
    assert column.labels == (1.0, 2.0)


@pytest.mark.parametrize("container", CONTAINERS)
def test_zero_bytes_at_the_end_tell_labels_apart(container):
    column = read_column(CONTAINERS[container](["a", "a\0", "a", "a", "a\0"]), "x")

    assert column.labels == ("a", "a\0")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "got values of type month_day_nano_interval"),
        (pl.Series([1], dtype=pl.Int128), "integers of 128 bits .Int128.; cast them to 64"),
        (pd.Series(pd.interval_range(0, 1)), "got values of type extension<pandas.interval"),
        (pa.DictionaryArray.from_arrays([0], pa.array([[1]])), "got values of type list"),
    ],
)
def test_types_that_cannot_be_read_are_named(values, message):
    with pytest.raises(ValueError, match=f"`x` .*{message}") as raised:
        read_column(values, "x")
    assert not type(raised.value).__module__.startswith(("pyarrow", "polars"))


def test_periods_are_read_from_arrow_too():
    periods = pd.period_range("2020-01", periods=4, freq="M").insert(1, pd.NaT)
    column = read_column(pa.Table.from_pandas(pd.DataFrame({"x": periods}))["x"], "x")

    assert column.values.tolist() == [0, 0, 1, 2, 3]
    assert column.is_missing.tolist() == [False, True, False, False, False]
    assert column.clock.what == "periods of M"


@pytest.mark.parametrize(
    "dates",
    [
        pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-02"])),
        pd.Categorical([date(2020, 1, 1), date(2020, 1, 2)]),
        pa.array([date(2020, 1, 1), date(2020, 1, 2)]).dictionary_encode(),
        pa.array(DAYS[:2].astype("M8[ns]")).dictionary_encode(),
    ],
)
def test_categories_of_dates_are_equal_in_every_unit(dates):
    column = read_column(dates, "x")

    assert column.kind is Kind.CATEGORICAL
    assert column.labels == as_categorical(read_column(DAYS[:2], "x")).labels
    assert [str(label) for label in column.labels] == ["2020-01-01", "2020-01-02"]


def test_categories_of_dates_and_spans_are_labels_as_they_are():
    column = read_column(pd.Categorical([date(2020, 1, 1), pd.Timedelta(1, "D")]), "x")

    assert column.labels == (date(2020, 1, 1), pd.Timedelta(1, "D"))


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [1, 2]}), nw.from_native(pl.DataFrame({"a": [1, 2]}))])
def test_frames_are_no_columns(frame):
    with pytest.raises(ValueError, match="`x` must be one-dimensional"):
        read_column(frame, "x")


def test_series_of_narwhals_are_read_as_what_they_hold():
    series = nw.from_native(pl.Series([2**60, 2**60 + 1, None]), series_only=True)

    assert read_column(series, "x").values.tolist()[:2] == [2**60, 2**60 + 1]
