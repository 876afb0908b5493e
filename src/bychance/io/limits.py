"""Values beyond a limit: <0.5 and ≥2, and 10+ at the end of whole numbers; how that is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import is_true
from bychance.messages import OPEN, Code, Option, Remark, remark

__all__ = ["said_of_limits", "without_plus"]

FEWEST_NUMBERS, FEWEST_IN_A_ROW = 5, 2  # beside the limit
_LISTED = 3
_MOST_CELLS = 1000
_PLUS = r"^[0-9]{1,6} ?\+( ?\pL[\pL ]*)?$"
_WHOLE = re.compile(r"[<≤]? ?(\d{1,6})(?: ?[^\W\d][^\W\d ]*)?$")


def without_plus(texts: Any) -> tuple[Any, NDArray[np.bool_]]:
    """The cells with 10 for 10+ where that ends a column of whole numbers, and which cell it was.

    It is the only such cell, and beyond all others: either these are five or more, or the one before it and
    another are among them. Grades and findings (1+, 2+, 3+) stay as they are.

    >>> from bychance.arrow_values import strings_of
    >>> without_plus(strings_of(["0", "1", "2", "3+"]))[0].to_pylist()
    ['0', '1', '2', '3']
    >>> without_plus(strings_of(["0", "1+", "2+"]))[0].to_pylist()
    ['0', '1+', '2+']
    """
    import pyarrow.compute as pc

    is_none = np.zeros(len(texts), dtype=np.bool_)
    if len(texts) > _MOST_CELLS:
        return texts, is_none
    is_plus = is_true(pc.match_substring_regex(texts, _PLUS))
    if np.count_nonzero(is_plus) != 1:
        return texts, is_none
    cells = texts.to_pylist()
    limit = int(cells[int(is_plus.argmax())].partition("+")[0])
    found = [_WHOLE.match(cell) for cell, is_it in zip(cells, is_plus, strict=True) if cell and not is_it]
    numbers = {int(own[1]) for own in found if own is not None}
    is_run = limit - 1 in numbers and len(numbers) >= FEWEST_IN_A_ROW
    is_end = None not in found and bool(numbers) and max(numbers) <= limit
    if not is_end or not (is_run or len(numbers) >= FEWEST_NUMBERS):
        return texts, is_none
    return pc.replace_substring_regex(texts, r"^([0-9]+) ?\+", r"\1"), is_plus


def said_of_limits(texts: Any, is_limit: NDArray[np.bool_], n_values: int) -> Remark:
    """That cells such as <0.5 are read as the limit, in how many rows, and how to leave them out."""
    cells = tuple(texts[int(k)].as_py() for k in np.flatnonzero(is_limit)[: _LISTED + 1])
    marks = Option("missing", cells if len(cells) <= _LISTED else (OPEN,))
    return remark(Code.LIMITS, cell=cells[0], n_cells=len(cells), n=n_values, option=marks)
