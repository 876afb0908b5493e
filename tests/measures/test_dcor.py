"""Distance correlation: the invariants of a variable, found in one pass over its sorted values."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import bychance as bc
from bychance.kinds import Role
from bychance.measures import registry


@pytest.mark.parametrize("draw", ["normal", "cauchy", "tied", "two groups", "one row in a hundred"])
def test_invariants_are_those_of_the_whole_matrix(draw, rng):
    n, x = 600, rng.standard_normal(600)
    x = {
        "normal": x,
        "cauchy": rng.standard_cauchy(n) ** 3,
        "tied": x.round(),
        "two groups": x + 1e6 * (np.arange(n) % 2),
        "one row in a hundred": np.where(np.arange(n) % 100 == 7, x, 0.0),
    }[draw]
    prepared = registry.resolve("dcor").prepare(x, Role.X)
    a = np.abs(prepared.values[:, None] - prepared.values)
    rows = a.sum(axis=1) / (n - 2)
    u = a - rows[:, None] - rows + a.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(u, 0.0)
    u /= np.sqrt((u**2).sum())

    expected = [0, 1, ((u @ u) * u).sum(), 0, 0, 0, 0, (u**3).sum()]
    np.testing.assert_allclose(prepared.invariants, expected, rtol=1e-11, atol=1e-15)


SIZES = [[5, 4], [7, 2, 1], [3, 3, 3, 1], [1, 2, 4, 8], [2] * 9]


@pytest.mark.oracle
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_invariants_of_categories_are_those_of_the_whole_matrix(sizes, rng):
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int32)
    prepared = registry.resolve("dcor").prepare(codes, Role.X)
    u = np.array([[float(x) for x in row] for row in u_centered_differences(codes)])

    assert prepared.squared_norm == pytest.approx((u**2).sum())
    u /= np.sqrt((u**2).sum())
    expected = [0, 1, ((u @ u) * u).sum(), 0, 0, 0, 0, (u**3).sum()]
    np.testing.assert_allclose(prepared.invariants, expected, rtol=1e-10, atol=1e-13)


def u_centered_differences(codes):
    """Compute the definition, entry by entry."""
    n = len(codes)
    d = [[Fraction(int(a != b)) for b in codes] for a in codes]
    rows = [sum(row) for row in d]
    return [
        [
            0 if k == m else d[k][m] - (rows[k] + rows[m]) / (n - 2) + sum(rows) / ((n - 1) * (n - 2))
            for m in range(n)
        ]
        for k in range(n)
    ]


@pytest.mark.parametrize("name", ["dcor", "hsic"])
@pytest.mark.parametrize("kinds", ["cn", "nc", "cc"])
def test_moments_with_categories_are_those_of_all_permutations(name, kinds):
    """Mean and spread by enumeration of seven rows."""
    sides = {
        "c": [np.array([*"aabbbcc"]), np.array([*"uvuvvwu"])],
        "n": [np.array([0.3, 2, 5, 1, 9, 4, 7.5])] * 2,
    }
    x, y = (sides[kind][k] for k, kind in enumerate(kinds))
    orders = map(list, permutations(range(7)))
    all_values = np.array([bc.measure(name, x, y[order]) for order in orders])
    null = bc.adjust(name, x, y, null="moments").null

    assert null.mean == pytest.approx(all_values.mean(), abs=1e-12)
    assert null.std == pytest.approx(all_values.std(), rel=1e-9)


def test_two_categories_are_a_number_of_two_values(rng):
    x, group = rng.normal(size=60), rng.integers(2, size=60)
    labels = np.where(group == 1, "a", "b")

    assert bc.measure("dcor", x, labels) == pytest.approx(bc.measure("dcor", x, group), rel=1e-10)
    assert bc.adjust("dcor", labels, x).p_value == pytest.approx(
        bc.adjust("dcor", group * 1.0, x).p_value, rel=0.02
    )


def test_a_category_that_a_line_does_not_see_is_seen_by_distances(rng):
    age = rng.uniform(15, 50, size=400)
    use = np.where(rng.random(400) < np.exp(-(((age - 33) / 8) ** 2)), "yes", "no")

    assert bc.adjust("dcor", age, use).p_value <= 0.01
    assert bc.adjust("hsic", age, use).p_value <= 0.01


def test_a_measure_that_does_not_take_categories_names_those_that_do(rng):
    table = {"x": rng.normal(size=20), "g": ["a", "b"] * 10}
    takes_any = [f"`{m.name}`" for m in bc.list_measures() if m.kinds == "any"]

    for refused in (
        lambda: bc.measure("mic", table["g"], table["x"]),
        lambda: bc.rank(table, "g", measure="mic"),
    ):
        with pytest.raises(ValueError, match="categori") as error:
            refused()
        assert all(name in str(error.value) for name in takes_any)


@pytest.mark.parametrize("name", ["dcor", "hsic"])
@pytest.mark.parametrize("null", ["moments", "auto", "exact"])
def test_categories_of_one_row_each_say_nothing(name, null):
    r = bc.adjust(name, [*"abcdef"], [*"uvwuvw"], null=null)

    assert (r.adjusted, r.standardized, r.p_value) == (0, 0, 1)
