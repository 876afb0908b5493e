"""Cells that list several answers, such as "python;sql": each combination is a category, with few rows."""

from __future__ import annotations

import numpy as np

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.messages import Code, Remark, remark

__all__ = ["remark_on_lists"]

_MARKS = (";", "|", ",")
_FEWEST_LABELS = 6
_LISTING = 0.2  # of the rows, that list two answers or more
_MOST_LABELS = 10_000


def remark_on_lists(column: Column) -> Remark | None:
    """What to say where categories are combinations of fewer answers; nothing elsewhere.

    >>> from bychance.read_column import read_column
    >>> answers = ["a", "b", "c", "a;b", "b;c", "a;c", "a;b;c"]
    >>> remark_on_lists(read_column(answers * 5, "likes")).values
    {'n': 3, 'cell': 'a;b', 'n_labels': 7}
    """
    labels = column.labels
    if column.kind is not Kind.CATEGORICAL or not _FEWEST_LABELS <= len(labels) <= _MOST_LABELS:
        return None
    texts = [label if isinstance(label, str) else "" for label in labels]
    together = "".join(texts)
    often = (mark for mark in _MARKS if 2 * together.count(mark) >= len(texts))
    mark = next((mark for mark in often if 2 * sum(mark in text for text in texts) >= len(texts)), None)
    if mark is None:
        return None
    lists = [[part.strip() for part in text.split(mark) if part.strip()] for text in texts]
    answers = {part for parts in lists for part in parts}
    is_listing = np.array([len(parts) > 1 for parts in lists])
    share = float(is_listing[column.present].mean())
    # Answers recur in many combinations; the parts of an address do not.
    if share < _LISTING or 2 * len(answers) > len(labels):
        return None
    example = texts[int(np.flatnonzero(is_listing)[0])]
    return remark(Code.LISTED_ANSWERS, n=len(answers), cell=example, n_labels=len(labels))
