"""Forest: what random forests of classes and of numbers share: growing, choices out of bag, importances."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bychance.errors import BychanceError
from bychance.estimators import RandomState, seed_of
from bychance.forest.base import Sample, TreesEstimator, has_out_of_bag
from bychance.forest.criterion import SplitCriterion, criterion_of
from bychance.forest.grow import Grown, choice_step, grow_forest, shrink_trees
from bychance.forest.importance import ImportanceTest, importances_of, permuted
from bychance.forest.out_of_bag import oob_answers
from bychance.forest.parameters import GRID, shrinkages_of
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Training, Tree
from bychance.forest.tuning import Tuned, tune
from bychance.io import is_frame
from bychance.io.frames import from_memory
from bychance.progress import Progress
from bychance.validation import whole_number

__all__ = ["Forest", "importance_records"]


class Forest(TreesEstimator):
    """A random forest of any target; subclasses say what it predicts."""

    n_estimators: int
    criterion: str | SplitCriterion
    random_state: RandomState
    shrinkage: str
    oob_score: bool | Callable[..., float]
    warm_start: bool
    verbose: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns: numbers, dates, strings, booleans and categories, with gaps. Sparse matrices are
            taken, and made dense in memory.
        y : array-like of shape (n_samples,)
            The classes or numbers. For several targets, scikit-learn's `MultiOutputClassifier` and
            `MultiOutputRegressor` fit a forest to each.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.

        Returns
        -------
        self
        """
        n_trees = whole_number(self.n_estimators, "n_estimators")
        earlier = self._earlier(n_trees)
        sample = self._read(X, y, sample_weight, reset=not earlier)
        settings = self._settings(sample.features, len(sample.training.y))
        self._check_out_of_bag(settings, len(sample.training.y))
        if earlier:
            self._check_same(sample)
        else:
            self._root = seed_of(self.random_state)
        with self._bar(n_trees - len(earlier)) as bar:
            tuned = self._grow(sample.training, settings, self._root, n_trees, earlier, bar)
        shrink_trees(tuned.grown.trees, tuned.shrinkage, len(earlier), self.n_jobs)
        self._keep(sample, tuned.grown.trees)
        self._keep_figures(sample, tuned)
        return self

    @property
    def feature_importances_se_(self) -> NDArray[np.float64]:
        """The standard errors of the importances over trees."""
        check_is_fitted(self)
        return self._importances.errors

    @property
    def feature_importances_p_(self) -> NDArray[np.float64]:
        """The p-values of the importances, from this one fit."""
        check_is_fitted(self)
        return self._importances.p_values

    @property
    def feature_importances_q_(self) -> NDArray[np.float64]:
        """Their q-values: the least false discovery rate at which a column is selected."""
        check_is_fitted(self)
        return self._importances.q_values

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node that each row ends in, in every tree.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_estimators)
        """
        return self._leaves(X)

    def importance_test(self, X: Any, y: Any, n_permutations: int = 99) -> ImportanceTest:
        """Importances with p-values, from forests grown on permutations of y.

        The forest is grown anew on X and y and on `n_permutations` permutations of y, with the same settings,
        rows and draws of columns; the estimator itself is left as it is. The null is that no column has
        anything to do with y. No p-value is below 1 / (n_permutations + 1).

        Parameters
        ----------
        X, y
            As for `fit`.
        n_permutations : int
            How many permutations.

        Returns
        -------
        ImportanceTest

        Examples
        --------
        >>> import numpy as np
        >>> import bychance as bc
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = X[:, 1] + rng.normal(size=200)
        >>> forest = bc.RandomForestRegressor(n_estimators=50, random_state=0)
        >>> forest.importance_test(X, y, n_permutations=19).p_values.argmin()
        np.int64(1)
        """
        n_permutations = whole_number(n_permutations, "n_permutations")
        n_trees = whole_number(self.n_estimators, "n_estimators")
        shrinkages_of(self.shrinkage)
        # Shrinking changes what leaves answer, not what splits gain.
        fresh = clone(self).set_params(warm_start=False, shrinkage="none", oob_score=False)
        sample = fresh._read(X, y, None)
        settings = fresh._settings(sample.features, len(sample.training.y))
        if not has_out_of_bag(settings, len(sample.training.y)):
            raise BychanceError(_NO_ROWS_LEFT.format("Importances need"))
        root = seed_of(self.random_state)
        with fresh._bar(n_trees * (n_permutations + 1)) as bar:
            importances = []
            for number in range(n_permutations + 1):
                training = permuted(sample.training, root, number)
                tuned = fresh._grow(training, settings, root, n_trees, [], bar)
                importances.append(importances_of(tuned.grown.trees, training, self.n_jobs).means)
        library = from_memory(X, None).library if is_frame(X) else "pyarrow"
        names = tuple(feature.name for feature in sample.features)
        return ImportanceTest(names, importances[0], np.array(importances[1:]), library)

    def _keep_out_of_bag(self, sample: Sample, answers: NDArray[np.float64]) -> None:
        """Score the out-of-bag answers, of which rows that are never out of bag have none."""
        raise NotImplementedError

    def _is_same_target(self, sample: Sample) -> bool:
        raise NotImplementedError

    def _grow(
        self,
        training: Training,
        settings: GrowSettings,
        root: int,
        n_trees: int,
        earlier: list[Tree],
        bar: Progress,
    ) -> Tuned:
        shrinkages = shrinkages_of(self.shrinkage)
        if not has_out_of_bag(settings, len(training.y)):
            shrinkages = shrinkages[:1]
        needs_all = self._is_tuned or bool(self.oob_score)
        has_votes = needs_all or len(shrinkages) > 1
        step = 1 if needs_all else choice_step(len(training.y))

        def grow(alpha: float) -> Grown:
            return grow_forest(
                training,
                replace(settings, alpha=alpha),
                earlier,
                n_trees,
                root,
                shrinkages=shrinkages if has_votes else (),
                step=step,
                n_jobs=self.n_jobs,
                progress=bar,
            )

        if not has_votes:
            return Tuned(settings.alpha, shrinkages[0], grow(settings.alpha))
        return tune(training, grow, GRID if self._is_tuned else (settings.alpha,), self.n_jobs)

    def _keep_figures(self, sample: Sample, tuned: Tuned) -> None:
        training = sample.training
        self.alpha_, self.shrinkage_ = tuned.alpha, tuned.shrinkage
        if self._is_tuned:
            self.alpha_grid_ = np.array(GRID)
            self.alpha_losses_ = np.average(tuned.losses, axis=1, weights=training.weights)
        if self.oob_score:
            votes = tuned.honest_votes(training, self._root)
            # Which trees a row is out of bag for does not depend on the level.
            self._keep_out_of_bag(sample, oob_answers(votes, tuned.grown.votes.n_trees))
        self._n_rows = len(training.y)

    def _check_out_of_bag(self, settings: GrowSettings, n_rows: int) -> None:
        for argument, is_wanted in (
            ("`oob_score` needs", self.oob_score),
            ('alpha="oob" needs', self._is_tuned),
        ):
            if is_wanted and not has_out_of_bag(settings, n_rows):
                raise BychanceError(_NO_ROWS_LEFT.format(argument))

    def _earlier(self, n_trees: int) -> list[Tree]:
        """The trees to go on from, where there are such."""
        if not self.warm_start:
            return []
        if self._is_tuned:
            raise BychanceError('warm_start adds trees of one alpha: it cannot be combined with alpha="oob".')
        earlier: list[Tree] = getattr(self, "_trees", [])
        if n_trees < len(earlier):
            raise BychanceError(
                f"n_estimators={n_trees} must be larger or equal to len(estimators_)={len(earlier)} "
                "when warm_start==True."
            )
        if n_trees == len(earlier):
            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warnings.warn(message, UserWarning, stacklevel=3)
        return earlier

    def _check_same(self, sample: Sample) -> None:
        n_rows = len(sample.training.y)
        is_same = sample.features == self._features and self._is_same_target(sample)
        if not is_same or n_rows != self._n_rows:
            raise BychanceError(
                "warm_start adds trees for the same rows: classes, categories and the number of rows must be "
                "those of the first fit."
            )

    @property
    def _is_tuned(self) -> bool:
        return criterion_of(self.criterion).alpha == "oob"

    def _bar(self, n_trees: int) -> Progress:
        n_levels = len(GRID) if self._is_tuned else 1
        return Progress("trees", total=n_trees * n_levels, enabled=bool(self.verbose))


def importance_records(forest: Forest) -> list[dict[str, Any]]:
    """One record per column, the most important first."""
    means, errors = forest.feature_importances_, forest.feature_importances_se_
    p_values, q_values = forest.feature_importances_p_, forest.feature_importances_q_
    names = [feature.name for feature in forest._features]
    return [
        {
            "column": names[k],
            "importance": float(means[k]),
            "importance_se": float(errors[k]),
            "p_value": float(p_values[k]),
            "q_value": float(q_values[k]),
        }
        for k in np.argsort(-means, kind="stable")
    ]


_NO_ROWS_LEFT = "{} rows that trees are not grown on: give `max_samples` below 1, or bootstrap=True."
