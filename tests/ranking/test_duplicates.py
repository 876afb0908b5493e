"""Columns that say the same: which pairs are marked, and what is folded."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.ranking.conftest import records


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "mic", "dcor"])
def test_near_duplicates_are_marked_whatever_the_measure(rng, measure):
    x = rng.normal(size=120)
    columns = {"x": x, "y": x + 0.005 * rng.normal(size=120), "z": x + rng.normal(size=120)}
    rows = records(bc.rank(columns, measure=measure, null=bc.Permutation(99)))

    assert "near-duplicates" in rows["x", "y"]["note"]
    assert "near-duplicates" not in rows["x", "z"]["note"]


def test_near_duplicates_are_marked_and_folded(rng):
    celsius, noise = rng.normal(size=50), rng.normal(size=50)
    labels = rng.choice(list("abc"), size=50)
    columns = {
        "celsius": celsius,
        "fahrenheit": celsius * 1.8 + 32,
        "noise": noise,
        "label": labels,
        "LABEL": np.char.upper(labels),
    }
    ranking = bc.rank(columns, null="moments")
    marked = {(r["x"], r["y"]) for r in ranking.best() if "near-duplicates" in r["note"]}
    shown = {tuple(pair) for pair in zip(*(ranking.top(100)[k].to_pylist() for k in "xy"), strict=True)}

    assert marked == {("celsius", "fahrenheit"), ("label", "LABEL"), ("LABEL", "label")}
    assert ranking.n_duplicates == 3
    assert not marked & shown
    assert marked <= {tuple(p) for p in zip(*(ranking.to_frame()[k].to_pylist() for k in "xy"), strict=True)}


def test_a_curve_is_no_duplicate():
    x = np.linspace(-1, 1, 60)
    row = next(bc.rank({"x": x, "y": x**2}, measure="mic", null=bc.Permutation(19)).best())

    assert (row["observed"], row["note"]) == (1.0, "")
