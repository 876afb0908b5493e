"""Figures in words."""

from __future__ import annotations

import pytest

import bychance as bc
from bychance.wording import percent, says_how_much


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.0994, "9.9%"),
        (0.0996, "10%"),
        (0.9949, "99%"),
        (0.9999, "over 99.9%"),
        (0.00049, "under 0.1%"),
        (0.0005, "0.1%"),
    ],
)
def test_percents_have_the_digits_that_matter(share, shown):
    assert percent(share) == shown


def test_a_sentence_to_cite_has_the_estimates_figures():
    r = bc.adjust("r2", [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 6, 5, 8, 7])

    for figure in (f"r2 = {r.observed:.3f} on 8 rows", f"give {r.null.mean:.3f}", f"chance {r.adjusted:.3f}"):
        assert figure in r.summary()
    assert r.summary().endswith(".")


def test_permutations_are_cited():
    r = bc.adjust("r2", range(20), [k % 7 for k in range(20)], null=bc.Permutation(199))

    assert "(199 permutations)" in r.summary()


def test_what_cannot_be_learned_is_said():
    assert "nothing can be learned" in bc.adjust("r2", [1, 1, 1, 1], [1, 2, 3, 4]).summary()
    assert bc.adjust("r2", [1, 2], [1, 2]).summary() == "r2 is unknown: 2 shared rows; r2 needs 3."


def test_measures_that_are_no_shares_are_not_percents():
    assert "%" not in says_how_much("dcor", observed=0.4, chance=0.0, adjusted=0.4)
    assert "in ranks" in says_how_much("spearman", observed=0.4, chance=0.0, adjusted=0.4)
