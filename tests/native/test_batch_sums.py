"""Sums over batches of rows, against NumPy's over the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from bychance import _native


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    values = [rng.normal(size=1000) for _ in range(5)]
    is_missing = [rng.random(1000) < share for share in (0.0, 0.1, 0.5, 0.9, 1.0)]
    z = np.empty((1000, 5))
    scalings = np.tile([0.5, 0.125, 2.0], (5, 1))
    _native.scaled_rows(values, is_missing, scalings, z)
    return values, is_missing, z


def test_scaled_rows_are_zero_where_missing(rows):
    values, is_missing, z = rows
    for i in range(5):
        expected = np.where(is_missing[i], 0.0, (values[i] * 0.5 - 0.125) * 2.0)
        assert np.array_equal(z[:, i], expected)


def test_power_sums_are_over_the_rows_that_each_mask_has(rows):
    _, is_missing, z = rows
    sums = np.ones((5, 6, 5))
    _native.add_power_sums(z, is_missing, sums)
    for m, mask in enumerate(is_missing):
        for p in range(6):
            expected = 1.0 + (z[~mask] ** (p + 1)).sum(axis=0)
            assert np.allclose(sums[m, p], expected, rtol=1e-13, atol=1e-13)


def test_an_outlier_among_the_missing_rows_leaves_no_trace():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(512, 2)) * 1e-4
    z[100, 0] = 1.0
    is_missing = np.zeros(512, dtype=bool)
    is_missing[[3, 100, 400]] = True
    sums = np.zeros((1, 6, 2))
    _native.add_power_sums(z, [is_missing], sums)
    for p in range(6):
        assert np.allclose(sums[0, p], (z[~is_missing] ** (p + 1)).sum(axis=0), rtol=1e-12, atol=0)


def test_wide_tables_are_summed_in_blocks_of_columns():
    z = np.random.default_rng(3).normal(size=(300, 70))
    is_missing = np.arange(300) % 7 == 0
    sums = np.zeros((1, 6, 70))
    _native.add_power_sums(z, [is_missing], sums)
    assert np.allclose(sums[0, 3], (z[~is_missing] ** 4).sum(axis=0), rtol=1e-12)


def test_shared_counts_are_of_the_rows_that_both_have(rows):
    _, is_missing, _ = rows
    counts = np.zeros((5, 5), dtype=np.int64)
    _native.add_shared_counts(is_missing, is_missing, counts)
    is_present = ~np.array(is_missing)
    assert np.array_equal(counts, is_present.astype(int) @ is_present.T.astype(int))


def test_shared_counts_of_two_lists_are_of_every_mask_with_each_of_the_others(rows):
    _, is_missing, _ = rows
    whole, counts = np.zeros((5, 5), dtype=np.int64), np.ones((2, 4), dtype=np.int64)
    _native.add_shared_counts(is_missing, is_missing, whole)
    _native.add_shared_counts(is_missing[:2], is_missing[1:], counts)
    assert np.array_equal(counts, whole[:2, 1:] + 1)


def test_group_sums_skip_rows_without_a_label(rows):
    _, is_missing, z = rows
    codes = np.random.default_rng(4).integers(-1, 4, 1000).astype(np.int32)
    sums, missing, sizes = np.zeros((4, 5)), np.zeros((4, 5), np.int64), np.zeros(4, np.int64)
    _native.add_group_sums([codes], z, is_missing, [sums], [missing], [sizes])
    for g in range(4):
        assert np.allclose(sums[g], z[codes == g].sum(axis=0))
        assert np.array_equal(missing[g], np.array(is_missing)[:, codes == g].sum(axis=1))
        assert sizes[g] == (codes == g).sum()


def test_tables_count_rows_that_have_both_labels():
    rng = np.random.default_rng(5)
    x, y = rng.integers(-1, 3, 500).astype(np.int32), rng.integers(-1, 4, 500).astype(np.int32)
    table = np.zeros((3, 4), dtype=np.int64)
    _native.add_table(x, y, table)
    assert all(table[i, j] == ((x == i) & (y == j)).sum() for i in range(3) for j in range(4))


def test_a_code_beyond_the_groups_is_refused():
    with pytest.raises(ValueError, match="codes must number the groups"):
        _native.add_table(np.array([3], np.int32), np.array([0], np.int32), np.zeros((3, 1), np.int64))
