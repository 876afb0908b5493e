"""Masked lines: unit norm on the rows that a column has, and what holds of it on every subset of them."""

from __future__ import annotations

import numpy as np

from tests.engine.screens import masked_lines

rng = np.random.default_rng(3)


def test_lines_are_centered_of_unit_norm_and_zero_where_missing():
    values = rng.normal(3, 2, size=(60, 5))
    values[rng.random(values.shape) < 0.2] = np.nan
    masked = masked_lines(values, np)

    assert masked.is_sound.all()
    np.testing.assert_array_equal(masked.mask, ~np.isnan(values.T))
    np.testing.assert_array_equal(masked.n, (~np.isnan(values)).sum(axis=0))
    assert not masked.lines[np.isnan(values.T)].any()
    np.testing.assert_allclose(masked.lines.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(masked.squares.sum(axis=1), 1)
    np.testing.assert_allclose(masked.root, (masked.lines**4).sum(axis=1) ** 0.25)


def test_the_most_common_value_is_counted_and_missing_ones_are_not():
    values = np.column_stack([np.arange(40) // 5, np.arange(40), np.where(np.arange(40) < 15, np.nan, 1)])
    values[30:, 1] = np.nan

    assert masked_lines(values, np).most_alike[:2].tolist() == [5, 1]


def test_no_two_values_come_nearer_than_the_spread_says():
    """Whatever 20 of the rows are left out, and whatever u and v: checked with the best quadratic."""
    values = np.column_stack([rng.normal(size=90), rng.integers(0, 9, 90), rng.lognormal(size=90)])
    values[rng.random(values.shape) < 0.1] = np.nan
    masked = masked_lines(values, np)

    assert (masked.spread > 0).all()
    for k, line in enumerate(masked.lines):
        there = np.flatnonzero(masked.mask[k])
        order = there[np.argsort(line[there])]
        for kept in (order[:-20], order[20:], order[10:-10], np.delete(order, np.s_[40:60]), order[::2]):
            z = line[kept]
            design = np.column_stack([np.ones(len(z)), z])
            left = z**2 - design @ np.linalg.lstsq(design, z**2)[0]
            n_triples = masked.n_triples[k] - (len(there) - len(kept))
            assert left @ left >= n_triples * masked.spread[k]


def test_columns_without_spread_or_rows_are_not_sound():
    values = np.tile(rng.normal(size=(40, 1)), 6)
    values[:, 0] = 2.5
    values[20:, 1], values[:, 2] = np.nan, np.nan
    values[:, 3] += 1e9
    values[:, 4] *= 1e-200

    masked = masked_lines(values, np)

    assert masked.is_sound.tolist() == [False] * 5 + [True]
    assert np.isfinite(masked.lines).all()
