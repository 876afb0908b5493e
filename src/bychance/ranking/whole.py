"""The pairs of a block all at once, where measure and null have a form for that.

Every figure is the one that the stages of a single pair give. What only they can answer is left to them:
degenerate pairs, nulls that must be sampled or enumerated, laws that cannot be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.bulk.lines import line_rows
from bychance.bulk.ranks import rank_rows
from bychance.bulk.records import TraceRows
from bychance.columns import Column
from bychance.measures import Measure
from bychance.measures.structures import TableForm, TableTrace
from bychance.nulls.batch import (
    ENGINES,
    NullBatch,
    cantelli_gains,
    match_traces,
    multinomial_gains,
    normal_theory,
)
from bychance.nulls.choose import Auto, NullSpec, may_be_enumerated, may_have_few_tables
from bychance.nulls.trust import CAVEATS
from bychance.ranking.job import Job
from bychance.ranking.rows import NO_SIGN, Rows, TextList, level_note

__all__ = ["measure_whole"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Figures:
    """Pairs that are not degenerate: `at` says which of those asked for."""

    at: NDArray[np.intp]
    observed: Array
    bound: Array
    sign: NDArray[np.int8] | None
    nulls: NullBatch
    is_open: NDArray[np.bool_]  # where `auto` looks for an exact law first


def measure_whole(
    form: TableForm,
    measure: Measure[Any],
    job: Job,
    rows: Rows,
    picked: NDArray[np.intp],
    columns: Sequence[Column],
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    texts: TextList,
) -> tuple[NDArray[np.bool_], Array]:
    """Fill in those of the picked rows that can be had at once: which, and the bounds of all.

    `pairs` are the picked rows' places among the columns.
    """
    is_done, bounds = np.zeros(len(picked), dtype=np.bool_), np.full(len(picked), np.nan)
    figures = _figures(form, measure, job.null, _Sides.of(columns, *pairs))
    if figures is None:
        return is_done, bounds
    bounds[figures.at] = figures.bound
    nulls = figures.nulls
    is_plain = ~nulls.is_undecided & ~nulls.is_degenerate & (figures.bound > nulls.mean)
    if job.null == "auto" or isinstance(job.null, Auto):
        is_plain &= nulls.is_trusted & ~figures.is_open
    plain = np.flatnonzero(is_plain)
    _fill(rows, picked[figures.at[plain]], _pick(figures, plain), job, texts)
    is_done[figures.at[plain]] = True
    return is_done, bounds


@dataclass(frozen=True, eq=False)
class _Sides:
    """Columns on either side, and each pair's places among them."""

    x: Sequence[Column]
    y: Sequence[Column]
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @classmethod
    def of(cls, columns: Sequence[Column], x: NDArray[np.intp], y: NDArray[np.intp]) -> _Sides:
        """Those of pairs by their places among the columns; one list where both sides hold the same."""
        (xs, first), (ys, second) = (np.unique(side, return_inverse=True) for side in (x, y))
        x_columns = [columns[k] for k in xs]
        y_columns = x_columns if np.array_equal(xs, ys) else [columns[k] for k in ys]
        return cls(x_columns, y_columns, first.reshape(-1), second.reshape(-1))


def _figures(form: TableForm, measure: Measure[Any], null: NullSpec, sides: _Sides) -> _Figures | None:
    """What is known of the pairs at once; None where this null has no such form."""
    asked = "auto" if isinstance(null, Auto) else null
    if not isinstance(form, TableTrace) or form.x not in ("line", "ranks") or form.y not in ("line", "ranks"):
        return None
    if asked == "paper":
        asked = {"normal": "normal", "cantelli": "cantelli"}.get(measure.paper_null or "", "")
    has_normal_model = form.law == "beta" and form.x != "ranks"
    if asked in ("auto", "moments") or (asked == "normal" and has_normal_model):
        return _traces(form, str(asked), sides)
    if asked in ("cantelli", "multinomial") and measure.paper_null == "cantelli":
        return _traces(form, str(asked), sides)
    return None


