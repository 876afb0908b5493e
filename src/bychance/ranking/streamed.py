"""Pairs of a table that was streamed: closed forms from the sums of all rows, draws from a sample of them.

In:  Sums of all rows, and the sampled rows as columns.
Out: the traces of a block's pairs, and single pairs for the stages that work one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import Column
from bychance.kinds import Kind, Role
from bychance.measures import Measure
from bychance.measures.base import is_built_in
from bychance.measures.labels import Labeling
from bychance.measures.matrices import Partition
from bychance.measures.structures import CellSum, Matrix, RootOf, Trace
from bychance.nulls.laws import Laws
from bychance.pair import Memory, Pair, prepare_pair
from bychance.ranking.closed_form import Others, Sides
from bychance.ranking.pearson import DISTINCT_LIMIT, LineFigures, figures_of_sums, invariants_of, moments_of
from bychance.ranking.power_sums import PowerSums
from bychance.ranking.side_memory import SideMemory
from bychance.ranking.trace_rows import TraceRows
from bychance.streaming.cells import CountedTable
from bychance.streaming.sums import Sums

__all__ = ["StreamedSides", "are_duplicates", "has_sums_for", "prepare_streamed", "shared_counts", "varies"]

Indices = NDArray[np.intp]

# Beyond this, rounding of power sums could show in the tenth digit; sums of all rows cannot be taken again.
_MAX_CANCELLATION = 1e5


@dataclass(frozen=True, eq=False)
class StreamedSides(Sides):
    """Columns on either side by their sums over all rows; the columns themselves hold a sample."""

    sums: Sums

    def trace_rows(self, form: Trace) -> TraceRows:
        """tr(A·B) of each pair; pairs whose sums say too little are marked as degenerate."""
        if form.x is form.y is Matrix.LINE:
            return self._lines()
        if Matrix.LINE not in (form.x, form.y):
            return self._tables("indicator" if form.y is Matrix.INDICATOR else "projector")
        labels_are_x = form.y is Matrix.LINE
        is_indicator = Matrix.INDICATOR in (form.x, form.y)
        return self._mixed("indicator" if is_indicator else "projector", labels_are_x=labels_are_x)

    def fewest_others(self, at: Indices, n: NDArray[np.int64]) -> Others:
        """As of columns in memory, by the rows at the center of a column or in its largest group."""
        x, y = (
            self.memory.of("alike", side, lambda columns: _rows_alike(self.sums, columns))[places[at]]
            for side, places in ((self.x, self.first), (self.y, self.second))
        )
        return np.maximum(n - x, 0), np.maximum(n - y, 0)

    def may_have_few_arrangements(self, at: Indices, n: NDArray[np.int64]) -> NDArray[np.bool_]:
        """None: there are no rows at hand to arrange."""
        return np.zeros(len(at), dtype=np.bool_)

    def floored(self, nulls: Laws, at: Indices, n: NDArray[np.int64], observed: NDArray[np.float64]) -> Laws:
        """The same laws, no tail below one over the number of arrangements of so many rows."""
        return nulls.floored(-special.gammaln(n + 1.0))

    def _lines(self) -> TraceRows:
        x, y = (np.array([_numeric(self.sums, column) for column in side]) for side in (self.x, self.y))
        lines, counts = self.sums.lines, self.sums.counts.astype(np.float64)
        sums = PowerSums(
            counts[np.ix_(x, y)],
            lines.powers[np.ix_(y, np.arange(lines.powers.shape[1]), x)],
            lines.powers[np.ix_(x, np.arange(lines.powers.shape[1]), y)],
            lines.cross[np.ix_(x, y)],
            np.arange(len(x)),
            np.arange(len(y)),
        )
        figures, is_sound = figures_of_sums(sums, self.first, self.second, _MAX_CANCELLATION)
        distinct = [np.array([self.sums.lines.n_distinct(k) for k in side]) for side in (x, y)]
        is_sound &= (distinct[0][self.first] > 1) & (distinct[1][self.second] > 1)
        figures[~is_sound, 0] = np.nan
        n = counts[x[self.first], y[self.second]].astype(np.int64)
        limits = np.stack([distinct[0][self.first], distinct[1][self.second]], axis=1)
        return LineFigures(n, figures, np.where(limits > 2, DISTINCT_LIMIT, limits)).to_rows()

    def _mixed(self, form: Literal["indicator", "projector"], *, labels_are_x: bool) -> TraceRows:
        sides = ((self.x, self.first), (self.y, self.second))
        (labels, first), (numbers, second) = sides if labels_are_x else sides[::-1]
        found = [
            _group_trace(self.sums, _label(self.sums, labels[i]), _numeric(self.sums, numbers[j]), form)
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
        n, trace, a, b, n_groups, n_values, is_sound = (np.array(each) for each in zip(*found, strict=True))
        order = slice(None, None, 1 if labels_are_x else -1)
        (x_invariants, y_invariants), (x_distinct, y_distinct) = (a, b)[order], (n_groups, n_values)[order]
        return TraceRows(
            n=n,
            trace=trace,
            sign=None,
            x_invariants=x_invariants,
            y_invariants=y_invariants,
            x_distinct=x_distinct,
            y_distinct=y_distinct,
            is_degenerate=(n < 3) | (n_groups <= 1) | (n_groups == n) | (n_values <= 1) | ~is_sound,
        )

    def _tables(self, y_form: Literal["indicator", "projector"]) -> TraceRows:
        found = []
        for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True):
            table = _table(self.sums, self.x[i], self.y[j])
            value = table.sum("gain" if y_form == "indicator" else "contingency") if table.n else 0.0
            a, b = _partition(table.rows, "projector"), _partition(table.columns, y_form)
            least = (int(sizes.min()) if len(sizes) else 0 for sizes in (table.rows, table.columns))
            found.append((table.n, value, a, b, len(table.rows), len(table.columns), *least))
        n, trace, a, b, x_groups, y_groups, x_smallest, y_smallest = (
            np.array(each) for each in zip(*found, strict=True)
        )
        fewest, most = np.minimum(x_groups, y_groups), np.maximum(x_groups, y_groups)
        return TraceRows(
            n=n,
            trace=trace,
            sign=None,
            x_invariants=a,
            y_invariants=b,
            x_distinct=x_groups,
            y_distinct=y_groups,
            is_degenerate=(n < 3) | (fewest <= 1) | (most == n),
            x_smallest=x_smallest,
            y_smallest=y_smallest,
        )


@dataclass(frozen=True, eq=False)
class SummedLine:
    """A numeric column that is known by its sums: what the nulls need of a line."""

    n: int
    invariants: NDArray[np.float64]
    n_distinct: int
    n_others: int
    is_degenerate: bool
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC
    variation: ClassVar[float] = 1.0
    sizes: ClassVar[NDArray[np.int64]] = np.zeros(0, dtype=np.int64)
    labels: ClassVar[NDArray[np.float64]] = np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamedPair(Pair):
    """A pair by the sums of all rows; what is drawn is drawn from `sampled`, the pair on sampled rows."""

    sampled: Pair
    value: float
    direction: int | None
    has_only_part: ClassVar[bool] = True

    @cached_property
    def observed(self) -> float:
        """The raw value on all rows."""
        return self.value

    @property
    def sign(self) -> int | None:
        """The direction of the relation on all rows."""
        return self.direction

    def part(self, size: int) -> Pair | None:
        """The sampled rows."""
        return self.sampled


def prepare_streamed(
    measure: Measure[Any], x: Column, y: Column, sums: Sums, memory: Memory, *, root: int
) -> Pair:
    """A pair by its sums where the measure is made of them; otherwise on the sampled rows, with a note."""
    sampled = prepare_pair(measure, x, y, memory, root=root)
    n = int(shared_counts(sums, [x], [y])[0, 0])
    if sampled.n < n:
        sampled = replace(sampled, note=f"estimated from {sampled.n:,} of {n:,} rows")
    known = None
    if n >= measure.min_n and is_built_in(type(measure)):
        if x.kind is y.kind is Kind.CATEGORICAL:
            known = _of_table(measure, x, y, sums, sampled)
        elif isinstance(form := measure.algebra(x.kind, y.kind), Trace) and has_sums_for(form):
            known = _of_trace(measure, form, x, y, sums, sampled)
    return sampled if known is None else known


def has_sums_for(form: object) -> bool:
    """Whether sums over rows give a measure of this algebra for whole blocks."""
    return isinstance(form, Trace) and form.x is not Matrix.RANKS


def shared_counts(sums: Sums, x: Sequence[Column], y: Sequence[Column]) -> NDArray[np.int64]:
    """How many rows every column of x shares with every one of y."""
    places = [[_mask(sums, column) for column in side] for side in (x, y)]
    return sums.counts[np.ix_(*places)]


def are_duplicates(sums: Sums, x: Column, y: Column) -> bool | None:
    """Whether two label columns are one, renamed; None where the sampled rows must tell."""
    if not (x.kind is y.kind is Kind.CATEGORICAL and sums.tables):
        return None
    return _table(sums, x, y).is_one_to_one


def varies(sums: Sums, column: Column) -> bool:
    """Whether a column has more than one value."""
    if column.name in sums.names[0]:
        return sums.lines.n_distinct(_numeric(sums, column)) > 1
    return len(sums.dictionaries[_label(sums, column)]) > 1


def _of_table(measure: Measure[Any], x: Column, y: Column, sums: Sums, sampled: Pair) -> Pair | None:
    table = _table(sums, x, y)
    rows, columns = table.rows, table.columns
    if measure.needs_shared_labels:
        table, rows, columns = _with_shared_labels(table, x, y, sums)
    forms = [
        _form(
            measure.prepare(np.zeros(1, dtype=np.int32), role), sizes, is_shared=measure.needs_shared_labels
        )
        for role, sizes in ((Role.X, rows), (Role.Y, columns))
    ]
    if None in forms:
        return None
    structures = measure.structures(*forms)
    value = _value_of(structures, table)
    if value is None:
        return None
    bound = measure.default_bound(*forms)
    n = table.n
    return StreamedPair(
        measure=measure, columns=(x, y), rows=None, n=n, x=forms[0], y=forms[1], root=sampled.root,
        sampled=sampled, value=min(max(value, 0.0), bound), direction=None,
    )  # fmt: skip


def _form(like: Any, sizes: NDArray[np.int64], *, is_shared: bool) -> Any:
    """The prepared variable of a measure with these group sizes and no rows."""
    nothing, n = np.zeros(0, dtype=np.int32), int(sizes.sum())
    if isinstance(like, Partition):
        return Partition(nothing, sizes, like.is_indicator)
    if isinstance(like, Labeling):
        is_degenerate = sizes.max() == n if is_shared else len(sizes) in (1, n)
        return Labeling(nothing, sizes, bool(is_degenerate))
    return None


def _value_of(structures: Sequence[Any], table: CountedTable) -> float | None:
    """What the structures say that the measure is, on this table."""
    for structure in structures:
        if isinstance(structure, RootOf):
            base = _value_of(structure.base, table)
            return None if base is None else float(np.sqrt(max(base * structure.factor, 0.0)))
        if isinstance(structure, CellSum):
            return structure.offset + structure.scale * table.sum(structure.function)
    return None


def _with_shared_labels(
    table: CountedTable, x: Column, y: Column, sums: Sums
) -> tuple[CountedTable, NDArray[np.int64], NDArray[np.int64]]:
    """The table with equal numbers for equal labels, and totals as long as one list of all labels."""
    names = [sums.dictionaries[_label(sums, column)].labels for column in (x, y)]
    numbers: dict[object, int] = {}
    places = [
        np.array([numbers.setdefault(own[k], len(numbers)) for k in labels.tolist()], dtype=np.int64)
        for own, labels in zip(names, (table.x_labels, table.y_labels), strict=True)
    ]
    shared = table.flipped().flipped()
    shared.x_labels, shared.y_labels = places
    totals = [np.zeros(len(numbers), dtype=np.int64) for _ in places]
    totals[0][places[0]], totals[1][places[1]] = table.rows, table.columns
    return shared, totals[0], totals[1]


def _of_trace(
    measure: Measure[Any], form: Trace, x: Column, y: Column, sums: Sums, sampled: Pair
) -> Pair | None:
    one = np.zeros(1, dtype=np.intp)
    sides = StreamedSides([x], [y], one, one, SideMemory(), sums)
    found = sides.trace_rows(form)
    invariants, others = found.invariants_of_pairs(), sides.fewest_others(one, found.n)
    made: list[SummedLine | Partition] = []
    for k, (column, distinct) in enumerate(zip((x, y), (found.x_distinct, found.y_distinct), strict=True)):
        if column.kind is Kind.NUMERIC:
            made.append(
                SummedLine(
                    int(found.n[0]),
                    invariants[k][0],
                    int(distinct[0]),
                    int(others[k][0]),
                    not varies(sums, column),
                )
            )
            continue
        label, number = (column, y) if k == 0 else (column, x)
        sizes = _shared_sizes(sums, _label(sums, label), _numeric(sums, number))
        is_indicator = (form.x, form.y)[k] is Matrix.INDICATOR
        made.append(Partition(np.zeros(0, dtype=np.int32), sizes[sizes > 0], is_indicator))
    first, second = made
    if found.is_degenerate[0] and not (first.is_degenerate or second.is_degenerate):
        return None
    value = 0.0
    if first.n_distinct > 1 and second.n_distinct > 1:
        bound = measure.default_bound(first, second)
        value = float(np.clip(found.trace[0] * form.scale(first.n, second.variation), 0.0, bound))
    direction = None if found.sign is None else int(found.sign[0])
    return StreamedPair(
        measure=measure, columns=(x, y), rows=None, n=int(found.n[0]), x=first, y=second, root=sampled.root,
        sampled=sampled, value=value, direction=direction,
    )  # fmt: skip


def _group_trace(
    sums: Sums, label: int, number: int, form: Literal["indicator", "projector"]
) -> tuple[Any, ...]:
    """Rows, trace, invariants of groups and line, groups, values, and whether the sums say enough."""
    own = sums.lines.powers[len(sums.names[0]) + label, :, [number]]
    sizes = _shared_sizes(sums, label, number)
    n, is_there = int(sizes.sum()), sizes > 0
    m = moments_of(own, np.float64(max(n, 1)), _MAX_CANCELLATION)
    values = sums.lines.n_distinct(number)
    if n < 3 or values < 2 or not m.is_sound[0]:
        return n, 0.0, np.zeros(8), np.zeros(8), int(is_there.sum()), values, values < 2
    totals = (sums.groups[label].sums[is_there, number] - sizes[is_there] * m.mean[0]) / m.norm[0]
    weights = 1.0 / sizes[is_there] if form == "projector" else np.ones(int(is_there.sum()))
    line = invariants_of(np.array([[m.third[0], m.fourth[0], m.sixth[0]]]))[0]
    trace = float(np.sum(weights * totals**2))
    return n, trace, _partition(sizes[is_there], form), line, int(is_there.sum()), values, True


def _shared_sizes(sums: Sums, label: int, number: int) -> NDArray[np.int64]:
    group = sums.groups[label]
    return group.sizes - group.missing[:, number]


def _partition(sizes: NDArray[np.int64], form: Literal["indicator", "projector"]) -> NDArray[np.float64]:
    if not len(sizes):
        return np.zeros(8)
    return _native.partition_invariants(sizes, 1.0 / sizes if form == "projector" else np.ones(len(sizes)))


def _rows_alike(sums: Sums, columns: Sequence[Column]) -> NDArray[np.int64]:
    return np.array([_most_alike(sums, column) for column in columns], dtype=np.int64)


def _most_alike(sums: Sums, column: Column) -> int:
    """At most how many rows have one value: counted where these are most or have labels, else by the sample."""
    present = int(np.diag(sums.counts)[_mask(sums, column)])
    if column.name in sums.names[1] and sums.groups:
        return int(sums.groups[_label(sums, column)].sizes.max(initial=0))
    if column.name in sums.names[0]:
        at_center = int(sums.lines.zeros[_numeric(sums, column)])
        if at_center > present // 2:
            return at_center
    in_sample = np.unique(column.present, return_counts=True)[1]
    most = int(in_sample.max(initial=0))
    # Five standard errors more than the sample has.
    share = (most + 5 * np.sqrt(most) + 5) / max(int(in_sample.sum()), 1)
    return min(present // 2, int(np.ceil(share * present)))


def _table(sums: Sums, x: Column, y: Column) -> CountedTable:
    a, b = _label(sums, x), _label(sums, y)
    table = CountedTable(sums.tables[min(a, b), max(a, b)])
    return table if a < b else table.flipped()


def _mask(sums: Sums, column: Column) -> int:
    numeric, labels = sums.names
    return numeric.index(column.name) if column.name in numeric else len(numeric) + labels.index(column.name)


def _numeric(sums: Sums, column: Column) -> int:
    return sums.names[0].index(column.name)


def _label(sums: Sums, column: Column) -> int:
    return sums.names[1].index(column.name)
