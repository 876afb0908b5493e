"""adjust() as users meet it: the paper's adjustments, its cousins elsewhere, degenerate and bad input."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, cohen_kappa_score

import bychance as bc
from tests.strategies import labelings, numeric_pairs

AVERAGES = ["min", "geometric", "arithmetic", "max"]


@given(numeric_pairs(min_size=4))
def test_adjusted_r2_is_the_textbook_adjusted_r2(pair):
    """(r² − 1/(n−1)) / (1 − 1/(n−1)) equals 1 − (1 − r²)(n−1)/(n−2)."""
    x, y = pair
    n, r2 = len(x), bc.measure("r2", x, y)

    assert bc.adjust("r2", x, y, null="moments").adjusted == pytest.approx(
        1 - (1 - r2) * (n - 1) / (n - 2), abs=1e-12
    )


@given(labelings(n_labels=4, constant=False, max_size=500))
@pytest.mark.slow
def test_adjusted_agreement_is_cohens_kappa(pair):
    """κ is the quantification adjustment of plain agreement (the paper, eq. 2)."""
    kappa = cohen_kappa_score(*pair)

    assert bc.adjust("agreement", *pair, null="moments").adjusted == pytest.approx(kappa, abs=1e-12)


@given(labelings(n_labels=6, constant=False, max_size=500))
def test_adjusted_rand_is_ari(pair):
    assume(not any(len(set(v)) == len(v) for v in pair))  # docs/conventions.md says how we differ
    assert bc.adjust("rand", *pair, null="moments").adjusted == pytest.approx(
        adjusted_rand_score(*pair), abs=1e-12
    )


@pytest.mark.parametrize("average", AVERAGES)
@given(pair=labelings(n_labels=6, constant=False, max_size=500))
@pytest.mark.slow
def test_adjusted_mutual_information_is_ami(average, pair):
    assume(not any(len(set(v)) == len(v) for v in pair))  # docs/conventions.md says how we differ
    ami = adjusted_mutual_info_score(*pair, average_method=average)

    assert bc.adjust("mi", *pair, null="moments", bound=average).adjusted == pytest.approx(ami, abs=1e-12)


@pytest.mark.parametrize("n_labels", [5, 100, 2_000])
@pytest.mark.slow
def test_cousins_agree_on_twenty_thousand_points(n_labels, rng):
    x, y = rng.integers(n_labels, size=(2, 20_000))
    ami = adjusted_mutual_info_score(x, y)

    assert bc.adjust("mi", x, y, null="moments", bound="arithmetic").adjusted == pytest.approx(ami, abs=1e-9)
    assert bc.adjust("rand", x, y, null="moments").adjusted == pytest.approx(
        adjusted_rand_score(x, y), abs=1e-9
    )
    assert bc.adjust("agreement", x, y, null="moments").adjusted == pytest.approx(
        cohen_kappa_score(x, y), abs=1e-9
    )


def test_adjusted_eta2_is_kelleys_epsilon(rng):
    """1 − (1 − η²)(n − 1)/(n − k)."""
    groups, y = rng.integers(4, size=40).astype(str), rng.random(40)
    result = bc.adjust("eta2", groups, y, null="moments")

    assert result.adjusted == pytest.approx(1 - (1 - result.observed) * 39 / 36)


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic", "gini", "mi"])
@pytest.mark.parametrize("n", [10, 40])
@pytest.mark.statistical
def test_adjusted_averages_zero_under_independence(measure, n, rng):
    """Zero baseline (Property 3.1), within four standard errors of 1,000 samples."""
    scores = [
        bc.adjust(measure, *np.round(rng.standard_normal((2, n)), 1), null="moments").adjusted
        for _ in range(1_000)
    ]

    assert abs(np.mean(scores)) < 4 * np.std(scores) / np.sqrt(len(scores))


def test_series_of_one_index_in_two_orders_are_warned_of():
    frame = pd.DataFrame({"x": np.arange(30.0), "y": np.arange(30.0) ** 2})
    turned = frame["y"][::-1]

    with pytest.warns(bc.BychanceWarning, match="paired by position"):
        assert bc.measure("r2", frame["x"], turned) == bc.measure(
            "r2", frame["x"].to_numpy(), turned.to_numpy()
        )
    for other in (frame["y"], frame["y"].shift(1), frame["y"][::-1].reset_index(drop=True), list(turned)):
        bc.adjust("r2", frame["x"], other)
    bc.adjust("r2", frame["x"][1:], frame["y"][:-1])


def test_bound_can_be_given(rng):
    x, y = rng.random((2, 20))
    result = bc.adjust("r2", x, y, bound=0.5)

    assert result.adjusted == pytest.approx((result.observed - 1 / 19) / (0.5 - 1 / 19))


def test_alpha_of_one_takes_the_lower_end_of_the_support(rng):
    x, y = rng.random((2, 30))
    result = bc.adjust("r2", x, y)

    assert result.adjusted_at(1.0) == result.observed


def test_missing_rows_are_left_out(rng):
    x, y = rng.random((2, 30))
    gaps = x.copy()
    gaps[[3, 7]] = np.nan
    keep = ~np.isnan(gaps)

    assert bc.adjust("r2", gaps, y) == bc.adjust("r2", x[keep], y[keep])


# docs/conventions.md, one test a row of its table.


@pytest.mark.parametrize("measure", [m.name for m in bc.list_measures()])
def test_constant_column_scores_zero_with_p_one(measure):
    x, y = np.ones(10), np.arange(10) % 3
    result = bc.adjust(measure, x, y)

    assert (result.adjusted, result.standardized, result.adjusted_at(0.05), result.p_value) == (0, 0, 0, 1)
    assert "constant" in result.note


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_rows_have_no_estimate(n):
    result = bc.adjust("r2", np.arange(n), np.arange(n))

    assert math.isnan(result.observed)
    assert math.isnan(result.p_value)
    assert math.isnan(result.adjusted_at(0.05))
    assert f"{n} shared row{'s' * (n > 1)}; r2 needs 3" == result.note


def test_columns_without_shared_rows_have_no_estimate():
    result = bc.adjust("r2", [1.0, np.nan, 3.0, np.nan], [np.nan, 2.0, np.nan, 4.0])

    assert result.n == 0
    assert math.isnan(result.adjusted)


def test_all_missing_has_no_estimate():
    assert bc.adjust("r2", [np.nan] * 5, np.arange(5)).n == 0


@pytest.mark.parametrize(
    "measure", ["gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "explained"]
)
def test_column_of_all_distinct_labels_scores_zero(measure):
    """Every permutation of an identifier gives the same value, so nothing can be learned from it."""
    identifier, y = np.array(list("abcdefghij")), np.array(list("uuvvwwuvwu"))
    result = bc.adjust(measure, identifier, y)

    assert (result.adjusted, result.standardized, result.p_value) == (0, 0, 1)


def test_zero_null_variance_scores_zero():
    """A function of the user's own that ignores the pairing."""
    result = bc.adjust(lambda x, y: 0.25, np.arange(10), np.arange(10))

    assert (result.observed, result.adjusted, result.standardized, result.p_value) == (0.25, 0, 0, 1)


