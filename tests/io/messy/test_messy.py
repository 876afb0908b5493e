"""Messy tables: every door gives the kinds, values and notes that each case asks for."""

from __future__ import annotations

import csv
import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import bychance as bc
from bychance.cli import app
from bychance.columns import Column
from bychance.io import read_table
from bychance.kinds import Kind
from tests.io.messy.case import Case, Value, cases

CASES = cases()
ANCHOR = "anchor"  # a clean column, so that a column is left if the messy one is set aside
NAMES = {"time": "times of day", "span": "spans of time"}


def with_anchor(columns):
    n_rows = len(next(iter(columns.values())))
    return {**columns, ANCHOR: [(7 * k * k) % 101 for k in range(n_rows)]}


def csv_of(columns, delimiter=","):
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    return written.getvalue()


def as_csv(columns, folder, delimiter=","):
    (folder / "t.csv").write_text(csv_of(columns, delimiter), encoding="utf-8", newline="")
    return folder / "t.csv"


def as_parquet(columns, folder, delimiter):
    parquet.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


DOORS = {
    "csv": as_csv,
    "parquet": as_parquet,
    "dict": lambda columns, folder, delimiter: columns,
    "pandas object": lambda columns, folder, delimiter: pd.DataFrame(columns, dtype=object),
    "pandas string": lambda columns, folder, delimiter: pd.DataFrame(columns).astype(
        dict.fromkeys(set(columns) - {ANCHOR}, "string")
    ),
    "polars": lambda columns, folder, delimiter: pl.DataFrame(columns),
    "polars lazy": lambda columns, folder, delimiter: pl.LazyFrame(columns),
    "pyarrow": lambda columns, folder, delimiter: pa.table(columns),
}


def values_of(column: Column, kind: str) -> list[Value]:
    """Return the values as a case writes them."""
    is_missing = np.zeros(len(column), dtype=bool) if column.is_missing is None else column.is_missing
    labels = column.labels or (False, True)
    values = column.values
    if kind == "date":
        shown = [
            str(moment).removesuffix(" UTC").replace(" ", "T") for moment in column.clock.moments(values)
        ]
        read = [text.removesuffix("T00:00:00") for text in shown]
    elif kind == "categorical":
        read = [str(labels[int(code)]) for code in values]
    else:
        read = values.astype(float).tolist() if kind == "numeric" else ((values - values[0]) / 1e6).tolist()
    return [None if gone else value for value, gone in zip(read, is_missing, strict=True)]


def check(table, case: Case, of_text: bool = False) -> None:
    notes = [note for note in table.notes if note.column == "messy"]
    codes = [told.code.value for note in notes for told in note.remarks]
    said = " ".join(note.text for note in notes)

    assert codes == case.codes or (of_text and codes == ["text_read", *case.codes])
    assert [word for word in case.words if word not in said] == []
    if case.kind == "aside":
        assert [note.is_set_aside for note in notes] == [True]
        return
    column = table["messy"]
    assert column.kind is (Kind.CATEGORICAL if case.kind == "categorical" else Kind.NUMERIC)
    assert (column.clock is None) == (case.kind in ("numeric", "categorical"))
    if case.kind in NAMES:
        assert column.clock.what == NAMES[case.kind]
    found = values_of(column, case.kind)
    if case.kind == "date":
        assert found == [value and value.removesuffix("T00:00:00") for value in case.values]
    elif case.kind == "categorical":
        assert found == case.values
    else:
        rtol = 0 if case.kind == "numeric" else 1e-12
        np.testing.assert_allclose(np.array(found, float), np.array(case.values, float), rtol)


def is_plain(cells) -> bool:
    """Return True if any library reads these as numbers, so that text is on purpose."""
    written = "\n".join('"x"' if cell is None else f'"{cell}"' for cell in ["messy", *cells])
    read = pd.read_csv(io.StringIO(written), na_values=["x"])["messy"]
    is_number = pd.api.types.is_numeric_dtype(read) and not pd.api.types.is_bool_dtype(read)
    return is_number and not read.isna().all()


