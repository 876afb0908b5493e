"""Plain numbers as text are categories wherever a column has a type, and numbers in files of text."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from bychance.io import TextFormat, read_table
from bychance.kinds import Kind
from bychance.messages import Code, Option
from tests.engine.settings import put
from tests.io.cells import as_in_a_file

N = 200
RNG = np.random.default_rng(34)
CODES = RNG.integers(0, 40, N)
Y = (CODES % 7) + RNG.normal(size=N)
COLUMNS = {"size": CODES.astype(str).tolist(), "y": Y.tolist()}


def arff(path):
    rows = [f"'{code}',{y!r}" for code, y in zip(*COLUMNS.values(), strict=True)]
    lines = ["@relation t", "@attribute size string", "@attribute y numeric", "@data", *rows]
    path.write_text("\n".join(lines))


def in_file(suffix, write):
    """Write the columns to a file of the folder and return its path."""

    def written(folder):
        write(folder / f"t.{suffix}")
        return folder / f"t.{suffix}"

    return written


TYPED = {
    "dict of lists": lambda folder: COLUMNS,
    "dict of arrays": lambda folder: {"size": CODES.astype(str), "y": Y},
    "dict of objects": lambda folder: {"size": CODES.astype(str).astype(object), "y": Y},
    "structured array": lambda folder: np.array(
        list(zip(*COLUMNS.values(), strict=True)), [("size", "U4"), ("y", float)]
    ),
    "pandas": lambda folder: pd.DataFrame(COLUMNS),
    "pandas string": lambda folder: pd.DataFrame(COLUMNS).astype({"size": "string"}),
    "polars": lambda folder: pl.DataFrame(COLUMNS),
    "polars lazy": lambda folder: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda folder: pa.table(COLUMNS),
    "parquet": in_file("parquet", lambda path: parquet.write_table(pa.table(COLUMNS), path)),
    "feather": in_file("feather", lambda path: feather.write_feather(pa.table(COLUMNS), path)),
    "arff": in_file("arff", arff),
}


FRAME = pd.DataFrame(COLUMNS)
WRITTEN = {
    "csv": in_file("csv", lambda path: FRAME.to_csv(path, index=False, quoting=csv.QUOTE_ALL)),
    "tsv": in_file("tsv", lambda path: FRAME.to_csv(path, sep="\t", index=False)),
    "excel": in_file("xlsx", lambda path: FRAME.to_excel(path, index=False)),
    "json": in_file("json", lambda path: path.write_text(json.dumps(FRAME.to_dict("records")))),
    "json of lists": in_file("json", lambda path: path.write_text(json.dumps(COLUMNS))),
}


@pytest.mark.parametrize("door", TYPED)
def test_numbers_as_text_stay_categories_where_columns_have_types(tmp_path, door):
    table = read_table(TYPED[door](tmp_path))

    assert table["size"].kind is Kind.CATEGORICAL
    (note,) = table.notes
    assert (note.column, note.code, note.values["n"]) == ("size", Code.NUMBERS_AS_TEXT, 40)
    assert read_table(TYPED[door](tmp_path), numeric="size")["size"].values.tolist() == CODES.tolist()


@pytest.mark.parametrize("door", WRITTEN)
def test_numbers_as_text_are_numbers_in_files_that_say_nothing_of_types(tmp_path, door):
    table = read_table(WRITTEN[door](tmp_path))

    assert table["size"].values.tolist() == CODES.tolist()
    assert table.notes == ()


@pytest.mark.parametrize("door", [*TYPED, *WRITTEN])
def test_ranking_and_adjusting_give_one_value(tmp_path, door):
    source = (TYPED | WRITTEN)[door](tmp_path)
    code = COLUMNS["size"] if door in TYPED else CODES
    (row,) = bc.rank(source, target="y", measure="explained")

    assert row["observed"] == pytest.approx(bc.measure("explained", code, Y), rel=1e-12)
    assert row["observed"] == pytest.approx(bc.adjust("explained", code, Y).observed, rel=1e-12)
    assert bc.measure("explained", COLUMNS["size"], Y) > 5 * bc.measure("explained", CODES, Y)


@pytest.mark.parametrize("door", ["parquet", "pandas", "polars lazy", "pyarrow", "csv", "tsv"])
def test_streams_read_as_memory_does(tmp_path, door, monkeypatch):
    put(monkeypatch, head_rows=50)
    source = (TYPED | WRITTEN)[door](tmp_path)
    options = {"target": "y", "measure": "explained", "null": "moments"}
    streamed = bc.rank(source, stream=bc.Streaming(100), **options)
    (row,), (whole,) = streamed, bc.rank(source, **options)

    assert row["observed"] == pytest.approx(whole["observed"], rel=1e-9)
    assert any(note.says(Code.NUMBERS_AS_TEXT) for note in streamed.notes) == (door in TYPED)


def test_several_files_in_memory_are_read_as_one_is(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        WRITTEN["csv"](tmp_path / name), TYPED["parquet"](tmp_path / name)

    found = [
        bc.rank([tmp_path / name / f"t.{suffix}" for name in "ab"], target="y", measure="explained")
        for suffix in ("csv", "parquet")
    ]

    assert [ranking[0]["observed"] for ranking in found] == [
        pytest.approx(bc.measure("explained", code, Y), rel=1e-9) for code in (CODES, COLUMNS["size"])
    ]


def test_a_ranking_on_disk_takes_the_same_categories(tmp_path):
    bc.rank_to_file(COLUMNS, tmp_path / "out.csv", target="y", measure="explained")
    written = pd.read_csv(tmp_path / "out.csv")

    assert written["observed"][0] == pytest.approx(bc.measure("explained", COLUMNS["size"], Y), rel=1e-9)


def test_a_selector_scores_the_same_categories():
    X = pd.DataFrame({"size": COLUMNS["size"]})
    selector = bc.ChanceSelector("explained", by="observed", k=1).fit(X, Y)

    assert selector.scores_[0] == pytest.approx(bc.measure("explained", COLUMNS["size"], Y), rel=1e-12)


@pytest.mark.parametrize(
    "cells",
    [
        ["1.5", "2.25", "10"],
        ["-3", "4", "+5"],
        ["1e5", "2.5E-3", "7"],
        [" 12", "7 ", " 5 "],
        ["12", "7", "NA"],
        ["12.0", "7.0", "nan"],  # astype(str) makes these of NaN, None and <NA>
        ["12", "7", "None"],
        ["12", "7", "<NA>"],
        ["12", "7", None, ""],
    ],
)
def test_what_any_library_reads_as_numbers_stays_text(cells):
    table = read_table({"x": cells * 10, "y": range(10 * len(cells))})
    column = table["x"]
    n_missing = sum(cell in (None, "", "NA", "nan", "None", "<NA>") for cell in cells) * 10

    assert column.kind is Kind.CATEGORICAL
    assert n_missing == (0 if column.is_missing is None else column.is_missing.sum())
    assert "numbers as text, taken for categories" in table.notes[0].text
    assert read_table(as_in_a_file({"x": cells * 10}))["x"].kind is Kind.NUMERIC


@pytest.mark.parametrize(
    ("cells", "values", "said"),
    [
        (["$1,234.00", "$7.50"], [1234, 7.5], "numbers in $; commas separate thousands"),
        (["5%", "12.5%"], [5, 12.5], "numbers in %"),
        (["1,5", "2,25"], [1.5, 2.25], "the decimal mark is a comma"),
        (["1.250", "980"], [1250, 980], "points separate thousands"),
        (["12", "?", "7"], [12, np.nan, 7], "text read as numbers"),
        (["12", "-", "7"], [12, np.nan, 7], "text read as numbers"),
        (["2019-03-04", "2019-03-06"], None, "text read as dates"),
        (["14/01/2019", "15/01/2019"], None, "dates with the day first"),
        (["8:00", "10:00"], None, "text read as times"),
    ],
)
def test_what_no_library_reads_by_itself_is_read_with_a_note_by_every_door(cells, values, said):
    rows = cells * 10
    y = np.arange(len(rows)) ** 2 % 7
    table = read_table({"x": rows, "y": y})
    with pytest.warns(BychanceWarning, match="`x` is text: ") as told:
        adjusted = bc.adjust("explained", rows, y)
    (row,) = bc.rank({"x": rows, "y": y}, target="y", measure="explained")

    assert table["x"].kind is Kind.NUMERIC
    assert said in table.notes[0].text
    assert said.removeprefix("text ") in str(told[0].message)
    assert row["observed"] == adjusted.observed
    if values is not None:
        found = np.where(table["x"].is_missing, np.nan, table["x"].values - table["x"].values[0])
        np.testing.assert_array_equal(found[: len(cells)], np.array(values) - values[0])


def test_whoever_names_marks_of_missing_values_reads_the_rest():
    table = read_table({"x": ["12", "7", "gone"] * 10}, missing="gone")

    assert table["x"].kind is Kind.NUMERIC
    assert [(note.code, note.values["what"]) for note in table.notes] == [(Code.TEXT_READ, "numbers")]


def test_a_decimal_comma_that_is_asked_for_reads_points_as_thousands():
    table = read_table({"x": ["1.250", "2.125", "7"] * 5}, text_format=TextFormat(decimal=","))

    assert table["x"].values[:3].tolist() == [1250, 2125, 7]


def test_numbers_as_text_that_are_all_different_are_an_identifier_with_the_option_that_reads_them():
    table = read_table({"x": [f"{k / 7:.6f}" for k in range(60)], "y": range(60)})

    (note,) = [note for note in table.notes if note.column == "x"]
    assert [told.code for told in note.remarks] == [Code.IDENTIFIER, Code.NUMBERS_AS_TEXT_SET_ASIDE]
    assert note.options == (Option("numeric", ("x",)), Option("categorical", ("x",)))


def test_declared_categories_need_no_note():
    table = read_table(pd.DataFrame({"x": pd.Categorical(COLUMNS["size"])}))

    assert (table["x"].kind, table.notes) == (Kind.CATEGORICAL, ())


def test_numbers_beside_a_word_in_python_objects_are_numbers():
    table = read_table({"x": [1, 2, "n/a", 4] * 5})

    assert table["x"].kind is Kind.NUMERIC
    assert table["x"].is_missing.sum() == 5


def test_nothing_is_said_of_a_column_without_values():
    assert not [
        note for note in read_table({"x": ["", "NA"] * 5, "y": range(10)}).notes if note.column == "x"
    ]


def test_a_later_amount_among_numbers_as_text_is_an_error_that_names_its_row(tmp_path, monkeypatch):
    put(monkeypatch, head_rows=100)
    code = [*COLUMNS["size"][:170], "1,234", *COLUMNS["size"][171:]]
    parquet.write_table(pa.table({"size": code, "y": Y}), tmp_path / "t.parquet", row_group_size=20)
    options = {"target": "y", "measure": "explained", "stream": bc.Streaming(50)}

    with pytest.raises(BychanceError, match=r"plain numbers as text before, other text here; .*row 170 "):
        bc.rank(tmp_path / "t.parquet", **options)
    (row,) = bc.rank(tmp_path / "t.parquet", numeric="size", **options)
    assert row["observed"] == pytest.approx(
        bc.rank(tmp_path / "t.parquet", target="y", measure="explained")[0]["observed"], rel=1e-9
    )
