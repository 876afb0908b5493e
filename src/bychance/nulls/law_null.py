"""One entry of Laws as a Null, and the root of a null."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.base import DegenerateNull, Null, PValue
from bychance.nulls.laws import ENGINES, Laws
from bychance.nulls.trust import CAVEATS

__all__ = ["LawNull", "RootNull", "as_null"]


def as_null(laws: Laws) -> Null:
    """The null of a single pair: the one entry."""
    name, _, reason = ENGINES[laws.engine[0]]
    if laws.is_degenerate[0]:
        return DegenerateNull(mean=float(laws.mean[0]), reason=reason)
    doubt = laws.doubt(0)
    return LawNull(
        mean=float(laws.mean[0]),
        std=float(laws.std[0]),
        engine=name,
        reason=f"{reason}; its level is approximate: {doubt}" if doubt else reason,
        caveat=CAVEATS[laws.caveat[0]],
        holds_to=float(laws.holds_to[0]),
        laws=laws,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class LawNull(Null):
    """A matched law as a Null: one entry of Laws."""

    laws: Laws = field(repr=False)

    def quantile(self, p: float) -> float:
        """The law's quantile."""
        return float(self.laws.quantile(p)[0])

    def sf(self, observed: float) -> float:
        """The law's upper tail, with allowance for rounding of the observed value."""
        return float(self.laws.sf(np.array([observed]))[0])

    def p_value(self, observed: float) -> PValue:
        """The same; how far a matched one is off is not known."""
        is_exact = bool(self.laws.is_exact[0])
        return PValue(self.sf(observed), "exact" if is_exact else "matched", 0.0 if is_exact else np.nan)


@dataclass(frozen=True, kw_only=True)
class RootNull(Null):
    """The law of √(factor · D₀): quantiles and tails carry over, mean and std are integrals of quantiles."""

    base: Null
    factor: float

    @classmethod
    def of(cls, base: Null, factor: float) -> RootNull:
        """The root of a null, its moments by Gauss–Legendre over the base's quantiles."""
        p, w = _nodes_and_weights()
        roots = np.sqrt(np.maximum([base.quantile(float(q)) for q in p], 0.0) * factor)
        mean = float(np.sum(w * roots))
        std = float(np.sqrt(np.sum(w * (roots - mean) ** 2)))
        return cls(
            mean=mean,
            std=std,
            engine=base.engine,
            reason=base.reason,
            caveat=base.caveat,
            holds_to=base.holds_to,
            base=base,
            factor=factor,
        )

    def quantile(self, p: float) -> float:
        """The root of the base's quantile."""
        return float(np.sqrt(max(self.base.quantile(p), 0.0) * self.factor))

    def sf(self, observed: float) -> float:
        """The base's tail at the squared value."""
        return self.base.sf(observed**2 / self.factor)

    def p_value(self, observed: float) -> PValue:
        """The base's at the squared value."""
        return self.base.p_value(observed**2 / self.factor)


@cache
def _nodes_and_weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities and weights of Gauss–Legendre over a coordinate that crowds both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    # The square of the node's coordinate crowds the ends, where quantiles bend most.
    u = (nodes + 1) / 2
    return u**2 * (3 - 2 * u), weights / 2 * 6 * u * (1 - u)
