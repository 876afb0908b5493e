"""Nulls of many pairs at once equal those of one pair at a time: moments, engine, caveat, law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance as bc
from bychance.measures import registry
from bychance.measures.structures import CellSum, NormalTheory, TraceForm
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import (
    MOST_ENUMERATED,
    Engine,
    FixedAuto,
    cantelli_gains,
    caveats_of,
    engines_of,
    has_few_tables,
    laws_of_traces,
    log_fewest_arrangements,
    log_table_count,
    match_information,
    may_have_few_tables,
    moments_of,
    multinomial_gains,
    name_of,
    normal_theory,
    null_of,
)

LEVELS = (0.0, 0.05, 0.5, 0.9, 0.95, 0.999, 1.0)
DRAWS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "rounded": lambda rng, n: np.round(rng.standard_normal(n)),
    "coin": lambda rng, n: rng.integers(2, size=n).astype(float),
    "one apart": lambda rng, n: (np.arange(n) == 0).astype(float),
}
SHARES = {
    "even": lambda k: np.full(k, 1 / k),
    "falling": lambda k: 0.5 ** np.arange(k) / np.sum(0.5 ** np.arange(k)),
    "rare": lambda k: np.array([0.97] + [0.03 / (k - 1)] * (k - 1)),
}


def pair_of(measure, x, y):
    return prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))


def random_column(rng, kind, n):
    if kind == "number":
        return DRAWS[rng.choice(list(DRAWS))](rng, n)
    k = int(rng.integers(2, 8))
    return rng.choice(k, size=n, p=SHARES[rng.choice(list(SHARES))](k)).astype(str)


def random_pairs(measure, kinds, count, rng):
    """Draw pairs as the measure prepares them, none of them degenerate by its columns."""
    pairs = []
    while len(pairs) < count:
        n = int(np.exp(rng.uniform(np.log(3), np.log(400))))
        pair = pair_of(measure, *(random_column(rng, kind, n) for kind in kinds))
        if not (pair.x.is_degenerate or pair.y.is_degenerate):
            pairs.append(pair)
    return pairs


def structure_of(pair, kind):
    return next(s for s in pair.measure.structures(pair.x, pair.y) if isinstance(s, kind))


def bound_of(pair):
    return pair.measure.default_bound(pair.x, pair.y)


def arguments_of_traces(pairs):
    forms = [structure_of(pair, TraceForm) for pair in pairs]
    return {
        "n": np.array([f.n for f in forms]),
        "x_invariants": np.array([f.x.invariants for f in forms]),
        "y_invariants": np.array([f.y.invariants for f in forms]),
        "x_distinct": np.array([min(f.x.n_distinct, 10) for f in forms]),
        "y_distinct": np.array([min(f.y.n_distinct, 10) for f in forms]),
        "scale": np.array([f.scale for f in forms]),
        "distribution": forms[0].distribution,
        "upper": np.array([bound_of(pair) for pair in pairs]),
        "others": others_of(pairs),
        "outside": tuple(np.array([getattr(f, side).n_outside for f in forms]) for side in "xy"),
        "is_whole_table": True,
    }


def others_of(pairs):
    """Count the rows of each pair that differ from the most common value of x, and of y."""
    return tuple(
        np.array([v.n - np.unique(v.labels, return_counts=True)[1].max() for v in side])
        for side in ([pair.x for pair in pairs], [pair.y for pair in pairs])
    )


def arguments_of_gains(pairs):
    given = arguments_of_traces(pairs)
    groups = np.array([structure_of(pair, TraceForm).x.n_distinct for pair in pairs])
    return {k: given[k] for k in ("n", "x_invariants", "y_invariants", "scale")} | {"x_groups": groups}


def arguments_of_information(pairs):
    cells = [structure_of(pair, CellSum) for pair in pairs]
    moments = [moments_of(pair.measure, pair.x, pair.y)[0] for pair in pairs]
    return {
        "n": np.array([c.rows.sum() for c in cells]),
        "mean": np.array([m.mean for m in moments]),
        "variance": np.array([m.variance for m in moments]),
        "upper": np.array([bound_of(pair) for pair in pairs]),
        "distinct": tuple(np.array([len(v) for v in side]) for side in totals_of(cells)),
        "smallest": tuple(np.array([v.min() for v in side]) for side in totals_of(cells)),
        "others": others_of(pairs),
        "is_whole_table": True,
    }


def totals_of(cells):
    """Return row totals and column totals of each table."""
    return [c.rows for c in cells], [c.columns for c in cells]


def is_fourfold(pair):
    """Return True if both variables have two values, so that the null is an exact distribution."""
    return all(len(np.unique(variable.labels)) == 2 for variable in (pair.x, pair.y))


def assert_same_where_decided(batch, pairs):
    """Compare as `assert_same`, without pairs that have a bound in place of a law."""
    log_floor = np.array([-log_fewest_arrangements(pair.x, pair.y) for pair in pairs])
    batch = replace(batch, log_floor=log_floor)
    nulls = [null_of("moments", pair) for pair in pairs]
    is_exact = np.array([null.engine.startswith("exact") for null in nulls])
    decided = np.flatnonzero(~batch.is_undecided & ~is_exact)

    assert_same(batch.pick(decided), [nulls[k] for k in decided])
    assert all(
        batch.is_undecided[k] for k, null in enumerate(nulls) if null.engine == name_of(Engine.CANTELLI)
    )


def assert_same(batch, nulls):
    """Compare entry by entry, values to the last digits but two."""
    assert engines_of(batch) == [null.engine for null in nulls]
    assert caveats_of(batch) == [null.caveat for null in nulls]
    assert list(batch.is_degenerate) == [null.is_degenerate for null in nulls]
    assert list(batch.holds_to) == [null.holds_to for null in nulls]
    np.testing.assert_allclose(batch.mean, [null.mean for null in nulls], rtol=1e-14)
    np.testing.assert_allclose(batch.std, [null.std for null in nulls], rtol=1e-14)
    for p in LEVELS:
        expected = [null.quantile(p) for null in nulls]
        np.testing.assert_allclose(batch.quantile(p), expected, rtol=1e-13, atol=1e-300)
    for z in (-2.0, 0.0, 0.5, 3.0, 20.0):
        observed = batch.mean + z * batch.std
        expected = [null.sf(value) for null, value in zip(nulls, observed.tolist(), strict=True)]
        np.testing.assert_allclose(batch.sf(observed), expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize(
    ("measure", "kinds"),
    [
        ("r2", ("number", "number")),
        ("spearman", ("number", "number")),
        ("eta2", ("label", "number")),
        ("eta2", ("number", "label")),
        ("explained", ("label", "number")),
        ("explained", ("number", "label")),
        ("explained", ("label", "label")),
        ("gini", ("label", "label")),
        ("goodman_kruskal", ("label", "label")),
        ("phi2", ("label", "label")),
    ],
)
@pytest.mark.slow
def test_matched_traces_equal_one_pair_at_a_time(measure, kinds, rng):
    pairs = [pair for pair in random_pairs(measure, kinds, 400, rng) if not is_fourfold(pair)]
    batch = laws_of_traces(**arguments_of_traces(pairs))

    assert_same_where_decided(batch, pairs)
    assert len(set(batch.caveat)) > 1
    assert batch.is_undecided.mean() < 0.5


@pytest.mark.slow
def test_matched_information_equals_one_pair_at_a_time(rng):
    pairs = [pair for pair in random_pairs("mi", ("label", "label"), 400, rng) if not is_fourfold(pair)]

    assert_same_where_decided(match_information(**arguments_of_information(pairs)), pairs)


def test_many_labels_of_few_rows_are_not_valid(rng):
    """Sixty labels a side and 77 rows: a cell expects a hundredth of a row."""
    columns = rng.integers(60, size=(2, 77)).astype(str)
    batch = match_information(**arguments_of_information([pair_of("mi", *columns)]))

    assert caveats_of(batch)[0] == "small expected counts"


def test_a_single_possible_value_is_degenerate():
    """One row apart, against a balanced coin: every pairing gives one r²."""
    x, y = (np.arange(40) == 0).astype(float), np.arange(40) % 2
    pair = pair_of("r2", x, y)
    batch = laws_of_traces(**arguments_of_traces([pair]))

    assert engines_of(batch)[0] == "degenerate"
    assert null_of("moments", pair).is_degenerate
    assert batch.is_valid.all()


@pytest.mark.parametrize(
    ("measure", "kinds"),
    [
        ("r2", ("number", "number")),
        ("eta2", ("label", "number")),
        ("explained", ("number", "number")),
        ("explained", ("label", "number")),
    ],
)
def test_normal_theory_equals_one_pair_at_a_time(measure, kinds, rng):
    pairs = random_pairs(measure, kinds, 100, rng)
    theories = [structure_of(pair, NormalTheory) for pair in pairs]
    batch = normal_theory(
        df_explained=np.array([t.df_explained for t in theories]),
        df_residual=np.array([t.df_residual for t in theories]),
    )

    assert_same(batch, [null_of("normal", pair) for pair in pairs])


@pytest.mark.parametrize("measure", ["gini", "goodman_kruskal"])
@pytest.mark.slow
def test_multinomial_gains_equal_one_pair_at_a_time(measure, rng):
    pairs = random_pairs(measure, ("label", "label"), 300, rng)
    given, upper = arguments_of_gains(pairs), np.array([bound_of(pair) for pair in pairs])

    assert_same(multinomial_gains(**given, upper=upper), [null_of("multinomial", p) for p in pairs])
    if measure == "gini":
        assert_same(cantelli_gains(**given), [null_of("paper", pair) for pair in pairs])


def test_gains_have_the_moments_of_the_papers_supplement(rng):
    """The sums over shares and sizes as they are printed."""
    pairs = random_pairs("gini", ("label", "label"), 200, rng)
    batch = cantelli_gains(**arguments_of_gains(pairs))
    for k, pair in enumerate(pairs):
        n, r, p = pair.x.n, pair.x.n_distinct, pair.y.sizes / pair.x.n
        p2, p3 = np.sum(p**2), np.sum(p**3)
        sizes = np.sum(1 / pair.x.sizes) - 2 * r / n + 1 / n
        spread = (r - 1) * (2 * p2 + 2 * p2**2 - 4 * p3) + sizes * (-2 * p2 - 6 * p2**2 + 8 * p3)

        assert batch.mean[k] == pytest.approx((r - 1) / n * (1 - p2))
        assert batch.std[k] == pytest.approx(np.sqrt(spread) / n, rel=1e-7)


def test_an_unknown_variance_leaves_a_pair_undecided(rng):
    given = arguments_of_information(random_pairs("mi", ("label", "label"), 3, rng))
    given["variance"] = np.where([False, True, False], np.nan, given["variance"])
    given["others"] = given["n"], given["n"]
    batch = match_information(**given)

    assert list(batch.is_undecided) == [False, True, False]
    assert caveats_of(batch)[1] == "unknown variance"
    assert list(np.isnan(batch.quantile(0.95))) == [False, True, False]
    assert list(np.isnan(batch.sf(given["mean"]))) == [False, True, False]


def test_picked_nulls_are_those_of_the_picked_pairs(rng):
    batch = laws_of_traces(**arguments_of_traces(random_pairs("r2", ("number", "number"), 50, rng)))
    index = rng.permutation(50)[:20]

    np.testing.assert_array_equal(batch.pick(index).quantile(0.95), batch.quantile(0.95)[index])
    np.testing.assert_array_equal(
        batch.pick(batch.is_valid).caveat, np.zeros(batch.is_valid.sum(), dtype=np.int8)
    )


@pytest.mark.parametrize(
    ("measure", "kinds"),
    [("r2", ("number", "number")), ("eta2", ("label", "number")), ("gini", ("label", "label"))],
)
def test_auto_takes_a_matched_law_exactly_where_the_batch_holds_it_valid(measure, kinds, rng):
    """Apart from pairs that might have a cheap exact distribution, which are looked at one by one."""
    pairs = random_pairs(measure, kinds, 150, rng)
    given = arguments_of_traces(pairs)
    batch = laws_of_traces(**given)
    is_alone = (given["n"] <= MOST_ENUMERATED) | np.array([is_fourfold(pair) for pair in pairs])
    if measure == "gini":
        sizes = [(pair.x.sizes, pair.y.sizes) for pair in pairs]
        is_alone |= has_few_tables(np.array([log_table_count(*s) for s in sizes]))
    for k in np.flatnonzero(~is_alone & ~batch.is_undecided):
        null = null_of(FixedAuto(19), pairs[k])
        expected = engines_of(batch)[k] if batch.is_valid[k] else "permutation"

        assert null.engine == expected


@given(data=st.data())
def test_group_counts_alone_never_miss_a_pair_with_few_tables(data):
    sizes = st.lists(st.integers(1, 60), min_size=2, max_size=5)
    rows, columns = (np.array(data.draw(sizes)) for _ in range(2))
    short, long = sorted((rows, columns), key=lambda v: v.sum())
    short = short.copy()
    short[0] += long.sum() - short.sum()
    given = [np.array([v]) for v in (long.sum(), len(short), len(long), short.min(), long.min())]

    assert may_have_few_tables(*given)[0] or not has_few_tables(log_table_count(short, long))


def test_balanced_large_tables_are_known_to_have_many_tables():
    found = may_have_few_tables(*(np.array([v]) for v in (1_000, 4, 4, 200, 200)))

    assert not found[0]


def exact_tail_of_r2(whole, n_first, value):
    """Count P(r² ≥ value) of whole numbers with a column of two categories over all choices of rows."""
    whole, n = whole - whole.min(), len(whole)
    counts = np.zeros((n_first + 1, int(np.sort(whole)[-n_first:].sum()) + 1))
    counts[0, 0] = 1.0
    for number in whole.tolist():
        counts[1:, number:] += counts[:-1, : counts.shape[1] - number].copy()
    between = (np.arange(counts.shape[1]) - n_first * whole.mean()) ** 2 * n / (n_first * (n - n_first))
    shares = between / np.sum((whole - whole.mean()) ** 2)
    return counts[-1, shares >= value * (1 - 1e-10)].sum() / counts[-1].sum()


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_number_against_two_categories_has_the_tail_of_its_exact_law(share, rng):
    n = 200
    numbers = np.round(12 * rng.standard_normal(n)).astype(int)
    categories = np.where(np.arange(n) < share * n, "a", "b")
    null = bc.adjust("explained", numbers, categories, null="moments").null
    assert null.holds_to == 1e-8
    for p in (1e-4, 1e-6, 1e-8):
        assert p / 1.4 < exact_tail_of_r2(numbers, int(share * n), null.quantile(1 - p)) < 1.4 * p


def test_a_number_and_two_categories_have_one_p_value_in_both_directions(rng):
    numbers, categories = rng.standard_normal(200), rng.choice(["a", "b"], 200)
    there, back = bc.adjust("explained", numbers, categories), bc.adjust("explained", categories, numbers)
    assert there.p_value == pytest.approx(back.p_value, rel=1e-9)


def test_reason_and_caveat_of_a_null_come_together(rng):
    x, y = rng.standard_cauchy((2, 100))
    doubtful = bc.adjust("r2", x, y, null="moments").null
    fine = bc.adjust("r2", *rng.standard_normal((2, 100)), null="moments").null

    assert (doubtful.caveat, fine.caveat) == ("outliers", "")
    assert "outliers" in doubtful.reason
    assert "approximate" not in fine.reason
