"""Spearman's ρ² of many pairs against ρ² of one: any ties, any pattern of missing values."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bychance import _native
from bychance.measures.explained import Spearman
from bychance.read_column import read_column
from tests.engine.settings import put
from tests.engine.statistics import statistics_of
from tests.ranking.line_pairs import (
    all_pairs,
    assert_agrees,
    assert_same_rows,
    columns_of,
    upper_pairs,
)

rank_rows = partial(statistics_of, Spearman())

KINDS = {
    "continuous": lambda z: z,
    "monotone": lambda z: np.exp(20 * z),
    "rounded": lambda z: np.round(z, 1),
    "one tie": lambda z: np.where(np.arange(len(z)) == 1, z[0], z),
    "three values": lambda z: np.sign(np.round(z)),
    "mostly zero": lambda z: np.where(z > 1.5, z, 0.0),
    "booleans": lambda z: z > 0.5,
    "integers": lambda z: np.round(3 * z).astype(np.int16),
    "integers beyond float64": lambda z: 2**62 + np.round(3 * z).astype(np.int64),
    "integers far apart": lambda z: np.where(z > 1, -(2**62), 2**62) + np.round(3 * z).astype(np.int64),
    "signed zeros": lambda z: np.where(z > 0, 0.0, -0.0) + (np.abs(z) > 1),
    "constant": lambda z: np.full(len(z), 7.0),
}


def table(rng, n, share_missing):
    values = [make(rng.standard_normal(n)) for make in KINDS.values()]
    if not share_missing:
        return columns_of(values)
    is_missing = rng.random((len(values), n)) < share_missing
    is_missing[::4] = False
    return columns_of(values, is_missing)


@pytest.mark.parametrize("share_missing", [0, 0.3, 0.9])
@pytest.mark.parametrize("n", [4, 30, 1000])
def test_pairs_agree_with_one_pair_at_a_time(n, share_missing, rng):
    columns = table(rng, n, share_missing)
    first, second = upper_pairs(len(columns))

    assert_agrees(rank_rows(columns, columns, first, second), Spearman(), columns, columns, first, second)


@pytest.mark.parametrize("share_missing", [0, 0.3])
def test_two_lists_agree_with_one_pair_at_a_time(share_missing, rng):
    columns = table(rng, 50, share_missing)
    x, y = columns[:7], columns[5:]
    first, second = all_pairs(len(x), len(y))

    assert_agrees(rank_rows(x, y, first, second), Spearman(), x, y, first, second)


@st.composite
def small_tables(draw):
    n_columns, n = draw(st.integers(2, 4)), draw(st.integers(1, 24))
    sizes = st.sampled_from([2, 5, 1000])
    values = [
        np.array(draw(st.lists(st.integers(0, draw(sizes)), min_size=n, max_size=n)), float)
        for _ in range(n_columns)
    ]
    return columns_of(values, draw(arrays.arrays(np.bool_, (n_columns, n))))


@given(small_tables())
def test_any_ties_and_gaps_agree_with_one_pair_at_a_time(columns):
    first, second = all_pairs(len(columns), len(columns))

    assert_agrees(rank_rows(columns, columns, first, second), Spearman(), columns, columns, first, second)


def test_complete_columns_agree_by_either_way(rng):
    """The kernel that re-ranks, kept from matrix products, says what they say."""
    columns = table(rng, 150, 0)
    gap = np.zeros(151, dtype=bool)
    gap[-1] = True
    longer = columns_of(
        [np.append(c.values, c.values[:1]) for c in columns], np.repeat(gap[np.newaxis], len(columns), axis=0)
    )
    pairs = upper_pairs(len(columns))

    assert_same_rows(rank_rows(longer, longer, *pairs), rank_rows(columns, columns, *pairs))


def test_the_order_of_rows_does_not_matter(rng):
    values, is_missing = np.round(rng.exponential(size=(6, 500)), 2), rng.random((6, 500)) < 0.4
    order = rng.permutation(500)
    pairs = upper_pairs(6)
    columns, shuffled = columns_of(values, is_missing), columns_of(values[:, order], is_missing[:, order])

    assert_same_rows(rank_rows(shuffled, shuffled, *pairs), rank_rows(columns, columns, *pairs))


def test_neither_other_columns_nor_calls_matter(rng, monkeypatch):
    """One pair a call, in reverse, says bit by bit what all say together."""
    columns = table(rng, 100, 0.3)
    is_gappy = np.array([c.is_missing.any() for c in columns])
    first, second = upper_pairs(len(columns))
    keep = is_gappy[first] | is_gappy[second]
    first, second = first[keep], second[keep]
    together = rank_rows(columns, columns, first, second)
    put(monkeypatch, nanoseconds_of_ranked_row=1e9)
    apart = rank_rows(columns[::-1], list(columns), len(columns) - 1 - first[::-1], second[::-1])

    assert (apart.trace[::-1] == together.trace).all()
    assert (apart.invariants_of_pairs()[0][::-1] == together.invariants_of_pairs()[0]).all()
    assert (apart.y_distinct[::-1] == together.y_distinct).all()


def test_columns_that_share_no_row_are_degenerate():
    x, y = read_column([1.0, 2.0, 3.0, None, None, None], "x"), read_column([None] * 3 + [1.0, 5.0, 2.0], "y")
    empty = read_column([None] * 6, "empty")
    rows = rank_rows([x, y, empty], [x, y, empty], np.array([0, 0, 2]), np.array([1, 2, 2]))

    assert rows.n.tolist() == [0, 0, 0]
    assert rows.is_degenerate.all()
    assert rows.trace.tolist() == [0, 0, 0]


def test_any_monotone_relation_is_perfect(rng):
    z = rng.standard_normal(200)
    columns = columns_of([z, -np.exp(z)], rng.random((2, 200)) < 0.2)
    rows = rank_rows(columns, columns, np.array([0]), np.array([1]))

    assert rows.trace[0] == pytest.approx(1, abs=1e-15)
    assert rows.sign[0] == -1


@pytest.mark.slow
def test_many_rows_neither_overflow_nor_lose_digits():
    """Beyond two million rows products leave 64 bits, and reversed ranks are still perfect."""
    n = 2**21 + 2
    values = np.arange(n, dtype=np.float64)
    is_missing = np.zeros((2, n), dtype=bool)
    is_missing[0, 0] = True
    columns = columns_of([values, -values], is_missing)
    rows = rank_rows(columns, columns, np.array([0]), np.array([1]))

    assert rows.trace[0] == pytest.approx(1, rel=1e-12)
    assert rows.invariants_of_pairs()[0][0, 3] == pytest.approx(9 / 5 / rows.n[0], rel=1e-6)


def test_the_kernel_refuses_what_is_not_an_order():
    order, present = np.arange(3, dtype=np.int32), np.ones(3, dtype=bool)
    none, pair = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="row numbers"):
        _native.RankedColumns([order + 1], [none], [present])
    with pytest.raises(ValueError, match="one a row"):
        _native.RankedColumns([order], [order[:2]], [present])
    for groups in ([2, 1, 0], [1, 1, 2], [0, 1, 3]):
        with pytest.raises(ValueError, match="ascend"):
            _native.RankedColumns([order], [np.array(groups, dtype=np.int32)], [present])
    with pytest.raises(ValueError, match="number the columns"):
        _native.RankedColumns([order], [none], [present]).pairs(pair, pair + 1)
