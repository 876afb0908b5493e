"""Functions of the user's own: whatever they do to their arguments, only their result counts."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc


def distance(x, y):
    """Compute a measure that sorts nothing: the oracle of the one below."""
    return float(np.mean(np.abs(np.sort(x)[::-1] - y))) / 10


def distance_in_place(x, y):
    x.sort()
    x[:] = x[::-1].copy()
    y -= x
    np.abs(y, out=y)
    return float(y.mean()) / 10


def test_a_function_that_overwrites_its_arguments_gets_the_same_result(rng):
    x, y = rng.normal(size=(2, 30))
    first, second = (
        bc.adjust(function, x, y, null=bc.Permutation(99)) for function in (distance, distance_in_place)
    )

    assert bc.measure(distance_in_place, x, y) == bc.measure(distance, x, y) == first.observed
    for name in ("observed", "p_value", "adjusted", "standardized"):
        assert getattr(second, name) == getattr(first, name)


@pytest.mark.parametrize("dtype", [np.float64, object])
def test_the_caller_s_arrays_stay_as_they_were(rng, dtype):
    x, y = rng.normal(size=(2, 30))
    given = x.astype(dtype), y.astype(dtype)
    bc.adjust(distance_in_place, *given, null=bc.Permutation(9))

    np.testing.assert_array_equal(given[0], x.astype(dtype))
    np.testing.assert_array_equal(given[1], y.astype(dtype))


def test_the_pairs_of_a_ranking_do_not_spoil_each_other(rng):
    columns = {name: rng.normal(size=30) for name in "abcd"}
    first, second = (
        bc.rank(columns, measure=function, null=bc.Permutation(19))
        for function in (distance, distance_in_place)
    )

    for mine, theirs in zip(first.best(), second.best(), strict=True):
        assert {k: v for k, v in mine.items() if k != "measure"} == {
            k: v for k, v in theirs.items() if k != "measure"
        }


def test_read_only_columns_reach_the_function_writable(rng):
    x, y = rng.normal(size=(2, 30))
    x.flags.writeable = y.flags.writeable = False

    assert bc.measure(distance_in_place, x, y) == bc.measure(distance, x, y)
