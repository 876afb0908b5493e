"""Forecasts: what there will be to do is counted, and how long it takes is of the right size."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.errors import BychanceError
from tests.engine.ranking import Forecast, check_measurable, forecast, plan_of


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 60))
    values[rng.random(values.shape) < 0.2] = np.nan
    return {f"c{k}": column for k, column in enumerate(values.T)}


def test_pairs_blocks_and_nulls_are_those_of_the_plan(wide):
    told = forecast(plan_of(wide, measure="r2", null="paper", block_size=100))

    assert told.n_pairs == 60 * 59 / 2
    assert told.n_blocks == len(plan_of(wide, measure="r2", block_size=100).tiles)
    assert told.nulls == "beta (normal)"


def test_nulls_of_several_kinds_come_with_their_shares():
    rng = np.random.default_rng(0)
    told = forecast(plan_of({**{f"c{k}": rng.normal(size=50) for k in range(3)}, "flag": list("ab") * 25}))

    assert told.nulls == "beta (exact moments) (89%), pearson3 (exact moments) (11%)"


@pytest.mark.parametrize("null", ["paper", bc.Permutation(999)], ids=["closed form", "sampled"])
def test_the_time_is_of_the_right_size(wide, null):
    plan = plan_of(wide, measure="r2", null=null)
    forecast(plan)

    def is_of_the_right_size():
        told = forecast(plan)
        started = time.perf_counter()
        bc.rank(wide, measure="r2", null=null)
        taken = time.perf_counter() - started
        return taken / 6 < told.seconds < 6 * taken

    assert any(is_of_the_right_size() for _ in range(3))  # other work may interrupt one of both


def test_slow_nulls_are_judged_by_few_draws():
    """Whole nulls of these pairs would take minutes each."""
    rng = np.random.default_rng(0)
    plan = plan_of({f"c{k}": rng.normal(size=4000) for k in range(6)}, measure="mic")
    started = time.perf_counter()
    told = forecast(plan)

    assert time.perf_counter() - started < 10
    assert told.seconds > 10


def test_workers_divide_the_time_up_to_the_blocks(wide):
    told = [forecast(plan_of(wide, measure="r2", null="paper"), n_jobs) for n_jobs in (1, 2)]
    few = forecast(plan_of(make_demo(), target="yield"), 8)

    assert [one.n_workers for one in told] == [1, min(2, told[0].n_blocks)]
    assert few.n_workers == 1


def test_a_forecast_reads_as_text():
    told = Forecast(63_190, 21, 2, "beta (normal)", 130.0, 528)

    assert str(told).splitlines() == [
        "63,190 pairs in 21 blocks",
        "nulls: beta (normal)",
        "about 2 minutes on 2 workers, judging by 528 of them; less where nulls are stored",
    ]


def test_plans_of_which_nothing_can_be_measured_are_told():
    half, other = np.full(40, np.nan), np.full(40, np.nan)
    half[:20], other[18:] = np.arange(20), np.arange(22)
    table = {"a": half, "b": other}

    with pytest.raises(BychanceError, match="share 2 rows at most; `min_n` is 10"):
        check_measurable(plan_of(table))
    check_measurable(plan_of({**table, "c": np.arange(40.0)}))
