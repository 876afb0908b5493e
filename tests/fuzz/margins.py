"""All tables with given totals and their exact weights: by enumeration, or for many rows by convolution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np

from tests.fuzz.law import Law
from tests.fuzz.permutations import Answer
from tests.fuzz.table_keys import OF_LABELS, x_log_x

NEAR = 1e-13  # of the law's scale: two atoms of a table that doubles cannot tell apart

Totals = tuple[int, ...]
KeyLaw = dict[int, Counter]
"""By how many rows of the rare column are used: the weight of each key."""


@cache
def all_tables(a: Totals, b: Totals) -> tuple[np.ndarray, list[int]]:
    """List tables as Python integers of shape (tables, rows, columns), and their numbers of permutations.

    Columns other than the largest are dealt out one after the other, so they had better be small.
    """
    common = max(range(len(b)), key=b.__getitem__)
    rare = [j for j in range(len(b)) if j != common]
    tables, weights = [], []
    for columns, weight, left in _deal(a, [b[j] for j in rare]):
        table = np.empty((len(a), len(b)), dtype=object)
        for j, column in zip(rare, columns, strict=True):
            table[:, j] = column
        table[:, common] = left
        tables.append(table)
        weights.append(weight)
    return np.array(tables, dtype=object).reshape(-1, len(a), len(b)), weights


def _deal(left: Totals, sizes: list[int]) -> Iterator[tuple[list[Totals], int, Totals]]:
    if not sizes:
        yield [], 1, left
        return
    for column in _splits(sizes[0], left):
        ways = math.prod(math.comb(room, k) for room, k in zip(left, column, strict=True))
        after = tuple(room - k for room, k in zip(left, column, strict=True))
        for columns, weight, rest in _deal(after, sizes[1:]):
            yield [column, *columns], ways * weight, rest


def _splits(size: int, room: Totals) -> Iterator[Totals]:
    """Yield every way to deal `size` rows over groups of limited room."""
    if len(room) == 1:
        if size <= room[0]:
            yield (size,)
        return
    for first in range(min(size, room[0]) + 1):
        for rest in _splits(size - first, room[1:]):
            yield (first, *rest)


def wide_answer(measure: str, a: Totals, flags: Totals, n_flags: int) -> Answer:
    """Compute the law for x with many labels of few sizes and y a flag on `n_flags` rows.

    `flags` says how many flagged rows each label has.
    """
    b = (sum(a) - n_flags, n_flags)
    table = np.array([[[t - k, k] for t, k in zip(a, flags, strict=True)]], dtype=object)
    keys, value, bound = OF_LABELS[measure](table, a, b)
    total: KeyLaw = {0: Counter({0: 1})}
    for size, count in Counter(a).items():
        row = {
            k: Counter({_row_key(measure, a, b, size, k): math.comb(size, k)})
            for k in range(min(size, n_flags) + 1)
        }
        total = _convolve(total, _power(row, count, n_flags), n_flags)
    merged = total[n_flags]
    rounded = ((k + (1 << 39)) >> 40 if measure == "mi" else k for k in merged)
    law = Law.of(rounded, value, merged.values(), near=NEAR)
    return Answer(law, law.index_of(int(keys[0])), bound)


def _row_key(measure: str, a: Totals, b: Totals, size: int, k: int) -> int:
    """Return the part of one row of a table in the keys of table_keys.py."""
    cells = size - k, k
    if measure == "mi":
        return sum(map(x_log_x, cells))
    row = 1 if measure == "rand" else math.lcm(*a) // size
    columns = [math.lcm(*b) // t for t in b] if measure in ("phi2", "cramers_v") else (1, 1)
    return sum(row * v * c * c for v, c in zip(columns, cells, strict=True))


def _power(row: KeyLaw, count: int, most: int) -> KeyLaw:
    if count == 1:
        return row
    half = _power(row, count // 2, most)
    both = _convolve(half, half, most)
    return _convolve(both, row, most) if count % 2 else both


def _convolve(first: KeyLaw, second: KeyLaw, most: int) -> KeyLaw:
    out: KeyLaw = {}
    for i, left in first.items():
        for j, right in second.items():
            if i + j <= most:
                held = out.setdefault(i + j, Counter())
                for u, v in left.items():
                    for s, w in right.items():
                        held[u + s] += v * w
    return out
