"""The level of auto's p-values: a smaller version of docs/levels.md, which `make levels` regenerates."""

from __future__ import annotations

import numpy as np
import pytest
from tools.levels import designs_of, run_cell

import bychance as bc
from bychance.nulls.choose import Auto

MEASURES = [
    "explained", "r2", "spearman", "kendall", "xi", "dcor", "hsic", "eta2",
    "gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement",
]  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize("measure", MEASURES)
def test_auto_keeps_its_level(measure):
    """P(p ≤ 0.05) under independence is at most 6%, and at least 4% where the null is continuous.

    400 data sets a cell, so four standard errors of that many are allowed for.
    """
    cells = [
        run_cell(measure, index, 20 if index % 2 else 50, 400, Auto(n_resamples=199), seed=7)
        for index in range(len(designs_of(measure)))
    ]

    assert [f"{c.design.name}, n = {c.n}: {c.level}" for c in cells if not c.is_right] == []


@pytest.mark.statistical
@pytest.mark.parametrize("measure", MEASURES)
def test_auto_keeps_its_level_given_the_margins(measure, rng):
    """On fixed columns, 8,000 re-pairings exceed the 95% point of the null in 8% of cases at most.

    There is no noise between data sets here, so this catches a law that fails on one kind of data. A
    matched law may miss its level on single columns by more than it does on average; 8% bounds that.
    """
    too_often = []
    for design in designs_of(measure):
        for n in (40, 120):
            x, y = design.x(rng, n), design.y(rng, n)
            chosen = bc.adjust(measure, x, y, null=Auto(n_resamples=1_999)).null
            if chosen.is_degenerate:
                continue
            draws = bc.adjust(measure, x, y, null=bc.Permutation(8_000), rng=99).null.draws
            level = np.mean([chosen.sf(value) <= 0.05 for value in draws])
            if level > 0.08:
                too_often.append(f"{design.name}, n = {n}: {level} by {chosen.engine}")

    assert too_often == []


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_designs(measure):
    assert len(designs_of(measure)) >= 5


def test_moments_notes_where_its_level_is_approximate(rng):
    """One joint outlier: the matched law is kept, and says that it is only approximate."""
    x, y = rng.standard_cauchy((2, 100))
    kept, chosen = bc.adjust("r2", x, y, null="moments"), bc.adjust("r2", x, y)

    assert "level is approximate" in kept.null.reason
    assert chosen.null.engine == "permutation"
    assert "outliers" in chosen.null.reason
