"""Base classes of tree and forest estimators: reading X and y, growing, importances."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array
from bychance.errors import BychanceError, BychanceWarning
from bychance.estimators import RandomState, checked_input, checked_target, seed_of
from bychance.forest.features import (
    CategoricalFeatures,
    Feature,
    FeatureRows,
    FeatureTable,
    encode,
    feature_readers,
    slices_like,
)
from bychance.forest.grow import GrownTrees, choice_step, grow_forest, shrink_trees
from bychance.forest.importance import Importances, ImportanceTest, importances_of, permuted
from bychance.forest.out_of_bag import TunedForest, oob_answers, tune
from bychance.forest.parameters import (
    GRID,
    GrowSettings,
    SplitCriterion,
    criterion_of,
    grow_settings,
    shrinkages_of,
)
from bychance.forest.tree import Training, Tree, sum_of_answers
from bychance.io import is_frame
from bychance.io.frames import from_memory
from bychance.parallel import n_threads_of, on_threads
from bychance.progress import Progress
from bychance.validation import whole_number

__all__ = ["Forest", "TrainingSample", "TreesEstimator", "check_size", "importance_records"]

_BLOCK_CELLS, _LEAST_BLOCK_ROWS = 6_000_000, 1_024
_LEAST_SIZE = 1e-60
_FAR_FROM_ONE = 10.0  # means of weights beyond this, or below its reciprocal, hardly are frequencies


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSample:
    """Checked input of `fit`: training data, the classes, and a mask of the rows with positive weight.

    `classes` is empty for a target of numbers.
    """

    training: Training
    classes: NDArray[Any]
    has_weight: BoolArray


class TreesEstimator(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of estimators that average their trees. Subclasses implement `fit` and check y."""

    _criteria: ClassVar[tuple[str, ...]]
    _random_cuts: ClassVar[bool] = False
    categorical_features: CategoricalFeatures
    n_jobs: int | None = None
    _trees: list[_native.Tree]
    _features: tuple[Feature, ...]
    _training: Training | None
    _measured: Importances

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _storing_parameters(cls.__init__)  # type: ignore[method-assign] # a wrapper of the same signature

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns: numbers, dates, strings, booleans and categories, with missing values. Sparse
            matrices are made dense in memory.
        y : array-like of shape (n_samples,)
            The classes or numbers. For several targets, scikit-learn's `MultiOutputClassifier` and
            `MultiOutputRegressor` fit a forest to each.
        sample_weight : array-like of shape (n_samples,), optional
            The number of rows that each row stands for.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def apply(self, X: Any) -> Int32Array:
        """Return the number of the node that each row ends in, for every tree.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_estimators), of a single tree (n_samples,)
        """
        return self._apply_by_blocks(
            X, lambda rows: np.column_stack([tree.apply(rows) for tree in self._trees])
        )

    def _checked_y(self, values: NDArray[Any], /) -> NDArray[Any]:
        """Check y and return it: class labels unchanged, or numbers as float64."""
        raise NotImplementedError

    def _class_codes(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the classes and each row's class number, or for numeric y an empty array and y itself."""
        raise NotImplementedError

    @property
    def estimators_(self) -> list[Tree]:
        """The fitted trees."""
        return [Tree(tree, self) for tree in self._trees]

    @property
    def feature_importances_(self) -> FloatArray:
        """Importance of each column, computed at first access."""
        check_is_fitted(self)
        return self._importances.means

    @property
    def _importances(self) -> Importances:
        if self._training is not None:
            self._measured = importances_of(self._trees, self._training, self.n_jobs)
            self._training = None
        return self._measured

    def __getstate__(self) -> dict[str, Any]:
        if getattr(self, "_training", None) is not None:
            # Importances need the training rows, which copies leave out.
            _ = self._importances
        return dict(super().__getstate__())

    def _apply_by_blocks(self, X: Any, function: Callable[[FeatureRows], NDArray[Any]]) -> NDArray[Any]:
        """Apply a function to X in blocks of encoded rows, in parallel."""
        check_is_fitted(self)
        X = checked_input(self, X, reset=False, accept_sparse=True)
        n_rows, columns_at = slices_like(X, self._features)
        # Large blocks keep the nodes of a tree in the cache, small blocks keep all threads busy.
        size = max(_LEAST_BLOCK_ROWS, -(-n_rows // n_threads_of(self.n_jobs)))
        size = min(max(1, _BLOCK_CELLS // len(self._features)), size)

        def of_block(start: int) -> NDArray[Any]:
            return function(encode(self._features, columns_at(slice(start, start + size))))

        return np.concatenate(list(on_threads(of_block, range(0, n_rows, size), self.n_jobs)))

    def _answers(self, X: Any) -> FloatArray:
        """Predict each row's class shares (or mean), averaged over trees."""
        return self._apply_by_blocks(X, self._answer)

    def _answer(self, rows: FeatureRows) -> FloatArray:
        return sum_of_answers(self._trees, rows, getattr(self, "n_classes_", 1)) / len(self._trees)

    def _predicted(self, answers: FloatArray) -> NDArray[Any]:
        """Convert class shares to the most probable class, or return predicted numbers as they are."""
        raise NotImplementedError

    def _checked_sample(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> TrainingSample:
        """Check X, y and weights, and return them encoded as a `TrainingSample`."""
        if y is None:
            raise BychanceError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = checked_input(self, X, reset=reset, accept_sparse=True)
        y = checked_target(y)
        check_consistent_length(X, y)
        readers = feature_readers(X, self.categorical_features)
        target = self._checked_y(y)
        weights, has_weight = self._weights(target, sample_weight)
        classes, codes = self._class_codes(target[has_weight])
        kept = None if has_weight.all() else has_weight
        table = FeatureTable.read(readers, len(codes), kept, self.n_jobs)
        return TrainingSample(Training(table, codes, len(classes), weights), classes, has_weight)

    def _settings(self, table: FeatureTable) -> GrowSettings:
        settings = grow_settings(self.get_params(deep=False), self._criteria, table.columns, table.n_rows)
        return replace(settings, random_cuts=self._random_cuts)

    def _weights(self, y: NDArray[Any], sample_weight: Any) -> tuple[FloatArray | None, BoolArray]:
        """Return the positive sample weights (None if all are 1), and a mask of the rows that have them."""
        has_weight = np.ones(len(y), dtype=np.bool_)
        if sample_weight is None:
            return None, has_weight
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        check_size(weights, "sample_weight")
        has_weight = weights > 0
        if not has_weight.any():
            raise BychanceError("Sample weights must contain at least one non-zero number.")
        weights = weights[has_weight]
        mean = float(weights.mean())
        if (mean < 1 / _FAR_FROM_ONE or mean > _FAR_FROM_ONE) and (weights != np.rint(weights)).any():
            message = (
                f"`sample_weight` has mean {mean:.3g}, and weights are frequencies: a row of weight 3 counts "
                "as three. If they only say how much rows matter, divide them by their mean."
            )
            warnings.warn(message, BychanceWarning, stacklevel=4)
        return None if (weights == 1).all() else weights, has_weight

    def _store_fit(self, sample: TrainingSample, trees: list[_native.Tree]) -> Self:
        """Store the trees, column descriptions and training rows on the estimator."""
        self._features = sample.training.features.columns
        self._trees, self._training = trees, sample.training
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def check_size(numbers: FloatArray, name: str) -> None:
    """Raise an error if sums of fourth powers of `numbers` would overflow or underflow in float64."""
    largest = float(np.max(np.abs(numbers), initial=0))
    if largest and not _LEAST_SIZE <= largest <= 1 / _LEAST_SIZE:
        raise BychanceError(
            f"`{name}` must be at most {1 / _LEAST_SIZE:.0e} and not all below {_LEAST_SIZE:.0e} in size, "
            f"got {largest:.3g}: multiply it by a constant."
        )


def _storing_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """Wrap an `__init__` to store its parameters, and to explain scikit-learn parameters that it lacks."""
    known = signature(init)

    @wraps(init)
    def keeping(self: Any, *args: Any, **options: Any) -> None:
        own, refused = type(self).__name__, sorted(options.keys() & _REFUSED.keys() - known.parameters.keys())
        if refused:
            raise TypeError(" ".join(f"{own} has no `{name}`: {_REFUSED[name]}." for name in refused))
        try:
            given = known.bind(self, *args, **options)
        except TypeError:
            init(self, *args, **options)  # raises the usual message with the name of the class
            raise
        given.apply_defaults()
        for name, value in list(given.arguments.items())[1:]:
            setattr(self, name, value)
        init(self, *args, **options)

    return keeping


_REFUSED = {
    "ccp_alpha": "trees are shrunk by `shrinkage` instead of pruned",
    "max_leaf_nodes": "trees grow depth first, and `max_depth` or `min_samples_leaf` makes them smaller",
    "alpha": "it is a setting of `SplitCriterion`",
    "min_adjusted_gain": "it is a setting of `SplitCriterion`",
    "min_impurity_decrease": "`min_adjusted_gain` of `SplitCriterion` is the least score of a split",
    "min_weight_fraction_leaf": "`min_samples_leaf` takes a share of the rows",
    "monotonic_cst": "predictions cannot be made to rise with a column",
    "rng": "`random_state` is the seed",
    "seed": "`random_state` is the seed",
    "splitter": "`ExtraTreesClassifier` and `ExtraTreesRegressor` draw their cuts at random",
}


class Forest(TreesEstimator):
    """Base of random forests, for any target."""

    n_estimators: int
    criterion: str | SplitCriterion
    random_state: RandomState
    shrinkage: str
    oob_score: bool | Callable[..., float]
    warm_start: bool
    verbose: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        n_trees = whole_number(self.n_estimators, "n_estimators")
        earlier = self._warm_start_trees(n_trees)
        sample = self._checked_sample(X, y, sample_weight, reset=not earlier)
        settings = self._settings(sample.training.features)
        self._check_out_of_bag(settings)
        if earlier:
            self._check_same(sample)
        else:
            self._root = seed_of(self.random_state)
        with self._bar(n_trees - len(earlier)) as bar:
            tuned = self._grow(sample.training, settings, self._root, n_trees, earlier, bar)
        shrink_trees(tuned.grown.trees, tuned.shrinkage, len(earlier), self.n_jobs)
        self._store_fit(sample, tuned.grown.trees)
        self._store_results(sample, tuned)
        return self

    @property
    def feature_importances_se_(self) -> FloatArray:
        """Standard error of each importance, over trees."""
        check_is_fitted(self)
        return self._importances.errors

    @property
    def feature_importances_p_(self) -> FloatArray:
        """P-value of each importance, from this single fit."""
        check_is_fitted(self)
        return self._importances.p_values

    @property
    def feature_importances_q_(self) -> FloatArray:
        """Q-value of each importance: the smallest false discovery rate that selects the column."""
        check_is_fitted(self)
        return self._importances.q_values

    def importance_test(self, X: Any, y: Any, n_permutations: int = 99) -> ImportanceTest:
        """Test importances against forests grown on permutations of y.

        The forest is grown anew on X and y and on `n_permutations` permutations of y, with the same settings,
        rows and draws of columns. The estimator itself does not change. The null hypothesis is that y is
        independent of all columns. No p-value is below 1 / (n_permutations + 1).

        Parameters
        ----------
        X, y
            As for `fit`.
        n_permutations : int
            Number of permutations.

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
        # Shrinkage changes the answers of leaves, not the gains of splits.
        fresh = clone(self).set_params(warm_start=False, shrinkage="none", oob_score=False)
        sample = fresh._checked_sample(X, y, None)
        settings = fresh._settings(sample.training.features)
        if not settings.has_out_of_bag:
            raise BychanceError(_NO_ROWS_LEFT.format("Importances need"))
        root = seed_of(self.random_state)
        with fresh._bar(n_trees * (n_permutations + 1)) as bar:
            importances = []
            for number in range(n_permutations + 1):
                training = permuted(sample.training, root, number)
                tuned = fresh._grow(training, settings, root, n_trees, [], bar)
                importances.append(importances_of(tuned.grown.trees, training, self.n_jobs).means)
        library = from_memory(X, None).library if is_frame(X) else "pyarrow"
        names = tuple(feature.name for feature in sample.training.features.columns)
        return ImportanceTest(names, importances[0], np.array(importances[1:]), library)

    @staticmethod
    def _score(y: NDArray[Any], predicted: NDArray[Any]) -> float:
        """Return the default score of out-of-bag predictions, for `oob_score_`."""
        raise NotImplementedError

    def _store_out_of_bag(self, answers: FloatArray) -> None:
        """Store out-of-bag predictions, NaN for rows that no tree left out."""
        raise NotImplementedError

    def _grow(
        self,
        training: Training,
        settings: GrowSettings,
        root: int,
        n_trees: int,
        earlier: list[_native.Tree],
        bar: Progress,
    ) -> TunedForest:
        shrinkages = shrinkages_of(self.shrinkage)
        if not settings.has_out_of_bag:
            shrinkages = shrinkages[:1]
        needs_all = self._is_tuned or bool(self.oob_score)
        has_votes = needs_all or len(shrinkages) > 1
        step = 1 if needs_all else choice_step(len(training.y))

        def grow(alpha: float) -> GrownTrees:
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
            return TunedForest(settings.alpha, shrinkages[0], grow(settings.alpha))
        return tune(training, grow, GRID if self._is_tuned else (settings.alpha,), self.n_jobs)

    def _store_results(self, sample: TrainingSample, tuned: TunedForest) -> None:
        training = sample.training
        self.alpha_, self.shrinkage_ = tuned.alpha, tuned.shrinkage
        if self._is_tuned:
            self.alpha_grid_ = np.array(GRID)
            self.alpha_losses_ = np.average(tuned.losses, axis=1, weights=training.weights)
        if self.oob_score:
            votes = tuned.cross_fitted_votes(training, self._root)
            # A row is out of bag for the same trees at every level.
            answers = np.full((len(sample.has_weight), training.n_outputs), np.nan)
            answers[sample.has_weight] = oob_answers(votes, tuned.grown.votes.n_trees)
            self._store_out_of_bag(answers)
            has_answer = ~np.isnan(answers[sample.has_weight, 0])
            y = training.y[has_answer]
            score = self.oob_score if callable(self.oob_score) else self._score
            predicted = self._predicted(answers[sample.has_weight][has_answer])
            self.oob_score_ = score(sample.classes[y] if training.n_classes else y, predicted)
        self._n_rows = len(training.y)

    def _check_out_of_bag(self, settings: GrowSettings) -> None:
        for argument, is_wanted in (("`oob_score`", self.oob_score), ('alpha="oob"', self._is_tuned)):
            if is_wanted and not settings.has_out_of_bag:
                raise BychanceError(_NO_ROWS_LEFT.format(f"{argument} needs"))

    def _warm_start_trees(self, n_trees: int) -> list[_native.Tree]:
        """Return the trees of the earlier fit that `warm_start` continues from, else an empty list."""
        if not self.warm_start:
            return []
        if self._is_tuned:
            raise BychanceError('warm_start adds trees of one alpha: it cannot be combined with alpha="oob".')
        earlier: list[_native.Tree] = getattr(self, "_trees", [])
        if n_trees < len(earlier):
            raise BychanceError(
                f"n_estimators={n_trees} must be larger or equal to len(estimators_)={len(earlier)} "
                "when warm_start==True."
            )
        if n_trees == len(earlier):
            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warnings.warn(message, UserWarning, stacklevel=3)
        return earlier

    def _check_same(self, sample: TrainingSample) -> None:
        n_rows = len(sample.training.y)
        is_same = np.array_equal(sample.classes, getattr(self, "classes_", sample.classes))
        if not is_same or sample.training.features.columns != self._features or n_rows != self._n_rows:
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
    """Return one record per column with its importance and p-value, most important first."""
    measured = forest._importances
    columns = {
        "column": [feature.name for feature in forest._features],
        "importance": measured.means.tolist(),
        "importance_se": measured.errors.tolist(),
        "p_value": measured.p_values.tolist(),
        "q_value": measured.q_values.tolist(),
    }
    order = np.argsort(-measured.means, kind="stable")
    return [{name: values[k] for name, values in columns.items()} for k in order]


_NO_ROWS_LEFT = "{} rows that trees are not grown on: give `max_samples` below 1, or bootstrap=True."
