"""Which null for which measure on which data: the only place that decides.

In:  what was asked for (a name or settings), a measure and two prepared variables.
Out: a Null with its engine and the reason for it.

"auto" takes the cheapest engine whose level is right: an exact law where that is cheap, else a law matched
to exact moments where the rules of trust.py hold, else Monte Carlo.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError, CostError, NullError, unknown_name
from bychance.measures.structures import (
    CellSum,
    NormalTheory,
    RootOf,
    SignSum,
    TraceForm,
)
from bychance.nulls.base import Null
from bychance.nulls.exact import (
    enumerate_law,
    exact_law,
    fewest_arrangements,
    fourfold_null,
    kendall_null,
    log_count_of_splits,
    log_fewest_arrangements,
    log_fewest_splits,
    log_table_count,
    table_null,
)
from bychance.nulls.kendall import has_exact_law
from bychance.nulls.laws import RootNull
from bychance.nulls.matched import Match, match_structure
from bychance.nulls.matching import cantelli_gains, multinomial_gains, normal_theory
from bychance.nulls.moments import cheap_mean
from bychance.nulls.permutation import Permutation
from bychance.nulls.rank_law import MAX_RANK_LAW_N, is_evenly_spaced, rank_null
from bychance.nulls.sample import SampleNull
from bychance.nulls.sampling import draw_source
from bychance.nulls.sequential import sample_until_known, sample_until_precise
from bychance.pair import Pair, part_of

__all__ = [
    "LOG_FEW_ARRANGEMENTS",
    "MANY_ROWS",
    "NULL_NAMES",
    "Auto",
    "NullSpec",
    "SamplePlan",
    "choose_null",
    "has_few_tables",
    "may_be_enumerated",
    "may_have_few_tables",
    "null_of",
    "sample_null",
]

NULL_NAMES = ("auto", "paper", "moments", "exact", "normal", "multinomial")

# What "auto" spends on an exact law before it looks for something cheaper: a few milliseconds.
_AUTO_ARRANGEMENTS, _AUTO_ENUMERATION_N = 10_000, 20
_LOG_AUTO_TABLES = log(20_000)
_AUTO_TABLE_OPERATIONS = 1e6
_AUTO_KENDALL_N = 200
# With more arrangements, as a logarithm that may be rounded, all are never looked at.
LOG_FEW_ARRANGEMENTS = log(_AUTO_ARRANGEMENTS + 1)
# So many rows that the shape of a sampled null is taken from a part of them.
MANY_ROWS = 100_000
# So few tables that no continuous law can stand for them: even "moments" takes the whole law.
_FEW_TABLES = 64

# "moments" is meant to be instant, so where even it must sample it takes fewer draws.
_MOMENTS_RESAMPLES = 999

_NORMAL_MODELS = "only r2, eta2 and explained (numeric y) have a normal model"
_PAPER_MODELS = "the paper treats r2 (also as explained, with numeric y), gini and mic"


@dataclass(frozen=True, slots=True)
class Auto:
    """What "auto" stands for: the automatic choice, with how many re-pairings it draws where it must sample.

    Not public: forecasts, tests and tools use it to draw fewer than users get.
    """

    n_resamples: int | str = "adaptive"

    @property
    def settings(self) -> Permutation:
        """How it samples: one record for all pairs."""
        return _settings(self.n_resamples)


_settings = lru_cache(Permutation)

NullSpec = str | Permutation | Auto


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplePlan:
    """That a null must be sampled: by which settings, why, and what is known of it exactly.

    Where rows are too many, `part` is the pair on some of them. With exact moments only the shape of the null
    comes from there: its draws become offset + scale · draw. Without, the part stands for the pair.
    """

    settings: Permutation
    reason: str
    is_paper_rule: bool = False
    exact_mean: float | None = None
    exact_std: float | None = None
    part: Pair | None = None
    scale: float = 1.0
    offset: float = 0.0

    @property
    def has_exact_moments(self) -> bool:
        """Whether mean and standard deviation are known."""
        return self.exact_mean is not None and self.exact_std is not None

    def pair_for(self, pair: Pair) -> Pair:
        """The pair that is estimated: the part, where nothing is known of all rows."""
        return pair if self.part is None or self.has_exact_moments else self.part


def null_of(spec: NullSpec, pair: Pair) -> Null:
    """The null that was asked for, sampled where it must be."""
    chosen = choose_null(spec, pair)
    return sample_null(chosen, pair) if isinstance(chosen, SamplePlan) else chosen


def sample_null(plan: SamplePlan, pair: Pair) -> Null:
    """The Monte Carlo null of one pair."""
    drawn, settings, found = draw_source(plan.part or pair, plan.settings), plan.settings, None

    def source(size: int) -> NDArray[np.float64]:
        return plan.offset + plan.scale * drawn(size) if plan.scale != 1.0 else drawn(size)

    if settings.follows_precision:
        return sample_until_precise(source, settings, pair.observed, pair.bound, plan.reason)
    if settings.is_adaptive:
        draws, found = sample_until_known(source, pair.observed, plan.exact_std, settings.cap, settings.alpha)
    else:
        draws = source(int(settings.n_resamples))
    return SampleNull.of(
        draws,
        bound=pair.bound,
        reason=plan.reason,
        is_paper_rule=plan.is_paper_rule,
        exact_mean=plan.exact_mean,
        exact_std=plan.exact_std,
        found=found,
    )


def choose_null(spec: NullSpec, pair: Pair) -> Null | SamplePlan:
    """The null that was asked for, or how to sample it."""
    if isinstance(spec, Permutation):
        return SamplePlan(settings=spec, reason="asked for")
    if spec == "auto":
        spec = Auto()
    if isinstance(spec, Auto):
        return _auto(pair, spec.settings)
    engines = {
        "paper": _paper,
        "moments": _moments,
        "exact": lambda r: exact_law(r.measure, r.x, r.y, r.structures),
        "normal": _normal,
        "multinomial": _multinomial,
    }
    if spec not in engines:
        raise unknown_name("null", spec, NULL_NAMES)
    return engines[spec](pair)


def _auto(pair: Pair, settings: Permutation) -> Null | SamplePlan:
    exact = _cheap_exact(pair)
    if exact is not None:
        return exact
    try:
        match = _first_match(pair)
    except CostError as error:
        return _sample_costly(pair, settings, error)
    if match is None:
        return _plan_sample(pair, settings, "sampled: no closed form is known for this measure")
    if match.is_trusted:
        return match.null
    reason = f"sampled: {match.doubt}"
    if isinstance(match.null, RootNull):  # its moments are integrals of the law in doubt
        return _plan_sample(pair, settings, reason)
    return _plan_sample(pair, settings, reason, match.null.mean, match.null.std)


def _sample_costly(pair: Pair, settings: Permutation, error: CostError) -> SamplePlan:
    """A sample where the exact variance is out of reach, its mean exact where that is cheap."""
    mean = next((m for m in map(cheap_mean, pair.structures) if m is not None), None)
    return _plan_sample(pair, settings, f"sampled: {error}", mean)


def _plan_sample(
    pair: Pair,
    settings: Permutation,
    reason: str,
    exact_mean: float | None = None,
    exact_std: float | None = None,
) -> SamplePlan:
    """How to sample a pair, from a part of its rows where they are very many."""
    plan = SamplePlan(settings=settings, reason=reason, exact_mean=exact_mean, exact_std=exact_std)
    if not settings.is_adaptive or pair.n <= MANY_ROWS:
        return plan
    part = part_of(pair, MANY_ROWS)
    reason = f"{reason}; drawn from {MANY_ROWS:,} of {pair.n:,} rows"
    if exact_mean is None or exact_std is None:
        part = replace(part, note=f"estimated from {MANY_ROWS:,} of {pair.n:,} rows")
        return replace(plan, part=part, reason=reason)
    match = None if part.is_degenerate else _first_match(part)
    if match is None or match.null.std == 0:
        return plan
    scale = exact_std / match.null.std
    offset = exact_mean - scale * match.null.mean
    return replace(plan, part=part, scale=scale, offset=offset, reason=reason)


def may_be_enumerated(n: int | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether `auto` looks at all arrangements of so many rows, if they are few; of one pair or of many."""
    return np.less_equal(n, _AUTO_ENUMERATION_N)


