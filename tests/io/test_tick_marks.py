"""Empty cells beside a tick, or beside the one word of a column, are no."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import note_lines

KEEPS = "; missing=[''] keeps them missing"


def cells_in(table, name):
    column = table[name]
    is_missing = np.zeros(len(column), bool) if column.is_missing is None else column.is_missing
    labels = column.labels or (False, True)
    return [
        None if gone else labels[code]
        for code, gone in zip(column.values.astype(int), is_missing, strict=True)
    ]


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("tick", ["✓", "X", "yes", "TRUE", "*"])
def test_empty_cells_beside_ticks_are_no(frame, tick):
    table = read_table(frame({"Member": [tick, None, "", tick] * 5, "n": list(range(20))}))

    assert cells_in(table, "Member") == [tick, "no", "no", tick] * 5
    assert f"'Member': empty cells count as 'no' beside {tick!r}{KEEPS}" in map(str, table.notes)


@pytest.mark.parametrize("missing", ["", [], ["", "-9"], iter([""])])
def test_empty_cells_stay_missing_where_they_are_named(missing):
    table = read_table({"Member": ["✓", ""] * 10, "n": [1, 2] * 10}, missing=missing)

    assert cells_in(table, "Member") == ["✓", None] * 10
    assert table.notes == ()


def test_other_marks_stay_missing_and_are_named_in_the_advice(tmp_path):
    (tmp_path / "t.csv").write_text("Member,n\n" + "x,1\n,2\nNA,3\n" * 5)
    table = read_table(tmp_path / "t.csv")

    assert cells_in(table, "Member") == ["x", "no", None] * 5
    assert "missing=['NA', ''] keeps them missing" in str(table.notes[0])
    assert cells_in(read_table(tmp_path / "t.csv", missing=["NA", 7]), "Member") == ["x", "no", None] * 5


def test_a_word_of_its_own_name_is_a_tick():
    answers = {"Which? [Price]": ["price", None] * 10, "Pricey": ["price", None] * 10, "n": range(20)}
    table = read_table(answers)

    assert cells_in(table, "Which? [Price]") == ["price", "no"] * 10
    assert cells_in(table, "Pricey") == ["price", None] * 10
    assert "'Pricey': all values are the same, as empty cells are missing" in map(str, table.notes)


def test_three_columns_of_one_word_are_options():
    rng = np.random.default_rng(0)
    answers = {
        f"q{k}": np.where(rng.random(40) < 0.5, word, "") for k, word in enumerate(["Bus", "Car", "Bike"])
    }
    table = read_table(answers)

    assert [table[name].labels for name in answers] == [("Bus", "no"), ("Car", "no"), ("Bike", "no")]
    assert note_lines(table.notes) == [
        f"'q0', 'q1', 'q2': empty cells count as 'no' beside the only word{KEEPS}"
    ]
    assert read_table({name: answers[name] for name in ("q0", "q1")})["q0"].labels == ("Bus",)


def test_words_with_the_same_empty_cells_are_no_options():
    table = read_table({name: [name * 3, None] * 10 for name in ("a", "b", "c", "d")})

    assert {column.labels for column in table} == {("aaa",), ("bbb",), ("ccc",), ("ddd",)}


@pytest.mark.parametrize(
    "values", [[1, None] * 10, [True, None] * 10, ["no", ""] * 10, ["x"] * 199 + [""] * 2, ["x"] + [""] * 20]
)
def test_numbers_booleans_no_and_rare_cells_stay_as_they_are(values):
    assert read_table({"a": values})["a"].labels in {(), ("no",), ("x",)}


def test_numbers_that_are_to_be_categories_may_be_ticks():
    assert cells_in(read_table({"a": ["1", ""] * 10}, categorical="a"), "a") == ["1", "no"] * 10


def test_ticks_are_ranked():
    spend = np.random.default_rng(1).normal(size=60) + np.tile([3, 0, 0], 20)
    (row,) = bc.rank({"Member": ["✓", None, None] * 20, "Spend": spend}, target="Spend")

    assert row["n"] == 60
    assert row["p_value"] <= 1e-4
