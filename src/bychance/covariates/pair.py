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
from bychance.covariates.measures import GivenMeasure, is_known
from bychance.covariates.residual_tests import (
    STEEP,
    ResidualTests,
    are_comparable,
    columns_to_test,
    excess_of_pair,
)
from bychance.covariates.separate_effects import ResidualEffect, StrataKendall, StrataSum
from bychance.covariates.settings import Controlled, remarks_on
from bychance.kinds import Kind
from bychance.measures.base import Measure, Values
from bychance.names import count_of, display_name, in_words
from bychance.pair import Pair, prepare_pair, sample_of, takes_numbers

__all__ = [
    "GivenPair",
    "beyond",
    "fitting_style",
    "has_common_effect",
    "prepare_given",
    "takes_something_out",
]

_FEWEST_LEFT = 3  # rows beyond the degrees of freedom of the covariates
_CELL_ROWS = 12  # per numeric covariate and one more, from which there are two cells


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenPair(Pair):
    """Pair of variables given covariates, on the rows without missing values in any of them."""

    covariates: Covariates
    follow: bool = False  # if both columns follow the covariates more finely than what was taken out

    @property
    def _given_measure(self) -> GivenMeasure | None:
        """The measure given covariates, or None if the covariates are constant on these rows."""
        return self.measure if isinstance(self.measure, GivenMeasure) else None

    @cached_property
    def too_few(self) -> str:
        """Sentence part that says why there are too few rows, or an empty string."""
        if (short := super().too_few) or self._given_measure is None:
            return short
        k, n_cells = self._given_measure.design.df, len(self._given_measure.design.cells)
        if self.n - k >= _FEWEST_LEFT or n_cells == self.n:  # cells of one row determine everything
            return ""
        return (
            f"{count_of(self.n, 'shared row')} and {count_of(k, 'degree')} of freedom of the covariates; "
            "at least 3 must be left"
        )

    @property
    def undetermined(self) -> str:
        """Reason why x or y does not vary given the covariates, or an empty string."""
        if self._given_measure is None:
            return ""
        given = in_words(self.covariates.names)
        if len(self._given_measure.design.cells) == self.n:
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
        """Record of the covariates, the cells and degrees of freedom, and the caveats of the control."""
        measure = self._given_measure
        known = measure is not None and self.x is not None
        return Controlled(
            columns=self.covariates.names,
            control=measure.control if measure is not None and known else self.covariates.control,
            n_cells=1 if measure is None else len(measure.design.cells),
            n_used=self.n_used,
            df=1 if measure is None else measure.design.df,
            x_share=self.x.share if known else 0.0,
            y_share=self.y.share if known else 0.0,
            caveats=(*self.remarks, *(self._limits(measure) if measure is not None and known else ())),
            still_follow=known and self.follow,
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Caveats that apply to this pair, one sentence each."""
        measure = self._given_measure
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
        """Number of rows in cells in which both variables vary."""
        measure = self._given_measure
        if measure is None or self.x is None:
            return self.n
        return int(measure.design.cells.sizes[self.x.varies_in & self.y.varies_in].sum())

    def part(self, size: int) -> Pair | None:
        """Return None instead of a pair of fewer rows, since the covariate design holds for all rows."""
        return None

    def _limits(self, measure: GivenMeasure) -> list[str]:
        """Return caveats that hold for every pair under this way of controlling covariates."""
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
    """Prepare two columns for a measure given covariates, with a finer covariate design if they need it."""
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
        tests = covariates.residual_tests(used, rows)
        follow = all(
            _follows(tests, column, own, rows, (used, are_ranks), memory)
            for column, own in ((x, values.x), (y, values.y))
        )
    adapted = beyond(measure, both, covariates, rows, style) if n else measure
    if style != covariates.control:
        memory = None  # what it holds was made by the default design
    plain = prepare_pair(adapted, x, y, memory, rows=rows, bound=bound, root=root, progress=progress)
    known = {field.name: getattr(plain, field.name) for field in fields(Pair)}
    pair = GivenPair(**known, covariates=covariates, follow=follow)
    return replace(pair, note="; ".join(pair.remarks))


def fitting_style(
    covariates: Covariates, rows: BoolArray | None, x: Values, y: Values, *, are_ranks: bool = False
) -> str:
    """Return the coarsest design whose confounding of x and y a finer design would not reduce."""
    styles = covariates.styles
    columns = [columns_to_test(values, are_ranks) for values in (x, y)] if len(styles) > 1 else [None, None]
    if columns[0] is None or columns[1] is None:
        return styles[0]
    for coarse, fine in pairwise(styles):
        designs = covariates.design(coarse, rows), covariates.design(fine, rows)
        if not are_comparable(*designs) or not excess_of_pair(*designs, columns[0], columns[1]) > STEEP:
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
    """Return True if residuals of the column still depend on the covariates, cached per set of rows."""

    def find(_: Column) -> bool:
        columns = columns_to_test(values, how[1])
        if columns is None:
            return False
        return bool(tests.follows(columns, are_one=columns.shape[1] > 1)[0])

    if memory is None:
        return find(column)
    return memory.on_rows(("follows", *how, values.dtype.kind), column, rows, find, n_bytes=0)


_COMMON = ("explained", "shape", "r2", "eta2", "spearman")
_NUMBERS = (Kind.NUMERIC, Kind.NUMERIC)
_PER_STRATUM = ("dcor", "hsic", "xi", "kendall")  # given categories; given numbers they see residuals


def has_common_effect(measure: Measure[Any], covariates: Covariates) -> bool:
    """Return True if the measure estimates one effect that all cells share."""
    return measure.name in _COMMON and is_known(measure) and covariates.effect == "common"


def takes_something_out(measure: Measure[Any], kinds: tuple[Kind, Kind], covariates: Covariates) -> bool:
    """Return True if the measure is computed from residuals of both columns."""
    return has_common_effect(measure, covariates) or _takes_residuals(measure, kinds, covariates)


def _takes_residuals(measure: Measure[Any], kinds: tuple[Kind, Kind], covariates: Covariates) -> bool:
    if kinds != _NUMBERS or covariates.effect != "common" or covariates.control == "strata":
        return False
    is_own = not is_known(measure) or measure.name not in (*_COMMON, *_PER_STRATUM)
    return is_own or covariates.n_numeric > 0 or covariates.control == "linear"


def beyond(
    measure: Measure[Any],
    kinds: tuple[Kind, Kind],
    covariates: Covariates,
    rows: BoolArray | None,
    style: str | None = None,
) -> Measure[Any]:
    """Convert a measure to its version given covariates, or return it unchanged if covariates are constant.

    `style` names a finer design, if the pair needs one.
    """
    if not covariates.vary(rows):
        return measure
    control = covariates.control
    design = style or control
    if has_common_effect(measure, covariates):
        effect = CommonEffect(measure, covariates.design(design, rows), control)
        is_line = kinds == _NUMBERS and not measure.bends_levels
        # What a class states of itself depends here on the pair.
        effect.has_quick_swaps = is_line and effect.design.has_only_cells  # type: ignore[misc] # see above
        return effect
    if _takes_residuals(measure, kinds, covariates):
        return ResidualEffect(measure, covariates.design(design, rows), control)
    adapter = StrataKendall if measure.name == "kendall" and is_known(measure) else StrataSum
    is_forced = bool(covariates.n_numeric) or control == "linear"
    return adapter(measure, covariates.design("strata", rows), "strata" if is_forced else control)
