"""Orders of categories by class."""

from __future__ import annotations

import numpy as np
import pytest

from bychance import _native


def test_two_classes_are_ordered_by_the_share_of_the_second_with_one_row_of_the_overall_share():
    cells = np.array([[9.0, 1], [1, 9], [5, 5], [0, 0], [0, 3]])
    shares = (cells[:, 1] + cells[:, 1].sum() / cells.sum()) / (cells.sum(axis=1) + 1)

    assert _native.category_positions(cells).tolist() == np.argsort(np.argsort(shares)).tolist()


def test_categories_that_rows_cannot_tell_apart_share_a_position():
    cells = np.array([[2.0, 1], [0, 0], [2, 1], [0, 5], [0, 0]])

    positions = _native.category_positions(cells)

    assert positions[0] == positions[2]
    assert positions[1] == positions[4]
    assert set(positions.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("n_classes", [3, 6])
def test_more_classes_are_ordered_along_the_first_principal_component(n_classes, rng):
    cells = rng.integers(0, 9, (12, n_classes)).astype(float)
    weights = cells.sum(axis=1)
    deviations = (cells - np.outer(weights, cells.sum(axis=0) / cells.sum())) / (weights + 1)[:, None]
    direction = np.linalg.eigh(deviations.T @ (deviations * weights[:, None]))[1][:, -1]
    expected = np.argsort(np.argsort(deviations @ direction))

    positions = _native.category_positions(cells).tolist()

    assert positions in (expected.tolist(), (11 - expected).tolist())


def test_categories_of_which_nothing_is_known_keep_their_order():
    assert _native.category_positions(np.zeros((4, 2))).tolist() == [0, 1, 2, 3]
    assert _native.category_positions(np.zeros((4, 3))).tolist() == [0, 1, 2, 3]
    assert _native.category_positions(np.zeros((0, 3))).tolist() == []
