"""Conditional importances: near an F test for noise, and weak columns beside strong ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway

from bychance.columns import Column
from bychance.forest.conditional_importance import (
    _p_value,
    _RankColumns,
    _residuals_given,
    conditional_p_values,
)
from bychance.forest.grow import Votes
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training
from bychance.kinds import Kind
from tests.forest.tables import table_of


def training(columns, y, n_classes=0, weights=None):
    read = [
        Column(f"x{k}", Kind.CATEGORICAL, values.astype(np.int32), None, tuple(range(values.max() + 1)))
        if values.dtype.kind == "i"
        else Column(f"x{k}", Kind.NUMERIC, values, None)
        for k, values in enumerate(columns)
    ]
    return Training(table_of(read), y, n_classes, weights)


def settings_of(table):
    return GrowSettings(criterion="fair", max_features=table.n_features, n_grow=150)


def beyond(rows, p_values):
    return conditional_p_values(rows, np.array(p_values), settings_of, 0, None)


@pytest.mark.parametrize("n_classes", [0, 2])
def test_with_no_others_it_is_near_the_f_test_of_the_means_and_not_below(n_classes, rng):
    labels = rng.integers(0, 4, 300)
    y = rng.integers(0, 2, 300).astype(np.int32) if n_classes else rng.normal(size=300) + labels / 3

    (found,) = beyond(training([labels], y, n_classes), [1.0])

    f_test = f_oneway(*(y[labels == k] for k in range(4))).pvalue
    assert f_test * (1 - 1e-9) <= found <= 2 * f_test


def test_a_row_of_long_tails_that_is_alone_in_its_category_proves_nothing(rng):
    """It explains itself, and with it nearly all of the target."""
    labels, y = rng.integers(1, 80, 200), rng.normal(size=200)
    labels[7], y[7] = 0, 1e6

    (found,) = beyond(training([labels], y), [1.0])

    assert f_oneway(*(y[labels == k] for k in np.unique(labels))).pvalue < 1e-100
    assert found > 0.05


def test_rows_of_weight_zero_are_as_if_they_were_not_there(rng):
    labels, y = rng.integers(0, 4, 300), rng.normal(size=300)
    is_there = np.arange(300) < 200
    rows = training([labels], y, weights=is_there * 1.0)

    found = beyond(rows, [1.0])

    np.testing.assert_allclose(found, beyond(training([labels[is_there]], y[is_there]), [1.0]), rtol=1e-9)


def test_what_others_explain_is_no_noise_to_a_weak_column(rng):
    """Steps that no line explains: only the forest of the first two columns does."""
    steps = rng.integers(0, 6, (2, 300)).astype(float)
    weak, noise = rng.normal(size=(2, 300))
    y = 4.0 * (steps[0] % 2) + 4.0 * (steps[1] % 2) + 0.4 * weak + rng.normal(size=300)
    rows = training([*steps, weak, noise], y)

    alone, among = beyond(rows, [1.0] * 4), beyond(rows, [1e-9, 1e-9, 1.0, 1.0])

    assert alone[2] > 1e-3
    assert among[2] < 1e-6
    assert among[3] > 0.05


def test_lines_explain_what_a_forest_cannot_learn(rng):
    """Twelve columns, of which the sum counts, and 300 rows."""
    X = rng.normal(size=(300, 13))
    y = X[:, :12].sum(axis=1) + 0.3 * X[:, 12] + rng.normal(size=300)
    rows = training(list(X.T), y)

    assert beyond(rows, [1e-9] * 12 + [1.0])[12] < 1e-4


def test_no_column_hides_another_that_correlates_with_it(rng):
    """The second of two measurements of one cause adds hardly anything to the first."""
    cause, strong = rng.normal(size=(2, 300))
    twins = cause + 0.1 * rng.normal(size=(2, 300))
    y = 0.5 * cause + 2 * strong + rng.normal(size=300)
    rows = training([*twins, strong], y)

    alone, among = beyond(rows, [1.0] * 3), beyond(rows, [1e-9] * 3)

    assert (among[:2] < 1e-10).all()
    assert (among[:2] < alone[:2] / 1e3).all()


def test_what_only_shows_beyond_a_column_that_correlates_is_found(rng):
    """The second column has nothing to do with y by itself, and takes noise from the first."""
    cause, disturbance = rng.normal(size=(2, 300))
    rows = training([cause + disturbance, disturbance], cause + rng.normal(size=300))

    assert beyond(rows, [1.0, 1.0])[1] > 0.01
    assert beyond(rows, [1e-9, 1.0])[1] < 1e-8


def test_a_copy_of_a_column_is_as_good_as_the_column(rng):
    x, other = rng.normal(size=(2, 300))
    rows = training([x, x, other], x + other + rng.normal(size=300))

    found = beyond(rows, [1e-9] * 3)

    assert found[0] == found[1] < 1e-20


def test_with_lines_known_it_is_the_f_test_of_one_more_column(rng):
    """Without votes, and for a column of two categories."""
    X, label = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    y = X[:, 0] + 0.3 * label + rng.normal(size=60)
    rows = training([*X.T, label], y)
    lines = _RankColumns.of(rows, list(range(5))).values
    found = _p_value(rows, 5, _residuals_given(rows, Votes.empty(rows, ("rows",), 1), lines))

    fewer = np.column_stack([np.ones(60), X.argsort(axis=0).argsort(axis=0)])
    left = [np.linalg.lstsq(A, y)[1][0] for A in (fewer, np.column_stack([fewer, label]))]

    np.testing.assert_allclose(found, f_distribution.sf((left[0] - left[1]) / left[1] * 53, 1, 53), rtol=1e-6)


def test_no_column_is_tested_against_a_forest_of_itself(rng):
    X = rng.normal(size=(300, 3))
    y = 3 * X[:, 0] + X[:, 1] + rng.normal(size=300)

    found = beyond(training(list(X.T), y), [1e-9, 1e-9, 1.0])

    assert found[:2].max() < 1e-20
    assert found[2] > 0.01


def test_classes_are_as_many_responses_as_vary_independently():
    """Five equal classes count as four responses. With five, too many p-values are small."""
    p_values = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        columns = [rng.normal(size=200), *(rng.integers(0, r, 200) for r in (2, 5, 12))]
        p_values.append(
            beyond(training(columns, rng.integers(0, 5, 200).astype(np.int32), 5), [1.0] * len(columns))
        )

    assert 0.03 < np.mean(np.array(p_values) <= 0.05) < 0.07
    assert 0.45 < np.mean(p_values) < 0.55
