"""`bychance rank --given`: what it prints, and what it refuses."""

from __future__ import annotations

import pytest

import bychance as bc
from tests.cli.running import error_of, run, tabbed


def test_covariates_reach_the_ranking(harvest):
    result = run(harvest, "--target", "yield", "--given", "rainfall", "--given", "soil", "--top", 3)
    expected = bc.rank(harvest, target="yield", given=["rainfall", "soil"])

    assert [line["x"] for line in tabbed(result.stdout)] == [r["x"] for r in expected.best(3, fold=True)]
    assert ", beyond rainfall and soil, " in result.stderr


def test_control_and_effect_reach_the_ranking(harvest):
    linear = run(harvest, "--target", "yield", "--given", "rainfall", "--control", "linear", "--top", 1)
    expected = bc.rank(harvest, target="yield", given=bc.Given("rainfall", control="linear"))

    assert tabbed(linear.stdout)[0]["observed"] == str(next(iter(expected.best(1)))["observed"])
    assert ", beyond rainfall, 1 cell, " in linear.stderr
    separate = run(harvest, "--target", "yield", "--given", "soil", "--control", "separate", "--top", 1)
    expected = bc.rank(harvest, target="yield", given=bc.Given("soil", effect="separate"))
    assert tabbed(separate.stdout)[0]["observed"] == str(next(iter(expected.best(1)))["observed"])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--target", "yield", "--given", "yield"], 1, "--given must not name a column of --target"),
        (["--given", "rain"], 1, "Did you mean 'rainfall'? --given must be one of"),
        (["--given", "soil", "--control", "spline"], 2, "--control must be one of"),
        (
            ["--given", "soil", "--control", "linear,separate"],
            2,
            "--control separate needs strata, and",
        ),
        (["--control", "linear"], 2, "requires --given"),
    ],
)
def test_wrong_covariates_are_told_in_one_line(harvest, options, code, message):
    assert message in error_of(harvest, *options, code=code)
