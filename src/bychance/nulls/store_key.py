"""What a shared null depends on → its name: one digest for the store, the same one for its random stream."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from bychance.seeding import stream_key

__all__ = ["NullKey"]


@dataclass(frozen=True, kw_only=True)
class NullKey:
    """Everything that a null shared between pairs depends on; two equal keys have equal draws.

    Parameters
    ----------
    measure : str
        Name of the measure.
    settings : tuple of (name, value) pairs of str
        The measure's settings, values as their repr; the order in which they are given does not matter.
    n : int
        How many rows the pair shares.
    x_tie_groups, y_tie_groups : tuple of int
        Sizes of the groups of equal values, in ascending order of the values. Empty where nothing is
        tied; n groups of one are the same.
    seed : int
        The root seed.
    kernel_version : int
        Raised whenever the kernel's values change, so that stored nulls of the older kernel are not used.

    Examples
    --------
    >>> untied = NullKey(measure="mic", n=4, seed=0, kernel_version=1)
    >>> untied == NullKey(measure="mic", n=4, x_tie_groups=(1, 1, 1, 1), seed=0, kernel_version=1)
    True
    >>> tied = NullKey(measure="mic", n=4, x_tie_groups=(1, 3), seed=0, kernel_version=1)
    >>> tied.digest == untied.digest
    False
    """

    measure: str
    settings: tuple[tuple[str, str], ...] = ()
    n: int
    x_tie_groups: tuple[int, ...] = ()
    y_tie_groups: tuple[int, ...] = ()
    seed: int
    kernel_version: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", tuple(sorted((str(k), str(v)) for k, v in self.settings)))
        for name in ("n", "seed", "kernel_version"):
            object.__setattr__(self, name, int(getattr(self, name)))
        for name in ("x_tie_groups", "y_tie_groups"):
            object.__setattr__(self, name, _compact(getattr(self, name), self.n))

    @property
    def has_ties(self) -> bool:
        """Whether any values of either column tie."""
        return bool(self.x_tie_groups or self.y_tie_groups)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The words that name the stream under the root seed: always six, so that no two keys share them."""
        return (
            self.measure,
            json.dumps(self.settings),
            str(self.n),
            ",".join(map(str, self.x_tie_groups)),
            ",".join(map(str, self.y_tie_groups)),
            str(self.kernel_version),
        )

    @cached_property
    def stream(self) -> tuple[int, int]:
        """The Philox key of the null's random stream."""
        return stream_key(self.seed, *self.parts)

    @property
    def digest(self) -> str:
        """The stream's key as 32 hexadecimal digits: the name under which the null is stored."""
        first, second = self.stream
        return f"{first:016x}{second:016x}"


def _compact(tie_groups: tuple[int, ...], n: int) -> tuple[int, ...]:
    """Groups as plain integers (NumPy's print otherwise), none where all n are of one."""
    return () if len(tie_groups) == n else tuple(map(int, tie_groups))
