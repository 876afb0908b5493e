"""Rows of a text file that repeat its names, as loggers and joined files have them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of
from bychance.io.below import LINE_END
from bychance.io.cells import combined
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = ["note_on_repeats", "repeats_names"]

FEWEST_NAMES = 2


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
    lines = None if first_line is None else tuple(first_line + row for row in rows)
    n_rows = len(rows) if lines is None else None
    return Note.on_table(Code.NAMES_REPEATED, n=len(rows), n_rows=n_rows, lines=lines, option=KEEP_ALL_ROWS)


def _has_first_line_again(text: str) -> bool:
    """Quick, and no for nearly all files."""
    end = LINE_END.search(text)
    return end is not None and any(mark + text[: end.start()] in text for mark in "\n\r")
