"""Tables in memory: every library gives the same columns, and results go back to it."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bychance.columns import codes_of
from bychance.errors import BychanceError
from bychance.io import is_frame, make_frame, pick_columns, read_table
from bychance.kinds import Kind

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
COLUMNS = {
    "height": [1.5, None, 1.75, 1.25],
    "count": [3, 1, 2, 3],
    "color": ["red", "blue", None, "red"],
    "is_new": [True, False, True, True],
    "day": [date(2020, 1, 1), date(2020, 1, 3), date(2020, 2, 1), None],
}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


def as_frame(columns, library):
    return LIBRARIES[library](columns)


def test_kinds_and_order_do_not_depend_on_the_library(library):
    table = read_table(as_frame(COLUMNS, library))

    assert table.names == tuple(COLUMNS)
    assert [column.kind.value[:3] for column in table] == ["num", "num", "cat", "cat", "num"]
    assert table.library == library
    assert len(table) == table.n_rows == 4
    assert table.notes == ()


def test_values_and_gaps_do_not_depend_on_the_library(library):
    table, plain = read_table(as_frame(COLUMNS, library)), read_table(COLUMNS)

    for name, values in COLUMNS.items():
        is_missing = np.array([value is None for value in values])
        column = table[name]
        assert (column.is_missing is not None) == is_missing.any()
        if is_missing.any():
            assert column.is_missing.tolist() == is_missing.tolist()
        assert codes_of(column, ~is_missing).tolist() == codes_of(plain[name], ~is_missing).tolist()


def test_results_go_back_to_the_callers_library(library):
    frame = make_frame({"x": ["a", "b"], "observed": np.array([0.5, 0.25])}, library)

    assert isinstance(frame, type(as_frame({"x": [1]}, library)))
    assert frame["observed"].to_numpy().tolist() == [0.5, 0.25]


def test_an_unknown_library_is_one_clear_error():
    with pytest.raises(BychanceError, match="No frame of 'abacus'"):
        make_frame({"x": [1]}, "abacus")


@pytest.mark.parametrize("source", [{"a": [1, 2]}, np.eye(2)])
def test_what_has_no_library_goes_to_pyarrow(source):
    assert read_table(source).library == "pyarrow"


def test_arrays_take_names_or_get_them():
    matrix = np.array([[1.0, np.nan], [2.0, 3.0]])

    assert read_table(matrix).names == ("x1", "x2")
    assert read_table(matrix, names=["u", "v"])["v"].is_missing.tolist() == [True, False]
    with pytest.raises(BychanceError, match="`names` must name all 2 columns, got 3"):
        read_table(matrix, names=["u", "v", "w"])


def test_names_are_refused_where_there_are_names(library):
    with pytest.raises(BychanceError, match="already has column names"):
        read_table(as_frame(COLUMNS, library), names=["a"])


def test_arrays_of_objects_have_a_type_for_each_column():
    table = read_table(np.array([[1, "a"], [2, None]], dtype=object))

    assert [column.kind for column in table] == [Kind.NUMERIC, Kind.CATEGORICAL]


def test_masked_and_structured_arrays_are_tables():
    masked = read_table(np.ma.masked_equal([[1, 2], [3, 1]], 1))
    fields = read_table(np.array([(1, "a"), (2, "b")], dtype=[("x", int), ("y", "U1")]))

    assert masked["x1"].is_missing.tolist() == [True, False]
    assert fields.names == ("x", "y")


def test_names_that_are_no_strings_become_strings():
    assert read_table(pd.DataFrame(np.eye(2))).names == ("0", "1")


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["u", "v"] * 15, categories=["u", "v", "w"]),
        pl.Series(["u", "v"] * 15, dtype=pl.Enum(["u", "v", "w"])),
        pa.array(["u", "v"] * 15).dictionary_encode(),
        pa.array(["u", "v"] * 15, pa.string_view()),
        np.array(["u", "v"] * 15),
    ],
)
def test_categories_of_any_library_are_labels(values):
    column = read_table({"x": values})["x"]

    assert column.kind is Kind.CATEGORICAL
    assert set(column.labels) >= {"u", "v"}


def test_large_integers_with_gaps_keep_their_digits(library):
    frame = as_frame({"x": pa.array([2**60, None, 2**60 + 1]).to_pylist()}, library)
    if library == "pandas":
        frame = pd.DataFrame({"x": pd.array([2**60, None, 2**60 + 1], dtype="Int64")})
    column = read_table(frame)["x"]

    assert int(column.values[2]) - int(column.values[0]) == 1


def test_a_table_is_a_table():
    table = read_table(COLUMNS)
    again = read_table(table, drop="count", categorical="height")

    assert again.names == ("height", "color", "is_new", "day")
    assert again["height"].kind is Kind.CATEGORICAL
    assert again.origin == table.origin


def test_what_a_table_set_aside_may_be_dropped_again():
    table = read_table({"who": [f"P{k}" for k in range(40)], "x": [1, 2] * 20})

    assert read_table(table, drop="who").names == ("x",)


def test_a_frame_is_not_changed(library):
    frame = as_frame(COLUMNS, library)
    before = str(frame)
    read_table(frame, categorical="count", missing=3)

    assert str(frame) == before


def test_picked_columns_stay_in_their_library_or_go_to_another(library):
    frame = as_frame(COLUMNS, library)

    assert type(pick_columns(frame, [0, 2])) is type(frame)
    for other in ("pandas", "polars"):
        picked = pick_columns(frame, [2, 0], other)
        assert type(picked) is LIBRARIES[other]
        assert list(picked.columns) == ["color", "height"]


def test_arrays_lists_and_series_are_no_frames():
    assert not any(is_frame(value) for value in (np.zeros((2, 2)), [[1, 2]], pd.Series([1]), {"a": [1]}, "a"))
    assert is_frame(pl.LazyFrame({"a": [1]}))
