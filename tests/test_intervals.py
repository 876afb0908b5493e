"""Limits of adjusted values: they hold the truth about as often as they say, and keep to their range."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import bychance as bc
from bychance.influence import Error
from bychance.intervals import limits_of_shares
from studies import long_tails
from studies.csv_files import read_rows
from studies.interval_coverage import (
    CLOSED,
    HIGHEST,
    LONG_TAILS,
    LOWEST,
    LOWEST_OF_LONG_TAILS,
    SAMPLED,
    SIZES,
    cell,
    tasks,
)
from studies.long_tails import NOISE, SHARES
from tools.pages import ROOT


def pair(n=100, slope=1.0, seed=0):
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x, slope * x + noise


def as_labels(values):
    return np.array(["low", "middle", "high"])[np.digitize(values, [-0.4, 0.4])]


@pytest.mark.statistical
@pytest.mark.parametrize("data", ["normal", "unbalanced"])
def test_limits_hold_the_truth_about_as_often_as_they_say(data):
    """100 data sets per size and measure: each within two standard errors (4%) of coverage.csv.

    Limits of 0.85 times their length would hold it in 93.4% of normal data, of 1.2 times in 99% and more.
    """
    held = []
    for measure, kinds in CLOSED.items():
        shape = "tied" if data == "unbalanced" and "labels" not in kinds else data
        held.append(cell((measure, shape, "strong"), 100, sizes=(30, 100)).held)

    assert np.min(held) >= LOWEST - 0.04
    assert 0.945 <= np.mean(held) <= 0.985


@pytest.mark.statistical
@pytest.mark.parametrize("measure", SAMPLED)
def test_weak_relations_are_held_too_by_measures_of_pairs_of_rows(measure):
    """100 data sets per size (half of 200): squares near 0 vary by another law than far from it.

    Limits of 0.85 times their length would hold them in 82% and less, of 1.2 times in 98.2% and more.
    """
    cases = product(("normal", "tied"), ("none", "weak"))
    held = [cell((measure, data, strength), 200, sizes=(30, 100)).held for data, strength in cases]

    assert np.min(held) >= LOWEST - 0.04
    assert 0.94 <= np.mean(held) <= 0.98


@pytest.mark.statistical
def test_rare_large_values_of_the_target_are_allowed_for():
    """Errors taken as they are would hold it in 86.5% of 200 data sets."""
    rng, r2 = np.random.default_rng(5), 0.3
    held = []
    for _ in range(200):
        x, noise = rng.normal(size=(2, 100))
        skewed = (np.exp(noise) - np.exp(0.5)) / np.sqrt(np.e**2 - np.e)
        low, high = bc.adjust("r2", x, np.sqrt(r2) * x + np.sqrt(1 - r2) * skewed, null="moments").interval()
        held.append(low <= r2 <= high)

    assert np.mean(held) >= 0.9


def test_the_side_of_rare_rows_is_the_longer_one():
    n, nulls = np.array([100] * 3), (np.full(3, 0.01), np.full(3, 0.014))
    errors = np.array([Error(0.1, acceleration=a) for a in (0.0, -0.1, 0.1)])
    low, high = limits_of_shares(np.full(3, 0.3), errors, n, *nulls, 0.95)

    assert low[1] < low[0] == low[2]
    assert high[2] > high[0] == high[1]


@pytest.mark.parametrize("measure", ["kendall", "dcor"])
def test_limits_of_many_rows_come_from_halves_and_agree(monkeypatch, measure):
    x, y = pair(120, 0.7)
    from_all_pairs = bc.adjust(measure, x, y).interval()
    monkeypatch.setattr("bychance.intervals.MOST_ROWS", 100)
    from_halves = bc.adjust(measure, x, y).interval()

    assert from_halves != from_all_pairs
    assert from_halves == pytest.approx(from_all_pairs, abs=0.05)


@pytest.mark.parametrize("measure", ["r2", "spearman", "explained", "xi", "kendall", "dcor", "mic"])
def test_limits_surround_the_estimate_and_widen_with_the_level(measure):
    r = bc.adjust(measure, *pair(), null="moments" if measure != "mic" else bc.Permutation(99))
    limits = [r.interval(level) for level in (0.5, 0.95, 0.99)]

    assert all(0 <= low < r.adjusted < high <= 1 for low, high in limits)
    assert [low for low, _ in limits] == sorted((low for low, _ in limits), reverse=True)
    assert [high for _, high in limits] == sorted(high for _, high in limits)
    assert (r.adjusted_low, r.adjusted_high) == limits[1]


def test_the_lower_limit_is_0_where_a_test_would_not_reject():
    agree = 0
    for seed in range(200):
        r = bc.adjust("r2", *pair(30, 0.3, seed))
        agree += (r.adjusted_low > 0) == (r.p_value < 0.05)

    assert agree >= 185  # the errors differ: one is of the null, the other partly of the data


def test_an_estimate_of_almost_nothing_has_narrow_limits():
    labels, numbers = np.repeat(["a", "b"], 60), np.tile(np.arange(60.0), 2)
    numbers[0] = 1  # so that it is near 0, and not 0

    for x, y in ((labels, numbers), (numbers, labels)):
        result = bc.adjust("explained", x, y)

        assert 0 < result.observed < 0.001
        assert result.interval()[1] < 0.1


@pytest.mark.parametrize("measure", ["dcor", "kendall"])
def test_independent_columns_have_narrow_limits_by_measures_of_pairs_of_rows(measure):
    highs = [
        bc.adjust(measure, *np.random.default_rng(k).normal(size=(2, 100))).interval()[1] for k in range(10)
    ]

    assert max(highs) < 0.25


def test_limits_of_columns_that_are_exactly_uncorrelated_reach_down_to_0():
    """A remainder of rounding in r² was divided by itself, and both limits were 0.14."""
    x, y = np.arange(6.0), np.array([1.0, 1, 0, 0, 1, 1])
    low, high = bc.adjust("r2", x, y, null="moments").interval()
    ranking = bc.rank({"x": x, "y": y}, measure="r2", null="moments", min_n=6)

    assert low == 0 < high
    assert (ranking[0]["adjusted_low"], ranking[0]["adjusted_high"]) == (low, high)


def test_more_rows_give_narrower_limits():
    widths = []
    for n in (30, 300, 3000):
        low, high = bc.adjust("explained", *pair(n)).interval()
        widths.append(high - low)

    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("measure", ["gini", "mi", "phi2", "cramers_v"])
def test_a_perfect_relation_may_have_exceptions_that_were_not_seen(measure):
    """95 of 100 samples would show fewer exceptions, each of which changes as much as one of 101 rows."""
    labels = np.repeat(["a", "b"], 50)
    low, high = bc.adjust(measure, labels, labels).interval()
    share = "phi2" if measure == "cramers_v" else measure
    with_one = bc.adjust(share, [*labels, "a"], [*labels, "b"], null="moments")

    lowest = 1 - 100 * (1 - 0.025 ** (1 / 100)) * (1 - with_one.observed / with_one.bound)
    assert low == pytest.approx(lowest**0.5 if measure == "cramers_v" else lowest)
    assert high == pytest.approx(1)


@pytest.mark.statistical
@pytest.mark.parametrize("measure", ["mi", "gini"])
def test_a_category_of_seven_rows_may_hide_exceptions(measure):
    """A third of 200 data sets have none of the exceptions. Errors from the others alone hold 70%."""
    population = np.array([[0.92, 0.01], [0.001, 0.069]])
    truth = share_of_table(measure, population)
    rng, held = np.random.default_rng(0), []
    for counts in rng.multinomial(100, population.ravel(), 200):
        x, y = np.array(["a", "b"])[np.array(np.divmod(np.repeat(np.arange(4), counts), 2))]
        low, high = bc.adjust(measure, x, y, null="moments").interval()
        held.append(low <= truth <= high)

    assert np.mean(held) >= 0.92


def share_of_table(measure, table):
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if measure == "mi":
        entropies = [-np.sum(side * np.log(side)) for side in (rows, columns, table)]
        return (entropies[0] + entropies[1] - entropies[2]) / min(entropies[:2])
    same = np.sum(columns**2)
    return (np.sum(table**2 / rows[:, None]) - same) / (1 - same)


def test_another_bound_scales_the_limits():
    x, y = map(as_labels, pair())
    own, largest = bc.adjust("mi", x, y), bc.adjust("mi", x, y, bound="max")

    assert largest.interval() == pytest.approx([side * own.bound / largest.bound for side in own.interval()])


def test_half_samples_follow_the_seed():
    x, y = pair(60)
    first, again, other = (bc.adjust("xi", x, y, rng=seed).interval() for seed in (1, 1, 2))

    assert first == again != other


def test_raters_labels_stay_shared_in_halves():
    rng = np.random.default_rng(0)
    x = np.where(rng.random(80) < 0.02, "rare", rng.choice(["a", "b"], 80))
    y = np.where(rng.random(80) < 0.8, x, "a")
    r = bc.adjust("agreement", x, y)

    assert r.adjusted_low < r.adjusted < r.adjusted_high
    assert r.adjusted_high - r.adjusted_low < 0.6


def test_functions_of_ones_own_have_limits():
    def sign_match(x, y):
        return float(np.mean((x > 0) == (y > 0)))

    r = bc.adjust(sign_match, *pair(), null=bc.Permutation(99))

    assert r.adjusted_low < r.adjusted < r.adjusted_high


@pytest.mark.parametrize(("x", "y"), [([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2], [1, 2]), ([1, 2, 3], [1, 3, 2])])
def test_where_there_is_nothing_to_tell_from_limits_are_unknown_or_wide(x, y):
    low, high = bc.adjust("r2", x, y).interval()

    assert math.isnan(low) or (low, high) == pytest.approx((0, 1), abs=0.1)


@pytest.mark.parametrize("level", [0, 1, -1, 2])
def test_levels_lie_between_0_and_1(level):
    with pytest.raises(ValueError, match="`level` must lie in"):
        bc.adjust("r2", *pair()).interval(level)


def test_many_shares_have_the_limits_of_each():
    shares, means = np.array([0.0, 0.1, 0.9]), np.array([0.01, 0.05, 0.01])
    errors = np.array([Error(0.1), Error(0.2, df=5.0), Error(0.1, acceleration=-0.1)])
    n, deviations = np.full(3, 50), means * 1.2
    together = limits_of_shares(shares, errors, n, means, deviations, 0.95)
    inputs = shares, errors, n, means, deviations
    apart = [limits_of_shares(*(values[k : k + 1] for values in inputs), 0.95) for k in range(3)]

    assert together[0].tolist() == [low[0] for low, _ in apart]
    assert together[1].tolist() == [high[0] for _, high in apart]
    assert together[0][0] == 0


@pytest.mark.parametrize("extreme", [10.0, 30.0, 1e3, 1e5, 1e9, 1e15])
@pytest.mark.parametrize("name", ["r2", "explained"])
def test_one_row_alone_bounds_nothing(name, extreme):
    """Without it nothing is left, whatever r² is with it. Copies of one column keep their limits."""
    x, y = np.random.default_rng(0).normal(size=(2, 100))
    x[5] = y[5] = extreme

    low, high = bc.adjust(name, x, y, null="moments").interval()
    assert low == 0
    assert high > 0.9
    assert bc.rank({"x": x, "y": y}, measure=name, null="moments")[0]["adjusted_low"] == 0
    assert bc.adjust(name, x, x, null="moments").adjusted_low > 0.96


LONE = np.where(np.arange(20) == 2, 0.43834598, 0.0)
PAIR = np.where(np.arange(20) < 2, [-0.37765526, -1.2474726] * 10, 0.0)
THIRDS = np.array([1, 2, 1, 0, 2, 0, 1, 1, 2, 2, 0, 2, 0, 2, 0, 0, 1, 0, 0, 1])
WITH_OUTLIER = 1e7 * LONE + np.sin(np.arange(20))


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("r2", -3.1 * LONE[:12], np.array([0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 2, 0.3])),
        ("dcor", PAIR[:9], np.sin(np.arange(9))),
        ("eta2", THIRDS.astype(str), LONE),
        ("explained", LONE, THIRDS.astype(str)),
        ("eta2", THIRDS.astype(str), WITH_OUTLIER),
        ("explained", WITH_OUTLIER, THIRDS.astype(str)),
        ("phi2", np.array(list("cbcac")), np.array(list("abcba"))),
    ],
)
def test_limits_depend_neither_on_the_order_of_rows_nor_on_that_of_columns(name, x, y):
    """A column that one row alone varies is nearly constant without it: rounding took the rest's place."""
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(len(x)), (20, 1)), axis=1)
    found = [bc.adjust(name, x[at], y[at], null="moments").interval() for at in rows]
    if name in ("r2", "dcor", "phi2"):
        found += [bc.adjust(name, y[at], x[at], null="moments").interval() for at in rows]

    np.testing.assert_allclose(found, [found[0]] * len(found), atol=1e-6)


