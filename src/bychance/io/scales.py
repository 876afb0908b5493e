"""Scales of which the ends are labeled: 1 - Strongly disagree, 2, 3, 4, 5 - Strongly agree → 1 to 5."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bychance.arrow_values import null_mask
from bychance.io.numbers_in_text import Reading
from bychance.messages import Code, remark

__all__ = ["read_scale"]

MOST_POINTS = 11  # from 0 to 10
FEWEST_BARE = 2
# Behind a blank alone, small letters are a unit.
_POINT = re.compile(r"(?P<number>-?\d{1,2})(?:(?:\s*[-–—=:.)(]\s*|\s+(?=[A-ZÄÖÜÉ]))(?P<label>[^\W\d].*))?$")
# What is answered outside of a scale, and may be numbered along with it.
_NO_ANSWER = re.compile(
    r"\b(?:don.?t know|not sure|not applicable|n/?a\b|d/?k\b|refus|no answer|no opinion|no response|"
    r"not answered|missing|unknown|prefer not|decline|other\b|none of|skip|keine angabe|wei(?:ß|ss) nicht|"
    r"trifft nicht zu|sonstige|sans opinion|sans réponse|ne sait pas|non concerné|autre\b|no sabe|"
    r"no contesta|ns/?nc\b|no aplica|otro\b)",
    re.IGNORECASE,
)


def read_scale(texts: Any) -> Reading | None:
    """Distinct cells as the points of a scale with labels at both ends; None where they are none.

    The numbers are whole, 0 to 10 or fewer, two of them or more have no label, and none stands there both
    with and without a label. Besides the ends, the middle may be labeled. An answer that stands outside of a
    scale, such as "9 - Don't know", is no point of it.

    >>> from bychance.arrow_values import strings_of
    >>> reading = read_scale(strings_of(["1 - Bad", "2", "4", "3", "5 - Good"]))
    >>> reading.values.to_pylist(), str(reading.said[0])
    ([1, 2, 4, 3, 5], "a scale from 1 to 5: '1 - Bad' is read as 1, '5 - Good' as 5")
    """
    import pyarrow as pa

    if not FEWEST_BARE < len(texts) - texts.null_count <= MOST_POINTS:
        return None
    cells = texts.to_pylist()
    points = [None if cell is None else _POINT.match(cell) for cell in cells]
    if any(point is None and cell is not None for point, cell in zip(points, cells, strict=True)):
        return None
    numbers = [None if point is None else int(point["number"]) for point in points]
    labels = {int(point["number"]): point["label"] for point in points if point is not None}
    low, high = min(labels), max(labels)
    is_labeled = {number for number, label in labels.items() if label}
    if len(labels) < len(texts) - texts.null_count or not 0 <= high - low < MOST_POINTS:
        return None
    if len(labels) - len(is_labeled) < FEWEST_BARE or not {low, high} <= is_labeled <= {
        low,
        high,
        (low + high) / 2,
    }:
        return None
    named = [str(labels[number]) for number in is_labeled]
    if any(map(_NO_ANSWER.search, named)) or len({name.casefold() for name in named}) < len(named):
        return None
    first, last = (cells[numbers.index(end)] for end in (low, high))
    said = remark(Code.SCALE, low=low, high=high, low_cell=first, high_cell=last)
    is_read = ~null_mask(texts)
    return Reading(pa.array(numbers, pa.int64()), np.asarray(is_read, dtype=np.bool_), (said,))
