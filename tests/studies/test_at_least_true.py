"""studies/at_least_true: bounds hold for selections that no reader could make worse, and are not trivial."""

from __future__ import annotations

import numpy as np
import pytest

from studies.at_least_true import DESIGNS, outcomes, selections_of


@pytest.mark.parametrize("design", DESIGNS)
def test_bounds_hold_in_most_tables_and_count_most_related_pairs(design):
    found = [outcomes(design, seed) for seed in range(1_000, 1_004)]

    for method in found[0]:
        assert sum(run[method].held for run in found) >= 3  # fewer in 1 of 70 at a level of 0.95
    assert np.nanmedian([run["simes"].of_found for run in found]) > 0.5
    assert np.mean([run["simes"].of_all for run in found]) > np.mean([run["robust"].of_all for run in found])


def test_selections_are_random_first_and_worst():
    truth = np.array([True, False, True, False, False])
    selections = list(selections_of(truth, np.random.default_rng(0)))

    assert len(selections) == 400
    assert selections[299].all()
    assert (selections[-1] == ~truth).all()
    assert not any((selection & truth).any() for selection in selections[300:])
