"""Columns of the report's heat map: those with the strongest relations, ordered by similarity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.pairs import Pairs
from bychance.ranking.results import PairResults

__all__ = ["heat_map"]

_MOST = 60  # columns of the matrix, so that their names stay legible (taste)


def heat_map(pairs: Pairs, rows: PairResults) -> dict[str, Any] | None:
    """Choose and order the columns on both axes of the heat map, or return None for too few columns.

    Neighboring columns have similar adjusted scores (average linkage).
    """
    if min(len(pairs.x), len(pairs.y)) < 2 or max(len(pairs.x), len(pairs.y)) < 3:
        return None
    down, across = np.unique(pairs.x), np.unique(pairs.y)
    scores = np.zeros((len(down), len(across)))
    at = np.searchsorted(down, rows.x), np.searchsorted(across, rows.y)
    scores[at] = np.clip(np.nan_to_num(rows.adjusted), 0, 1)
    if pairs.is_all:
        scores = np.maximum(scores, scores.T)
        np.fill_diagonal(scores, 1)
        best = _most_connected(scores)
        order = best[_like_by_like(scores[np.ix_(best, best)])]
        picked = picked_across = order
    else:
        rows_best, columns_best = _most_connected(scores), _most_connected(scores.T)
        scores = scores[np.ix_(rows_best, columns_best)]
        picked, picked_across = rows_best[_like_by_like(scores)], columns_best[_like_by_like(scores.T)]
    return {
        "down": down[picked].tolist(),
        "across": across[picked_across].tolist(),
        "n_down": len(down),
        "n_across": len(across),
    }


def _most_connected(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of the rows with the largest sums of scores, at most 60."""
    return np.argsort(-scores.sum(axis=1), kind="stable")[:_MOST]


def _like_by_like(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import pdist

    if len(scores) < 3:
        return np.arange(len(scores))
    tree = linkage(pdist(scores), "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.intp)
