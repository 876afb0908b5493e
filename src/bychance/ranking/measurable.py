"""Whether anything of a plan can be measured: an error with the numbers where nothing can."""

from __future__ import annotations

import numpy as np

from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.pairs import n_shared
from bychance.ranking.plan import Plan

__all__ = ["check_measurable"]


def check_measurable(plan: Plan) -> None:
    """An error where no two columns share as many rows as it takes; quick where some do.

    >>> from bychance.ranking.run import plan_ranking
    >>> check_measurable(plan_ranking({"a": [1, 2, 3, None], "b": [1, 2, None, 3]}))
    Traceback (most recent call last):
    bychance.errors.BychanceError: No pair can be measured: two columns share 2 rows at most; min_n is 10.
    """
    columns = plan.table.columns
    is_labels = plan.pairs.is_labels.astype(np.intp)
    least = np.full((2, 2), plan.job.min_n)
    for kinds, measure in plan.job.measures.items():
        place = int(kinds[0] is Kind.CATEGORICAL), int(kinds[1] is Kind.CATEGORICAL)
        least[place] = max(plan.job.min_n, measure.min_n)
    largest = 0
    for tile in plan.tiles:
        x, y = plan.pairs.within(tile)
        rows, first = np.unique(x, return_inverse=True)
        others, second = np.unique(y, return_inverse=True)
        counts = n_shared([columns[k] for k in rows], [columns[k] for k in others])[first, second]
        if np.any(counts >= least[is_labels[x], is_labels[y]]):
            return
        largest = max(largest, int(counts.max()))
    shared = f"share {largest} row{'s' if largest != 1 else ''} at most" if largest else "share no rows"
    raise BychanceError(f"No pair can be measured: two columns {shared}; min_n is {least.min()}.")
