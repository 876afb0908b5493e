"""How far a ranking travels inside the package: no further than stated here."""

from __future__ import annotations

import pytest

from tools import path_count

# It takes 20, some 100 and 12, like peers that do as much; the rest is room for a rule or two.
LIMITS = {"files": 24, "functions": 120, "depth": 14}


@pytest.fixture(scope="module")
def path_of_a_ranking():
    return path_count.count(path_count.calls()["rank"])


@pytest.mark.parametrize(("what", "limit"), LIMITS.items())
def test_the_path_of_a_ranking_stays_short(path_of_a_ranking, what, limit):
    assert getattr(path_of_a_ranking, what) <= limit


def test_files_functions_and_depth_are_counted(monkeypatch):
    monkeypatch.setattr(path_count, "_HOME", __file__)

    def inner():
        return sorted([2, 1], key=lambda value: value)

    def outer():
        return inner(), [inner() for _ in range(3)]

    assert path_count.count(outer) == path_count.PathCount(files=1, functions=2, depth=2)
    assert path_count.count(lambda: None) == path_count.PathCount(files=0, functions=0, depth=0)
