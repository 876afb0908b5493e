"""Every column but q_value and rank is the same whatever else is in the table and whoever computes it."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.ranking import ranked
from tests.ranking.conftest import make_table, records

pytestmark = pytest.mark.filterwarnings("ignore:.* permutations are too few")
EXACT = [("auto", "moments"), ("spearman", "moments"), ("mi", "moments"), ("r2", "paper")]
SAMPLED = [("auto", "auto"), ("mic", bc.Permutation(49)), ("kendall", bc.Permutation(49))]
NUMBERS = ["n", "sign", "observed", "adjusted", "standardized", "adjusted_at", "p_value", "null_mean"]


@pytest.fixture(params=EXACT + SAMPLED, ids=str)
def options(request):
    return {"measure": request.param[0], "null": request.param[1]}


def assert_same(first, second, *, names=None, rel=0.0):
    """Compare pairs and figures, to `rel` if matrix products may round otherwise."""
    for pair, row in first.items():
        other = second[pair] if pair in second else second[pair[::-1]]
        assert (row["engine"], row["note"], row["n_resamples"]) == (
            other["engine"],
            other["note"],
            other["n_resamples"],
        )
        for name in names or NUMBERS:
            if row[name] is None:
                assert other[name] is None
            else:
                assert row[name] == pytest.approx(other[name], rel=rel, abs=rel), (pair, name)


def test_on_the_number_of_jobs_nothing_depends(table, options):
    one = ranked(table, **options, block_size=7)
    two = ranked(table, **options, block_size=7, n_jobs=2)

    assert one.to_frame().equals(two.to_frame())


def test_on_the_block_size_nothing_depends(table, options):
    assert_same(records(ranked(table, **options, block_size=5)), records(ranked(table, **options)), rel=1e-10)


def test_on_the_order_of_columns_nothing_depends(table, options):
    turned = dict(reversed(table.items()))

    assert_same(records(ranked(table, **options)), records(ranked(turned, **options)), rel=1e-10)


def test_on_other_columns_nothing_depends(table, options):
    few = {name: table[name] for name in ("a", "b", "skewed", "group", "letters")}

    assert_same(records(ranked(few, **options)), records(ranked(table, **options)), rel=1e-10)


@pytest.mark.parametrize(("measure", "null"), EXACT)
def test_on_the_order_of_rows_exact_nulls_do_not_depend(measure, null):
    table = make_table(1, n=120)
    order = np.random.default_rng(2).permutation(120)
    shuffled = {name: values[order] for name, values in table.items()}
    found = [records(bc.rank(t, measure=measure, null=null)) for t in (table, shuffled)]

    assert_same(*found, rel=1e-10)


def test_the_seed_decides_about_samples(table):
    options = {"measure": "mic", "null": bc.Permutation(49)}
    first, again, other = (ranked(table, **options, rng=seed).to_frame() for seed in (1, 1, 2))

    assert first.equals(again)
    assert not first.equals(other)
