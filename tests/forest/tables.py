"""Small random tables for trees: columns as the library and as the oracle read them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from bychance.columns import Column
from bychance.forest.features import FeatureRows, FeatureTable
from bychance.forest.tree import Training, Tree, grow_tree
from bychance.kinds import Kind
from tests.oracle import forest as oracle


def table_of(columns: Sequence[Column]) -> FeatureTable:
    return FeatureTable.read([partial(copy, column) for column in columns], len(columns[0]))


def shrunk(tree: Tree, shrinkage: str) -> Tree:
    """Return a copy of the tree whose answers are shrunk."""
    native = tree.native.copy()
    native.shrink(shrinkage)
    return Tree(native)


def rows_of(features: FeatureTable) -> FeatureRows:
    """Return the training rows as rows to predict."""
    rows = FeatureRows(features.n_rows, features.n_features)
    for k, feature in enumerate(features.columns):
        codes = features.native.codes(k)
        if feature.categories is None:
            rows.add_numeric(np.append(features.native.values(k), np.nan)[codes])
        else:
            rows.add_categorical(codes, len(feature.categories))
    return rows


class SmallTable:
    """Random columns of kinds "number", ("ties", d) or ("labels", d), with a share of missing values."""

    def __init__(self, rng, kinds, n, n_classes=2, missing=0.0):
        self.n, self.n_classes = n, n_classes
        self.y = rng.integers(0, n_classes, n).astype(np.int32)
        self.y[:n_classes] = np.arange(n_classes)
        self.columns, self.plain = [], []
        for i, kind in enumerate(kinds):
            self._add(rng, f"x{i}", kind, missing)

    def _add(self, rng, name, kind, missing):
        is_missing = rng.random(self.n) < missing
        what, d = kind if isinstance(kind, tuple) else (kind, None)
        if what == "labels":
            values = rng.integers(0, d, self.n).astype(np.int32)
            values = np.unique(np.where(is_missing, 0, values), return_inverse=True)[1].astype(np.int32)
            used, renumbered = np.unique(values[~is_missing], return_inverse=True)
            values[~is_missing] = renumbered
            column = Column(name, Kind.CATEGORICAL, values, is_missing, tuple(range(len(used))))
        else:
            values = rng.standard_normal(self.n) if what == "number" else rng.integers(0, d, self.n) * 1.0
            column = Column(name, Kind.NUMERIC, values, is_missing)
        self.columns.append(column)
        self.plain.append([None if gone else v for v, gone in zip(values.tolist(), is_missing, strict=True)])

    @property
    def features(self):
        return table_of(self.columns)

    def training(self, weights=None):
        return Training(self.features, self.y, self.n_classes, weights)

    def grown(self, settings, key=(7, 11), weights=None):
        return grow_tree(self.training(weights), settings, key)

    def data(self, tree, weights=None):
        """Return the oracle's data, categories in the order of the tree."""
        arrays = tree.native.arrays()
        bounds = arrays["order_start"]
        positions = [arrays["positions"][a:b].tolist() for a, b in pairwise(bounds)]
        weights = None if weights is None else weights.tolist()
        n_categories = [len(column.labels or ()) for column in self.columns]
        return oracle.Data(self.plain, n_categories, self.y.tolist(), weights, positions)


def assert_same_tree(data, tree, expected, node=0):
    """Compare node by node: class weights, feature, children, gain and score."""
    found, where = tree.node(node), f"node {node}"
    counts = oracle.shares(data, expected, len(found.class_counts)) * found.n
    np.testing.assert_allclose(found.class_counts, counts, atol=1e-9, err_msg=where)
    assert found.is_leaf == (expected.split is None), where
    if found.is_leaf:
        return
    split = expected.split
    assert (found.feature, found.kind) == (split.feature, split.kind), where
    assert found.gain == pytest.approx(split.gain, rel=1e-7, abs=1e-9), where
    assert found.score == pytest.approx(split.score, rel=1e-7, abs=1e-9), where
    assert found.missing_child == found.children[expected.missing_child], where
    if found.kind == "threshold":
        assert found.threshold == split.threshold, where
    elif found.kind == "multiway":
        assert [c.tolist() for c in found.categories] == split.children, where
    elif split.threshold == np.inf:
        assert found.is_by_missing, where
    else:
        positions = data.positions[split.feature]
        assert max(positions[c] for c in found.categories[0]) == split.children[0][-1], where
    for child, expected_child in zip(found.children, expected.children, strict=True):
        assert_same_tree(data, tree, expected_child, child)
