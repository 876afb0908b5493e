"""Lines of columns, and which columns are odd."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bychance import _native
from tests.engine.screens import ColumnClass, doubled_midranks, scale_of, standardized, width_of

rng = np.random.default_rng(3)


def kind_of(column):
    _, facts = standardized(np.asarray(column)[:, None], np.float32, is_ranked=False)
    return ColumnClass(facts.kind[0])


def test_lines_are_centered_of_unit_norm_and_padded():
    values = rng.normal(3, 2, size=(50, 4))
    lines, facts = standardized(values, np.float32, is_ranked=False)
    unit = lines[:, :50] / scale_of(50)

    assert lines.shape == (4, width_of(50)) == (4, 64)
    assert not lines[:, 50:].any()
    np.testing.assert_allclose(unit.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose((unit**2).sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(facts.fourth, (unit**4).sum(axis=1), rtol=1e-5)


def test_doubled_midranks_are_those_of_scipy():
    values = rng.integers(0, 6, size=(7, 40)).astype(float)

    np.testing.assert_array_equal(doubled_midranks(values, np), 2 * stats.rankdata(values, axis=1))


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (rng.normal(size=300), ColumnClass.PLAIN),
        (rng.integers(0, 3, 300), ColumnClass.PLAIN),
        (np.arange(300) % 2, ColumnClass.TWO_VALUED),
        (np.where(np.arange(300) < 40, -7.5, 2.25), ColumnClass.TWO_VALUED),
        (np.full(300, 4.0), ColumnClass.ODD),
        (np.zeros(300), ColumnClass.ODD),
        (np.where(np.arange(300) == 7, np.nan, rng.normal(size=300)), ColumnClass.ODD),
        (np.where(np.arange(300) < 29, rng.normal(size=300), 0.5), ColumnClass.ODD),
        (np.where(np.arange(300) < 31, rng.normal(size=300), 0.5), ColumnClass.PLAIN),
        (np.append(rng.normal(size=299), 1e6), ColumnClass.ODD),
        (1e9 + rng.normal(size=300), ColumnClass.ODD),
        (1e200 * rng.normal(size=300), ColumnClass.ODD),
        (1e-200 * rng.normal(size=300), ColumnClass.ODD),
        (rng.normal(size=20), ColumnClass.ODD),
    ],
)
def test_columns_are_classed_by_whether_a_screen_can_judge_them(column, kind):
    assert kind_of(column) is kind


@pytest.mark.parametrize("n", [21, 40, 100, 119, 200, 1000, 3000])
@pytest.mark.parametrize("spread", [lambda k: rng.normal(size=k), np.ones, np.arange])
def test_no_two_screened_columns_have_rare_values(n, spread):
    """If the rules would find rare values on any shared rows, one of the columns is not screened."""
    for others in range(1, min(n // 2, 80)):
        column = np.concatenate([np.full(n - others, -5.0), spread(others)])
        if kind_of(column) is not ColumnClass.ODD:
            assert (
                others**2 >= n
            )  # else a meeting of two of them is a single event (has_fewer_others of validity.cpp)
            assert 4 * others >= n or others >= 30
            assert (
                n <= _native.FEW_ROWS or others >= 30
            )  # kSomeOthers of src/native/distributions/validity.cpp


def test_odd_columns_have_no_line():
    column = np.where(np.arange(60) == 3, np.nan, rng.normal(size=60))

    assert not standardized(column[:, None], np.float16, is_ranked=False)[0].any()
