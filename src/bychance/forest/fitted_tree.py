"""A tree of a fitted forest: what it alone predicts, and which nodes rows pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bychance import _native
from bychance.forest.features import FeatureRows
from bychance.forest.tree import Tree

if TYPE_CHECKING:
    from bychance.forest.base import TreesEstimator

__all__ = ["FittedTree"]


class FittedTree(Tree):
    """A grown tree that reads X as its forest does; node 0 is the root.

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

    def __init__(self, native: _native.Tree, forest: TreesEstimator) -> None:
        super().__init__(native)
        self._forest = forest

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by this tree alone: the class with the largest share where a row ends, or the mean there.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
        """
        answers = self._answers_of(X)
        classes = getattr(self._forest, "classes_", None)
        return answers[:, 0] if classes is None else np.asarray(classes[np.argmax(answers, axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares where a row ends, shrunk as in the forest and not calibrated.

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
        return self._answers_of(X)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the node that each row ends in.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
        """
        return super().apply(self._rows(X))

    def decision_path(self, X: Any) -> csr_array:
        """Say which nodes each row passes, its last one included.

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

    def __reduce__(self) -> tuple[Any, ...]:
        return _fitted_tree, (Tree(self.native), self._forest)

    def _parents(self) -> NDArray[np.intp]:
        """Return the parent of each node; -1 for the root."""
        arrays = self.arrays()
        parent = np.full(self.n_nodes, -1, np.intp)
        for node in np.flatnonzero(arrays["split_of"] >= 0):
            split = arrays["split_of"][node]
            first = arrays["first_child"][split]
            parent[first : first + arrays["n_children"][split]] = node
        return parent

    def _answers_of(self, X: Any) -> NDArray[np.float64]:
        rows = self._rows(X)
        answers = np.zeros((rows.n_rows, len(getattr(self._forest, "classes_", "1"))))
        self.add_answers(rows, answers)
        return answers

    def _rows(self, X: Any) -> FeatureRows:
        if isinstance(X, FeatureRows):
            return X
        return self._forest._encoder.encode(self._forest._seen(X))


def _fitted_tree(tree: Tree, forest: TreesEstimator) -> FittedTree:
    return FittedTree(tree.native, forest)
