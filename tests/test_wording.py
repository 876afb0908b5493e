"""Figures in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bychance as bc
from bychance.wording import p_in_words, percent, says_how_much


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


@pytest.mark.parametrize(
    ("bound", "adjusted"), [(0.6, "its upper bound is too low to adjust by: 0.6"), (1, "")]
)
def test_a_value_above_its_bound_is_not_cited_as_adjusted(bound, adjusted):
    r = bc.adjust("r2", range(20), [k + k % 7 for k in range(20)], bound=bound)

    assert (adjusted or "adjusted for chance 0.") in r.summary()
    assert ("exceeds the upper bound" in r.note) == (r.observed > bound)


def test_a_law_is_not_cited_for_less_than_it_was_shown_to_hold_for():
    """The true p-value of these is 10⁷ times the law's, which all permutations of whole numbers give."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 50, 300).astype(float)
    r = bc.adjust("explained", x, x + rng.normal(0, 12, 300) > 25)

    assert r.p_value == r.null.holds_to == 1e-8
    assert r.summary().endswith("; p < 1e-08.")
    skewed = rng.exponential(size=(2, 150))
    approximate = bc.adjust("r2", *skewed, null="moments")
    assert f" (by a matched distribution, approximate: {approximate.null.caveat})" in approximate.summary()


def test_permutations_are_cited():
    r = bc.adjust("r2", range(20), [k % 7 for k in range(20)], null=bc.Permutation(199))

    assert "(199 permutations)" in r.summary()


def test_what_cannot_be_learned_is_said():
    assert "says nothing about dependence" in bc.adjust("r2", [1, 1, 1, 1], [1, 2, 3, 4]).summary()
    assert bc.adjust("r2", [1, 2], [1, 2]).summary() == "r2 is unknown: 2 shared rows; r2 needs 3."


def test_measures_that_are_no_shares_are_not_percents():
    assert "%" not in says_how_much("dcor", observed=0.4, chance=0.0, adjusted=0.4)
    assert "in ranks" in says_how_much("spearman", observed=0.4, chance=0.0, adjusted=0.4)


@pytest.mark.parametrize(
    ("null", "said"),
    [
        ("exact", "(exact)."),
        ("moments", "(by a matched distribution, approximate: few rows)."),
        (bc.Permutation(199), ": none of 199 permutations gave as much."),
    ],
)
def test_a_p_value_says_what_kind_of_number_it_is(null, said):
    x = list(range(8))

    assert bc.adjust("r2", x, [k**2 for k in x], null=null).summary().endswith(said)


def test_sampled_p_values_are_cited_with_two_standard_errors():
    r = bc.adjust("r2", range(20), [k % 7 for k in range(20)], null=bc.Permutation(199))

    assert f"within a factor of {10 ** (2 * r.p_se):.2g} (199 permutations)" in r.summary()
    assert p_in_words(3e-9, "splitting", 0.1) == "p = 3e-09, within a factor of 1.6"


def test_only_a_bound_of_a_sample_is_what_no_permutation_gave():
    assert p_in_words(1 / 200, "bound", math.nan, 199).endswith("none of 199 permutations gave as much")
    assert p_in_words(1e-12, "bound", math.nan, 199) == "p < 1e-12"
    assert "<" not in p_in_words(2 / 200, "sequential", 0.2, 199)


@pytest.mark.parametrize("restriction", [{"block": 4}, {"groups": ["a"] * 12 + ["b"] * 12}])
def test_limits_of_rows_that_are_kept_together_come_with_a_caution(restriction):
    x = list(range(24))
    r = bc.adjust("r2", x, [k**2 for k in x], null=bc.Permutation(99, **restriction))
    assert r.summary().endswith("95% limits take rows as independent: too narrow where they are not.")
    assert "rows as independent" in r.note
    assert "independent" not in bc.adjust("r2", x, [k**2 for k in x], null=bc.Permutation(99)).summary()


def test_nothing_is_said_of_limits_that_there_are_not():
    r = bc.adjust("r2", [1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6], null=bc.Permutation(9, block=6))
    assert "rows as independent" not in r.summary()


def test_one_row_is_no_rows():
    assert bc.adjust("r2", [1, None], [1, 2]).summary() == "r2 is unknown: 1 shared row; r2 needs 3."
