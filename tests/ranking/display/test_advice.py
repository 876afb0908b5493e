"""Remarks on displayed pairs: shapes that a line does not see, columns with a category per row."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.ranking import summarize


@pytest.fixture
def shapes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    noise = rng.normal(size=(2, 200))
    return {
        "x": x,
        "square": x**2 + 0.1 * noise[0],
        "growth": np.exp(2 * x),
        "line": x + noise[1],
        "noise": noise[0],
    }


def advice(table, **options):
    return [
        line for line in summarize(bc.rank(table, null="moments", **options), 30).remarks if "shape" in line
    ]


def test_shapes_that_a_line_does_not_see_are_told(shapes):
    told = advice(shapes, target="x")

    assert [line.split(":")[0] for line in told] == ["growth", "square"]
    assert "try spearman" in told[0]
    assert "ranks explain 100%" in told[0]
    assert "try shape" in told[1]


def test_pairs_are_named_by_both_columns(shapes):
    assert any(line.startswith("x ↔ square: another shape") for line in advice(shapes))


@pytest.mark.parametrize("measure", ["spearman", "xi", "dcor"])
def test_measures_of_other_shapes_need_no_such_advice(shapes, measure):
    assert advice(shapes, measure=measure) == []


def test_noise_of_few_rows_is_no_other_shape():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        assert advice({name: rng.normal(size=25) for name in "ab"}) == []


def test_ranks_of_noise_are_no_other_shape():
    rng = np.random.default_rng(0)

    assert advice({f"c{k}": rng.normal(size=20) for k in range(12)}) == []


def test_a_line_that_explains_most_of_a_split_needs_no_advice(rng):
    x = rng.uniform(-1, 1, 200)
    middle = (np.abs(x) < 0.5).astype(float)

    assert "shape" not in str(bc.rank({"x": x, "y": x + 0.1 * rng.normal(size=200)}))
    assert "another shape: it explains" in str(bc.rank({"x": x, "y": middle}))


def test_a_category_for_almost_every_row_carries_a_caution():
    rng = np.random.default_rng(0)
    names = [f"name {k}" for k in range(58)] + ["name 0", "name 1", "name 2", "name 3", "name 4"]
    race = np.where(np.arange(63) % 3 == 0, "u", "v")
    race[58:] = race[:5]
    table = bc.read_table({"name": names, "race": race, "age": rng.normal(size=63)}, categorical="name")
    ranking = bc.rank(table, target="race")
    record = next(r for r in ranking.best() if r["x"] == "name")

    assert record["adjusted"] == pytest.approx(1)
    assert any(line.startswith("name: caution: chance alone gives 9") for line in summarize(ranking).remarks)
    assert not any(line.startswith("age: ") for line in summarize(ranking).remarks)
