"""Tables for rankings: mixed kinds, gaps, ties, constants."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo


def make_table(seed=0, n=60):
    """Draw numbers with gaps and ties, labels, a boolean, a constant, and a mostly missing column."""
    rng = np.random.default_rng(seed)
    a, group = rng.normal(size=n), rng.choice(list("uvw"), size=n)
    columns = {
        "a": a,
        "b": a + rng.normal(size=n),
        "c": np.round(rng.normal(size=n), 1),
        "skewed": rng.pareto(1.2, size=n),
        "group": group.astype(object),
        "coin": rng.random(n) < 0.4,
        "letters": rng.choice(list("pqrstxyz"), size=n).astype(object),
        "constant": np.ones(n),
        "rare": rng.normal(size=n),
    }
    for name, share in [("b", 0.2), ("c", 0.1), ("skewed", 0.3), ("letters", 0.15)]:
        gaps = rng.random(n) < share
        columns[name] = np.where(gaps, None if columns[name].dtype == object else np.nan, columns[name])
    columns["rare"][8:] = np.nan
    return columns


@pytest.fixture
def table():
    return make_table()


@pytest.fixture(scope="session")
def harvest():
    """Rank the demo's columns against its target, with all defaults."""
    return bc.rank(make_demo(), target="yield")


@pytest.fixture(scope="session")
def demo_pairs():
    """Rank all pairs of the demo by exact moments."""
    return bc.rank(make_demo(), null="moments")


def records(ranking):
    """Return the rows of a ranking by their pair."""
    return {(row["x"], row["y"]): row for row in ranking.best()}
