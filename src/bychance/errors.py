"""The exceptions and warnings of bychance, and how an unknown name is reported."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import accumulate

from bychance.names import display_name

__all__ = [
    "BychanceError",
    "BychanceWarning",
    "CostError",
    "MeasureError",
    "NullError",
    "UnknownNameError",
    "unknown_name",
]


class BychanceError(ValueError):
    """Any error that bychance raises about its input; `arguments` are those that the message is about."""

    def __init__(self, message: str, *arguments: str) -> None:
        super().__init__(message)
        self.arguments = arguments


class UnknownNameError(BychanceError):
    """A measure, null or bound was named that does not exist here."""


class CostError(BychanceError):
    """What was asked for exactly would take too long; the message says how much it would take."""


class NullError(BychanceError):
    """These rows do not allow the null that was asked for."""


class MeasureError(BychanceError):
    """A measure written by the user raised, or returned something that is not a finite number."""


class BychanceWarning(UserWarning):
    """A result is usable but carries a caveat."""


def unknown_name(argument: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among the known ones, with the nearest suggested.

    >>> print(unknown_name("target", "incme", ["income", "age"]))
    Did you mean 'income'? `target` must be one of age, income; got 'incme'.
    """
    names = sorted(known)
    by_lowercase = {known_name.lower(): known_name for known_name in names}
    nearest = get_close_matches(str(name).lower(), by_lowercase, n=1, cutoff=0.5)
    hint = f"Did you mean {by_lowercase[nearest[0]]!r}? " if nearest else ""
    return UnknownNameError(f"{hint}`{argument}` must be one of {_some_of(names)}; got {name!r}.", argument)


def _some_of(names: list[str]) -> str:
    """The first names, as far as a line or two goes: a wide table has thousands."""
    shown = [display_name(name, width=40) for name in names]
    lengths = accumulate(len(name) + 2 for name in shown)
    n_listed = max(1, sum(length <= _LISTED_CHARACTERS for length in lengths))
    more = f" … ({len(names):,} in all)" if n_listed < len(names) else ""
    return ", ".join(shown[:n_listed]) + more


_LISTED_CHARACTERS = 200
