"""A tree → nested records for text and drawings: what each node asks, how large it is, what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.scales import Scale
from bychance.forest.tree import Tree, TreeNode
from bychance.names import display_name

__all__ = ["Outline", "TreeNames", "outline_of"]

_SHOWN_LABELS = 6


@dataclass(frozen=True, slots=True)
class Outline:
    """A node: its question or answer, its rows in words, and its children with what leads to them."""

    title: str
    rows: str
    children: tuple[tuple[str, Outline], ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNames:
    """What columns, their categories by number (None for numbers), thresholds and classes are called.

    `has_missing` says which columns had gaps in training: only there are missing values worth a word.
    """

    features: Sequence[str]
    categories: Sequence[tuple[object, ...] | None]
    scales: Sequence[Scale]
    classes: Sequence[str]
    has_missing: Sequence[bool]


def outline_of(tree: Tree, names: TreeNames, max_depth: int | None = None) -> Outline:
    """The outline of a tree; below `max_depth` splits, nodes are shown as if they were leaves."""
    made: dict[int, Outline] = {}
    depths = {0: 0}
    shown = [0]
    for k in shown:
        node = tree.node(k)
        if max_depth is None or depths[k] < max_depth:
            depths |= dict.fromkeys(node.children, depths[k] + 1)
            shown += node.children
    # Children before parents, without recursion: a tree may be deeper than Python's stack.
    for k in reversed(shown):
        made[k] = _outline(tree.node(k), names, made)
    return made[0]


def _outline(node: TreeNode, names: TreeNames, made: dict[int, Outline]) -> Outline:
    rows = f"{node.n:g} rows: {', '.join(f'{count:g}' for count in node.class_counts)}"
    children = [child for child in node.children if child in made]
    if node.feature is None or not children:
        return Outline(names.classes[int(np.argmax(node.shares))], rows)
    ways = _ways(node, names.categories[node.feature], names.scales[node.feature])
    if names.has_missing[node.feature]:
        at = node.children.index(node.missing_child)
        ways[at] += " or missing"
    outlines = (made[child] for child in children)
    return Outline(names.features[node.feature], rows, tuple(zip(ways, outlines, strict=True)))


def _ways(node: TreeNode, labels: tuple[object, ...] | None, scale: Scale) -> list[str]:
    """What leads to each child."""
    if node.threshold is not None:
        shown = scale.shown(node.threshold)
        return [f"≤ {shown}", f"> {shown}"]
    assert labels is not None
    if node.kind == "single":
        label = _listed(node.categories[0], labels)
        return [label, label.replace("=", "≠", 1)]
    return [_listed(numbers, labels) for numbers in node.categories]


def _listed(numbers: NDArray[np.int32], labels: tuple[Any, ...]) -> str:
    shown = [display_name(str(labels[k]), 40) for k in numbers[:_SHOWN_LABELS]]
    more = [f"… {len(numbers) - _SHOWN_LABELS} more"] if len(numbers) > _SHOWN_LABELS else []
    return f"= {', '.join(shown + more)}"
