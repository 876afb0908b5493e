"""Nulls by brute force: the measure's plain definition over all n! pairings."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations


def all_values(function, x, y):
    """Compute f(x, π(y)) for every permutation π, once for equal arrangements of ties."""
    arrangements = list(permutations(y))
    value_of = {arranged: function(x, list(arranged)) for arranged in set(arrangements)}
    return [value_of[arranged] for arranged in arrangements]


def mean(values):
    return sum(values) / len(values)


def central_moment(values, order):
    center = mean(values)
    return sum((v - center) ** order for v in values) / len(values)


def upper_tail(values, observed, slack=0):
    return Fraction(sum(v >= observed - slack for v in values), len(values))
