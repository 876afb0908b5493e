"""Ranks of every pair at each alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.arrow_values import arrow_of_numpy, strings_of
from bychance.errors import BychanceError
from bychance.io import Table, make_frame
from bychance.messages import Option
from bychance.names import count_of, short_name
from bychance.ranking.display.text import PAIR_NAME, SHOWN_ROWS, TARGET_NAME, Heading, aligned
from bychance.ranking.options import levels_of
from bychance.ranking.results import PairResults, is_hopeless, places
from bychance.ranking.run import rows_of_plan
from bychance.validation import whole_number

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["Sweep", "swept"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Ranks of all pairs by scores that subtract the null's (1 − α) quantile, at several values of alpha.

    Attributes
    ----------
    alphas : tuple of float
        The values of alpha.
    k : int
        Number of first ranks that count as the top.
    places : array
        Ranks: one row per pair, one column per alpha, 1 for the best.
    scores : array
        Values of adjusted_at, of the same shape.
    """

    alphas: tuple[float, ...]
    k: int
    rows: PairResults = field(repr=False)
    places: NDArray[np.uint32] = field(repr=False)
    scores: FloatArray = field(repr=False)
    table: Table = field(repr=False)

    @cached_property
    def folded_places(self) -> IntArray:
        """Rank of each pair at each alpha among pairs that are not near-duplicates, 0 for near-duplicates."""
        originals = np.flatnonzero(~self.rows.is_duplicate)
        folded = np.zeros(self.places.shape, dtype=np.int64)
        folded[originals] = np.argsort(np.argsort(self.places[originals], axis=0), axis=0) + 1
        return folded

    @cached_property
    def in_top(self) -> BoolArray:
        """Mask in the shape of `places`: True if a pair that is not a near-duplicate is among the first k."""
        return np.asarray((self.folded_places > 0) & (self.folded_places <= self.k))

    @property
    def is_stable(self) -> BoolArray:
        """Per pair, True if it ranks among the first k (without near-duplicates) at every alpha."""
        return np.asarray(self.in_top.all(axis=1))

    @property
    def is_moving(self) -> BoolArray:
        """Per pair, True if it ranks among the first k (without near-duplicates) at some alphas only."""
        return np.asarray(self.in_top.any(axis=1) & ~self.is_stable)

    def to_frame(self) -> Any:
        """Return all pairs with their rank at each alpha, sorted by their best rank."""
        return self._frame(np.argsort(self.places.min(axis=1), kind="stable"))

    def stable(self) -> Any:
        """Return the pairs in the top k at every alpha, best average rank first."""
        return self._frame(self.stable_rows)

    def moving(self) -> Any:
        """Return the pairs in the top k at some values of alpha only."""
        return self._frame(self.moving_rows)

    @property
    def stable_rows(self) -> IndexArray:
        """Row numbers of the pairs in the top at every alpha, best average rank first."""
        return self._ordered(self.is_stable)

    @property
    def moving_rows(self) -> IndexArray:
        """Row numbers of the pairs in the top at some alphas only, best average rank first."""
        return self._ordered(self.is_moving)

    def __repr__(self) -> str:
        return _text_of(self)

    def _ordered(self, is_picked: BoolArray) -> IndexArray:
        picked = np.flatnonzero(is_picked)
        return picked[np.argsort(self.places[picked].mean(axis=1), kind="stable")]

    def _frame(self, index: IndexArray) -> Any:
        names = strings_of(self.table.names)
        columns: dict[str, Any] = {
            "x": names.take(arrow_of_numpy(self.rows.x[index])),
            "y": names.take(arrow_of_numpy(self.rows.y[index])),
            "n": self.rows.n[index],
        }
        for alpha, place in zip(self.alphas, self.places.T, strict=True):
            columns[f"rank at {alpha:g}"] = place[index].astype(np.int64)
        columns["stable"] = self.is_stable[index]
        return make_frame(columns, self.table.library)


def swept(ranking: Ranking, alphas: Sequence[float], k: int) -> Sweep:
    """Return the ranks at these values of alpha. New values require measuring all pairs again."""
    levels, k = levels_of(alphas, "alphas"), whole_number(k, "k")
    if not levels:
        raise BychanceError("`alphas` must hold at least one value, got none.")
    plan, rows = ranking._plan, ranking._rows
    known = dict(zip(plan.job.levels, (rows.adjusted_at, *rows.swept.T), strict=True))
    if ranking._is_whole and set(levels) <= set(known):
        scores = np.column_stack([known[level] for level in levels])
    elif not plan.tiles or not plan.table.n_rows:
        what = "without its data" if plan.tiles else "of arrays"
        raise BychanceError(
            f"This ranking is {what}: `sweep` knows only the values of "
            + Option("alpha")
            + " that it was made with."
        )
    else:
        rows = rows_of_plan(replace(plan, job=replace(plan.job, levels=(plan.job.alpha, *levels))))
        scores = rows.swept
    ordered = np.where(is_hopeless(rows)[:, None], np.nan, scores)
    by_level = [places(_native.descending_order(np.ascontiguousarray(score))) for score in ordered.T]
    return Sweep(levels, k, rows, np.column_stack(by_level), scores, plan.table)


def _text_of(sweep: Sweep) -> str:
    """Format two tables with ranks: pairs in the top k at every alpha, and at some alphas only."""
    levels = ", ".join(f"{alpha:g}" for alpha in sweep.alphas)
    n_stable, n_moving = int(sweep.is_stable.sum()), int(sweep.is_moving.sum())
    lines = [
        f"Ranks of {count_of(len(sweep.rows), 'pair')} at alpha = {levels}: "
        f"{n_stable:,} in the top {sweep.k} at every alpha, {n_moving:,} at some"
    ]
    for title, index in (("at every alpha", sweep.stable_rows), ("at some alphas only", sweep.moving_rows)):
        if len(index):
            headings, cells = _places(sweep, index[:SHOWN_ROWS])
            lines += ["", f"In the top {sweep.k} {title}:", *aligned(headings, cells)]
            lines += [f"and {len(index) - SHOWN_ROWS:,} more"] * (len(index) > SHOWN_ROWS)
    return "\n".join(lines)


def _places(sweep: Sweep, index: Any) -> tuple[list[Heading], list[list[str]]]:
    names, rows = sweep.table.names, sweep.rows
    # With a target every y is the same, and says nothing in a table.
    sides = ("x",) if len(rows) > 1 and np.all(rows.y == rows.y[0]) else ("x", "y")
    headings = [Heading(side, is_number=False) for side in sides]
    headings += [Heading("n"), *(Heading(f"at {alpha:g}") for alpha in sweep.alphas)]
    cells = [
        [
            short_name(names[getattr(rows, side)[k]], TARGET_NAME if len(sides) == 1 else PAIR_NAME)
            for side in sides
        ]
        + [f"{rows.n[k]:,}", *(f"{place:,}" for place in sweep.places[k])]
        for k in index
    ]
    return headings, cells
