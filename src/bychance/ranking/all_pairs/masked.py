"""Columns that may have gaps → masked lines in float64, and what holds of each on whatever rows it shares.

A line is a column, centered and of unit norm on the rows that it has, and zero elsewhere. Of the rows that it
shares with another column only sums are known later. What the sums do not say is bounded here, column by
column, so that it holds on every subset of rows:

- `most_alike` rows have the most common value: n shared rows have at least n − most_alike others.
- Σz⁴ is at most its sum over all rows, of which `root` is the fourth root.
- The column is far from having two values only. Two values u and v would make (z − u)(z − v) zero everywhere.
  Sort the rows, and cut them into thirds of T rows: row i of each makes a triple. Of a triple whose values
  are at least g apart, one is g/2 or more from both u and v. With g the median of T such distances,
  `n_triples` = ⌈T/2⌉ triples reach it, and each missing row breaks one at most: with k rows missing,
  Σ(z − u)²(z − v)² ≥ (n_triples − k)·(g/2)⁴, and (g/2)⁴ is `spread`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.all_pairs.lines import MAX_ERROR

__all__ = ["Masked", "masked_lines"]

_TINY = 1e-70
_ABSENT = 4.0  # stands after all entries, which are at most 1


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """Lines (columns × rows), their masks and squares, and figures per column, as arrays of one device."""

    lines: Any
    squares: Any
    mask: Any
    n: Any
    most_alike: Any
    root: Any
    spread: Any
    n_triples: Any
    is_sound: Any  # enough rows, and a spread that is not lost beside the size of the values


def masked_lines(values: Any, xp: Any) -> Masked:
    """The masked lines of some columns (rows × columns), an array of `xp`, NumPy or CuPy."""
    given = xp.ascontiguousarray(values.T).astype(np.float64)
    is_there = ~xp.isnan(given)
    v = xp.where(is_there, given, 0.0)
    mask = is_there.astype(np.float64)
    n = mask.sum(axis=1)
    safe = xp.maximum(n, 1.0)
    size = xp.abs(v).max(axis=1)
    # Values whose squares overflow or lose digits make no line.
    is_sound = (n > MOST_ENUMERATED) & (size > _TINY) & (size < 1 / _TINY)
    v = xp.where(is_sound[:, None], v, 0.0)
    c = (v - (v.sum(axis=1) / safe)[:, None]) * mask
    c = (c - (c.sum(axis=1) / safe)[:, None]) * mask
    norm = xp.sqrt((c * c).sum(axis=1))
    is_sound &= math.sqrt(values.shape[0]) * 2.0**-51 * size < MAX_ERROR * norm
    c = xp.where(is_sound[:, None], c / xp.where(is_sound, norm, 1.0)[:, None], 0.0)
    ordered = xp.sort(xp.where(is_there, c, _ABSENT), axis=1)
    gap, n_triples = _triples(ordered, n, xp)
    figures = n, _most_alike(ordered, xp), ((c * c) ** 2).sum(axis=1) ** 0.25, (gap / 2) ** 4, n_triples
    return Masked(c, c * c, mask, *figures, is_sound)


def _most_alike(ordered: Any, xp: Any) -> Any:
    """How many entries of each row are the same; those that are absent count as different."""
    n_lines, n = ordered.shape
    is_new = xp.zeros((n_lines, n), dtype=np.int64)
    is_new[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]) | (ordered[:, 1:] == _ABSENT)
    group = xp.cumsum(is_new, axis=1) + (xp.arange(n_lines) * n)[:, None]
    return xp.bincount(group.ravel(), minlength=n_lines * n).reshape(n_lines, n).max(axis=1)


def _triples(ordered: Any, n: Any, xp: Any) -> tuple[Any, Any]:
    """How far apart the values of a triple are in at least half of the triples, and how many these are."""
    n_rows = ordered.shape[1]
    third = (n // 3).astype(np.int64)[:, None]
    first = xp.arange(max(1, n_rows // 3))[None, :] + 0 * third
    low, middle, high = (
        xp.take_along_axis(ordered, xp.minimum(first + k * third, n_rows - 1), axis=1) for k in range(3)
    )
    gaps = xp.where(first < third, xp.minimum(middle - low, high - middle), -1.0)
    half = (third + 1) // 2
    at = xp.clip(gaps.shape[1] - half, 0, gaps.shape[1] - 1)
    gap = xp.take_along_axis(xp.sort(gaps, axis=1), at, axis=1)[:, 0]
    return xp.maximum(gap, 0.0), half[:, 0]
