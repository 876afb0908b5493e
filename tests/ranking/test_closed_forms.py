"""The whole-table route shares what both sides of a tile have in common."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.ranking import plan_of, sides_of_blocks


def sides_of(n_columns, block_size):
    columns = {f"c{k}": np.arange(12.0) ** (1 + k / 10) for k in range(n_columns)}
    return sides_of_blocks(plan_of(columns, measure="r2", block_size=block_size))


def test_a_tile_on_the_diagonal_has_one_list_of_columns():
    (sides,) = sides_of(9, 1_000)

    assert sides.x is sides.y
    assert [sides.x[k].name for k in sides.first[:3]] == ["c0"] * 3
    assert [sides.y[k].name for k in sides.second[:3]] == ["c1", "c2", "c3"]


def test_a_tile_beside_the_diagonal_has_two_short_lists():
    for sides in sides_of(9, 9):
        if sides.x is not sides.y:
            assert len(sides.x) + len(sides.y) <= 6


def two_valued_table(rng, n, *, as_labels):
    """Draw columns of two values with gaps, and one of three with two on the rows shared with another."""
    shares = enumerate([0.45, 0.1, 0.05, 0.4])
    columns = {f"c{k}": rng.permutation(np.arange(n) < share * n).astype(float) for k, share in shares}
    columns["c3"][: n // 5] = np.nan
    columns["third"] = np.where(np.arange(n) < n // 5, 7.0, columns["c0"])
    if as_labels:
        return {k: [None if np.isnan(v) else f"v{v:g}" for v in c] for k, c in columns.items()}
    return columns


@pytest.mark.parametrize("measure", ["r2", "spearman", "explained", "gini", "phi2", "mi"])
@pytest.mark.parametrize("null", ["auto", "moments"])
@pytest.mark.parametrize("n", [60, 700])
def test_columns_of_two_values_have_their_exact_law_in_whole_tables(measure, null, n, rng):
    table = two_valued_table(rng, n, as_labels=measure in ("gini", "phi2", "mi"))
    rows = bc.rank(table, measure=measure, null=null).best()

    for row in rows:
        alone = bc.adjust(measure, table[row["x"]], table[row["y"]], null=null)
        if not row["n_resamples"]:
            assert (row["engine"], row["n"]) == (alone.null.engine, alone.n)
            assert row["p_value"] == pytest.approx(alone.p_value, rel=1e-9)
            assert row["adjusted_at"] == pytest.approx(alone.adjusted_at(0.05), abs=1e-10)
        if "third" not in (row["x"], row["y"]):
            assert row["engine"] == "exact tables"


@pytest.mark.parametrize("missing", [False, True])
def test_no_p_value_of_a_whole_table_is_below_one_arrangement(missing, rng):
    """Thirty rows of three values, 20, 5 and 5 of each: 7.6e9 arrangements, whatever the other column is."""
    x = np.repeat([0.0, 1.0, 2.0], [20, 5, 5])
    table = {"x": x, "y": np.where(x == 0, rng.random(30), 1e6 * x)}
    if missing:
        table = {name: np.append(column, np.nan) for name, column in table.items()}
    (row,) = bc.rank(table, measure="r2", null="moments").best()

    assert row["p_value"] == pytest.approx(bc.adjust("r2", table["x"], table["y"], null="moments").p_value)
    assert row["p_value"] >= 1 / 7_571_343_780 - 1e-16
