"""Order in time: whether the rows follow a date or an index and resemble their neighbors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.measures.ordering import order_values
from bychance.names import display_name
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.table import Note, Table
from bychance.wording import LIMITS_OF_ROWS

__all__ = ["TimeOrder", "neighbor_agreement", "neighbor_correlation", "note_of_blocks", "time_order_of"]

_FEWEST_ROWS, _MOST_ROWS, _MOST_COLUMNS = 30, 5_000, 200
_SHORTEST_SERIES = 5  # rows on average, so that dates in random order are none
_ALIKE, _DEVIATIONS = 0.3, 4.0
_NAMED = 3
_FEW_BLOCKS = 6  # whose orders leave no small p-value
_FEWEST_OTHERS = 10  # rows outside the most common category: fewer may meet by chance


@dataclass(frozen=True, slots=True)
class TimeOrder:
    """The column that the rows follow, in how many series, and the columns that resemble their neighbors."""

    clock: str
    n_series: int
    alike: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those between which chance gives more than permutations of single rows show."""
        return (self.clock, *self.alike)

    @property
    def caution(self) -> str:
        """What a verdict adds where it counts a pair of these."""
        follow = f"rows follow {display_name(self.clock, 40)} and resemble their neighbors"
        return f"Caution: {follow}, so that chance gives more than that."

    @property
    def note(self) -> Note:
        """What it means, and which option helps."""
        clock = display_name(self.clock, 40)
        order = (
            f"rows are in the order of {clock}"
            if self.n_series == 1
            else f"rows are {self.n_series:,} series in the order of {clock}"
        )
        shown = ", ".join(display_name(name, 40) for name in self.alike[:_NAMED])
        more = f" and {len(self.alike) - _NAMED:,} more" if len(self.alike) > _NAMED else ""
        resemble = "resembles its" if len(self.alike) == 1 else "resemble their"
        return Note(
            None,
            f"{order}, and {shown}{more} {resemble} neighbors: rows are not exchangeable, so p and q are "
            "too small and limits too narrow; bc.Permutation(block=…) permutes blocks of rows",
        )


def note_of_blocks(null: NullSpec, n_rows: int) -> Note | None:
    """What blocks and groups of rows do not mend: limits come from rows, as if these were independent."""
    if not isinstance(null, Permutation) or not null.is_restricted:
        return None
    if null.block is None:
        return Note(None, f"p and q permute within groups; {LIMITS_OF_ROWS}")
    n_blocks = math.ceil(n_rows / null.block)
    if n_blocks > _FEW_BLOCKS:
        return Note(None, f"p and q permute blocks; {LIMITS_OF_ROWS}")
    orders = math.factorial(n_blocks)
    few = f"p and q permute {n_blocks} blocks, in {orders:,} orders: p is about {1 / orders:.2g} at least"
    return Note(None, f"{few}; {LIMITS_OF_ROWS}")


def time_order_of(table: Table, used: Sequence[int], target: str | None, null: NullSpec) -> TimeOrder | None:
    """The order of the rows, where they follow a date or index and both sides of a pair resemble neighbors.

    `used` are the positions of the columns that are paired. A null that permutes blocks or within groups has
    been told already.
    """
    if table.n_rows < _FEWEST_ROWS or (isinstance(null, Permutation) and null.is_restricted):
        return None
    series = ((k, _series_of(column)) for k, column in enumerate(table.columns))
    clock, series_of_rows = next(((k, rows) for k, rows in series if rows is not None), (None, None))
    if clock is None or series_of_rows is None:
        return None
    columns = [table.columns[k] for k in used[:_MOST_COLUMNS] if k != clock]
    alike = [column.name for column in columns if _resembles_neighbors(column, series_of_rows)]
    # A clock resembles its neighbors more than any.
    n_alike = len(alike) + (clock in used)
    if n_alike < 2 or not alike or (target is not None and target not in alike):
        return None
    return TimeOrder(table.columns[clock].name, int(series_of_rows[-1]) + 1, tuple(alike))