def test_bound_at_the_null_mean_leaves_nothing_to_share_out(rng):
    x, y = rng.random((2, 21))
    result = bc.adjust("r2", x, y, bound=0.05)

    assert result.adjusted == 0
    assert "bound" in result.note


@pytest.mark.parametrize(
    "measure", [m.name for m in bc.list_measures() if m.name not in ("mic", "mic_e", "tic_e")]
)
@pytest.mark.slow
def test_identical_columns_score_one(measure, rng):
    """Grids cannot part tied rows evenly, so MIC of a tied column with itself stays a little below."""
    x = rng.integers(5, size=40)
    result = bc.adjust(measure, x, x)

    assert result.adjusted == pytest.approx(1.0)


def test_single_minority_value_is_degenerate_for_distance_correlation():
    """One row apart from all others leaves no U-centered distance."""
    result = bc.adjust("dcor", [0, 0, 0, 0, 0, 1], np.arange(6))

    assert (result.observed, result.adjusted, result.p_value) == (0, 0, 1)


# Bad input: one clear error each.


BAD = {
    "lengths": (dict(x=[1, 2, 3], y=[1, 2]), "one length, got 3 and 2"),
    "empty": (dict(x=[], y=[]), "must not be empty"),
    "infinite": (dict(x=[1, np.inf, 3], y=[1, 2, 3]), "`x` must be finite, got inf at row 1"),
    "minus infinite": (dict(x=[1, 2, 3], y=[1, 2, -np.inf]), "`y` must be finite, got -inf at row 2"),
    "complex": (dict(x=np.array([1j, 2, 3]), y=[1, 2, 3]), "`x` must hold numbers"),
    "mixed objects": (dict(x=np.array([1, "a", 2.5], dtype=object), y=[1, 2, 3]), "one type"),
    "mixed list": (dict(x=[1, "a", 2], y=[1, 2, 3]), "one type"),
    "strings": (dict(x=["a", "b", "c"], y=[1, 2, 3]), "must be numeric for measure 'r2'"),
    "zero-dimensional": (dict(x=np.float64(3), y=[1, 2, 3]), "one-dimensional"),
    "two-dimensional": (dict(x=np.ones((3, 2)), y=[1, 2, 3]), "shape (3, 2)"),
    "ragged": (dict(x=[[1, 2], [3]], y=[1, 2]), "one-dimensional"),
    "dict": (dict(x={"a": 1}, y=[1]), "one-dimensional"),
    "none": (dict(x=None, y=[1]), "one-dimensional"),
    "lists": (dict(x=np.array([[1], [2, 3], None], dtype=object), y=[1, 2, 3]), "type"),
    "unknown measure": (dict(measure="spearmann"), "Did you mean 'spearman'?"),
    "unknown null": (dict(null="bootstrap"), "auto, bc.Permutation(), exact, moments"),
    "null of another type": (dict(null=3), "auto, bc.Permutation(), exact, moments"),
    "unknown bound": (dict(measure="mi", bound="mean"), "arithmetic"),
    "bound of nan": (dict(bound=float("nan")), "`bound` must be a finite number"),
    "negative seed": (dict(rng=-1), "`rng` must not be negative"),
    "null without a model": (dict(measure="dcor", null="normal"), "not available for measure 'dcor'"),
    "paper without a model": (dict(measure="kendall", null="paper"), "not available for measure 'kendall'"),
    "paper without classes": (
        dict(measure="explained", y=["a", "b", "b", "a"], null="paper"),
        "`null='paper'` is not available for measure 'explained' on these columns: the paper treats r2",
    ),
    "paper for another share": (
        dict(measure="goodman_kruskal", x=list("aabb"), y=list("uvvv"), null="paper"),
        "`null='paper'` is not available for measure 'goodman_kruskal'",
    ),
    "multinomial without a model": (dict(null="multinomial"), "not available for measure 'r2'"),
    "other labels": (
        dict(measure="agreement", x=["a", "b", "a"], y=[1, 2, 1]),
        "same kind of categories",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_clear_error(case):
    given_arguments, message = BAD[case]
    arguments = {"measure": "r2", "x": [1, 2, 4, 3], "y": [2, 1, 4, 3], **given_arguments}
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is compared below
        bc.adjust(arguments.pop("measure"), arguments.pop("x"), arguments.pop("y"), **arguments)

    assert message in str(caught.value)


@pytest.mark.parametrize("argument", [dict(measure=3), dict(rng="a"), dict(rng=True)])
def test_arguments_of_the_wrong_type_are_type_errors(argument):
    arguments = {"measure": "r2", **argument}
    with pytest.raises(TypeError, match=r"`(measure|rng)`"):
        bc.adjust(arguments.pop("measure"), [1, 2, 3, 4], [2, 1, 4, 3], **arguments)


@pytest.mark.parametrize("alpha", [0, -0.1, 1.5, "a", None, float("nan"), True])
def test_alpha_outside_its_range_is_refused(alpha):
    result = bc.adjust("r2", [1, 2, 3, 4], [2, 1, 4, 3])
    with pytest.raises(ValueError, match=r"`alpha` must lie in \(0, 1\]"):
        result.adjusted_at(alpha)


def raises(x, y):
    raise ZeroDivisionError("boom")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises, "raised ZeroDivisionError"),
        (lambda x, y: float("nan"), "finite number, got nan"),
        (lambda x, y: "high", "must return a number, got 'high'"),
    ],
)
def test_function_that_fails_is_named(function, message):
    with pytest.raises(bc.MeasureError, match=message):
        bc.adjust(function, [1, 2, 3, 4], [2, 1, 4, 3])