def _traces(form: TableTrace, asked: str, sides: _Sides) -> _Figures:
    found = _trace_rows(form, sides)
    at = np.flatnonzero(~found.is_degenerate)
    n, x, y = found.n[at], found.x_invariants[at], found.y_invariants[at]
    groups = {"x": found.x_distinct[at], "y": found.y_distinct[at]}
    ones = np.ones(len(at))
    scale = {"one": ones, "rows": 1 / n, "variation": 1 / y[:, 0]}[form.scale]
    bound = {"one": ones, "impurity": y[:, 0] / n, "groups": np.minimum(*groups.values()) - 1.0}[form.bound]
    if asked == "normal":
        k = groups["x"] if form.x == "projector" else groups["y"]
        df = k - 1 if "projector" in (form.x, form.y) else np.ones(len(at), dtype=np.int64)
        enough = np.flatnonzero(n - 1 - df >= 1)
        at, n, bound, scale, df = at[enough], n[enough], bound[enough], scale[enough], df[enough]
        nulls = normal_theory(df_explained=df, df_residual=n - 1 - df)
    elif asked in ("cantelli", "multinomial"):
        of_gain = {"n": n, "x_groups": groups["x"], "x_invariants": x, "y_invariants": y, "scale": scale}
        nulls = (
            cantelli_gains(**of_gain) if asked == "cantelli" else multinomial_gains(**of_gain, upper=bound)
        )
    else:
        nulls = match_traces(
            n=n,
            x_invariants=x,
            y_invariants=y,
            x_distinct=groups["x"],
            y_distinct=groups["y"],
            scale=scale,
            law=form.law,
            upper=bound,
        )
    is_open = may_be_enumerated(n)
    if found.x_smallest is not None and found.y_smallest is not None:
        smallest = found.x_smallest[at], found.y_smallest[at]
        is_open = is_open | may_have_few_tables(n, groups["x"], groups["y"], *smallest)
    observed = np.clip(found.trace[at] * scale, 0.0, bound)
    sign = None if found.sign is None else found.sign[at]
    return _Figures(at, observed, bound, sign, nulls, is_open)


def _trace_rows(form: TableTrace, sides: _Sides) -> TraceRows:
    x, y, first, second = sides.x, sides.y, sides.first, sides.second
    if form.x == "ranks":
        return rank_rows(x, y, first, second)
    if form.x == form.y == "line":
        return line_rows(x, y, first, second)
    raise TypeError(f"no engine for {form}")


def _pick(figures: _Figures, plain: NDArray[np.intp]) -> _Figures:
    return _Figures(
        figures.at[plain],
        figures.observed[plain],
        figures.bound[plain],
        None if figures.sign is None else figures.sign[plain],
        figures.nulls.pick(plain),
        figures.is_open[plain],
    )


def _fill(rows: Rows, at: NDArray[np.intp], figures: _Figures, job: Job, texts: TextList) -> None:
    observed, nulls = figures.observed, figures.nulls
    rows.sign[at] = NO_SIGN if figures.sign is None else figures.sign
    rows.observed[at] = observed
    rows.adjusted[at] = (observed - nulls.mean) / (figures.bound - nulls.mean)
    rows.standardized[at] = (observed - nulls.mean) / nulls.std
    rows.adjusted_at[at] = observed - nulls.quantile(1 - job.alpha)
    rows.p_value[at] = nulls.sf(observed)
    rows.null_mean[at], rows.null_std[at] = nulls.mean, nulls.std
    for name in ("adjusted_se", "standardized_se", "adjusted_at_se"):
        getattr(rows, name)[at] = 0.0
    rows.engine[at] = np.array([texts.number(engine) for engine in ENGINES], dtype=np.int16)[nulls.engine]
    notes = [texts.number(level_note(caveat)) for caveat in CAVEATS]
    rows.note[at] = np.array(notes, dtype=np.int16)[nulls.caveat]
    for k, level in enumerate(job.sweep):
        rows.swept[at, k] = observed - nulls.quantile(1 - level)
