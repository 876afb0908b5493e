"""Blocks of pairs of a streamed table: closed forms from the sums of all rows.

In:  Sums of all rows, and the sampled rows as columns.
Out: the traces of the pairs, as columns in memory would give them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import Column
from bychance.given.covariates import Covariates
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.base import Matrix, Trace
from bychance.moments.complete import DISTINCT_LIMIT, moments_of
from bychance.moments.counted_table import CountedTable
from bychance.moments.groups import of_groups
from bychance.moments.missing import PowerSums, figures_of_sums, of_figures
from bychance.moments.row_sums import Sums
from bychance.moments.statistics import PairStatistics, invariants_of_lines
from bychance.moments.tables import of_tables
from bychance.nulls.laws import Laws
from bychance.ranking.at_once.closed_form import Others, Sides
from bychance.ranking.at_once.streamed_given import given_of_sums
from bychance.streaming.closer_sums import MAX_CANCELLATION

__all__ = [
    "StreamedSides",
    "are_duplicates",
    "has_sums_for",
    "label_of",
    "numeric_of",
    "shared_counts",
    "shared_sizes",
    "table_of",
    "varies",
]

Indices = NDArray[np.intp]

_ALIKE_ROWS = 10_000  # of the sample, enough to tell a value that many rows have


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamedSides(Sides):
    """Columns on either side by their sums over all rows; the columns themselves hold a sample."""

    sums: Sums

    def trace_rows(self, form: Trace) -> PairStatistics:
        """tr(A·B) of each pair; pairs whose sums say too little are marked as degenerate."""
        if form.x is form.y is Matrix.LINE:
            return self._lines()
        if Matrix.LINE not in (form.x, form.y):
            return self._tables("indicator" if form.y is Matrix.INDICATOR else "projector")
        labels_are_x = form.y is Matrix.LINE
        is_indicator = Matrix.INDICATOR in (form.x, form.y)
        return self._mixed("indicator" if is_indicator else "projector", labels_are_x=labels_are_x)

    def fewest_others(self, n: NDArray[np.int64]) -> Others:
        """As of columns in memory, by the rows at the center of a column or in its largest group."""
        x, y = (
            self.memory.of("alike", side, lambda columns: _rows_alike(self.sums, columns))[places]
            for side, places in ((self.x, self.first), (self.y, self.second))
        )
        return np.maximum(n - x, 0), np.maximum(n - y, 0)

    def apart(self, form: Trace, found: PairStatistics) -> Others:
        """Sums tell no lumps but one value."""
        return self.fewest_others(found.n)

    def given_statistics(self, measure: Measure[Any], covariates: Covariates) -> PairStatistics | None:
        """What the sums of all rows say of the pairs beyond covariates."""
        n = shared_counts(self.sums, self.x, self.y)[self.first, self.second]
        sides, pairs = (self.x, self.y), (self.first, self.second)
        return given_of_sums(measure, covariates, self.sums, sides, pairs, np.stack(self.fewest_others(n)))

    def may_have_few_arrangements(self, n: NDArray[np.int64]) -> NDArray[np.bool_]:
        """None: there are no rows at hand to arrange."""
        return np.zeros(len(n), dtype=np.bool_)

    def log_floor(
        self, nulls: Laws, n: NDArray[np.int64], observed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The log of one over the number of arrangements of so many rows."""
        return np.asarray(-special.gammaln(n + 1.0))

    def _lines(self) -> PairStatistics:
        x, y = (np.array([numeric_of(self.sums, column) for column in side]) for side in (self.x, self.y))
        counts = self.sums.counts.astype(np.float64)
        figures, is_sound = _figures(self.sums, x, y, self.first, self.second)
        for k in np.flatnonzero(~is_sound).tolist() if self.sums.closer else []:
            names = self.x[self.first[k]].name, self.y[self.second[k]].name
            closer = self.sums.closer.get(frozenset(names))
            if closer is not None:
                own = [np.array([closer.names[0].index(name)]) for name in names]
                figures[k], is_sound[k] = (
                    found[0] for found in _figures(closer, *own, *np.zeros((2, 1), int))
                )
        distinct = [np.array([self.sums.lines.n_distinct(k) for k in side]) for side in (x, y)]
        is_sound &= (distinct[0][self.first] > 1) & (distinct[1][self.second] > 1)
        figures[~is_sound, 0] = np.nan
        n = counts[x[self.first], y[self.second]].astype(np.int64)
        limits = np.stack([distinct[0][self.first], distinct[1][self.second]])
        return of_figures(n, figures, np.where(limits > 2, DISTINCT_LIMIT, limits))

    def _mixed(self, form: Literal["indicator", "projector"], *, labels_are_x: bool) -> PairStatistics:
        sides = ((self.x, self.first), (self.y, self.second))
        (labels, first), (numbers, second) = sides if labels_are_x else sides[::-1]
        own = np.array([numeric_of(self.sums, column) for column in numbers])[second]
        found: list[Any] = [None] * len(first)
        for i in np.unique(first).tolist():
            at = np.flatnonzero(first == i)
            traces = _group_traces(self.sums, label_of(self.sums, labels[i]), own[at], form)
            for k, each in zip(at.tolist(), traces, strict=True):
                found[k] = each
        *figures, is_sound = (np.array(each) for each in zip(*found, strict=True))
        rows = of_groups(*figures, labels_are_x=labels_are_x)
        return replace(rows, is_degenerate=rows.is_degenerate | ~is_sound)

    def _tables(self, y_form: Literal["indicator", "projector"]) -> PairStatistics:
        pairs = [
            (label_of(self.sums, self.x[i]), label_of(self.sums, self.y[j]))
            for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True)
        ]
        found: list[Any] = [None] * len(pairs)
        before: tuple[int, int] | None = None
        table: CountedTable | None = None
        # Both directions of a pair in turn: the second is the first, flipped.
        for k in sorted(range(len(pairs)), key=lambda k: sorted(pairs[k])):
            if table is not None and pairs[k][::-1] == before:
                table = table.flipped()
            else:
                table = _table(self.sums, *pairs[k])
            before = pairs[k]
            value = table.sum("gain" if y_form == "indicator" else "contingency") if table.n else 0.0
            a, b = _partition(table.rows, "projector"), _partition(table.columns, y_form)
            least = (int(sizes.min()) if len(sizes) else 0 for sizes in (table.rows, table.columns))
            found[k] = value, a, b, table.n, len(table.rows), len(table.columns), *least
        traces, *others = (np.array(each) for each in zip(*found, strict=True))
        return of_tables(traces, (others[0], others[1]), *others[2:])


