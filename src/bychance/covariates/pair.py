"""Pair of columns given covariates, on the rows without missing values, and its measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bychance.array_types import BoolArray
from bychance.columns import Column, Memory
from bychance.covariates.common_effect import CommonEffect
from bychance.covariates.covariates import Covariates
from bychance.covariates.measures import GivenMeasure, is_known
from bychance.covariates.separate_effects import ResidualEffect, StrataKendall, StrataSum
from bychance.covariates.settings import Controlled, remarks_on
from bychance.measures.base import Measure
from bychance.names import count_of, display_name, in_words
from bychance.pair import Pair, prepare_pair, sample_of, takes_numbers

__all__ = [
    "has_common_effect",
    "measure_given",
    "prepare_given",
]

_FEWEST_LEFT = 3  # least number of rows minus degrees of freedom of the covariates (taste)
_CELL_ROWS = 12  # rows per numeric covariate and one more from which there are two cells (design.py: 2 · 6)


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
) -> Pair:
    """Prepare two columns for a measure given covariates, with smaller cells if their residuals need them."""
    rows = covariates.shared_rows(x, y)
    n = covariates.n_rows(rows)
    are_numbers = all(takes_numbers(measure, x.kind, y.kind))
    style, follow = _default_style(measure, covariates, are_numbers=are_numbers), False
    if covariates.may_remain_in_residuals and n >= measure.min_n and covariates.vary(rows):
        values, are_ranks = sample_of(measure, x, y, rows, 0), measure.name == "spearman"
        if style == covariates.control:
            style = covariates.fitting_style(rows, values.x, values.y, are_ranks=are_ranks)
        follow = all(
            covariates.still_shows_in(column, own, rows, style, are_ranks=are_ranks)
            for column, own in ((x, values.x), (y, values.y))
        )
        if style not in (covariates.control, "strata"):
            memory = None  # its prepared columns belong to the default design
    adapted = measure_given(measure, covariates, rows, style, are_numbers=are_numbers) if n else measure
    pair = prepare_pair(adapted, x, y, memory, rows=rows, bound=bound, root=root, progress=progress)
    if not isinstance(adapted, GivenMeasure):
        constant = "the covariates do not vary"
        control = Controlled(
            columns=covariates.names,
            control=covariates.control,
            n_cells=1,
            n_used=n,
            df=1,
            caveats=(constant,),
        )
        return replace(pair, given=control, note=constant)
    control, remarks = _controlled(pair, covariates, adapted, follow=follow)
    return replace(
        pair,
        given=control,
        note="; ".join(remarks),
        too_few=pair.too_few or _too_few(control, n),
        undetermined=_undetermined(pair, control),
    )


def _controlled(
    pair: Pair, covariates: Covariates, measure: GivenMeasure, *, follow: bool
) -> tuple[Controlled, tuple[str, ...]]:
    """Return the record of how covariates were controlled, and the caveats that apply to this pair."""
    control = covariates.control
    found = Controlled(
        columns=covariates.names, control=control, n_cells=measure.n_cells, n_used=pair.n, df=measure.df
    )
    if pair.x is None:
        return found, ()
    if isinstance(measure, StrataSum) and covariates.may_remain_in_residuals:
        control = "strata"
    n_used = measure.n_rows_used(pair.x, pair.y)
    shares = pair.x.share, pair.y.share
    remarks = remarks_on(
        pair.names,
        covariates.names,
        n=pair.n,
        df=found.df,
        n_used=n_used,
        shares=shares,
        follow=follow,
    )
    limits = _caveats_of(control, pair.n, covariates.n_numeric)
    return replace(
        found,
        control=control,
        n_used=n_used,
        x_share=shares[0],
        y_share=shares[1],
        caveats=(*remarks, *limits),
        still_follow=follow,
    ), remarks


def _caveats_of(control: str, n: int, p: int) -> list[str]:
    """Return the limitations of the method `control`, as texts, for n rows and p numeric covariates."""
    rules = [
        (control == "smooth" and n < _CELL_ROWS * (p + 1), "one cell: variances are assumed equal"),
        (control == "linear", "numbers are taken out linearly"),
        (control == "strata", "covariates vary within cells"),
    ]
    return [text for holds, text in rules if holds and p > 0]


def _too_few(control: Controlled, n: int) -> str:
    """Return a sentence part on too few rows beside the degrees of freedom of the covariates, or ""."""
    # Cells of one row determine everything.
    if n - control.df >= _FEWEST_LEFT or control.n_cells == n:
        return ""
    return (
        f"{count_of(n, 'shared row')} and {count_of(control.df, 'degree')} of freedom of the "
        "covariates; at least 3 must be left"
    )


def _undetermined(pair: Pair, control: Controlled) -> str:
    """Return why x or y does not vary given the covariates, or ""."""
    if pair.x is None:
        return ""
    if control.n_cells == pair.n:
        return f"no two rows share {in_words(control.columns)}"
    variables = zip(pair.names, (pair.x, pair.y), strict=True)
    stuck = [display_name(name) for name, variable in variables if variable.is_degenerate]
    if not stuck:
        return ""
    verb = "does" if len(stuck) == 1 else "do"
    return f"given {in_words(control.columns)}, {' and '.join(stuck)} {verb} not vary"


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
        effect.has_quick_swaps = is_line and effect.has_only_cells  # type: ignore[misc] # see above
        return effect
    if style != "strata":
        return ResidualEffect(measure, design)
    return (StrataKendall if measure.name == "kendall" and is_known(measure) else StrataSum)(measure, design)
