"""Kernels against plain Python: random, tied, constant, tiny and huge input, and what they refuse."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product
from math import comb, log, prod

import numpy as np
import pytest

from bychance import _native
from tests.oracle import mutual_information as oracle

RAW = _native.Finish()


def identity(n):
    return np.arange(n, dtype=np.int32)[np.newaxis]


def dense_invariants(a):
    """Compute the eight invariants by their definitions."""
    d, square = np.diag(a), a @ a
    return [
        d.sum(),
        np.trace(square),
        np.trace(square @ a),
        (d**2).sum(),
        (d**3).sum(),
        d @ np.diag(square),
        d @ a @ d,
        (a**3).sum(),
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_arrangements_are_all_and_distinct(n):
    rows = _native.Arrangements(np.arange(n, dtype=np.int32)).next(1000)

    assert sorted(map(tuple, rows)) == sorted(permutations(range(n)))


def test_arrangements_of_ties_come_once_each_in_any_chunks():
    codes = np.array([1, 0, 1, 2, 0, 1], dtype=np.int32)
    arrangements, rows = _native.Arrangements(codes), []
    while len(chunk := arrangements.next(7)):
        rows.extend(codes[row].tolist() for row in chunk)

    assert sorted(rows) == sorted(map(list, set(permutations(codes.tolist()))))


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_trace_moments_equal_enumeration(n, rng):
    """Random symmetric matrices with zero row sums, nothing else assumed of them."""
    center = np.eye(n) - 1 / n
    a, b = (center @ (m + m.T) @ center for m in rng.integers(-5, 6, size=(2, n, n)))
    values = np.array([np.sum(a * b[np.ix_(p, p)]) for p in permutations(range(n))])
    both, at = [np.array(dense_invariants(m))[np.newaxis] for m in (a, b)], np.zeros(1, dtype=np.int64)
    *moments, _ = np.concatenate(_native.trace_moments(*both, np.array([float(n)]), at, at))
    expected = [values.mean(), values.var(), np.mean((values - values.mean()) ** 3)]

    np.testing.assert_allclose(moments, expected, rtol=1e-9, atol=1e-9 * abs(values).max() ** 3)


@pytest.mark.parametrize("sizes", [[1, 1, 1], [2, 3], [5, 1, 1, 4], [7], [3, 3, 3, 3]])
@pytest.mark.parametrize("kind", ["projector", "indicator", "random"])
def test_partition_invariants_equal_the_dense_matrix(sizes, kind, rng):
    sizes = np.array(sizes, dtype=np.int64)
    weights = {"projector": 1 / sizes, "indicator": np.ones(len(sizes)), "random": rng.random(len(sizes))}[
        kind
    ]
    codes = np.repeat(np.arange(len(sizes)), sizes)
    center = np.eye(len(codes)) - 1 / len(codes)
    matrix = center @ np.where(codes[:, None] == codes, weights[codes], 0.0) @ center

    np.testing.assert_allclose(
        _native.partition_invariants(sizes, weights), dense_invariants(matrix), atol=1e-9
    )


@pytest.mark.parametrize("n", [4, 5, 9, 30, 700])
def test_distance_invariants_equal_the_dense_matrix(n, rng):
    for x in (rng.random(n), np.round(3 * rng.standard_normal(n)), rng.standard_cauchy(n)):
        x = np.sort(x)
        a = np.abs(x[:, None] - x)
        rows = a.sum(axis=1) / (n - 2)
        u = a - rows[:, None] - rows + a.sum() / ((n - 1) * (n - 2))
        np.fill_diagonal(u, 0.0)
        norm = np.sqrt((u**2).sum())
        if norm < 1e-9 * a.max():
            continue

        np.testing.assert_allclose(_native.distance_invariants(x), dense_invariants(u / norm), atol=1e-9)


def test_distance_products_equal_the_double_sum(rng):
    for x, y in [rng.random((2, 40)), np.round(rng.standard_normal((2, 40))), np.zeros((2, 40))]:
        order, positions = (
            np.argsort(x).astype(np.int32),
            np.argsort(np.argsort(y, kind="stable")).astype(np.int32),
        )
        row = rng.permutation(40).astype(np.int32)
        expected = np.sum(np.abs(x[:, None] - x) * np.abs(y[row][:, None] - y[row]))

        no_sums = np.zeros(40)
        products = _native.Statistic.distances(order, x, no_sums, positions, y, no_sums, RAW)

        assert products.draw(_native.Permutations.listed(row[None]), 0, 1)[0] == pytest.approx(
            expected, abs=1e-9
        )


def table_of(x, y):
    return Counter(zip(x.tolist(), y.tolist(), strict=True))


@pytest.mark.parametrize(("r", "c"), [(1, 1), (2, 3), (5, 4), (30, 40)])
def test_cell_sums_equal_a_counter(r, c, rng):
    """Both the whole-row and the touched-cells way of emptying the counts."""
    x, y = (rng.integers(k, size=60).astype(np.int32) for k in (r, c))
    cells, a, b = table_of(x, y), np.bincount(x, minlength=r), np.bincount(y, minlength=c)
    every = [(a[i], b[j], cells[i, j]) for i in range(r) for j in range(c) if a[i] and b[j]]
    for function, expected in [
        ("gain", sum((m - s * t / 60) ** 2 / s for s, t, m in every)),
        ("contingency", sum((m - s * t / 60) ** 2 / (s * t) for s, t, m in every)),
        ("information", sum(m * log(m * 60 / (s * t)) for s, t, m in every if m)),
        ("together", sum(m**2 for m in cells.values())),
        ("diagonal", sum(m for (i, j), m in cells.items() if i == j)),
    ]:
        found = _native.Statistic.cells(function, x, y, r, c, RAW).value()

        assert found == pytest.approx(expected)


@pytest.mark.parametrize("function", ["gain", "contingency", "information"])
def test_cell_sums_of_rare_labels_keep_their_digits(function):
    """Against fractions: two labels of one row each in a million, apart and together."""
    n = 1_000_000
    x, y = np.zeros(n, np.int32), np.zeros(n, np.int32)
    x[0] = y[0] = 1
    apart = np.arange(n, dtype=np.int32)[[[1, 0, *range(2, n)]]]
    for permutation, m in ((identity(n), 1), (apart, 0)):
        table = [(n - 1, n - 1, n - 2 + m), (n - 1, 1, 1 - m), (1, n - 1, 1 - m), (1, 1, m)]
        if function == "information":
            with localcontext(prec=40):
                terms = [k * (Decimal(k * n) / (s * t)).ln() for s, t, k in table if k]
        else:
            weight = (lambda s, t: s) if function == "gain" else (lambda s, t: s * t)
            terms = [Fraction(k * n - s * t, n) ** 2 / weight(s, t) for s, t, k in table]
        cells = _native.Statistic.cells(function, x, y, 2, 2, RAW)
        found = cells.draw(_native.Permutations.listed(permutation), 0, 1)[0]

        assert found == pytest.approx(float(sum(terms)), rel=1e-13)


def tables(rows, columns):
    """List all tables with these totals."""
    if len(rows) == 1:
        yield [list(columns)]
        return
    for first in product(*(range(b + 1) for b in columns)):
        if sum(first) == rows[0]:
            for rest in tables(rows[1:], [b - m for b, m in zip(columns, first, strict=True)]):
                yield [list(first), *rest]


def ways(table, rows):
    """Count the permutations that give this table, up to the common factor."""
    remaining, total = [sum(column) for column in zip(*table, strict=True)], 1
    for row in table:
        for j, m in enumerate(row):
            total *= comb(remaining[j], m)
            remaining[j] -= m
    return total


@pytest.mark.parametrize(
    ("rows", "columns"),
    [([3, 4], [2, 5]), ([4, 3, 5], [6, 4, 2]), ([1, 1, 1, 5], [4, 4]), ([2, 2, 2], [3, 3]), ([6], [2, 4])],
)
def test_table_law_equals_all_tables(rows, columns):
    law, offset = Counter(), sum(b * b for b in columns) / sum(columns)
    for table in tables(rows, columns):
        value = sum(m**2 / rows[i] for i, row in enumerate(table) for m in row) - offset
        law[round(value, 9)] += ways(table, rows)
    values, probabilities = _native.table_distribution("gain", np.array(rows), np.array(columns), 1e9)

    assert np.round(values, 9).tolist() == pytest.approx(sorted(law), abs=1e-9)
    assert probabilities.tolist() == pytest.approx([law[k] / sum(law.values()) for k in sorted(law)])


def xlogx_mean(rows, columns):
    """Compute the mean of Σ n_ij·ln n_ij, which is n times mutual information plus a constant."""
    nats = [float(np.sum(t * np.log(np.maximum(t, 1)))) for t in (rows, columns, rows.sum(keepdims=True))]
    return _native.information_moments(rows, columns, 0.0)[0] + nats[0] + nats[1] - nats[2]


@pytest.mark.parametrize(
    ("rows", "columns"), [([3, 4], [2, 5]), ([4, 3, 5], [6, 4, 2]), ([1] * 6, [3, 3]), ([9, 1], [1, 9])]
)
def test_information_moments_equal_all_tables(rows, columns):
    weighted = [
        (sum(m * log(m) for row in table for m in row if m), ways(table, rows))
        for table in tables(rows, columns)
    ]
    values, weights = np.array(weighted, dtype=float).T
    mean = np.average(values, weights=weights)
    totals = np.array(rows), np.array(columns)

    assert xlogx_mean(*totals) == pytest.approx(mean, rel=1e-12)
    assert _native.information_moments(*totals, 1e9)[0] == _native.information_moments(*totals, 0.0)[0]
    assert _native.information_moments(*totals, 1e9)[1] == pytest.approx(
        np.average((values - mean) ** 2, weights=weights), abs=1e-12
    )


@pytest.mark.slow
def test_huge_totals_keep_their_mean():
    """A 2 × 2 table of n = 20 million rows has m ln m + n/32m per cell."""
    half = 10**7
    totals = np.array([half, half])
    m = half / 2
    expansion = 4 * (m * log(m) + 0.5 * (half / 8) / m)

    assert xlogx_mean(totals, totals) == pytest.approx(expansion, rel=1e-10)


ZEROS, CODES = np.zeros(2, np.int32), np.array([0, 1], np.int32)
PAIR = np.array([2, 2])
LINES = _native.Statistic.lines(np.ones(3), np.ones(3), RAW)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _native.Statistic.lines(np.ones(3), np.ones(4), RAW), "one length"),
        (lambda: LINES.draw(_native.Permutations.listed(identity(4)), 0, 1), "one column per row"),
        (lambda: LINES.draw(_native.Permutations.listed(identity(3)), 0, 2), "within the listed"),
        (lambda: LINES.draw(_native.Permutations.listed(identity(3)), 2, 0), "within the listed"),
        (lambda: _native.Permutations.listed(identity(3)).rows(1, 1), "within the listed"),
        (lambda: _native.Permutations.listed(identity(3) + 1), "row numbers"),
        (lambda: _native.Permutations.listed(identity(3) - 1), "row numbers"),
        (lambda: _native.draw_block([LINES], [], 0, 1), "per statistic"),
        (lambda: _native.Statistic.cells("cube", ZEROS, ZEROS, 1, 1, RAW), "contingency"),
        (lambda: _native.Statistic.cells("gain", CODES, ZEROS, 1, 1, RAW), "rows of"),
        (lambda: _native.table_distribution("gain", PAIR, PAIR[:1], 1e3), "same sum"),
        (lambda: _native.information_moments(np.array([-1, 3]), np.array([1, 1]), 0.0), "negative"),
        (lambda: _native.information_moments(np.array([2, 3]), np.array([1, 1]), 0.0), "same sum"),
        (lambda: _native.Statistic.kendall(CODES, np.array([3]), CODES, 2, RAW), "sum to"),
        (lambda: _native.Arrangements(np.array([-1], np.int32)), ">= 0"),
        (lambda: _native.Permutations.blocks((1, 2), 5, 0), "at least 1"),
        (lambda: _native.distance_invariants(np.arange(3.0)), "four rows"),
    ],
)
def test_impossible_input_is_refused_before_any_memory_is_touched(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_stub_is_current(tmp_path):
    """The committed .pyi is what nanobind writes for the module as built."""
    from pathlib import Path

    stubgen = pytest.importorskip(
        "nanobind.stubgen", reason="nanobind is a build requirement, not installed here"
    )
    import bychance

    stub = stubgen.StubGen(_native)
    stub.put(_native)

    assert stub.get() == (Path(bychance.__file__).parent / "_native.pyi").read_text()


@pytest.mark.parametrize("n_labels", [2, 7, 40])
def test_information_moments_equal_plain_python_on_larger_tables(n_labels, rng):
    """Log-gamma probabilities are the reference if all tables are too many to list."""
    rows, columns = (np.bincount(rng.integers(n_labels, size=150), minlength=1) for _ in range(2))
    rows, columns = rows[rows > 0], columns[columns > 0]
    mean, variance = oracle.mean_and_variance(rows.tolist(), columns.tolist())

    assert xlogx_mean(rows, columns) == pytest.approx(mean, rel=1e-11)
    assert _native.information_moments(rows, columns, 1e9)[1] == pytest.approx(variance, rel=1e-8)


def test_trace_moments_of_many_pairs_equal_those_of_each(rng):
    """Bit for bit, whether sides are made once or per pair, with fewer rows than some terms need too."""
    x, y = rng.random((20, 8)), rng.random((20, 8))
    first, second = np.indices((20, 20)).reshape(2, -1)
    n, at = first + 3.0, np.zeros(1, dtype=np.int64)
    each = [
        np.concatenate(_native.trace_moments(x[i : i + 1], y[j : j + 1], np.array([k]), at, at))
        for i, j, k in zip(first, second, n, strict=True)
    ]

    assert np.array_equal(_native.trace_moments(x, y, n, first, second), np.transpose(each))
    with pytest.raises(ValueError, match="first must number"):
        _native.trace_moments(x, y, n, first + 1, second)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([200, 120, 80], [180, 140, 80]),
        ([390, 6, 4], [385, 10, 5]),
        ([260, 130, 10], [300, 60, 40]),
    ],
    ids=["many rows a cell", "one total is most", "unbalanced"],
)
def test_information_moments_equal_plain_python_for_any_shares(rows, columns):
    mean, variance = oracle.mean_and_variance(rows, columns)
    totals = np.array(rows), np.array(columns)

    assert xlogx_mean(*totals) == pytest.approx(mean, rel=1e-12)
    assert _native.information_moments(*totals, 1e9)[1] == pytest.approx(variance, rel=1e-9)


def test_information_variance_of_four_labels_of_one_row_keeps_its_digits():
    """Against all tables in 30 digits: the values differ in their fifth digit only."""
    with localcontext(prec=30):
        law = []
        for taken in product(range(5), repeat=4):
            if sum(taken) == 4:
                left = [Decimal(100 - k) for k in taken]
                law.append((sum(m * m.ln() for m in left), prod(comb(100, k) for k in taken)))
        total = sum(weight for _, weight in law)
        mean = sum(value * weight for value, weight in law) / total
        variance = sum((value - mean) ** 2 * weight for value, weight in law) / total
    found = _native.information_moments(np.array([396, 1, 1, 1, 1]), np.array([100] * 4), 1e9)[1]

    assert found == pytest.approx(float(variance), rel=1e-10)


def test_information_variance_keeps_its_digits_where_rare_labels_meet_large_counts():
    """The reference is the oracle's sum, minutes in plain Python."""
    rows = np.array([48418, 32939, 13])
    columns = np.array([10976, 947, 1703, 4053, 29089, 35, 3470, 574, 8000, 2003, 6146, 1484, 7719, 5171])

    assert _native.information_moments(rows, columns, 1e9)[1] == pytest.approx(10.0932004229, rel=1e-9)


