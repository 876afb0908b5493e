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
from bychance.given.record import Controlled, in_words
from bychance.given.steepness import Control, fitting_control
from bychance.kinds import Kind
from bychance.measures.base import Measure
from bychance.memory import Memory
from bychance.names import count_of, display_name
from bychance.pair import Pair, prepare_pair, sample_of, takes_numbers

__all__ = ["GivenPair", "prepare_given"]

_FEWEST_LEFT = 3  # rows beyond the degrees of freedom of the covariates
_CELL_ROWS = 12  # per numeric covariate and one more, from which there are two cells
_MOST_EXPLAINED = 0.99


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenPair(Pair):
    """Two variables on the rows that have them and every covariate."""

    covariates: Covariates
    is_doubtful: bool = False  # whether what is left may still be the covariates' doing

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
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What this pair's own columns and rows leave to doubt."""
        measure = self._beyond
        if measure is None:
            return ("the covariates do not vary",)
        if self.x is None:
            return ()
        n_used = self.n_used
        shares = [(name, v.share) for name, v in zip(self.names, (self.x, self.y), strict=True)]
        rules = [
            (2 * measure.design.df > self.n, "few rows for so many covariates"),
            (self.is_doubtful, _doubt(self.names, self.covariates)),
            (2 * n_used < self.n, f"only {count_of(n_used, 'row')} in cells where both columns vary"),
            *(
                (share > _MOST_EXPLAINED, f"the covariates explain {share:.1%} of {display_name(name)}")
                for name, share in shares
            ),
        ]
        return tuple(text for holds, text in rules if holds)

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
    control = _control(measure, (kinds[0], kinds[1]), x, y, covariates, rows, n)
    adapted = beyond(measure, (kinds[0], kinds[1]), covariates, rows, control.style) if n else measure
    if control.style != covariates.control:
        memory = None  # what it holds was made by the default design
    plain = prepare_pair(adapted, x, y, memory, rows=rows, bound=bound, root=root, progress=progress)
    fields = {name: getattr(plain, name) for name in Pair.__dataclass_fields__}
    pair = GivenPair(**fields, covariates=covariates, is_doubtful=control.is_doubtful)
    return replace(pair, note="; ".join(pair.remarks))


def _control(
    measure: Measure[Any],
    kinds: tuple[Kind, Kind],
    x: Column,
    y: Column,
    covariates: Covariates,
    rows: NDArray[np.bool_] | None,
    n: int,
) -> Control:
    """The design that the pair takes: a finer one where x and y still follow the covariates."""
    is_open = len(covariates.styles) > 1 and n >= measure.min_n and covariates.vary(rows)
    if not is_open or not takes_something_out(measure, kinds, covariates):
        return Control(covariates.control)
    values = sample_of(measure, x, y, rows, 0)
    return fitting_control(covariates, rows, values.x, values.y, are_ranks=measure.name == "spearman")


def _doubt(names: tuple[str, ...], covariates: Covariates) -> str:
    """What a reader should know where a finer design was needed and something is left in it."""
    x, y = map(display_name, names)
    return (
        f"{x} and {y} follow {in_words(covariates.names)} steeply: what is left of them may still do so, "
        "and the answer be too large; give a finer covariate, or its logarithm or another scale"
    )
