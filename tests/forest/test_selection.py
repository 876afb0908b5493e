"""Shares of root splits among columns of noise."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.columns import Column
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.forest.tables import table_of

N_GROW, N_ORDER, LEVELS = 200, 100, (2, 5, 20, 50)


def noise_columns(rng, n):
    columns = [
        Column("number", Kind.NUMERIC, rng.standard_normal(n), None),
        Column("five", Kind.NUMERIC, rng.integers(0, 5, n) * 1.0, None),
    ]
    for levels in LEVELS:
        codes = rng.integers(0, levels, n).astype(np.int32)
        columns.append(Column(f"labels{levels}", Kind.CATEGORICAL, codes, None, tuple(range(levels))))
    return columns


def root_features(rng, n_tables, n_classes=2, **options):
    n = N_GROW + N_ORDER
    settings = GrowSettings(
        **{"max_features": 6, "max_depth": 1, "n_grow": N_GROW, "n_order": N_ORDER} | options
    )
    counts = np.zeros(6)
    for k in range(n_tables):
        y = rng.integers(0, n_classes, n).astype(np.int32)
        tree = grow_tree(Training(table_of(noise_columns(rng, n)), y, n_classes), settings, (k, 5))
        counts[tree.node(0).feature] += 1
    return counts / n_tables


@pytest.mark.statistical
@pytest.mark.parametrize("split", ["multiway", "ordered"])
def test_fair_is_fair_where_all_columns_are_split_alike(split, rng):
    """Shares of six columns of noise are within 22% of 1/6."""
    shares = root_features(rng, 6000, criterion="fair", categorical_split=split)

    assert shares * 6 == pytest.approx(1, abs=0.10 + 0.12)


@pytest.mark.statistical
@pytest.mark.parametrize("n_classes", [2, 4])
def test_fair_is_fair_to_rows_drawn_several_times(n_classes, rng):
    """Shares are within 10% of 1/6 and four standard errors. Without the rule 50 labels win 4.5 times."""
    shares = root_features(rng, 3000, n_classes, criterion="fair", n_grow=270, n_order=60, bootstrap=True)

    assert shares * 6 == pytest.approx(1, abs=0.10 + 0.16)


@pytest.mark.statistical
def test_other_criteria_prefer_what_they_are_known_to(rng):
    """Gini prefers the column of most categories, SGini and AGini the number with a searched cut."""
    gini = root_features(rng, 300, criterion="gini", categorical_split="multiway")
    sgini = root_features(rng, 300, criterion="sgini", categorical_split="multiway")
    agini = root_features(rng, 300, criterion="agini", categorical_split="multiway")

    assert gini[5] > 0.98
    assert 0.65 < sgini[0] < 0.85
    assert agini[0] > 0.9
