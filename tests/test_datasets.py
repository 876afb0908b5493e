"""The demo table: same seed, same table, and a truth that holds."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import DEMO_TRUTH, make_demo


def test_same_seed_makes_the_same_table():
    first, second = make_demo(seed=3), make_demo(seed=3)

    assert all(np.array_equal(first[k], second[k], equal_nan=first[k].dtype.kind == "f") for k in first)


@pytest.mark.slow
def test_real_columns_are_significant_and_noise_columns_are_not():
    table = make_demo()
    p_values = {
        k: bc.adjust("explained", v, table["yield"]).p_value for k, v in table.items() if k != "yield"
    }

    assert all(p_values[k] < 0.001 for k in DEMO_TRUTH)
    assert all(p > 0.05 for k, p in p_values.items() if k not in DEMO_TRUTH)
