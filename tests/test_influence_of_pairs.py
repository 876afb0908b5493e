"""Standard errors over pairs of rows: those of a jackknife that leaves out each row by hand."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.influence import distance_correlation_error, kendall_error

N = 30


def make_pair(*, is_tied):
    x, noise = np.random.default_rng(3).normal(size=(2, N))
    columns = np.stack([x, 0.8 * x + noise])
    return np.round(columns) if is_tied else columns


def jackknife(measure, x, y, scale):
    without = [scale(bc.measure(measure, np.delete(x, k), np.delete(y, k))) for k in range(N)]
    return np.sqrt((N - 1) * np.var(without))


@pytest.mark.parametrize("is_tied", [False, True])
def test_errors_of_kendall_are_those_of_leaving_out_each_row(is_tied):
    x, y = make_pair(is_tied=is_tied)

    assert kendall_error(x, y).size == pytest.approx(
        jackknife("kendall", x, y, lambda v: np.arctanh(np.sqrt(v)))
    )


@pytest.mark.parametrize("is_tied", [False, True])
def test_errors_of_the_distance_correlation_are_those_of_leaving_out_each_row(is_tied):
    x, y = make_pair(is_tied=is_tied)

    assert distance_correlation_error(x, y).size == pytest.approx(jackknife("dcor", x, y, float))
