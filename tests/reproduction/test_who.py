"""Top partners of indicators, and the paper's table of their sample sizes."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from reproduction.data import Data
from reproduction.run import Run
from reproduction.who import LEVELS, PairScores, pair_scores, partner_rows, read_who, values_of
from reproduction.who_average_n import mic_block, r2_without
from reproduction.who_deaths import ITEM as DEATHS


@pytest.fixture
def table(rng):
    """Draw eight columns with different values missing."""
    values = {f"x{k}": rng.normal(size=60) + 0.3 * np.arange(60) / 60 for k in range(8)}
    for k, column in enumerate(values.values()):
        column[rng.choice(60, 5 * k, replace=False)] = np.nan
    return bc.read_table(values)


def top_partner(table, name, by, alpha=0.05):
    others = [other for other in table.names if other != name]
    ranking = bc.rank(table, x=others, y=name, measure="r2", null="paper", by=by, alpha=alpha)
    return next(ranking.best(1))["n"]


def test_every_score_finds_the_top_partner_that_a_ranking_does(table):
    pairs = PairScores(**pair_scores(table, measure="r2", null="paper"))
    orders = [
        ("observed", 0.05),
        ("adjusted", 0.05),
        ("standardized", 0.05),
        *(("adjusted_at", a) for a in LEVELS),
    ]
    for scores, (by, alpha) in zip(pairs.scores, orders, strict=True):
        expected = [top_partner(table, name, by, alpha) for name in table.names]

        assert partner_rows(pairs, scores, range(8)).tolist() == expected


def test_sampled_scores_have_errors_at_every_level(table):
    sampled = pair_scores(table, measure="mic", null=bc.Permutation(199))

    assert np.all(sampled["errors"][0] == 0)
    assert np.all(sampled["errors"][1:].max(axis=1) > 0)
    assert np.all(pair_scores(table, measure="r2", null="paper")["errors"] == 0)


def test_columns_without_a_partner_are_left_out():
    pairs = PairScores(
        x=np.array([0]), y=np.array([1]), n=np.array([7]), scores=np.ones((6, 1)), errors=np.ones((6, 1))
    )

    assert partner_rows(pairs, pairs.scores[0], [0, 1]).tolist() == [7, 7]
    assert partner_rows(pairs, np.array([np.nan]), [0, 1]).tolist() == []


def test_averages_for_r2_are_those_of_the_ranking(data_directory):
    """`tests/ranking/test_who.py` finds them by another way. One country less changes them a little."""
    path = str(data_directory / "WHO.csv")
    whole, without = (np.array(r2_without(seed=0, row=row, path=path)["means"]) for row in (-1, 190))

    np.testing.assert_allclose(whole, [114.4, 114.9, 133.3, 115.9, 119.9, 120.8], atol=0.06)
    assert 0 < np.abs(whole - without).max() < 3


def test_pairs_of_later_columns_are_all_pairs_once(data_directory):
    path = str(data_directory / "WHO.csv")
    n_columns = len(read_who(data_directory / "WHO.csv").columns)
    last, asked = (
        mic_block(seed=0, columns=[n_columns - 3], is_whole=is_whole, draws=19, path=path)
        for is_whole in (True, False)
    )

    assert (len(last["n"]), len(asked["n"])) == (2, n_columns - 1)


def test_values_have_nan_where_they_are_missing(table):
    assert [int(np.isnan(v).sum()) for v in values_of(table).values()] == [5 * k for k in range(8)]


def test_aid_given_leads_no_more_without_the_united_states(data_directory, tmp_path):
    found = DEATHS.compute(Run(tmp_path, Data(data_directory))).table
    tops = {
        (who, score): top
        for who, score, top in zip(found["countries"], found["score"], found["top partner"], strict=True)
    }

    assert tops["all countries", "r²"] == "Aid_given"
    assert tops["without the United States", "r²"] != "Aid_given"
