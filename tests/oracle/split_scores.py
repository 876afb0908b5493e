"""Gains of splits, their nulls and scores the slow way, from a table of class weights by child."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import comb, floor, inf, log, sqrt

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp
from scipy.stats import hypergeom


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
    """Mean and variance of the gain from the moments of M, the pairs that share child and class."""
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
    """Dobra and Gehrke's mean and variance, as in the supplement of Romano et al. 2016."""
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n, r = sum(sizes), len(sizes)
    p2, p3 = sum((b / n) ** 2 for b in totals), sum((b / n) ** 3 for b in totals)
    spread = sum(1 / size for size in sizes) - 2 * r / n + 1 / n
    variance = (r - 1) * (2 * p2 + 2 * p2**2 - 4 * p3) + spread * (-2 * p2 - 6 * p2**2 + 8 * p3)
    return (r - 1) / n * (1 - p2), variance / n**2


def wilson_hilferty(mean, variance):
    h = variance / (9 * mean**2)
    return mean ** (1 / 3) * (1 - h), mean ** (1 / 3) * sqrt(h)


def searched_law(weights, totals):
    """Center and scale of the cube root of the best of the cuts with these weights to the left."""
    totals = [b for b in totals if b > 0]
    n = sum(totals)
    s2, s3, s4 = (sum((b / n) ** k for b in totals) for k in (2, 3, 4))
    g0, t2, t3 = 1 - s2, s2 - 2 * s3 + s2**2, s3 - 3 * s4 + 3 * s2 * s3 - s2**3
    rate = g0**2 / t2
    excess = ((1 + s2) ** 2 - 4 * (1 + s2) * s2 + 4 * s3) / g0**2 - 1 - 2 / rate
    ends = float(1 / weights[0] + 1 / (n - weights[-1])) / 2
    more, less = log(1 + max(excess * ends, 0)), min(excess * ends, 0)
    center, scale = wilson_hilferty(1, 2 / rate)
    if len(totals) == 2:
        grown = of_cuts(lambda big_l: log(1 + 2.016 * big_l), weights, n)
        center = (center + 0.362 * grown) * (1 + 0.382 / n) - 0.004 * more + 0.009 * less
        scale *= of_cuts(lambda big_l: (1 + 2.95 * big_l) ** -0.137, weights, n) * (1 - 2.142 / n)
        return center, max(0.05, scale + 0.08 * more + 0.015 * less)
    skew = t3 * g0 / t2**2
    grown = of_cuts(lambda big_l: log(1 + 2.082 * big_l), weights, n)
    center = (center + 0.357 * rate**-0.494 * grown) * (1 - 0.376 / n)
    center += 0.119 * more + 0.006 * less - 0.049 * (skew - 1)
    shrunk = of_cuts(lambda big_l: (1 + 25.8 * big_l) ** -0.063, weights, n)
    scale *= shrunk * (1 - 1.454 / n) * skew**0.561
    return center, max(0.05, scale - 0.005 * more + 0.04 * less)


def independent_cuts(weights, n):
    """How many independent cuts those count for that have these weights to the left."""
    xs = []
    for a, b in pairwise(float(weight) for weight in weights):
        xs.append(2.7 * sqrt(2) * sqrt(1 - sqrt(a * (n - b) / (b * (n - a)))))
    return 1 + sum(x**2 / (2 + 1.2673 * x + 0.2972 * x**2 + 0.0783 * x**3) for x in xs)


@cache
def equal_cuts(d):
    return independent_cuts(range(1, d), d)


def log_of_values(cuts):
    """Of half the number of values of equal size that count for as many independent cuts."""
    d = 3
    while equal_cuts(d) < cuts:
        d += 1
    share = (cuts - equal_cuts(d - 1)) / (equal_cuts(d) - equal_cuts(d - 1))
    return (1 - share) * log((d - 1) / 2) + share * log(d / 2)


def of_cuts(function, weights, n):
    """A function of that logarithm; by a table with 64 steps per root of the cuts unless all rows are cut."""
    if [float(weight) for weight in weights] == list(range(1, int(n))):
        return function(log(n / 2))
    place = 64 * sqrt(independent_cuts(weights, n) - 1)
    low, high = (function(log_of_values(1 + ((floor(place) + k) / 64) ** 2)) for k in (0, 1))
    return low + (place - floor(place)) * (high - low)


def score(table, settings, n_values=2, weights=(), is_plain=False, part=0.5):
    """A split as the criterion sees it; `n_values` > 2 says that it is the best of the cuts between them.

    `weights` has what lies left of each cut; `is_plain` that it is whole rows; `part` is that of equal gains.
    """
    gain = entropy_gain(table) if settings.criterion == "entropy" else gini_gain(table)
    if settings.criterion in ("gini", "entropy"):
        return gain
    sizes, totals = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    n, r = sum(sizes), len(sizes)
    is_permuted = settings.criterion == "fair" or settings.null == "moments"
    if is_permuted and (n <= 2 or r >= n or sum(b * b for b in totals) <= n):
        return -inf
    mean, variance = (permutation_moments if is_permuted else multinomial_moments)(table)
    is_searched = settings.criterion == "fair" and n_values > 2
    if variance == 0 and not is_searched:
        return -inf
    if settings.criterion == "sgini":
        return (gain - mean) / sqrt(variance)
    if settings.criterion == "agini" and settings.quantile == "cantelli":
        return gain - mean - sqrt((1 - settings.alpha) / settings.alpha) * sqrt(variance)
    if settings.criterion == "agini":
        center, scale = wilson_hilferty(mean, variance)
        return gain - max(0, center + ndtri(1 - settings.alpha) * scale) ** 3
    unit = (n - 1) / (1 - sum((b / n) ** 2 for b in totals))
    classes = [b for b in totals if b > 0]
    if is_searched and is_plain and len(classes) == 2 and n * min(classes) <= 1e4:
        return float(-ndtri(larger_cut(gain, frozenset(map(int, weights)), int(n), int(min(classes)), part)))
    if is_searched:
        center, scale = searched_law(weights, totals)
    elif variance * unit**2 > 4.5 * (r - 1) ** 2 or is_counted(table):
        return skewed_score(table, gain, mean, variance, part)
    else:
        center, scale = wilson_hilferty(r - 1, variance * unit**2)
    return normal_score(unit * gain, center, scale, r, totals)


