"""Single trees: growth on training rows, predictions, nodes, and decision paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bychance import _native
from bychance.array_types import FloatArray, IndexArray, Int32Array
from bychance.forest.features import FeatureRows, FeatureTable
from bychance.forest.parameters import GrowSettings

if TYPE_CHECKING:
    from bychance.forest.base import TreesEstimator

__all__ = ["Training", "Tree", "TreeNode", "grow_tree", "sum_of_answers"]

SplitKind = Literal["threshold", "multiway", "ordered"]
_KINDS: tuple[SplitKind, ...] = get_args(SplitKind)  # in the order of their numbers in the kernels


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """Training data of a forest: encoded columns, class numbers or numeric target, and weights.

    A weight is the number of equal rows that a row stands for. Trees ignore rows of weight 0.
    """

    features: FeatureTable
    y: NDArray[Any]
    n_classes: int  # 0: numbers
    weights: FloatArray | None = None

    @property
    def target(self) -> _native.Target:
        """Target and weights as a native object."""
        if self.n_classes:
            return _native.Target.of_classes(self.y, self.n_classes, self.weights)
        return _native.Target.of_numbers(self.y, self.weights)

    def every(self, step: int) -> Training:
        """Return a copy with the target and weights of every `step`th row, and the columns of all rows."""
        if step == 1:
            return self
        weights = None if self.weights is None else self.weights[::step]
        return replace(self, y=self.y[::step], weights=weights)

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row, 1 by default."""
        return np.ones(len(self.y)) if self.weights is None else self.weights

    @property
    def n_outputs(self) -> int:
        """Length of a prediction: number of classes, or 1 for a mean."""
        return self.n_classes or 1


def grow_tree(training: Training, settings: GrowSettings, key: tuple[int, int]) -> Tree:
    """Grow a tree on a random sample of the rows, seeded by `key`.

    >>> from bychance.read_column import read_column
    >>> features = FeatureTable.read([lambda: read_column([1.0, 2, 3, 4, 5, 6], "dose")], 6)
    >>> y = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    >>> settings = GrowSettings(criterion="gini", max_features=1, n_grow=6)
    >>> tree = grow_tree(Training(features, y, 2), settings, (1, 2))
    >>> tree.n_leaves, tree.node(0).threshold, tree.node(0).gain
    (2, 3.5, 0.5)
    """
    table, kernel, n_rows = training.features.native, _native.TreeSettings(settings), len(training.y)
    no_votes = np.zeros((0, n_rows, training.n_outputs)), np.zeros(n_rows, dtype=np.int64)
    return Tree(_native.grow_trees(table, training.target, kernel, [key], [], 1, *no_votes)[0])


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """Node of a tree. The attributes of its split are None or empty for a leaf.

    `shares` is the answer of the node: the shares of its class counts, unless the tree is shrunk. A node of a
    regression tree has no class counts, but the `mean` and `variance` of its rows, and `shares` is one
    number. A threshold sends numbers up to it to the first of two children. `categories` lists, per child,
    the category numbers that go there. Rows of other categories stop at the node. Rows without a value go to
    `missing_child`. At an infinite threshold, of numbers or categories, rows with a value go to the first
    child and rows without to the second. `gain` is the gain on the rows with a value that grew the node, and
    `score` is the gain on the scale of the criterion.
    """

    n: float
    class_counts: FloatArray
    shares: FloatArray
    feature: int | None = None
    kind: SplitKind | None = None
    threshold: float | None = None
    categories: tuple[Int32Array, ...] = ()
    children: tuple[int, ...] = ()
    missing_child: int | None = None
    gain: float | None = None
    score: float | None = None
    mean: float | None = None
    variance: float | None = None

    @property
    def is_leaf(self) -> bool:
        """True if the node has no split."""
        return self.feature is None

    @property
    def is_by_missing(self) -> bool:
        """True if the split sends missing values to one child and all present values to the other."""
        return self.threshold == np.inf


