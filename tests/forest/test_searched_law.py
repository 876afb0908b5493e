"""The law of a searched gain: the kernel uses the constants that studies/searched_law.py fits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bychance import _native
from bychance.columns import Column
from bychance.forest.features import FeatureTable
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from studies.searched_law import (
    Node,
    equal_cuts,
    equal_values,
    fit,
    law,
    simulate_classes,
    simulate_numbers,
)


@pytest.mark.parametrize("totals", [(100, 100), (20, 180), (2, 60), (40, 50, 60), (5, 30, 30, 35)])
@pytest.mark.parametrize("d", [3, 10, 60])
def test_the_kernel_computes_what_the_script_fits(totals, d):
    in_kernel = _native.searched_law(d, np.array(totals, dtype=float))

    node = Node.of_classes(totals, np.arange(1, d) * (sum(totals) / d))
    assert in_kernel == pytest.approx(law(node), rel=1e-6)


@pytest.mark.parametrize("n", [15, 200])
@pytest.mark.parametrize("kurtosis", [1.0, 3.0, 20.0])
def test_the_kernel_computes_what_the_script_fits_to_numbers(n, kurtosis):
    in_kernel = _native.searched_law_of_numbers(12, n, kurtosis)

    node = Node.of_numbers(n, kurtosis, np.arange(1, 12) * (n / 12))
    assert in_kernel == pytest.approx(law(node), rel=1e-6)


def test_values_of_equal_size_count_for_themselves():
    for d in (2, 3, 17, 63):
        assert equal_values(np.arange(1.0, d), d) == pytest.approx(d)


@pytest.mark.parametrize("n", [3, 5, 13, 80, 2_000, 10**6])
@pytest.mark.parametrize("kurtosis", [1.0, 1.8, 3.0, 9.0, 1e3])
def test_no_law_is_easier_than_the_easiest(n, kurtosis):
    center, scale = _native.easiest_law_of_numbers(n, kurtosis)

    for d in np.geomspace(2, n, 40):
        other_center, other_scale = _native.searched_law_of_numbers(d, n, kurtosis)
        for z in (0, 0.5, 1, 2):
            assert center + z * scale <= other_center + z * other_scale + 1e-12


def test_cuts_that_are_next_to_each_other_count_for_little_more_than_one():
    assert equal_values(np.array([5000.0, 5001.0]), 10_000) == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_a_row_that_weighs_next_to_nothing_leaves_the_score_of_a_cut(n_classes, rng):
    x, noise, weights = np.arange(200.0), rng.random(200), rng.uniform(0.5, 1.5, 200)
    y = noise + 0.2 * (x > 99)
    if n_classes:
        y = np.minimum(y * n_classes, n_classes - 1).astype(np.int32)

    def score(x, y, weights):
        training = Training(FeatureTable.of([Column("x", Kind.NUMERIC, x, None)]), y, n_classes, weights)
        settings = GrowSettings(criterion="fair", max_features=1, max_depth=1, n_grow=len(x))
        return grow_tree(training, settings, (1, 2)).node(0).score

    with_another = score(np.r_[-1, x], np.r_[y[:1], y], np.r_[1e-4, weights])
    assert with_another == pytest.approx(score(x, y, weights), abs=0.1)


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
@pytest.mark.parametrize("totals", [(100, 100), (50, 100, 150), (90, 45, 30, 20, 15)])
def test_a_part_fitted_anew_agrees_with_the_constants_in_use(totals, rng):
    """How center and scale go with the number of values: within .12 scales at the upper quantiles."""
    columns = [equal_cuts(sum(totals), d) for d in (3, 6, 15, 50, sum(totals))]
    cells = simulate_classes(totals, columns, 2000, rng)
    fitted = fit(cells, free=[0, 2, 7, 8])

    for cell in cells:
        center, scale = law(cell.node)
        anew, scale_anew = law(cell.node, fitted)
        for z in (1, 2):
            assert center + z * scale == pytest.approx(anew + z * scale_anew, abs=0.12 * scale), (cell, z)


LEFTS = np.arange(1, 300)
SEARCHED = {
    "a third of the rows on each side": LEFTS[(LEFTS >= 100) & (LEFTS <= 200)],
    "an eighth": LEFTS[(LEFTS >= 37) & (LEFTS <= 263)],
    "one half only": LEFTS[:150],
    "unequal values": np.array([12, 192, 252, 282]),
    "the ends": np.r_[LEFTS[:30], LEFTS[-30:]],
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", SEARCHED)
def test_any_cuts_have_the_law_of_as_many_values_of_equal_size(name, rng):
    """Within .15 standard deviations at the upper quantiles; the geometric mean of before was .5 off."""
    cell = simulate_numbers(norm.ppf((np.arange(300) + 0.5) / 300), [SEARCHED[name]], 4000, rng)[0]

    for z in (1, 1.6):
        assert cell.error(z) == pytest.approx(0, abs=0.15)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "make", [np.random.Generator.standard_normal, np.random.Generator.standard_exponential]
)
@pytest.mark.parametrize(("n", "d"), [(20, 8), (60, 60), (200, 5), (200, 200)])
def test_best_cut_of_numbers_has_normal_upper_quantiles_under_independence(n, d, make, rng):
    """Of 2000 permutations .1 are beyond the normal quantile of .9 within .04, .05 beyond .95 within .03."""
    y = make(rng, n)
    z = (y - y.mean()) / y.std()
    ends = equal_cuts(n, d)
    left = np.cumsum(rng.permuted(np.tile(z, (2000, 1)), axis=1), axis=1)[:, ends - 1]
    gains = (left**2 / (ends * (n - ends))).max(axis=1)
    center, scale = _native.searched_law_of_numbers(d, n, np.mean(z**4))
    scores = (np.cbrt((n - 1) * gains) - center) / scale

    assert np.mean(scores > norm.ppf(0.9)) == pytest.approx(0.1, abs=0.04)
    assert np.mean(scores > norm.ppf(0.95)) == pytest.approx(0.05, abs=0.03)
