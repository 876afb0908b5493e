"""Rows of totals at the end of text files, found before any row is summed up.

A file whose last row is called a total is read once more: all numbers above tell whether it sums them up.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import strings_of
from bychance.columns import Column
from bychance.io.below import Above, Totals, is_called_total, is_near, is_sum_or_mean
from bychance.io.infer import column_of
from bychance.io.wishes import Wishes
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note
from bychance.names import display_name
from bychance.streaming.sources import StreamSource
from bychance.streaming.text_parts import TextPart

__all__ = ["without_totals"]

_UNREADABLE = (ValueError, TypeError, NotImplementedError, OverflowError)


def without_totals(source: StreamSource, wishes: Wishes) -> StreamSource:
    """The source without the last rows of text files that sum up those above, and with a note on these."""
    parts, notes = list(source.parts), list(source.notes)
    found: dict[str, Totals] = {}
    for number, part in enumerate(source.parts):
        if not isinstance(part, TextPart) or not part.last_rows:
            continue
        totals = _totals_of(part, wishes, source.decimal)
        if totals is not None:
            found[display_name(part.name)] = totals
            parts[number] = replace(part, n_totals=len(totals.called))
    if len(parts) == 1:
        notes += [totals.note for totals in found.values()]
    elif found:
        first = next(iter(found))
        notes.append(Note.on_table(Code.TOTALS_OF_FILES, n=len(found), file=first, option=KEEP_ALL_ROWS))
    return replace(source, parts=tuple(parts), notes=tuple(notes)) if found else source


def _totals_of(part: TextPart, wishes: Wishes, decimal: str | None) -> Totals | None:
    """The last rows of a file that sum up those above."""
    import pyarrow.compute as pc

    called = _called_totals(part)
    n_so_called = np.zeros(len(called), dtype=np.int64)
    tallies = {
        name: _Tally([_number(row[k], name, wishes, decimal) for row in part.last_rows])
        for k, name in enumerate(part.names)
        if name not in wishes.drop and wishes.kinds.get(name) is not Kind.CATEGORICAL
    }
    for batch in part.batches(list(part.names)):
        n_so_called += [
            pc.sum(pc.is_in(batch.column(name), value_set=strings_of(cells))).as_py() or 0
            for name, cells in called
        ]
        read = {name: _numbers(batch.column(name), name, wishes, decimal) for name in tallies}
        tallies = {name: tallies[name].add(column) for name, column in read.items() if column is not None}
    for (_, cells), n in zip(called, n_so_called.tolist(), strict=True):
        count = len(cells)
        summed = [
            {name for name, tally in tallies.items() if tally.sums_up(count, row)} for row in range(count)
        ]
        if n == count and all(summed):
            return Totals(cells, tuple(name for name in tallies if any(name in names for names in summed)))
    return None


def _called_totals(part: TextPart) -> list[tuple[str, tuple[str, ...]]]:
    """In which columns the last rows, or the last one, are called totals, and what they are called."""
    found = [
        (name, tuple(row[k] for row in part.last_rows[-count:]))
        for count in range(len(part.last_rows), 0, -1)
        for k, name in enumerate(part.names)
    ]
    return [
        (name, cells)
        for name, cells in found
        if len(set(cells)) == len(cells) and all(map(is_called_total, cells))
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Tally:
    """What the numbers of a column come down to; `targets` are those of the last rows, NaN for none."""

    targets: list[float]
    n: int = 0
    total: float = 0.0
    n_other_than_0: int = 0
    n_near: tuple[int, ...] = ()
    last: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def add(self, column: Column) -> _Tally:
        """That of more rows."""
        values = column.values.astype(np.float64)
        if column.is_missing is not None:
            values[column.is_missing] = np.nan
        more = [Above.of(column.present.astype(np.float64), target) for target in self.targets]
        before = self.n_near or (0,) * len(more)
        return _Tally(
            self.targets,
            self.n + more[0].n,
            self.total + more[0].total,
            self.n_other_than_0 + more[0].n_other_than_0,
            tuple(n + above.n_near for n, above in zip(before, more, strict=True)),
            np.concatenate([self.last, values])[-len(self.targets) :],
        )

    def sums_up(self, count: int, row: int) -> bool:
        """Whether what stands in a row of the last so many is the sum or the mean of all above these."""
        last, target = self.last[-count:], self.targets[-count:][row]
        if len(self.last) < count or last[row] != target:
            return False
        present = last[~np.isnan(last)]
        above = Above(
            self.n - len(present),
            self.total - float(present.sum()),
            self.n_other_than_0 - int(np.count_nonzero(present)),
            self.n_near[-count:][row] - int(np.count_nonzero(is_near(present, target))),
        )
        return is_sum_or_mean(target, above)


def _numbers(values: Any, name: str, wishes: Wishes, decimal: str | None) -> Column | None:
    """Cells as numbers; None where one is none, and for dates."""
    wished = replace(wishes, kinds={name: Kind.NUMERIC}, merge=frozenset())
    try:
        column = column_of(values, name, wished, decimal)
    except _UNREADABLE:
        return None
    return column if column.clock is None else None


def _number(cell: str, name: str, wishes: Wishes, decimal: str | None) -> float:
    column = _numbers(strings_of([cell]), name, wishes, decimal)
    is_there = column is not None and column.is_missing is None
    return float(column.values[0]) if column is not None and is_there else np.nan
