"""A pair beside its covariates: prepared on the rows that have all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, shared_rows
from bychance.given.adapt import beyond, takes_something_out
from bychance.given.base import GivenMeasure
from bychance.given.covariates import Covariates
from bychance.given.leftover import Leftover
from bychance.given.record import Controlled, remarks_on
from bychance.given.steepness import columns_to_test, fitting_style
from bychance.kinds import Kind
from bychance.measures.base import Measure, Values
from bychance.memory import Memory
from bychance.names import count_of, display_name, in_words
from bychance.pair import Pair, prepare_pair, sample_of, takes_numbers

__all__ = ["GivenPair", "prepare_given"]

_FEWEST_LEFT = 3  # rows beyond the degrees of freedom of the covariates
_CELL_ROWS = 12  # per numeric covariate and one more, from which there are two cells


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenPair(Pair):
    """Two variables on the rows that have them and every covariate."""

    covariates: Covariates
    follow: bool = False  # if both columns follow the covariates more finely than what was taken out

    @property
    def _beyond(self) -> GivenMeasure | None:
        """The measure, where covariates vary; None where it is the plain one."""
        return self.measure if isinstance(self.measure, GivenMeasure) else None

    @cached_property
    def too_few(self) -> str:
        """Why there are too few rows; empty where there are enough."""
        if (short := super().too_few) or self._beyond is None:
            return short
        k, n_cells = self._beyond.design.df, len(self._beyond.design.cells)
        if self.n - k >= _FEWEST_LEFT or n_cells == self.n:  # cells of one row determine everything
            return ""
        return (
            f"{count_of(self.n, 'shared row')} and {count_of(k, 'degree')} of freedom of the covariates; "
            "at least 3 must be left"
        )

    @property
    def undetermined(self) -> str:
        """Why nothing is left to measure, for a pair given covariates; empty where something is."""
        if self._beyond is None:
            return ""
        given = in_words(self.covariates.names)
        if len(self._beyond.design.cells) == self.n:
            return f"no two rows share {given}"
        stuck = [
            display_name(name)
            for name, variable in zip(self.names, (self.x, self.y), strict=True)
            if variable.is_degenerate
        ]
        verb = "does" if len(stuck) == 1 else "do"
        return f"given {given}, {' and '.join(stuck)} {verb} not vary" if stuck else ""

    @cached_property
    def given(self) -> Controlled:
        """What was controlled, and how well."""
        measure, names = self._beyond, self.covariates.names
        if measure is None or self.x is None:
            return Controlled(
                columns=names,
                control=self.covariates.control,
                n_cells=1 if measure is None else len(measure.design.cells),
                n_used=self.n,
                df=1 if measure is None else measure.design.df,
                x_share=0.0,
                y_share=0.0,
                caveats=self.remarks,
            )
        design, x, y = measure.design, self.x, self.y
        return Controlled(
            columns=names,
            control=measure.control,
            n_cells=len(design.cells),
            n_used=self.n_used,
            df=design.df,
            x_share=x.share,
            y_share=y.share,
            caveats=(*self.remarks, *self._limits(measure)),
            still_follow=self.follow,
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What this pair's own columns and rows leave to doubt."""
        measure = self._beyond
        if measure is None:
            return ("the covariates do not vary",)
        if self.x is None:
            return ()
        return remarks_on(
            self.names,
            self.covariates.names,
            n=self.n,
            df=measure.design.df,
            n_used=self.n_used,
            shares=(self.x.share, self.y.share),
            follow=self.follow,
        )

    @property
    def n_used(self) -> int:
        """Rows in cells where both variables vary."""
        measure = self._beyond
        if measure is None or self.x is None:
            return self.n
        return int(measure.design.cells.sizes[self.x.varies_in & self.y.varies_in].sum())

    def _limits(self, measure: GivenMeasure) -> list[str]:
        """What the way of control leaves to doubt, for all pairs alike."""
        p = self.covariates.n_numeric
        is_one_cell = measure.control == "smooth" and self.n < _CELL_ROWS * (p + 1)
        rules = [
            (is_one_cell, "one cell: variances are assumed equal"),
            (measure.control == "linear", "numbers are taken out linearly"),
            (measure.control == "strata", "covariates vary within cells"),
        ]
        return [text for holds, text in rules if holds and p > 0]


def prepare_given(
    measure: Measure[Any],
    x: Column,
    y: Column,
    covariates: Covariates,
    memory: Memory | None = None,
    *,
    bound: float | str | None = None,
    root: int = 0,
    progress: bool = False,
) -> GivenPair:
    """Two columns made ready for what the measure says of them beyond the covariates."""
    rows = covariates.shared_rows(shared_rows(x, y))
    kinds = tuple(
        Kind.NUMERIC if is_numeric else Kind.CATEGORICAL
        for is_numeric in takes_numbers(measure, x.kind, y.kind)
    )
    n = len(x) if rows is None else int(rows.sum())
    both, style, follow = (kinds[0], kinds[1]), covariates.control, False
    if covariates.can_leave_something and n >= measure.min_n and covariates.vary(rows):
        values, are_ranks = sample_of(measure, x, y, rows, 0), measure.name == "spearman"
        if takes_something_out(measure, both, covariates):
            style = fitting_style(covariates, rows, values.x, values.y, are_ranks=are_ranks)
            used = style
        else:
            used = "strata"
        leftover = covariates.leftover(used, rows)
        follow = all(
            _follows(leftover, column, own, rows, (used, are_ranks), memory)
            for column, own in ((x, values.x), (y, values.y))
        )
    adapted = beyond(measure, both, covariates, rows, style) if n else measure
    if style != covariates.control:
        memory = None  # what it holds was made by the default design
    plain = prepare_pair(adapted, x, y, memory, rows=rows, bound=bound, root=root, progress=progress)
    fields = {name: getattr(plain, name) for name in Pair.__dataclass_fields__}
    pair = GivenPair(**fields, covariates=covariates, follow=follow)
    return replace(pair, note="; ".join(pair.remarks))


def _follows(
    leftover: Leftover,
    column: Column,
    values: Values,
    rows: NDArray[np.bool_] | None,
    how: tuple[str, bool],
    memory: Memory | None,
) -> bool:
    """Test if a column follows the covariates more finely than the design, once per set of rows."""

    def find(_: Column) -> bool:
        columns = columns_to_test(values, how[1])
        if columns is None:
            return False
        return (
            bool(leftover.follows(columns)[0]) if columns.shape[1] == 1 else leftover.follow_together(columns)
        )

    if memory is None:
        return find(column)
    return memory.on_rows(("follows", *how, values.dtype.kind), column, rows, find, n_bytes=0)
