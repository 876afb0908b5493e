"""Types of columns from their values: counters of rows, codes, mixtures, and values that are none."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.io import TextFormat, read_table
from bychance.kinds import Kind
from bychance.messages import Code, Option
from tests.io.cells import as_in_a_file

FRAMES = [dict, pd.DataFrame, pl.DataFrame, pa.table]
Y = [k * k % 7 for k in range(30)]


def notes_of(values, **options):
    table = read_table({"x": values, "y": [1] * len(values)}, **options)
    return [note for note in table.notes if note.code is not Code.COUNTS_ROWS]


# Counters of rows.


@pytest.mark.parametrize(
    "name", ["id", "ID", "row_no", "PatientID", "Obs Nr", "Serial number", "Unnamed: 0", "index"]
)
@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("first", [0, 1, 1001])
def test_row_counters_are_set_aside_by_name_and_values(make, name, first):
    frame = make({name: list(range(first, first + 30)), "y": Y})
    table = read_table(frame)

    assert table.set_aside == (name,)
    assert (table.notes[0].code, table.notes[0].column) == (Code.ROW_COUNTER, name)
    assert table.notes[0].suggestion == Option("numeric", (name,))
    assert read_table(frame, numeric=name).names == (name, "y")


@pytest.mark.parametrize("name", ["year", "week", "time", "paid", "solid", "idea", "id_type"])
def test_counters_with_other_names_stay_with_a_note(name):
    table = read_table({name: range(1990, 2020), "y": Y})

    assert table.names == (name, "y")
    assert (table.notes[0].code, table.notes[0].column) == (Code.COUNTS_ROWS, name)


@pytest.mark.parametrize("values", [[*range(1, 30), 31], [2, 1, *range(3, 31)], [7] * 30, [*range(29), None]])
def test_an_id_that_does_not_count_the_rows_stays(values):
    assert read_table({"id": values, "y": Y}).names == ("id", "y")


def test_a_counter_is_no_pair_of_a_ranking(tmp_path):
    frame = pd.DataFrame({"a": Y, "b": Y[::-1]})
    frame.to_csv(tmp_path / "t.csv")

    for source in (tmp_path / "t.csv", pd.read_csv(tmp_path / "t.csv")):
        ranking = bc.rank(source)
        assert (ranking.n_pairs, ranking[0]["x"], ranking[0]["y"]) == (1, "a", "b")


# Numbers that may be classes.


@pytest.mark.parametrize("name", ["zip code", "ClassCode", "status", "vehicle_type", "group"])
def test_numbers_whose_name_says_code_are_told(name):
    table = read_table({name: [k % 5 for k in range(30)], "y": Y})

    assert [(note.code, note.suggestion) for note in table.notes] == [
        (Code.CLASSES_AS_NUMBERS, Option("categorical", (name,)))
    ]
    assert read_table({name: [k % 5 for k in range(30)], "y": Y}, categorical=name).notes == ()


@pytest.mark.parametrize("values", [[k / 7 for k in range(30)], [3] * 30, [0, 1] * 15])
def test_fractions_constants_and_two_values_are_no_codes(values):
    assert read_table({"code": values, "y": Y}).notes == ()


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ([20920, 22520, 22710] * 10, True),
        ([20920, 22520, 122710] * 10, False),  # of five digits and of six
        ([*range(20920, 20960, 2), *range(20921, 20941, 2)], False),  # none recurs
        ([1990, 1995, 2000] * 10, False),
    ],
)
def test_numbers_of_as_many_digits_that_recur_look_like_codes(values, is_told):
    table = read_table({"county": values, "y": Y})

    assert [note.code for note in table.notes] == [Code.CLASSES_AS_NUMBERS] * is_told


def test_one_number_of_20_digits_makes_no_codes_of_the_others():
    cells = ["20000000000000000001", *map(str, range(2, 9))]
    column = read_table(as_in_a_file({"x": cells, "y": cells[::-1]}))["x"]

    assert (column.kind, column.values[1:].tolist()) == (Kind.NUMERIC, list(range(2, 9)))


# Decimal marks of files.


@pytest.mark.parametrize(
    ("other", "x", "y"),
    [
        (["4", "5", "6", "7"], [1250, 980, 2100, 700], 4),
        (["1,250", "3,125", "4,125", "5,125"], [1250, 980, 2100, 700], 1250),
        (["1,5", "2,5", "3,5", "4,5"], [1.25, 980, 2.1, 700], 1.5),
    ],
)
def test_commas_separate_thousands_unless_another_column_has_decimal_commas(tmp_path, other, x, y):
    cells = zip(["1,250", "980", "2,100", "700"] * 3, other * 3, strict=True)
    (tmp_path / "t.csv").write_text("\n".join(["x;y", *map(";".join, cells)]))
    table = read_table(tmp_path / "t.csv")

    assert table["x"].values[:4].tolist() == x
    assert table["y"].values[0] == y


def test_a_whole_number_tells_wherever_it_stands(tmp_path):
    cells = [f"{1000 + k:,}".replace(",", ".") for k in range(1500)]
    (tmp_path / "t.csv").write_text("\n".join(["x;y", *(f"{cell};a" for cell in cells), "980;b"]))

    assert read_table(tmp_path / "t.csv")["x"].values[[0, 1499, 1500]].tolist() == [1000, 2499, 980]


@pytest.mark.parametrize(
    ("cells", "decimal", "values"),
    [
        (["1,234", "5,678"], None, [1234, 5678]),
        (["1,234", "5,678"], ",", [1.234, 5.678]),
        (["1.250", "2", "3.125"], ",", [1250, 2, 3125]),
        (["20,22", "20", "22"], ",", [20.22, 20, 22]),
        (["1.250", "980"], ".", [1.25, 980]),
    ],
)
def test_the_decimal_mark_can_be_told_for_frames_too(cells, decimal, values):
    table = read_table(
        pd.DataFrame({"x": cells}), text_format=TextFormat(decimal=decimal), numeric="x" if decimal else ()
    )

    assert table["x"].values.tolist() == values


# Numbers, dates and times beside words.

DAYS = [date(2023, 1, 1) + timedelta(days=k) for k in range(25)]
FORMATS = {
    "plain": ("numbers", [f"{k + 0.5}" for k in range(25)]),
    "euros": ("numbers", [f"€{312_345 + k:,}" for k in range(25)]),
    "minutes": ("numbers", [f"{k + 10} min" for k in range(25)]),
    "percent": ("numbers", [f"{k}.5%" for k in range(25)]),
    "ISO": ("dates", [day.isoformat() for day in DAYS]),
    "month first": ("dates", [day.strftime("%m/%d/%Y") for day in DAYS]),
    "quarters": ("dates", [f"{2000 + k}-Q{1 + k % 4}" for k in range(25)]),
    "hours": ("times", [f"3:{20 + k}:{k:02}" for k in range(25)]),
    "half days": ("times", [f"5:{k + 10} PM" for k in range(25)]),
}


@pytest.mark.parametrize(("what", "cells"), FORMATS.values(), ids=FORMATS)
def test_a_word_beside_any_format_is_one_note_and_no_target(what, cells):
    table = {"x": [*cells, *cells, *["DNF"] * 10], "y": [k * k % 7 for k in range(60)]}

    (note,) = read_table(table).notes
    assert (note.code, note.suggestion) == (Code.NUMBERS_AMONG_CATEGORIES, Option("missing", ("DNF",)))
    assert (note.values["n_read"], note.values["what"], note.values["words"]) == (50, what, ("DNF",))
    read = read_table(table, missing="DNF")["x"]
    assert (read.kind, read.is_missing.sum()) == (Kind.NUMERIC, 10)
    said = rf"50 of 60 values are {what}, not 'DNF'.*categorical=\['x'\] keeps categories"
    with pytest.raises(BychanceError, match=said):
        bc.rank(table, target="x")
    assert bc.rank(table, target="x", categorical="x")[0]["n"] == bc.rank(table, target="y")[0]["n"] == 60
    (note,) = read_table({"x": [*cells, *cells, "DNF", "DNS"], "y": range(52, 0, -1)}).notes
    assert note.is_set_aside
    assert (note.code, note.values["n_read"], note.values["cell"]) == (Code.MIXED, 50, "DNF")


@pytest.mark.parametrize(
    "cells",
    [
        [*(str(k) for k in range(11)), "no answer", "no answer"] * 5,
        [*["10 mg", "20 mg"] * 20, *["placebo"] * 20],
        [*(str(k) for k in range(25)), *["2A", "7B", "9C"] * 5] * 2,
        [*(str(k) for k in range(25)), *[*"abcdefghi"] * 4],
    ],
    ids=["scale", "doses", "codes", "mostly words"],
)
def test_few_numbers_codes_and_mostly_words_may_be_a_target(cells):
    table = {"x": cells, "y": [k * k % 7 for k in range(len(cells))]}

    assert bc.rank(table, target="x")[0]["n"] == len(cells)


@pytest.mark.parametrize(
    ("cells", "words", "advised"),
    [
        ([*[str(k) for k in range(11)] * 9, "no answer"], ("no answer",), ("no answer",)),
        ([*"12345" * 8, "a", "b", "c", "d", "c"], ("c", "a", "b"), (...,)),
        ([*"012" * 8, "A1"], ("A1",), (...,)),
        ([*"012" * 8, "no"], ("no",), (...,)),
        ([*"12345" * 4, *["low"] * 20], ("low",), ("low",)),
        ([*(f"{k} {u}" for k in range(1, 26) for u in ("ml", "oz")), *["lost"] * 10], ("lost",), None),
    ],
)
def test_words_among_numbers_are_named_and_those_that_say_something_not_advised(cells, words, advised):
    (note,) = notes_of(cells)

    assert (note.code, note.values["words"]) == (Code.NUMBERS_AMONG_CATEGORIES, words)
    assert note.values.get("n_more") == (1 if len(words) == 3 else None)
    assert note.suggestion == (advised and Option("missing", advised))


@pytest.mark.parametrize("cells", [[*"12345" * 4, *["low"] * 21], ["1"] * 30 + ["other"]])
def test_few_numbers_among_words_are_not_told(cells):
    assert not any(note.says(Code.NUMBERS_AMONG_CATEGORIES) for note in notes_of(cells))


# Values that cannot be a column, and objects of several types.


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
    with pytest.raises(BychanceError, match=r"'x' cannot be read: it has infinite values: inf at row 1"):
        read_table({"x": [1.0, float("inf")], "y": [1, 2]}, numeric="x")
    with pytest.raises(
        BychanceError, match=r".x. cannot be read: it must hold numbers.*drop=\['x'\] leaves it out"
    ):
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


# Sentinels.


@pytest.mark.parametrize(
    "mark", [-999, -99, 9999, 999999.0, -999.25, -7999, 65535, 1e30, 9.969209968386869e36]
)
def test_numbers_that_instruments_write_for_no_value_are_told(mark):
    values = [*np.linspace(0, 20, 30), mark, mark]
    (note,) = notes_of(values)

    assert (note.code, note.values["number"], note.values["n"]) == (Code.SENTINEL, mark, 2)
    assert note.suggestion == Option("missing", (mark,))
    assert notes_of(values, missing=mark) == []


@pytest.mark.parametrize(
    "values",
    [
        [*range(200), 999],
        [*range(900, 1100), 999, 999],
        [-999, *range(-998, 40), -999],
        [99, 99, 99, 99],
        [np.nan] * 5,
        [*range(20), 1000, 1000],
    ],
    ids=["once", "inside", "at the end of the rest", "alone", "nothing", "no nines"],
)
def test_other_numbers_of_nines_are_left_alone(values):
    assert not any(note.says(Code.SENTINEL) for note in notes_of(values))


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
    assert not any(note.says(Code.LABELS_ALIKE) for note in table.notes)
