"""Charts of the report: the opening one, ranks at each alpha, and the heat map of relations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bychance.array_types import FloatArray, IndexArray
from bychance.pairs import Pairs
from bychance.ranking import Ranking
from bychance.ranking.display.pair_words import pair_name
from bychance.ranking.display.sweep import Sweep
from bychance.ranking.results import PairResults, p_values_of_tests

__all__ = ["heat_map", "opening_chart", "rank_chart"]

_PICTURED_PAIRS, _PICTURED_NAME = 8, 26  # pairs in the opening chart, and characters of their names (taste)
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0)  # between ticks, in powers of ten
_BUMP_LINES = 24  # most lines in the chart of ranks (taste)
_MOST_COLUMNS = 60  # columns of the heat map, so that their names stay legible (taste)


def opening_chart(ranking: Ranking) -> dict[str, Any] | None:
    """Return the data of the report's first chart: observed and chance values of the eight best pairs."""
    best = ranking._best(_PICTURED_PAIRS, fold=True, once=True)
    best = best[np.isfinite(ranking._rows.adjusted_at[best])]
    records = ranking._records(best, limits=False)
    ends = [(r["null_mean"], r["observed"] - r["adjusted_at"], r["observed"]) for r in records]
    low, high = min([0.0, *map(min, ends)]), max([0.0, *map(max, ends)])
    if low == high:
        return None
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(s * power for s in _STEPS if (high - low) / (s * power) <= 5)

    pairs = list(zip(ranking._rows.x[best], ranking._rows.y[best], strict=True))
    n_names = 1 if ranking._plan.target is not None else 2

    def percent(value: float) -> float:
        return float(round(100 * (value - low) / (high - low), 2))

    return {
        "rows": [
            {
                "name": pair_name(ranking, x, y, _PICTURED_NAME // n_names),
                "title": pair_name(ranking, x, y, 200 // n_names),
                "n": f"{record['n']:,}",
                "chance": percent(min(mean, quantile)),
                "width": round(percent(max(mean, quantile)) - percent(min(mean, quantile)), 2),
                "observed": percent(observed),
                "is_above": record["adjusted_at"] > 0,
            }
            for (x, y), record, (mean, quantile, observed) in zip(pairs, records, ends, strict=True)
        ],
        "ticks": [
            {"at": percent(k * step), "text": f"{k * step:g}"}
            for k in range(math.ceil(low / step), math.floor(high / step) + 1)
        ],
    }


def rank_chart(sweep: Sweep, shown: IndexArray) -> dict[str, Any]:
    """Return the data of the chart of ranks over alpha: the leading pairs and their rank at each alpha."""
    folded = sweep.folded_places
    in_top = np.flatnonzero(sweep.in_top.any(axis=1) & ~np.isnan(p_values_of_tests(sweep.rows)))
    order = np.lexsort((folded[in_top].mean(axis=1), folded[in_top].min(axis=1)))
    lines = in_top[order][:_BUMP_LINES]
    return {
        "k": sweep.k,
        "n_left": len(in_top) - len(lines),
        "pairs": np.searchsorted(shown, lines).tolist(),
        "places": folded[lines].tolist(),
        "is_stable": sweep.is_stable[lines].tolist(),
    }


def heat_map(pairs: Pairs, rows: PairResults) -> dict[str, Any] | None:
    """Return the columns on the two axes of the report's heat map, in order, or None for too few columns.

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
    # A copy sums in the same order, so that both axes of a symmetric matrix agree.
    picked, picked_across = _most_connected(scores), _most_connected(scores.T.copy())
    scores = scores[np.ix_(picked, picked_across)]
    return {
        "down": down[picked[_like_by_like(scores)]].tolist(),
        "across": across[picked_across[_like_by_like(scores.T)]].tolist(),
        "n_down": len(down),
        "n_across": len(across),
    }


def _most_connected(scores: FloatArray) -> IndexArray:
    """Return the indices of at most 60 rows of a score matrix, the rows with the largest sums."""
    return np.argsort(-scores.sum(axis=1), kind="stable")[:_MOST_COLUMNS]


def _like_by_like(scores: FloatArray) -> IndexArray:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import pdist

    if len(scores) < 3:
        return np.arange(len(scores))
    tree = linkage(pdist(scores), "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.intp)
