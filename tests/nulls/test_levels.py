"""The level of auto's p-values: kinds of data on which a law once failed, and part of levels.csv."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bychance as bc
from studies.levels.cells import ALPHAS, HIGHEST, LOWEST, is_matched, run_cell
from studies.levels.designs import Design
from studies.levels.fit_data import FIT
from studies.levels.judge_data import JUDGE
from studies.levels.oracles import HAVE_ORACLE, oracle
from studies.levels.seen_data import SEEN
from studies.levels.tails import true_tails
from tests.engine.nulls import FixedAuto

MEASURES = [
    "explained", "r2", "spearman", "kendall", "xi", "dcor", "hsic", "eta2",
    "gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement",
]  # fmt: skip
TRUTH = Path(__file__).parents[3] / "shared" / "reference" / "tail_truth.json"
DRAWS = {**FIT.numbers, **FIT.labels}

# Measure, columns, rows for which P(p ≤ a) was up to sixteen times a.
ONCE_WRONG = [
    ("mi", "90% distinct", "90% distinct", 77),
    ("mi", "60 labels", "60 labels", 45),
    ("mi", "3 labels", "60 labels", 77),
    ("explained", "3 labels", "90% distinct", 77),
    ("explained", "normal", "90% distinct", 77),
    ("r2", "one outlier", "one outlier", 8),
    ("r2", "one outlier", "one outlier", 13),
    ("r2", "normal", "one outlier", 10),
    ("phi2", "90% distinct", "2 labels", 35),
    ("explained", "90% distinct", "2 labels", 35),
]
# Cases with a continuous null, in which p must not be too large either.
CONTINUOUS = [
    ("r2", "exponential", "exponential", 150),
    ("r2", "lognormal(½)", "lognormal(½)", 60),
    ("spearman", "normal", "exponential", 30),
    ("eta2", "halving labels", "exponential", 150),
    ("explained", "uniform", "3 labels", 40),
    ("dcor", "Pareto(3)", "Pareto(3)", 60),
]


def design_of(x, y, is_continuous):
    return Design(f"{x} × {y}", DRAWS[x], DRAWS[y], is_continuous)


def p_values(measure, design, n, count, rng, n_resamples=199):
    """Compute p-values of fresh independent data sets, through `adjust` and all that it may choose."""
    found = [
        bc.adjust(
            measure,
            design.x(rng, n),
            design.y(rng, n),
            null=FixedAuto(n_resamples),
            rng=int(rng.integers(2**31)),
        ).p_value
        for _ in range(count)
    ]
    return np.array(found)


def binomial_slack(alpha, count):
    """Return the 99% limit of a share of this many draws."""
    return 2.33 * np.sqrt(alpha * (1 - alpha) / count)


@pytest.mark.statistical
@pytest.mark.parametrize(("measure", "x", "y", "n"), ONCE_WRONG)
def test_p_values_are_small_no_more_often_than_they_say(measure, x, y, n, rng):
    """P(p ≤ a) ≤ 1.25·a, beyond the 99% limits of 400 data sets."""
    p = p_values(measure, design_of(x, y, is_continuous=False), n, 400, rng, n_resamples=999)

    for alpha in ALPHAS:
        assert np.mean(p <= alpha) <= HIGHEST * alpha + binomial_slack(HIGHEST * alpha, len(p))


@pytest.mark.statistical
@pytest.mark.parametrize(("measure", "x", "y", "n"), CONTINUOUS)
def test_p_values_of_continuous_data_are_neither_small_nor_large_too_often(measure, x, y, n, rng):
    """0.8·a ≤ P(p ≤ a) ≤ 1.25·a, beyond the 99% limits of 400 data sets."""
    p = p_values(measure, design_of(x, y, is_continuous=True), n, 400, rng, n_resamples=999)

    for alpha in ALPHAS:
        share = np.mean(p <= alpha)
        assert share <= HIGHEST * alpha + binomial_slack(HIGHEST * alpha, len(p))
        assert share >= LOWEST * alpha - binomial_slack(LOWEST * alpha, len(p))


@pytest.mark.statistical
@pytest.mark.parametrize("measure", MEASURES)
def test_matched_laws_keep_their_level_on_data_that_set_no_rule(measure):
    """A cell of docs/validation/levels.csv for each second kind of data, with fewer data sets."""
    rng = np.random.default_rng(7)
    cells = [
        run_cell(measure, design, 30 if k % 4 else 60, n_sets=12, n_pairings=1_000, rng=rng)
        for k, design in enumerate(JUDGE.designs(measure))
        if k % 2 == 0
    ]

    assert [f"{c.data}, n = {c.n}: {c.mean}" for c in cells if not c.is_right] == []


@pytest.mark.parametrize(("one", "other"), [(FIT, SEEN), (FIT, JUDGE), (SEEN, JUDGE)])
def test_the_grids_share_no_kind_of_data_and_no_seed(one, other):
    assert not one.numbers.keys() & other.numbers.keys()
    assert not one.labels.keys() & other.labels.keys()
    assert one.seed != other.seed


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_designs(measure):
    assert len(JUDGE.designs(measure)) >= 5


def test_the_range_of_exponential_columns_ends_before_their_tail_does(rng):
    """True p is ten times the Beta distribution's at 1e-6, so no law of such columns reaches it."""
    for _ in range(40):
        null = bc.adjust("r2", *rng.exponential(size=(2, 150)), null="moments").null

        assert null.holds_to >= 1e-4


