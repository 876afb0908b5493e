"""The limits of the rules of validity, as studies/levels/refit.py fits them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bychance import _native
from bychance.io import read_table
from bychance.measures import registry
from bychance.pair import prepare_pair
from studies.levels.designs import Design
from studies.levels.figures import BETA_FIGURES, GAMMA_FIGURES, figures_of, level_of, of_rules
from studies.levels.fit_data import FIT
from studies.levels.refit import BY_HAND, LIMITS, RULES, fit, loosest, stated
from tests.engine.nulls import CAVEATS

DRAWS = {**FIT.numbers, **FIT.labels}
JUDGES = {
    "beta": lambda figures: _native.judge_beta(*of_rules(figures, BETA_FIGURES)),
    "gamma": lambda figures: _native.judge_gamma(*of_rules(figures, GAMMA_FIGURES)),
    "information": lambda figures: _native.judge_information(float(figures["min_expected"])),
}


def test_every_limit_of_the_rules_is_fitted_or_said_to_be_set_by_hand():
    named = re.findall(r"\bk[A-Z]\w+(?=\s*(?:=|\{|\[\]))", RULES.read_text())
    by_hand = {name for names in BY_HAND for name in names.split(", ")}
    fitted = {limit.name for limit in LIMITS}

    assert set(named) == fitted | by_hand - {"rows_per_direction", "third_of_gamma"}
    assert not fitted & by_hand


@pytest.mark.parametrize(
    ("name", "value"), [("kMaxThirdOfBeta", 0.03), ("kSkewRatio", (0.8, 1.25)), ("kMinExpected", 5.0)]
)
def test_stated_limits_are_read_from_the_rules(name, value):
    assert [stated(limit) for limit in LIMITS if limit.name == name] == list(np.atleast_1d(value))


def test_stated_steps_are_read_in_their_order():
    steps = [stated(limit) for limit in LIMITS if limit.name == "kSteps" and limit.figure == "variance_ratio"]

    assert steps == [1.05, 1.015, 1.005]


@pytest.mark.parametrize(
    ("measure", "x", "y", "n"),
    [
        ("r2", "exponential", "exponential", 150),
        ("r2", "normal", "uniform", 45),
        ("spearman", "normal", "five values", 20),
        ("eta2", "90% distinct", "normal", 45),
        ("eta2", "3 labels", "one outlier", 45),
        ("goodman_kruskal", "halving labels", "5 labels", 150),
        ("phi2", "3 labels", "5 labels", 150),
        ("mi", "12 labels", "3 labels", 45),
    ],
)
def test_figures_are_those_that_the_rules_saw(measure, x, y, n, rng):
    table = read_table({"x": DRAWS[x](rng, n), "y": DRAWS[y](rng, n)})
    law, figures, null = figures_of(prepare_pair(registry.resolve(measure), *table.columns))
    caveat, *_ = JUDGES[law](figures)

    assert CAVEATS[caveat] == null.caveat


def test_a_limit_is_found_where_ratios_leave_their_range(rng):
    figure = rng.permutation(np.linspace(0, 1, 400))
    ratios = np.where(figure < 0.6, 1.0, 1.6)[:, np.newaxis] + rng.normal(scale=0.1, size=(400, 3))
    value, is_left = loosest(figure, ratios, (0.8, 1.25))

    assert is_left
    assert 0.5 < value < 0.65
    assert loosest(figure, np.ones((400, 1)), (0.8, 1.25)) == (1.0, False)


def lognormal(sigma):
    return lambda rng, n: rng.lognormal(sigma=sigma, size=n)


@pytest.mark.slow
def test_the_limit_of_both_skewed_comes_before_levels_leave_their_range():
    """r² of columns from slightly to very skewed."""
    rng = np.random.default_rng(5)
    limit = next(limit for limit in LIMITS if limit.name == "kMaxThirdOfBeta")
    sigmas = np.repeat(np.linspace(0.2, 0.9, 15), 8)
    designs = [Design("", lognormal(s), lognormal(s), is_continuous=True) for s in sigmas]
    sets = [level_of("r2", design, 100, rng, n_pairings=2_000) for design in designs]
    fitted = float(fit(limit, sets, 2_000).split("|")[3].removeprefix(" beyond"))

    assert stated(limit) <= fitted