def _series_of(column: Column) -> NDArray[np.int64] | None:
    """Of each row which series it is in: a new one begins where dates go back, or an index starts again.

    None where the column is neither, goes back too often, or stands still more often than not: such rows are
    sorted, and no series. An index counts by equal steps.
    """
    if column.kind is not Kind.NUMERIC or column.is_missing is not None:
        return None
    if column.clock is None and column.values.dtype.kind not in "iu":
        return None
    steps = np.diff(column.values.astype(np.float64))
    is_back = steps < 0
    onward = steps[~is_back]
    n_series = int(is_back.sum()) + 1
    if n_series * _SHORTEST_SERIES > len(column) or 2 * np.count_nonzero(onward) < len(onward):
        return None
    if column.clock is None and not (onward == onward[0]).all():
        return None
    return np.concatenate([[0], np.cumsum(is_back)])


def _resembles_neighbors(column: Column, series: NDArray[np.int64]) -> bool:
    """Whether the agreement with the next row is clear: at least 0.3, and 4 standard errors."""
    present = column.present[:_MOST_ROWS]
    if len(present) < _FEWEST_ROWS:
        return False
    of_present = (series if column.is_missing is None else series[~column.is_missing])[:_MOST_ROWS]
    if column.kind is Kind.NUMERIC:
        alike = neighbor_correlation(present.astype(np.float64), of_present)
    else:
        alike = neighbor_agreement(present.astype(np.int64), of_present)
    return alike > max(_ALIKE, _DEVIATIONS / math.sqrt(len(present)))


def neighbor_correlation(values: NDArray[np.float64], series: NDArray[np.int64]) -> float:
    """The rank correlation of each value with the next one of its series; 0 for a constant.

    >>> one, rising = np.zeros(100, dtype=np.int64), np.arange(100.0)
    >>> neighbor_correlation(rising, one) > 0.9, neighbor_correlation(rising % 2, one) < -0.9
    (True, True)
    """
    ranks = order_values(values).midranks
    codes = series - series[0]
    counts = np.bincount(codes)
    ranks = ranks - (np.bincount(codes, ranks) / np.maximum(counts, 1))[codes]
    whole = float(ranks @ ranks)
    is_within = codes[1:] == codes[:-1]
    return float((ranks[1:] * ranks[:-1])[is_within].sum()) / whole if whole > 0 else 0.0


def neighbor_agreement(codes: NDArray[np.int64], series: NDArray[np.int64]) -> float:
    """Cohen's κ of each category with the next one of its series; 0 where the rows were sorted by it.

    >>> one, days = np.zeros(90, dtype=np.int64), np.arange(90)
    >>> neighbor_agreement(days // 10 % 3, one) > 0.8, neighbor_agreement(days // 30, one)
    (True, 0.0)
    """
    n_runs = 1 + np.count_nonzero(np.diff(codes))
    counts = np.bincount(codes)
    if n_runs == np.count_nonzero(counts) or len(codes) - counts.max() < _FEWEST_OTHERS:
        return 0.0
    is_within = series[1:] == series[:-1]
    n_equal = np.count_nonzero((codes[1:] == codes[:-1]) & is_within)
    sizes = np.unique(series, return_counts=True)[1]
    in_series = np.unique(np.column_stack([series, codes]), axis=0, return_counts=True)
    same = np.bincount(
        np.unique(in_series[0][:, 0], return_inverse=True)[1], in_series[1] * (in_series[1] - 1.0)
    )
    # A series of m rows has m − 1 neighbors, each equal with probability Σ c(c − 1) / m(m − 1).
    expected, n_neighbors = float((same / sizes).sum()), int(is_within.sum())
    return float(n_equal - expected) / (n_neighbors - expected) if expected < n_neighbors else 0.0
