"""Every erratum is a claim of the paper that its computation contradicts."""

from __future__ import annotations

import pytest

from reproduction.data import Data
from reproduction.errata_checks import CHECKS, printed_wilcoxon
from reproduction.run import Run


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path / "pieces", Data(tmp_path), quick=True)


@pytest.mark.parametrize(
    ("number", "check"),
    [(number, check) for number, checks in CHECKS.items() for check in checks if number not in (18, 20)],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_what_is_printed_does_not_hold(number, check, run):
    assert check(run).verdict == "does not hold"


@pytest.mark.parametrize(
    ("forest", "verdict"), [("sgini", "holds"), ("agini", "holds"), ("tuned", "does not hold")]
)
def test_two_of_three_p_values_follow_from_the_printed_figures(forest, verdict, run):
    assert printed_wilcoxon(forest)(run).verdict == verdict


def test_right_values_are_those_of_rational_arithmetic(run):
    """The handbook has Gini 71/360, quantiles 0.0200 and 0.0291, and a variance 2.4% larger."""
    found = {check.__name__: check(run).ours for number in (1, 3, 9, 12, 15) for check in CHECKS[number]}

    assert found["gini_sum"] == pytest.approx(71 / 360)
    assert found["penalty_of_two"] == pytest.approx(0.0200, abs=5e-5)
    assert found["penalty_of_three"] == pytest.approx(0.0291, abs=5e-5)
    assert found["beta_needs_a_normal_margin"] == pytest.approx(1.024, abs=0.004)
    assert found["plug_in_breaks_the_bound"] == pytest.approx(0.472, abs=5e-4)
