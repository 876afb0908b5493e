"""Whether anything of a plan can be measured: an error with the numbers where nothing can."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.messages import Option
from bychance.moments.columns_in_sums import shared_counts
from bychance.pairs import n_shared
from bychance.ranking.planning.plan import Plan

__all__ = ["check_measurable"]

_FIRST_ROWS = 1_000


def check_measurable(plan: Plan) -> None:
    """An error where no two columns share as many rows as it takes; quick where some do.

    >>> from bychance.ranking.run import plan_ranking
    >>> check_measurable(plan_ranking({"a": [1, 2, 3, None], "b": [1, 2, None, 3]}))
    Traceback (most recent call last):
    bychance.errors.BychanceError: No pair can be measured: two columns share 2 rows at most; `min_n` is 10.
    """
    least = np.full((2, 2), plan.job.min_n)
    for kinds, measure in plan.job.measures.items():
        place = int(kinds[0] is Kind.CATEGORICAL), int(kinds[1] is Kind.CATEGORICAL)
        least[place] = max(plan.job.min_n, measure.min_n)
    columns = plan.table.columns
    # What two columns share in their first rows they share, and millions of rows take long to count.
    if _most_shared(plan, [column.at(slice(_FIRST_ROWS)) for column in columns], least) is None:
        return
    largest = _most_shared(plan, columns, least)
    if largest is None:
        return
    shared = f"share {largest} row{'s' if largest != 1 else ''} at most" if largest else "share no rows"
    raise BychanceError(
        f"No pair can be measured: two columns {shared}; " + Option("min_n") + f" is {least.min()}.", "min_n"
    )


def _most_shared(plan: Plan, columns: Sequence[Column], least: NDArray[np.int64]) -> int | None:
    """The most rows that a pair shares; None as soon as one shares enough of them."""
    is_labels = plan.pairs.is_labels.astype(np.intp)
    largest = 0
    for tile in plan.tiles:
        x, y = plan.pairs.within(tile)
        rows, first = np.unique(x, return_inverse=True)
        others, second = np.unique(y, return_inverse=True)
        sides, sums = ([columns[k] for k in rows], [columns[k] for k in others]), plan.job.sums
        counts = (n_shared(*sides) if sums is None else shared_counts(sums, *sides))[first, second]
        if np.any(counts >= least[is_labels[x], is_labels[y]]):
            return None
        largest = max(largest, int(counts.max()))
    return largest
