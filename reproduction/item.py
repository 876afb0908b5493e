"""An example, figure or table of the paper: computation of its numbers, and drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reproduction.claims import Claim
from reproduction.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Item", "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The numbers of an item, and the claims about them.

    `table` has columns of one length: what the CSV file holds. `shown` is what the figure shows besides,
    such as the points of one sample. `left_out` says what to do about parts whose data is missing.
    """

    table: Mapping[str, Sequence[Any]]
    claims: Sequence[Claim]
    shown: Mapping[str, Any] = field(default_factory=dict)
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One example, figure or table: its name is that of its files and on the command line.

    `needs` names the data files without which it cannot be computed.
    """

    name: str
    title: str
    compute: Callable[[Run], Outcome]
    draw: Callable[[Outcome], Figure]
    needs: tuple[str, ...] = ()
