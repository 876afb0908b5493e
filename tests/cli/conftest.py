"""Tables in files for the tests of `bychance rank`."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.datasets import make_demo
from tests.cli.running import write_csv


def _cell(value):
    """Write labels as labels, and nothing for NaN."""
    if isinstance(value, str):
        return f"no. {value}"
    return "" if value != value else value


@pytest.fixture(scope="module")
def harvest(tmp_path_factory):
    table = {name: [_cell(value) for value in column.tolist()] for name, column in make_demo().items()}
    return write_csv(tmp_path_factory.mktemp("tables") / "harvest.csv", table)


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    values = np.random.default_rng(1).normal(size=(300, 12))
    path = tmp_path_factory.mktemp("tables") / "slow.csv"
    return write_csv(path, [f"c{k}" for k in range(12)], values.round(1).tolist())