@pytest.mark.parametrize("name", ["explained", "eta2", "gini", "goodman_kruskal", "mi", "phi2", "cramers_v"])
def test_lower_limits_are_0_if_p_rejects_nothing(name):
    """95 of 140 rows have a separate category, and the target differs in one row: p is 95/140."""
    x = np.array([f"c{k if k < 95 else 95 + k % 5}" for k in range(140)])
    y = np.r_[3.7, np.zeros(139)] if name == "eta2" else np.array(["a"] + ["b"] * 139)
    r = bc.adjust(name, x, y)
    row = bc.rank({"x": x, "y": y}, x="x", y="y", measure=name, categorical="x")[0]

    assert r.adjusted == pytest.approx(1)
    assert r.p_value > 0.5
    assert r.adjusted_low == row["adjusted_low"] == 0


def test_half_samples_count_in_shares_of_their_own_bound():
    """The bound of hsic varies with the values: near-equal columns are near it in every half."""
    x, noise = np.random.default_rng(0).normal(size=(2, 60))
    for size in (0.1, 1e-3, 1e-6, 1e-9):
        r = bc.adjust("hsic", x, x + size * noise, null="moments")

        assert 0.9 < r.adjusted_low <= r.adjusted <= r.adjusted_high <= 1
    assert bc.rank({"x": x, "y": x + 1e-6 * noise}, measure="hsic")[0]["adjusted_low"] > 0.999


