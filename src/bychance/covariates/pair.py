"""Pair of columns given covariates, on the rows without missing values, and its measure."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from bychance.array_types import BoolArray
from bychance.columns import Column, Memory, shared_rows
from bychance.covariates.common_effect import CommonEffect
from bychance.covariates.covariates import Covariates
from bychance.covariates.design import Design
from bychance.covariates.measures import GivenMeasure, is_known
from bychance.covariates.residual_tests import (
    ResidualTests,
    columns_to_test,
    is_finer_better,
)
from bychance.covariates.separate_effects import ResidualEffect, StrataKendall, StrataSum
from bychance.covariates.settings import Controlled, remarks_on
from bychance.measures.base import Measure, Values
from bychance.names import count_of, display_name, in_words
from bychance.pair import Pair, prepare_pair, sample_of, takes_numbers

__all__ = [
    "GivenPair",
    "fitting_style",
    "has_common_effect",
    "measure_given",
    "prepare_given",
]

_FEWEST_LEFT = 3  # least number of rows minus degrees of freedom of the covariates (taste)
_CELL_ROWS = 12  # rows per numeric covariate and one more from which there are two cells (design.py: 2 · 6)


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenPair(Pair):
    """Pair of variables given covariates, on the rows without missing values in any of them."""

    covariates: Covariates
    follow: bool = False  # True if the residuals of both columns still depend on the covariates

    @property
    def _design(self) -> Design | None:
        """Cells and regression basis of the covariates on these rows, None if covariates are constant."""
        return self.measure.design if isinstance(self.measure, GivenMeasure) else None

    @cached_property
    def too_few(self) -> str:
        """Reason why there are too few rows for the measure and the covariates, or an empty string."""
        short, design = super().too_few, self._design
        if short or design is None or self.n - design.df >= _FEWEST_LEFT:
            return short
        if design.n_cells == self.n:  # cells of one row determine everything
            return ""
        return (
            f"{count_of(self.n, 'shared row')} and {count_of(design.df, 'degree')} of freedom of the "
            "covariates; at least 3 must be left"
        )

    @property
    def undetermined(self) -> str:
        """Reason why x or y does not vary given the covariates, or an empty string."""
        if self._design is None:
            return ""
        if self._design.n_cells == self.n:
            return f"no two rows share {in_words(self.covariates.names)}"
        variables = zip(self.names, (self.x, self.y), strict=True)
        stuck = [display_name(name) for name, variable in variables if variable.is_degenerate]
        if not stuck:
            return ""
        verb = "does" if len(stuck) == 1 else "do"
        return f"given {in_words(self.covariates.names)}, {' and '.join(stuck)} {verb} not vary"

    @cached_property
    def given(self) -> Controlled:
        """Record of the control of covariates: their names, cells, degrees of freedom and caveats."""
        design, control = self._design, self.covariates.control
        if design is None or self.x is None:
            sizes = (1, 1) if design is None else (design.n_cells, design.df)
            return Controlled(
                columns=self.covariates.names,
                control=control,
                n_cells=sizes[0],
                n_used=self.n,
                df=sizes[1],
                caveats=self.remarks,
            )
        if isinstance(self.measure, StrataSum) and self.covariates.may_remain_in_residuals:
            control = "strata"
        return Controlled(
            columns=self.covariates.names,
            control=control,
            n_cells=design.n_cells,
            n_used=self._n_used(design),
            df=design.df,
            x_share=self.x.share,
            y_share=self.y.share,
            caveats=(*self.remarks, *self._limits(control)),
            still_follow=self.follow,
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Caveats that apply to this pair, one sentence each."""
        if self._design is None:
            return ("the covariates do not vary",)
        if self.x is None:
            return ()
        return remarks_on(
            self.names,
            self.covariates.names,
            n=self.n,
            df=self._design.df,
            n_used=self._n_used(self._design),
            shares=(self.x.share, self.y.share),
            follow=self.follow,
        )

    def _n_used(self, design: Design) -> int:
        """Count the rows in cells in which both variables vary."""
        return int(design.cells.sizes[self.x.varies_in & self.y.varies_in].sum())

    def _limits(self, control: str) -> list[str]:
        """Return caveats on the way of controlling covariates, which do not depend on the columns."""
        p = self.covariates.n_numeric
        is_one_cell = control == "smooth" and self.n < _CELL_ROWS * (p + 1)
        rules = [
            (is_one_cell, "one cell: variances are assumed equal"),
            (control == "linear", "numbers are taken out linearly"),
            (control == "strata", "covariates vary within cells"),
        ]
        return [text for holds, text in rules if holds and p > 0]

    def part(self, size: int) -> Pair | None:
        """Return None: a pair given covariates is not reduced to a sample of its rows."""
        return None


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
    """Prepare two columns for a measure given covariates, with smaller cells if their residuals need them."""
    rows = covariates.shared_rows(shared_rows(x, y))
    n = len(x) if rows is None else int(rows.sum())
    are_numbers = all(takes_numbers(measure, x.kind, y.kind))
    style, follow = _default_style(measure, covariates, are_numbers=are_numbers), False
    if covariates.may_remain_in_residuals and n >= measure.min_n and covariates.vary(rows):
        values, are_ranks = sample_of(measure, x, y, rows, 0), measure.name == "spearman"
        if style == covariates.control:
            style = fitting_style(covariates, rows, values.x, values.y, are_ranks=are_ranks)
        tests = covariates.residual_tests(style, rows)
        follow = all(
            _follows(tests, column, own, rows, (style, are_ranks), memory)
            for column, own in ((x, values.x), (y, values.y))
        )
        if style not in (covariates.control, "strata"):
            memory = None  # its prepared columns belong to the default design
    adapted = measure_given(measure, covariates, rows, style, are_numbers=are_numbers) if n else measure
    plain = prepare_pair(adapted, x, y, memory, rows=rows, bound=bound, root=root, progress=progress)
    known = {field.name: getattr(plain, field.name) for field in fields(Pair)}
    pair = GivenPair(**known, covariates=covariates, follow=follow)
    return replace(pair, note="; ".join(pair.remarks))


