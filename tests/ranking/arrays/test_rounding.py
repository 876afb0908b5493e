"""The screen is never further from the correlation than its bound, in float16 as tensor cores sum it, too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.screens import CHUNK_ROWS, product_of_lines, rounding_bound, scale_of, standardized

rng = np.random.default_rng(5)


def worst_halves(n):
    """Draw entries half of which lie just above halfway between two halves, with the norm of ones."""
    above = 1 + 2.0**-11 * (1 + 1e-4)
    values = np.repeat([above, np.sqrt(2 - above**2), -above, -np.sqrt(2 - above**2)], n // 4)
    return rng.permutation(values)


COLUMNS = {
    "normal": lambda n: rng.normal(size=n),
    "halfway": worst_halves,
    "genotypes": lambda n: rng.binomial(2, 0.2, n).astype(float),
    "heavy": lambda n: rng.standard_t(3, n),
    "far from zero": lambda n: 1e5 + rng.normal(size=n),
    "tiny": lambda n: 1e-30 * rng.normal(size=n),
    "subnormal beside one": lambda n: np.where(np.arange(n) % 50 == 0, 1.0, 1e-7) * rng.normal(size=n),
}


def truncated_sum(products, k):
    """Sum as tensor cores do: k products and the sum so far, aligned and cut off to 24 bits."""
    total = 0.0
    for start in range(0, len(products), k):
        terms = np.append(products[start : start + k], total)
        largest = np.abs(terms).max()
        if largest > 0:
            unit = 2.0 ** (np.floor(np.log2(largest)) - 23)
            total = float(np.trunc(np.trunc(terms / unit).sum() * unit / unit) * unit)
    return total


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("first", COLUMNS)
@pytest.mark.parametrize("second", COLUMNS)
def test_no_product_is_further_off_than_the_bound(dtype, first, second):
    n = 1000
    x, y = COLUMNS[first](n), COLUMNS[second](n)
    lines, facts = standardized(np.column_stack([x, y, -x, x + y]), dtype, is_ranked=False)
    bound = rounding_bound(n, facts.rounding.max(), facts.rounding.max())

    r = product_of_lines(lines, n, dtype)

    assert np.abs(r - np.corrcoef([x, y, -x, x + y])).max() <= bound


@pytest.mark.parametrize("k", [4, 8, 16])
def test_sums_that_are_cut_off_stay_within_the_bound(k):
    n = 2048
    lines, _ = standardized(rng.normal(size=(n, 1)), np.float16, is_ranked=False)
    products = lines[0].astype(np.float64) ** 2
    of_sum = rounding_bound(n, 0.0, 0.0)

    off = abs(truncated_sum(products, k) - products.sum()) / scale_of(n) ** 2

    assert 0.05 * of_sum < off <= of_sum


def test_entries_that_round_worst_use_up_a_good_part_of_the_bound():
    """The bound is tight: rounding alone comes near its part of it."""
    worst = worst_halves(1024)
    lines, facts = standardized(np.column_stack([worst, worst]), np.float16, is_ranked=False)
    r = product_of_lines(lines, 1024, np.float16)

    assert 0.6 * 2 * facts.rounding.max() < abs(float(r[0, 1]) - 1) <= rounding_bound(1024, *facts.rounding)


def test_the_bound_does_not_grow_with_chunks_of_rows():
    assert rounding_bound(100 * CHUNK_ROWS, 1e-4, 1e-4) < 1.1 * rounding_bound(CHUNK_ROWS, 1e-4, 1e-4)


def test_products_by_chunks_are_those_of_all_rows():
    n = 2 * CHUNK_ROWS + 100
    values = rng.normal(size=(n, 3))
    lines, facts = standardized(values, np.float16, is_ranked=False)

    r = product_of_lines(lines, n, np.float16)

    assert np.abs(r - np.corrcoef(values.T)).max() <= rounding_bound(n, *[facts.rounding.max()] * 2)
