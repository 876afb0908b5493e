"""Trees as text, and a sentence on a forest's accuracy and important columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bychance.array_types import FloatArray, Int32Array
from bychance.errors import BychanceError
from bychance.forest.base import TreesEstimator
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.curve import auc_and_influence
from bychance.forest.features import Feature
from bychance.forest.regressor import RandomForestRegressor
from bychance.forest.tree import Tree, TreeNode
from bychance.names import count_of, display_name
from bychance.validation import whole_number
from bychance.wording import percents

__all__ = ["OutOfBagScore", "export_tree", "forest_in_words", "out_of_bag_score"]

_SHOWN_LABELS = 6


def export_tree(
    estimator: TreesEstimator,
    *,
    tree: int = 0,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return a tree as text.

    Parameters
    ----------
    estimator : tree or forest
        A fitted classifier or regressor of this library.
    tree : int
        Number of the tree in the forest.
    max_depth : int, optional
        Number of levels of splits to show. None shows all.
    feature_names, class_names : sequence of str, optional
        Names in place of those that `fit` saw. Nodes of a regressor have no class: they show their mean.

    Returns
    -------
    str
        Control characters in names are written as escapes.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = bc.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> print(bc.export_tree(tree, class_names=["setosa", "versicolor", "virginica"]))
    petal length (cm)  (150 rows: 50, 50, 50)
    ├─ ≤ 2.45: setosa  (50 rows: 50, 0, 0)
    └─ > 2.45: petal length (cm)  (100 rows: 0, 50, 50)
       ├─ ≤ 4.75: versicolor  (45 rows: 0, 44, 1)
       └─ > 4.75: virginica  (55 rows: 0, 6, 49)
    """
    check_is_fitted(estimator)
    trees = estimator.estimators_
    if not isinstance(tree, int) or not 0 <= tree < len(trees):
        raise BychanceError(f"`tree` must be a number from 0 to {len(trees) - 1}, got {tree!r}.")
    depth = None if max_depth is None else whole_number(max_depth, "max_depth")
    features, classes = estimator._features, getattr(estimator, "classes_", ())
    names = _TreeNames(
        features=_names(feature_names, [feature.name for feature in features], "feature_names"),
        columns=features,
        classes=_names(class_names, [str(label) for label in classes], "class_names"),
    )
    return "\n".join(_node_lines(trees[tree], names, depth))


@dataclass(frozen=True, slots=True)
class _TreeNames:
    """Names of columns and classes for display, and the descriptions of the training columns.

    Missing values are mentioned only for columns that had some in training.
    """

    features: Sequence[str]
    columns: Sequence[Feature]
    classes: Sequence[str]


def _node_lines(tree: Tree, names: _TreeNames, max_depth: int | None) -> Iterator[str]:
    """Yield one line of text per node, with children indented below their parent."""
    # Last in, first out, without recursion: a tree may be deeper than Python's stack.
    waiting = [("", "", 0, 0)]
    while waiting:
        lead, indent, k, depth = waiting.pop()
        node = tree.node(k)
        ways = [] if depth == max_depth else _child_conditions(node, names)
        title = _answer(node, names)
        if node.feature is not None and ways:
            title = names.features[node.feature]
        yield f"{lead}{title}  ({node.n:g} {'row' if node.n == 1 else 'rows'}: {_node_contents(node)})"
        branches = list(zip(ways, node.children, strict=True)) if ways else []
        # Pushed from the last to the first, so that the first is popped first.
        for way, child in reversed(branches):
            is_last = child == branches[-1][1]
            lead = f"{indent}{'└─' if is_last else '├─'} {way}: "
            waiting.append((lead, indent + ("   " if is_last else "│  "), child, depth + 1))


def _answer(node: TreeNode, names: _TreeNames) -> str:
    return names.classes[int(np.argmax(node.shares))] if names.classes else f"{node.shares[0]:.6g}"


def _node_contents(node: TreeNode) -> str:
    """Format a node's class counts, or its mean and standard deviation."""
    if node.mean is not None and node.variance is not None:
        return f"{node.mean:.6g} ± {np.sqrt(node.variance):.3g}"
    return ", ".join(f"{count:g}" for count in node.class_counts)


def _child_conditions(node: TreeNode, names: _TreeNames) -> list[str]:
    """Return the split condition of each child as text."""
    if node.feature is None:
        return []
    column = names.columns[node.feature]
    if node.is_by_missing:
        return ["missing" if child == node.missing_child else "present" for child in node.children]
    if node.threshold is not None:
        shown = column.scale.shown(node.threshold)
        ways = [f"≤ {shown}", f"> {shown}"]
    else:
        ways = [_category_list(numbers, column.categories or ()) for numbers in node.categories]
    if column.has_missing:
        ways[node.children.index(node.missing_child)] += " or missing"
    return ways


def _category_list(numbers: Int32Array, labels: tuple[Any, ...]) -> str:
    shown = [display_name(str(labels[k]), 40) for k in numbers[:_SHOWN_LABELS]]
    more = [f"… {len(numbers) - _SHOWN_LABELS} more"] if len(numbers) > _SHOWN_LABELS else []
    return f"= {', '.join(shown + more)}"


