"""Every measure by its textbook definition: loops over rows, pairs and cells, nothing fast."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np


def r2(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return sxy**2 / (sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def midranks(values):
    return [sum(v < w for v in values) + (sum(v == w for v in values) + 1) / 2 for w in values]


def spearman(x, y):
    return r2(midranks(x), midranks(y))


def sign(a):
    return int(a > 0) - int(a < 0)


def kendall(x, y):
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    s = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    return s**2 / (sum(x[i] != x[j] for i, j in pairs) * sum(y[i] != y[j] for i, j in pairs))


def xi_in_order(y):
    n = len(y)
    r = [sum(v <= w for v in y) for w in y]
    at_least = [sum(v >= w for v in y) for w in y]
    steps = sum(abs(r[i + 1] - r[i]) for i in range(n - 1))
    return 1 - n * steps / (2 * sum(k * (n - k) for k in at_least))


def xi(x, y):
    """Compute the mean over every order of the rows that sorts x."""
    orders = [o for o in permutations(range(len(x))) if all(x[a] <= x[b] for a, b in pairwise(o))]
    return sum(xi_in_order([y[k] for k in o]) for o in orders) / len(orders)


def u_centered(values):
    """Compute in fractions, because an outlier takes digits from floats. Labels differ by 0 or 1."""
    n = len(values)
    a = [
        [Fraction(v != w if isinstance(v, str) else abs(Fraction(v) - Fraction(w))) for w in values]
        for v in values
    ]
    rows, total = [sum(row) for row in a], sum(map(sum, a))
    return [
        [
            0 if k == m else a[k][m] - rows[k] / (n - 2) - rows[m] / (n - 2) + total / ((n - 1) * (n - 2))
            for m in range(n)
        ]
        for k in range(n)
    ]


def inner(a, b):
    return sum(u * v for row, other in zip(a, b, strict=True) for u, v in zip(row, other, strict=True))


def dcor(x, y):
    a, b = u_centered(x), u_centered(y)
    product = Fraction(inner(a, b))
    return math.copysign(math.sqrt(product**2 / (inner(a, a) * inner(b, b))), 1 if product > 0 else -1)


def hsic(x, y):
    n, matrices = len(x), []
    for values in (x, y):
        distances = [abs(values[k] - values[m]) for k in range(n) for m in range(k)]
        width = float(np.median(distances)) or float(np.mean([d for d in distances if d > 0]))
        kernel = np.array([[math.exp(-((v - w) ** 2) / (2 * width**2)) for w in values] for v in values])
        center = np.eye(n) - 1 / n
        matrices.append(center @ kernel @ center)
    return float(np.trace(matrices[0] @ matrices[1])) / n**2


def eta2(groups, y):
    grand = sum(y) / len(y)
    between = 0
    for g in set(groups):
        members = [v for v, h in zip(y, groups, strict=True) if h == g]
        between += len(members) * (sum(members) / len(members) - grand) ** 2
    return between / sum((v - grand) ** 2 for v in y)


def impurity(labels):
    return 1 - sum((c / len(labels)) ** 2 for c in Counter(labels).values())


def gini(x, y):
    parts = [[b for a, b in zip(x, y, strict=True) if a == g] for g in set(x)]
    return impurity(y) - sum(len(part) / len(y) * impurity(part) for part in parts)


def goodman_kruskal(x, y):
    return gini(x, y) / impurity(y)


def mi(x, y):
    n, a, b = len(x), Counter(x), Counter(y)
    return sum(
        c / n * math.log2(c * n / (a[i] * b[j])) for (i, j), c in Counter(zip(x, y, strict=True)).items()
    )


def phi2(x, y):
    n, a, b, cells = len(x), Counter(x), Counter(y), Counter(zip(x, y, strict=True))
    return sum((cells[i, j] - a[i] * b[j] / n) ** 2 / (a[i] * b[j] / n) for i, j in product(a, b)) / n


def cramers_v(x, y):
    return math.sqrt(phi2(x, y) / (min(len(set(x)), len(set(y))) - 1))


def rand(x, y):
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    return sum((x[i] == x[j]) == (y[i] == y[j]) for i, j in pairs) / len(pairs)


def agreement(x, y):
    return sum(a == b for a, b in zip(x, y, strict=True)) / len(x)


def shape(x, y):
    """Fit y, or each class's indicator, by least squares on hinges at the bends of x or on groups."""
    n = len(x)
    if isinstance(x[0], str):
        basis = np.array([[v == g for g in sorted(set(x))] for v in x], dtype=float)
    else:
        basis = np.array([bent_row(v, *bends(x, min(5, max(1, n // 6)))) for v in x], dtype=float)
    columns = [[v == g for v in y] for g in sorted(set(y))] if isinstance(y[0], str) else [y]
    left = total = 0.0
    for column in columns:
        centered = np.array(column, dtype=float) - np.mean(column)
        fitted = basis @ np.linalg.lstsq(basis, centered, rcond=None)[0]
        left += float(np.sum((centered - fitted) ** 2))
        total += float(centered @ centered)
    return 1 - left / total


def bends(x, pieces):
    """Return values that are separate groups, and the bends of the line through the other rows."""
    own, rest = [], sorted(x)
    while rest and len(set(rest)) > pieces + 1:
        last = len(rest) - 1
        knots = [rest[(2 * j * last + pieces) // (2 * pieces)] for j in range(pieces + 1)]
        repeated = {v for v in knots if knots.count(v) > 1}
        if not repeated:
            return own, knots[1:-1]
        own, pieces = [*own, *repeated], pieces - len(repeated)
        rest = [v for v in rest if v not in repeated]
    return [*own, *set(rest)], []


def bent_row(value, own, knots):
    """Return 1, an indicator of each group, and for other rows 1, the value and a hinge at each bend."""
    is_free = value not in own
    hinges = [is_free * max(value - knot, 0) for knot in knots]
    return [1, is_free, is_free * value, *hinges, *(value == v for v in own)]


def explained_numeric_by_class(x, y):
    """Compute the linear analogue: between-class squares of x's line, weighted by class sizes, over tr B."""
    n = len(x)
    c = np.array(x, dtype=float) - np.mean(x)
    c /= np.sqrt(c @ c)
    sums = [sum(v for v, label in zip(c, y, strict=True) if label == g) for g in set(y)]
    return sum(s**2 for s in sums) / (n * impurity(y))