def test_a_function_near_its_bound_has_limits_however_much_halves_vary():
    """The scale log(1 − adjusted) has no room for a step of thousands."""

    def agrees(x, y):
        return 1 - 1e-9 * np.mean((x - y) ** 2) - (len(x) < 40) * abs(np.mean(y))

    assert np.isfinite(bc.adjust(agrees, *pair(40), null=bc.Permutation(99)).interval()).all()


@pytest.mark.parametrize("name", ["mic", "mic_e", "hsic", "xi"])
def test_limits_lie_where_the_population_may(name):
    """On few rows halves say so little that the lower limit would lie far below 0."""
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 14))

    for y in (x + noise / 3, noise):
        low, high = bc.adjust(name, x, y, null=bc.Permutation(99)).interval()
        assert 0 <= low <= high <= 1


def test_a_citation_has_the_limits():
    r = bc.adjust("r2", *pair())

    assert f"{r.adjusted:.3f} (95% limits {r.adjusted_low:.3f} to {r.adjusted_high:.3f})" in r.summary()


def test_a_citation_of_a_near_identifier_has_a_caution():
    labels = [f"name {k}" for k in range(38)] + ["name 0", "name 1"]
    classes = (["u", "v"] * 19) + ["u", "v"]
    r = bc.adjust("explained", labels, classes)

    assert r.adjusted == pytest.approx(1)
    assert "Caution: chance alone gives" in r.summary()
    assert "aution" not in bc.adjust("explained", classes, classes).summary()


