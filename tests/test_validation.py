"""Numbers at the public edge: each refusal names the argument, the rule and the value."""

from __future__ import annotations

from fractions import Fraction

import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.validation import finite_number, number_within


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), Fraction(10**400), float("nan"), 0, 1.5, True, "0.05"]
)
def test_what_is_not_within_its_range_is_refused_with_its_name(value):
    with pytest.raises(BychanceError, match=r"`alpha` must lie in \(0, 1\], got "):
        number_within(value, "alpha", 1)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), True, "1"])
def test_what_is_not_finite_is_refused_with_its_name(value):
    with pytest.raises(BychanceError, match="`bound` must be a finite number, got "):
        finite_number(value, "bound")


def test_a_level_too_large_for_a_float_is_refused_as_any_other():
    estimate = bc.adjust("r2", [1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    with pytest.raises(BychanceError, match="`alpha` must lie in"):
        estimate.adjusted_at(10**400)
