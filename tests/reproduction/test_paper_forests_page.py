"""reproduction/paper_forests_page.py: what the page of docs says of figures that are made up."""

import numpy as np
import pytest

from bychance.forest.curve import ScoreTable
from reproduction.known_auc import KNOWN
from reproduction.paper_forests_page import CRITERIA, agreement, page


def table_of(name, *, off=0.0):
    """Two repetitions around the reference, which all are `off` by so many points."""
    means = (np.array(KNOWN[name].study[: len(CRITERIA)]) + off) / 100
    return ScoreTable(tuple(CRITERIA), np.vstack([means - 0.001, means + 0.001]))


def test_distance_is_in_combined_standard_errors():
    found = agreement("monks2", table_of("monks2", off=1.0), "sgini")
    assert found.auc_se == pytest.approx(0.1)
    assert found.distance == pytest.approx(1 / np.hypot(0.1, 0.36))


def test_page_has_a_row_for_every_set_and_criterion():
    tables = {name: table_of(name) for name in KNOWN}
    text = page(tables, 1000)
    for name in KNOWN:
        assert text.count(f"\n| {name} |") == 1 + len(CRITERIA)
    assert "**" not in text


def test_only_distances_beyond_four_are_in_bold():
    tables = {"led7": table_of("led7", off=1.0), "flags": table_of("flags", off=0.5)}
    text = page(tables, 1000)
    rows = {line.split(" | ")[0]: line for line in text.splitlines() if " | AGini(0.05) | " in line}
    assert "**+9.6**" in rows["| led7"]
    assert "**" not in rows["| flags"]
