"""Blocks of which only the best rows are wanted: pairs that are looked at closer, and those left aside."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.columns import Column
from bychance.kinds import Kind
from tests.engine.ranking import ranked
from tests.engine.statistics import nulls_of, screened


def table(rng, n=90):
    """Draw normal, related, skewed, tied, two-valued, rare, constant and near-duplicate columns."""
    normal = rng.standard_normal((12, n))
    normal[3] += normal[4]
    columns = {f"n{k}": values for k, values in enumerate(normal)}
    columns |= {f"e{k}": np.exp(2 * values) for k, values in enumerate(rng.standard_normal((4, n)))}
    columns |= {f"t{k}": rng.integers(0, 4, n).astype(float) for k in range(3)}
    columns |= {f"b{k}": (rng.random(n) < share).astype(float) for k, share in enumerate((0.5, 0.4, 0.04))}
    columns["one"] = np.full(n, 3.0)
    columns["far"] = 1e9 + 1e-4 * normal[5]
    columns["twin"] = normal[0] + 1e-6 * normal[1]
    return columns


@pytest.mark.parametrize("by", ["adjusted_at", "adjusted", "standardized", "observed", "p_value"])
@pytest.mark.parametrize("null", ["auto", "moments"])
@pytest.mark.parametrize("measure", ["r2", "spearman"])
@pytest.mark.slow
def test_the_best_rows_are_those_of_the_whole_ranking(measure, null, by, rng):
    null = bc.Auto(tails="none") if null == "auto" else null
    data, options = table(rng), {"measure": measure, "null": null, "by": by, "block_size": 40}
    whole = ranked(data, **options).to_pandas()
    best = ranked(data, **options, top=15).to_pandas()

    assert best.equals(whole.iloc[: len(best)].reset_index(drop=True))
    assert len(best) >= 15


@pytest.mark.parametrize("null", ["auto", "moments"])
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_p_values_are_those_of_the_rows(measure, null, rng):
    """Bit by bit, wherever a pair is left aside."""
    values = list(table(rng).values())
    columns = [Column(f"c{k}", Kind.NUMERIC, v, None) for k, v in enumerate(values)]
    first, second = (places.astype(np.intp) for places in np.triu_indices(len(columns), 1))
    found = screened(measure, columns, first, second, null=null, top=5, close=0.9)
    p_values = found.p_values
    aside = np.setdiff1d(np.flatnonzero(~np.isnan(p_values)), found.wanted)
    known = nulls_of(measure, columns, first[aside], second[aside], null)

    assert len(aside) > 50
    assert np.array_equal(known.at, np.arange(len(aside)))
    assert np.array_equal(known.p_value, p_values[aside])


@pytest.mark.parametrize("n", [12, 20])
def test_few_rows_are_left_to_exact_laws(n, rng):
    columns = [Column(f"c{k}", Kind.NUMERIC, v, None) for k, v in enumerate(rng.standard_normal((3, n)))]

    assert screened("r2", columns, np.array([0, 0, 1]), np.array([1, 2, 2]), top=1, close=0.9) is None
