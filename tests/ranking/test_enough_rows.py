"""Pairs that cannot be measured are known before much is counted."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.errors import BychanceError
from tests.engine.ranking import check_measurable, plan_of


def gappy(rng, n_rows):
    return np.where(rng.random((n_rows, 4)) < 0.5, np.nan, rng.random((n_rows, 4)))


def test_rows_shared_at_the_end_of_a_long_table_count(rng):
    values = gappy(rng, 3_000)
    values[:1_500] = np.nan

    check_measurable(plan_of(values))


def test_what_is_shared_by_few_rows_of_a_long_table_is_refused(rng):
    values = rng.random((3_000, 2))
    values[:1_498, 0] = np.nan
    values[1_501:, 1] = np.nan

    with pytest.raises(BychanceError, match="two columns share 3 rows at most; `min_n` is 10"):
        check_measurable(plan_of(values))