def is_counted(table):
    """Whether two children and two classes have few enough whole rows for sums over all of them."""
    classes = [sum(column) for column in zip(*table, strict=True) if sum(column) > 0]
    sizes = [sum(row) for row in table]
    is_whole = all(float(v) == int(v) for v in (*sizes, *classes))
    return len(sizes) == 2 and len(classes) == 2 and is_whole and min(*sizes, *classes) <= 64


def larger_cut(gain, lefts, n, b, part):
    """The share of all orders of the classes in which some cut gains more, and a part of the equal ones."""
    kept = orders_without(gain, lefts, n, b)
    return 1 - (part * kept[0] + (1 - part) * kept[1]) / comb(n, b)


@cache
def orders_without(gain, lefts, n, b):
    """The orders in which no cut gains as much, and those in which none gains more."""
    kept = []
    for sign in (-1, 1):
        walks = {0: 1}
        for row in range(1, n + 1):
            moved = {}
            for x, ways in walks.items():
                moved[x] = moved.get(x, 0) + ways
                moved[x + 1] = moved.get(x + 1, 0) + ways
            walks = {x: ways for x, ways in moved.items() if x <= b and b - x <= n - row}
            if row in lefts:
                limit = gain * (1 + sign * 1e-9)
                walks = {
                    x: w for x, w in walks.items() if 2 * (x - row * b / n) ** 2 / (row * (n - row)) <= limit
                }
        kept.append(walks.get(b, 0))
    return kept


def score_of_single(z, sizes, n, b, part=0.5):
    """The normal score of the best single category: of all orders, those where one is better, or as good.

    Of more than 8 rows of the rarer class, categories count as independent.
    """
    share, orders, r = ndtr(-z), [], len(sizes)
    for limit in (share * (1 - 1e-9), share * (1 + 1e-9)):
        ways, log_none = {0: 1}, 0.0
        for m in sizes:
            x, pmf, distances, larger = shares_of_category(m, n, b)
            is_better = (larger <= limit) & (np.ptp(distances) > 1e-6)
            log_none += np.log1p(-min(pmf[is_better].sum(), 1 - 1e-12))
            moved = {}
            for own in x[~is_better].tolist():
                for rare, count in ways.items():
                    moved[rare + own] = moved.get(rare + own, 0) + count * comb(m, own)
            ways = moved
        exact = 1 - ways.get(b, 0) / comb(n, b)
        orders.append(exact if b <= 8 else -np.expm1(log_none * (1 - 1.5 / r**2)))
    return float(-ndtri((1 - part) * orders[0] + part * orders[1]))


@cache
def shares_of_category(m, n, b):
    """How many of m rows are of the rarer class: each number with its share of all orders.

    And how far it is from the mean, and the share that is further off, with half of those as far.
    """
    x = np.arange(min(m, b) + 1)
    pmf, distances = hypergeom.pmf(x, n, m, b), np.abs(x - m * b / n)
    larger = [
        pmf[distances > d + 1e-6].sum() + pmf[np.isclose(distances, d, atol=1e-6)].sum() / 2
        for d in distances
    ]
    return x, pmf, distances, np.array(larger)


def skewed_score(table, gain, mean, variance, part):
    """From the share of permutations with a larger gain, and a part of equal ones; or standard deviations."""
    classes = [column for column in zip(*table, strict=True) if sum(column) > 0]
    n, m, b = (float(total) for total in (sum(map(sum, table)), sum(table[0]), sum(classes[0])))
    if len(table) != 2 or len(classes) != 2 or any(v != int(v) for v in (n, m, b)):
        return (gain - mean) / sqrt(variance)
    x = np.arange(int(min(m, b)) + 1)
    pmf = hypergeom.pmf(x, int(n), int(m), int(b))
    distances, distance = np.abs(x - m * b / n), abs(float(classes[0][0]) - m * b / n)
    is_equal = np.isclose(distances, distance, atol=1e-6)
    return float(-ndtri(pmf[(distances > distance) & ~is_equal].sum() + pmf[is_equal].sum() * part))


def normal_score(t, center, scale, r, totals):
    """The z-score of the cube root, and from 2 on that of the tail of a gamma law."""
    z = (t ** (1 / 3) - center) / scale
    if z <= 2:
        return z
    shares = [b / sum(totals) for b in totals]
    s2, s3 = sum(p**2 for p in shares), sum(p**3 for p in shares)
    rate, start = (1 - s2) ** 2 / (s2 - 2 * s3 + s2**2), (center + 2 * scale) ** 3
    return sqrt(4 + rate * (t - start) - (rate * (r - 1) - 1) * log(t / start))


def score_of_best(z, m):
    """The normal score of the best of m independent ones."""
    above = -np.expm1(m * log_ndtr(z))
    return float(-ndtri(above) if above > 0 else -ndtri_exp(log(m) + log_ndtr(-z)))
