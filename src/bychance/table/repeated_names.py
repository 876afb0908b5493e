"""Rows of a text file that repeat its names, as loggers and joined files have them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of
from bychance.table.below import LINE_END
from bychance.table.record import Note
from bychance.table.text_cells import combined

__all__ = ["lines_in_words", "note_on_repeats", "repeats_names"]

FEWEST_NAMES = 2
_LISTED = 3


def repeats_names(text: str, names: Sequence[str], columns: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Which rows hold the names once more, all of them where they belong; None where no row does.

    No name may stand elsewhere in its column: rows of a file without names may well repeat the first.

    >>> import pyarrow as pa
    >>> repeats_names("a,b\\n1,2\\na,b\\n", ["a", "b"], [pa.array(["1", "a"]), pa.array(["2", "b"])])
    array([False,  True])
    """
    import pyarrow.compute as pc

    named = [k for k, name in enumerate(names) if name.strip()]
    if len(named) < FEWEST_NAMES or not _has_first_line_again(text):
        return None
    equal = [numpy_of(pc.equal(combined(columns[k]), names[k])) for k in named]
    is_repeated = reduce(np.logical_and, equal)
    n_repeated = np.count_nonzero(is_repeated)
    if not n_repeated or any(np.count_nonzero(is_name) > n_repeated for is_name in equal):
        return None
    return is_repeated


def note_on_repeats(is_repeated: NDArray[np.bool_], first_line: int | None) -> Note:
    """That these rows were left out; `first_line` is the line of the first row, where each row is a line."""
    rows = np.flatnonzero(is_repeated).tolist()
    if first_line is None:
        what = f"{len(rows):,} row{'s' * (len(rows) > 1)}"
    else:
        what = lines_in_words([first_line + row for row in rows])
    said = "repeat the names and were" if len(rows) > 1 else "repeats the names and was"
    return Note(None, f"{what} {said} left out; header=False reads all rows as data.")


def lines_in_words(numbers: Sequence[int]) -> str:
    """The first of these lines, and how many more there are.

    >>> lines_in_words([7]), lines_in_words([7, 9]), lines_in_words([1, 2, 3, 4, 5])
    ('Line 7', 'Lines 7 and 9', 'Lines 1, 2, 3 and 2 more')
    """
    lines = [f"{number:,}" for number in numbers]
    more = [f"{len(lines) - _LISTED:,} more"] if len(lines) > _LISTED + 1 else lines[_LISTED:]
    *before, last = [*lines[:_LISTED], *more]
    return f"Lines {', '.join(before)} and {last}" if before else f"Line {last}"


def _has_first_line_again(text: str) -> bool:
    """Quick, and no for nearly all files."""
    end = LINE_END.search(text)
    return end is not None and any(mark + text[: end.start()] in text for mark in "\n\r")
