"""The pairs of a block all at once, where measure and null have a form for that.

Every figure is the one that the stages of a single pair give. What only they can answer is left to them:
degenerate pairs, nulls that must be sampled or enumerated, laws that cannot be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bychance.adjustments import adjust_at, quantify, standardize
from bychance.columns import Column
from bychance.given.laws import engine_given
from bychance.measures import Measure
from bychance.measures.structures import Algebra, Matrix, Trace
from bychance.nulls.choose import (
    Auto,
    NullSpec,
    may_be_enumerated,
    may_have_few_fourfold_tables,
    may_have_few_tables,
)
from bychance.nulls.laws import ENGINES, Laws
from bychance.nulls.matching import (
    cantelli_gains,
    match_information,
    match_traces,
    multinomial_gains,
    normal_theory,
)
from bychance.nulls.trust import CAVEATS
from bychance.ranking.contingency import information_rows, table_rows
from bychance.ranking.given_lines import given_figures
from bychance.ranking.job import Job
from bychance.ranking.mixed import mixed_rows
from bychance.ranking.pair_rows import NO_SIGN, PKind, Rows, TextList, level_note
from bychance.ranking.pearson import line_rows
from bychance.ranking.spearman import rank_rows
from bychance.ranking.trace_rows import InformationRows, PairFigures, TraceRows

__all__ = ["measure_whole"]

Array = NDArray[np.float64]
Others = tuple[NDArray[np.int64], NDArray[np.int64]]

# With more distinct values, of x times of y, few rows have more than a few tables.
_FEW_CELLS = 32


def measure_whole(
    form: Algebra,
    measure: Measure[Any],
    job: Job,
    rows: Rows,
    picked: NDArray[np.intp],
    columns: Sequence[Column],
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    most_alike: NDArray[np.int64],
    texts: TextList,
) -> tuple[NDArray[np.bool_], Array]:
    """Fill in those of the picked rows that can be had at once: which, and the bounds of all.

    `pairs` are the picked rows' places among the columns, `most_alike` those of the columns.
    """
    is_done, bounds = np.zeros(len(picked), dtype=np.bool_), np.full(len(picked), np.nan)
    if job.covariates is None:
        figures = _figures(form, measure, job.null, _Sides.of(columns, *pairs, most_alike))
    else:
        figures = given_figures(measure, job.null, job.covariates, columns, pairs)
    if figures is None:
        return is_done, bounds
    bounds[figures.at] = figures.bound
    nulls = figures.nulls
    is_plain = ~nulls.is_undecided & ~nulls.is_degenerate & (figures.bound > nulls.mean)
    if job.null == "auto" or isinstance(job.null, Auto):
        is_plain &= nulls.is_trusted & ~figures.is_open
    if job.null == "moments":
        is_plain &= ~figures.has_few_atoms
    plain = np.flatnonzero(is_plain)
    _fill(rows, picked[figures.at[plain]], figures.pick(plain), job, texts)
    is_done[figures.at[plain]] = True
    return is_done, bounds


@dataclass(frozen=True, eq=False)
class _Sides:
    """Columns on either side, and each pair's places among them."""

    x: Sequence[Column]
    y: Sequence[Column]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    most_alike: tuple[NDArray[np.int64], NDArray[np.int64]]  # of the columns of each pair

    def fewest_others(self, at: NDArray[np.intp], n: NDArray[np.int64]) -> Others:
        """At least how many of the n shared rows differ from the most common value, for some of the pairs."""
        x, y = self.most_alike
        return np.maximum(n - x[at], 0), np.maximum(n - y[at], 0)

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        x: NDArray[np.intp],
        y: NDArray[np.intp],
        most_alike: NDArray[np.int64],
    ) -> _Sides:
        """Those of pairs by their places among the columns; one list where both sides hold much the same."""
        xs, ys = np.unique(x), np.unique(y)
        if 2 * len(np.intersect1d(xs, ys)) > max(len(xs), len(ys)):
            xs = ys = np.union1d(xs, ys)
        x_columns = [columns[k] for k in xs]
        y_columns = x_columns if xs is ys else [columns[k] for k in ys]
        places = np.searchsorted(xs, x), np.searchsorted(ys, y)
        return cls(x_columns, y_columns, *places, (most_alike[x], most_alike[y]))


def _figures(form: Algebra, measure: Measure[Any], null: NullSpec, sides: _Sides) -> PairFigures | None:
    """What is known of the pairs at once; None where this null has no such form."""
    asked = "auto" if isinstance(null, Auto) else null
    if not isinstance(form, Trace):
        return _information(sides) if asked in ("auto", "moments") else None
    if asked == "paper":
        asked = {"normal": "normal", "cantelli": "cantelli"}.get(measure.paper_null or "", "")
    if asked in ("auto", "moments") or (asked == "normal" and form.has_normal_model):
        return _traces(form, str(asked), sides)
    if asked in ("cantelli", "multinomial") and measure.has_multinomial_model:
        return _traces(form, str(asked), sides)
    return None


