"""export_tree(): a tree as text or as a drawing (SVG), whatever names and labels hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bychance.errors import BychanceError, unknown_name
from bychance.forest.base import TreesClassifier
from bychance.forest.drawing import as_svg
from bychance.forest.outline import Outline, TreeNames, outline_of
from bychance.forest.parameters import positive_integer
from bychance.names import display_name

__all__ = ["export_tree"]


def export_tree(
    classifier: TreesClassifier,
    *,
    tree: int = 0,
    format: str = "text",
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """A tree as text, or as a drawing in SVG for browsers and notebooks.

    Parameters
    ----------
    classifier : DecisionTreeClassifier or RandomForestClassifier
        A fitted one.
    tree : int
        Which tree of the forest.
    format : {"text", "svg"}
        What to make.
    max_depth : int, optional
        How many levels of splits to show; None: all.
    feature_names, class_names : sequence of str, optional
        Names instead of those that `fit` saw.

    Returns
    -------
    str
        Control characters in names are written as escapes, and in SVG nothing in a name is markup.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> classifier = bc.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> print(bc.export_tree(classifier, class_names=["setosa", "versicolor", "virginica"]))
    petal width (cm)  (150 rows: 50, 50, 50)
    ├─ ≤ 0.8: setosa  (50 rows: 50, 0, 0)
    └─ > 0.8: petal width (cm)  (100 rows: 0, 50, 50)
       ├─ ≤ 1.75: versicolor  (54 rows: 0, 49, 5)
       └─ > 1.75: virginica  (46 rows: 0, 1, 45)
    """
    check_is_fitted(classifier)
    if format not in _FORMATS:
        raise unknown_name("format", format, _FORMATS)
    trees = classifier.trees_
    if not isinstance(tree, int) or not 0 <= tree < len(trees):
        raise BychanceError(f"`tree` must be a number from 0 to {len(trees) - 1}, got {tree!r}.")
    depth = None if max_depth is None else positive_integer(max_depth, "max_depth")
    features = classifier._features
    names = TreeNames(
        features=_names(feature_names, [feature.name for feature in features], "feature_names"),
        has_missing=[feature.has_missing for feature in features],
        categories=classifier._encoder.labels,
        scales=classifier._encoder.scales,
        classes=_names(class_names, [str(label) for label in classifier.classes_], "class_names"),
    )
    return _FORMATS[format](outline_of(trees[tree], names, depth))


def as_text(outline: Outline) -> str:
    """One line a node, children indented below their parent."""
    lines = []
    # Last in, first out; children are put in from the last, so that they come out from the first.
    waiting = [("", "", outline)]
    while waiting:
        lead, indent, node = waiting.pop()
        lines.append(f"{lead}{node.title}  ({node.rows})")
        for k, (edge, child) in reversed(list(enumerate(node.children))):
            is_last = k == len(node.children) - 1
            lead = f"{indent}{'└─' if is_last else '├─'} {edge}: "
            waiting.append((lead, indent + ("   " if is_last else "│  "), child))
    return "\n".join(lines)


_FORMATS = {"text": as_text, "svg": as_svg}


def _names(given: Any, own: list[str], argument: str) -> list[str]:
    if given is None:
        return [display_name(name) for name in own]
    names = [display_name(str(name)) for name in given]
    if len(names) != len(own):
        raise BychanceError(f"`{argument}` must have {len(own)} names, got {len(names)}.")
    return names
