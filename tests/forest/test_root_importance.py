"""Importances at the root have mean 0 over permutations, and follow their definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from bychance.columns import Column
from bychance.forest.importance import root_importances
from bychance.forest.tree import Training
from bychance.kinds import Kind
from tests.forest.tables import table_of

X = [3.0, 1.0, 1.0, 4.0, 2.0, 9.0]
LABELS = np.array([0, 1, 1, 2, 0, 0], dtype=np.int32)
TARGETS = {0: [0.5, 2.0, -1.0, 4.0, 4.0, 7.0], 2: [0, 0, 1, 1, 0, 1], 3: [0, 1, 2, 2, 1, 0]}


def training(y, n_classes, is_missing=None):
    columns = [
        Column("number", Kind.NUMERIC, np.array(X), is_missing),
        Column("labels", Kind.CATEGORICAL, LABELS, is_missing, ("a", "b", "c")),
    ]
    return Training(table_of(columns), np.array(y, dtype=np.int32 if n_classes else float), n_classes)


@pytest.mark.parametrize("is_missing", [None, np.arange(6) == 3])
@pytest.mark.parametrize("n_classes", TARGETS)
def test_the_mean_over_all_permutations_is_zero(n_classes, is_missing):
    found = [
        root_importances(training(y, n_classes, is_missing), 6).means
        for y in set(permutations(TARGETS[n_classes]))  # categories of equal size
    ]

    np.testing.assert_allclose(np.mean(found, axis=0), 0, atol=1e-12)
    assert np.std(found, axis=0).min() > 0.01


def test_each_row_is_judged_by_what_the_others_fit():
    """Fits beyond the mean of all rows: a line and half a parabola over ranks, and category means."""
    y = np.array(TARGETS[0])
    ranks, centered = np.array([2, 0, 0, 3, 1, 4]), y - y.mean()
    q, _ = np.linalg.qr(np.column_stack([np.ones(6), ranks, ranks**2]))
    is_same = LABELS[:, None] == LABELS
    weights = [
        np.outer(q[:, 1], q[:, 1]) + np.outer(q[:, 2], q[:, 2]) / 2,
        is_same / is_same.sum(axis=1) - 1 / 6,
    ]
    expected = []
    for each in weights:
        own = np.diag(each)
        expected.append(centered @ each @ centered - 6 / 5 * np.sum(own * centered**2))

    found = root_importances(training(y, 0), 4)

    np.testing.assert_allclose(found.means, np.array(expected) / 6)
    np.testing.assert_allclose(found.by_block.sum(axis=0), found.means)
    np.testing.assert_allclose(found.freedom, [1.0625**3 / 1.015625**2, 2])  # of 1 and 1/4; of 1 and 1


def test_two_classes_count_as_both_of_their_indicators():
    two, as_three = (root_importances(training(TARGETS[2], n), 6).means for n in (2, 3))

    np.testing.assert_allclose(two, as_three)
