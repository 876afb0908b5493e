"""A claim of the paper beside our number: (both numbers, our standard error, rounding) → a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["N_ERRORS", "Claim"]

N_ERRORS = 4.0

_KINDS = ("equal", "at_most", "at_least", "above", "below", "same")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim of the paper, our value, and whether the two agree.

    Parameters
    ----------
    text : str
        The claim in a few words.
    source : str
        Place of the claim: "Example 1", "Table 2", or the name of an independent check.
    paper, ours : float, or anything for kind "same"
        The two values.
    size : str
        The size at which ours was really computed.
    se : float
        Standard error of ours, and of the claimed value if it is known.
    rounding : float
        Half a unit of the last digit that the paper prints.
    kind : {"equal", "at_most", "at_least", "above", "below", "same"}
        "equal", "at_most" and "at_least" hold unless ours is beyond the tolerance. "above" and "below" hold
        only if ours is beyond the tolerance, and are undecided within it. "same" compares values as they
        are, names for instance.

    Examples
    --------
    >>> claim = Claim(text="mean MIC", source="Example 1", paper=0.36, ours=0.358, size="10,000 simulations",
    ...               se=0.001, rounding=0.005)
    >>> claim.tolerance, claim.verdict
    (0.009..., 'holds')
    """

    text: str
    source: str
    paper: Any
    ours: Any
    size: str
    se: float = 0.0
    rounding: float = 0.0
    kind: str = "equal"

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"`kind` must be one of {', '.join(_KINDS)}, got {self.kind!r}.")

    @property
    def tolerance(self) -> float:
        """Four standard errors and the rounding, or 0 if values are compared as they are."""
        return 0.0 if self.kind == "same" else float(N_ERRORS * self.se + self.rounding)

    @property
    def verdict(self) -> str:
        """The verdict: "holds", "does not hold" or "undecided"."""
        if self.kind == "same":
            return _HOLDS if self.ours == self.paper else _FAILS
        over = float(self.ours) - float(self.paper)
        if self.kind == "equal":
            return _HOLDS if abs(over) <= self.tolerance else _FAILS
        over = -over if self.kind in ("at_most", "below") else over
        if self.kind in ("at_most", "at_least"):
            return _HOLDS if over >= -self.tolerance else _FAILS
        if abs(over) <= self.tolerance:
            return _UNDECIDED
        return _HOLDS if over > 0 else _FAILS


_HOLDS, _FAILS, _UNDECIDED = "holds", "does not hold", "undecided"