def has_few_tables(log_count: float | NDArray[np.float64], *, is_moments: bool = False) -> NDArray[np.bool_]:
    """Whether `auto` (or "moments") looks at every table, given the logarithm of about how many there are."""
    return np.less_equal(log_count, log(_FEW_TABLES) if is_moments else _LOG_AUTO_TABLES)


def may_have_few_tables(
    n: NDArray[np.int64],
    x_groups: NDArray[np.int64],
    y_groups: NDArray[np.int64],
    x_smallest: NDArray[np.int64],
    y_smallest: NDArray[np.int64],
    *,
    is_moments: bool = False,
) -> NDArray[np.bool_]:
    """Whether `has_few_tables` might hold, given only how many groups per side and its smallest one.

    True wherever it does, and in some places more.
    """
    row_splits = log_fewest_splits(n, x_groups, x_smallest, y_groups)
    column_splits = log_fewest_splits(n, y_groups, y_smallest, x_groups)
    log_count = log_count_of_splits(n, x_groups, y_groups, row_splits, column_splits)
    return has_few_tables(log_count, is_moments=is_moments)


def _cheap_exact(pair: Pair, *, is_moments: bool = False) -> Null | None:
    """The whole law, where it costs a few milliseconds; for "moments", of two values a side or few tables."""
    for structure in pair.structures:
        if isinstance(structure, RootOf):
            cells = next(s for s in structure.base if isinstance(s, CellSum))
            return _cheap_tables(cells, structure.factor, is_moments)
        if (
            isinstance(structure, CellSum)
            and (null := _cheap_tables(structure, None, is_moments)) is not None
        ):
            return null
        if isinstance(structure, SignSum) and not is_moments and _has_cheap_law(structure):
            return kendall_null(structure, reason="ties in one variable at most: the law is known")
    x, y = pair.x, pair.y
    fourfold = fourfold_null(
        pair.measure,
        x,
        y,
        pair.structures,
        max_tables=_FEW_TABLES,
        reason="both variables have two values: the hypergeometric law",
    )
    if fourfold is not None:
        return fourfold
    if x.n <= MAX_RANK_LAW_N and _is_rank_correlation(pair):
        return rank_null(x.n)
    if may_be_enumerated(x.n) and fewest_arrangements(x, y) <= _AUTO_ARRANGEMENTS:
        if is_moments and not has_few_tables(log_table_count(*map(_group_sizes, (x, y))), is_moments=True):
            return None
        return enumerate_law(pair.measure, x, y, reason="few rows: all arrangements are cheap")
    return None


