"""r² of many pairs against r² of one, on hostile columns and any pattern of missing values."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bychance import _native
from bychance.columns import Column
from bychance.kinds import Kind
from bychance.measures.explained import R2
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

line_rows = partial(statistics_of, R2())

HOSTILE = {
    "far from zero": lambda z: 1e9 + z,
    "one outlier": lambda z: np.where(np.arange(len(z)) == 7, 1e6, z),
    "one huge outlier": lambda z: np.where(np.arange(len(z)) == 7, 1e200, z),
    "tiny": lambda z: 1e-300 * z,
    "subnormal": lambda z: 1e-318 * np.round(100 * z),
    "huge": lambda z: 1e300 * z,
    "both ends of float64": lambda z: np.where(z > 0, 1.7e308, -1.7e308),
    "integers": lambda z: np.round(50 * z).astype(np.int64),
    "small integers": lambda z: np.round(2 * z).astype(np.int8),
    "booleans": lambda z: z > 1,
    "heavy ties": lambda z: np.where(z > 1.5, z, 0.0),
    "two far clusters": lambda z: np.where(np.arange(len(z)) < len(z) // 2, 0.0, 1e8) + z,
    "rising": lambda z: np.arange(len(z)) + 1e-3 * z,
    "log-normal": lambda z: np.exp(3 * z),
    "constant": lambda z: np.full(len(z), 0.1),
    "constant but once": lambda z: np.where(np.arange(len(z)) == 3, 1.0, 0.1),
    "last digits": lambda z: 1.0 + np.round(3 * z) * 2.0**-52,
    "wide integers": lambda z: 2**62 + np.round(1e3 * z).astype(np.int64),
}


def hostile_columns(rng, n, missing):
    values = [make(rng.standard_normal(n)) for make in HOSTILE.values()]
    if missing == "nothing":
        return columns_of(values)
    if missing == "at random":
        return columns_of(values, rng.random((len(values), n)) < 0.3)
    edges = rng.integers(0, n, (len(values), 1))
    if missing == "a part":
        return columns_of(values, np.abs(np.arange(n) - edges) > n // 3)
    patterns = np.array([np.arange(n) > n // 2, np.arange(n) % 3 == 0, np.zeros(n, dtype=bool)])
    return columns_of(values, patterns[np.arange(len(values)) % 3])


@pytest.mark.parametrize("n", [5, 30, 1000])
@pytest.mark.parametrize("missing", ["nothing", "at random", "a part", "three patterns"])
def test_hostile_columns_agree_with_one_pair_at_a_time(n, missing, rng):
    columns = hostile_columns(rng, n, missing)
    first, second = upper_pairs(len(columns))

    assert_agrees(line_rows(columns, columns, first, second), R2(), columns, columns, first, second)


@pytest.mark.parametrize("missing", ["nothing", "at random", "a part"])
def test_two_lists_agree_with_one_pair_at_a_time(missing, rng):
    columns = hostile_columns(rng, 60, missing)
    x, y = columns[:7], columns[5:]
    first, second = all_pairs(len(x), len(y))

    assert_agrees(line_rows(x, y, first, second), R2(), x, y, first, second)


@st.composite
def small_tables(draw):
    n_columns, n = draw(st.integers(2, 4)), draw(st.integers(1, 24))
    kinds = st.sampled_from([st.integers(0, 2), st.integers(-(10**6), 10**6), st.floats(-1e3, 1e3, width=32)])
    values = [np.array(draw(st.lists(draw(kinds), min_size=n, max_size=n)), float) for _ in range(n_columns)]
    return columns_of(values, draw(arrays.arrays(np.bool_, (n_columns, n))))


@given(small_tables())
def test_any_ties_and_gaps_agree_with_one_pair_at_a_time(columns):
    first, second = all_pairs(len(columns), len(columns))

    assert_agrees(line_rows(columns, columns, first, second), R2(), columns, columns, first, second)


def test_a_pair_does_not_depend_on_the_other_columns(rng):
    columns = hostile_columns(rng, 80, "at random")
    first, second = upper_pairs(len(columns))
    together = line_rows(columns, columns, first, second)
    for k in range(0, len(first), 7):
        alone = line_rows([columns[first[k]]], [columns[second[k]]], np.array([0]), np.array([0]))

        assert alone.n[0] == together.n[k]
        np.testing.assert_allclose(alone.trace[0], together.trace[k], rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(
            alone.invariants_of_pairs()[0][0], together.invariants_of_pairs()[0][k], rtol=1e-10, atol=1e-13
        )


def test_the_order_of_rows_does_not_matter(rng):
    values, is_missing = rng.exponential(size=(6, 500)), rng.random((6, 500)) < 0.4
    order = rng.permutation(500)
    pairs = upper_pairs(6)
    columns, shuffled = columns_of(values, is_missing), columns_of(values[:, order], is_missing[:, order])

    assert_same_rows(line_rows(shuffled, shuffled, *pairs), line_rows(columns, columns, *pairs))


def test_x_and_y_trade_places(rng):
    columns = hostile_columns(rng, 100, "at random")
    x, y = columns[:8], columns[8:]
    first, second = all_pairs(len(x), len(y))
    there, back = line_rows(x, y, first, second), line_rows(y, x, second, first)

    np.testing.assert_allclose(there.trace, back.trace, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(
        there.invariants_of_pairs()[0], back.invariants_of_pairs()[1], rtol=1e-10, atol=1e-13
    )
    assert (there.y_distinct == back.x_distinct).all()


def test_the_size_of_a_chunk_does_not_matter(rng, monkeypatch):
    columns = columns_of(rng.standard_normal((5, 3000)) ** 3, rng.random((5, 3000)) < 0.2)
    pairs = upper_pairs(5)
    whole = line_rows(columns, columns, *pairs)
    put(monkeypatch, chunk_bytes=0)

    assert_same_rows(line_rows(columns, columns, *pairs), whole)


@pytest.mark.parametrize("distance", [1, 3, 10, 30, 100, 1e3, 1e5, 1e9])
def test_rows_far_from_the_center_keep_their_digits(distance, rng):
    """The rows that a pair shares lie this many standard deviations from the center of their column."""
    z, other = rng.standard_normal((2, 900))
    is_far = np.arange(900) % 3 == 0
    x, y = columns_of([z + distance * is_far, other + z / 5], np.array([np.zeros(900, dtype=bool), ~is_far]))

    pair = np.array([0])
    assert_agrees(line_rows([x], [y], pair, pair), R2(), [x], [y], pair, pair)


def test_most_pairs_need_no_second_look(rng, monkeypatch):
    """Ordinary columns stay with matrix products, whatever is missing."""
    values = np.concatenate(
        [rng.standard_normal((5, 400)), rng.exponential(size=(5, 400)), rng.integers(0, 2, (5, 400))]
    )
    columns = columns_of(values, rng.random(values.shape) < 0.3)
    monkeypatch.setattr(_native, "line_pairs", None)

    assert not line_rows(columns, columns, *upper_pairs(15)).is_degenerate.any()


def test_columns_may_be_strided(rng):
    values, is_missing = rng.standard_normal((40, 4)), rng.random((40, 4)) < 0.3
    values[0] = 1e9
    strided, packed = columns_of(values.T, is_missing.T), columns_of(values.T.copy(), is_missing.T.copy())

    assert_same_rows(line_rows(strided, strided, *upper_pairs(4)), line_rows(packed, packed, *upper_pairs(4)))


def test_columns_that_share_no_row_are_degenerate():
    x, y = read_column([1.0, 2.0, 3.0, None, None, None], "x"), read_column([None] * 3 + [1.0, 5.0, 2.0], "y")
    empty = read_column([None] * 6, "empty")
    rows = line_rows([x, y, empty], [x, y, empty], np.array([0, 0, 2]), np.array([1, 2, 2]))

    assert rows.n.tolist() == [0, 0, 0]
    assert rows.is_degenerate.all()
    assert rows.trace.tolist() == [0, 0, 0]


def test_no_pairs_give_no_rows():
    x = [read_column([1.0, 2.0, 3.0], "x")]
    nothing = np.empty(0, dtype=np.intp)

    assert len(line_rows(x, x, nothing, nothing).n) == 0


def test_a_column_with_itself_is_fully_correlated(rng):
    columns = columns_of([rng.standard_normal(50), 1e9 + rng.standard_normal(50)])
    rows = line_rows(columns, columns, np.arange(2), np.arange(2))

    np.testing.assert_allclose(rows.trace, 1, rtol=1e-12)
    assert (rows.trace <= 1).all()


def test_distinct_values_are_counted_up_to_ten(rng):
    values = np.array([np.arange(40) % k for k in (1, 2, 9, 10, 11, 40)], dtype=float)
    columns = columns_of(values)
    rows = line_rows(columns, columns, np.arange(6), np.zeros(6, dtype=np.intp))

    assert rows.x_distinct.tolist() == [1, 2, 9, 10, 10, 10]


def test_kernels_refuse_columns_and_masks_of_other_lengths():
    one, two = np.zeros(3), np.zeros(4)
    pair = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="one length"):
        _native.line_pairs([one, two], [one.astype(bool)] * 2, pair, pair)
    with pytest.raises(ValueError, match="one length"):
        _native.distinct_pairs([one], [two.astype(bool)], pair, pair, 10)
    with pytest.raises(ValueError, match="number the columns"):
        _native.line_pairs([one], [one.astype(bool)], pair, pair + 1)
    with pytest.raises(ValueError, match="as long as the rows"):
        _native.scaled_lines([one], np.ones((1, 3)), np.zeros((1, 4)))


def test_a_column_of_large_integers_that_misses_everything_is_degenerate(rng):
    values = [read_column(rng.normal(size=9), "a"), read_column(rng.normal(size=9), "b")]
    nothing = Column("c", Kind.NUMERIC, np.zeros(9, dtype=np.int64), np.ones(9, dtype=np.bool_))
    found = line_rows([*values, nothing], [*values, nothing], np.array([0, 0]), np.array([1, 2]))

    assert found.n.tolist() == [9, 0]
    assert found.is_degenerate.tolist() == [False, True]
