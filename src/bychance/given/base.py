"""What a measure that looks beyond covariates offers the choice of its null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.given.design import Design
from bychance.measures.base import Measure
from bychance.nulls.base import Null
from bychance.nulls.laws import Laws

__all__ = ["GivenMeasure"]

Array = NDArray[np.float64]


class GivenMeasure(Measure[Any]):
    """A measure of what x says about y beyond z, re-paired within the cells of a design.

    It is made for the rows of one pair, as its design is.
    """

    def __init__(self, base: Measure[Any], design: Design) -> None:
        self.base, self.design = base, design
        self.name, self.summary = base.name, base.summary
        self.kinds, self.symmetric = base.kinds, base.symmetric

    @property
    def settings(self) -> Mapping[str, Any]:
        """Those of the measure itself."""
        return self.base.settings

    def values_at(self, x: Any, y: Any, rows: NDArray[np.int32]) -> Array:
        """The value under each row of permutation indices, which trade rows within cells only."""
        raise NotImplementedError

    def resample(self, x: Any, y: Any, permutations: NDArray[np.int32]) -> Array:
        """The same."""
        return self.values_at(x, y, permutations)

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
