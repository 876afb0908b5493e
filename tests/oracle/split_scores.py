"""Gains of splits, their nulls and scores the slow way, from a table of class weights by child."""

from __future__ import annotations

from math import inf, log, sqrt

from scipy.special import ndtri


def gini_gain(table):
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n = sum(sizes)
    pure = sum(sum(cell * cell for cell in row) / size for row, size in zip(table, sizes, strict=True))
    return (pure - sum(b * b for b in totals) / n) / n


def entropy_gain(table):
    n = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    return sum(
        cell / n * log(cell * n / (rows[i] * columns[j]))
        for i, row in enumerate(table)
        for j, cell in enumerate(row)
        if cell > 0
    )


def permutation_moments(table):
    """Compute mean and variance of the gain from the moments of M, the pairs sharing child and class."""
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n, r, reciprocals = sum(sizes), len(sizes), sum(1 / size for size in sizes)
    sa, qa, ra = n - r, r - reciprocals, n - 2 * r + reciprocals
    sb, rb = sum(b * (b - 1) for b in totals), sum(b * (b - 1) ** 2 for b in totals)
    terms = [
        (2 * qa * sb, n * (n - 1)),
        (4 * (ra - qa) * (rb - sb), n * (n - 1) * (n - 2)),
        ((sa**2 + 2 * qa - 4 * ra) * (sb**2 + 2 * sb - 4 * rb), n * (n - 1) * (n - 2) * (n - 3)),
    ]
    second = sum(term / falling for term, falling in terms if falling != 0)
    mean = (r - 1) / (n - 1) * (1 - sum((b / n) ** 2 for b in totals))
    return mean, (second - (sa * sb / (n * (n - 1))) ** 2) / n**2


def multinomial_moments(table):
    """Compute Dobra and Gehrke's mean and variance, as in the supplement of Romano et al. 2016."""
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n, r = sum(sizes), len(sizes)
    p2, p3 = sum((b / n) ** 2 for b in totals), sum((b / n) ** 3 for b in totals)
    spread = sum(1 / size for size in sizes) - 2 * r / n + 1 / n
    variance = (r - 1) * (2 * p2 + 2 * p2**2 - 4 * p3) + spread * (-2 * p2 - 6 * p2**2 + 8 * p3)
    return (r - 1) / n * (1 - p2), variance / n**2


def wilson_hilferty(mean, variance):
    h = variance / (9 * mean**2)
    return mean ** (1 / 3) * (1 - h), mean ** (1 / 3) * sqrt(h)


def score(table, settings):
    """Score a split as the criterion sees it."""
    gain = entropy_gain(table) if settings.criterion == "entropy" else gini_gain(table)
    if settings.criterion in ("gini", "entropy"):
        return gain
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n, r = sum(sizes), len(sizes)
    if settings.null == "moments" and (n <= 2 or r >= n or sum(b * b for b in totals) <= n):
        return -inf
    mean, variance = (permutation_moments if settings.null == "moments" else multinomial_moments)(table)
    if variance == 0:
        return -inf
    if settings.criterion == "sgini":
        return (gain - mean) / sqrt(variance)
    if settings.quantile == "cantelli":
        return gain - mean - sqrt((1 - settings.alpha) / settings.alpha) * sqrt(variance)
    center, scale = wilson_hilferty(mean, variance)
    return gain - max(0, center + ndtri(1 - settings.alpha) * scale) ** 3
