"""Errors for arguments named or ordered as in other packages, which say what to write here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

__all__ = ["EXPECTED", "answers_expected_words"]

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

P = ParamSpec("P")
R = TypeVar("R")


def answers_expected_words(*, also: Iterable[str] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that answers another package's argument name with a TypeError naming the right one.

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
