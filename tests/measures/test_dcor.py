"""Distance correlation: the invariants of a variable, found in one pass over its sorted values."""

import numpy as np
import pytest

from bychance.kinds import Role
from bychance.measures import registry


@pytest.mark.parametrize("draw", ["normal", "cauchy", "tied", "two groups", "one row in a hundred"])
def test_invariants_are_those_of_the_whole_matrix(draw, rng):
    n, x = 600, rng.standard_normal(600)
    x = {
        "normal": x,
        "cauchy": rng.standard_cauchy(n) ** 3,
        "tied": x.round(),
        "two groups": x + 1e6 * (np.arange(n) % 2),
        "one row in a hundred": np.where(np.arange(n) % 100 == 7, x, 0.0),
    }[draw]
    prepared = registry.resolve("dcor").prepare(x, Role.X)
    a = np.abs(prepared.values[:, None] - prepared.values)
    rows = a.sum(axis=1) / (n - 2)
    u = a - rows[:, None] - rows + a.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(u, 0.0)
    u /= np.sqrt((u**2).sum())

    expected = [0, 1, ((u @ u) * u).sum(), 0, 0, 0, 0, (u**3).sum()]
    np.testing.assert_allclose(prepared.invariants, expected, rtol=1e-11, atol=1e-15)