def test_masked_arrays_are_read_with_their_mask():
    x = np.ma.MaskedArray([1.0, np.inf, 3.0, 4.0, 6.0], mask=[0, 1, 0, 0, 0])
    result = bc.adjust("r2", x, [1, 2, 4, 3, 5])

    assert result.n == 4


def test_blank_docstring_does_no_harm():
    def blank(x, y):
        return 0.5 * float(x[0] == y[0])

    blank.__doc__ = "   "
    assert bc.adjust(blank, [1, 2, 3, 4], [2, 1, 4, 3]).observed == 0


def test_class_in_place_of_a_measure_is_named():
    with pytest.raises(TypeError, match=r"not its class: MIC\(\)"):
        bc.adjust(bc.MIC, [1, 2, 3, 4], [2, 1, 4, 3])


def test_numbers_of_numpy_are_numbers():
    result = bc.adjust("r2", [1, 2, 3, 4], [2, 1, 4, 3], bound=np.float32(0.5))

    assert result.bound == 0.5
    assert result.adjusted_at(np.float64(0.5)) == result.adjusted_at(0.5)
    assert bc.MIC(np.float32(0.5), np.int64(15)).clumps == 15


def test_the_tail_of_one_pair_is_split_where_that_is_asked_for(rng):
    """A bound of 1e-4 settles one pair: nobody is served by its digits."""
    x = rng.lognormal(size=80)
    y = x + rng.lognormal(size=80)
    split, left = (bc.adjust("r2", x, y, null=bc.Auto(tails=tails)) for tails in ("all", "open"))

    assert (split.p_kind, left.p_kind) == ("splitting", "bound")
    assert split.p_value < left.p_value == 1 / 10_000
    assert 0 < split.p_se < 0.3
    with pytest.raises(bc.BychanceError, match="tails"):
        bc.Auto(tails="top")


