"""Rows that repeat another get a note, unless rows may be alike by chance."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import Code
from tests.engine.ranking import repeated_rows
from tests.engine.settings import put


def table_of(rng, n):
    x = rng.normal(size=n)
    return {"x": x, "y": 0.2 * x + rng.normal(size=n), "group": rng.choice(list("abc"), n)}


def copied(table, rows):
    return {name: np.concatenate([values, values[rows]]) for name, values in table.items()}


def test_copies_get_a_note_and_many_of_them_a_caution(rng):
    table = table_of(rng, 300)
    few, many = (bc.rank(copied(table, np.arange(n))) for n in (6, 300))

    assert (few.notes[0].code, few.notes[0].values) == (Code.ROWS_REPEATED, {"n": 6, "n_rows": 306})
    assert "Caution" not in few.verdict()
    assert (many.notes[0].code, many.notes[0].values) == (Code.ROWS_REPEATED, {"n": 300, "n_rows": 600})
    assert many.verdict().endswith("Caution: 300 of 600 rows repeat another; copies prove nothing.")


@pytest.mark.parametrize(
    "table",
    [
        lambda rng: table_of(rng, 300),
        lambda rng: {name: rng.choice(list("abc"), 300) for name in ("p", "q", "r")},
        lambda rng: {
            "age": rng.integers(20, 60, 300),
            "sex": rng.choice(list("fm"), 300),
            "x": rng.integers(0, 3, 300),
        },
        lambda rng: copied(table_of(rng, 10), np.arange(10)),
        lambda rng: {"x": np.round(rng.normal(size=150), 1), "y": rng.choice(list("ab"), 150)},
        lambda rng: {
            "lab": np.repeat(np.arange(60), 4) % 6,
            "sample": np.repeat(np.arange(60), 4) // 6,
            "content": (np.repeat(3.0 * np.arange(60), 4) + rng.normal(0, 0.3, 240)).round(1),
        },
        lambda rng: {name: factor * (np.arange(300) % 40) for factor, name in enumerate("xyz", start=1)},
        lambda rng: {
            "rain": np.where(rng.random(300) < 0.8, 0.0, rng.normal(size=300)),
            "wind": rng.choice(list("nesw"), 300),
        },
    ],
    ids=[
        "none",
        "categories",
        "ages",
        "few rows",
        "rounded",
        "replicates",
        "functions of few values",
        "mostly 0",
    ],
)
def test_rows_that_may_be_alike_by_chance_are_not_told_of(table, rng):
    assert repeated_rows(read_table(table(rng)).columns) is None


def test_rows_that_lack_the_same_values_are_alike(rng):
    table = copied(table_of(rng, 100), np.arange(20))
    table["y"][[3, 103]] = np.nan
    table["y"][104] = np.nan

    assert repeated_rows(read_table(table).columns).note.values["n"] == 19


def test_rows_without_any_value_are_no_copies(rng):
    table = table_of(rng, 100)
    for name in ("x", "y"):
        table[name][50:] = np.nan
    table["group"] = table["group"].astype(object)
    table["group"][50:] = None

    assert repeated_rows(read_table(table).columns) is None


def test_tables_with_many_cells_are_not_compared(rng, monkeypatch):
    columns = read_table(copied(table_of(rng, 100), np.arange(20))).columns
    put(monkeypatch, most_cells_compared=119)

    assert repeated_rows(columns) is None


def cells_of(rng, levels, name="Freq"):
    """Return counts of every combination of columns with two values."""
    grid = np.array(np.meshgrid(*[np.arange(2)] * levels, indexing="ij")).reshape(levels, -1)
    table = {f"factor {k}": np.array(["no", "yes"])[column] for k, column in enumerate(grid)}
    return table | {name: rng.poisson(20 + 30 * grid[0])}


def test_cells_of_a_table_of_counts_are_no_cases(rng):
    ranking = bc.rank(cells_of(rng, 5), "factor 0")

    assert ranking.notes[0].code is Code.CELLS_COUNTED
    assert ranking.verdict().endswith("Caution: rows are 32 cells of a table that Freq counts, not cases.")
    for table in (cells_of(rng, 5, "yield"), copied(cells_of(rng, 5), np.arange(32))):
        assert not any(note.says(Code.CELLS_COUNTED) for note in bc.rank(table, "factor 0").notes)
