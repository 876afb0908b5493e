"""Ties of each column, left out if arrangements are too many to matter."""

from __future__ import annotations

import numpy as np

from bychance.columns import log_ties, most_alike, rows_alike
from bychance.read_column import read_column
from tests.engine.statistics import ties_of


def columns_of(rng, n):
    holed = rng.standard_normal(n).round(1)
    holed[::3] = np.nan
    values = [rng.standard_normal(n), rng.standard_normal(n).round(), np.arange(n) % 2.0, holed]
    return [read_column(some, f"c{k}") for k, some in enumerate(values)]


def test_rows_alike_are_those_of_each_column():
    columns = columns_of(np.random.default_rng(0), 50)

    assert rows_alike(columns).tolist() == [most_alike(column) for column in columns]


def test_ties_count_where_arrangements_are_few():
    columns = columns_of(np.random.default_rng(0), 50)
    ties = ties_of(columns)

    assert ties.tolist() == [log_ties(column) for column in columns]


def test_ties_of_many_rows_do_not_count_but_for_two_values():
    columns = columns_of(np.random.default_rng(0), 1000)

    np.testing.assert_array_equal(ties_of(columns) > 0, [False, False, True, False])
