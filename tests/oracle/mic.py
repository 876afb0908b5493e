"""MIC, MIC_e and TIC_e, slow and obvious: two lists of numbers → a characteristic matrix.

Written from shared/reference/mic.md and Reshef et al. (2011, 2016), not from the kernel.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import groupby


def mic(x, y, exponent=0.6, clumps=15.0):
    """Return the largest cell of the characteristic matrix."""
    return max(characteristic(x, y, exponent, clumps).values(), default=0.0)


def mic_e(x, y, exponent=0.6, clumps=15.0):
    """Return the largest cell of the equicharacteristic matrix."""
    return max(equicharacteristic(x, y, exponent, clumps).values(), default=0.0)


def tic_e(x, y, exponent=0.6, clumps=15.0):
    """Return the sum of the cells of the equicharacteristic matrix."""
    return math.fsum(equicharacteristic(x, y, exponent, clumps).values())


def characteristic(x, y, exponent=0.6, clumps=15.0):
    """Map (y bins, x bins) to the larger normalized score of the two directions."""
    cells = dict(scores(tuple(x), tuple(y), exponent, clumps))
    for (rows, columns), value in scores(tuple(y), tuple(x), exponent, clumps):
        cells[columns, rows] = max(cells.get((columns, rows), 0.0), value)
    return cells


def equicharacteristic(x, y, exponent=0.6, clumps=15.0):
    """Filter the cells of each direction whose equipartitioned axis has no fewer bins."""
    cells = {cell: v for cell, v in scores(tuple(x), tuple(y), exponent, clumps) if cell[1] <= cell[0]}
    for (rows, columns), value in scores(tuple(y), tuple(x), exponent, clumps):
        if columns <= rows:
            cells[columns, rows] = max(cells.get((columns, rows), 0.0), value)
    return cells


@lru_cache(maxsize=1 << 14)  # the three measures share them
def scores(x, y, exponent, clumps):
    """List ((rows, columns), value) with y equipartitioned and the cuts of x searched."""
    n, found = len(x), []
    budget = max(math.pow(n, exponent), 4.0)
    for rows in range(2, max(math.floor(budget / 2), 2) + 1):
        most = math.floor(budget / rows)
        row = row_of_each_point(y, rows)
        n_rows = len(set(row))
        pieces = clump_points(x, row)
        allowed = max(int(clumps * most), 1)
        if len(pieces) > allowed:
            pieces = merge_groups(pieces, allowed)
        for columns in range(2, most + 1):
            scale = math.log(min(n_rows, columns))
            value = best_information(pieces, row, columns) / scale if scale else 0.0
            found.append(((rows, columns), min(max(value, 0.0), 1.0)))
    return found


def row_of_each_point(y, rows):
    """Label every point with its bin of the equipartition of y."""
    merged = merge_groups(tie_groups(y), rows)
    label = {point: r for r, points in enumerate(merged) for point in points}
    return [label[i] for i in range(len(y))]


def tie_groups(values):
    """List the points by value, tied ones together."""
    order = sorted(range(len(values)), key=values.__getitem__)
    return [list(points) for _, points in groupby(order, key=values.__getitem__)]


def merge_groups(groups, bins):
    """Fill bins in order (equipartition), never splitting a group."""
    merged = [[]]
    bins_left, points_left = bins, sum(map(len, groups))
    for group in groups:
        held, size = len(merged[-1]), len(group)
        if held > 0 and (2 * held + size) * bins_left >= 2 * points_left:
            points_left -= held
            bins_left -= 1
            merged.append([])
        merged[-1].extend(group)
    return merged


def clump_points(x, row):
    """Merge runs of one row. Tied x in several rows stay a clump."""
    pieces, last = [], None
    for group in tie_groups(x):
        rows = {row[i] for i in group}
        only = rows.pop() if len(rows) == 1 else None
        if only is not None and only == last:
            pieces[-1].extend(group)
        else:
            pieces.append(list(group))
        last = only
    return pieces


def best_information(pieces, row, columns):
    """Return the largest mutual information of the rows and at most `columns` runs of pieces."""
    n, p = len(row), len(pieces)
    counts = [[0] * (max(row) + 1)]
    for piece in pieces:
        counts.append(counts[-1][:])
        for i in piece:
            counts[-1][row[i]] += 1

    def minus_conditional_entropy(s, t):
        column = [b - a for a, b in zip(counts[s], counts[t], strict=True) if b > a]
        total = sum(column)
        return sum(k / n * math.log(k / total) for k in column)

    best = [[-math.inf] * (p + 1) for _ in range(columns + 1)]
    best[0][0] = 0.0
    for level in range(1, columns + 1):
        best[level][0] = 0.0
        for t in range(1, p + 1):
            best[level][t] = max(best[level - 1][s] + minus_conditional_entropy(s, t) for s in range(t))
    entropy = -sum(k / n * math.log(k / n) for k in counts[-1] if k)
    return entropy + best[columns][p]