def check_declared(table, cells) -> None:
    """Check that plain numbers as text are categories, or an identifier, and the note names the option."""
    (note,) = [note for note in table.notes if note.column == "messy"][:1]
    assert "numeric=['messy'] reads" in note.text
    if not note.is_set_aside:
        labels = values_of(table["messy"], "categorical")
        assert [label for label in labels if label is not None] == [c for c in cells if c in labels]


# Every frame becomes Arrow's columns: the quick tests try one of each library, and a file.
QUICK = ("csv", "dict", "pandas object", "polars")


@pytest.mark.parametrize(
    "door", [pytest.param(door, marks=[] if door in QUICK else pytest.mark.slow) for door in DOORS]
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_messy_column_is_read_alike_through_every_door(tmp_path, case, door):
    source = DOORS[door](with_anchor({"messy": case.cells}), tmp_path, case.delimiter)
    table = read_table(source, **case.options)

    is_asked = "numeric" in case.options or "categorical" in case.options
    if door != "csv" and not is_asked and "thousands" not in case.codes and is_plain(case.cells):
        check_declared(table, case.cells)
    else:
        check(table, case, of_text=door != "csv")


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_standard_input_is_a_door_too(monkeypatch, case):
    written = csv_of(with_anchor({"messy": case.cells}), case.delimiter)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(written.encode())))

    check(read_table("-", **case.options), case)


@pytest.mark.parametrize("case", [case for case in CASES if not case.options], ids=lambda case: case.name)
@pytest.mark.slow
def test_the_command_line_reads_as_the_library_does(tmp_path, case):
    path = as_csv(with_anchor({"messy": case.cells}), tmp_path, case.delimiter)
    shown = CliRunner().invoke(app, ["columns", str(path)])
    lines = [line.split("\t") for line in shown.stdout.splitlines()[1:]]

    assert [(line[0], line[1], int(line[4] or 0)) for line in lines] == [
        (column.name, column.kind, column.n_distinct or 0) for column in read_table(path).overview()
    ]


@pytest.mark.parametrize("door", DOORS)
def test_an_open_order_of_dates_is_that_of_the_other_columns(tmp_path, door):
    dates = {
        "start": ["14/01/2019", "03/02/2019", "28/02/2019"],
        "end": ["01/03/2019", "05/04/2019", "07/06/2019"],
    }
    table = read_table(DOORS[door](with_anchor(dates), tmp_path, ","))

    assert values_of(table["end"], "date") == ["2019-03-01", "2019-04-05", "2019-06-07"]
    assert "'end': dates with the day first, as in other columns" in map(str, table.notes)


@pytest.mark.parametrize("door", DOORS)
def test_the_same_income_gives_the_same_figure_however_it_is_written(tmp_path, rng, door):
    income = np.round(rng.gamma(2, 20_000, 60), 2)
    euros = [f"{value:,.2f}".translate(str.maketrans(",.", ".,")) for value in income]
    written = {
        "plain": [f"{value}" for value in income],
        "dollars": [f"${value:,.2f}" for value in income],
        "euros": [f"{value} €" for value in euros],
        "percent": [f"{value}%" for value in income],
        "spent": [f"{value}" for value in np.round(income * rng.uniform(0.2, 0.9, 60), 2)],
    }
    table = DOORS[door](with_anchor(written), tmp_path, ",")
    found = bc.rank(table, target="spent", drop=ANCHOR, null="moments", numeric=["plain", "spent"])

    assert found.n_pairs == 4
    assert len({pair["observed"] for pair in found}) == 1
    assert len({pair["q_value"] for pair in found}) == 1


def test_there_are_enough_cases_and_no_two_of_one_name():
    names = [case.name for case in CASES]

    assert len(names) == len(set(names)) >= 260
