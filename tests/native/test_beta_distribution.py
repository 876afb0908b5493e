"""The Beta distribution's kernels: against scipy, against closed forms, and far out in the tail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from bychance import _native

PARAMETERS = st.floats(0.05, 5_000)


def tail(a, b, value):
    return _native.beta_tails(np.array([a]), np.array([b]), np.array([value]))[0]


def quantile(a, b, p):
    return _native.beta_quantiles(np.array([a]), np.array([b]), p)[0]


@given(a=PARAMETERS, b=PARAMETERS, p=st.floats(1e-6, 1 - 1e-6))
def test_quantiles_and_tails_equal_scipys(a, b, p):
    value = special.betaincinv(a, b, p)

    assert quantile(a, b, p) == pytest.approx(value, rel=1e-10, abs=1e-300)
    assert tail(a, b, value) == pytest.approx(special.betaincc(a, b, value), rel=1e-10)


@pytest.mark.parametrize("a", [0.01, 0.25, 0.5, 3, 1e4])
@pytest.mark.parametrize("b", [0.01, 0.25, 0.5, 3, 1e4])
@pytest.mark.parametrize("p", [1e-15, 1e-6, 0.2, 0.9, 1 - 1e-6])
def test_quantiles_of_lopsided_laws_equal_scipys(a, b, p):
    assert quantile(a, b, p) == pytest.approx(special.betaincinv(a, b, p), rel=1e-9, abs=1e-300)


def test_both_equal_scipys_over_whole_tables(rng):
    a = 0.5 * np.exp(0.1 * rng.standard_normal(20_000))
    b = np.exp(rng.uniform(np.log(0.5), np.log(1e6), 20_000))
    values = np.concatenate([rng.beta(a, b)[:10_000], -np.expm1(-rng.uniform(0, 600, 10_000) / b[10_000:])])

    np.testing.assert_allclose(_native.beta_tails(a, b, values), special.betaincc(a, b, values), rtol=1e-10)
    for p in (0.01, 0.5, 0.95, 0.9999):
        np.testing.assert_allclose(_native.beta_quantiles(a, b, p), special.betaincinv(a, b, p), rtol=1e-10)


@given(b=st.floats(50, 1e6), exponent=st.floats(1e-3, 690))
def test_tails_keep_their_digits_however_small(b, exponent):
    """P(X ≥ x) = (1 − x)^b for a = 1, down to 1e-300."""
    value = -np.expm1(-exponent / b)

    assert tail(1.0, b, value) == pytest.approx(np.exp(b * np.log1p(-value)), rel=1e-12, abs=0)


@given(a=st.floats(0.1, 1e3), value=st.floats(0.01, 0.99))
def test_tails_equal_the_closed_form_of_a_power(a, value):
    """P(X ≥ x) = 1 − x^a for b = 1."""
    assert tail(a, 1.0, value) == pytest.approx(-np.expm1(a * np.log(value)), rel=1e-12)


@given(a=PARAMETERS, b=PARAMETERS, q=st.floats(1e-15, 0.5))
def test_quantiles_invert_tails(a, b, q):
    value = quantile(a, b, 1 - q)

    # One digit of the quantile moves the tail by this much.
    step = np.spacing(value)
    assert tail(a, b, value + 2 * step) <= (1 - (1 - q)) * (1 + 1e-9)
    assert tail(a, b, value - 2 * step) >= (1 - (1 - q)) * (1 - 1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.01, 0.01), (1e-3, 5.0), (0.5, 0.5), (2e5, 3e5), (3.0, 0.1)])
def test_extreme_laws_stay_on_the_unit_interval_and_ascend(a, b):
    p = [0.0, 1e-300, 1e-10, 0.3, 0.5, 0.95, 1 - 1e-15, 1.0]
    found = [quantile(a, b, q) for q in p]

    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, 1)


def test_ends_of_the_support_have_all_and_nothing_above_them():
    assert [tail(2.0, 3.0, v) for v in (-1.0, 0.0, 1.0, 2.0)] == [1, 1, 0, 0]


def test_repeated_laws_are_the_same_law_again(rng):
    a, b, values = np.repeat([0.5, 0.5, 2.0], 2), np.repeat([9.0, 4.0, 4.0], 2), rng.random(6)

    assert list(_native.beta_quantiles(a, b, 0.9)) == [quantile(*law, 0.9) for law in zip(a, b, strict=True)]
    assert list(_native.beta_tails(a, b, values)) == [tail(*law) for law in zip(a, b, values, strict=True)]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="one length"):
        _native.beta_quantiles(np.ones(2), np.ones(3), 0.5)
    with pytest.raises(ValueError, match="one entry per pair"):
        _native.beta_tails(np.ones(2), np.ones(2), np.ones(3))