class Tree:
    """Fitted tree that reads X as its forest does. Node 0 is the root.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bc.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y).estimators_[0]
    >>> tree.predict(X[:3])
    array([0, 0, 0])
    >>> tree.decision_path(X[:3]).shape == (3, tree.n_nodes)
    True
    """

    def __init__(self, native: _native.Tree, forest: TreesEstimator | None = None) -> None:
        self.native = native
        self._forest: Any = forest

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by this tree alone: the majority class of a row's node, or its mean.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
        """
        predicted: NDArray[Any] = self._forest._predicted(self._answers(X))
        return predicted

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class shares of each row's node, with the forest's shrinkage but without calibration.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        if not hasattr(self._forest, "classes_"):
            raise AttributeError("A tree of a regressor has no `predict_proba`: it predicts numbers.")
        return self._answers(X)

    def apply(self, X: Any) -> Int32Array:
        """Return the number of the node that each row ends in.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
            A leaf, or the node without a child for the category of the row.
        """
        nodes: Int32Array = self._forest._apply_by_blocks(X, self.native.apply)
        return nodes

    def decision_path(self, X: Any) -> csr_array:
        """Return a sparse matrix that flags the nodes passed by each row, the last included.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        sparse array of shape (n_samples, n_nodes)
            1 for a node on the way.
        """
        parent, node = self._parents(), self.apply(X).astype(np.intp)
        rows, nodes, row = [], [], np.arange(len(node))
        while len(row):
            rows.append(row)
            nodes.append(node)
            row, node = row[parent[node] >= 0], parent[node][parent[node] >= 0]
        places = np.concatenate(rows), np.concatenate(nodes)
        return csr_array((np.ones(len(places[0]), np.int64), places), (len(rows[0]), self.n_nodes))

    @property
    def n_nodes(self) -> int:
        """Number of nodes, including leaves."""
        return self.native.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of nodes without a split."""
        return int(np.sum(self._arrays["split_of"] < 0))

    @property
    def depth(self) -> int:
        """Number of splits on the longest path."""
        depths = np.zeros(self.n_nodes, dtype=np.int64)
        for node, parent in enumerate(self._parents()[1:], 1):
            depths[node] = depths[parent] + 1  # children have higher numbers than their parent
        return int(depths.max())

    def node(self, k: int) -> TreeNode:
        """Return node number k as a `TreeNode`."""
        arrays = self._arrays
        split = arrays["split_of"][k]
        parts = self._values(k)
        if split < 0:
            return TreeNode(**parts)
        first, count = int(arrays["first_child"][split]), int(arrays["n_children"][split])
        kind, threshold = _KINDS[int(arrays["kind"][split])], float(arrays["threshold"][split])
        return TreeNode(
            **parts,
            feature=int(arrays["feature"][split]),
            kind=kind,
            threshold=threshold if kind == "threshold" or threshold == np.inf else None,
            categories=self._categories(split),
            children=tuple(range(first, first + count)),
            missing_child=first + int(arrays["missing_child"][split]),
            gain=float(arrays["gain"][split]),
            score=float(arrays["score"][split]),
        )

    def _values(self, k: int) -> dict[str, Any]:
        """Return size, class counts, prediction, mean and variance of a node."""
        arrays = self._arrays
        n, value, n_classes = float(arrays["size_of"][k]), arrays["value_of"][k], int(arrays["sample"][0])
        n_outputs = n_classes or 1
        shrunk = arrays["answers"][k * n_outputs : (k + 1) * n_outputs]
        if not n_classes:
            mean, variance = float(arrays["values"][value]), float(arrays["variance_of"][k])
            answer = shrunk if len(shrunk) else np.array([mean])
            return dict(n=n, class_counts=np.empty(0), shares=answer, mean=mean, variance=variance)
        if value >= 0:
            class_counts = arrays["values"][value * n_classes : (value + 1) * n_classes]
        else:
            class_counts = np.zeros(n_classes)
            class_counts[~value] = n
        return dict(n=n, class_counts=class_counts, shares=shrunk if len(shrunk) else class_counts / n)

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return dict(self.native.arrays())

    def _categories(self, split: int) -> tuple[Int32Array, ...]:
        arrays = self._arrays
        kind = _KINDS[int(arrays["kind"][split])]
        if kind == "threshold" or arrays["threshold"][split] == np.inf:
            return ()
        if kind == "multiway":
            start, count = arrays["first_category"][split], arrays["n_children"][split]
            return tuple(arrays["categories"][start : start + count].reshape(-1, 1))
        start, end = arrays["order_start"][arrays["feature"][split] :][:2]
        is_left = arrays["positions"][start:end] <= arrays["threshold"][split]
        return np.flatnonzero(is_left).astype(np.int32), np.flatnonzero(~is_left).astype(np.int32)

    def _parents(self) -> IndexArray:
        """Return the parent's number for each node, -1 for the root."""
        arrays = self._arrays
        parents = np.flatnonzero(arrays["split_of"] >= 0)
        splits = arrays["split_of"][parents]
        order = np.argsort(arrays["first_child"][splits])
        return np.append(-1, np.repeat(parents[order], arrays["n_children"][splits][order]))

    def _answers(self, X: Any) -> FloatArray:
        n_outputs = getattr(self._forest, "n_classes_", 1)
        answers: FloatArray = self._forest._apply_by_blocks(
            X, lambda rows: sum_of_answers([self.native], rows, n_outputs)
        )
        return answers


def sum_of_answers(trees: Sequence[_native.Tree], rows: FeatureRows, n_outputs: int) -> FloatArray:
    """Sum the class shares (or means) of each row's leaf over trees."""
    total = np.zeros((rows.n_rows, n_outputs))
    _native.add_answers(trees, rows, total)
    return total