def test_the_table_of_coverage_holds_what_is_promised():
    """A share of 400 data sets per cell has a standard error of 1%."""
    rows = read_rows(ROOT / "docs/validation/coverage.csv")
    closed = [row for row in rows if row["measure"] in CLOSED]
    shares = np.array([[float(row[f"n_{n}"]) for n in SIZES] for row in closed])

    is_long = np.array([row["data"] in LONG_TAILS for row in closed])
    assert len(closed) == len(list(tasks(CLOSED)))
    assert shares[~is_long].min() >= LOWEST
    assert shares[is_long].min() >= LOWEST_OF_LONG_TAILS
    assert shares.max() <= HIGHEST + 0.015
    assert np.mean(shares > HIGHEST) < 0.05
    assert shares[~is_long].mean(axis=0) == pytest.approx(0.95, abs=0.02)  # per size


def test_the_table_of_long_tails_has_every_noise_and_share():
    rows = read_rows(ROOT / "docs/validation/coverage_long_tails.csv")

    assert [(row["noise"], row["r2"]) for row in rows] == [
        (noise, f"{share:.2f}") for noise, share in product(NOISE, SHARES)
    ]
    assert list(rows[0]) == list(long_tails.NAMES)


@pytest.mark.parametrize("noise", NOISE)
def test_noise_with_long_tails_is_centered_and_of_the_variance_that_its_r2_takes(noise):
    """A million numbers of the longest tails have a variance within a third of it."""
    values = NOISE[noise](np.random.default_rng(0), 1_000_000)

    assert values.mean() == pytest.approx(0, abs=0.01)
    assert values.var() == pytest.approx(1, rel=0.33)
