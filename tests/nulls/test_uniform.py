"""Figures that all pairs share are worked out once, and give the laws that one figure per pair gives."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from bychance import _native
from bychance.nulls.laws import Laws
from bychance.nulls.matching import match_traces
from bychance.nulls.uniform import spread


def lines(rng, n, power):
    """Invariants of normal columns, each value raised to a power that makes them skewed."""
    values = rng.standard_normal((20, n))
    values = np.sign(values) * np.abs(values) ** power + (power - 1) * values**2
    values -= values.mean(axis=1, keepdims=True)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return np.array([_native.line_invariants(row) for row in values])


@pytest.mark.parametrize("is_whole_table", [False, True])
@pytest.mark.parametrize("power", [1.0, 1.01, 1.03, 1.1, 1.5])
@pytest.mark.parametrize("n", [11, 14, 20, 40, 150, 400])
@pytest.mark.parametrize("alike", [1, 8])
def test_pairs_of_as_many_rows_have_the_laws_of_one_at_a_time(n, power, alike, is_whole_table):
    rng = np.random.default_rng([n, int(100 * power)])
    x, y = lines(rng, n, power), lines(rng, n, power)
    first, second = (places.ravel() for places in np.indices((20, 20)))
    # A view of one number against one number per pair.
    for_all = {
        "n": np.broadcast_to(np.int64(n), first.shape),
        "x_distinct": spread(np.full(20, 10), first),
        "y_distinct": spread(np.full(20, 10), second),
        "others": (spread(np.full(20, n - alike), first),) * 2,
    }
    for_each = {name: np.array(value) for name, value in for_all.items() if name != "others"}
    for_each["others"] = tuple(np.array(some) for some in for_all["others"])
    found, expected = (
        match_traces(
            **counts,
            x_invariants=x,
            y_invariants=y,
            scale=1.0,
            law="beta",
            upper=1.0,
            at=(first, second),
            is_whole_table=is_whole_table,
        )
        for counts in (for_all, for_each)
    )
    for field in fields(Laws):
        np.testing.assert_array_equal(
            getattr(found, field.name), getattr(expected, field.name), err_msg=field.name
        )
