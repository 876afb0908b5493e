"""Decision tree estimators, and forests of extremely randomized trees."""

from __future__ import annotations

from typing import Any, Self

from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from bychance.array_types import Int32Array
from bychance.estimators import RandomState, seed_of
from bychance.forest.base import TreesEstimator
from bychance.forest.classifier import RandomForestClassifier, TreesClassifier
from bychance.forest.features import CategoricalFeatures
from bychance.forest.parameters import SplitCriterion, criterion_of
from bychance.forest.regressor import RandomForestRegressor, TreesRegressor
from bychance.forest.tree import Tree, grow_tree
from bychance.seeding import stream_key
from bychance.validation import number_within

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]


class SingleTree(TreesEstimator):
    """Base of estimators with one tree, for any target."""

    criterion: str | SplitCriterion
    random_state: RandomState

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        number_within(criterion_of(self.criterion).alpha, "alpha", 1)
        sample = self._checked_sample(X, y, sample_weight)
        key = stream_key(seed_of(self.random_state), "tree", "0")
        tree = grow_tree(sample.training, self._settings(sample.training.features), key)
        return self._store_fit(sample, [tree.native])

    @property
    def tree_(self) -> Tree:
        """The fitted tree."""
        return self.estimators_[0]

    def apply(self, X: Any) -> Int32Array:
        return super().apply(X)[:, 0]

    def decision_path(self, X: Any) -> csr_array:
        """Return a sparse matrix that flags the nodes passed by each row."""
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """Return the depth of the tree: the number of splits on the longest path."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves


class DecisionTreeClassifier(SingleTree, TreesClassifier):
    """Decision tree classifier that chooses splits by gain beyond chance, compatible with scikit-learn.

    As a tree of `RandomForestClassifier`, by default on all rows and with all columns tried at every node.

    Parameters
    ----------
    criterion, categorical_split, categorical_features, max_features, max_depth, min_samples_split, \
min_samples_leaf, class_weight, missing, random_state
        As for `RandomForestClassifier`, but `alpha` is a number. To stop if chance explains more than the
        best split, give `criterion=SplitCriterion(min_adjusted_gain=0)`.
    max_samples : int, float or None
        Number of rows that the tree is grown on, or their share. None takes all rows. Then there are no rows
        for importances, nor to order categories, which have one child each.

    Attributes
    ----------
    tree_ : Tree
        The tree, for `bc.export_tree`.
    feature_importances_
        As for `RandomForestClassifier`, NaN if the tree is grown on all rows.
    classes_, n_features_in_, feature_names_in_
        As for `RandomForestClassifier`.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = bc.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.get_depth(), tree.get_n_leaves()
    (2, 3)
    """

    def __init__(
        self,
        *,
        criterion: str | SplitCriterion = "fair",
        categorical_split: str = "ordered",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_features: int | float | str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_samples: int | float | None = None,
        class_weight: Any = None,
        missing: str = "best",
        random_state: RandomState = None,
    ) -> None:
        """Keep the parameters."""


class DecisionTreeRegressor(SingleTree, TreesRegressor):
    """Decision tree regressor that chooses splits by gain beyond chance, compatible with scikit-learn.

    As a tree of `RandomForestRegressor`, by default on all rows and with all columns tried at every node.

    Parameters
    ----------
    criterion, categorical_split, categorical_features, max_features, max_depth, min_samples_split, \
min_samples_leaf, missing, random_state
        As for `RandomForestRegressor`, but `alpha` is a number. To stop if chance explains more than the
        best split, give `criterion=SplitCriterion(min_adjusted_gain=0)`.
    max_samples : int, float or None
        Number of rows that the tree is grown on, or their share. None takes all rows. Then there are no rows
        for importances, nor to order categories, which have one child each.

    Attributes
    ----------
    tree_ : Tree
        The tree, for `bc.export_tree`.
    feature_importances_
        As for `RandomForestRegressor`, NaN if the tree is grown on all rows.
    n_features_in_, feature_names_in_
        As for `RandomForestRegressor`.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> tree = bc.DecisionTreeRegressor(criterion=bc.SplitCriterion(min_adjusted_gain=4)).fit(X, y)
    >>> tree.get_depth(), tree.get_n_leaves()
    (3, 5)
    """

    def __init__(
        self,
        *,
        criterion: str | SplitCriterion = "fair",
        categorical_split: str = "ordered",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_features: int | float | str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_samples: int | float | None = None,
        missing: str = "best",
        random_state: RandomState = None,
    ) -> None:
        """Keep the parameters."""


class ExtraTreesClassifier(RandomForestClassifier):
    """Classifier of extremely randomized trees, compatible with scikit-learn.

    At every node each column that is tried has one cut, drawn between its least and its largest value there
    (for ordered categories: of their order), and the criterion chooses among the columns. "fair" compares the
    gains of these cuts. Multiway splits of categories are those of `RandomForestClassifier`.

    Parameters and attributes are those of `RandomForestClassifier`.

    References
    ----------
    Geurts, Ernst and Wehenkel, *Extremely Randomized Trees*, Machine Learning 2006.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bc.ExtraTreesClassifier(oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.9
    True
    """

    _random_cuts = True


class ExtraTreesRegressor(RandomForestRegressor):
    """Regressor of extremely randomized trees, compatible with scikit-learn.

    At every node each column that is tried has one cut, drawn between its least and its largest value there
    (for ordered categories: of their order), and the criterion chooses among the columns. Smooth functions
    are often predicted better than by `RandomForestRegressor`.

    Parameters and attributes are those of `RandomForestRegressor`.

    References
    ----------
    Geurts, Ernst and Wehenkel, *Extremely Randomized Trees*, Machine Learning 2006.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bc.ExtraTreesRegressor(oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.4
    True
    """

    _random_cuts = True
