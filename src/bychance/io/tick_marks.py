"""Columns with a tick or one word, and nothing else: empty cells beside it → "no", with a note.

Lists of members have them (`✓` or empty), and surveys with a column for each option (`Quality` or empty).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import is_true, text_scalar
from bychance.columns import Column
from bychance.io.frames import Source
from bychance.io.text_cells import MISSING_AMONG_NUMBERS, TextCells, stripped
from bychance.io.typed_column import cells_of
from bychance.io.yes_and_no import NO
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option, Remark, remark

__all__ = ["with_ticks"]

TICKS = frozenset({"✓", "✔", "☑", "x", "yes", "y", "true", "t", "1", "●", "•", "*"})
EMPTY_SHARES = (0.02, 0.98)
FEWEST_OPTIONS = 3
_FEWEST_CELLS = 2
_ABSENT = "no"

_Typed = Mapping[str, tuple[Column | None, list[Note]]]


def with_ticks(
    typed: _Typed, source: Source, decimal: str | None
) -> dict[str, tuple[Column | None, list[Note]]]:
    """The columns, those with a tick or nothing in each cell as two categories, and what to say of them.

    The only value is a tick, or a word of the column's own name, or three columns or more are of this form,
    with other words and other empty cells, as surveys have one for each option. Other columns with one value
    stay as they are, with a note that empty cells are missing.

    >>> source = Source({"Member": ["✓", None, "✓", None]}, "a dict")
    >>> member = Column("Member", Kind.CATEGORICAL, np.zeros(4, np.int32), np.arange(4) % 2 == 1, ("✓",))
    >>> column, notes = with_ticks({"Member": (member, [])}, source, None)["Member"]
    >>> [column.labels[code] for code in column.values]
    ['✓', 'no', '✓', 'no']
    >>> print(notes[0])
    'Member': empty cells count as 'no' beside '✓'; missing=[''] keeps them missing
    """
    alone = {
        name: found
        for name, (column, _) in typed.items()
        if column is not None
        and _may_be_alone(column)
        and (found := _Alone.of(column, cells_of(source.columns[name], decimal))) is not None
    }
    words = {found.word: found.is_empty.tobytes() for found in alone.values() if found.is_word}
    are_options = len(set(words.values())) >= FEWEST_OPTIONS
    read = dict(typed)
    for name, found in alone.items():
        column, notes = typed[name]
        if found.is_tick:
            read[name] = found.column, [*notes, Note(name, (_said(Code.EMPTY_IS_NO, word=found.word),))]
        elif found.is_word and (are_options or found.is_named):
            read[name] = found.column, [*notes, Note(name, (_said(Code.EMPTY_IS_NO_BESIDE_WORD),))]
        else:
            read[name] = column, [*notes, Note(name, (remark(Code.CONSTANT_BESIDE_EMPTY),))]
    return read


def _said(code: Code, word: str | None = None) -> Remark:
    return remark(code, word=word, option=Option("missing", ("",)))


def _may_be_alone(column: Column) -> bool:
    """Whether some cells are missing and the others are one category."""
    if column.kind is not Kind.CATEGORICAL or column.is_missing is None:
        return False
    present = column.present
    return len(present) >= _FEWEST_CELLS and bool((present == present[0]).all())


@dataclass(frozen=True, slots=True, eq=False)
class _Alone:
    """A column of text with one value, some of its cells empty; marks such as NA are missing."""

    name: str
    word: str
    is_empty: NDArray[np.bool_]
    is_missing: NDArray[np.bool_]

    @staticmethod
    def of(column: Column, cells: Any) -> _Alone | None:
        """None where the column is no text, or too few or too many of its cells are empty."""
        import pyarrow.compute as pc

        if not isinstance(cells, TextCells) or column.is_missing is None:
            return None
        distinct, row = cells.distinct, int(column.is_missing.argmin())
        is_blank = is_true(pc.equal(stripped(distinct.texts), text_scalar("")))
        # The last is for the code -1, which is null.
        is_empty = np.append(is_blank, True)[distinct.codes] & column.is_missing
        low, high = EMPTY_SHARES
        if np.count_nonzero(is_empty) < _FEWEST_CELLS or not low <= is_empty.mean() <= high:
            return None
        word = distinct.texts[int(distinct.codes[row])].as_py().strip()
        return _Alone(column.name, word, is_empty, column.is_missing & ~is_empty)

    @property
    def is_tick(self) -> bool:
        return self.word.casefold() in TICKS

    @property
    def is_word(self) -> bool:
        """Whether the value has a letter, and is no word for no or for a missing value."""
        is_other = self.word.casefold() in NO or self.word in MISSING_AMONG_NUMBERS
        return not is_other and any(map(str.isalpha, self.word))

    @property
    def is_named(self) -> bool:
        """Whether the value stands in the column's name, as whole words."""
        pattern = rf"(?<![^\W_]){re.escape(self.word.casefold())}(?![^\W_])"
        return re.search(pattern, self.name.casefold()) is not None

    @property
    def column(self) -> Column:
        is_missing = self.is_missing if self.is_missing.any() else None
        labels = (self.word, _ABSENT)
        return Column(self.name, Kind.CATEGORICAL, self.is_empty.astype(np.int32), is_missing, labels)
