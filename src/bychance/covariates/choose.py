"""Choice of the null given covariates, as in nulls/choose.py but with permutations within cells.

"auto" takes the exact distribution if it is cheap, else the one matched to the moments if it is valid, else
permutations within cells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.covariates.exact import arrangement_count, enumerate_within, log_arrangements, named_given
from bychance.errors import BychanceError, CostError, NullError
from bychance.messages import Call, Option
from bychance.names import count_of
from bychance.nulls.base import Null
from bychance.nulls.choose import NullSpec, SamplePlan, auto_settings
from bychance.nulls.distributions import NullDistributions, as_null
from bychance.nulls.matching import normal_theory
from bychance.nulls.permutation import Permutation
from bychance.pair import Pair

if TYPE_CHECKING:
    from bychance.covariates.measures import GivenMeasure

__all__ = ["choose_within"]

_AUTO_ARRANGEMENTS, _FEW_ARRANGEMENTS, _MAX_ARRANGEMENTS = 10_000, 64, 4_000_000
_AUTO_OPERATIONS, _MAX_OPERATIONS = 1e7, 1e9
_COSTLY_RESAMPLES = 999  # where every draw is residualized and prepared anew


def choose_within(measure: GivenMeasure, spec: NullSpec, pair: Pair) -> Null | SamplePlan:
    """Return the null that was asked for, or the plan to sample it."""
    if isinstance(spec, Permutation):
        if spec.block is not None:
            raise BychanceError(
                Option("block")
                + " cannot be combined with "
                + Option("given")
                + ": moving blocks would mix the covariates' cells."
            )
        return SamplePlan(settings=spec, reason=f"asked for; {_cells(measure)}")
    if spec in ("paper", "multinomial"):
        raise BychanceError(
            Option("null", spec)
            + " cannot be combined with "
            + Option("given")
            + ": this model has no covariates. "
            + Option("null", "auto")
            + " always works."
        )
    if spec == "auto":
        return _auto(measure, pair, auto_settings(spec))
    engines = {"moments": _moments, "exact": _exact, "normal": _normal}
    return engines[str(spec)](measure, pair)


def _auto(measure: GivenMeasure, pair: Pair, settings: Permutation) -> Null | SamplePlan:
    if (null := _whole_law(measure, pair, _AUTO_ARRANGEMENTS, _AUTO_OPERATIONS)) is not None:
        return null
    if measure.is_costly and settings.is_adaptive:
        settings = Permutation("adaptive", cap=_COSTLY_RESAMPLES)
    laws = _laws(measure, pair)
    if laws is None or laws.is_undecided[0]:
        reason = f"sampled: no closed form is known for this measure; {_cells(measure)}"
        return SamplePlan(settings=settings, reason=reason)
    if laws.is_trusted[0]:
        null = named_given(as_null(laws), _cells(measure))
        return replace(null, ends_at=null.holds_to)
    # The moments of a ratio are near, and exact only where permutation leaves the denominator as it is.
    is_exact = measure.design.has_only_cells
    return SamplePlan(
        settings=settings,
        reason=f"sampled: {laws.doubt(0)}; {_cells(measure)}",
        exact_mean=float(laws.mean[0]) if is_exact else None,
        exact_std=float(laws.std[0]) if is_exact else None,
    )


def _moments(measure: GivenMeasure, pair: Pair) -> Null:
    if (null := _whole_law(measure, pair, _FEW_ARRANGEMENTS, 0.0)) is not None:
        return null
    laws = _laws(measure, pair)
    if laws is None or laws.is_undecided[0]:
        raise _not_available("moments", measure, "it has no moments in closed form")
    return named_given(as_null(laws), _cells(measure))


def _laws(measure: GivenMeasure, pair: Pair) -> NullDistributions | None:
    """Return the matched distribution, its tail bounded below by the probability of one arrangement."""
    laws = measure.laws(pair.x, pair.y)
    if laws is None:
        return None
    cells = measure.design.cells
    if measure.design.has_only_cells:
        log_count = min(log_arrangements(v.labels, cells) for v in (pair.x, pair.y))
    else:
        log_count = log_arrangements(np.arange(pair.n), cells)
    return replace(laws, log_floor=np.array([-log_count]))


def _exact(measure: GivenMeasure, pair: Pair) -> Null:
    if not measure.design.has_only_cells:
        raise _not_available("exact", measure, "only categories, or cells alone, have an exact law")
    null = _whole_law(measure, pair, _MAX_ARRANGEMENTS, _MAX_OPERATIONS)
    if null is None:
        count = arrangement_count(_arranged(measure, pair)[0], measure.design.cells)
        raise CostError(
            f"the exact law needs all {count:.3g} arrangements within the cells, more than "
            f"{_MAX_ARRANGEMENTS:,}; "
            + Option("null", Call("`bc.Permutation()`", "permutation"))
            + " samples them."
        )
    return null


def _normal(measure: GivenMeasure, pair: Pair) -> Null:
    df = measure.normal_df(pair.x, pair.y)
    if df is None:
        raise _not_available("normal", measure, "only r2, eta2 and explained (numeric y) have a normal model")
    if df[1] < 1:
        k = measure.design.df
        raise NullError(
            Option("null", "normal") + f" needs more rows than parameters, got n = {pair.n} and k = {k}."
        )
    laws = normal_theory(df_explained=np.array([df[0]]), df_residual=np.array([df[1]]))
    return named_given(as_null(laws), _cells(measure))


def _whole_law(measure: GivenMeasure, pair: Pair, most: int, operations: float) -> Null | None:
    """Return the exact distribution by convolution or enumeration, or None if that takes too long."""
    if operations and (null := measure.cheap_law(pair.x, pair.y, operations)) is not None:
        return named_given(null, _cells(measure))
    labels, is_x = _arranged(measure, pair)
    if arrangement_count(labels, measure.design.cells) > most:
        return None

    def values_at(rows: NDArray[np.int32]) -> NDArray[np.float64]:
        # x in another order beside y is x beside y in the inverse order.
        rows = np.argsort(rows, axis=1).astype(np.int32) if is_x else rows
        return measure.values_at(pair.x, pair.y, rows)

    law = enumerate_within(values_at, labels, measure.design.cells)
    return named_given(law, _cells(measure))


def _arranged(measure: GivenMeasure, pair: Pair) -> tuple[NDArray[Any], bool]:
    """Return the values with fewer arrangements within the cells, and True if they are those of x.

    Exchanging rows of one value changes nothing, unless more than cells is controlled.
    """
    if not measure.design.has_only_cells:
        return np.arange(pair.n), False
    x, y = pair.x.labels, pair.y.labels
    is_x = log_arrangements(x, measure.design.cells) < log_arrangements(y, measure.design.cells)
    return (x, True) if is_x else (y, False)


def _cells(measure: GivenMeasure) -> str:
    """Format the covariates for `Null.reason`, for example "given: 12 cells, 14 df"."""
    return f"given: {count_of(len(measure.design.cells), 'cell')}, {measure.design.df} df"


def _not_available(name: str, measure: GivenMeasure, why: str) -> BychanceError:
    return BychanceError(
        Option("null", name)
        + f" is not available for measure {measure.name!r} with "
        + Option("given")
        + f": {why}. "
        + Option("null", "auto")
        + " always works."
    )
