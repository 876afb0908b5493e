"""Single pairs of a streamed table, from the sums over all rows or from the sampled rows.

In:  a measure, two columns of the sample, and the sums.
Out: a Pair for the stages that work one by one. Permutations are drawn on the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IntArray
from bychance.columns import Column, Memory
from bychance.covariates.covariates import Covariates
from bychance.covariates.pair import prepare_given
from bychance.kinds import Kind, Role
from bychance.measures import Measure
from bychance.measures.base import CountedGroups, is_built_in
from bychance.measures.structures import CellSum, Matrix, RootOf, Trace
from bychance.measures.trace import Partition
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.dispatch import statistics
from bychance.moments.from_sums import (
    fewest_others,
    has_sums_for,
    label_of,
    numeric_of,
    shared_counts,
    shared_sizes,
    table_of,
    varies,
)
from bychance.moments.row_sums import RowSums
from bychance.moments.sums_of_pairs import CountedTable
from bychance.pair import Pair, prepare_pair

__all__ = ["prepare_streamed"]

_NO_CODES = np.zeros(0, dtype=np.int32)  # of groups known by their sizes alone


@dataclass(frozen=True, eq=False)
class SummedLine:
    """Numeric column of a stream known only by its sums, with the fields that null distributions need."""

    n: int
    invariants: FloatArray
    n_distinct: int
    n_others: int
    is_degenerate: bool
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC
    variation: ClassVar[float] = 1.0
    sizes: ClassVar[IntArray] = np.zeros(0, dtype=np.int64)
    labels: ClassVar[FloatArray] = np.zeros(0)

    @property
    def n_outside(self) -> int:
        """Number of rows outside the largest cluster of values, which here is the most common value."""
        return self.n_others


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamedPair(Pair):
    """Pair measured from the sums over all rows of a stream.

    Permutations are drawn on `sampled`, the pair on the sampled rows.
    """

    sampled: Pair
    value: float
    direction: int | None
    has_only_part: ClassVar[bool] = True  # the sampled rows

    @cached_property
    def observed(self) -> float:
        """Value of the measure on all rows."""
        return self.value

    @property
    def sign(self) -> int | None:
        """Sign of the relation on all rows, or on the sample if the sums do not give it."""
        return self.sampled.sign if self.direction is None else self.direction

    def part(self, size: int) -> Pair | None:
        """Return the pair on the sampled rows, whatever the `size` asked for."""
        return self.sampled


def prepare_streamed(
    measure: Measure[Any],
    x: Column,
    y: Column,
    sums: RowSums,
    memory: Memory,
    covariates: Covariates | None = None,
    *,
    root: int,
) -> Pair:
    """Prepare a pair of a stream from its sums if they give the measure, otherwise on the sampled rows.

    A pair on fewer rows than the stream has gets a note.
    """
    sampled: Pair
    if covariates is None:
        sampled = prepare_pair(measure, x, y, memory, root=root)
    else:
        sampled = prepare_given(measure, x, y, covariates, memory, root=root)
    n = int(shared_counts(sums, [x], [y])[0, 0])
    if sampled.n < n:
        of_rows = f"estimated from {sampled.n:,} of {n:,} rows"
        sampled = replace(sampled, of_rows=of_rows, note="; ".join(filter(None, (of_rows, sampled.note))))
    known = None
    # A line through ordered levels bends at quintiles of the rows. Few levels are groups without a bend.
    is_bent = measure.bends_levels and x.is_ordered and len(x.labels) > _native.pieces_for(n) + 1
    if covariates is None and n >= measure.min_n and is_built_in(type(measure)) and not is_bent:
        if x.kind is y.kind is Kind.CATEGORICAL:
            known = _of_table(sampled, sums)
        elif isinstance(form := measure.forms.get((x.kind, y.kind)), Trace) and has_sums_for(form, sums):
            known = _of_trace(sampled, form, sums)
    return sampled if known is None else known


def _by_sums(sampled: Pair, n: int, x: Any, y: Any, value: float, direction: int | None) -> StreamedPair:
    return StreamedPair(
        measure=sampled.measure, columns=sampled.columns, rows=None, n=n, x=x, y=y, root=sampled.root,
        sampled=sampled, value=value, direction=direction,
    )  # fmt: skip


def _of_table(sampled: Pair, sums: RowSums) -> Pair | None:
    measure, (x, y) = sampled.measure, sampled.columns
    table = table_of(sums, x, y)
    rows, columns = table.rows, table.columns
    if measure.needs_shared_labels:
        table, rows, columns = _with_shared_labels(table, x, y, sums)
    forms = [measure.prepare(np.zeros(1, dtype=np.int32), role) for role in (Role.X, Role.Y)]
    if not all(isinstance(form, CountedGroups) for form in forms):
        return None
    totals = zip(forms, (rows, columns), strict=True)
    forms = [replace(form, codes=_NO_CODES, sizes=sizes) for form, sizes in totals]
    structures = measure.structures(*forms)
    value = _value_of(structures, table)
    if value is None:
        return None
    bound = measure.default_bound(*forms)
    return _by_sums(sampled, table.n, forms[0], forms[1], min(max(value, 0.0), bound), None)


def _value_of(structures: Sequence[Any], table: CountedTable) -> float | None:
    """Compute the measure as a sum over table cells, or return None if it is no such sum."""
    for structure in structures:
        if isinstance(structure, RootOf):
            base = _value_of(structure.base, table)
            return None if base is None else float(np.sqrt(max(base * structure.factor, 0.0)))
        if isinstance(structure, CellSum):
            return structure.offset + structure.scale * table.sum(structure.function)
    return None


def _with_shared_labels(
    table: CountedTable, x: Column, y: Column, sums: RowSums
) -> tuple[CountedTable, IntArray, IntArray]:
    """Return the table with the same code for equal categories of x and y, and its row and column totals.

    Totals cover the categories of both columns.
    """
    names = [sums.dictionaries[label_of(sums, column)].labels for column in (x, y)]
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


def _of_trace(sampled: Pair, form: Trace, sums: RowSums) -> Pair | None:
    (x, y), one = sampled.columns, np.zeros(1, dtype=np.intp)
    pairs = ColumnPairs([x], [y], one, one, Memory(), sums=sums)
    found = statistics(pairs, form)
    invariants, others = found.invariants_of_pairs(), fewest_others(pairs, sums, found.n)
    made: list[SummedLine | Partition] = []
    for k, (column, distinct) in enumerate(zip((x, y), found.distinct[:, 0], strict=True)):
        if column.kind is Kind.NUMERIC:
            made.append(
                SummedLine(
                    int(found.n[0]),
                    invariants[k][0],
                    int(distinct),
                    int(others[k][0]),
                    not varies(sums, column),
                )
            )
            continue
        label, number = (column, y) if k == 0 else (column, x)
        sizes = shared_sizes(sums, label_of(sums, label), numeric_of(sums, number))
        is_indicator = (form.x, form.y)[k] is Matrix.INDICATOR
        made.append(Partition(_NO_CODES, sizes[sizes > 0], is_indicator))
    first, second = made
    if found.is_degenerate[0] and not (first.is_degenerate or second.is_degenerate):
        return None
    value = 0.0
    if first.n_distinct > 1 and second.n_distinct > 1:
        bound = sampled.measure.default_bound(first, second)
        value = float(np.clip(found.value[0] * form.scale(first.n, second.variation), 0.0, bound))
    direction = None if found.sign is None else int(found.sign[0])
    return _by_sums(sampled, int(found.n[0]), first, second, value, direction)
