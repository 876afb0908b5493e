"""Groups and numbers of many pairs at once against each pair measured alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance as bc
from bychance import _native
from bychance.measures.explained import RankLine
from bychance.measures.trace import Partition, centered_line, trace_statistic
from tests.engine.statistics import statistics_of_groups
from tests.ranking.label_pairs import all_pairs, flags, label_columns, labels, masks, numbers

FORMS = ("projector", "indicator")


def trace_of(x, y):
    """Compute tr(A·B) for the observed order."""
    as_it_is = _native.Permutations.listed(np.arange(x.n, dtype=np.int32)[np.newaxis])
    return trace_statistic(x, y, _native.Finish()).draw(as_it_is, 0, 1)[0]


def assert_equals_single_pairs(groups, values, form, labels_are_x=True, rel=1e-9):
    first, second = all_pairs(groups, values)
    rows = statistics_of_groups(groups, values, first, second, form=form, labels_are_x=labels_are_x)
    sides = slice(None, None, 1 if labels_are_x else -1)
    group_invariants, line_invariants = (rows.x_invariants, rows.y_invariants)[sides]
    n_groups, n_values = (rows.x_distinct, rows.y_distinct)[sides]
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        present = np.ones(len(groups[i]), dtype=bool)
        for column in (groups[i], values[j]):
            if column.is_missing is not None:
                present &= ~column.is_missing
        assert rows.n[k] == present.sum()
        if not present.any():
            assert rows.is_degenerate[k]
            continue
        codes = np.unique(groups[i].values[present], return_inverse=True)[1].astype(np.int32)
        partition = Partition.of(codes, is_indicator=form == "indicator")
        raw = values[j].values[present].astype(float)
        line = centered_line(raw)
        assert n_groups[k] == partition.n_distinct
        assert n_values[k] == min(len(np.unique(raw)), 10)
        assert rows.is_degenerate[k] == (partition.is_degenerate or line.is_degenerate or partition.n < 3)
        if line.is_degenerate:
            assert rows.trace[k] == 0
        if rows.is_degenerate[k]:
            continue
        assert rows.trace[k] == pytest.approx(trace_of(partition, line), rel=rel, abs=1e-14)
        assert group_invariants[k] == pytest.approx(partition.invariants, rel=1e-12)
        assert line_invariants[k] == pytest.approx(line.invariants, rel=rel, abs=1e-15)


@st.composite
def number_columns(draw, n):
    values = st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6, allow_nan=False, width=32)
    return numbers(draw(st.lists(values, min_size=n, max_size=n)), draw(masks(n)))


@st.composite
def mixed_lists(draw):
    n = draw(st.integers(1, 30))
    return (
        [draw(label_columns(n)) for _ in range(draw(st.integers(1, 3)))],
        [draw(number_columns(n)) for _ in range(draw(st.integers(1, 3)))],
    )


@pytest.mark.parametrize("form", FORMS)
@given(columns=mixed_lists(), labels_are_x=st.booleans())
def test_traces_equal_those_of_single_pairs(form, columns, labels_are_x):
    """Labels that do not occur, rows missing on either side, constants."""
    assert_equals_single_pairs(*columns, form, labels_are_x)


@pytest.mark.parametrize("share_missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "shape",
    [
        lambda z: 1e9 + 1e-3 * z,
        lambda z: 1e300 * z,
        lambda z: 1e-300 * z,
        lambda z: np.where(z > 3, 1e9, z),
        np.sign,
    ],
    ids=["far from zero", "huge", "tiny", "an outlier", "two values"],
)
def test_no_magnitude_takes_the_digits(shape, share_missing, rng):
    n = 3_000
    is_missing = rng.random(n) < share_missing if share_missing else None
    values = numbers(shape(rng.standard_normal(n)))
    groups = [labels(rng.integers(4, size=n), is_missing), flags(rng.random(n) < 0.5, is_missing)]
    for form in FORMS:
        assert_equals_single_pairs(groups, [values], form)


def test_rows_that_are_not_shared_leave_no_trace(rng):
    """A value of 10⁹ in a row without a label takes no digit from the others."""
    values, is_missing = rng.standard_normal(500), np.arange(500) == 7
    values[7] = 1e18
    assert_equals_single_pairs(
        [labels(rng.integers(3, size=500), is_missing)], [numbers(values)], "projector"
    )


def test_thousands_of_groups(rng):
    groups = [
        labels(rng.integers(2_000, size=5_000)),
        labels(rng.integers(2_000, size=5_000), rng.random(5_000) < 0.1),
    ]
    values = [
        numbers(rng.standard_normal(5_000)),
        numbers(rng.standard_normal(5_000), rng.random(5_000) < 0.1),
    ]
    for form in FORMS:
        assert_equals_single_pairs(groups, values, form)


def test_numbers_constant_on_the_shared_rows_are_degenerate():
    values, is_missing = numbers([1.0, 1.0, 1.0, 1.0, 2.0]), np.array([False, False, False, False, True])
    rows = statistics_of_groups(
        [labels([0, 0, 1, 1, 1], is_missing)],
        [values],
        np.array([0]),
        np.array([0]),
        form="projector",
        labels_are_x=True,
    )

    assert (rows.is_degenerate[0], rows.trace[0], rows.n[0]) == (True, 0.0, 4)


def test_what_a_pair_gets_does_not_depend_on_other_columns(rng):
    groups = [labels(rng.integers(k, size=300), rng.random(300) < 0.1) for k in (2, 5, 9)]
    values = [numbers(rng.standard_normal(300), rng.random(300) < 0.1) for _ in range(3)]
    alone = statistics_of_groups(
        groups[1:2], values[2:], np.array([0]), np.array([0]), form="indicator", labels_are_x=False
    )
    among = statistics_of_groups(
        groups, values, np.array([0, 1, 2]), np.array([0, 2, 1]), form="indicator", labels_are_x=False
    )

    assert alone.trace[0] == among.trace[1]
    assert np.array_equal(alone.x_invariants[0], among.x_invariants[1])


def test_ranks_beside_groups_are_those_among_the_rows_that_a_pair_shares(rng):
    table = {
        "label": rng.choice(["a", "b", "c", None], 40),
        "whole": rng.choice(["u", "v"], 40),
        "y": np.where(rng.random(40) < 0.3, np.nan, np.round(np.exp(rng.normal(size=40)), 1)),
    }
    rows = bc.rank(table, "y", measure=RankLine(), null="moments").best()

    for row in rows:
        alone = bc.adjust(RankLine(), table[row["x"]], table["y"], null="moments")
        found = [row[name] for name in ("n", "observed", "adjusted", "p_value")]
        assert found == pytest.approx([alone.n, alone.observed, alone.adjusted, alone.p_value])
