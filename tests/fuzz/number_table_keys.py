"""Measures of numbers as integers over many tables at once: a value per row and column of the table.

The same contract as table_keys.py; x and y are integers in ascending order. These are for tables of a few
rows and columns, whatever their counts.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np

from tests.fuzz.table_keys import Keys, Totals, mi, ratio


def _spread(sizes: Totals, values: Totals) -> int:
    first = sum(t * v for t, v in zip(sizes, values, strict=True))
    return sum(sizes) * sum(t * v * v for t, v in zip(sizes, values, strict=True)) - first * first


def r2(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Compute (n·Σxy − Σx·Σy)² over both spreads."""
    n, cells = sum(a), list(product(range(len(a)), range(len(b))))
    products = sum(x[i] * y[j] * tables[:, i, j] for i, j in cells)
    sums = [sum(t * v for t, v in zip(*side, strict=True)) for side in ((a, x), (b, y))]
    whole = _spread(a, x) * _spread(b, y)
    return Keys((n * products - sums[0] * sums[1]) ** 2, lambda k: ratio(k, whole), 1.0)


def spearman(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    return r2(tables, a, b, *(_double_midranks(t) for t in (a, b)))


def _double_midranks(sizes: Totals) -> list[int]:
    return [2 * sum(sizes[:k]) + t + 1 for k, t in enumerate(sizes)]


def kendall(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    pairs = product(combinations(range(len(a)), 2), combinations(range(len(b)), 2))
    s = sum(tables[:, i, j] * tables[:, k, m] - tables[:, i, m] * tables[:, k, j] for (i, k), (j, m) in pairs)
    untied = [sum(u * v for u, v in combinations(sizes, 2)) for sizes in (a, b)]
    return Keys(s * s, lambda k: ratio(k, untied[0] * untied[1]), 1.0)


def xi(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Count neighbors: tied rows in 2/t of the orders, rows of adjacent groups in 1/(t·t′)."""
    n, ranks = sum(a), [sum(b[: j + 1]) for j in range(len(b))]
    unit = math.lcm(*a, *(s * t for s, t in pairwise(a)))
    steps = 0
    for j, m in combinations(range(len(b)), 2):
        gap = ranks[m] - ranks[j]
        for i, t in enumerate(a):
            steps = steps + gap * (2 * unit // t) * tables[:, i, j] * tables[:, i, m]
        for i in range(len(a) - 1):
            crossing = tables[:, i, j] * tables[:, i + 1, m] + tables[:, i, m] * tables[:, i + 1, j]
            steps = steps + gap * (unit // (a[i] * a[i + 1])) * crossing
    at_least = [n - r + t for r, t in zip(ranks, b, strict=True)]
    spread = 2 * sum(t * m * (n - m) for t, m in zip(b, at_least, strict=True))
    whole = unit * spread
    return Keys(-steps, lambda k: (whole + n * k) / whole, 1 - n * (n - b[0]) / spread)


def dcor(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    n = sum(a)
    sums = [_distance_sums(*side) for side in ((a, x), (b, y))]
    cells = list(product(range(len(a)), range(len(b))))
    products = sum(
        abs(x[i] - x[k]) * abs(y[j] - y[m]) * tables[:, i, j] * tables[:, k, m]
        for (i, j), (k, m) in product(cells, cells)
        if i != k and j != m
    )
    rows = sum(sums[0][i] * sums[1][j] * tables[:, i, j] for i, j in cells)
    totals = [
        sum(t * s for t, s in zip(sizes, s_, strict=True)) for sizes, s_ in zip((a, b), sums, strict=True)
    ]
    keys = (n - 1) * (n - 2) * products - 2 * (n - 1) * rows + totals[0] * totals[1]
    norms = _u_norm(a, x) * _u_norm(b, y)
    if norms == 0:
        return Keys(np.zeros(len(tables), dtype=np.int64), lambda k: 0.0, 1.0)
    return Keys(keys, lambda k: math.copysign(math.sqrt(k * k / norms), 1 if k > 0 else -1), 1.0)


def _distance_sums(sizes: Totals, values: Totals) -> list[int]:
    return [sum(t * abs(v - w) for t, w in zip(sizes, values, strict=True)) for v in values]


def _u_norm(sizes: Totals, values: Totals) -> int:
    n, sums = sum(sizes), _distance_sums(sizes, values)
    held = list(zip(sizes, values, strict=True))
    squares = sum(s * t * (v - w) ** 2 for (s, v), (t, w) in product(held, held))
    rows = sum(t * s * s for t, s in zip(sizes, sums, strict=True))
    total = sum(t * s for t, s in zip(sizes, sums, strict=True))
    return (n - 1) * (n - 2) * squares - 2 * (n - 1) * rows + total**2


def eta2(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Compute η² of the groups of x and the numbers of y."""
    n, unit = sum(a), math.lcm(*a)
    keys = -unit * sum(t * v for t, v in zip(b, y, strict=True)) ** 2
    for i, t in enumerate(a):
        keys = keys + n * (unit // t) * sum(v * tables[:, i, j] for j, v in enumerate(y)) ** 2
    whole = unit * _spread(b, y)
    return Keys(keys, lambda k: ratio(k, whole), 1.0)


def class_line(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Compute Σ_j (n·Σ x in class j − b_j·Σx)² for numeric x and categorical y."""
    n, total = sum(a), sum(t * v for t, v in zip(a, x, strict=True))
    keys = sum(
        (n * sum(v * tables[:, i, j] for i, v in enumerate(x)) - t * total) ** 2 for j, t in enumerate(b)
    )
    whole = _spread(a, x) * (n * n - sum(t * t for t in b))
    return Keys(keys, lambda k: ratio(k, whole), 1.0)


def mic(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Compute mutual information in bits, because a grid of two binary columns has one cut per side."""
    keys, bits, _ = mi(tables, a, b)
    return Keys(keys, bits, 1.0)


def tic_e(tables: np.ndarray, a: Totals, b: Totals, x: Totals, y: Totals) -> Keys:
    """Compute mutual information, once for every grid."""
    keys, bits, _ = mi(tables, a, b)
    budget = max(math.pow(sum(a), 0.6), 4.0)
    grids = sum(int(budget // rows) - 1 for rows in range(2, max(int(budget // 2), 2) + 1))
    return Keys(keys, lambda k: grids * bits(k), float(grids))


OF_NUMBERS = {f.__name__: f for f in (r2, spearman, kendall, xi, dcor, eta2, mic, tic_e)} | {"mic_e": mic}
