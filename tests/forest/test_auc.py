"""AUC against scikit-learn's, and what each row adds to its error."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bychance.forest.curve import auc_and_influence


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_auc_is_that_of_scikit_learn(n_classes, is_weighted, rng):
    y = rng.integers(n_classes, size=80)
    shares = rng.dirichlet(np.ones(n_classes), size=80).round(1)
    weights = rng.integers(1, 5, 80).astype(float) if is_weighted else np.ones(80)
    repeats = weights.astype(int)
    expected = 0.0
    for k in range(n_classes) if n_classes > 2 else [1]:
        one = roc_auc_score(np.repeat(y == k, repeats), np.repeat(shares[:, k], repeats))
        expected += one * (weights[y == k].sum() / weights.sum() if n_classes > 2 else 1)

    assert auc_and_influence(y, shares, weights)[0] == pytest.approx(expected, rel=1e-12)


def test_influence_is_the_derivative(rng):
    y, shares = rng.integers(2, size=30), rng.dirichlet([1, 1], size=30).round(1)
    weights = rng.uniform(0.5, 2, 30)
    value, influence = auc_and_influence(y, shares, weights)

    for row in range(30):
        more = weights.copy()
        more[row] += 1e-6
        slope = (auc_and_influence(y, shares, more)[0] - value) / 1e-6
        assert influence[row] == pytest.approx(slope, abs=1e-6)


@pytest.mark.statistical
def test_influences_give_the_error_of_a_difference(rng):
    """Against the spread over 400 samples, within 15% (the spread itself has an error of 3.5%)."""
    differences, errors = [], []
    for _ in range(400):
        y = rng.integers(3, size=150)
        first = rng.normal(size=(150, 3)) + np.eye(3)[y]
        second = first + 0.5 * rng.normal(size=(150, 3))
        (a, of_a), (b, of_b) = (auc_and_influence(y, scores, np.ones(150)) for scores in (first, second))
        differences.append(a - b)
        errors.append(np.sqrt(np.sum((of_a - of_b) ** 2)))

    assert np.mean(errors) == pytest.approx(np.std(differences, ddof=1), rel=0.15)
