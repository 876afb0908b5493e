"""Mean and variance of Σ n_ij·ln n_ij over all tables with given totals: the same sums, in plain Python."""

from __future__ import annotations

from math import exp, lgamma, log


def pmf(population, marked, drawn):
    """Compute hypergeometric probabilities by log-gamma, as pairs of count and probability."""

    def log_choose(n, k):
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    low, high = max(0, drawn + marked - population), min(marked, drawn)
    total = log_choose(population, drawn)
    return [
        (m, exp(log_choose(marked, m) + log_choose(population - marked, drawn - m) - total))
        for m in range(low, high + 1)
    ]


def xlogx(m):
    return m * log(m) if m > 1 else 0.0


def expected(population, marked, drawn):
    return sum(p * xlogx(m) for m, p in pmf(population, marked, drawn))


def mean_and_variance(rows, columns):
    n = sum(rows)
    cell = {(a, b): expected(n, b, a) for a in set(rows) for b in set(columns)}
    mean = sum(cell[a, b] for a in rows for b in columns)
    rest: dict[tuple[int, int, int], float] = {}

    def others(totals, own, drawn):
        """Compute the expected sum over the other columns of a row with `drawn` points there."""
        key = (id(totals), own, drawn)
        if key not in rest:
            remaining = list(totals)
            remaining.remove(own)
            rest[key] = sum(expected(n - own, b, drawn) for b in remaining)
        return rest[key]

    row_mean = {a: sum(cell[a, b] for b in columns) for a in set(rows)}
    column_mean = {b: sum(cell[a, b] for a in rows) for b in set(columns)}
    variance = 0.0
    for a in rows:
        for b in columns:
            for m, p in pmf(n, b, a):
                rho = xlogx(m) + others(columns, b, a - m) - row_mean[a]
                gamma = xlogx(m) + others(rows, a, b - m) - column_mean[b]
                variance += p * rho * gamma
    return mean, variance
