"""The WHO indicators: scores of all pairs at the paper's levels, and the top partner of every indicator."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc

__all__ = [
    "FILE",
    "LEVELS",
    "PairScores",
    "pair_scores",
    "partner_rows",
    "read_who",
    "title_of",
    "values_of",
]

FILE = "WHO.csv"
LEVELS = (0.4, 0.1, 0.05)


def read_who(path: Path) -> bc.Table:
    """Read the 355 indicators of 202 countries, without names and numbers of countries."""
    return bc.read_table(path, drop=["Country", "CountryID", "Continent"])


def values_of(table: bc.Table) -> dict[str, NDArray[np.float64]]:
    """Return the columns as arrays, with NaN for missing values."""
    return {
        c.name: c.values if c.is_missing is None else np.where(c.is_missing, np.nan, c.values) for c in table
    }


def title_of(name: str) -> str:
    """Return a column's name as words.

    >>> title_of("Oil_consumption_per_person"), title_of("Years of life lost to injuries (%)")
    ('Oil consumption per person', 'Years of life lost to injuries (%)')
    """
    return name.replace("_", " ").strip()


@dataclass(frozen=True, slots=True, eq=False)
class PairScores:
    """Pairs of columns by position, their shared rows, and their scores with errors, a row per score.

    The scores: observed, adjusted, standardized, and adjusted_at each of `LEVELS`.
    """

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    n: NDArray[np.int64]
    scores: NDArray[np.float64]
    errors: NDArray[np.float64]

    @classmethod
    def join(cls, parts: Sequence[dict[str, Any]]) -> PairScores:
        """Join all pairs of several parts, which are dicts of these arrays."""
        return cls(
            **{name: np.concatenate([part[name] for part in parts], axis=-1) for name in cls.__slots__}
        )


def pair_scores(table: Any, **options: Any) -> dict[str, NDArray[Any]]:
    """Return the `PairScores` of a ranking with these options of `bc.rank`.

    A ranking has scores at all levels, but errors at one. For sampled nulls others follow.
    """
    rows = _rows(table, alpha=LEVELS, **options)
    is_sampled = rows.n_resamples.max() > 0
    others = [_rows(table, alpha=alpha, **options) if is_sampled else rows for alpha in LEVELS[1:]]
    at_errors = [each.adjusted_at_se for each in (rows, *others)]
    return {
        "x": rows.x,
        "y": rows.y,
        "n": rows.n,
        "scores": np.array(
            [rows.observed, rows.adjusted, rows.standardized, rows.adjusted_at, *rows.swept.T]
        ),
        "errors": np.array([np.zeros(len(rows)), rows.adjusted_se, rows.standardized_se, *at_errors]),
    }


def partner_rows(pairs: PairScores, scores: NDArray[np.float64], asked: Sequence[int]) -> NDArray[np.int64]:
    """Return the rows that each column shares with its top partner by a score, if it has one."""
    n_columns = max(int(pairs.x.max()), int(pairs.y.max())) + 1
    is_known = ~np.isnan(scores)
    square = np.full((n_columns, n_columns), -np.inf)
    n_shared = np.zeros((n_columns, n_columns), dtype=np.int64)
    for x, y in ((pairs.x, pairs.y), (pairs.y, pairs.x)):
        square[x[is_known], y[is_known]] = scores[is_known]
        n_shared[x, y] = pairs.n
    has_partner = [k for k in asked if square[k].max() > -np.inf]
    return n_shared[has_partner, square[has_partner].argmax(axis=1)]


def _rows(table: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        # Few draws are too coarse for q-values, which are not used here.
        warnings.simplefilter("ignore", bc.BychanceWarning)
        return bc.rank(table, **options)._rows
