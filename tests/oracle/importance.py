"""Importances of a tree the slow way: rows walked down node by node, functions fitted with plain sums."""

from __future__ import annotations

from math import sqrt

import numpy as np

FEWEST_ROWS, SMALLEST_SHARE = 10, 1 / 256


def importances(tree, plain, positions, responses, weights, n_features):
    """Compute importances. `plain` has columns of values (None: missing), `responses` a line per row."""
    roles, out = tree.native.roles(), np.zeros(n_features)
    total = sum(weights[k] for k in np.flatnonzero(roles == 2))
    size = tree.node(0).n
    arrived = [(0, list(range(len(roles))))]
    while arrived:
        number, rows = arrived.pop()
        node = tree.node(number)
        if node.is_leaf or node.n < max(FEWEST_ROWS, size * SMALLEST_SHARE):
            continue
        column = plain[node.feature]
        ways = {k: way(node, column[k]) for k in rows}
        present = [k for k in rows if column[k] is not None and ways[k] is not None]
        grown = [k for k in present if roles[k] == 0]
        judged = [k for k in present if roles[k] == 2]
        if len(judged) > 1:
            f = fitted(node, grown, judged, column, positions[node.feature], ways, responses, weights)
            w = np.array([weights[k] for k in judged])
            y = np.array([responses[k] for k in judged])
            moved = (f - np.average(f, axis=0, weights=w)) * (y - np.average(y, axis=0, weights=w))
            share = sum(weights[k] for k in grown) / size
            n = len(judged)
            out[node.feature] += w @ moved.sum(axis=1) / total * n / (n - 1) * sqrt(share)
        for i, child in enumerate(node.children):
            is_missing = child == node.missing_child
            own = [k for k in rows if (is_missing if column[k] is None else ways[k] == i)]
            arrived.append((child, own))
    return out


def way(node, value):
    """Return the child of a value, or None if there is none."""
    if value is None:
        return None
    if node.threshold is not None:
        return int(value > node.threshold) if node.kind == "threshold" else 0
    return next((i for i, own in enumerate(node.categories) if value in own), None)


def fitted(node, grown, judged, column, positions, ways, responses, weights):
    """Fit predictions for the judged rows: a line, or means of the children that explain far more."""
    w = np.array([weights[k] for k in grown])
    y = np.array([responses[k] for k in grown])
    y = y - np.average(y, axis=0, weights=w)
    child = np.array([ways[k] for k in grown])
    means = {i: np.average(y[child == i], axis=0, weights=w[child == i]) for i in set(child.tolist())}
    of_step = sum(w[child == i].sum() * np.sum(mean**2) for i, mean in means.items())
    if node.kind == "threshold" or (node.kind == "ordered" and node.threshold is None):
        values = sorted({v for v in column if v is not None})
        place = values.index if node.kind == "threshold" else positions.__getitem__
        x = np.array([place(column[k]) for k in grown], dtype=float)
        x_mean = np.average(x, weights=w)
        xx = w @ (x - x_mean) ** 2
        slope = (w * (x - x_mean)) @ y / xx
        of_line, total = xx * np.sum(slope**2), np.sum(w @ y**2)
        if of_step <= 3 * of_line + 6 * total / w.sum():
            return np.array([slope * place(column[k]) for k in judged])
    return np.array([means.get(ways[k], np.zeros(y.shape[1])) for k in judged])
