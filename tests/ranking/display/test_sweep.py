"""The order at several values of alpha."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.errors import BychanceError, BychanceWarning
from tests.engine.settings import put

ALPHAS = (0.5, 0.1, 0.01)


def test_places_are_those_of_a_ranking_at_each_level(table):
    sweep = bc.rank(pd.DataFrame(table), null="moments").sweep(ALPHAS).to_frame().set_index(["x", "y"])
    for alpha in ALPHAS:
        alone = bc.rank(pd.DataFrame(table), null="moments", alpha=alpha).to_frame().set_index(["x", "y"])
        assert sweep[f"rank at {alpha:g}"].sort_index().equals(alone["rank"].sort_index())


def test_levels_kept_in_the_first_run_need_no_second(table, monkeypatch):
    again = bc.rank(table, null="moments").sweep(ALPHAS, k=4)
    ranking = bc.rank(table, null="moments", alpha=[0.05, *ALPHAS])
    put(monkeypatch, run_blocks=None)
    kept = ranking.sweep(ALPHAS, k=4)

    np.testing.assert_array_equal(kept.places, again.places)


def test_levels_beyond_the_permutations_are_warned_of(rng):
    table = dict(zip("abc", rng.random((3, 40)), strict=True))
    ranking = bc.rank(table, measure="r2", null=bc.Permutation(199), alpha=[0.05, 0.4, 0.001])

    assert ranking.sweep([0.4, 0.005]).alphas == (0.4, 0.005)
    with pytest.warns(BychanceWarning, match="199 permutations are too few for alpha = 0.001: it takes 999"):
        ranking.sweep([0.4, 0.001])


@pytest.mark.filterwarnings("ignore:99 permutations are too few")
def test_sampled_nulls_are_the_same_in_the_second_run(table):
    few = {name: table[name] for name in ("a", "b", "c", "skewed")}
    options = {"measure": "r2", "null": bc.Permutation(99)}
    kept = bc.rank(few, **options, alpha=[0.05, *ALPHAS]).sweep(ALPHAS)
    again = bc.rank(few, **options).sweep(ALPHAS)

    np.testing.assert_array_equal(kept.places, again.places)


def test_a_level_given_twice_counts_once(table):
    assert bc.rank(table, null="moments").sweep([0.1, 0.1, 0.05]).alphas == (0.1, 0.05)


def test_stable_pairs_are_in_the_top_at_every_level(table):
    sweep = bc.rank(table, null="moments").sweep(ALPHAS, k=3)
    in_top = sweep.places <= 3

    np.testing.assert_array_equal(sweep.is_stable, in_top.all(axis=1))
    np.testing.assert_array_equal(sweep.is_moving, in_top.any(axis=1) & ~in_top.all(axis=1))
    assert sweep.stable().num_rows == int(sweep.is_stable.sum())
    assert sweep.moving().num_rows == int(sweep.is_moving.sum())


def test_near_duplicates_take_no_place_in_the_top(rng):
    x = rng.normal(size=40)
    columns = {"x": x, "2x": 2 * x, "y": x + rng.normal(size=40), "noise": rng.normal(size=40)}
    stable = bc.rank(columns, null="moments").sweep(ALPHAS, k=2).stable()

    assert ("x", "2x") not in zip(stable["x"].to_pylist(), stable["y"].to_pylist(), strict=True)
    assert stable.num_rows == 2


def test_a_small_alpha_favors_many_rows(rng):
    """The paper's point: pairs of few rows lose places as alpha falls."""
    n = 400
    x = rng.normal(size=n)
    few = np.full(n, np.nan)
    few[:15] = 0.9 * x[:15] + 0.5 * rng.normal(size=15)
    sweep = bc.rank({"x": x, "few": few, "many": x + 1.2 * rng.normal(size=n)}, target="x", measure="r2")
    frame = sweep.sweep([1.0, 0.0001]).to_frame().to_pandas().set_index("x")

    assert frame.loc["few", "rank at 1"] == 1
    assert frame.loc["many", "rank at 0.0001"] == 1


@pytest.mark.parametrize(
    ("alphas", "message"),
    [
        ((), "at least one value"),
        ((0.1, 2), "`alphas` must lie in"),
        (0.05, "`alphas` must be a list of numbers, got 0.05"),
    ],
)
def test_levels_are_checked(table, alphas, message):
    with pytest.raises((BychanceError, ValueError), match=message):
        bc.rank(table, null="moments").sweep(alphas)


def test_alphas_may_be_an_array(table):
    kept = bc.rank(table, null="moments", alpha=[0.05, *np.array(ALPHAS)]).without_data()
    assert kept.sweep(ALPHAS).alphas == tuple(ALPHAS)
