"""Order in time: whether rows resemble their neighbors, in the order of a date, an index or the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.io import Table
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.ranking.planning.clocks import Clock, clocks_of, shuffled_clocks_of
from bychance.ranking.planning.neighbors import (
    FEWEST_OTHERS,
    SHUFFLED,
    agreement_of_steps,
    correlation_of_steps,
    neighbor_agreement,
    neighbor_correlation,
    without_means,
)
from bychance.ranking.planning.sorted_rows import SortedRows, sorted_rows_of

__all__ = ["TimeOrder", "note_of_blocks", "time_order_of"]

_FEWEST_ROWS, _MOST_ROWS, _MOST_COLUMNS, _MOST_CLOCKS = 30, 5_000, 200, 3
_ALIKE, _DEVIATIONS = 0.3, 4.0
_STEPS_ALIKE = 0.2  # beyond −1/2: an autocorrelation of 0.4
_MUCH_ALIKE, _MOSTLY_SAME = 0.75, 0.5  # correlation and agreement; of rows listed by kind they are below
_NAMED = 3
_FEW_BLOCKS = 6  # whose orders leave no small p-value


@dataclass(frozen=True, slots=True)
class TimeOrder:
    """The columns that resemble their neighbors, in the order of which column and in how many series.

    `clock` is None where no column says the order: it is that of the rows. `is_shuffled` where the rows are
    not in the order of the clock. `sorted_by` are the columns that rise or fall all along.
    """

    clock: str | None
    n_series: int
    alike: tuple[str, ...]
    target: str | None = None
    is_shuffled: bool = False
    sorted_by: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those between which chance gives more than permutations of single rows show."""
        clock = () if self.clock is None else (self.clock,)
        return tuple(dict.fromkeys((*clock, *self.alike, *self.sorted_by)))

    @property
    def caution(self) -> str:
        """What a verdict adds where it counts a pair of these."""
        resemble = f"neighboring rows resemble each other in {self._names()}"
        if self.clock is not None:
            clock = display_name(self.clock, 40)
            resemble = f"rows follow {clock} and resemble their neighbors"
            if self.is_shuffled:
                resemble = f"in the order of {clock} rows resemble their neighbors"
        return f"Caution: {resemble}, so that chance gives more than that."

    @property
    def note(self) -> Note:
        """What it means, and which option helps."""
        blocks = Option("block", OPEN)
        if self.clock is None:
            return Note.on_table(Code.NEIGHBORS_ALIKE, columns=tuple(self._target_first()), option=blocks)
        return Note.on_table(
            Code.ROWS_SHUFFLED if self.is_shuffled else Code.ROWS_IN_ORDER,
            clock=self.clock,
            n_series=self.n_series if self.n_series > 1 else None,
            columns=self.alike,
            n=len(self.alike),
            option=blocks,
        )

    def _target_first(self) -> list[str]:
        return sorted(self.alike, key=lambda name: name != self.target)

    def _names(self) -> str:
        """The columns in words, the target first."""
        names = self._target_first()
        n_more = len(names) - _NAMED
        shown = [display_name(name, 40) for name in names[:_NAMED]]
        return in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))


def note_of_blocks(null: NullSpec, n_rows: int) -> Note | None:
    """What blocks and groups of rows do not mend: limits come from rows, as if these were independent."""
    if not isinstance(null, Permutation) or not null.is_restricted:
        return None
    if null.block is None:
        return Note.on_table(Code.PERMUTED_IN_GROUPS)
    n_blocks = math.ceil(n_rows / null.block)
    if n_blocks > _FEW_BLOCKS:
        return Note.on_table(Code.PERMUTED_IN_BLOCKS)
    orders = math.factorial(n_blocks)
    return Note.on_table(Code.PERMUTED_IN_FEW_BLOCKS, n=n_blocks, n_orders=orders, smallest=1 / orders)


def time_order_of(table: Table, used: Sequence[int], target: str | None, null: NullSpec) -> TimeOrder | None:
    """The order in which both sides of a pair resemble their neighbors: of a clock, or of the rows.

    `used` are the positions of the columns that are paired. A null that permutes blocks or within groups has
    been told already.
    """
    if table.n_rows < _FEWEST_ROWS or (isinstance(null, Permutation) and null.is_restricted):
        return None
    if target is not None:
        used = [table.position(target), *(k for k in used if k != table.position(target))]
    clocks = list(islice(clocks_of(table), _MOST_CLOCKS))
    for clock in clocks:
        if clock.is_time and (found := _in_order_of(clock, table, used, target)):
            return found
    if found := _in_order_of_rows(table, used, target, clocks):
        return found
    known = {clock.position for clock in clocks}
    shuffled = (clock for clock in shuffled_clocks_of(table) if clock.position not in known)
    return next(
        filter(None, (_in_order_of(c, table, used, target) for c in islice(shuffled, _MOST_CLOCKS))), None
    )


