"""Rare values: nulls of a few atoms keep the observed one, whatever the measure, the engine and the rows."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import rankdata

import bychance as bc

TABLE_MEASURES = ["explained", "gini", "goodman_kruskal", "phi2", "cramers_v", "mi", "rand", "agreement"]
NUMERIC_MEASURES = ["r2", "spearman", "kendall", "xi", "explained"]


def flags(n, positives, labels):
    """Make a column with the first value in these rows, the second elsewhere."""
    values = np.full(n, labels[1])
    values[positives] = labels[0]
    return values


def deviation_p(n, a, b, m):
    """Compute P(|M − ab/n| ≥ |m − ab/n|) for hypergeometric M, in whole numbers."""
    total = comb(n, b)
    far = abs(n * m - a * b)
    ways = [comb(a, k) * comb(n - a, b - k) for k in range(max(0, a + b - n), min(a, b) + 1)]
    return sum(w for k, w in enumerate(ways, max(0, a + b - n)) if abs(n * k - a * b) >= far) / total


@pytest.mark.parametrize("measure", ["explained", "gini", "goodman_kruskal", "phi2", "cramers_v"])
@pytest.mark.parametrize("null", ["auto", "moments", "exact"])
def test_the_observed_table_counts_in_its_own_tail(measure, null):
    """Two rows of ten thousand, both in the smaller group."""
    n = 10_000
    x, y = np.repeat(["a", "b"], [4000, 6000]), flags(n, [0, 1], "vu")

    assert bc.adjust(measure, x, y, null=null).p_value == pytest.approx(deviation_p(n, 4000, 2, 2), rel=1e-12)


@pytest.mark.parametrize("measure", TABLE_MEASURES)
@pytest.mark.parametrize("null", ["auto", "moments", "exact", bc.Permutation(99)], ids=str)
def test_one_row_against_two_equal_groups_tells_nothing(measure, null):
    x, y = np.array(["u", "v"] * 500), flags(1000, [0], "vu")
    found = bc.adjust(measure, x, y, null=null)
    if measure == "agreement":  # the one row is in the group of its name, or is not
        assert found.p_value >= 0.3
    else:
        assert (found.p_value, found.standardized, found.adjusted) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("measure", [*TABLE_MEASURES, "explained"])
@pytest.mark.parametrize("null", ["auto", "moments", bc.Permutation(99)], ids=str)
def test_rare_labels_that_do_not_meet_are_no_finding(measure, null):
    n = 100_000
    x, y = flags(n, slice(0, 5), "vu"), flags(n, slice(-5, None), "vu")

    assert bc.adjust(measure, x, y, null=null).p_value == pytest.approx(1.0, abs=1e-12)


@pytest.mark.slow
def test_sampled_tables_of_many_labels_count_draws_that_equal_the_observed_one():
    """Two rows of 300,000 in different groups of 300: no table of these totals is more even."""
    n = 300_000
    x, y = np.repeat(np.arange(300), 1000).astype(str), flags(n, [0, -1], "vu")

    assert bc.adjust("gini", x, y, null=bc.Permutation(199)).p_value == 1.0


@pytest.mark.parametrize("measure", ["explained", "gini", "phi2", "mi", "rand"])
def test_moments_of_rare_labels_give_no_small_p_where_nothing_happened(measure):
    """A million rows, six labels of one row on either side, apart: more than a few tables."""
    n = 1_000_000
    x, y = np.full(n, "a"), np.full(n, "u")
    x[:6], y[-6:] = list("bcdefg"), list("bcdefg")
    found = bc.adjust(measure, x, y, null="moments")

    assert found.p_value == pytest.approx(1.0)
    assert found.adjusted <= 0


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi"])
def test_moments_of_rare_numbers_are_a_bound_where_no_law_fits(measure):
    """Six numbers unlike the others on either side: apart, then the largest of both together."""
    n = 100_000
    x, y = np.zeros(n), np.zeros(n)
    x[:6] = y[-6:] = np.arange(1.0, 7.0)
    apart = bc.adjust(measure, x, y, null="moments")
    y[[5, -1]] = y[[-1, 5]]
    together = bc.adjust(measure, x, y, null="moments")

    assert apart.p_value > 0.3
    assert apart.null.engine == together.null.engine == "cantelli (exact moments)"
    assert 1e-5 < together.p_value < 1e-2


@pytest.mark.parametrize("measure", ["explained", "gini", "phi2", "mi", "rand"])
def test_moments_of_rare_labels_that_meet_are_not_smaller_than_chance_allows(measure):
    """One of 36 possible meetings in a million rows has probability 3.6e-5 about."""
    n = 1_000_000
    x, y = np.full(n, "a"), np.full(n, "u")
    x[:6], y[[0, -1, -2, -3, -4, -5]] = list("bcdefg"), list("bcdefg")

    assert 3.59e-5 < bc.adjust(measure, x, y, null="moments").p_value < 1e-3


@pytest.mark.parametrize("null", ["auto", "moments", "exact"])
@pytest.mark.parametrize("rows", [1_000, 100_000])
def test_dcor_of_a_handful_of_atoms_is_exact(null, rows):
    """Both rare rows are in the smaller group of a third. Beyond 10,000 rows order statistics missed them."""
    a = rows // 3
    x, y = (np.arange(rows) < a).astype(float), (np.arange(rows) < 2).astype(float)
    chance = comb(a, 2) / comb(rows, 2)

    assert bc.adjust("dcor", x, y, null=null).p_value == pytest.approx(chance, rel=1e-9)


@pytest.mark.slow
def test_dcor_draws_equal_to_the_observed_value_count():
    """Five rare rows on either side that do not meet: 99,975 of 100,000 permutations give this value."""
    n = 100_000
    x, y = (np.arange(n) < 5).astype(float), (np.arange(n) >= n - 5).astype(float)

    assert bc.adjust("dcor", x, y, null=bc.Permutation(49)).p_value == 1.0


@pytest.mark.parametrize("measure", NUMERIC_MEASURES)
@pytest.mark.parametrize("null", ["auto", "moments", "exact", bc.Permutation(99)], ids=str)
def test_numbers_of_two_values_know_pairs_without_variance(measure, null):
    """A balanced coin against one row apart: a p-value of −1,094,439 once."""
    x, y = np.array([0, 1] * 500), np.r_[1, np.zeros(999)]
    found = bc.adjust(measure, x, y, null=null)

    assert (found.p_value, found.standardized, found.adjusted) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall"])
def test_numbers_of_two_values_have_the_hypergeometric_law(measure):
    n, a, b, m = 2_000, 700, 9, 7
    x = (np.arange(n) < a).astype(float)
    y = np.zeros(n)
    y[:m] = y[a : a + b - m] = 1
    for null in ("auto", "moments", "exact"):
        found = bc.adjust(measure, x, y, null=null)

        assert found.null.engine == "exact tables"
        assert found.p_value == pytest.approx(deviation_p(n, a, b, m), rel=1e-9)


@pytest.mark.parametrize("null", ["auto", "moments"])
def test_rank_finds_nothing_in_rare_flags(null, rng):
    """Fifteen coins against thirty flags of one to five rows: many p-values were 0 once."""
    n = 10_000
    coins = {f"x{k}": rng.choice(["a", "b"], n) for k in range(15)}
    rows = [rng.choice(n, k % 5 + 1, replace=False) for k in range(30)]
    table = coins | {f"y{k}": flags(n, at, ["v", "u"]) for k, at in enumerate(rows)}
    frame = bc.rank(table, x=list(coins), y=[y for y in table if y not in coins], null=null).to_frame()
    for row in frame.to_pandas().itertuples():
        in_b = table[row.x] == "b"
        at = table[row.y] == "v"
        exact = deviation_p(n, int(in_b.sum()), int(at.sum()), int((in_b & at).sum()))

        assert row.p_value == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("measure", ["r2", "spearman", "explained"])
def test_three_values_of_which_two_are_rare_have_no_valid_law(measure):
    """A balanced column against six 1s and five −1s in a thousand rows: P(|S| ≥ 7) is about .012."""
    n = 1000
    y = np.r_[np.ones(6), -np.ones(5), np.zeros(n - 11)]
    x = np.r_[np.ones(6), np.zeros(5), np.arange(n - 11) % 2]
    found = bc.adjust(measure, x, y)
    a = int(x.sum())
    total = comb(n, a)
    ways = sum(
        comb(6, i) * comb(5, j) * comb(n - 11, a - i - j)
        for i in range(7)
        for j in range(6)
        if abs((i - j) - a / n) >= 6 - a / n - 1e-9
    )

    assert found.null.engine == "permutation"
    assert found.p_value == pytest.approx(ways / total, rel=0.5)
    assert found.p_value > 0.6 * ways / total


@pytest.mark.parametrize("measure", ["explained", "gini", "phi2", "cramers_v", "mi", "rand"])
@pytest.mark.parametrize("n_flags", [11, 25])
def test_the_most_even_table_has_p_of_one_by_moments(measure, n_flags):
    """Flags that are all in different groups: no table with these totals is more even."""
    x, y = np.repeat(np.arange(200), 5).astype(str), flags(1000, slice(0, 5 * n_flags, 5), "vu")

    assert bc.adjust(measure, x, y, null="moments").p_value == 1.0


def test_moments_make_no_discoveries_of_rand_among_rare_flags(rng):
    """For fifty groups against 11 to 18 flags the normal distribution said 4e-7, but 2e-3 is true."""
    groups = {
        f"x{k}": np.char.add("g", rng.permutation(np.repeat(np.arange(50), 20)).astype(str))
        for k in range(15)
    }
    rows = [rng.choice(1000, 11 + k % 8, replace=False) for k in range(30)]
    table = groups | {f"y{k}": flags(1000, at, ["v", "u"]) for k, at in enumerate(rows)}
    ranking = bc.rank(
        table, x=list(groups), y=[y for y in table if y not in groups], measure="rand", null="moments"
    )

    assert min(ranking.to_frame().column("q_value").to_pylist()) > 0.01


def test_moments_of_xi_keep_their_digits_beside_a_very_common_value():
    """Against the exact distribution of all tables: n·Σr² left the whole numbers of a float once."""
    x = np.repeat([-14, -14, 13, 13, 34, 34, 34], [4166, 1, 3332, 1, 2497, 1, 2])
    y = np.repeat([0, 1, 0, 1, 0, 1, 2], [4166, 1, 3332, 1, 2497, 1, 2])

    assert bc.adjust("xi", x, y, null="moments").null.std == pytest.approx(0.00015737985848126185, rel=1e-8)


@pytest.mark.parametrize("null", ["auto", bc.Permutation(2_999)], ids=str)
@pytest.mark.parametrize("measure", ["r2", "spearman"])
def test_no_sampled_p_is_below_the_chance_of_a_single_arrangement(measure, null):
    """Two rows apart, of 25: one of 600 arrangements gives 1. Draws alone said 1/663."""
    x = np.r_[np.zeros(23), 1, 2]
    table = {"x": x, "y": x}
    p_values = [bc.adjust(measure, x, x, null=null, rng=seed).p_value for seed in range(3)]
    p_values += [bc.rank(table, measure=measure, null=null, rng=seed)[0]["p_value"] for seed in range(8)]

    assert min(p_values) == pytest.approx(1 / 600)


def test_a_sampled_p_that_is_raised_keeps_the_error_of_its_draws():
    """19 of 3,999 draws equal the observed value, whose p is 1/200: "within a factor of 7.4" said of none."""
    x = np.arange(200) == 7
    y = np.where(x, 50.0, np.random.default_rng(0).normal(size=200))
    single = bc.adjust("r2", x.astype(float), y, null=bc.Permutation(3_999))
    (row,) = bc.rank({"x": x.astype(float), "y": y}, numeric="x", null=bc.Permutation(3_999))

    assert [single.p_value, row["p_value"]] == pytest.approx([1 / 200, 1 / 200])
    assert single.p_se == row["p_se"] < 0.11


def chance_of_as_far(values, group_rows, observed):
    """Count groups for P(|S − E S| ≥ |observed − E S|), S the sum over a random group."""
    ways = [{0: 1}] + [{} for _ in range(group_rows)]
    for value in values:
        for size in range(group_rows, 0, -1):
            for total, count in ways[size - 1].items():
                ways[size][total + value] = ways[size].get(total + value, 0) + count
    mean = sum(values) * group_rows / len(values)
    far = sum(count for total, count in ways[-1].items() if abs(total - mean) >= abs(observed - mean) - 1e-9)
    return far / comb(len(values), group_rows)


LUMPS = {
    "positive values": np.r_[np.zeros(18), np.arange(1, 9)],
    "counts": np.r_[np.zeros(21), [1, 1, 2, 2, 2, 3, 3, 4, 6]],
    "two lumps": np.r_[np.arange(-1, 14) % 3, 100 + np.arange(15) % 3],
    "three lumps": np.r_[np.arange(24) % 3, [100, 101, 102, -100, -99, -98]],
    "values of both signs": np.r_[np.zeros(20), np.arange(-6, 0), np.arange(1, 7)],
}


@pytest.mark.parametrize("measure", ["r2", "explained", "eta2", "spearman", "kendall"])
@pytest.mark.parametrize("kind", LUMPS)
def test_two_groups_of_a_column_of_lumps_have_no_smaller_p_than_is_true(measure, kind):
    """The largest values in one group: a smooth distribution said a third to a sixth of the true p."""
    y = LUMPS[kind]
    n, k = len(y), len(y) // 2
    x = np.arange(n) >= n - k
    numbers = (2 * rankdata(y) if measure in ("spearman", "kendall") else y).astype(int)
    exact = chance_of_as_far(numbers.tolist(), k, int(numbers[x].sum()))
    first = x.astype(float) if measure in ("r2", "spearman", "kendall") else np.where(x, "case", "control")
    found = bc.adjust(measure, first, y.astype(float), rng=0)

    assert found.p_value > exact / 2.5


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.repeat([0, 1, 2, 3], [4, 3, 3, 3]), np.repeat([1, 3, 4, 5], [8, 3, 1, 1])),
        (np.repeat([0, 1, 2, 3], [3, 1, 1, 8]), np.repeat([1, 2, 3, 4, 5], [7, 1, 3, 1, 1])),
        (np.repeat([0, 1, 2, 3], [4, 4, 2, 3]), np.repeat([1, 2, 3, 4], [8, 2, 2, 1])),
    ],
)
def test_ranks_of_few_rows_that_tie_on_both_sides_have_no_law(x, y, rng):
    """On 13 rows the law said a half to a third of the true p."""
    ranks = rankdata(x) - 7, rankdata(y) - 7
    orders = rng.permuted(np.tile(np.arange(13), (50_000, 1)), axis=1)
    sums = np.abs(ranks[0][orders] @ ranks[1])
    k = np.argsort(sums)[-100]
    true_p = np.mean(sums >= sums[k])
    p = [bc.adjust("spearman", x[orders[k]], y, rng=seed).p_value for seed in range(4)]

    assert np.mean(p) > true_p / 1.4


@pytest.mark.parametrize("n", [13, 19, 20, 21])
@pytest.mark.parametrize("measure", ["r2", "spearman", "explained"])
def test_rankings_judge_ties_of_few_rows_as_single_pairs_do(measure, n, rng):
    """Whole tables count distinct values up to ten only."""
    table = {f"{k} values": rng.integers(0, k, n).astype(float) for k in (3, 4, 6, 8, 10, 16)}
    table["numbers"] = rng.normal(size=n)
    if measure == "explained":
        table["labels"] = np.char.add("c", rng.integers(0, 3, n).astype(str))
    frame = bc.rank(table, measure=measure, null="moments", min_n=5).to_frame()
    for row in frame.to_pandas().itertuples():
        caveat = bc.adjust(measure, table[row.x], table[row.y], null="moments").null.caveat

        assert (row.x, row.y, row.note) == (
            row.x, row.y, f"its level is approximate ({caveat})" if caveat else ""
        )  # fmt: skip


@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("measure", ["r2", "spearman", "explained"])
def test_rankings_judge_laws_as_single_pairs_do(measure, has_gaps, rng):
    """On 31 rows, with and without missing ones: engine by engine, and down to the same p."""
    n = 31
    x = rng.permutation(np.arange(n) % 2).astype(float)
    table = {"t": x} | {
        f"y{m}": rng.permutation(np.r_[np.zeros(n - m), np.arange(1.0, m + 1)]) for m in range(3, 29)
    }
    table |= {f"z{k}": rng.choice([-20.0, 0, 20], n) + rng.normal(size=n) for k in range(5)}
    if has_gaps:
        table |= {
            name: np.where(np.arange(n) == k % n, np.nan, v) for k, (name, v) in enumerate(table.items())
        }
    null = bc.Auto(tails="none")
    frame = bc.rank(table, x="t", y=[y for y in table if y != "t"], measure=measure, null=null).to_frame()
    for row in frame.to_pandas().itertuples():
        single = bc.adjust(measure, table["t"], table[row.y], null=null).null

        assert (row.y, row.engine) == (row.y, single.engine)
