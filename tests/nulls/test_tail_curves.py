"""Kept tails: run once, the same whoever asks and however deep, and right."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.errors import BychanceWarning
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import TailCurve, default_store, split_tail, tail_pair_of
from tests.engine.settings import put


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path))
    return tmp_path


def forget_all(monkeypatch) -> None:
    """Start as a new process would: with the files, and nothing in memory."""
    put(monkeypatch, default_stores={})


def tail_at(observed, seed=0, names="ab", n=24, **changes):
    """Compute the tail of two columns without ties at an observed value."""
    rng = np.random.default_rng(seed)
    columns = [read_column(rng.normal(size=n), name) for name in names]
    pair = prepare_pair(registry.resolve("mic"), *columns)
    pair.__dict__["observed"] = observed
    return split_tail(tail_pair_of(pair, **changes))


def test_a_tail_is_run_once_and_read_by_all_pairs_and_processes(cache, monkeypatch):
    first = tail_at(0.6)
    written = {path: path.stat().st_ino for path in cache.glob("nulls/*/*.null")}
    again = tail_at(0.5, seed=1, names="cd")
    forget_all(monkeypatch)
    later = tail_at(0.6, seed=2, names="ef")

    assert first == later
    assert first.log10_p < again.log10_p < 0
    assert len(written) == 4
    assert {path: path.stat().st_ino for path in cache.glob("nulls/*/*.null")} == written


@pytest.mark.slow
def test_a_smaller_p_goes_on_and_changes_no_larger_one(cache, monkeypatch):
    deep_last = [tail_at(observed).log10_p for observed in (0.5, 0.8, 0.95)]
    default_store().clear()
    forget_all(monkeypatch)
    deep_first = [tail_at(observed).log10_p for observed in (0.95, 0.8, 0.5)]

    assert deep_last == deep_first[::-1]
    assert deep_last[2] < -4
    assert len(list(cache.glob("nulls/*/*.null"))) > 4


@pytest.mark.parametrize("observed", [0.55, 0.7, 0.85])
def test_a_kept_tail_is_that_of_runs_to_the_observed_value(observed):
    kept, direct = tail_at(observed), tail_at(observed, shared=None)

    assert kept.is_reached
    assert kept.log10_p == pytest.approx(direct.log10_p, abs=3 * np.hypot(kept.se_log10, direct.se_log10))


def test_a_damaged_curve_is_run_again_and_written_anew(cache, monkeypatch):
    first = tail_at(0.6)
    for path in cache.glob("nulls/*/*.null"):
        path.write_bytes(path.read_bytes()[:-1])
    forget_all(monkeypatch)
    with pytest.warns(BychanceWarning, match="damaged") as caught:
        second = tail_at(0.6)
    forget_all(monkeypatch)

    assert len(caught) == 1
    assert second.log10_p == first.log10_p == tail_at(0.6).log10_p


def test_ties_are_run_to_the_observed_value_and_not_kept(cache):
    columns = [read_column(np.arange(24) // width, name) for width, name in ((2, "a"), (3, "b"))]
    pair = tail_pair_of(prepare_pair(registry.resolve("mic"), *columns))

    assert pair.shared is None
    assert split_tail(pair).log10_p < 0
    assert list(cache.glob("nulls/*/*.null")) == []


def test_a_curve_without_levels_says_nothing():
    curve = TailCurve(np.empty(0), np.empty(0))

    assert not curve.reaches(0.5)
    assert curve.at(0.5) == 0
