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
from tests.io.messy import dates, labels, more, numbers, rules
from tests.io.messy.case import Case, Read, Value

CASES = [*numbers.CASES, *dates.CASES, *labels.CASES, *more.CASES, *rules.CASES]
ANCHOR = "anchor"  # a clean column, so that something is left where the messy one is set aside


def columns_of(case: Case) -> dict[str, list[str | None] | list[int]]:
    n_rows = len(next(iter(case.columns.values())))
    anchor = [(7 * k * k) % 101 for k in range(n_rows)]
    return {**{name: list(cells) for name, cells in case.columns.items()}, ANCHOR: anchor}


def csv_of(case: Case) -> str:
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=case.delimiter)
    columns = columns_of(case)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    return written.getvalue()


def as_csv(case, folder):
    (folder / "t.csv").write_text(csv_of(case), encoding="utf-8", newline="")
    return folder / "t.csv"


def as_parquet(case, folder):
    parquet.write_table(pa.table(columns_of(case)), folder / "t.parquet")
    return folder / "t.parquet"


DOORS = {
    "csv": as_csv,
    "parquet": as_parquet,
    "dict": lambda case, folder: columns_of(case),
    "pandas object": lambda case, folder: pd.DataFrame(columns_of(case), dtype=object),
    "pandas string": lambda case, folder: pd.DataFrame(columns_of(case)).astype(
        dict.fromkeys(case.columns, "string")
    ),
    "polars": lambda case, folder: pl.DataFrame(columns_of(case)),
    "polars lazy": lambda case, folder: pl.LazyFrame(columns_of(case)),
    "pyarrow": lambda case, folder: pa.table(columns_of(case)),
}


def values_of(column: Column, kind: str) -> list[Value]:
    """The values as a case writes them."""
    is_missing = np.zeros(len(column), dtype=bool) if column.is_missing is None else column.is_missing
    if kind == "date":
        assert column.clock is not None
        shown = [
            str(moment).removesuffix(" UTC").replace(" ", "T")
            for moment in column.clock.moments(column.values)
        ]
        return [None if gone else text for text, gone in zip(shown, is_missing, strict=True)]
    if kind.startswith(("times", "spans")):
        assert column.clock is not None
        assert column.clock.what == kind
        since_first = (column.values - column.values[0]) / 1e6
        return [None if gone else float(k) for k, gone in zip(since_first, is_missing, strict=True)]
    if kind == "numeric":
        return [None if gone else float(value) for value, gone in zip(column.values, is_missing, strict=True)]
    labels = column.labels or (False, True)
    return [None if gone else labels[int(code)] for code, gone in zip(column.values, is_missing, strict=True)]


def without_midnight(values):
    return [None if value is None else value.removesuffix("T00:00:00") for value in values]


def check(table, name: str, read: Read, of_text: str = "") -> None:
    notes = [note for note in table.notes if note.column == name]
    if read.kind == "aside":
        assert [note.is_set_aside for note in notes] == [True]
    else:
        column = table[name]
        assert column.kind is (Kind.CATEGORICAL if read.kind == "categorical" else Kind.NUMERIC)
        assert (column.clock is not None) == (read.kind not in ("numeric", "categorical"))
        found, expected = values_of(column, read.kind), list(read.values)
        if read.kind == "date":
            found, expected = without_midnight(found), without_midnight(expected)
        if read.kind not in ("date", "categorical"):
            np.testing.assert_array_equal(np.array(found, dtype=float), np.array(expected, dtype=float))
        else:
            assert found == expected
    said = " ".join(note.text for note in notes)
    assert [word for word in read.notes if word not in said] == []
    if read.is_silent:
        assert said.removeprefix(of_text) in ("", *(("dates", "times", "numbers") if of_text else ()))


def is_plain(cells) -> bool:
    """Any library reads these as numbers by itself: where they come as text, someone wants it so."""
    written = "\n".join('"x"' if cell is None else f'"{cell}"' for cell in ["messy", *cells])
    read = pd.read_csv(io.StringIO(written), na_values=["x"])["messy"]
    is_number = pd.api.types.is_numeric_dtype(read) and not pd.api.types.is_bool_dtype(read)
    return is_number and not read.isna().all()


def check_declared(table, name: str, cells) -> None:
    """Plain numbers that come as text are categories, or an identifier, and the note names the way out."""
    (note,) = [note for note in table.notes if note.column == name][:1]
    assert f"numeric=[{name!r}] reads" in note.text
    if not note.is_set_aside:
        labels = values_of(table[name], "categorical")
        assert [label for label in labels if label is not None] == [c for c in cells if c in labels]


# Every frame becomes Arrow's columns: the quick tests try one of each library, and a file.
QUICK = ("csv", "dict", "pandas object", "polars")


@pytest.mark.parametrize(
    "door", [pytest.param(door, marks=[] if door in QUICK else pytest.mark.slow) for door in DOORS]
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_messy_table_is_read_alike_through_every_door(tmp_path, case, door):
    table = read_table(DOORS[door](case, tmp_path), **case.options)

    for name, read in case.reads.items():
        is_asked = name in [*case.options.get("numeric", ()), *case.options.get("categorical", ())]
        is_amount = any("thousands" in note for note in read.notes)
        if door != "csv" and not is_asked and not is_amount and is_plain(case.columns[name]):
            check_declared(table, name, case.columns[name])
        else:
            check(table, name, read, of_text="" if door == "csv" else "text read as ")


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_standard_input_is_a_door_too(monkeypatch, case):
    stream = SimpleNamespace(buffer=io.BytesIO(csv_of(case).encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    table = read_table("-", **case.options)

    for name, read in case.reads.items():
        check(table, name, read)


@pytest.mark.parametrize("case", [case for case in CASES if not case.options], ids=lambda case: case.name)
@pytest.mark.slow
def test_the_command_line_reads_as_the_library_does(tmp_path, case):
    path = as_csv(case, tmp_path)
    shown = CliRunner().invoke(app, ["columns", str(path)])
    lines = [line.split("\t") for line in shown.stdout.splitlines()[1:]]

    assert [(line[0], line[1], int(line[4] or 0)) for line in lines] == [
        (column.name, column.kind, column.n_distinct or 0) for column in read_table(path).overview()
    ]


@pytest.mark.parametrize("door", DOORS)
def test_the_same_income_gives_the_same_figure_however_it_is_written(tmp_path, rng, door):
    income = np.round(rng.gamma(2, 20_000, 60), 2)
    written = {
        "plain": [f"{value}" for value in income],
        "dollars": [f"${value:,.2f}" for value in income],
        "euros": [f"{numbers.grouped(value, '.', ',')} €" for value in income],
        "percent": [f"{value}%" for value in income],
        "spent": [f"{value}" for value in np.round(income * rng.uniform(0.2, 0.9, 60), 2)],
    }
    table = DOORS[door](Case("incomes", written, {}), tmp_path)
    found = bc.rank(table, target="spent", drop=ANCHOR, null="moments", numeric=["plain", "spent"])

    assert found.n_pairs == 4
    assert len({pair["observed"] for pair in found}) == 1
    assert len({pair["q_value"] for pair in found}) == 1


def test_there_are_enough_cases_and_no_two_of_one_name():
    names = [case.name for case in CASES]

    assert len(names) == len(set(names)) >= 90
