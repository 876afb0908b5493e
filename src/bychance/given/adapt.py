"""Which measure looks beyond z for a measure on columns of two kinds, and what it controls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.given.base import GivenMeasure
from bychance.given.common import CommonEffect
from bychance.given.covariates import Covariates
from bychance.given.others import ResidualEffect, StrataKendall
from bychance.given.strata_sum import StrataSum
from bychance.kinds import Kind
from bychance.measures.base import Measure, is_built_in

__all__ = ["beyond"]

_COMMON = ("explained", "r2", "eta2", "spearman")
_PER_STRATUM = ("dcor", "hsic", "xi", "kendall")  # given labels; given numbers they see residuals


def beyond(
    measure: Measure[Any],
    kinds: tuple[Kind, Kind],
    covariates: Covariates,
    rows: NDArray[np.bool_] | None,
) -> GivenMeasure:
    """The measure of what x says about y beyond z, on these rows."""
    is_own = not is_built_in(type(measure)) or measure.name not in (*_COMMON, *_PER_STRATUM)
    is_numeric = kinds == (Kind.NUMERIC, Kind.NUMERIC)
    if measure.name in _COMMON and not is_own and covariates.effect == "common":
        return CommonEffect(measure, covariates.design(covariates.control, rows))
    takes_residuals = is_numeric and covariates.effect == "common" and covariates.control != "strata"
    if takes_residuals and (is_own or covariates.has_numbers or covariates.control == "linear"):
        return ResidualEffect(measure, covariates.design(covariates.control, rows))
    adapter = StrataKendall if measure.name == "kendall" and not is_own else StrataSum
    return adapter(measure, covariates.design("strata", rows))
