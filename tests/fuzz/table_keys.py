"""Measures of labels as integers over many tables at once, for small samples and for large tables.

In:  counts of shape (tables, rows, columns), int64 or Python integers, with their row and column totals.
Out: a key per table, what turns a key into the measure, its bound. Keys grow with the measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import cache
from typing import NamedTuple

import numpy as np


class Keys(NamedTuple):
    """A key per table or arrangement, the measure of a key, and the measure's own bound."""

    keys: np.ndarray
    value: Callable[[int], float]
    bound: float


Totals = Sequence[int]


def ratio(top: int, bottom: int) -> float:
    return top / bottom if bottom else 0.0


def weighted_squares(tables: np.ndarray, rows: Totals, columns: Totals) -> np.ndarray:
    """Compute Σ w_i·v_j·n_ij², without a sum that a fixed width could overflow."""
    keys = 0
    for i, w in enumerate(rows):
        for j, v in enumerate(columns):
            keys = keys + w * v * tables[:, i, j] ** 2
    return keys


def gini(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    n, unit, same = sum(a), math.lcm(*a), sum(t * t for t in b)
    keys = weighted_squares(tables, [unit // t for t in a], [1] * len(b))
    return Keys(keys, lambda k: (n * k - unit * same) / (unit * n * n), (n * n - same) / n**2)


def goodman_kruskal(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    n, unit, same = sum(a), math.lcm(*a), sum(t * t for t in b)
    keys = gini(tables, a, b).keys
    return Keys(keys, lambda k: ratio(n * k - unit * same, unit * (n * n - same)), 1.0)


def phi2(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    unit, other = math.lcm(*a), math.lcm(*b)
    keys = weighted_squares(tables, [unit // t for t in a], [other // t for t in b])
    whole = unit * other
    return Keys(keys, lambda k: (k - whole) / whole, min(len(a), len(b)) - 1.0)


def cramers_v(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    keys, value, most = phi2(tables, a, b)
    return Keys(keys, lambda k: math.sqrt(ratio(value(k), most)), 1.0)


def mi(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    """Compute Σ n_ij·ln n_ij in units of 2⁻¹⁶⁰.

    Its last forty bits are cut, so that equal values stay equal.
    """
    n, counts = sum(a), np.unique(tables.astype(np.int64))
    logs = np.array([x_log_x(int(m)) for m in counts], dtype=object)
    keys = logs[np.searchsorted(counts, tables.astype(np.int64))].sum(axis=(1, 2))
    keys = np.array([(int(k) + (1 << 39)) >> 40 for k in keys], dtype=object)
    # n·MI in nats is a small difference of large sums, so it is taken before it becomes a float.
    offset = (x_log_x(n) - sum(map(x_log_x, a)) - sum(map(x_log_x, b))) >> 40
    bits = n * math.log(2)
    return Keys(keys, lambda k: max((k + offset) / 2**120 / bits, 0.0), min(entropy(a), entropy(b)))


@cache
def x_log_x(count: int) -> int:
    with localcontext() as context:
        context.prec = 70
        return int((Decimal(count) * Decimal(count).ln()).scaleb(0) * (1 << 160)) if count else 0


def entropy(sizes: Totals) -> float:
    n = sum(sizes)
    return math.fsum(-t / n * math.log1p((t - n) / n) for t in sizes if t) / math.log(2)


def rand(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    n, alone = sum(a), sum(t * t for t in (*a, *b))
    keys = weighted_squares(tables, [1] * len(a), [1] * len(b))
    return Keys(keys, lambda k: (n * (n - 1) + 2 * k - alone) / (n * (n - 1)), 1.0)


def agreement(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    """Compute the keys of columns whose labels are numbered alike."""
    diagonal = sum(tables[:, k, k] for k in range(min(tables.shape[1:])))
    return Keys(diagonal, lambda k: k / sum(a), 1.0)


def together(tables: np.ndarray, a: Totals, b: Totals) -> Keys:
    """Compute the fuzz's callable: the share of ordered pairs of rows that tie in both columns."""
    n = sum(a)
    return Keys(weighted_squares(tables, [1] * len(a), [1] * len(b)), lambda k: k / n**2, 1.0)


LABEL_MEASURES = (gini, goodman_kruskal, phi2, cramers_v, mi, rand, agreement, together)
OF_LABELS = {f.__name__: f for f in LABEL_MEASURES}
