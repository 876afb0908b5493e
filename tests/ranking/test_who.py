"""The paper's ranking of the WHO indicators: which partner each variable gets, and on how many rows."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc

DEATHS, CASES = "Breast_cancer_number_of_female_deaths", "Breast_cancer_number_of_new_female_cases"
AVERAGE_N = {
    ("observed", 0.05): 114.4,
    ("adjusted", 0.05): 114.9,
    ("standardized", 0.05): 133.3,
    ("adjusted_at", 0.4): 115.9,
    ("adjusted_at", 0.1): 119.9,
    ("adjusted_at", 0.05): 120.8,
}


@pytest.fixture(scope="module")
def who(data_directory):
    return bc.read_table(data_directory / "WHO.csv", drop=["Country", "CountryID", "Continent"])


@pytest.mark.parametrize(("by", "alpha"), AVERAGE_N)
def test_the_average_rows_of_the_top_partner_are_the_papers(who, by, alpha):
    ranking = bc.rank(who, measure="r2", null="paper", by=by, alpha=alpha)
    rows, n_columns = ranking._rows, len(who.columns)
    scores, n = np.full((n_columns, n_columns), -np.inf), np.zeros((n_columns, n_columns))
    score = getattr(rows, by)
    is_known = ~np.isnan(score)
    for x, y in ((rows.x, rows.y), (rows.y, rows.x)):
        scores[x[is_known], y[is_known]] = score[is_known]
        n[x, y] = rows.n
    has_partner = scores.max(axis=1) > -np.inf
    partner = scores.argmax(axis=1)

    assert ranking.n_pairs - ranking.n_tested == 62_835 - 61_589
    assert np.sum(rows.n >= 10) == 61_594
    assert n[has_partner, partner[has_partner]].mean() == pytest.approx(AVERAGE_N[by, alpha], abs=0.6)


@pytest.mark.parametrize(
    ("by", "alpha", "first", "n"),
    [
        ("observed", 0.05, "Aid_given", 22),
        ("adjusted", 0.05, "Aid_given", 22),
        ("standardized", 0.05, CASES, 171),
        ("adjusted_at", 0.1, CASES, 171),
    ],
)
def test_aid_given_leads_until_its_few_rows_count(who, by, alpha, first, n):
    ranking = bc.rank(who, target=DEATHS, measure="r2", null="paper", by=by, alpha=alpha)
    best = next(ranking.best(1))

    assert (best["x"], best["n"]) == (first, n)


def test_matched_laws_keep_the_order_of_the_paper(who):
    """The exact moments move single places, not the picture: the same hundred columns lead."""
    paper, moments = (
        [row["x"] for row in bc.rank(who, target=DEATHS, measure="r2", null=null).best(100)]
        for null in ("paper", "moments")
    )

    assert len(set(paper) & set(moments)) >= 95
