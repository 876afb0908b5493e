"""The law of a searched gain: the kernel uses the constants that tools/searched_law.py fits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from tools.searched_law import CONSTANTS, FORMS, Node, NumberNode, fit, law, simulate

from bychance import _native


@pytest.mark.parametrize("totals", [(100, 100), (20, 180), (2, 60), (40, 50, 60), (5, 30, 30, 35)])
@pytest.mark.parametrize("d", [3, 10, 60])
def test_the_kernel_computes_what_the_script_fits(totals, d):
    in_kernel = _native.searched_law(d, np.array(totals, dtype=float))

    assert in_kernel == pytest.approx(law(Node(totals, d)), rel=1e-12)


@pytest.mark.parametrize("n", [15, 200])
@pytest.mark.parametrize("kurtosis", [1.0, 3.0, 20.0])
def test_the_kernel_computes_what_the_script_fits_to_numbers(n, kurtosis):
    in_kernel = _native.searched_law_of_numbers(12, n, kurtosis)

    assert in_kernel == pytest.approx(law(NumberNode(n, 12, kurtosis)), rel=1e-12)


@pytest.mark.parametrize("n", [3, 5, 13, 80, 2_000, 10**6])
@pytest.mark.parametrize("kurtosis", [1.0, 1.8, 3.0, 9.0, 1e3])
def test_no_law_is_easier_than_the_easiest(n, kurtosis):
    """Unequal values count for fewer, though at least for the root of twice as many."""
    for n_values in range(2, min(n, 63) + 1):
        center, scale = _native.easiest_law_of_numbers(n_values, n, kurtosis)
        for d in np.geomspace(np.sqrt(2 * n_values), np.sqrt(n_values * n), 9):
            other_center, other_scale = _native.searched_law_of_numbers(d, n, kurtosis)
            for z in (0, 1, 2):
                assert center + z * scale <= other_center + z * other_scale + 1e-12


@pytest.mark.statistical
@pytest.mark.parametrize("totals", [(100, 100), (20, 180)])
def test_numbers_of_two_values_have_nearly_the_law_of_two_classes(totals):
    """Upper quantiles of the cube root of T are within 5%."""
    y = np.repeat([0.0, 1.0], totals)
    kurtosis = np.mean((y - y.mean()) ** 4) / np.var(y) ** 2

    center, scale = _native.searched_law_of_numbers(25, len(y), kurtosis)

    center_of_two, scale_of_two = _native.searched_law(25, np.array(totals, dtype=float))
    for z in (1, 2):
        assert center + z * scale == pytest.approx(center_of_two + z * scale_of_two, rel=0.05)


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "tolerance"), [("center", 0.06), ("scale", 0.1)])
def test_a_part_fitted_anew_agrees_with_the_constants_in_use(name, tolerance, rng):
    """The first three constants, to equal classes in nodes of 60 to 300 rows."""
    nodes = [Node((n // 2, n // 2), d) for n, d in product((60, 150, 300), (3, 6, 15, 50))]
    fitted = fit(name, [simulate(node, 2000, rng) for node in nodes], free=[0, 1, 2])

    for node in nodes:
        in_use = FORMS[name](CONSTANTS[name], node)
        assert FORMS[name](fitted, node) == pytest.approx(in_use, rel=tolerance), node


@pytest.mark.statistical
@pytest.mark.parametrize(
    "make", [np.random.Generator.standard_normal, np.random.Generator.standard_exponential]
)
@pytest.mark.parametrize(("n", "d"), [(20, 8), (60, 60), (200, 5), (200, 200)])
def test_best_cut_of_numbers_has_normal_upper_quantiles_under_independence(n, d, make, rng):
    """Of 2000 permutations .1 are beyond the normal quantile of .9 within .04, .05 beyond .95 within .03."""
    y = make(rng, n)
    z = (y - y.mean()) / y.std()
    ends = np.flatnonzero(np.diff(np.sort(np.arange(n) % d))) + 1
    left = np.cumsum(rng.permuted(np.tile(z, (2000, 1)), axis=1), axis=1)[:, ends - 1]
    gains = (left**2 / (ends * (n - ends))).max(axis=1)
    center, scale = _native.searched_law_of_numbers(d, n, np.mean(z**4))
    scores = (np.cbrt((n - 1) * gains) - center) / scale

    assert np.mean(scores > norm.ppf(0.9)) == pytest.approx(0.1, abs=0.04)
    assert np.mean(scores > norm.ppf(0.95)) == pytest.approx(0.05, abs=0.03)
