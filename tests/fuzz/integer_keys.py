"""Each measure as integers over many arrangements of y at once: nothing rounds, so that ties are exact.

In:  two variables, and rows of codes of y. Out: a key per row, what turns a key into the measure, its bound.
tests/fuzz/test_laws.py compares them with the oracles row by row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from tests.fuzz.table_keys import OF_LABELS, Keys, goodman_kruskal, ratio
from tests.fuzz.variable import Variable


def _squared_line(first: Sequence[int], second: np.ndarray, rows: np.ndarray):
    """Compute (n·Σxy − Σx·Σy)², whose ratio to both variances is r²."""
    n, x = len(first), np.array(first, dtype=object)
    y = second[rows]
    keys = (n * (y @ x) - sum(first) * y[0].sum()) ** 2
    spread = _spread(first) * _spread(y[0])
    return keys, lambda k: ratio(k, spread), 1.0


def _spread(values: Sequence[int]) -> int:
    return len(values) * sum(v * v for v in values) - sum(values) ** 2


def r2(x: Variable, y: Variable, rows: np.ndarray):
    return _squared_line(x.numbers, y.by_code, rows)


def _double_midranks(sizes: Sequence[int]) -> np.ndarray:
    ends = np.cumsum(sizes)
    return np.array([2 * int(e) - t + 1 for e, t in zip(ends, sizes, strict=True)], dtype=object)


def spearman(x: Variable, y: Variable, rows: np.ndarray):
    return _squared_line(_double_midranks(x.sizes)[list(x.codes)].tolist(), _double_midranks(y.sizes), rows)


def kendall(x: Variable, y: Variable, rows: np.ndarray):
    s, pairs = np.zeros(len(rows), dtype=np.int64), list(combinations(range(x.n), 2))
    for i, j in pairs:
        s += np.sign(x.codes[i] - x.codes[j]) * np.sign(rows[:, i] - rows[:, j])
    untied = [sum(v.codes[i] != v.codes[j] for i, j in pairs) for v in (x, y)]
    return s * s, lambda k: ratio(k, untied[0] * untied[1]), 1.0


def xi(x: Variable, y: Variable, rows: np.ndarray):
    """Count neighbors: tied rows in 2/t of the orders, rows of adjacent groups in 1/(t·t′)."""
    n, sizes, ranks = x.n, x.sizes, np.cumsum(y.sizes)
    unit = math.lcm(*sizes, *(a * b for a, b in pairwise(sizes)))
    steps = np.zeros(len(rows), dtype=np.int64)
    for i, j in combinations(range(n), 2):
        a, b = sorted((x.codes[i], x.codes[j]))
        weight = 2 * unit // sizes[a] if a == b else unit // (sizes[a] * sizes[b]) if b == a + 1 else 0
        steps += weight * np.abs(ranks[rows[:, i]] - ranks[rows[:, j]])
    at_least = n - ranks + np.array(y.sizes)
    spread = 2 * int(np.sum(np.array(y.sizes) * at_least * (n - at_least)))
    bound = 1 - n * (n - y.sizes[0]) / spread if spread else 1.0
    if not spread or len(sizes) == 1:
        return np.zeros(len(rows), dtype=np.int64), lambda k: 0.0, bound
    return -steps, lambda k: (unit * spread + n * k) / (unit * spread), bound


def dcor(x: Variable, y: Variable, rows: np.ndarray):
    n = x.n
    first, second = _distances(x), _distances_of_codes(y)
    sums_x = first.sum(axis=1)
    sums_y = second[:, list(y.codes)].sum(axis=1)  # of each code, over all rows
    products = np.zeros(len(rows), dtype=object)
    for i, j in combinations(range(n), 2):
        products += 2 * first[i, j] * second[rows[:, i], rows[:, j]]
    total = sums_x.sum() * sums_y[list(y.codes)].sum()
    keys = (n - 1) * (n - 2) * products - 2 * (n - 1) * (sums_y[rows] @ sums_x) + total
    norms = _u_norm(first) * _u_norm(_distances(y))
    if norms == 0:
        return np.zeros(len(rows), dtype=np.int64), lambda k: 0.0, 1.0
    return keys, lambda k: math.copysign(math.sqrt(k * k / norms), 1 if k > 0 else -1), 1.0


def _distances(variable: Variable) -> np.ndarray:
    """Compute distances of rows: differences of numbers, or 1 between different labels."""
    return _distances_of_codes(variable)[np.ix_(variable.codes, variable.codes)]


def _distances_of_codes(variable: Variable) -> np.ndarray:
    if variable.numbers is None:
        return np.array(1 - np.eye(len(variable.sizes), dtype=int), dtype=object)
    values = variable.by_code
    return np.abs(values[:, None] - values[None, :])


def _u_norm(d: np.ndarray) -> int:
    """Compute (n − 1)(n − 2) times the squared norm of the U-centered distances."""
    n, sums = len(d), d.sum(axis=1)
    return (n - 1) * (n - 2) * (d * d).sum() - 2 * (n - 1) * (sums * sums).sum() + sums.sum() ** 2


def counts(x: Variable, y: Variable, rows: np.ndarray) -> np.ndarray:
    """Count n_ij of every arrangement."""
    table = np.zeros((len(rows), len(x.sizes), len(y.sizes)), dtype=np.int64)
    for k, code in enumerate(x.codes):
        table[np.arange(len(rows)), code, rows[:, k]] += 1
    return table


def eta2(x: Variable, y: Variable, rows: np.ndarray):
    """Compute η² keys of groups x and numbers y, or of numbers x if y has labels alone."""
    groups, line = (y, x) if y.numbers is None else (x, y)
    n, unit = x.n, math.lcm(*groups.sizes)
    keys = -unit * sum(line.numbers) ** 2
    for g, size in enumerate(groups.sizes):
        if groups is x:
            members = [k for k in range(n) if x.codes[k] == g]
            sums = y.by_code[rows[:, members]].sum(axis=1)
        else:
            sums = (rows == g).astype(object) @ np.array(x.numbers, dtype=object)
        keys = keys + n * (unit // size) * sums**2
    return keys, lambda k: ratio(k, unit * _spread(line.numbers)), 1.0


def class_line(x: Variable, y: Variable, rows: np.ndarray):
    """Compute Σ_j (n·Σ x in class j − b_j·Σx)² for numeric x and categorical y."""
    n, numbers = x.n, np.array(x.numbers, dtype=object)
    keys = sum(
        (n * ((rows == g).astype(object) @ numbers) - size * sum(x.numbers)) ** 2
        for g, size in enumerate(y.sizes)
    )
    whole = _spread(x.numbers) * (n * n - sum(b * b for b in y.sizes))
    return keys, lambda k: ratio(k, whole), 1.0


def explained(x: Variable, y: Variable, rows: np.ndarray):
    if y.numbers is not None:
        return (eta2 if x.numbers is None else r2)(x, y, rows)
    if x.numbers is not None:
        return class_line(x, y, rows)
    return goodman_kruskal(counts(x, y, rows), x.sizes, y.sizes)


def shape(x: Variable, y: Variable, rows: np.ndarray):
    """Compute the keys of a straight line, because fewer than twelve rows have no bend."""
    return explained(x, y, rows)


OF_NUMBERS = {f.__name__: f for f in (r2, spearman, kendall, xi, dcor, eta2, explained, shape)}


def keys_of(measure: str, x: Variable, y: Variable, rows: np.ndarray) -> Keys:
    """Return the keys of any measure that has exact ones."""
    if measure in OF_NUMBERS:
        return Keys(*OF_NUMBERS[measure](x, y, rows))
    return OF_LABELS[measure](counts(x, y, rows), x.sizes, y.sizes)
