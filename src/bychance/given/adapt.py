"""Which measure looks beyond z for a measure on columns of two kinds, and what it controls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.given.base import is_known
from bychance.given.common import CommonEffect
from bychance.given.covariates import Covariates
from bychance.given.others import ResidualEffect, StrataKendall
from bychance.given.strata_sum import StrataSum
from bychance.kinds import Kind
from bychance.measures.base import Measure

__all__ = ["beyond", "has_common_effect"]

_COMMON = ("explained", "r2", "eta2", "spearman")
_PER_STRATUM = ("dcor", "hsic", "xi", "kendall")  # given categories; given numbers they see residuals


def has_common_effect(measure: Measure[Any], covariates: Covariates) -> bool:
    """Whether the measure looks for one effect that all cells share."""
    return measure.name in _COMMON and is_known(measure) and covariates.effect == "common"


def beyond(
    measure: Measure[Any],
    kinds: tuple[Kind, Kind],
    covariates: Covariates,
    rows: NDArray[np.bool_] | None,
) -> Measure[Any]:
    """The measure of what x says about y beyond z, on these rows; the plain one where z is constant."""
    if not covariates.vary(rows):
        return measure
    is_own = not is_known(measure) or measure.name not in (*_COMMON, *_PER_STRATUM)
    is_numeric = kinds == (Kind.NUMERIC, Kind.NUMERIC)
    control, is_common = covariates.control, covariates.effect == "common"
    if has_common_effect(measure, covariates):
        effect = CommonEffect(measure, covariates.design(control, rows), control)
        # What a class states of itself depends here on the pair.
        effect.has_quick_swaps = is_numeric and effect.design.has_only_cells  # type: ignore[misc] # see above
        return effect
    takes_residuals = is_numeric and is_common and control != "strata"
    if takes_residuals and (is_own or covariates.n_numeric or control == "linear"):
        return ResidualEffect(measure, covariates.design(control, rows), control)
    adapter = StrataKendall if measure.name == "kendall" and not is_own else StrataSum
    is_forced = bool(covariates.n_numeric) or control == "linear"
    return adapter(measure, covariates.design("strata", rows), "strata" if is_forced else control)