def _traces(form: Trace, asked: str, sides: _Sides) -> PairFigures:
    found = _trace_rows(form, sides)
    is_usable = ~found.is_degenerate
    if asked == "normal":
        is_usable &= found.n - 1 - form.df_explained(found.x_distinct, found.y_distinct) >= 1
    at = np.flatnonzero(is_usable)
    found = found.pick(at)
    ones, variation = np.ones(len(at)), found.y_invariants[:, 0]
    scale = ones * form.scale(found.n, variation)
    bound = ones * form.bound(found.n, variation, found.x_distinct, found.y_distinct)
    others = sides.fewest_others(at, found.n)
    has_few_atoms = may_have_few_fourfold_tables(found.n, found.x_distinct, found.y_distinct, *others)
    is_open = may_be_enumerated(found.n) | has_few_atoms
    if found.x_smallest is None or found.y_smallest is None:
        is_small = may_be_enumerated(found.n) & (found.x_distinct * found.y_distinct <= _FEW_CELLS)
        has_few_atoms = has_few_atoms | is_small
    else:
        groups = found.n, found.x_distinct, found.y_distinct, found.x_smallest, found.y_smallest
        is_open = is_open | may_have_few_tables(*groups)
        has_few_atoms = has_few_atoms | may_have_few_tables(*groups, is_moments=True)
    return PairFigures(
        at=at,
        observed=np.clip(found.trace * scale, 0.0, bound),
        bound=bound,
        sign=found.sign,
        nulls=_trace_nulls(form, asked, found, scale, bound, others),
        is_open=is_open,
        has_few_atoms=has_few_atoms,
    )


def _trace_nulls(
    form: Trace, asked: str, found: TraceRows, scale: Array, bound: Array, others: Others
) -> Laws:
    if asked == "normal":
        df = form.df_explained(found.x_distinct, found.y_distinct)
        return normal_theory(df_explained=df, df_residual=found.n - 1 - df)
    if asked in ("cantelli", "multinomial"):
        gains = cantelli_gains if asked == "cantelli" else partial(multinomial_gains, upper=bound)
        return gains(
            n=found.n,
            x_groups=found.x_distinct,
            x_invariants=found.x_invariants,
            y_invariants=found.y_invariants,
            scale=scale,
        )
    return match_traces(
        n=found.n,
        x_invariants=found.x_invariants,
        y_invariants=found.y_invariants,
        x_distinct=found.x_distinct,
        y_distinct=found.y_distinct,
        scale=scale,
        law=form.law,
        upper=bound,
        others=others,
        is_whole_table=True,
    )


def _trace_rows(form: Trace, sides: _Sides) -> TraceRows:
    x, y, first, second = sides.x, sides.y, sides.first, sides.second
    weights: Literal["indicator", "projector"] = "indicator" if form.y is Matrix.INDICATOR else "projector"
    if form.x is Matrix.RANKS:
        return rank_rows(x, y, first, second)
    if form.x is form.y is Matrix.LINE:
        return line_rows(x, y, first, second)
    if form.x is Matrix.LINE:
        return mixed_rows(y, x, second, first, form=weights, labels_are_x=False)
    if form.y is Matrix.LINE:
        return mixed_rows(x, y, first, second, form="projector", labels_are_x=True)
    return table_rows(x, y, first, second, y_form=weights)


def _information(sides: _Sides) -> PairFigures:
    found: InformationRows = information_rows(sides.x, sides.y, sides.first, sides.second)
    at = np.flatnonzero(~found.is_degenerate)
    n, smallest = found.n[at], (found.x_smallest[at], found.y_smallest[at])
    others = sides.fewest_others(at, n)
    nulls = match_information(
        n=n,
        mean=found.mean[at],
        variance=found.variance[at],
        upper=found.bound[at],
        x_distinct=found.x_distinct[at],
        y_distinct=found.y_distinct[at],
        min_expected=smallest[0] * smallest[1] / n,
        others=others,
        is_whole_table=True,
    )
    groups = found.x_distinct[at], found.y_distinct[at]
    has_few_atoms = may_have_few_fourfold_tables(n, *groups, *others)
    is_open = may_be_enumerated(n) | may_have_few_tables(n, *groups, *smallest) | has_few_atoms
    has_few_atoms |= may_have_few_tables(n, *groups, *smallest, is_moments=True)
    return PairFigures(at, found.observed[at], found.bound[at], None, nulls, is_open, has_few_atoms)


def _fill(rows: Rows, at: NDArray[np.intp], figures: PairFigures, job: Job, texts: TextList) -> None:
    observed, nulls = figures.observed, figures.nulls
    rows.sign[at] = NO_SIGN if figures.sign is None else figures.sign
    rows.observed[at] = observed
    rows.adjusted[at] = quantify(observed, nulls.mean, figures.bound)
    rows.standardized[at] = standardize(observed, nulls.mean, nulls.std)
    rows.adjusted_at[at] = adjust_at(observed, nulls.quantile(1 - job.alpha))
    rows.p_value[at], rows.p_kind[at] = nulls.sf(observed), PKind.MATCHED
    rows.null_mean[at], rows.null_std[at] = nulls.mean, nulls.std
    for name in ("adjusted_se", "standardized_se", "adjusted_at_se"):
        getattr(rows, name)[at] = 0.0
    rename = str if job.covariates is None else engine_given
    engines = [texts.number(rename(engine.name)) for engine in ENGINES]
    rows.engine[at] = np.array(engines, dtype=np.int32)[nulls.engine]
    notes = [texts.number(level_note(caveat)) for caveat in CAVEATS]
    rows.note[at] = np.array(notes, dtype=np.int32)[nulls.caveat]
    for k, level in enumerate(job.sweep):
        rows.swept[at, k] = adjust_at(observed, nulls.quantile(1 - level))
