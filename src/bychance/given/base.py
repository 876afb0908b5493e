"""What a measure that looks beyond covariates offers the choice of its null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import BychanceError
from bychance.given.choose import choose_within
from bychance.given.design import Design
from bychance.measures import CallableMeasure
from bychance.measures.base import Measure, is_built_in
from bychance.messages import Option
from bychance.nulls.base import Null
from bychance.nulls.choose import ChoosesNull, NullSpec, SamplePlan
from bychance.nulls.laws import Laws
from bychance.pair import Pair

__all__ = ["GivenMeasure", "is_known"]

Array = NDArray[np.float64]


def is_known(measure: Measure[Any]) -> bool:
    """Whether the measure's name says what it computes: not for functions, whatever they are called."""
    return is_built_in(type(measure)) and not isinstance(measure, CallableMeasure)


class GivenMeasure(Measure[Any], ChoosesNull):
    """A measure of what x says about y beyond z, re-paired within the cells of a design.

    It is made for the rows of one pair, as its design is. `control` is how that design was made.
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
        """Those of the measure itself."""
        return self.base.settings

    def n_bytes(self, n: int) -> int:
        """What is left of the values, and that as the measure itself prepares it."""
        return super().n_bytes(n) + self.base.n_bytes(n)

    @property
    def is_costly(self) -> bool:
        """Whether every draw is residualized and prepared anew."""
        return False

    @property
    def strata(self) -> NDArray[np.int32]:
        """The cell of every row: rows trade places within it only."""
        return self.design.cells.codes

    def choose_null(self, spec: NullSpec, pair: Pair) -> Null | SamplePlan:
        """The null that was asked for, within cells."""
        return choose_within(self, spec, pair)

    def bound(self, x: Any, y: Any, which: str | None = None) -> float:
        """1."""
        if which is not None:
            raise BychanceError(
                "`bound` must be a number with "
                + Option("given")
                + f", got {which!r}: it is not known beyond covariates.",
                "bound",
            )
        return 1.0

    def values_at(self, x: Any, y: Any, rows: NDArray[np.int32]) -> Array:
        """The value under each row of permutation indices, which trade rows within cells only."""
        raise NotImplementedError

    def resample(self, x: Any, y: Any, repairings: _native.Repairings, first: int, count: int) -> Array:
        """The same under numbered permutations, which stay within cells."""
        statistic = self.statistic(x, y)
        if statistic is not None:
            return statistic.draw(repairings, first, count)
        return self.values_at(x, y, repairings.rows(first, count))

    def statistic(self, x: Any, y: Any) -> _native.Statistic | None:
        """The pair as the kernels draw it; None where they cannot."""
        return None

    def estimate(self, x: Any, y: Any) -> float:
        """The value for the pairing as it is."""
        return float(self.values_at(x, y, np.arange(x.n, dtype=np.int32)[np.newaxis])[0])

    def laws(self, x: Any, y: Any) -> Laws | None:
        """The law matched to the exact moments; None where there are none."""
        return None

    def cheap_law(self, x: Any, y: Any, max_operations: float) -> Null | None:
        """The whole law where it takes at most so many operations by convolution."""
        return None

    def normal_df(self, x: Any, y: Any) -> tuple[int, int] | None:
        """Degrees of freedom of the normal model, explained and residual, where there is one."""
        return None
