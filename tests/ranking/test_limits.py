"""Limits in rankings: those of each pair alone, for the rows that are shown or asked for."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo


def test_rows_have_the_limits_of_their_pairs(demo_pairs):
    table = make_demo()
    for record in demo_pairs.best(12):
        alone = bc.adjust("explained", table[record["x"]], table[record["y"]], null="moments")
        limits = record["adjusted_low"], record["adjusted_high"]
        assert limits == pytest.approx(alone.interval(), rel=1e-6, abs=1e-9)


def test_frames_hold_the_limits_and_nothing_where_nothing_was_tested():
    frame = bc.rank({**make_demo(), "flat": np.ones(400)}, null="moments").to_frame().to_pandas()
    is_tested = frame["q_value"].notna() & (frame["null_std"] > 0)

    assert frame.loc[is_tested, "adjusted_low"].notna().all()
    assert frame.loc[~is_tested, ["adjusted_low", "adjusted_high"]].isna().all(axis=None)
    assert (frame["adjusted_low"].dropna() <= frame["adjusted_high"].dropna()).all()


@pytest.mark.slow
def test_the_limits_of_perfect_relations_are_at_most_one():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40, 30))
    table = {f"c{k}": column for k, column in enumerate(np.hstack([x, x * 3.7 + 1 / 3]).T)}
    frame = bc.rank(table, measure="r2", null="moments").to_frame()
    high = np.array(frame["adjusted_high"].to_pylist())

    assert np.sum(high > 0.999) >= 30
    assert high.max() == 1.0


@pytest.mark.slow
def test_half_samples_are_drawn_for_the_shown_rows_or_where_asked_for():
    rng = np.random.default_rng(0)
    table = {f"c{k}": rng.normal(size=40) for k in range(12)}
    ranking = bc.rank(table, measure="xi", null="moments")

    assert ranking.to_frame()["adjusted_low"].null_count == len(ranking)
    assert ranking.top(10)["adjusted_low"].null_count == 0
    asked = ranking.to_frame(intervals=True)
    assert asked["adjusted_low"].null_count == 0
    assert ranking.top(3)["adjusted_low"].to_pylist() == asked["adjusted_low"].to_pylist()[:3]
    assert asked.drop_columns(["adjusted_low", "adjusted_high"]) == ranking.to_frame().drop_columns(
        ["adjusted_low", "adjusted_high"]
    )


def test_without_its_data_a_ranking_keeps_its_limits(harvest):
    assert harvest.without_data().to_frame() == harvest.to_frame()
    assert harvest.without_data().verdict() == harvest.verdict()
