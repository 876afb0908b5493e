"""Tiles → candidates: all that may reach a threshold, and how many have which |r|."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.errors import BychanceError
from tests.engine.screens import N_BINS, screen_of
from tests.engine.settings import put


def correlations(x, y):
    return np.corrcoef(x.T, y.T)[: x.shape[1], x.shape[1] :]


@pytest.mark.parametrize("room", [0, 2**20])
def test_all_pairs_at_the_threshold_are_candidates_and_few_below(room):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(64, 23)), rng.normal(size=(64, 17))
    screen = screen_of(x, y, room=room)
    r = np.abs(correlations(x, y))

    found = screen.run(0.2)

    pairs = set(zip(found.x.tolist(), found.y.tolist(), strict=True))
    assert pairs >= set(zip(*(k.tolist() for k in np.nonzero(r >= 0.2)), strict=True))
    assert pairs <= set(zip(*(k.tolist() for k in np.nonzero(r >= 0.2 - 2 * screen.bound)), strict=True))


def test_with_keep_at_least_so_many_of_the_largest_stay(monkeypatch):
    put(monkeypatch, many_candidates=0)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(64, 43)), rng.normal(size=(64, 57))
    r = np.abs(correlations(x, y))

    found = screen_of(x, y, block=9).run(0.0, keep=30, is_counted=True)

    kept = r[found.x, found.y]
    assert 30 <= len(kept) <= 150
    assert np.count_nonzero(r >= found.reach) <= len(kept)
    assert set(zip(*np.nonzero(r >= found.reach), strict=True)) <= set(zip(found.x, found.y, strict=True))


@pytest.mark.parametrize("is_same", [False, True])
def test_counts_are_those_of_every_pair(is_same):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(64, 23)), rng.normal(size=(64, 17))
    screen = screen_of(x, None if is_same else y, dtype=np.float32)
    r = np.abs(correlations(x, x)[np.triu_indices(23, 1)] if is_same else correlations(x, y))

    counts = screen.run(0.9, is_counted=True).counts

    for edge in (0.05, 0.1, 0.3):
        least = int(edge * N_BINS)
        above = counts[least:].sum()
        assert np.count_nonzero(r >= least / N_BINS + screen.bound) <= above
        assert above <= np.count_nonzero(r >= least / N_BINS - screen.bound) + len(screen.x.blocks) * is_same


def test_more_candidates_than_memory_holds_are_an_error(monkeypatch):
    put(monkeypatch, most_candidates=10)

    with pytest.raises(BychanceError, match="More than 10 pairs pass the screen"):
        screen_of(np.random.default_rng(0).normal(size=(64, 9))).run(0.0)