def test_information_variance_is_that_of_bartletts_chi_squared_for_large_counts():
    """2F over its mean is a χ² over its degrees of freedom, up to the squared inverse of expected counts."""
    rows, columns = np.array([250_000, 400_000, 350_000]), np.array([100_000, 300_000, 200_000, 400_000])
    mean = 2 * _native.information_moments(rows, columns, 0.0)[0]

    assert mean == pytest.approx(6, rel=1e-4)
    assert 4 * _native.information_moments(rows, columns, 1e9)[1] == pytest.approx(mean**2 / 3, rel=1e-8)


def test_information_variance_of_one_value_is_zero():
    """One row against two labels of one size: either cell gives the same sum."""
    assert _native.information_moments(np.array([1, 99]), np.array([50, 50]), 1e9)[1] == 0
    assert _native.information_moments(np.array([100]), np.array([30, 70]), 1e9)[1] == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c, i: _native.table_traces(c, c, i, i + 9, "projector"), "second"),
        (lambda c, i: _native.table_traces(c, c, i, i, "line"), "projector"),
        (lambda c, i: _native.table_information(c, c, i, i[:0], 1.0), "a pair"),
        (lambda c, i: c.add(np.zeros(3, dtype=np.int32)), "one length"),
        (lambda c, i: _native.group_traces(c, _native.NumberColumns(), i, i, "projector"), "one length"),
    ],
)
def test_kernels_over_many_pairs_refuse_what_does_not_fit(call, message):
    columns = _native.LabelColumns()
    columns.add(np.array([0, 1], dtype=np.int32))
    with pytest.raises(ValueError, match=message):
        call(columns, np.zeros(1, dtype=np.int64))
