"""References for the engines of many pairs: one pair at a time, by the measure itself."""

from __future__ import annotations

import numpy as np

from bychance.columns import Column, numbers_of, shared_rows
from bychance.kinds import Kind, Role


def columns_of(values, is_missing=None):
    """Make columns of the rows of `values`, with garbage for missing ones."""
    columns = []
    for i, row in enumerate(values):
        mask = None if is_missing is None else is_missing[i]
        if mask is not None and np.asarray(row).dtype.kind == "f":
            row = np.where(mask, [np.nan, np.inf, 1e308][i % 3], row)
        columns.append(Column(f"c{i}", Kind.NUMERIC, np.asarray(row), mask))
    return columns


def all_pairs(n_x, n_y):
    first, second = np.indices((n_x, n_y)).reshape(2, -1)
    return first.copy(), second.copy()


def upper_pairs(n):
    return np.triu_indices(n, 1)


def assert_agrees(rows, measure, x, y, first, second):
    """Compare every pair of `rows` with the measure on its shared rows."""
    x_invariants, y_invariants = rows.invariants_of_pairs()
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        shared = shared_rows(x[i], y[j])
        n = len(x[i]) if shared is None else int(shared.sum())
        assert rows.n[k] == n
        a, b = (numbers_of(column, shared, measure.name) for column in (x[i], y[j]))
        if n < 3 or len(np.unique(a)) == 1 or len(np.unique(b)) == 1:
            assert rows.is_degenerate[k]
            assert rows.trace[k] == 0
            continue
        assert not rows.is_degenerate[k]
        a_line, b_line = measure.prepare(a, Role.X), measure.prepare(b, Role.Y)
        np.testing.assert_allclose(rows.trace[k], measure.estimate(a_line, b_line), rtol=1e-10, atol=1e-13)
        if rows.trace[k] > 1e-20:
            assert rows.sign[k] == measure.sign(a_line, b_line)
        assert_invariants_agree(x_invariants[k], a_line.invariants)
        assert_invariants_agree(y_invariants[k], b_line.invariants)
        if n <= 200:
            assert rows.x_distinct[k] == min(len(np.unique(a)), 10)
            assert rows.y_distinct[k] == min(len(np.unique(b)), 10)


def assert_invariants_agree(found, expected):
    """Compare relatively, but for (Σc³)², which may be zero: it is at most Σc⁴."""
    np.testing.assert_allclose(found[:6], expected[:6], rtol=1e-10)
    np.testing.assert_allclose(found[6:], expected[6:], rtol=1e-10, atol=1e-12 * expected[3])


def assert_same_rows(found, expected):
    assert (found.n == expected.n).all()
    assert (found.is_degenerate == expected.is_degenerate).all()
    both = [(rows.trace, *rows.invariants_of_pairs()) for rows in (found, expected)]
    for ours, theirs in zip(*both, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-13)
    for name in ("x_distinct", "y_distinct"):
        assert (getattr(found, name) == getattr(expected, name)).all()
