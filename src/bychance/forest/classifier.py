"""RandomForestClassifier, and the base of classifiers that average trees."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from bychance import _native
from bychance.array_types import BoolArray, FloatArray
from bychance.errors import BychanceError, BychanceWarning
from bychance.estimators import RandomState
from bychance.forest.base import Forest, TrainingSample, TreesEstimator
from bychance.forest.features import CategoricalFeatures, FeatureRows
from bychance.forest.out_of_bag import TunedForest
from bychance.forest.parameters import ClassCriterion, SplitCriterion
from bychance.io.cells import as_arrow

__all__ = ["RandomForestClassifier", "TreesClassifier"]

_MANY_NUMBERS = 30  # numeric classes: with more, y looks like the target of a regression


class TreesClassifier(ClassifierMixin, TreesEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of classifiers that average their trees."""

    _criteria = get_args(ClassCriterion)
    class_weight: Any
    classes_: NDArray[Any]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities: class shares in each row's leaf, averaged over trees.

        With `shrinkage="oob"` a forest calibrates them on the rows out of bag.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._answers(X)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of `predict_proba`, −inf for a probability of 0.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class, the first of `classes_` in ties.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._predicted(self.predict_proba(X))

    def _predicted(self, answers: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmax(answers, axis=1)])

    def _checked_y(self, labels: NDArray[Any], /) -> NDArray[Any]:
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name="y")
        if labels.dtype.kind == "O" and getattr(as_arrow(labels), "null_count", 0) > 0:
            raise BychanceError("Input y contains NaN.")
        regressor = type(self).__name__.replace("Classifier", "Regressor")
        try:
            with np.errstate(invalid="ignore"):  # scikit-learn casts numbers to integers, even beyond 2^63
                check_classification_targets(labels)
        except (TypeError, ValueError) as error:
            kinds = sorted({type(label).__name__.rstrip("_") for label in labels})
            if isinstance(error, ValueError) and len(kinds) == 1:
                raise BychanceError(f"{error} `{regressor}` predicts numbers.") from None
            rule = "labels of one type" if len(kinds) > 1 else "strings, numbers or booleans"
            raise BychanceError(f"y must hold {rule}, got {' and '.join(kinds)}.") from None
        return labels

    def _class_codes(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        classes, codes = np.unique(y, return_inverse=True)
        if classes.dtype.kind in "iuf" and len(classes) > _MANY_NUMBERS:
            regressor = type(self).__name__.replace("Classifier", "Regressor")
            message = (
                f"y has {len(classes)} different numbers, and each becomes a class: to predict numbers, use "
                f"`{regressor}`; for classes that are numbers, give them as strings."
            )
            warnings.warn(message, BychanceWarning, stacklevel=4)
        return classes, codes.astype(np.int32)

    def _weights(self, y: NDArray[Any], sample_weight: Any) -> tuple[FloatArray | None, BoolArray]:
        weights, has_weight = super()._weights(y, sample_weight)
        if isinstance(self.class_weight, str) and self.class_weight != "balanced":
            raise BychanceError(
                f'`class_weight` must be a dict, "balanced" or None, got {self.class_weight!r}: '
                '"balanced" weights the classes by all rows, not by those of each tree.',
                "class_weight",
            )
        if self.class_weight is not None:
            of_classes = compute_sample_weight(self.class_weight, y[has_weight])
            weights = of_classes if weights is None else weights * of_classes
            weights = None if (weights == 1).all() else weights
        return weights, has_weight

    def _store_fit(self, sample: TrainingSample, trees: list[_native.Tree]) -> Self:
        self.classes_, self.n_classes_ = sample.classes, len(sample.classes)
        return super()._store_fit(sample, trees)


class RandomForestClassifier(Forest, TreesClassifier):
    """Random forest classifier that chooses splits by gain beyond chance, compatible with scikit-learn.

    Raw gains favor columns with many categories, columns with many cut points, and columns with many missing
    values, so noise of that kind crowds out signal. Here the gain of a split is judged against its own
    distribution under independence, on the rows of the node. Categories and missing values are taken as they
    are.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"fair", "agini", "sgini", "gini", "entropy"} or SplitCriterion
        Criterion of splits. "fair" chooses the column with the largest mean Gini gain over all its cuts, as a
        z-score, so that every column has about the same chance under independence, and then the cut of that
        column with the largest gain. The others compare columns by their best cuts. "sgini" is the gain less
        its null mean, in null standard deviations. "agini" is the gain less the (1 − alpha)-quantile of its
        null. As in the paper, both nulls are those of a split fixed in advance. "gini" and "entropy" are raw
        gains. `alpha` and other settings are those of a `SplitCriterion`.
    categorical_split : {"ordered", "multiway"}
        "ordered" takes the best cut of the categories in the order of their class shares. The order is
        learned on rows that the tree is not grown on, so that the cut is as honest as a cut of numbers.
        Without such rows it is "multiway", with one child per category.
    categorical_features : "from_dtype", list of names or positions, mask, or None
        Categorical columns. "from_dtype" takes strings, categories and booleans. With a list, all other
        columns must be numbers.
    max_features : int, float, {"sqrt", "auto", "log2"} or None
        Number of columns, drawn for every node, that are tried: a number, a share, all (None), or the square
        root or logarithm of their number m. "auto" is √(m + 2), rounded. If none of them has a usable split,
        more are drawn.
    max_depth : int, optional
        Largest number of splits on the way to a leaf. None sets no limit.
    min_samples_split, min_samples_leaf : int or float
        Least number of rows of a node that is split, and of a child, or their share of the rows of a tree.
    max_samples : int, float or None
        Number of rows that are drawn to grow a tree on, or their share. None draws as many as there are. If
        categories are to be ordered, half of the rows not drawn serve for that. The remaining rows are out of
        bag.
    bootstrap : bool
        Draw rows with replacement. A share of 1 then has 63% of the rows, some of them several times. "fair"
        counts these once to choose splits. Answers of leaves count them as often as drawn.
    class_weight : dict, "balanced" or None
        Weights of classes, which multiply the weights of their rows. "balanced" gives classes equal weights
        with the number of rows as their sum.
    missing : {"best", "majority"}
        Child for rows without a value, in training and later: the child in which they increase the gain more,
        or the larger one. Splits are chosen by the gain of the rows with a value. With "best", a split may
        also separate rows with a value from rows without.
    n_jobs : int, optional
        Number of threads. None is 1, or the setting of `joblib.parallel_config`. The forest does not depend
        on it.
    random_state : int, RandomState or None
        Seed. With an integer every fit on the same data gives the same forest, bit for bit.
    shrinkage : {"oob", "rows", "chance", "leaf5", "leaf10", "none"}
        Shrinkage of the class shares of a node towards those of the nodes above it, since the few rows of a
        leaf are pure by chance too. "rows" keeps n / (n + 4) of the difference that a split of n rows makes.
        "chance" moves a child back towards its parent by half of the part of the gain that chance explains.
        "leaf5" and "leaf10" are as "rows", and undo splits with a child of fewer than 5 or 10 rows. "none"
        answers with the rows of the leaf. "oob" takes the method with the least out-of-bag log loss, if it
        beats "none" by half a standard error. It takes "none" if no rows are out of bag. "oob" also
        calibrates probabilities by a multinomial logit of the class shares on rows out of bag, with one slope
        and an intercept per class. So the mean probability of a class equals its share of these rows.
    oob_score : bool or callable
        Predict every row by the trees that it is out of bag for, and score these predictions by accuracy, or
        by a function of the classes and their predictions.
    warm_start : bool
        Add trees to the present ones in `fit`, for the same rows.
    verbose : int
        Show a progress bar if fitting takes longer than two seconds.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    feature_importances_ : array of shape (n_features,)
        Mean over trees of the importance of each column on the tree's out-of-bag rows. At each split it is
        the covariance of the classes and their fit from the rows in the tree, weighted by the share of the
        rows and its square root. Its mean is 0 for a column independent of y, whatever its categories, so
        that about half of such columns are below 0. Units are those of the Gini gain, and importances do not
        add up to 1. NaN if no rows are out of bag.
    feature_importances_se_ : array of shape (n_features,)
        Standard errors of the importances over trees: the effect of another seed, not of another sample.
    feature_importances_p_, feature_importances_q_ : array of shape (n_features,)
        P-values of the importances, from this one fit, for columns independent of y, and q-values (Benjamini
        and Hochberg). `importance_test` is the slow reference.
    alpha_ : float
        The level used.
    alpha_losses_ : array
        With alpha="oob", the out-of-bag log loss of each level in `alpha_grid_`.
    shrinkage_ : str
        The shrinkage used.
    sharpness_ : float
        The slope of the calibration, between ¼ and 4: the power of the forest's class shares over those of
        the training rows. 1 without calibration.
    oob_score_ : float
        The out-of-bag score, with `oob_score`.
    oob_decision_function_ : array of shape (n_samples, n_classes)
        The out-of-bag class shares of the score, NaN for rows that were never out of bag. `alpha`,
        `shrinkage` and the calibration of each random half of the rows are those that the other half chooses,
        so that no row is scored by a choice that depends on its own class.
    estimators_ : list of trees
        The trees, each with `predict`, `predict_proba`, `apply` and `decision_path`.
    n_features_in_, feature_names_in_
        Number and names of the columns seen in `fit`.

    Notes
    -----
    Weights are frequencies: a row of weight 3 counts as three rows in every gain and null, and rows of weight
    0 are ignored. Weights of importance should therefore sum to about the number of rows.

    A row with a category that a node has not seen in training is predicted by the class shares of that node.
    A split by missing values counts the category as a value. A constant or missing column is never split on.
    A column with a different category in every row has an importance of 0. A single class is always
    predicted.

    References
    ----------
    Romano, Vinh, Bailey and Verspoor, *A Framework to Adjust Dependency Measure Estimates for Chance*, SDM
    2016.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestClassifier(n_estimators=200, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.9
    True
    >>> sorted(forest.feature_names_in_[forest.feature_importances_.argsort()[-2:]])
    ['petal length (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str | SplitCriterion = "fair",
        categorical_split: str = "ordered",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_samples: int | float | None = 0.632,
        bootstrap: bool = False,
        class_weight: Any = None,
        missing: str = "best",
        n_jobs: int | None = None,
        random_state: RandomState = None,
        shrinkage: str = "oob",
        oob_score: bool | Callable[..., float] = False,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        """Keep the parameters."""

    @classmethod
    def from_paper(
        cls, criterion: str = "agini", *, alpha: float | str = 0.05, n_estimators: int = 1000, **others: Any
    ) -> Self:
        """Create a forest as in the AGini paper: multinomial null, Cantelli's bound, one child per category.

        Each tree is grown to the end on half of the rows, drawn without replacement, and tries √(m + 2)
        columns per node. Leaves answer with their own rows.

        Parameters
        ----------
        criterion : {"agini", "sgini", "gini"}
            AGini(alpha), SGini or Gini.
        alpha : float or "oob"
            The level of AGini.
        n_estimators : int
            Number of trees.
        **others
            Parameters that the paper leaves open, such as `random_state` and `n_jobs`.

        Returns
        -------
        RandomForestClassifier

        Examples
        --------
        >>> import bychance as bc
        >>> bc.RandomForestClassifier.from_paper("sgini", random_state=0).criterion.null
        'multinomial'
        """
        paper = SplitCriterion(criterion, alpha=alpha, null="multinomial", quantile="cantelli")
        return cls(n_estimators, criterion=paper, **_PAPER, **others)

    def _store_results(self, sample: TrainingSample, tuned: TunedForest) -> None:
        super()._store_results(sample, tuned)
        self._calibration = tuned.calibration
        self.sharpness_ = 1.0 if tuned.calibration is None else tuned.calibration.power

    def _answer(self, rows: FeatureRows) -> FloatArray:
        shares = super()._answer(rows)
        if self._calibration is None:
            return shares
        return self._calibration.probabilities(shares * len(self._trees))

    @staticmethod
    def _score(y: NDArray[Any], predicted: NDArray[Any]) -> float:
        return float(np.mean(y == predicted)) if len(y) else np.nan

    def _store_out_of_bag(self, answers: FloatArray) -> None:
        self.oob_decision_function_ = answers


# The settings of the paper, explained in docs/forest.md.
_PAPER: dict[str, Any] = {
    "categorical_split": "multiway",
    "max_features": "auto",
    "max_depth": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "max_samples": 0.5,
    "bootstrap": False,
    "missing": "majority",
    "shrinkage": "none",
}
