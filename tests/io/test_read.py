"""Typing, setting aside, and what the caller says by name."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bychance.errors import BychanceError, UnknownNameError
from bychance.io import read_table
from bychance.io.frames import as_categorical
from bychance.kinds import Kind
from bychance.messages import Code
from bychance.read_column import read_column

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}
PROSE = [f"patient {k} said that the medicine of week {k % 7} did not help at all" for k in range(40)]


@pytest.fixture(params=[*LIBRARIES, "csv"])
def read(request, tmp_path):
    """Call read_table() on the same columns, held by each library and written to a file."""

    def read_columns(columns, **options):
        if request.param != "csv":
            return read_table(LIBRARIES[request.param](columns), **options)
        pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
        return read_table(tmp_path / "t.csv", **options)

    return read_columns


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([f"P{k}" for k in range(40)], "an identifier: 40 of 40"),
        (["P1", *(f"P{k}" for k in range(1, 40))], "an identifier: 39 of 40"),
        ([None] * 20 + [f"P{k}" for k in range(20)], "an identifier: 20 of 20"),
        (PROSE, "free text: 40 of 40"),
        (PROSE[:25] + PROSE[:15], "free text: 25 of 40"),
    ],
)
def test_identifiers_and_free_text_are_set_aside_with_a_note(read, values, what):
    table = read({"who": values, "x": list(range(40))})

    assert table.names == ("x",)
    assert table.set_aside == ("who",)
    assert what in table.notes[0].text


@pytest.mark.parametrize(
    "values",
    [
        [f"P{k}" for k in range(19)] + [None] * 21,
        [f"P{k % 38}" for k in range(40)],
        PROSE[:20] * 2,
        ["a rather long answer, of which there are only two in this column", "the other one"] * 20,
    ],
)
def test_labels_that_may_be_categories_stay(read, values):
    table = read({"who": values, "x": [1, 2] * 20})

    assert table["who"].kind is Kind.CATEGORICAL
    assert table.notes == ()


def test_numbers_that_all_differ_are_never_set_aside(read):
    assert read({"x": list(range(100)), "y": list(np.linspace(0, 1, 100))}).names == ("x", "y")


def test_declared_categories_are_never_set_aside():
    distinct = pd.Series([f"P{k}" for k in range(40)], dtype="category")

    assert read_table(pd.DataFrame({"x": distinct})).names == ("x",)


def test_dates_are_numbers(read):
    table = read({"day": [date(2020, 1, 1), date(2020, 1, 3), date(2020, 1, 2)], "x": [1, 2, 3]})

    assert table["day"].kind is Kind.NUMERIC
    assert np.argsort(table["day"].values).tolist() == [0, 2, 1]


def test_booleans_stay_booleans(read):
    assert read({"b": [True, False, True], "x": [1, 2, 3]})["b"].values.dtype == bool


def test_what_the_caller_names_is_not_set_aside(read):
    table = read({"who": [f"P{k}" for k in range(40)], "x": list(range(40))}, categorical=["who"])

    assert len(table["who"].labels) == 40


def test_numbers_become_labels_by_wish(read):
    column = read({"code": [3, 1, 3, 2], "x": [1, 2, 3, 4]}, categorical="code")["code"]

    assert column.kind is Kind.CATEGORICAL
    assert [str(column.labels[code]) for code in column.values] == ["3", "1", "3", "2"]


def test_labels_become_numbers_by_wish(read):
    column = read({"code": ["3", "1", None, "2.5"], "x": [1, 2, 3, 4]}, numeric="code")["code"]

    assert column.kind is Kind.NUMERIC
    assert column.values[[0, 1, 3]].tolist() == [3, 1, 2.5]
    assert column.is_missing.tolist() == [False, False, True, False]


def test_booleans_become_zero_and_one_by_wish(read):
    assert read({"b": [True, False, True], "x": [1, 2, 3]}, numeric="b")["b"].values.tolist() == [1, 0, 1]


def test_labels_that_are_no_numbers_are_named_with_their_row(read):
    with pytest.raises(BychanceError, match=r"got 'two' in 'code' (at row 1 \(counting from 0\)|in line 3)"):
        read({"code": ["1", "two", "3"], "x": [1, 2, 3]}, numeric="code")


def test_what_is_dropped_is_not_looked_at(read):
    table = read({"bad": [1.0, float("inf"), 2.0], "x": [1, 2, 3]}, drop="bad")

    assert table.names == ("x",)


def test_what_cannot_be_read_may_be_dropped():
    frame = pl.DataFrame({"bad": pl.Series([object(), object()], dtype=pl.Object), "x": [1, 2]})

    assert read_table(frame, drop="bad").names == ("x",)


@pytest.mark.parametrize("argument", ["numeric", "categorical", "drop"])
def test_unknown_names_are_errors_that_suggest_the_nearest(read, argument):
    with pytest.raises(UnknownNameError, match=f"Did you mean 'Income'.* `{argument}` must be one of"):
        read({"Income": [1, 2], "x": [1, 2]}, **{argument: ["incom"]})


def test_a_name_is_numeric_or_categorical():
    with pytest.raises(BychanceError, match="must be without the names in `categorical`, got 'x'"):
        read_table({"x": [1]}, numeric="x", categorical="x")


def test_values_that_stand_for_missing_are_missing(read):
    columns = {"x": [1.5, -999.0, 3.0], "color": ["red", "unknown", "blue"], "y": [0, 1, 2]}
    table = read(columns, missing=[-999, "unknown"])

    assert table["x"].is_missing.tolist() == [False, True, False]
    assert table["color"].is_missing.tolist() == [False, True, False]
    assert table["y"].is_missing is None


def test_a_column_of_nothing_but_marks_is_empty(read):
    table = read({"color": ["unknown"] * 3, "x": [1, 2, 3]}, missing="unknown")

    assert table["color"].is_missing.all()
    assert table["color"].kind is Kind.NUMERIC


def test_row_numbers_are_set_aside_and_other_counters_stay_with_a_note(read):
    table = read({"id": list(range(1, 41)), "week": list(range(40)), "x": [1, 2] * 20})

    assert table.names == ("week", "x")
    assert [(note.column, note.code) for note in table.notes] == [
        ("id", Code.ROW_COUNTER),
        ("week", Code.COUNTS_ROWS),
    ]
    assert read_table(table).notes == table.notes


def test_days_in_a_row_are_no_row_numbers(read):
    days = [date(2020, 1, 1) + timedelta(days=k) for k in range(40)]

    assert read({"day": days, "x": [1, 2] * 20}).notes == ()


def test_dates_have_no_marks_of_missing():
    table = read_table({"day": [date(2020, 1, 1), date(2020, 1, 2)]}, missing=[0, 1])

    assert table["day"].is_missing is None


def test_set_aside_columns_say_how_to_keep_them():
    table = read_table({"who": [f"P{k}" for k in range(40)], "x": list(range(40))})

    with pytest.raises(
        BychanceError, match=r"'who' was set aside: an identifier.*categorical=\['who'\] keeps"
    ):
        table.position("who", "target")


def test_a_table_is_looked_up_by_name():
    table = read_table({"a": [1, 2], "b": ["u", "v"]})

    assert "a" in table
    assert "z" not in table
    assert table["b"].name == "b"
    with pytest.raises(UnknownNameError, match="`column` must be one of a, b"):
        table["z"]


def test_a_table_says_what_it_is(tmp_path):
    first, *overview = repr(read_table({"a": [1, 2], "b": ["u", "v"]})).splitlines()

    assert first == "<Table of 2 rows and 2 columns (1 numeric, 1 categorical) from a dict>"
    assert [line.split()[0] for line in overview] == ["column", "a", "b"]


@pytest.mark.parametrize(
    ("values", "missing", "is_missing"),
    [
        ([9999999, 10000000, 3], 9999999, [True, False, False]),
        ([9999999.0, 10000000.0, 0.5], 9999999, [True, False, False]),
        ([2**60, 2**60 + 1, 3], 2**60, [True, False, False]),
        ([2**60, 2**60 + 1, 3], 2.0**60, [True, False, False]),
        ([2**53, 2**53 + 1, 3], [2**53 + 1, 10**400], [False, True, False]),
        ([1.5, 123456.75, 123457.0], 123456.75, [False, True, False]),
        ([-999, 1, 2], -999.0, [True, False, False]),
        ([-999, 1, 2], np.int64(-999), [True, False, False]),
        (["-999", "a", "b"], -999.0, [True, False, False]),
        (["-999.0", "a", "b"], -999, [True, False, False]),
    ],
)
def test_a_number_that_stands_for_missing_is_no_other_number(read, values, missing, is_missing):
    table = read({"x": values, "y": [1, 2, 3]}, missing=missing, categorical=["y"])

    assert table["x"].is_missing.tolist() == is_missing


FLOAT32 = np.array([0.1, 0.2, -999.9], dtype=np.float32)


@pytest.mark.parametrize("mark", [-999.9, np.float32(-999.9), "-999.9", [1e300, -999.9]])
@pytest.mark.parametrize(
    "values",
    [
        FLOAT32,
        FLOAT32.astype(">f4"),
        FLOAT32.astype(np.float16),
        list(FLOAT32),
        pd.Series(FLOAT32),
        pd.array(FLOAT32, dtype="Float32"),
        pl.Series(FLOAT32),
        pa.array([*FLOAT32, None]),
    ],
)
def test_short_floats_are_missing_where_they_are_the_mark_as_short(values, mark):
    for source in ({"x": values}, read_table({"x": values}), read_table({"x": values}, categorical="x")):
        assert read_table(source, missing=mark)["x"].is_missing.tolist()[:3] == [False, False, True]


def test_long_floats_are_not_rounded_to_the_mark():
    table = read_table({"x": FLOAT32.astype(np.float64)}, missing=-999.9)

    assert table["x"].is_missing is None


def test_true_is_no_number_that_stands_for_missing(read):
    table = read({"x": [1, 2, 3], "flag": [True, False, False]}, missing=True)

    assert table["x"].is_missing is None
    assert table["flag"].is_missing.tolist() == [True, False, False]


def test_dates_are_no_numbers_that_stand_for_missing():
    days = np.arange(3).astype("M8[D]")

    for source in ({"day": days}, read_table({"day": days})):
        assert read_table(source, missing=0)["day"].is_missing is None


@pytest.mark.parametrize("first", [2**60, 2**63])
def test_large_integers_stay_apart_in_every_source(read, first):
    values = [first + k for k in range(3)]

    table = read({"x": np.array(values, dtype=np.uint64), "y": [1, 0, 1]})
    assert table["x"].values.tolist() == values


def test_numbers_written_as_labels_stay_apart():
    column = read_table({"x": [str(2**60), str(2**60 + 1), None, "nan"]}, numeric="x")["x"]

    assert column.values.tolist()[:2] == [2**60, 2**60 + 1]
    assert column.is_missing.tolist() == [False, False, True, True]


def test_categories_of_dates_can_be_numbers():
    days = pd.Series(pd.to_datetime(["2020-01-05", "2020-01-01", None, "2020-01-03"]))
    column = read_table(pd.DataFrame({"day": days.astype("category")}), numeric="day")["day"]

    assert column.values.tolist() == [2, 0, 0, 1]
    assert column.clock.moments(column.values[:1]) == as_categorical(read_column(days[:1], "day")).labels


@pytest.mark.parametrize("others", [{}, {"id": list(range(30))}], ids=["two texts", "a counter"])
def test_identifiers_and_text_alone_are_read_as_categories(tmp_path, others):
    texts = {name: [f"{name}{k}" for k in range(30)] for name in (["word"] if others else ["word", "other"])}
    pd.DataFrame({**texts, **others}).to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")

    assert table.names == tuple(texts)
    assert [table["word"].labels[code] for code in table["word"].values] == texts["word"]
    assert any(note.code is Code.NOTHING_ELSE_LEFT for note in table.notes)
