"""Checks at the public edge: a value → a plain number, or one error that names argument, rule and value."""

from __future__ import annotations

import math
from numbers import Real
from typing import TypeGuard

__all__ = ["finite_number", "number_within"]


def finite_number(value: object, argument: str) -> float:
    """The value as a float, where it is a finite number.

    >>> finite_number(2, "bound")
    2.0
    """
    if not _is_number(value) or not math.isfinite(value):
        raise ValueError(f"`{argument}` must be a finite number, got {value!r}.")
    return float(value)


def number_within(value: object, argument: str, highest: float) -> float:
    """The value as a float, where it lies in (0, highest].

    >>> number_within(0.05, "alpha", 1)
    0.05
    """
    if not _is_number(value) or not 0 < value <= highest:
        raise ValueError(f"`{argument}` must lie in (0, {highest:g}], got {value!r}.")
    return float(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)
