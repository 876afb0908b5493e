"""Orders and false discovery rates against NumPy and SciPy."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from bychance import _native

figures = st.lists(st.sampled_from([0.0, -1.0, 2.5, np.nan, np.inf, -np.inf, 1e-9]), max_size=40)


def _descending(value):
    return (1, 0.0) if np.isnan(value) else (0, -value)


@given(figures)
def test_the_order_is_descending_with_nan_last_and_ties_in_place(values):
    order = _native.descending_order(np.array(values, dtype=np.float64))

    assert order.tolist() == sorted(range(len(values)), key=lambda k: _descending(values[k]))


numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308]), st.floats(allow_nan=False)
)


@given(st.lists(numbers, max_size=40), st.sampled_from([1, 20]))
def test_the_order_of_a_column_is_that_of_a_stable_sort_with_its_ties_counted(values, n_copies):
    """From 256 values on rows are sorted by the bytes of their bits, below by comparisons."""
    column = np.array(values * n_copies, dtype=np.float64)
    order, sizes = _native.ascending_order(column)

    assert order.tolist() == np.argsort(column, kind="stable").tolist()
    assert sizes.tolist() == np.unique(column, return_counts=True)[1].tolist()
    assert _native.are_distinct(column) == (len(sizes) == len(column))


@pytest.mark.parametrize(
    "column", [2.0 ** np.arange(-1000, 1000), np.arange(5_000.0), -np.arange(5_000.0) / 7]
)
def test_distinct_values_stay_distinct_however_alike_their_bits_are(column):
    assert _native.are_distinct(column)
    assert not _native.are_distinct(np.append(column, column[len(column) // 3]))


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
    rates = p.copy()
    _native.false_discovery_rates(rates, factor)

    np.testing.assert_allclose(rates, expected, rtol=1e-12, atol=1e-322)


@cache
def p_values_and_rates(shape, factor):
    """Draw p-values with ties, ends, gaps, many small, none but chance's and few small ones."""
    p = np.random.default_rng(20160505).random(200_000) ** (1 / shape)
    p[::7] = np.round(p[::7], 3)
    p[:40] = np.tile([0.0, -0.0, 1.0, np.nan, 5e-324, 1e-310, 0.5, -np.nan], 5)
    rates = p.copy()
    _native.false_discovery_rates(rates, factor)
    return p, np.sort(p), np.sort(rates)


@pytest.mark.parametrize("factor", [1.0, 7.5])
@pytest.mark.parametrize("shape", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("n_wanted", "n_threads"), [(0, 1), (1, 3), (30, 1), (200_000, 3)])
def test_rates_of_some_are_those_of_all(factor, shape, n_wanted, n_threads):
    """Bit for bit."""
    p, ordered, rates = p_values_and_rates(shape, factor)
    wanted = ordered[:n_wanted].copy()
    tests = _native.Tests(p, n_threads)
    n_found = _native.some_false_discovery_rates(p, tests, factor, 0.05, wanted, n_threads)

    np.testing.assert_array_equal(wanted, rates[:n_wanted])
    assert n_found == np.count_nonzero(rates < 0.05)
    assert (tests.count, tests.least) == (np.count_nonzero(~np.isnan(p)), 0.0)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=60), st.floats(0, 1), st.data())
def test_rates_of_any_of_few_are_those_of_all(p_values, level, data):
    p = np.array(p_values, dtype=np.float64)
    some = np.flatnonzero(data.draw(arrays.arrays(np.bool_, len(p))))
    rates, wanted = p.copy(), p[some]
    _native.false_discovery_rates(rates, 1.0)
    n_found = _native.some_false_discovery_rates(p, _native.Tests(p), 1.0, level, wanted)

    np.testing.assert_array_equal(wanted, rates[some])
    assert n_found == np.count_nonzero(rates < level)


def test_keys_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        _native.descending_order(np.zeros(2), np.zeros(3, dtype=np.float32))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are those of Linux")
def test_p_values_are_counted_where_the_system_has_no_threads():
    code = """
import re, resource
from pathlib import Path
import numpy as np
from bychance import _native

p = np.linspace(0, 1, 1 << 18)
size = 1024 * int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 20), -1))
print(_native.Tests(p, 4).count)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 1 << 18
