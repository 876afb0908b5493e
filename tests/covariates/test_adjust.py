"""adjust() and measure() beyond covariates: degenerate cases, refusals, laws that must hold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.wording import FOLLOW
from tests.covariates.tables import HP, MPG, WT

NUMERIC = ["explained", "r2", "spearman", "kendall", "xi", "dcor", "hsic", "mic"]
LABELS = ["explained", "goodman_kruskal", "gini", "mi", "phi2", "cramers_v", "rand", "agreement"]


@pytest.fixture
def data(rng):
    n = 60
    site = rng.integers(0, 3, n)
    z = rng.standard_normal(n)
    return {
        "x": site + z + rng.standard_normal(n),
        "y": site + z + rng.standard_normal(n),
        "a": np.array(list("uvw"))[(site + rng.integers(0, 2, n)) % 3],
        "b": np.array(list("uvw"))[(site + rng.integers(0, 2, n)) % 3],
        "z": z,
        "site": site.astype(str),
    }


@pytest.mark.parametrize("measure", NUMERIC)
@pytest.mark.parametrize("given", ["z", "site", ["z", "site"]])
def test_every_numeric_measure_looks_beyond_labels_and_numbers(data, measure, given):
    covariates = {name: data[name] for name in ([given] if isinstance(given, str) else given)}
    found = bc.adjust(measure, data["x"], data["y"], given=covariates, null=bc.Permutation(99))

    assert found.observed == bc.measure(measure, data["x"], data["y"], given=covariates)
    assert np.isfinite([found.adjusted, found.standardized, found.p_value]).all()
    assert found.given.columns == tuple(covariates)


@pytest.mark.parametrize("measure", LABELS)
@pytest.mark.parametrize("given", ["z", "site"])
def test_every_measure_of_labels_looks_beyond_labels_and_numbers(data, measure, given):
    found = bc.adjust(measure, data["a"], data["b"], given=data[given], null=bc.Permutation(99))

    assert np.isfinite([found.observed, found.adjusted, found.p_value]).all()
    assert found.observed <= found.bound + 1e-12


@pytest.mark.parametrize("is_first", [True, False])
def test_a_ranking_lists_few_arrangements_of_either_column_as_a_single_pair_does(rng, is_first):
    n = 200
    site, rare = np.repeat(["u", "v"], n // 2), np.zeros(n)
    rare[[3, 17]] = 1.0, 2.0
    others = {name: rng.standard_normal(n) for name in "abc"}
    table = {"rare": rare, **others} if is_first else {**others, "rare": rare}

    rows = (
        bc.rank({**table, "site": site}, given="site", measure="r2", null=bc.Auto(tails="none"))
        .to_frame()
        .to_pylist()
    )
    found = [row for row in rows if "rare" in (row["x"], row["y"])]

    assert {row["engine"] for row in found} == {"exact permutations (given)"}
    for row in found:
        pair = bc.adjust("r2", table[row["x"]], table[row["y"]], given=site)
        assert row["p_value"] == pytest.approx(pair.p_value, rel=1e-9)


def test_few_arrangements_of_either_side_have_their_exact_law():
    """A number and two classes have as many arrangements in both directions."""
    rng = np.random.default_rng(1)
    site, few = np.repeat(["u", "v"], 9), np.tile([True, False, False], 6)
    number = rng.normal(size=18) + 2.0 * few
    ways = [bc.adjust("explained", *sides, given=site) for sides in ((number, few), (few, number))]

    rows = [np.flatnonzero(site == s) for s in ("u", "v")]
    sums = [
        [number[list(chosen)].sum() - 3 * number[own].mean() for chosen in combinations(own, 3)]
        for own in rows
    ]
    law = np.add.outer(*map(np.array, sums)).ravel()
    observed = sum(number[own][few[own]].sum() - 3 * number[own].mean() for own in rows)
    expected = np.mean(np.abs(law) >= abs(observed) - 1e-9)

    assert expected < 0.02
    assert [(way.p_kind, way.p_value) for way in ways] == [("exact", pytest.approx(expected))] * 2


@pytest.mark.parametrize("null", ["exact", "auto", "moments"])
def test_a_number_and_its_categories_have_one_law_in_either_order(null):
    """`eta2` explains the number: orders of the labels are inverse orders of the number."""
    site = np.array(list("uuuvuvv"))
    number, flag = np.array([25.0, 23, 84, 97, 71, 10, 66]), np.array([1, 1, 0, 0, 0, 0, 1]) > 0
    ways = [bc.adjust("eta2", *sides, given=site, null=null) for sides in ((number, flag), (flag, number))]

    assert [way.p_value for way in ways] == [pytest.approx(7 / 18)] * 2
    assert ways[0].null.mean == pytest.approx(ways[1].null.mean, rel=1e-12)
    assert ways[0].null.std == pytest.approx(ways[1].null.std, rel=1e-12)


@pytest.mark.parametrize("measure", ["explained", "mi"])
def test_a_column_of_very_many_categories_costs_too_much(data, rng, measure):
    n = 40_000
    codes, site = rng.permutation(np.repeat(np.arange(n // 2), 2)), rng.choice(["u", "v"], n)
    zip_code, y = [f"z{code}" for code in codes], rng.choice(["a", "b"], n)

    with pytest.raises(bc.CostError, match=r"20,000 categories on 40,000 rows in 2 cells would take .* GB"):
        bc.adjust(measure, zip_code, y, given=site)
    ranking = bc.rank({"zip": zip_code, "b": rng.choice(["c", "d"], n), "y": y, "site": site},
                      target="y", given="site", measure=measure)  # fmt: skip
    assert {pair["x"]: "20,000 categories" in pair["note"] for pair in ranking} == {"b": False, "zip": True}
    assert ranking.n_tested == 1


def test_covariates_of_very_many_categories_cost_too_much(rng):
    x, y = rng.normal(size=(2, 40_000))
    given = {name: [f"{name}{code}" for code in rng.permutation(40_000) // 3] for name in ("shop", "buyer")}

    with pytest.raises(bc.CostError, match=r"categories to take out of 40,000 rows, .* GB"):
        bc.adjust("r2", x, y, given=bc.Given(given, control="linear"))


@pytest.mark.parametrize("measure", ["explained", "r2", "kendall", "dcor", "mic"])
def test_a_constant_covariate_changes_nothing(data, measure):
    plain = bc.adjust(measure, data["x"], data["y"], null=bc.Permutation(99))
    given = bc.adjust(measure, data["x"], data["y"], given=np.ones(60), null=bc.Permutation(99))

    assert (given.observed, given.adjusted, given.p_value) == (plain.observed, plain.adjusted, plain.p_value)
    assert given.note == "the covariates do not vary"


@pytest.mark.parametrize("given", ["z", "site"])
def test_a_covariate_listed_twice_counts_once(data, given):
    once = bc.adjust("r2", data["x"], data["y"], given=data[given])
    twice = bc.adjust("r2", data["x"], data["y"], given=[data[given], data[given]])

    assert (twice.observed, twice.null.mean, twice.given.df) == (once.observed, once.null.mean, once.given.df)


@pytest.mark.parametrize("measure", ["explained", "spearman", "dcor"])
def test_row_order_and_names_of_labels_do_not_matter(rng, data, measure):
    order = rng.permutation(60)
    renamed = np.array([{"0": "q", "1": "c", "2": "p"}[s] for s in data["site"]])
    first = bc.adjust(measure, data["x"], data["y"], given=[data["z"], data["site"]], null=bc.Permutation(9))
    second = bc.adjust(
        measure,
        data["x"][order],
        data["y"][order],
        given=[data["z"][order], renamed[order]],
        null=bc.Permutation(9),
    )

    assert second.observed == pytest.approx(first.observed, rel=1e-9)
    assert (second.given.n_cells, second.given.df) == (first.given.n_cells, first.given.df)


def test_the_symmetric_measures_are_symmetric(data):
    for measure in ("r2", "spearman"):
        one = bc.adjust(measure, data["x"], data["y"], given=data["z"])
        other = bc.adjust(measure, data["y"], data["x"], given=data["z"])

        assert (other.observed, other.p_value) == pytest.approx((one.observed, one.p_value), rel=1e-9)


def test_given_labels_re_pairing_is_that_of_groups(data):
    """Only labels: what is permuted and residualized again is what was permuted."""
    centered = {
        name: data[name] - pd.Series(data[name]).groupby(data["site"]).transform("mean").to_numpy()
        for name in ("x", "y")
    }
    groups = bc.Permutation(999, groups=data["site"])
    plain = bc.adjust("r2", centered["x"], centered["y"], null=groups)
    given = bc.adjust("r2", data["x"], data["y"], given=data["site"], null=bc.Permutation(999))

    assert given.observed == pytest.approx(plain.observed, rel=1e-10)
    assert given.null.mean == pytest.approx(plain.null.mean, rel=1e-9)
    assert given.p_value == plain.p_value


def test_groups_are_crossed_with_cells(data):
    """Groups of one row each leave nothing to permute, whatever is given."""
    alone = bc.adjust(
        "r2", data["x"], data["y"], given=data["site"], null=bc.Permutation(99, groups=np.arange(60))
    )

    assert (alone.p_value, alone.note) == (1.0, "every permutation drawn gave the same value")


@pytest.mark.parametrize("measure", ["explained", "kendall", "mi", "xi"])
def test_moments_are_those_of_a_sample(data, measure):
    x, y = (data["a"], data["b"]) if measure == "mi" else (data["x"], data["y"])
    exact = bc.adjust(measure, x, y, given=data["site"], null="moments")
    sampled = bc.adjust(measure, x, y, given=data["site"], null=bc.Permutation(4_999))

    assert exact.null.mean == pytest.approx(sampled.null.mean, abs=4 * sampled.null.std / 70)
    assert exact.null.std == pytest.approx(sampled.null.std, rel=0.08)
    assert exact.null.caveat or abs(exact.p_value - sampled.p_value) < 0.04


def test_the_ratio_s_moments_are_near_those_of_a_sample(data):
    exact = bc.adjust("explained", data["x"], data["y"], given=data["z"], null="moments")
    sampled = bc.adjust("explained", data["x"], data["y"], given=data["z"], null=bc.Permutation(9_999))

    assert exact.null.mean == pytest.approx(sampled.null.mean, rel=0.04)
    assert exact.null.std == pytest.approx(sampled.null.std, rel=0.05)


@pytest.mark.parametrize("measure", ["explained", "kendall", "gini"])
def test_few_pairings_are_all_looked_at(measure):
    x, y = (list("abab"), list("uvvu")) if measure == "gini" else ([1, 2, 4, 3], [2, 1, 3, 5])
    found = bc.adjust(measure, x * 2, y * 2, given=list("ppppqqqq"))
    sampled = bc.adjust(measure, x * 2, y * 2, given=list("ppppqqqq"), null=bc.Permutation(20_000))

    assert (found.p_kind, sampled.p_kind) == ("exact", "monte carlo")
    assert found.p_value == pytest.approx(sampled.p_value, abs=0.015)


class TestDegenerate:
    @pytest.mark.parametrize("measure", ["gini", "goodman_kruskal", "phi2"])
    def test_labels_that_no_permutation_changes_have_no_law(self, measure):
        """In one stratum all labels of y differ, in the other one row does."""
        x, y = [1, 2, 1, 0, 0, 1, 0, 1], [0, 4, 2, 3, 4, 4, 4, 1]
        found = bc.adjust(measure, x, y, given=list("uuuuvvvv"), null="moments")

        assert (found.adjusted, found.p_value) == (0, 1)

    def test_what_z_determines_has_nothing_to_learn(self):
        for given, stuck in ((HP, "x"), (MPG, "y")):
            found = bc.adjust("r2", HP, MPG, given={"age": given})

            assert (found.observed, found.adjusted, found.standardized, found.p_value) == (0, 0, 0, 1)
            assert found.note == f"given age, {stuck} does not vary"
            assert bc.measure("r2", HP, MPG, given={"age": given}) == 0

    def test_cells_of_one_row_have_nothing_to_learn(self):
        found = bc.adjust("explained", HP, MPG, given=[str(k) for k in range(32)])

        assert (found.observed, found.p_value, found.given.n_used) == (0, 1, 0)

    def test_pairs_of_rows_leave_separate_effects_no_choice(self, rng):
        pairs = np.repeat(np.arange(20), 2).astype(str)
        x, y = rng.standard_normal((2, 40))
        separate = bc.adjust("explained", x, y, given=bc.Given(pairs, effect="separate"))
        common = bc.adjust("explained", x, y, given=pairs)

        assert (separate.adjusted, separate.p_value) == (0, 1)
        assert 0 < common.p_value < 1

    def test_more_covariates_than_rows_leave_no_estimate(self, rng):
        found = bc.adjust("r2", HP, MPG, given=rng.standard_normal((32, 40)))

        assert np.isnan([found.observed, found.p_value]).all()
        assert found.note.startswith("32 shared rows and 32 degrees of freedom of the covariates")
        assert np.isnan(bc.measure("r2", HP, MPG, given=rng.standard_normal((32, 40))))

    def test_cells_where_nothing_varies_add_nothing(self, rng):
        x, y = rng.standard_normal((2, 30))
        more_x, more_y = np.append(x, [5.0, 5.0, 9.0]), np.append(y, [1.0, 7.0, 2.0])
        given = ["p"] * 15 + ["q"] * 15
        found = bc.adjust("explained", x, y, given=given)
        more = bc.adjust("explained", more_x, more_y, given=[*given, "r", "r", "s"])

        assert more.given.n_used == 30
        assert more.given.n_cells == 4
        # y varies in a stratum in which x does not, so the share is smaller and the numerator the same.
        assert 0 < more.observed < found.observed

    def test_rows_without_a_covariate_are_left_out(self, data):
        z = np.where(np.arange(60) < 7, np.nan, data["z"])
        found = bc.adjust("r2", data["x"], data["y"], given=z)
        whole = bc.adjust("r2", data["x"][7:], data["y"][7:], given=data["z"][7:])

        assert (found.n, found.observed) == (53, pytest.approx(whole.observed, rel=1e-12))


class TestRefusals:
    def test_infinite_covariates(self):
        with pytest.raises(ValueError, match=r"`given` must be finite, got inf at row 2"):
            bc.adjust("r2", HP, MPG, given=[1.0, 2.0, np.inf, *WT[3:]])

    def test_covariates_of_another_length(self):
        with pytest.raises(ValueError, match=r"`given` must have one entry per row \(32\), got 31 in 'age'"):
            bc.adjust("r2", HP, MPG, given={"age": WT[:-1]})

    def test_no_covariates(self):
        with pytest.raises(ValueError, match="`given` must hold at least one column"):
            bc.adjust("r2", HP, MPG, given={})

    @pytest.mark.parametrize("null", ["paper", "multinomial"])
    def test_models_that_know_no_covariates(self, null):
        with pytest.raises(ValueError, match="cannot be combined with `given`"):
            bc.adjust("r2", HP, MPG, given=WT, null=null)

    def test_blocks(self):
        with pytest.raises(ValueError, match="`block` cannot be combined with `given`"):
            bc.adjust("r2", HP, MPG, given=WT, null=bc.Permutation(99, block=4))

    def test_exact_laws_given_numbers(self):
        with pytest.raises(
            ValueError, match=r"`null='exact'` is not available for measure 'r2' with `given`"
        ):
            bc.adjust("r2", HP, MPG, given=WT, null="exact")

    def test_unknown_settings(self):
        with pytest.raises(ValueError, match="`control` must be one of linear, smooth, strata"):
            bc.Given(WT, control="spline")
        with pytest.raises(ValueError, match="`effect` must be one of common, separate"):
            bc.Given(WT, effect="both")
        with pytest.raises(ValueError, match="`effect='separate'` needs strata"):
            bc.Given(WT, control="linear", effect="separate")

    def test_bounds_by_name(self):
        with pytest.raises(ValueError, match="`bound` must be a number with `given`"):
            bc.adjust("r2", HP, MPG, given=WT, bound="attainable")


def test_what_was_controlled_is_on_the_result(data):
    found = bc.adjust("explained", data["x"], data["y"], given={"age": data["z"], "site": data["site"]}).given

    assert str(found) == f"beyond age and site, {found.n_cells} cells"
    assert (found.control, found.n_used) == ("smooth", 60)
    assert 0 < found.x_share < 1
    assert found.df > found.n_cells


def test_caveats_say_what_the_control_leaves_open(data):
    def caveats(**settings):
        return bc.adjust(
            "explained", data["x"], data["y"], given=bc.Given(data["z"], **settings)
        ).given.caveats

    assert caveats() == ()
    assert caveats(control="linear") == ("numbers are taken out linearly",)
    assert caveats(control="strata")[1:] == ("covariates vary within cells",)
    assert FOLLOW in caveats(control="strata")[0]  # a line in z beside cells of 12 rows
    assert bc.adjust("r2", data["x"][:20], data["y"][:20], given=data["z"][:20]).given.caveats == (
        "one cell: variances are assumed equal",
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_covariates_may_be_a_frame(library, data):
    frame = pytest.importorskip(library)
    columns = {"age": data["z"], "site": data["site"]}
    table = frame.table(columns) if library == "pyarrow" else frame.DataFrame(columns)
    found = bc.adjust("r2", data["x"], data["y"], given=table)

    assert found.given.columns == ("age", "site")
    assert found.observed == bc.adjust("r2", data["x"], data["y"], given=columns).observed


def test_own_functions_are_not_asked_about_strata_where_nothing_varies(data):
    def needs_two_values(a, b):
        if min(len(set(a)), len(set(b))) < 2:
            raise RuntimeError("constant")
        return float(np.mean(a == b))

    a = np.where(data["site"] == "0", "u", data["a"])
    found = bc.adjust(needs_two_values, a, data["b"], given=data["site"], null=bc.Permutation(49))

    assert found.given.n_used == int(np.sum(data["site"] != "0"))
    assert 0 < found.p_value <= 1


def test_a_function_is_not_taken_for_the_measure_it_is_called_after(data):
    own = bc.measures.CallableMeasure(lambda x, y: 0.25, name="r2")

    assert bc.measure(own, data["x"], data["y"], given=data["z"]) == 0.25


def test_own_functions_look_beyond_covariates(data):
    def closeness(x, y):
        return float(1 / (1 + np.abs(x - y).mean()))

    numbers = bc.adjust(closeness, data["x"], data["y"], given=data["z"], null=bc.Permutation(49))
    labels = bc.adjust(lambda a, b: float(np.mean(a == b)), data["a"], data["b"], given=data["site"])

    assert 0 < numbers.p_value <= 1
    assert 0 < labels.p_value <= 1


def test_ties_within_strata_count_alike_for_one_pair_and_for_a_ranking():
    """Ranks within strata tell equal values of two strata apart, which makes no distribution smoother."""
    site = list("baaaababaaabbb")
    x = [1, 2, 2, 3, 0, 1, 4, 4, 3, 3, 1, 2, 2, 1]
    y = [0, 0, 8, 6, 5, 0, 7, 6, 0, 1, 1, 0, 3, 1]
    others = {"z": np.arange(14) % 5 * 1.7, "w": np.arange(14.0) ** 2 % 9}
    rows = bc.rank({"x": x, "y": y, **others, "site": site}, given="site", measure="spearman").to_frame()
    row = next(row for row in rows.to_pylist() if {row["x"], row["y"]} == {"x", "y"})

    assert row["engine"].startswith("permutation")
    assert bc.adjust("spearman", x, y, given=site).null.engine.startswith("permutation")
