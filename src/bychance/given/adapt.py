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

__all__ = ["beyond", "has_common_effect", "takes_something_out"]

_COMMON = ("explained", "r2", "eta2", "spearman")
_NUMBERS = (Kind.NUMERIC, Kind.NUMERIC)
_PER_STRATUM = ("dcor", "hsic", "xi", "kendall")  # given categories; given numbers they see residuals


def has_common_effect(measure: Measure[Any], covariates: Covariates) -> bool:
    """Whether the measure looks for one effect that all cells share."""
    return measure.name in _COMMON and is_known(measure) and covariates.effect == "common"


def takes_something_out(measure: Measure[Any], kinds: tuple[Kind, Kind], covariates: Covariates) -> bool:
    """Whether the measure sees what a design leaves of both columns, and no cells alone."""
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
    rows: NDArray[np.bool_] | None,
    style: str | None = None,
) -> Measure[Any]:
    """The measure of what x says about y beyond z, on these rows; the plain one where z is constant.

    `style` is a finer design than the one the control stands for, where a pair takes one.
    """
    if not covariates.vary(rows):
        return measure
    control = covariates.control
    design = style or control
    if has_common_effect(measure, covariates):
        effect = CommonEffect(measure, covariates.design(design, rows), control)
        # What a class states of itself depends here on the pair.
        effect.has_quick_swaps = kinds == _NUMBERS and effect.design.has_only_cells  # type: ignore[misc] # see above
        return effect
    if _takes_residuals(measure, kinds, covariates):
        return ResidualEffect(measure, covariates.design(design, rows), control)
    adapter = StrataKendall if measure.name == "kendall" and is_known(measure) else StrataSum
    is_forced = bool(covariates.n_numeric) or control == "linear"
    return adapter(measure, covariates.design("strata", rows), "strata" if is_forced else control)
