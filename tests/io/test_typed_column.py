"""What is said about typed columns: sentinels, labels that differ little, and mixtures of objects."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bychance.errors import BychanceError
from bychance.io import TextFormat, read_table
from bychance.io.typed_column import SENTINELS
from bychance.kinds import Kind
from bychance.messages import Code, Option


def notes_of(values, **options):
    table = read_table({"x": values, "y": [1] * len(values)}, **options)
    return [note for note in table.notes if note.code is not Code.COUNTS_ROWS]


def told_of(values, code):
    return [note for note in notes_of(values) if note.code is code]


@pytest.mark.parametrize("mark", [-999, -99, 9999, 999999.0, 9999999])
def test_a_number_of_nines_far_from_the_rest_is_told_in_numeric_columns_too(mark):
    values = [*np.linspace(0, 20, 30), mark, mark]

    (note,) = notes_of(values)
    assert (note.code, note.values["n"], note.suggestion) == (Code.SENTINEL, 2, Option("missing", (mark,)))
    assert notes_of(values, missing=mark) == []


@pytest.mark.parametrize(
    "values",
    [
        [*range(200), 999],
        [*range(900, 1100), 999, 999],
        [-999, *range(-998, 40), -999],
        [99, 99, 99, 99],
        [np.nan] * 5,
    ],
    ids=["once", "inside", "at the end of the rest", "alone", "nothing"],
)
def test_other_numbers_of_nines_are_left_alone(values):
    assert told_of(values, Code.SENTINEL) == []


def test_sentinels_are_nines_and_what_instruments_write():
    assert {-999, 99, 9999999, -999.25, -7999, 65535, 1e30} <= SENTINELS
    assert not {0, 9, -9, 1000, 998} & SENTINELS


@pytest.mark.parametrize("code", [-999.25, -7999, 65535, 2147483647, 1e30, 9.969209968386869e36])
def test_codes_of_instruments_are_told_as_they_are_given(code):
    values = [*np.linspace(2, 3, 40), code, code]
    (note,) = read_table({"x": values, "y": [k % 7 for k in range(42)]}).notes

    assert (note.code, note.values["n"], note.suggestion) == (Code.SENTINEL, 2, Option("missing", (code,)))
    assert (
        read_table({"x": values, "y": [k % 7 for k in range(42)]}, missing=[code])["x"].is_missing.sum() == 2
    )


def test_labels_are_merged_into_the_most_frequent_and_dates_are_not_asked():
    values = pd.DataFrame(
        {
            "sex": ["male", "Male", "MALE ", "male", "female", None],
            "day": pd.Categorical([date(2020, 1, k + 1) for k in range(6)]),
            "n": range(6),
        }
    )
    table = read_table(values, merge=["sex", "day", "n"])
    sex = table["sex"]

    assert [sex.labels[code] for code in sex.values[:5]] == ["male"] * 4 + ["female"]
    assert sex.is_missing.tolist() == [False] * 5 + [True]
    assert not [note for note in table.notes if note.says(Code.LABELS_ALIKE)]


@pytest.mark.parametrize("make", [list, pd.Series, pl.Series, np.array])
def test_words_among_numbers_are_named_with_the_option_that_reads_the_rest(make):
    scale = make([*[str(k) for k in range(11)] * 9, "no answer"])

    (note,) = notes_of(scale)
    assert (note.code, note.suggestion) == (Code.NUMBERS_AMONG_CATEGORIES, Option("missing", ("no answer",)))
    assert (note.values["n_read"], note.values["n_values"]) == (99, 100)
    assert [note.code for note in notes_of(scale, missing="no answer")] == [Code.TEXT_READ]
    assert notes_of(scale, categorical="x") == []


@pytest.mark.parametrize(
    ("words", "is_noted"),
    [
        (["low"] * 20, True),
        (["low"] * 21, False),
        (["low", "high"] * 10, True),
        (["low", "high", "none"] * 2, False),
        (["low", "high", "none", "low", "low"], True),
    ],
)
def test_words_are_told_where_numbers_are_the_clear_majority(words, is_noted):
    notes = notes_of([*"12345" * 4, *words])

    assert [(note.code, note.values["n_read"], note.values["n_values"]) for note in notes] == (
        [(Code.NUMBERS_AMONG_CATEGORIES, 20, 20 + len(words))] * is_noted
    )


def test_words_beyond_three_are_counted_and_left_to_the_caller():
    (note,) = notes_of([*"12345" * 8, "a", "b", "c", "d", "c"])

    assert (note.values["n_read"], note.values["n_values"]) == (40, 45)
    assert (note.values["words"], note.values["n_more"]) == (("c", "a", "b"), 1)
    assert note.suggestion == Option("missing", (...,))


@pytest.mark.parametrize("word", ["7+", ">5", "True", "no"])
def test_words_that_say_something_are_not_called_missing(word):
    (note,) = notes_of([*"012" * 8, word])

    assert (note.values["words"], note.suggestion) == ((word,), Option("missing", (...,)))


def test_why_numbers_are_categories_is_told_once():
    (note,) = notes_of([*"012" * 8, "2A"])

    assert note.code is Code.CATEGORIES_PROBLEM


def test_one_number_among_words_is_a_category_like_them():
    assert notes_of(["1"] * 30 + ["other"]) == []


def test_several_groups_of_alike_labels_are_counted():
    (note,) = told_of(["a", "A", "b", "B ", "c"] * 4, Code.LABELS_ALIKE)

    assert (note.values["labels"], note.values["n_more"]) == (("a", "A"), 1)
    assert note.suggestion == Option("merge", ("x",))


@pytest.mark.parametrize("make", [pd.DataFrame, dict], ids=["pandas", "dict"])
def test_objects_of_several_types_are_read_as_their_text(make):
    table = read_table(make({"x": [1, 2.5, "n/a", None, "3"]}))

    assert table["x"].kind is Kind.NUMERIC
    assert table["x"].is_missing.tolist() == [False, False, True, True, False]
    assert table["x"].values[[0, 1, 4]].tolist() == [1, 2.5, 3]


def test_dates_beside_their_text_are_dates():
    table = read_table(pd.DataFrame({"x": [date(2020, 1, 3), "2020-01-01", None]}, dtype=object))

    assert table["x"].clock is not None
    assert table["x"].values[:2].tolist() == [2 * 86_400_000_000, 0]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([[1], [2, 3], None], "list<"),
        ([{"a": 1}, {"a": 2}, None], "struct<"),
        ([object(), "a", 1], "got"),
        ([1.0, float("inf"), 2.0], "infinite values: inf at row 1"),
    ],
)
def test_what_cannot_be_a_column_is_set_aside_and_the_rest_stays(values, what):
    table = read_table({"x": values, "y": [1, 2, 3]})

    assert table.names == ("y",)
    assert what in table.notes[0].text
    with pytest.raises(BychanceError, match="`target` names a column that was set aside"):
        table.position("x", "target")


def test_what_cannot_be_a_column_is_an_error_where_it_is_asked_for():
    with pytest.raises(BychanceError, match=r"'x' must be finite, got inf at row 1"):
        read_table({"x": [1.0, float("inf")], "y": [1, 2]}, numeric="x")
    with pytest.raises(BychanceError, match=r".x. must hold numbers.*drop=\['x'\] leaves it out"):
        read_table({"x": [[1], [2]], "y": [1, 2]}, categorical="x")


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_infinite_numbers_may_be_told_to_be_missing(make):
    frame = make({"x": [1.0, float("inf"), -float("inf"), 2.0], "y": [1, 2, 3, 4]})

    assert read_table(frame, missing=["inf", "-inf"])["x"].is_missing.tolist() == [False, True, True, False]
    assert read_table(frame, missing=float("inf")).set_aside == ("x",)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["1", "2", "1"], dtype="category"),
        pd.Series([True, False, True]),
        pl.Series(["1", "2", "1"], dtype=pl.Categorical),
    ],
)
def test_declared_categories_and_booleans_are_kept(values):
    assert read_table({"x": values})["x"].kind is Kind.CATEGORICAL


def test_the_decimal_mark_can_be_told_for_frames_too():
    frame = pd.DataFrame({"x": ["1,234", "5,678"]})

    assert read_table(frame)["x"].values.tolist() == [1234, 5678]
    assert read_table(frame, text_format=TextFormat(decimal=","))["x"].values.tolist() == [1.234, 5.678]
