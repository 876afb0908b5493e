"""Sampled pairs of numeric columns: the kernels make many of them as the stages of a single pair do."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.measures import registry
from bychance.pair import prepare_pair
from tests.engine.nulls import null_of

DRAWS = bc.Permutation(599)


def _table():
    rng = np.random.default_rng(3)
    values = rng.lognormal(size=(40, 6))
    values[:, 2] = np.round(values[:, 2])
    values[rng.random(values.shape) < 0.15] = np.nan
    # Constant on the rows that it shares with column 1, and numbers that no float holds apart.
    values[:, 5] = np.where(np.isnan(values[:, 1]), values[:, 5], 1.0)
    columns = {f"c{k}": values[:, k] for k in range(6)}
    return bc.read_table({**columns, "big": 2**60 + rng.integers(0, 9, size=40), "small": np.arange(40)})


@pytest.mark.filterwarnings("ignore:.*too few")
@pytest.mark.parametrize("name", ["r2", "spearman", "explained"])
def test_many_pairs_get_what_each_gets_alone(name):
    table, measure = _table(), registry.resolve(name)
    for row in bc.rank(table, measure=name, null=DRAWS, min_n=5).top(100).to_pylist():
        pair = prepare_pair(measure, *(table[key] for key in sorted((row["x"], row["y"]))))
        assert row["n"] == pair.n
        assert row["observed"] == pair.observed
        if pair.is_degenerate:
            continue
        null = null_of(DRAWS, pair)
        assert row["null_mean"] == pytest.approx(null.mean, rel=1e-14)
        assert row["p_value"] == null.sf(pair.observed)
        assert row["sign"] == measure.sign(pair.x, pair.y)


def test_a_pair_constant_on_its_rows_is_said_to_be():
    rows = bc.rank(_table(), measure="r2", null=DRAWS, min_n=5).top(100).to_pylist()
    row = next(row for row in rows if {row["x"], row["y"]} == {"c1", "c5"})
    assert "constant" in row["note"]


def test_adaptive_draws_go_on_where_the_first_ones_ended():
    rng = np.random.default_rng(4)
    x = rng.lognormal(size=60)
    table = bc.read_table({"x": x, **{f"y{k}": rng.lognormal(size=60) + 0.35 * x for k in range(6)}})
    adaptive = bc.rank(table, target="x", measure="r2", null=bc.Auto(tails="none"))
    for row in adaptive.top(10).to_pylist():
        columns = (table[key] for key in sorted((row["x"], row["y"])))
        pair = prepare_pair(registry.resolve("r2"), *columns)
        fixed = null_of(bc.Permutation(row["n_resamples"]), pair)
        assert row["p_value"] == fixed.sf(row["observed"])
