"""SplitCriterion: by what trees compare splits, with its settings."""

from __future__ import annotations

from sklearn.base import BaseEstimator

__all__ = ["SplitCriterion", "criterion_of"]


class SplitCriterion(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """What trees compare splits by, with its settings: a `criterion` of trees and forests.

    A name alone stands for the criterion with its defaults. `GridSearchCV` reaches the settings by names such
    as `criterion__alpha`.

    Parameters
    ----------
    name : str
        Of classes "fair", "agini", "sgini", "gini" or "entropy"; of numbers "fair", "adjusted",
        "standardized" or "variance".
    alpha : float or "oob"
        The level of "agini" and "adjusted", in (0, 1]: small values favor splits into few, large children.
        For forests, "oob" tries eight levels, from 0.005 to 1, and takes the one with the least loss out of
        bag; `fit` then takes eight times as long.
    null : {"moments", "multinomial"}
        Where the null's mean and variance come from: all permutations of the node's classes, or the
        multinomial model of the paper. "fair" and numbers always use permutations.
    quantile : {"cantelli", "gamma"}
        How "agini" and "adjusted" find the quantile from mean and variance: a bound that holds for every law
        (the paper's), or the quantile of a matched gamma law, which is sharper.
    min_adjusted_gain : float, optional
        Only splits whose score is at least this are made: 0 stops if chance explains more. By default the
        criterion only ranks the splits and does not stop growth, as in the paper: stopping costs accuracy.
        Scores of "adjusted" and "variance" are shares of the variance of the node.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> stopping = bc.SplitCriterion("agini", alpha=0.1, min_adjusted_gain=0)
    >>> bc.DecisionTreeClassifier(criterion=stopping).fit(X, y).get_n_leaves()
    6
    """

    def __init__(
        self,
        name: str = "fair",
        *,
        alpha: float | str = 0.05,
        null: str = "moments",
        quantile: str = "cantelli",
        min_adjusted_gain: float | None = None,
    ) -> None:
        self.name = name
        self.alpha = alpha
        self.null = null
        self.quantile = quantile
        self.min_adjusted_gain = min_adjusted_gain


def criterion_of(criterion: str | SplitCriterion) -> SplitCriterion:
    """Return the criterion that a name stands for.

    >>> criterion_of("gini").name
    'gini'
    """
    return criterion if isinstance(criterion, SplitCriterion) else SplitCriterion(criterion)