def _names(given: Any, own: list[str], argument: str) -> list[str]:
    if given is None:
        return [display_name(name) for name in own]
    names = [display_name(str(name)) for name in given]
    if len(names) != len(own):
        raise BychanceError(f"`{argument}` must have {len(own)} names, got {len(names)}.")
    return names


_LIMITS, _ONE_SIDED = 1.96, 1.645  # standard errors to 95% limits, two-sided and one-sided
_FDR_LEVEL = 0.05
_NAME = 50
_UNSEEN = "rows that trees were not grown on"


@dataclass(frozen=True, slots=True)
class OutOfBagScore:
    """Out-of-bag AUC or R², its standard error over rows, and its value by chance."""

    name: str
    value: float
    error: float
    chance: float

    @property
    def limits(self) -> tuple[float, float]:
        """95% confidence limits of the score for other rows from the same population."""
        return self.value - _LIMITS * self.error, min(self.value + _LIMITS * self.error, 1.0)

    @property
    def is_beyond_chance(self) -> bool:
        """True if the score exceeds the chance level at the one-sided 5% level."""
        return self.value - _ONE_SIDED * self.error > self.chance


def out_of_bag_score(forest: RandomForestClassifier | RandomForestRegressor, y: Any) -> OutOfBagScore:
    """Compute the out-of-bag AUC (or R²) of a forest that was fitted to y with `oob_score=True`.

    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = bc.RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> score = out_of_bag_score(forest, y)
    >>> score.name, score.value > 0.95, score.error < 0.02
    ('AUC', True, True)
    """
    y = np.asarray(y)
    if isinstance(forest, RandomForestRegressor):
        return _r2(np.asarray(y, dtype=np.float64), forest.oob_prediction_)
    shares = forest.oob_decision_function_
    has_shares = ~np.isnan(shares[:, 0])
    codes = np.searchsorted(forest.classes_, y[has_shares])
    value, influence = auc_and_influence(codes, shares[has_shares])
    return OutOfBagScore("AUC", float(value), float(np.sqrt(influence @ influence)), 0.5)


def _r2(y: FloatArray, predicted: FloatArray) -> OutOfBagScore:
    """Compute R² = 1 − Σe²/Σd² (e: errors, d: deviations from the mean) and its standard error."""
    has_prediction = ~np.isnan(predicted)
    y, predicted = y[has_prediction], predicted[has_prediction]
    errors, spreads = (y - predicted) ** 2, (y - y.mean()) ** 2
    left = errors.sum() / spreads.sum()
    influence = (left * spreads - errors) / spreads.sum()
    return OutOfBagScore("R²", float(1 - left), float(np.sqrt(influence @ influence)), 0.0)


def forest_in_words(forest: RandomForestClassifier | RandomForestRegressor, y: Any, target: str) -> str:
    """Describe how well the columns predict the target, and count the columns related to it.

    >>> import bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X[:, 1] + rng.normal(size=300)
    >>> forest = bc.RandomForestRegressor(100, oob_score=True, random_state=0).fit(X, y)
    >>> print(forest_in_words(forest, y, "y"))
    The 4 columns explain 37% of the variation of y (95% limits: 30% to 44%) in rows that trees were not
    grown on. 1 of 4 columns is related to y, namely x1.
    """
    name = display_name(target, _NAME)
    score, n_columns = out_of_bag_score(forest, y), forest.n_features_in_
    what, s = ("The column", "s") if n_columns == 1 else (f"The {n_columns:,} columns", "")
    does_not = "does not" if n_columns == 1 else "do not"
    low, high = score.limits
    figures = f"{score.name} is {score.value:.2f} (95% limits: {low:.2f} to {high:.2f}) on {_UNSEEN}"
    if score.name == "AUC":
        tells = f"tell{s}" if score.is_beyond_chance else f"{does_not} tell"
        told = f"{what} {tells} the classes of {name} apart: {figures}, and 0.5 by chance."
    elif score.is_beyond_chance:
        share, least, most = percents(score.value, low, high)
        limits = f"(95% limits: {least} to {most})"
        told = f"{what} explain{s} {share} of the variation of {name} {limits} in {_UNSEEN}."
    else:
        told = f"{what} {does_not} predict {name} better than its mean: {figures}."
    return f"{told} {_related_columns_in_words(forest, name)}"


def _related_columns_in_words(forest: RandomForestClassifier | RandomForestRegressor, target: str) -> str:
    """Describe how many columns are related to the target (at 5% FDR), and the most important one."""
    is_found = forest.feature_importances_q_ < _FDR_LEVEL
    n_found, of_all = int(is_found.sum()), count_of(len(is_found), "column")
    if not n_found:
        return f"None of {of_all} is related to {target}."
    first = int(np.argmax(np.where(is_found, forest.feature_importances_, -np.inf)))
    most = display_name(forest._features[first].name, _NAME)
    if n_found == 1:
        return f"1 of {of_all} is related to {target}, namely {most}."
    return f"{n_found:,} of {of_all} are related to {target}; {most} matters most."
