"""Tables of many pairs at once against each pair measured alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from bychance.kinds import Kind
from tests.engine.nulls import moments_of
from tests.engine.settings import put
from tests.engine.statistics import chunks, information_of, statistics_of_tables
from tests.ranking.label_pairs import all_pairs, flags, label_lists, labels, prepared

FORMS = {"gini": "indicator", "phi2": "projector"}


def some_columns(rng, n, counts, share_missing=0.0):
    return [
        labels(
            rng.integers(count, size=n), rng.random(n) < share_missing if share_missing else None, count + 1
        )
        for count in counts
    ]


def assert_traces_equal_single_pairs(name, x, y):
    first, second = all_pairs(x, y)
    rows = statistics_of_tables(x, y, first, second, form=FORMS[name])
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        pair = prepared(name, x[i], y[j])
        if pair is None:
            assert (rows.n[k], rows.is_degenerate[k]) == (0, True)
            continue
        measure, a, b = pair
        assert rows.n[k] == a.n
        assert rows.is_degenerate[k] == (a.is_degenerate or b.is_degenerate or a.n < 3)
        assert (rows.x_distinct[k], rows.y_distinct[k]) == (a.n_distinct, b.n_distinct)
        if rows.is_degenerate[k]:
            continue
        scale = measure.forms[Kind.CATEGORICAL, Kind.CATEGORICAL].scale(a.n, b.variation)
        assert rows.trace[k] * scale == pytest.approx(measure.estimate(a, b), rel=1e-9, abs=1e-12)
        assert rows.x_invariants[k] == pytest.approx(a.invariants, rel=1e-12)
        assert rows.y_invariants[k] == pytest.approx(b.invariants, rel=1e-12)


def assert_information_equals_single_pairs(x, y, rel=1e-9):
    first, second = all_pairs(x, y)
    rows = information_of(x, y, first, second)
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        pair = prepared("mi", x[i], y[j])
        if pair is None:
            assert (rows.n[k], rows.is_degenerate[k]) == (0, True)
            continue
        measure, a, b = pair
        assert rows.n[k] == a.n
        assert rows.is_degenerate[k] == (a.is_degenerate or b.is_degenerate or a.n < 3)
        assert (rows.x_distinct[k], rows.y_distinct[k]) == (a.n_distinct, b.n_distinct)
        assert (rows.x_smallest[k], rows.y_smallest[k]) == (a.sizes.min(), b.sizes.min())
        assert rows.observed[k] == pytest.approx(measure.estimate(a, b), rel=rel, abs=1e-13)
        assert rows.bound[k] == pytest.approx(min(a.entropy, b.entropy), rel=rel, abs=1e-13)
        if rows.is_degenerate[k]:
            continue
        moments = moments_of(measure, a, b)[0]
        assert rows.mean[k] == pytest.approx(moments.mean, rel=rel)
        assert rows.variance[k] == pytest.approx(moments.variance, rel=rel, abs=0)


@pytest.mark.parametrize("name", FORMS)
@given(columns=label_lists())
def test_traces_equal_those_of_single_pairs(name, columns):
    """Labels that do not occur, rows missing in any column, a column with itself."""
    assert_traces_equal_single_pairs(name, columns, columns)


@given(columns=label_lists())
def test_information_equals_that_of_single_pairs(columns):
    assert_information_equals_single_pairs(columns, columns)


@pytest.mark.parametrize("share_missing", [0.0, 0.2])
@pytest.mark.parametrize("n", [63, 64, 65, 1000, 5000])
def test_every_way_of_counting_gives_the_same_tables(n, share_missing, rng):
    """Few labels are counted as sets, more by rows, many by rows in the order of x."""
    few = some_columns(rng, n, [2, 3, 20], share_missing)
    many = some_columns(rng, n, [40, 70, 300], share_missing)
    for x, y in ((few, few), (few, many), (many, few), (many, many)):
        for name in FORMS:
            assert_traces_equal_single_pairs(name, x, y)
        assert_information_equals_single_pairs(x, y)


@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_thousands_of_labels_take_no_table_of_their_product(share_missing, rng):
    """3,000 by 3,000 cells of 6,000 rows."""
    columns = some_columns(rng, 6_000, [3_000, 2_500], share_missing)
    for name in FORMS:
        assert_traces_equal_single_pairs(name, columns, columns)
    assert_information_equals_single_pairs(columns, columns)


def test_columns_missing_on_one_side_only_are_counted_right(rng):
    """Sizes of a complete column give the last row or column of the table. The other's must not."""
    whole, holed = some_columns(rng, 300, [2, 4]), some_columns(rng, 300, [2, 4], 0.4)
    for x, y in ((whole, holed), (holed, whole)):
        assert_traces_equal_single_pairs("gini", x, y)
        assert_information_equals_single_pairs(x, y)


def test_booleans_are_labels(rng):
    columns = [flags(rng.random(50) < 0.3), flags(rng.random(50) < 0.6, rng.random(50) < 0.2)]
    assert_traces_equal_single_pairs("gini", columns, columns)


def test_what_a_pair_gets_does_not_depend_on_other_columns(rng):
    columns = some_columns(rng, 400, [2, 5, 9], 0.1)
    alone = statistics_of_tables(columns[:1], columns[2:], np.array([0]), np.array([0]), form="projector")
    among = statistics_of_tables(columns, columns, np.array([1, 0, 2]), np.array([1, 2, 0]), form="projector")

    assert alone.trace[0] == among.trace[1]
    assert np.array_equal(alone.x_invariants[0], among.x_invariants[1])
    assert np.array_equal(alone.y_invariants[0], among.y_invariants[1])
    assert among.trace[1] == pytest.approx(among.trace[2], rel=1e-12)


def test_mutual_information_is_the_same_both_ways(rng):
    columns = some_columns(rng, 5_000, [3, 17])
    rows = information_of(columns, columns, np.array([0, 1]), np.array([1, 0]))

    for values in (rows.observed, rows.mean, rows.variance):
        assert values[0] == pytest.approx(values[1], rel=1e-10)


def test_variance_beyond_its_budget_is_not_a_number(monkeypatch, rng):
    """The mean stays."""
    put(monkeypatch, most_table_operations=10.0)
    columns = some_columns(rng, 100, [3, 4])
    rows = information_of(columns, columns, np.array([0]), np.array([1]))

    assert np.isnan(rows.variance[0])
    assert rows.mean[0] > 0


def test_no_pair_gives_empty_records():
    none = np.empty(0, dtype=np.intp)
    columns = [labels([0, 1, 1])]

    assert statistics_of_tables(columns, columns, none, none, form="indicator").x_invariants.shape == (0, 8)
    assert len(information_of(columns, columns, none, none).n) == 0


def test_chunks_keep_every_pair_in_order(rng):
    cost = rng.exponential(1e8, size=200)
    parts = list(chunks(cost, len(cost)))

    assert np.concatenate([np.arange(200)[part] for part in parts]).tolist() == list(range(200))
    assert len(parts) > 20
    assert max(cost[part].sum() - cost[part][0] for part in parts) <= 2.5e8
