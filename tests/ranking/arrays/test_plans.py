"""Pairs of two arrays that are kept: sampled, split and judged as the pairs of any table."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.messages import Code
from tests.engine.screens import matched_arrays, matched_arrays_to_file, n_unscreened_by_auto
from tests.engine.settings import put
from tests.ranking.arrays.arrays import by_pair, ordinary
from tests.ranking.arrays.test_api import assert_same

FIGURES = ("p_value", "q_value", "p_kind", "p_se", "adjusted_at", "n_resamples", "engine", "note")


def skewed_arrays(seed, n_x=30, n_y=24, n_related=0):
    """Draw long-tailed columns, numbers and counts, of which some of y follow one of x."""
    rng = np.random.default_rng(seed)
    x, y = (
        np.concatenate([rng.gamma(0.5, size=(120, k)), np.round(rng.lognormal(size=(120, k)))], axis=1)
        for k in (n_x // 2, n_y // 2)
    )
    y[:, :n_related] += 0.5 * x[:, :n_related]
    return x, y


@pytest.mark.parametrize("seed", [0, 2, 19, 37])
def test_noise_with_long_tails_makes_no_discoveries(seed):
    """Matched p-values make some in one table of four."""
    x, y = skewed_arrays(seed)
    matched = matched_arrays(x, y)

    assert matched.n_found > 0
    assert "approximate" in matched[0]["note"]
    assert bc.rank_arrays(x, y).n_found == 0


@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_all_pairs_have_the_results_of_a_table(measure):
    x, y = skewed_arrays(1, 16, 14, n_related=3)
    x[5:20, 3], y[:, 5] = np.nan, x[:, 2] > 0.1
    x[:, 6] = np.arange(120) < 4
    found, expected = bc.rank_arrays(x, y, measure=measure), ordinary(x, y, measure=measure, null="auto")

    assert_same(found, expected, FIGURES)
    assert found.n_found == expected.n_found > 0
    assert {"bound", "matched", "exact"} <= set(found["p_kind"].to_pylist())


def test_one_array_has_the_results_of_a_table():
    x, _ = skewed_arrays(2, 14, n_related=0)
    table = {f"x{k}": column for k, column in enumerate(x.T)}
    expected = bc.rank(table, measure="r2", numeric=list(table))

    assert_same(bc.rank_arrays(x, x), expected, FIGURES)


def test_the_best_pairs_have_the_p_values_of_all():
    x, y = skewed_arrays(3, n_related=4)
    some, every = bc.rank_arrays(x, y, top=20), bc.rank_arrays(x, y)
    p_values = by_pair(every, ("p_value", "q_value"))

    assert some.n_found == every.n_found >= 2
    for pair, (p, q, n_draws) in by_pair(some, ("p_value", "q_value", "n_resamples")).items():
        assert p == p_values[pair][0] or n_draws is not None
        assert q >= p_values[pair][1] - 1e-12
        assert q == pytest.approx(p_values[pair][1]) or q > 0.05


def test_a_file_has_pairs_whose_tails_are_found(tmp_path):
    """Matched p-values of noise go down to 1e-6 here."""
    x, y = skewed_arrays(10, n_related=4)
    y[:, 0] += x[:, 0]
    best = bc.rank_arrays(x, y, path=tmp_path / "p.csv", threshold=1e-6)
    matched = matched_arrays_to_file(x, tmp_path / "p.csv", y, threshold=1e-6)
    every = by_pair(ordinary(x, y, measure="r2", null=bc.Auto(tails="all")), ("p_value",))

    assert 0 < len(best) < len(matched)
    assert all(row["p_value"] <= 1e-6 for row in best)
    assert {row["p_kind"] for row in best} <= {"splitting", "bound"}
    for pair, values in by_pair(best, ("p_value",)).items():
        assert values == every[pair]


@pytest.mark.parametrize("limit", ["most_pairs_sampled", "most_rows_split"])
def test_too_many_pairs_rest_on_matched_p_values_and_it_is_said(limit, monkeypatch):
    put(monkeypatch, **{limit: 3})
    x, y = skewed_arrays(3, n_related=4)
    found, matched = bc.rank_arrays(x, y, top=20), matched_arrays(x, y, top=20)

    p_values, expected = by_pair(found, ("p_value",)), by_pair(matched, ("p_value",))
    assert p_values.keys() == expected.keys()
    assert all(values == pytest.approx(expected[pair], rel=1e-10) for pair, values in p_values.items())
    assert found.notes[0].code is Code.MATCHED_ONLY
    assert "rest on matched p-values" in found.verdict()
    assert "matched" not in matched.verdict()


def test_refine_finds_the_tails_of_a_table():
    x, y = skewed_arrays(3, 6, 6, n_related=2)
    every = by_pair(ordinary(x, y, measure="r2", null=bc.Auto(tails="all")), ("p_kind", "p_value"))
    best = bc.rank_arrays(x, y).refine(1)[0]

    assert [best["p_kind"], best["p_value"]] == every[best["x"], best["y"]]
    assert best["p_kind"] == "splitting"


@pytest.mark.parametrize("by", ["adjusted_at", "p_value"])
@pytest.mark.parametrize("seed", [1, 5])
def test_the_best_of_long_tails_are_those_of_a_table(seed, by):
    """Columns without a valid matched distribution are all measured: no matched p-value hides a pair."""
    x, y = skewed_arrays(seed, n_related=3)
    found, expected = (
        bc.rank_arrays(x, y, top=12, by=by),
        ordinary(x, y, measure="r2", null="auto", by=by, top=12),
    )

    assert by_pair(found, ("rank",)).keys() == by_pair(expected, ("rank",)).keys()
    assert found.n_tested == expected.n_tested
    assert found.notes == ()


def test_more_doubtful_pairs_than_can_be_sampled_are_chosen_by_matched_p_values_and_it_is_said(monkeypatch):
    put(monkeypatch, most_pairs_sampled=200)
    x, y = skewed_arrays(3, n_related=4)
    found = bc.rank_arrays(x, y, top=20)

    assert found.notes[0].code is Code.CHOSEN_BY_MATCHED
    assert "monte carlo" in found["p_kind"].to_pylist() or "sequential" in found["p_kind"].to_pylist()


def test_normal_columns_are_all_screened():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100, 30))
    x[:, 3] = rng.random(100) < 0.3

    assert n_unscreened_by_auto(x, y) == 0


def test_a_long_tail_is_set_aside_only_where_the_other_side_has_one():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100, 30))
    x[:, 7] = rng.lognormal(size=100) ** 1.5
    normal = n_unscreened_by_auto(x, y)
    y[:, :20] = rng.gamma(0.7, size=(100, 20))

    assert normal == 0
    assert n_unscreened_by_auto(x, y) > 0