@pytest.mark.parametrize("measure", ["r2", "spearman", "phi2", "mi", "goodman_kruskal"])
def test_true_tails_are_found_within_their_error(measure, rng):
    """The judge itself is compared with the exact distribution of 2 × 2 and 2 × 3 tables."""
    n = 60
    x, y = np.repeat([0.0, 1.0], [40, 20]), np.repeat([0.0, 1.0], [25, 35])
    if measure in ("phi2", "mi", "goodman_kruskal"):
        x, y = x.astype(str), np.repeat(["a", "b", "c"], [25, 20, 15])
    exact = bc.adjust(measure, x, y, null="exact").null
    asked = np.array([exact.quantile(1 - p) for p in (1e-2, 1e-4, 1e-6)])
    swaps, offset = oracle(measure, x, y, rng.permuted(np.tile(np.arange(n), (8_000, 1)), axis=1))
    found = true_tails(swaps, n, asked - offset, rng, n_particles=400)

    np.testing.assert_allclose(np.log10(found), np.log10([exact.sf(v) for v in asked]), atol=0.3)


@pytest.mark.skipif(not TRUTH.exists(), reason="the reference is not beside the checkout")
def test_no_valid_law_says_less_than_two_fifths_of_the_true_p_within_its_range():
    """105 true tail probabilities of single data sets, by exact distributions and by splitting."""
    wrong = []
    for case in json.loads(TRUTH.read_text())["cases"]:
        if case["measure"] not in (*HAVE_ORACLE, "dcor", "hsic", "xi"):
            continue
        null = bc.adjust(case["measure"], case["x"], case["y"], null=FixedAuto(19)).null
        for point in case["points"] if is_matched(null) else []:
            stated = np.log10(null.sf(point["value"]))
            if 10**stated >= null.holds_to and stated < point["log10_p"] - 0.4:
                wrong.append(f"{case['name']}: {stated:.2f}, true {point['log10_p']:.2f}")

    assert wrong == []


def test_moments_notes_where_its_level_is_approximate(rng):
    """One joint outlier: the matched distribution is kept, and says that it is only approximate."""
    x, y = rng.standard_cauchy((2, 100))
    kept, chosen = bc.adjust("r2", x, y, null="moments"), bc.adjust("r2", x, y)

    assert "level is approximate" in kept.null.reason
    assert chosen.null.engine == "permutation"
    assert "outliers" in chosen.null.reason