def _figures(
    sums: Sums, x: Indices, y: Indices, first: Indices, second: Indices
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Correlations and moments of pairs of these numeric columns, and whether rounding cannot show."""
    lines, powers = sums.lines, np.arange(sums.lines.powers.shape[1])
    own = PowerSums(
        sums.counts[np.ix_(x, y)].astype(np.float64),
        lines.powers[np.ix_(y, powers, x)],
        lines.powers[np.ix_(x, powers, y)],
        lines.cross[np.ix_(x, y)],
        np.arange(len(x)),
        np.arange(len(y)),
    )
    return figures_of_sums(own, first, second, MAX_CANCELLATION)


def has_sums_for(form: object) -> bool:
    """Whether sums over rows give a measure of this algebra for whole blocks."""
    return isinstance(form, Trace) and form.x is not Matrix.RANKS


def shared_counts(sums: Sums, x: Sequence[Column], y: Sequence[Column]) -> NDArray[np.int64]:
    """How many rows every column of x shares with every one of y."""
    places = [[_mask(sums, column) for column in side] for side in (x, y)]
    return sums.counts[np.ix_(*places)]


def are_duplicates(sums: Sums, x: Column, y: Column) -> bool | None:
    """Whether two categorical columns are one, renamed; None where the sampled rows must tell."""
    if not (x.kind is y.kind is Kind.CATEGORICAL and sums.tables):
        return None
    return table_of(sums, x, y).is_one_to_one


def varies(sums: Sums, column: Column) -> bool:
    """Whether a column has more than one value."""
    if column.name in sums.names[0]:
        return sums.lines.n_distinct(numeric_of(sums, column)) > 1
    return len(sums.dictionaries[label_of(sums, column)]) > 1


def _group_traces(
    sums: Sums, label: int, numbers: Indices, form: Literal["indicator", "projector"]
) -> Iterator[tuple[Any, ...]]:
    """Rows, trace, invariants of groups and line, groups, values, and whether the sums say enough.

    Of one categorical column with each of these numeric ones.
    """
    own = sums.lines.powers[len(sums.names[0]) + label][:, numbers].T
    group = sums.groups[label]
    sizes = np.ascontiguousarray((group.sizes[:, np.newaxis] - group.missing[:, numbers]).T)
    totals = np.ascontiguousarray(group.sums[:, numbers].T)
    counts = sizes.sum(axis=1)
    m = moments_of(own, np.maximum(counts, 1).astype(np.float64), MAX_CANCELLATION)
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = (totals - sizes * m.mean[:, np.newaxis]) / m.norm[:, np.newaxis]
        squares = totals**2 / np.maximum(sizes, 1) if form == "projector" else totals**2
        traces = squares.sum(axis=1)
        lines = invariants_of_lines(np.stack([m.third, m.fourth, m.sixth], axis=1))
    for k, number in enumerate(numbers.tolist()):
        names = frozenset((sums.names[1][label], sums.names[0][number]))
        closer = None if m.is_sound[k] else sums.closer.get(names)
        if closer is not None:
            yield from _group_traces(closer, 0, np.zeros(1, dtype=np.intp), form)
            continue
        n, present, values = int(counts[k]), sizes[k][sizes[k] > 0], sums.lines.n_distinct(number)
        if n < 3 or values < 2 or not m.is_sound[k]:
            yield n, 0.0, np.zeros(8), np.zeros(8), len(present), values, values < 2
        else:
            yield n, traces[k], _partition(present, form), lines[k], len(present), values, True


def shared_sizes(sums: Sums, label: int, number: int) -> NDArray[np.int64]:
    """How many rows of each category a numeric column has."""
    group = sums.groups[label]
    return group.sizes - group.missing[:, number]


def _partition(sizes: NDArray[np.int64], form: Literal["indicator", "projector"]) -> NDArray[np.float64]:
    if not len(sizes):
        return np.zeros(8)
    return _native.partition_invariants(sizes, 1.0 / sizes if form == "projector" else np.ones(len(sizes)))


def _rows_alike(sums: Sums, columns: Sequence[Column]) -> NDArray[np.int64]:
    return np.array([_most_alike(sums, column) for column in columns], dtype=np.int64)


def _most_alike(sums: Sums, column: Column) -> int:
    """At most how many rows have one value: counted where most do or categories are, else by the sample."""
    present = int(np.diag(sums.counts)[_mask(sums, column)])
    if column.name in sums.names[1] and sums.groups and len(sums.groups[label_of(sums, column)].sizes):
        return int(sums.groups[label_of(sums, column)].sizes.max())
    if column.name in sums.names[0]:
        at_center = int(sums.lines.zeros[numeric_of(sums, column)])
        if at_center > present // 2:
            return at_center
    present_here = column.present
    in_sample = np.unique(present_here[:: 1 + len(present_here) // _ALIKE_ROWS], return_counts=True)[1]
    most = int(in_sample.max(initial=0))
    # Five standard errors more than the sample has.
    share = (most + 5 * np.sqrt(most) + 5) / max(int(in_sample.sum()), 1)
    return min(present // 2, int(np.ceil(share * present)))


def table_of(sums: Sums, x: Column, y: Column) -> CountedTable:
    """The contingency table of two categorical columns."""
    return _table(sums, label_of(sums, x), label_of(sums, y))


def _table(sums: Sums, a: int, b: int) -> CountedTable:
    table = CountedTable(sums.tables[min(a, b), max(a, b)])
    return table if a < b else table.flipped()


def _mask(sums: Sums, column: Column) -> int:
    numeric, labels = sums.names
    return numeric.index(column.name) if column.name in numeric else len(numeric) + labels.index(column.name)


def numeric_of(sums: Sums, column: Column) -> int:
    """The place of a numeric column among those of the sums."""
    return sums.names[0].index(column.name)


def label_of(sums: Sums, column: Column) -> int:
    """The place of a categorical column among those of the sums."""
    return sums.names[1].index(column.name)