def test_a_bound_that_leaves_the_decision_open_is_split(rng):
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)

    assert bc.adjust("r2", x, y, null=bc.Permutation("adaptive", cap=19)).p_kind == "splitting"
    assert bc.adjust("mic", x, y, null=bc.Auto(cap=19)).p_kind == "splitting"
    assert bc.adjust("mic", x, y, null=bc.Auto(tails="none", cap=19)).p_value == 1 / 20


def test_a_matched_p_value_ends_where_its_distribution_was_shown_to_hold(rng):
    x = rng.normal(size=60)
    near, far = x + 0.9 * rng.normal(size=60), x + 0.1 * rng.normal(size=60)
    left, split, perfect = (
        bc.adjust("r2", x, y, null=bc.Auto(tails=tails))
        for y, tails in ((near, "open"), (near, "all"), (far, "all"))
    )

    assert (left.p_kind, left.p_value, left.note) == ("bound", left.null.holds_to, "")
    assert split.p_kind == "splitting"
    assert 1e-12 < split.p_value < left.p_value
    assert (perfect.p_kind, perfect.p_value) == ("bound", 1e-12)
    assert bc.adjust("r2", x, far, null="moments").p_value < 1e-40
    assert bc.adjust("r2", x[:8], far[:8], null="exact").p_kind == "exact"