def _is_rank_correlation(pair: Pair) -> bool:
    """Whether the measure is r² between evenly spaced values."""
    has_lines = any(isinstance(s, TraceForm) and s.law == "beta" for s in pair.structures)
    return has_lines and is_evenly_spaced(pair.x) and is_evenly_spaced(pair.y)


def _group_sizes(variable: Any) -> NDArray[np.int64]:
    """How many rows have each value."""
    return np.unique(variable.labels, return_counts=True)[1].astype(np.int64)


def _cheap_tables(cells: CellSum, root_factor: float | None, is_moments: bool) -> Null | None:
    log_count = log_table_count(cells.rows, cells.columns)
    if len(cells.rows) == len(cells.columns) == 2:
        # Laws of 2 × 2 tables come from matching.py, but for what is no sum over cells of its own.
        has_law = root_factor is None and cells.function in ("gain", "contingency", "information")
        is_cheap = not has_law or bool(has_few_tables(log_count, is_moments=True))
    else:
        is_cheap = bool(has_few_tables(log_count, is_moments=is_moments))
    if not is_cheap:
        return None
    reason = "few tables have these totals"
    try:
        return table_null(
            cells, max_operations=_AUTO_TABLE_OPERATIONS, reason=reason, root_factor=root_factor
        )
    except CostError:
        return None


def _has_cheap_law(signs: SignSum) -> bool:
    return signs.n <= _AUTO_KENDALL_N and has_exact_law(signs.n, signs.x_ties, signs.y_ties)


def _first_match(pair: Pair) -> Match | None:
    x, y = pair.x, pair.y
    upper, log_floor = pair.measure.default_bound(x, y), -log_fewest_arrangements(x, y)
    for structure in pair.structures:
        match = match_structure(structure, upper, log_floor)
        if match is not None:
            return match
    return None


def _moments(pair: Pair) -> Null | SamplePlan:
    if (null := _cheap_exact(pair, is_moments=True)) is not None:
        return null
    try:
        match = _first_match(pair)
    except CostError as error:
        return _sample_costly(pair, _settings(_MOMENTS_RESAMPLES), error)
    if match is None:
        raise _not_available("moments", pair, "it has no exact moments in closed form")
    return match.null


def _normal(pair: Pair, name: str = "normal", why: str = _NORMAL_MODELS) -> Null:
    for structure in pair.structures:
        if isinstance(structure, NormalTheory):
            if structure.df_residual < 1:
                raise NullError(f"`null={name!r}` needs more rows than parameters, got n = {pair.x.n}.")
            df = np.array([structure.df_explained]), np.array([structure.df_residual])
            return normal_theory(df_explained=df[0], df_residual=df[1]).null(0)
    raise _not_available(name, pair, why)


def _multinomial(pair: Pair) -> Null:
    if not pair.measure.has_multinomial_model:
        raise _not_available(
            "multinomial", pair, "the multinomial model is known for gini and goodman_kruskal"
        )
    upper = pair.measure.default_bound(pair.x, pair.y)
    return multinomial_gains(**_gini_trace(pair), upper=upper).null(0)


def _paper(pair: Pair) -> Null | SamplePlan:
    kind = pair.measure.paper_null
    if kind == "normal":
        return _normal(pair, "paper", _PAPER_MODELS)
    if kind == "cantelli":
        return cantelli_gains(**_gini_trace(pair)).null(0)
    if kind == "permutation":
        return SamplePlan(settings=_settings(10_000), reason="the paper's: Monte Carlo", is_paper_rule=True)
    raise _not_available("paper", pair, _PAPER_MODELS)


def _gini_trace(pair: Pair) -> dict[str, Any]:
    """What the multinomial model needs of the one pair."""
    form = next(s for s in pair.structures if isinstance(s, TraceForm))
    return {
        "n": np.array([form.n]),
        "x_groups": np.array([form.x.n_distinct]),
        "x_invariants": form.x.invariants[np.newaxis],
        "y_invariants": form.y.invariants[np.newaxis],
        "scale": form.scale,
    }


def _not_available(name: str, pair: Pair, why: str) -> BychanceError:
    return BychanceError(
        f"`null={name!r}` is not available for measure {pair.measure.name!r} on these columns: {why}. "
        '`null="auto"` always works.'
    )
