"""Choice of the algorithm that measures many pairs of columns at once.

In:  pairs of columns in memory, or of a stream by its sums over rows.
Out: PairStatistics, which do not depend on the algorithm.
"""

from __future__ import annotations

from typing import Any

from bychance.covariates.covariates import Covariates
from bychance.measures import Measure
from bychance.measures.structures import LINES, Algebra, Matrix, Trace
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.complete import LineProducts, line_products
from bychance.moments.from_sums import from_sums, given_from_sums
from bychance.moments.groups import bent_rows, information_rows, is_bent, mixed_rows, table_rows
from bychance.moments.missing import line_statistics
from bychance.moments.ranks import rank_products, rank_statistics
from bychance.moments.within_cells import within_cells
from bychance.nulls.statistics import PairStatistics

__all__ = ["products_of", "statistics", "statistics_given"]


def statistics(pairs: ColumnPairs, form: Algebra) -> PairStatistics:
    """Compute a measure of algebraic form `form`, and the inputs of its null, for each pair of columns.

    >>> import numpy as np
    >>> from bychance.measures import registry
    >>> from bychance.columns import Memory
    >>> from bychance.read_column import read_column
    >>> columns = [read_column(v, "v") for v in ([1.0, 2, 3, 4], [1.0, 3, 2, 4], [2.0, None, 1, 0])]
    >>> pairs = ColumnPairs(columns, columns, np.array([0, 0]), np.array([1, 2]), Memory())
    >>> form = registry.resolve("r2").forms[columns[0].kind, columns[0].kind]
    >>> statistics(pairs, form).value.round(3)
    array([0.64 , 0.964])
    """
    if pairs.known is not None:
        return pairs.known
    if not isinstance(form, Trace):
        return information_rows(pairs)
    if pairs.sums is not None:
        return from_sums(pairs, pairs.sums, form)
    if is_bent(form):
        return bent_rows(pairs, form)
    if form.x in LINES and form.y in LINES:
        products = products_of(pairs, form)
        if products is not None:
            return products.rows(pairs.first, pairs.second)
        return rank_statistics(pairs) if form.x is Matrix.RANKS else line_statistics(pairs)
    return mixed_rows(pairs, form) if form.x is Matrix.LINE or form.y in LINES else table_rows(pairs, form)


def statistics_given(
    pairs: ColumnPairs, measure: Measure[Any], covariates: Covariates
) -> PairStatistics | None:
    """Compute measure and null inputs of each pair given covariates, or None if no bulk method applies."""
    if pairs.sums is None:
        return within_cells(measure, covariates, pairs)
    return given_from_sums(measure, covariates, pairs, pairs.sums)


def products_of(pairs: ColumnPairs, form: Trace) -> LineProducts | None:
    """Compute products of each standardized x (or its ranks) with each y, or None if values are missing."""
    return (rank_products if form.x is Matrix.RANKS else line_products)(pairs)