def _in_order_of(clock: Clock, table: Table, used: Sequence[int], target: str | None) -> TimeOrder | None:
    """Resemblance to the next row by the clock: any, where it counts time; else as in a series."""
    rows = slice(_MOST_ROWS) if clock.order is None else clock.order[:_MOST_ROWS]
    others = [table.columns[k] for k in sorted(used[:_MOST_COLUMNS]) if k != clock.position]
    # A clock resembles its neighbors more than any.
    n_needed = 1 if clock.is_time and clock.position in used else 2
    resembles = _resembles_neighbors if clock.is_time else _is_serial
    series = clock.series[:_MOST_ROWS]
    alike = _alike(others, target, n_needed, lambda column: resembles(column.at(rows), series))
    if not alike:
        return None
    name, n_series = table.columns[clock.position].name, int(clock.series[-1]) + 1
    sorted_by = _names(table, _sorted(table, rows, series * 0).columns)
    return TimeOrder(name, n_series, alike, target, clock.order is not None, sorted_by)


def _in_order_of_rows(
    table: Table, used: Sequence[int], target: str | None, clocks: Sequence[Clock]
) -> TimeOrder | None:
    """Resemblance as in a series, beyond what comes of sorting the rows by columns of the table.

    Clocks that may not count time, such as a number of the row, give the order its name.
    """
    rows, clock = slice(_MOST_ROWS), next((clock for clock in clocks if not clock.is_time), None)
    in_series = (clock.series for clock in clocks if clock.series[-1])
    series = next(in_series, np.zeros(table.n_rows, dtype=np.int64))[rows]
    if target is not None and not _is_serial(table[target].at(rows), series):
        return None
    known = _sorted(table, rows, series)
    if known.is_listing:
        return None
    columns = [table.columns[k] for k in sorted(used[:_MOST_COLUMNS]) if k not in known.columns]
    counts_clock = clock is not None and clock.is_whole and clock.position in used
    # With a target one pair is in doubt then; without, one column alone says too little.
    n_needed = 1 if counts_clock and target is not None else 2
    alike = _alike(columns, target, n_needed, lambda c: _is_serial(c.at(rows), known.runs, known.cycles))
    if not alike:
        return None
    name, n_series = (None, 1)
    if clock is not None:
        name, n_series = table.columns[clock.position].name, int(clock.series[-1]) + 1
    sorted_by = _names(table, known.columns | _sorted(table, rows, series * 0).columns)
    return TimeOrder(name, n_series, alike, target, sorted_by=sorted_by)


def _sorted(table: Table, rows: NDArray[np.intp] | slice, series: NDArray[np.int64]) -> SortedRows:
    return sorted_rows_of([column.at(rows) for column in table.columns[:_MOST_COLUMNS]], series)


def _names(table: Table, positions: Iterable[int]) -> tuple[str, ...]:
    return tuple(table.columns[k].name for k in sorted(positions))


def _alike(
    columns: Sequence[Column], target: str | None, n_needed: int, resembles: Callable[[Column], bool]
) -> tuple[str, ...]:
    """The names of those that resemble, where they are enough and the target is among them."""
    if target is not None:
        of_target = [column for column in columns if column.name == target]
        if not of_target or not resembles(of_target[0]):
            return ()
    alike = tuple(column.name for column in columns if column.name == target or resembles(column))
    return alike if len(alike) >= n_needed else ()


def _resembles_neighbors(column: Column, series: NDArray[np.int64]) -> bool:
    """Whether the agreement with the next row is clear: at least 0.3, and 4 standard errors."""
    present, of_present = _present(column, series)
    if len(present) < _FEWEST_ROWS:
        return False
    if column.kind is Kind.NUMERIC:
        alike = neighbor_correlation(present.astype(np.float64), of_present)
    else:
        alike = neighbor_agreement(present.astype(np.int64), of_present)
    return alike > max(_ALIKE, _DEVIATIONS / math.sqrt(len(present)))


def _is_serial(column: Column, series: NDArray[np.int64], cycles: Sequence[NDArray[np.int64]] = ()) -> bool:
    """Whether neighbors resemble each other much, by smaller steps than levels or a trend would leave."""
    present, of_present = _present(column, series)
    _, codes, counts = np.unique(present, return_inverse=True, return_counts=True)
    n_others = len(present) - int(counts.max(initial=0))
    if len(present) < _FEWEST_ROWS or n_others < FEWEST_OTHERS:
        return False
    is_inside = of_present[1:] == of_present[:-1]
    n_known = min(int(np.count_nonzero(is_inside[1:] & is_inside[:-1])), 2 * n_others)
    # The variance is 1/2n for independent rows, by Bartlett's formula.
    least = SHUFFLED + max(_STEPS_ALIKE, _DEVIATIONS * math.sqrt(0.5 / max(n_known, 1)))
    whole = np.zeros(len(present), dtype=np.int64)
    if column.kind is not Kind.NUMERIC:
        is_serial = agreement_of_steps(codes, of_present) > least
        return is_serial and neighbor_agreement(codes, whole) > _MOSTLY_SAME
    ranks = (np.cumsum(counts) - 0.5 * counts)[codes]
    for cycle in cycles:
        ranks = without_means(ranks, _present(column, cycle)[1])
    return (
        correlation_of_steps(ranks, of_present) > least and neighbor_correlation(ranks, whole) > _MUCH_ALIKE
    )


def _present(column: Column, codes: NDArray[np.int64]) -> tuple[NDArray[np.generic], NDArray[np.int64]]:
    """The values that are not missing, and the codes of their rows."""
    return column.present, codes if column.is_missing is None else codes[~column.is_missing]
