"""Sampling in rounds over a table: fewer draws, the same decisions, whatever the threads and the order."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.nulls import FixedAuto
from tests.engine.ranking import ranked, ranked_to_file
from tests.engine.settings import own, put

FIGURES = ("observed", "adjusted", "standardized", "adjusted_at", "p_value", "q_value", "n_resamples")


def heavy_table(rng, n_columns=30, n=60, n_related=5):
    """Draw heavy-tailed columns, some related, whose matched distributions are not valid."""
    values = rng.lognormal(size=(n_columns, n))
    for k in range(1, n_related):
        values[k] += values[k - 1] * rng.uniform(0.5, 2)
    return {f"c{k:02}": column for k, column in enumerate(values)}


@pytest.fixture(scope="module")
def heavy():
    """Return a table whose pairs are mostly sampled, and its ranking."""
    table = heavy_table(np.random.default_rng(20160505), 18)
    return table, ranked(table, measure="r2")


def by_names(ranking):
    frame = ranking.to_frame()
    rows = zip(*(frame.column(name).to_pylist() for name in ("x", "y", *FIGURES)), strict=True)
    return {frozenset(row[:2]): row[2:] for row in rows}


def test_decisions_are_those_of_all_draws_with_far_fewer(rng):
    table = heavy_table(rng)
    adaptive = ranked(table, measure="r2", null=bc.Auto(tails="none"))
    fixed = ranked(table, measure="r2", null=FixedAuto(9_999))
    found, expected = by_names(adaptive), by_names(fixed)
    differ = [pair for pair in found if (found[pair][5] <= 0.05) != (expected[pair][5] <= 0.05)]
    draws = [row[6] for row in found.values() if row[6]]

    assert sum(row[5] <= 0.05 for row in expected.values()) >= 5
    assert len(differ) <= 1
    assert np.mean(draws) < 2_500
    assert min(draws) == 199


def test_threads_change_no_bit(heavy):
    table, ranking = heavy

    assert by_names(ranked(table, measure="r2", n_jobs=3)) == by_names(ranking)


def test_blocks_and_the_order_of_columns_change_nothing(heavy, rng):
    """Sampled values stay the same to the bit. Matrix products of other shapes may round otherwise."""
    table, ranking = heavy
    shuffled = {name: table[name] for name in rng.permutation(list(table))}
    expected = by_names(ranking)
    for found in (
        by_names(ranked(table, measure="r2", block_size=7)),
        by_names(ranked(shuffled, measure="r2")),
    ):
        for pair, row in expected.items():
            assert found[pair][-1] == row[-1]
            assert found[pair][:-1] == (row[:-1] if row[-1] else pytest.approx(row[:-1], rel=1e-9, abs=1e-14))


@pytest.mark.parametrize("by", ["adjusted_at", "p_value"])
def test_the_best_rows_are_those_of_all_rows(by, heavy):
    table, ranking = heavy
    everything = ranking if by == "adjusted_at" else ranked(table, measure="r2", by=by)
    best = ranked(table, measure="r2", by=by, top=12)

    assert best.top(12).equals(everything.top(12))


def test_a_file_holds_the_same_figures(tmp_path, heavy):
    table, ranking = heavy
    best = ranked_to_file(table, tmp_path / "pairs.parquet", measure="r2", top=12)

    assert best.top(12).equals(ranking.top(12))


@pytest.mark.parametrize("stage", ["extend", "replace"])
def test_a_run_killed_between_rounds_resumes_to_the_same_bits(stage, tmp_path, heavy, monkeypatch):
    (table, _), path = heavy, tmp_path / "pairs.csv"
    ranked_to_file(table, tmp_path / "whole.csv", measure="r2", block_size=20)
    calls = []

    def killed(original, after):
        def call(*args, **options):
            calls.append(stage)
            if len(calls) > after:
                raise KeyboardInterrupt
            return original(*args, **options)

        return call

    with monkeypatch.context() as patch:
        if stage == "extend":
            put(patch, extend_rows=killed(own("extend_rows"), 1))
        else:
            put(patch, replace_block=killed(own("replace_block"), 2))
        with pytest.raises(KeyboardInterrupt):
            ranked_to_file(table, path, measure="r2", block_size=20)
    ranked_to_file(table, path, measure="r2", block_size=20, resume=True)

    assert path.read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_callable_is_sampled_in_rounds_too(rng):
    table = {f"c{k}": column for k, column in enumerate(rng.normal(size=(4, 30)))}
    table["c1"] = table["c0"] + 0.3 * table["c1"]

    def slope(x, y):
        return abs(float(np.corrcoef(x, y)[0, 1]))

    ranking = ranked(table, measure=slope, null=bc.Auto(tails="none", cap=999))
    draws = ranking.to_frame().column("n_resamples").to_pylist()

    assert ranking[0]["q_value"] < 0.05
    assert 199 in draws
    assert max(draws) == 999


def test_a_small_alpha_starts_with_enough_draws(rng):
    ranking = ranked(heavy_table(rng, 6), measure="r2", alpha=0.01, null=bc.Auto(tails="none"))

    assert min(n for n in ranking.to_frame().column("n_resamples").to_pylist() if n) >= 999


def mic_table(rng, n_columns=7, n=30):
    """Draw columns with ties, all of which follow the first."""
    values = rng.normal(size=n) + 0.5 * rng.normal(size=(n_columns, n))
    return {f"c{k}": column for k, column in enumerate(np.round(values, 1))}


def test_without_exact_moments_only_the_first_rows_are_made_precise(rng, monkeypatch):
    """A draw of MIC is costly, and 999 draws are worth no more than 999: discoveries further down stop."""
    put(monkeypatch, first_rows_of_rounds=3)
    ranking = ranked(mic_table(rng), measure="mic", null=bc.Auto(tails="none", cap=999))
    draws = [row["n_resamples"] for row in ranking]

    assert ranking.n_found > 10
    assert draws[:2] == [999] * 2
    assert draws.count(199) > 5
