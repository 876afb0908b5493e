"""Verdicts are computed from the numbers, the standard error and the rounding."""

from __future__ import annotations

import pytest

from reproduction.claims import Claim
from reproduction.tables import markdown, verdict_record


def claim(paper, ours, **more):
    return Claim(text="a number", source="Example 1", paper=paper, ours=ours, size="10 runs", **more)


@pytest.mark.parametrize(
    ("kind", "ours", "verdict"),
    [
        ("equal", 0.479, "does not hold"),
        ("equal", 0.481, "holds"),
        ("equal", 0.519, "holds"),
        ("equal", 0.521, "does not hold"),
        ("at_most", 0.1, "holds"),
        ("at_most", 0.519, "holds"),
        ("at_most", 0.521, "does not hold"),
        ("at_least", 0.9, "holds"),
        ("at_least", 0.481, "holds"),
        ("at_least", 0.479, "does not hold"),
        ("above", 0.521, "holds"),
        ("above", 0.519, "undecided"),
        ("above", 0.481, "undecided"),
        ("above", 0.479, "does not hold"),
        ("below", 0.479, "holds"),
        ("below", 0.481, "undecided"),
        ("below", 0.521, "does not hold"),
    ],
)
def test_a_verdict_allows_four_standard_errors_and_the_rounding(kind, ours, verdict):
    made = claim(0.5, ours, se=0.004, rounding=0.004, kind=kind)

    assert made.tolerance == pytest.approx(0.02)
    assert made.verdict == verdict


def test_values_without_error_must_agree_exactly():
    assert claim(0.5, 0.5).verdict == "holds"
    assert claim(0.5, 0.5 + 1e-12).verdict == "does not hold"


def test_names_and_lists_are_compared_as_they_are():
    assert claim("Aid given", "Aid given", kind="same").verdict == "holds"
    assert claim(["a", "b"], ["b", "a"], kind="same").verdict == "does not hold"


def test_a_number_that_is_none_holds_nothing():
    assert claim(0.5, float("nan"), se=0.1).verdict == "does not hold"
    assert claim(0.5, float("nan"), se=0.1, kind="above").verdict == "does not hold"
    assert claim(0.5, float("nan"), se=0.1, kind="at_most").verdict == "does not hold"


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"`kind` must be one of equal, .* got 'near'"):
        claim(0.5, 0.5, kind="near")


def test_a_record_shows_both_values_the_tolerance_and_the_size():
    record = verdict_record("example_1", claim(0.36, 0.357812, se=0.001, rounding=0.005))

    assert record == {
        "item": "example_1",
        "source": "Example 1",
        "claim": "a number",
        "paper": "0.36",
        "ours": "0.3578",
        "tolerance": "0.009",
        "verdict": "holds",
        "size": "10 runs",
    }
    assert verdict_record("x", claim(0.2, 0.4, kind="above"))["paper"] == "> 0.2"


def test_markdown_has_a_line_a_record():
    lines = markdown([{"name": "a|b", "seconds": 1.25}, {"name": "c", "seconds": 10}]).splitlines()

    assert lines == ["| name | seconds |", "|---|---:|", "| a\\|b | 1.25 |", "| c | 10 |"]
