"""Orders and false discovery rates against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bychance import _native

figures = st.lists(st.sampled_from([0.0, -1.0, 2.5, np.nan, np.inf, -np.inf, 1e-9]), max_size=40)


def _descending(value):
    return (1, 0.0) if np.isnan(value) else (0, -value)


@given(figures)
def test_the_order_is_descending_with_nan_last_and_ties_in_place(values):
    order = _native.descending_order(np.array(values, dtype=np.float64))

    assert order.tolist() == sorted(range(len(values)), key=lambda k: _descending(values[k]))


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([1.0, 2.0, 3.0])), max_size=40))
def test_ties_are_ordered_by_the_second_key(pairs):
    first, second = (np.array([p[k] for p in pairs]) for k in (0, 1))
    order = _native.descending_order(first, second.astype(np.float32))

    assert order.tolist() == sorted(range(len(pairs)), key=lambda k: (-first[k], -second[k], k))


@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=60), st.sampled_from(["bh", "by"]))
def test_rates_are_scipys(p_values, method):
    p = np.array(p_values, dtype=np.float64)
    tested = ~np.isnan(p)
    n_tests = int(tested.sum())
    factor = 1.0 if method == "bh" else float(np.sum(1 / np.arange(1, n_tests + 1)))
    expected = p.copy()
    if n_tests:
        expected[tested] = stats.false_discovery_control(p[tested], method=method)
    rates, ordered = p.copy(), np.sort(p)
    _native.false_discovery_rates(rates, factor)
    _native.false_discovery_rates_sorted(ordered, factor)

    np.testing.assert_allclose(rates, expected, rtol=1e-12)
    np.testing.assert_allclose(ordered, np.sort(expected), rtol=1e-12)


def test_keys_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        _native.descending_order(np.zeros(2), np.zeros(3, dtype=np.float32))
