"""Checks of public arguments, which return a valid value or raise an error that names the argument.

Arguments named or ordered as in other packages are answered with what to write here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import ParamSpec, TypeVar

import numpy as np

from bychance.errors import BychanceError, must_be, unknown_name
from bychance.messages import Option

__all__ = [
    "EXPECTED",
    "Seed",
    "answers_expected_words",
    "finite_number",
    "number_within",
    "one_of",
    "root_seed",
    "whole_number",
]

Choice = TypeVar("Choice")
P = ParamSpec("P")
R = TypeVar("R")
Seed = int | np.random.SeedSequence | np.random.Generator | None


def finite_number(value: object, argument: str) -> float:
    """Return the value as a float, or raise unless it is a finite number.

    >>> finite_number(2, "bound")
    2.0
    """
    number = _as_float(value)
    if not math.isfinite(number):
        raise must_be(argument, "a finite number", value)
    return number


def number_within(value: object, argument: str, highest: float) -> float:
    """Return the value as a float, or raise unless it lies in (0, highest].

    >>> number_within(0.05, "alpha", 1)
    0.05
    """
    number = _as_float(value)
    if not 0 < number <= highest:
        raise BychanceError(Option(argument) + f" must lie in (0, {highest:g}], got {value!r}.", argument)
    return number


def whole_number(value: object, argument: str, lowest: int = 1) -> int:
    """Return the value as an int, or raise unless it is a whole number of at least `lowest`.

    >>> whole_number(3, "top")
    3
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < lowest:
        rule = "a positive integer" if lowest == 1 else f"an integer of at least {lowest}"
        raise must_be(argument, rule, value)
    return int(value)


def one_of(value: Choice, argument: str, names: Collection[str], *settings: type) -> Choice:
    """Return the value, or raise unless it is in `names` or an instance of one of `settings`.

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


def _as_float(value: object) -> float:
    """Return the value as a float, or NaN if it is not a number or too large."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


# Words of other packages.

_SEED = "the seed of what is sampled"

# Word → arguments of this library and their meaning. The first that a function has is named.
EXPECTED = {
    "seed": (("rng", _SEED), ("random_state", _SEED)),
    "random_state": (("rng", _SEED),),
    "rng": (("random_state", _SEED),),
    "method": (("measure", 'what is estimated, such as "spearman"'),),
    "exclude": (("drop", "the columns to leave out"),),
    "covar": (("given", "the covariates to look beyond"),),
}


def answers_expected_words(*, also: Iterable[str] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that raises a TypeError naming the right argument for another library's name.

    `also` names arguments that the function takes as keywords without listing them.

    >>> @answers_expected_words()
    ... def draw(n, *, rng=0): ...
    >>> draw(3, seed=1)
    Traceback (most recent call last):
    TypeError: draw() has no argument 'seed': use `rng`, the seed of what is sampled.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = list(signature(function).parameters)
        known = {*parameters, *also}
        name = function.__qualname__.removesuffix(".__init__")
        answers = {word: said for word in EXPECTED if (said := _answer(word, known))}
        has_measure_first = parameters[0] == "measure"

        @wraps(function)
        def answering(*args: P.args, **kwargs: P.kwargs) -> R:
            said = [
                f"{name}() has no argument {word!r}: {answers[word]}." for word in kwargs if word in answers
            ]
            if has_measure_first and args and _is_column(args[0]):
                got = type(args[0]).__name__
                said.append(f'{name}() takes the measure first: {name}("r2", x, y); got a {got} first.')
            if said:
                raise TypeError(" ".join(said))
            return function(*args, **kwargs)

        return answering

    return decorate


def _answer(word: str, known: set[str]) -> str:
    """Return what to write instead of an argument name, or "" if it is known or has no replacement."""
    if word in known:
        return ""
    return next((f"use `{name}`, {what}" for name, what in EXPECTED[word] if name in known), "")


def _is_column(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)
