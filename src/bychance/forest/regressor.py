"""RandomForestRegressor: trees that split on what chance does not explain, for a target of numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bychance.estimators import RandomState
from bychance.forest.base import Sample
from bychance.forest.criterion import SplitCriterion
from bychance.forest.forest import Forest
from bychance.forest.inputs import CategoricalFeatures
from bychance.forest.out_of_bag import oob_r2
from bychance.forest.trees_regressor import TreesRegressor

__all__ = ["RandomForestRegressor"]


class RandomForestRegressor(Forest, TreesRegressor):
    """A random forest whose splits are chosen by what chance does not explain: a scikit-learn regressor.

    The reduction of variance of a split is judged against its own distribution over all permutations of the
    node's numbers. Categories and missing values are taken as they are; `predict` also gives quantiles.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"fair", "adjusted", "standardized", "variance"} or SplitCriterion
        What a split is chosen by. "fair": the column with the largest mean reduction of variance over all its
        cuts, as a z-score, so that every column has about the same chance under independence; then the cut of
        that column that reduces it most. The others compare columns by their best cuts. "standardized": the
        reduction less its null mean, in null standard deviations; "adjusted": the reduction less its null's
        (1 − alpha)-quantile, as the paper does for the Gini gain, both as if the split had been fixed in
        advance. "variance": the raw reduction. Settings such as `alpha` are those of a `SplitCriterion`.
    categorical_split : {"ordered", "multiway"}
        "ordered": the best cut of the categories in the order of their means, learned on rows that the tree
        is not grown on; if there are no such rows, as "multiway". "multiway": one child a category.
    categorical_features : "from_dtype", list of names or positions, mask, or None
        Which columns are categories. "from_dtype": strings, categories and booleans. Otherwise those listed
        are, and all others must be numbers.
    max_features : int, float, {"sqrt", "auto", "log2"} or None
        How many columns, drawn for every node, are tried; as for `RandomForestClassifier`.
    max_depth : int, optional
        The most splits on the way to a leaf; None: no limit.
    min_samples_split, min_samples_leaf : int or float
        The fewest rows of a node that is split, and of a child; or their share of the rows of a tree.
    max_samples : int, float or None
        How many rows are drawn to grow a tree on, or their share; None: as many as there are. Of the rows not
        drawn, where categories are to be ordered, half serves for that; the rest is out of bag.
    bootstrap : bool
        Whether rows are drawn with replacement. Those drawn several times count once where "fair" splits are
        chosen, and as often as drawn in what leaves say.
    missing : {"best", "majority"}
        Where rows without a value go at a split, in training and later: to the child where they raise the
        gain more, or to the larger one. With "best", a split may also part rows with a value from
        rows without.
    n_jobs : int, optional
        Number of threads; None is 1, or what `joblib.parallel_config` says. The forest is the same for any.
    random_state : int, RandomState or None
        Seed. With an integer every fit on the same data gives the same forest, bit for bit.
    shrinkage : {"oob", "rows", "chance", "leaf5", "leaf10", "none"}
        How far the mean of a node is drawn towards those of the nodes above it; as for
        `RandomForestClassifier`. "oob": the method with the least squared error out of bag, if better than
        "none" by half a standard error.
    oob_score : bool or callable
        Whether `fit` computes `oob_score_`: R², or a function of true and predicted numbers.
    warm_start : bool
        Whether `fit` adds trees to those of the last fit.
    verbose : int
        Whether to show a progress bar.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        For each column, the mean over trees of how well its splits tell the numbers of the tree's out-of-bag
        rows: the covariance there of the numbers and of what the rows in the tree fit to them at the split,
        weighted by the share of the rows and its root. Of mean 0 for a column that has nothing to do with y.
        As shares of the variance of y; they do not add up to 1. NaN where no rows are out of bag.
    feature_importances_se_ : array of shape (n_features,)
        Their standard errors over trees: how much another seed would change them, not another sample.
    feature_importances_p_, feature_importances_q_ : array of shape (n_features,)
        Their p-values, from this one fit, for columns that have nothing to do with y; and q-values
        (Benjamini and Hochberg). `importance_test` is the slow reference.
    alpha_, alpha_grid_, alpha_losses_
        The level used; with alpha="oob" the levels tried and their mean squared errors out of bag.
    shrinkage_ : str
        The shrinkage used.
    oob_score_ : float
        The out-of-bag score, where `oob_score` asks for it.
    oob_prediction_ : array of shape (n_samples,)
        The out-of-bag predictions behind it; NaN for rows that were never out of bag.
    estimators_ : list of trees
        The trees, each with `predict`, `apply` and `decision_path`.
    n_features_in_, feature_names_in_
        Number and names of the columns seen in `fit`.

    Notes
    -----
    Weights are frequencies: a row of weight 3 counts as three rows in every gain and null, and rows of weight
    0 as none.

    References
    ----------
    Romano, Vinh, Bailey and Verspoor, *A Framework to Adjust Dependency Measure Estimates for Chance*, SDM
    2016. Meinshausen, *Quantile Regression Forests*, JMLR 2006.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestRegressor(n_estimators=200, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.4
    True
    >>> low, high = forest.predict(X[:1], quantiles=[0.05, 0.95])[0]
    >>> bool(low < forest.predict(X[:1])[0] < high)
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str | SplitCriterion = "fair",
        categorical_split: str = "ordered",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_features: int | float | str | None = 0.5,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_samples: int | float | None = 0.632,
        bootstrap: bool = False,
        missing: str = "best",
        n_jobs: int | None = None,
        random_state: RandomState = None,
        shrinkage: str = "oob",
        oob_score: bool | Callable[..., float] = False,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.categorical_split = categorical_split
        self.categorical_features = categorical_features
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.shrinkage = shrinkage
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.verbose = verbose

    def _keep_out_of_bag(self, sample: Sample, answers: NDArray[np.float64]) -> None:
        self.oob_score_ = oob_r2(answers[:, 0], sample, self.oob_score)
        self.oob_prediction_ = np.full(len(sample.is_kept), np.nan)
        self.oob_prediction_[sample.is_kept] = answers[:, 0]

    def _is_same_target(self, sample: Sample) -> bool:
        return True
