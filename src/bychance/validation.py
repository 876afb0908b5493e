"""Checks of public arguments, which return a valid value or raise an error that names the argument."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

from bychance.errors import BychanceError, unknown_name
from bychance.messages import Option

__all__ = ["Seed", "finite_number", "number_within", "one_of", "root_seed", "whole_number"]

Choice = TypeVar("Choice")
Seed = int | np.random.SeedSequence | np.random.Generator | None


def finite_number(value: object, argument: str) -> float:
    """Return the value as a float, or raise unless it is a finite number.

    >>> finite_number(2, "bound")
    2.0
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(_as_float(value)):
        raise BychanceError(Option(argument) + f" must be a finite number, got {value!r}.", argument)
    return float(value)


def number_within(value: object, argument: str, highest: float) -> float:
    """Return the value as a float, or raise unless it lies in (0, highest].

    >>> number_within(0.05, "alpha", 1)
    0.05
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < _as_float(value) <= highest:
        raise BychanceError(Option(argument) + f" must lie in (0, {highest:g}], got {value!r}.", argument)
    return float(value)


def whole_number(value: object, argument: str, lowest: int = 1) -> int:
    """Return the value as an int, or raise unless it is a whole number of at least `lowest`.

    >>> whole_number(3, "top")
    3
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < lowest:
        rule = "a positive integer" if lowest == 1 else f"an integer of at least {lowest}"
        raise BychanceError(Option(argument) + f" must be {rule}, got {value!r}.", argument)
    return int(value)


def one_of(value: Choice, argument: str, names: Collection[str], *settings: type) -> Choice:
    """Return the value, or raise unless it is one of these names or an object of these types.

    >>> one_of("bh", "fdr", ("bh", "by"))
    'bh'
    """
    if not (value in names if isinstance(value, str) else isinstance(value, settings)):
        raise unknown_name(argument, value, [*names, *(f"bc.{public.__name__}()" for public in settings)])
    return value


def root_seed(rng: Seed) -> int:
    """Return the root seed of `rng`: an integer itself, a SeedSequence's entropy, or a Generator's draw.

    None takes fresh entropy, so that no two calls share a random stream.

    >>> root_seed(7)
    7
    """
    if rng is None:
        rng = np.random.SeedSequence()
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        if rng < 0:
            raise BychanceError(Option("rng") + f" must not be negative, got {rng!r}.")
        return int(rng)
    if isinstance(rng, np.random.SeedSequence):
        return int.from_bytes(rng.generate_state(4, np.uint32).tobytes(), "little")
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    raise TypeError(f"`rng` must be an integer, a SeedSequence, a Generator or None, got {rng!r}.")


def _as_float(value: Real) -> float:
    """Return the value as a float, or NaN if it is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.nan
