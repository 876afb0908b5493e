"""The lower hull of sorted p-values, beside all points in turn."""

from __future__ import annotations

import numpy as np
import pytest

from bychance import _native

KINDS = {
    "uniform": lambda rng, n: rng.random(n),
    "small": lambda rng, n: rng.random(n) ** 20,
    "tied": lambda rng, n: np.ceil(rng.random(n) * 50) / 50,
    "convex": lambda rng, n: (np.arange(1, n + 1) / n) ** 2,
    "zeros, ones, NaN": lambda rng, n: rng.choice([0.0, 1.0, np.nan, 0.3, rng.random()], size=n),
}


def all_points(p):
    """Return corners by Andrew's monotone chain over all points, of equal p-values the last."""
    p = np.sort(p[~np.isnan(p)])
    corners = []
    for rank, value in enumerate(p.tolist(), start=1):
        if rank < len(p) and p[rank] == value:
            continue
        while len(corners) > 1:
            (a, low), (b, high) = corners[-2:]
            if (high - low) * (rank - a) < (value - low) * (b - a):
                break
            corners.pop()
        corners.append((rank, value))
    return corners


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 3, 200, 140_000])
def test_corners_are_those_of_all_points(kind, n):
    p = KINDS[kind](np.random.default_rng(n), n)
    for n_threads in (1, 3):
        n_tests, ranks, values = _native.lower_hull(np.random.default_rng(1).permutation(p), n_threads)

        assert n_tests == np.count_nonzero(~np.isnan(p))
        assert list(zip(ranks.tolist(), values.tolist(), strict=True)) == all_points(p)


def test_what_is_no_p_value_is_refused():
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        _native.lower_hull(np.array([0.5, 1.5]))
