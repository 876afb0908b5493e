"""Base class of measures given covariates, which the choice of their null relies on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.covariates.choose import choose_within
from bychance.covariates.design import Design
from bychance.errors import BychanceError
from bychance.measures import CallableMeasure
from bychance.measures.base import Measure, is_built_in
from bychance.messages import Option
from bychance.nulls.base import Null
from bychance.nulls.choose import ChoosesNull, NullSpec, SamplePlan
from bychance.nulls.distributions import NullDistributions
from bychance.pair import Pair

__all__ = ["GivenMeasure", "is_known"]

Array = NDArray[np.float64]


def is_known(measure: Measure[Any]) -> bool:
    """Return True if the measure is a built-in one, whose name says what it computes."""
    return is_built_in(type(measure)) and not isinstance(measure, CallableMeasure)


class GivenMeasure(Measure[Any], ChoosesNull):
    """Measure of what x says about y given covariates, permuted within the cells of a design.

    It is made for the rows of one pair, like its design, whose style is `control`.
    """

    def __init__(self, base: Measure[Any], design: Design, control: str = "strata") -> None:
        self.base, self.design, self.control = base, design, control
        self.name, self.summary = base.name, base.summary
        self.known_as = base.name if is_known(base) else ""
        self.kinds, self.symmetric = base.kinds, base.symmetric
        # What a class states of itself is here what the measure states.
        self.needs_shared_labels, self.min_n = base.needs_shared_labels, base.min_n  # type: ignore[misc] # see above

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.base.settings

    def n_bytes(self, n: int) -> int:
        """Return the bytes of the residuals and of what the measure prepares from them."""
        return super().n_bytes(n) + self.base.n_bytes(n)

    @property
    def is_costly(self) -> bool:
        """Return True if every permutation is residualized and prepared anew."""
        return False

    @property
    def strata(self) -> NDArray[np.int32]:
        """Cell of every row. Permutations stay within cells."""
        return self.design.cells.codes

    def choose_null(self, spec: NullSpec, pair: Pair) -> Null | SamplePlan:
        """Return the null that was asked for, within cells."""
        return choose_within(self, spec, pair)

    def bound(self, x: Any, y: Any, which: str | None = None) -> float:
        """Return 1.0, the maximum given covariates."""
        if which is not None:
            raise BychanceError(
                "`bound` must be a number with "
                + Option("given")
                + f", got {which!r}: it is not known beyond covariates.",
                "bound",
            )
        return 1.0

    def values_at(self, x: Any, y: Any, rows: NDArray[np.int32]) -> Array:
        """Return the values under rows of permutation indices, which stay within cells."""
        raise NotImplementedError

    def resample(self, x: Any, y: Any, repairings: _native.Repairings, first: int, count: int) -> Array:
        """Return the values under numbered permutations, which stay within cells."""
        statistic = self.statistic(x, y)
        if statistic is not None:
            return statistic.draw(repairings, first, count)
        return self.values_at(x, y, repairings.rows(first, count))

    def statistic(self, x: Any, y: Any) -> _native.Statistic | None:
        """Return the pair for the kernels, or None if they cannot compute this measure."""
        return None

    def estimate(self, x: Any, y: Any) -> float:
        """Return the observed value."""
        return float(self.values_at(x, y, np.arange(x.n, dtype=np.int32)[np.newaxis])[0])

    def laws(self, x: Any, y: Any) -> NullDistributions | None:
        """Return the distribution matched to the exact moments, or None if there are none."""
        return None

    def cheap_law(self, x: Any, y: Any, max_operations: float) -> Null | None:
        """Return the exact distribution by convolution, or None if it takes more than `max_operations`."""
        return None

    def normal_df(self, x: Any, y: Any) -> tuple[int, int] | None:
        """Return the explained and residual degrees of freedom of the normal model, or None without one."""
        return None
