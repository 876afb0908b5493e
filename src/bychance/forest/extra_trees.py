"""ExtraTreesClassifier and ExtraTreesRegressor: forests whose cuts are drawn at random."""

from __future__ import annotations

from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.regressor import RandomForestRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(RandomForestClassifier):
    """A forest of extremely randomized trees: a scikit-learn classifier.

    At every node each column that is tried has one cut, drawn between its least and its largest value there
    (for ordered categories: of their order), and the criterion chooses among the columns: "fair" by the gain
    of that cut. Multiway splits of categories are those of `RandomForestClassifier`.

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
    """A forest of extremely randomized trees: a scikit-learn regressor.

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
