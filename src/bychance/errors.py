"""Exceptions and warnings of our own, and the one way in which an unknown name is reported."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "BychanceError",
    "BychanceWarning",
    "CostError",
    "MeasureError",
    "UnknownNameError",
    "unknown_name",
]


class BychanceError(ValueError):
    """Any error that bychance raises about its input."""


class UnknownNameError(BychanceError):
    """A measure, null or bound was named that does not exist here."""


class CostError(BychanceError):
    """What was asked for exactly would take too long; the message says how much it would take."""


class MeasureError(BychanceError):
    """A measure of the user's own raised, or returned something that is not a finite number."""


class BychanceWarning(UserWarning):
    """A result is usable but carries a caveat."""


def unknown_name(argument: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among the known ones, with the nearest suggested."""
    names = sorted(known)
    nearest = get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return UnknownNameError(f"`{argument}` must be one of {', '.join(names)}; got {name!r}.{hint}")
