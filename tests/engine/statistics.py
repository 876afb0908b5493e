"""Figures of many pairs of columns at once for tests: by the measure's form, screened, with their nulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

import bychance as bc
from bychance.columns import Column, Memory
from bychance.kinds import Kind
from bychance.measures import registry
from bychance.measures.structures import Matrix, Trace
from bychance.moments.column_pairs import ColumnPairs, chunks
from bychance.moments.dispatch import statistics
from bychance.moments.groups import information_rows, mixed_rows, table_rows
from bychance.moments.ties import ties_of as ties_kept_in
from bychance.nulls.statistics import PairStatistics
from bychance.ranking.api import all_options
from bychance.ranking.block import ClosedForms, closed_forms
from bychance.ranking.candidates import Screened, screen
from bychance.ranking.options import make_job
from bychance.ranking.results import Cut

__all__ = [
    "chunks",
    "information_of",
    "nulls_of",
    "screened",
    "statistics_of",
    "statistics_of_groups",
    "statistics_of_tables",
    "ties_of",
]

Columns = Sequence[Column]
Places = np.ndarray
Form = Literal["projector", "indicator"]
_NUMBERS = Kind.NUMERIC, Kind.NUMERIC


class Statistics:
    """Statistics of pairs, those of x and of y by a name each."""

    def __init__(self, found: PairStatistics) -> None:
        self.n, self.sign, self.is_degenerate, self.bound = (
            found.n,
            found.sign,
            found.is_degenerate,
            found.bound,
        )
        self.trace = self.observed = found.value
        self.x_distinct, self.y_distinct = found.distinct
        self.x_smallest, self.y_smallest = (None, None) if found.smallest is None else found.smallest
        self.mean, self.variance = (None, None) if found.moments is None else found.moments[:2]
        self.x_invariants, self.y_invariants = (None, None) if found.invariants is None else found.invariants
        self.invariants_of_pairs = found.invariants_of_pairs


def statistics_of(
    measure: str | bc.Measure, x: Columns, y: Columns, first: Places, second: Places
) -> Statistics:
    """Return what a measure of numbers needs of the pairs (x[first[k]], y[second[k]])."""
    if isinstance(measure, str):
        measure = registry.resolve(measure)
    return Statistics(statistics(ColumnPairs(x, y, first, second, Memory()), measure.forms[_NUMBERS]))


def statistics_of_tables(x: Columns, y: Columns, first: Places, second: Places, *, form: Form) -> Statistics:
    """Return the same of pairs of categories, by the form of y."""
    weights = Matrix.INDICATOR if form == "indicator" else Matrix.PROJECTOR
    return Statistics(
        table_rows(ColumnPairs(x, y, first, second, Memory()), _form(Matrix.PROJECTOR, weights))
    )


def statistics_of_groups(
    groups: Columns,
    numbers: Columns,
    first: Places,
    second: Places,
    *,
    form: Form,
    labels_are_x: bool = True,
) -> Statistics:
    """Return the same of pairs of categories and numbers, by the form of the categories."""
    pairs = ColumnPairs(groups, numbers, first, second, Memory())
    weights = Matrix.INDICATOR if form == "indicator" else Matrix.PROJECTOR
    if labels_are_x:
        return Statistics(mixed_rows(pairs, _form(weights, Matrix.LINE)))
    return Statistics(mixed_rows(pairs.flipped(), _form(Matrix.LINE, weights)))


def information_of(x: Columns, y: Columns, first: Places, second: Places) -> Statistics:
    """Return mutual information and its moments for pairs of categories."""
    return Statistics(information_rows(ColumnPairs(x, y, first, second, Memory())))


def _form(x: Matrix, y: Matrix) -> Trace:
    """Return a form with these matrices."""
    return replace(registry.resolve("explained").forms[_NUMBERS], x=x, y=y)


def nulls_of(
    measure: str, columns: Columns, first: Places, second: Places, null: str = "auto"
) -> ClosedForms:
    """Return what closed forms say of pairs of numeric columns: scores, p-values, and for which pairs."""
    sides, job = _asked(measure, columns, first, second, null)
    chosen = job.measures[_NUMBERS]
    return closed_forms(chosen.forms[_NUMBERS], chosen, job, sides).reliable


def screened(
    measure: str,
    columns: Columns,
    first: Places,
    second: Places,
    *,
    null: str = "auto",
    top: int = 5,
    close: float = 0.9,
) -> Screened | None:
    """Return which pairs can be among the best `top` or score `close`, and all p-values, or None."""
    sides, job = _asked(measure, columns, first, second, null)
    chosen = job.measures[_NUMBERS]
    return screen(chosen.forms[_NUMBERS], chosen, job, sides, Cut(top, -np.inf), close)


def ties_of(columns: Columns) -> np.ndarray:
    """Return how ties limit the number of arrangements, by column."""
    return ties_kept_in(columns, Memory())


def _asked(measure, columns, first, second, null):
    job = make_job(all_options(measure=measure, null=null, by="observed"))
    return ColumnPairs(columns, columns, first, second, Memory()), job
