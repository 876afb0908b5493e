"""Trees the slow way: every split of every node spelled out from lists of rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf

import numpy as np

from tests.oracle import mean_gain
from tests.oracle.split_scores import entropy_gain, gini_gain, score

LEAST_GAIN, TIE = 1e-6, 1e-10


@dataclass
class OracleSplit:
    """A split, by the value (None: missing) of each row."""

    feature: int
    kind: str
    children: list  # per child: the values that go there
    gain: float
    score: float
    threshold: float | None = None


@dataclass
class OracleNode:
    """A node with its split and its children, or a leaf without."""

    rows: list
    depth: int
    split: OracleSplit | None = None
    missing_child: int | None = None
    children: list = field(default_factory=list)


def table_of(children, y, weights):
    """Sum class weights by child (a list of lists of rows)."""
    classes = sorted(set(y))
    return [[Fraction(sum(weights[k] for k in rows if y[k] == c)) for c in classes] for rows in children]


class Data:
    """Columns of values (None: missing, categorical: category numbers), classes and weights.

    `n_categories` is 0 for numbers.
    """

    def __init__(self, columns, n_categories, y, weights=None, positions=None):
        self.columns, self.n_categories, self.y = columns, n_categories, y
        self.weights = weights if weights is not None else [1] * len(y)
        self.positions = positions  # per column: of each category, if categories are ordered


def splits_of(data, rows, feature, settings, kind):
    """Yield the splits of a feature that the criterion may choose from, with their scores."""
    present = [k for k in rows if data.columns[feature][k] is not None]
    place = data.positions[feature].__getitem__ if kind == "ordered" else (lambda value: value)
    values = sorted({place(data.columns[feature][k]) for k in present})
    if kind == "multiway":
        parts = [[[v] for v in values]]
    else:
        parts = [[values[:cut], values[cut:]] for cut in range(1, len(values))]
    rows_of = {v: [k for k in present if place(data.columns[feature][k]) == v] for v in values}
    found = []
    for part in parts:
        children = [[k for v in own for k in rows_of[v]] for own in part]
        if len(children) < 2 or min(map(len, children)) < settings.min_samples_leaf:
            continue
        table = table_of(children, data.y, data.weights)
        gain = entropy_gain(table) if settings.criterion == "entropy" else gini_gain(table)
        if gain <= LEAST_GAIN:
            continue
        value = score(table, settings)
        if kind == "multiway" and value == -inf and len(part) == sum(map(sum, table)) > 2:
            continue
        threshold = None
        if kind == "threshold":
            threshold = part[0][-1] / 2 + part[1][0] / 2
        found.append(OracleSplit(feature, kind, part, gain, value, threshold))
    return found


def best_of_feature(data, rows, feature, settings, kind):
    """Return the first cut with the best score, or gain if there is no score."""
    found = splits_of(data, rows, feature, settings, kind)
    if not found:
        return None
    by_gain = all(split.score == -inf for split in found)
    merit = [split.gain if by_gain else split.score for split in found]
    return next(split for split, m in zip(found, merit, strict=True) if m >= max(merit) - TIE)


def by_gap(data, feature, rows):
    """Split the rows by whether they have a value, those with one first."""
    return [[k for k in rows if (data.columns[feature][k] is None) == is_missing] for is_missing in (0, 1)]


def gap_split(data, rows, feature, settings, least_gain=LEAST_GAIN):
    """Return the split by whether there is a value, or None if it is of no use."""
    sides = by_gap(data, feature, rows)
    if settings.missing != "best" or min(map(len, sides)) < max(1, settings.min_samples_leaf):
        return None
    table = table_of(sides, data.y, data.weights)
    gain = entropy_gain(table) if settings.criterion == "entropy" else gini_gain(table)
    kind = "threshold" if data.n_categories[feature] == 0 else "ordered"
    found = OracleSplit(feature, kind, [[], []], gain, score(table, settings), inf)
    return found if gain > least_gain else None


def candidates_of(data, rows, feature, settings):
    """Return the best split of a feature, and the one by whether there is a value."""
    if settings.criterion == "fair":
        found = [of_mean_gain(data, rows, feature, settings)]
    else:
        best = best_of_feature(data, rows, feature, settings, kind_of(data, feature, settings))
        found = [best, gap_split(data, rows, feature, settings)]
    return [split for split in found if split is not None]


def of_mean_gain(data, rows, feature, settings):
    """Return the split of a feature that gains most, with the score of the mean gain over all of them."""
    kind, raw = kind_of(data, feature, settings), replace(settings, criterion="gini")
    place = data.positions[feature].__getitem__ if kind == "ordered" else (lambda value: value)
    values = [data.columns[feature][k] for k in rows]
    gap = gap_split(data, rows, feature, raw, least_gain=-1)
    if gap is None:
        rows = [k for k, value in zip(rows, values, strict=True) if value is not None]
        values = [value for value in values if value is not None]
    if not rows:
        return None
    ranked = sorted({place(value) for value in values if value is not None})
    groups = np.array([-1 if value is None else ranked.index(place(value)) for value in values])
    weights = np.array([float(data.weights[k]) for k in rows])
    if kind in ("threshold", "ordered"):
        least = settings.min_samples_leaf
        A = mean_gain.matrix_of_cuts(groups, weights, lambda low: least <= sum(low) <= len(low) - least)
    else:
        A = mean_gain.matrix_of_categories(groups, weights)
    if gap is not None:
        A = (0 if A is None else A) + mean_gain.matrix_of_gap(groups, weights)
    score = mean_gain.score(
        A, mean_gain.responses(np.array([data.y[k] for k in rows]), weights, True), weights
    )
    found = splits_of(data, rows, feature, raw, kind)
    best = next((s for s in found if s.gain >= max(other.gain for other in found) - TIE), None)
    n_present = sum(w for w, value in zip(weights, values, strict=True) if value is not None)
    n_distinct = len(set(groups.tolist()))
    if kind == "multiway" and score == -inf and n_distinct == sum(weights) > 2:
        best = None
    if gap is not None and gap.gain > LEAST_GAIN:
        best = gap if best is None or gap.gain * sum(weights) > best.gain * n_present else best
    if best is not None:
        best.score = score
    return best


def best_split(data, candidates, settings):
    """Return the best over features: highest score, then fewest children, then the first feature.

    Under "fair", if anything is drawn, it is the first of those given.
    """
    if not candidates:
        return None
    best = max(split.score for split in candidates)
    tied = [split for split in candidates if split.score >= best - TIE]
    is_drawn = settings.max_features < len(data.columns) or settings.n_grow < len(data.y)
    if settings.criterion == "fair" and is_drawn:
        return tied[0]
    return min(tied, key=lambda s: (len(s.children), s.feature))


def kind_of(data, feature, settings):
    n_categories, split = data.n_categories[feature], settings.categorical_split
    if n_categories == 0:
        return "threshold"
    if split == "multiway":
        return split
    return "ordered" if settings.n_order or n_categories <= 2 else "multiway"


class Stream:
    """The words of one draw of a Philox key, and numbers below a bound."""

    def __init__(self, key, draw):
        # NumPy advances its counter before the first block, which is number 0 of the draw.
        self.words = np.random.Philox(key=np.array(key, dtype=np.uint64), counter=((draw << 64) - 1) % 2**256)
        self.halves = []

    def half(self):
        if not self.halves:
            words = self.words.random_raw(4).tolist()
            self.halves = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
        return self.halves.pop(0)

    def below(self, bound):
        while True:
            product = self.half() * bound
            if product & 0xFFFFFFFF >= 2**32 % bound:
                return product >> 32


def grow(data, rows, settings, key):
    """Grow the tree: open nodes are split last in, first out, and features are drawn in place."""
    stream, features = Stream(key, 1), list(range(len(data.columns)))
    root = OracleNode(rows, 0)
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if len({data.y[k] for k in node.rows}) == 1 or len(node.rows) < settings.min_samples_split:
            continue
        if 0 < settings.max_depth <= node.depth:
            continue
        candidates = []
        for k in range(len(features)):
            if k >= settings.max_features and candidates:
                break
            other = k + stream.below(len(features) - k)
            features[k], features[other] = features[other], features[k]
            candidates += candidates_of(data, node.rows, features[k], settings)
        split = best_split(data, candidates, settings)
        if split is None or split.score < settings.min_adjusted_gain:
            continue
        part(data, node, split, settings)
        open_nodes.extend(node.children)
    return root


def part(data, node, split, settings):
    """Give the node its children."""
    column = data.columns[split.feature]
    is_ordered = split.kind == "ordered" and split.children != [[], []]
    place = data.positions[split.feature].__getitem__ if is_ordered else (lambda value: value)
    missing = [k for k in node.rows if column[k] is None]
    parts = [
        [k for k in node.rows if column[k] is not None and place(column[k]) in own] for own in split.children
    ]
    if split.children == [[], []]:
        parts = by_gap(data, split.feature, node.rows)
        node.missing_child = parts.index(missing)
        missing = []
    elif missing and settings.missing == "best":
        with_missing = [[*parts[:i], rows + missing, *parts[i + 1 :]] for i, rows in enumerate(parts)]
        merits = [gini_gain(table_of(children, data.y, data.weights)) for children in with_missing]
        node.missing_child = next(i for i, m in enumerate(merits) if m >= max(merits) - 1e-12)
    else:
        sizes = [sum(data.weights[k] for k in rows) for rows in parts]
        node.missing_child = sizes.index(max(sizes))
    node.split = split
    for i, rows in enumerate(parts):
        own = [k for k in node.rows if k in set(rows) or (i == node.missing_child and k in set(missing))]
        node.children.append(OracleNode(own, node.depth + 1))


def shares(data, node, n_classes):
    counts = Counter()
    for k in node.rows:
        counts[data.y[k]] += data.weights[k]
    total = sum(counts.values())
    return np.array([counts[c] / total for c in range(n_classes)])


def final_node(data, root, values):
    """Find the node of a row of values, with an unseen category as a number that training lacks."""
    node = root
    while node.split is not None:
        value, split = values[node.split.feature], node.split
        if value is None:
            node = node.children[node.missing_child]
            continue
        if split.kind == "threshold":
            child = int(value > split.threshold)
        elif split.kind == "ordered" and split.threshold == inf:
            child = 0
        elif split.kind == "ordered":
            if value >= len(data.positions[split.feature]):
                break
            child = int(data.positions[split.feature][value] > split.children[0][-1])
        else:
            child = next((i for i, own in enumerate(split.children) if value in own), None)
            if child is None:
                break
        node = node.children[child]
    return node