def fitting_style(
    covariates: Covariates, rows: BoolArray | None, x: Values, y: Values, *, are_ranks: bool = False
) -> str:
    """Return the name of the coarsest covariate design whose confounding of x and y no finer one reduces."""
    styles = covariates.styles
    first, second = (columns_to_test(v, are_ranks) if len(styles) > 1 else None for v in (x, y))
    for coarse, fine in pairwise(styles):
        if first is None or second is None:
            return coarse
        if not is_finer_better(covariates.design(coarse, rows), covariates.design(fine, rows), first, second):
            return coarse
    return styles[-1]


def _follows(
    tests: ResidualTests,
    column: Column,
    values: Values,
    rows: BoolArray | None,
    how: tuple[str, bool],
    memory: Memory | None,
) -> bool:
    """Test if residuals of a column still depend on the covariates. Results are cached per set of rows."""

    def find(_: Column) -> bool:
        columns = columns_to_test(values, how[1])
        return columns is not None and bool(tests.follows(columns, are_one=columns.shape[1] > 1)[0])

    known_as = "follows", *how, values.dtype.kind
    return (memory or Memory()).on_rows(known_as, column, rows, find, n_bytes=0)


_COMMON = ("explained", "shape", "r2", "eta2", "spearman")  # measures with a partial R²
_PER_STRATUM = ("dcor", "hsic", "xi", "kendall")  # computed per stratum given categories, else on residuals


def has_common_effect(measure: Measure[Any], covariates: Covariates) -> bool:
    """Return True if the measure estimates one effect that all cells share."""
    return measure.name in _COMMON and is_known(measure) and covariates.effect == "common"


def _default_style(measure: Measure[Any], covariates: Covariates, *, are_numbers: bool) -> str:
    """Return the name of the covariate design of a measure: `control`, or "strata" if it needs strata."""
    if has_common_effect(measure, covariates):
        return covariates.control
    takes_strata = (
        is_known(measure) and measure.name in _PER_STRATUM and not covariates.may_remain_in_residuals
    )
    is_of_residuals = are_numbers and covariates.effect == "common" and not takes_strata
    return covariates.control if is_of_residuals else "strata"


def measure_given(
    measure: Measure[Any], covariates: Covariates, rows: BoolArray | None, style: str, *, are_numbers: bool
) -> Measure[Any]:
    """Return the measure given covariates in the design `style`, or unchanged if they are constant."""
    if not covariates.vary(rows):
        return measure
    design = covariates.design(style, rows)
    if has_common_effect(measure, covariates):
        effect = CommonEffect(measure, design)
        # A class attribute elsewhere. Here it depends on the pair.
        is_line = are_numbers and not measure.bends_levels
        effect.has_quick_swaps = is_line and design.has_only_cells  # type: ignore[misc] # see above
        return effect
    if style != "strata":
        return ResidualEffect(measure, design)
    return (StrataKendall if measure.name == "kendall" and is_known(measure) else StrataSum)(measure, design)
