"""export_tree(): a tree as text, whatever names and categories hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bychance.errors import BychanceError
from bychance.forest.base import TreesEstimator
from bychance.forest.scales import Scale
from bychance.forest.tree import Tree, TreeNode
from bychance.names import display_name
from bychance.validation import whole_number

__all__ = ["export_tree"]

_SHOWN_LABELS = 6


def export_tree(
    estimator: TreesEstimator,
    *,
    tree: int = 0,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """A tree as text.

    Parameters
    ----------
    estimator : tree or forest
        A fitted classifier or regressor of this library.
    tree : int
        Which tree of the forest.
    max_depth : int, optional
        How many levels of splits to show; None: all.
    feature_names, class_names : sequence of str, optional
        Names instead of those that `fit` saw. A regressor has no classes: its nodes show their mean.

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
        has_missing=[feature.has_missing for feature in features],
        categories=estimator._encoder.labels,
        scales=estimator._encoder.scales,
        classes=_names(class_names, [str(label) for label in classes], "class_names"),
    )
    return "\n".join(_lines(trees[tree], names, depth))


@dataclass(frozen=True, slots=True)
class _TreeNames:
    """What columns, their categories by number (None for numbers), thresholds and classes are called.

    `has_missing` says which columns had gaps in training: only there are missing values worth a word.
    """

    features: Sequence[str]
    categories: Sequence[tuple[object, ...] | None]
    scales: Sequence[Scale]
    classes: Sequence[str]
    has_missing: Sequence[bool]


def _lines(tree: Tree, names: _TreeNames, max_depth: int | None) -> Iterator[str]:
    """One line per node, children indented below their parent; below `max_depth` splits, as leaves."""
    # Last in, first out, without recursion: a tree may be deeper than Python's stack.
    waiting = [("", "", 0, 0)]
    while waiting:
        lead, indent, k, depth = waiting.pop()
        node = tree.node(k)
        ways = [] if depth == max_depth else _ways(node, names)
        title = _answer(node, names)
        if node.feature is not None and ways:
            title = names.features[node.feature]
        yield f"{lead}{title}  ({node.n:g} {'row' if node.n == 1 else 'rows'}: {_inside(node)})"
        branches = list(zip(ways, node.children, strict=True)) if ways else []
        # From the last, so that they come out from the first.
        for way, child in reversed(branches):
            is_last = child == branches[-1][1]
            lead = f"{indent}{'└─' if is_last else '├─'} {way}: "
            waiting.append((lead, indent + ("   " if is_last else "│  "), child, depth + 1))


def _answer(node: TreeNode, names: _TreeNames) -> str:
    return names.classes[int(np.argmax(node.shares))] if names.classes else f"{node.shares[0]:.6g}"


def _inside(node: TreeNode) -> str:
    """The class counts, or mean and standard deviation."""
    if node.mean is not None and node.variance is not None:
        return f"{node.mean:.6g} ± {np.sqrt(node.variance):.3g}"
    return ", ".join(f"{count:g}" for count in node.class_counts)


def _ways(node: TreeNode, names: _TreeNames) -> list[str]:
    """What leads to each child."""
    if node.feature is None:
        return []
    labels = names.categories[node.feature]
    if node.is_by_gap:
        return ["missing" if child == node.missing_child else "present" for child in node.children]
    if node.threshold is not None:
        shown = names.scales[node.feature].shown(node.threshold)
        ways = [f"≤ {shown}", f"> {shown}"]
    else:
        assert labels is not None
        ways = [_listed(numbers, labels) for numbers in node.categories]
    if names.has_missing[node.feature]:
        ways[node.children.index(node.missing_child)] += " or missing"
    return ways


def _listed(numbers: NDArray[np.int32], labels: tuple[Any, ...]) -> str:
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
