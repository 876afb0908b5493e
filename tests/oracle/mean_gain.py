"""Mean gains over cuts and gains of multiway splits, with their moments over permutations, from matrices."""

from __future__ import annotations

from itertools import pairwise
from math import inf, sqrt

import numpy as np


def direction(rows, weights):
    """Return the direction of unit length and mean 0: the rows on one side against the others."""
    inside = np.where(rows, 1.0, 0.0)
    centered = inside - np.sum(weights * inside) / np.sum(weights)
    return centered / sqrt(np.sum(weights * centered**2))


def matrix_of_cuts(groups, weights, allowed=lambda side: True):
    """Average the projections onto cuts, each weighted by the two groups beside it, or return None.

    `groups` has the rows of each value, ascending, -1 for no value.
    """
    present = groups >= 0
    values = np.unique(groups[present])
    parts, sizes = [], []
    for low, high in pairwise(values):
        if not allowed(groups[present] <= low):
            continue
        own = np.zeros(len(groups))
        own[present] = direction(groups[present] <= low, weights[present])
        parts.append(np.outer(own, own))
        sizes.append(weights[(groups == low) | (groups == high)].sum())
    if not parts:
        return None
    return np.einsum("k,kij", np.array(sizes) / sum(sizes), np.array(parts))


def matrix_of_categories(groups, weights):
    """Return the projection onto the categories, without the mean of the rows that have one."""
    present = groups >= 0
    A = np.outer(present, present) / -weights[present].sum()
    for value in np.unique(groups[present]):
        A = A + np.outer(groups == value, groups == value) / weights[groups == value].sum()
    return A


def matrix_of_gap(groups, weights):
    own = direction(groups >= 0, weights)
    return np.outer(own, own)


def responses(y, weights, is_classes):
    """Return centered class indicators, or numbers."""
    values = np.equal.outer(y, np.unique(y)).astype(float) if is_classes else np.asarray(y, float)[:, None]
    return values - weights @ values / weights.sum()


def moments(A, values, weights):
    """Compute T = tr(A B), and its mean and variance over permutations (Kazi-Aoual and others 1995).

    A row of weight w is there w times.
    """
    B, n, w = values @ values.T, weights.sum(), weights
    T = float(np.einsum("i,j,ij,ij", w, w, A, B))
    traces = []
    for M in (A, B):
        both = np.sqrt(w)[:, None] * M * np.sqrt(w)
        traces.append([np.trace(both), np.sum(both**2), w @ np.diag(M) ** 2])
    (a1, a2, ad), (b1, b2, bd) = traces
    E = a1 * b1 / (n - 1)
    V = 2 * ((n - 1) * a2 - a1**2) * ((n - 1) * b2 - b1**2) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    if n > 3:
        own = [n * (n + 1) * d - (n - 1) * (one**2 + 2 * two) for d, one, two in ((ad, a1, a2), (bd, b1, b2))]
        V += own[0] * own[1] / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return T, E, V


def score(A, values, weights):
    """Compute the normal score of T (Wilson and Hilferty 1931), or minus infinity for a constant T."""
    is_constant = A is None or np.allclose(A, 0) or np.allclose(values, 0)
    if is_constant or weights.sum() <= 2:
        return -inf
    T, E, V = moments(A, values, weights)
    if not V > 1e-9 * E**2:
        return -inf
    h = min(1, V / (9 * E**2))
    return float((np.cbrt(T / E) - 1 + h) / sqrt(h))
