"""Exceptions and warnings of bychance: unknown names, faults of other libraries, extras not installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

from bychance.messages import NAMED, Code, Dialect, Option, Remark, Sentence
from bychance.names import display_name, first_line

__all__ = [
    "BychanceError",
    "BychanceWarning",
    "ColumnError",
    "CostError",
    "MeasureError",
    "MissingExtraError",
    "NullError",
    "UnknownNameError",
    "in_one_sentence",
    "must_be",
    "require",
    "unknown_name",
]


class _Rendered:
    """Base class of errors and warnings whose message can name Python arguments or command-line flags."""

    message: str | Sentence | Remark

    def render(self, dialect: Dialect) -> str:
        """Write the message, with options as Python arguments or as command-line flags."""
        return self.message if isinstance(self.message, str) else self.message.render(dialect)


class BychanceError(_Rendered, ValueError):
    """Base class of all errors that bychance raises about its input.

    `code` tells the kind of error. `arguments` are the arguments at fault, `options` those that the message
    names, and `suggestion` is the first option with a value that would help.
    """

    code = Code.INPUT

    def __init__(self, message: str | Sentence | Remark, *arguments: str, code: Code | None = None) -> None:
        super().__init__(str(message))
        self.message, self.arguments = message, arguments
        if isinstance(message, Remark):
            self.code = message.code
        if code is not None:
            self.code = code

    @property
    def values(self) -> Mapping[str, Any]:
        """Values inserted into the message's template, by field name. Empty for a plain message."""
        return self.message.values if isinstance(self.message, Remark) else {}

    @property
    def options(self) -> tuple[Option, ...]:
        """Arguments that the message mentions, in order."""
        return () if isinstance(self.message, str) else self.message.options

    @property
    def suggestion(self) -> Option | None:
        """First argument for which the message suggests a value, or None."""
        return next((option for option in self.options if option.value is not NAMED), None)


class UnknownNameError(BychanceError):
    """Error for an unknown name, for example of a measure, null or bound."""

    code = Code.UNKNOWN_NAME


class CostError(BychanceError):
    """Error for an exact computation that would take too long. The message says how long."""

    code = Code.COST


class NullError(BychanceError):
    """Error for a requested null distribution that these rows do not allow."""

    code = Code.NULL


class MeasureError(BychanceError):
    """Error for a user's measure that raised, or did not return a finite number."""

    code = Code.MEASURE


class ColumnError(BychanceError):
    """Error for values that cannot be a column. `rule` is the message without the column's name."""

    def __init__(self, name: str, rule: str | Remark, *, code: Code | None = None) -> None:
        super().__init__(rule if isinstance(rule, Remark) else f"`{name}` {rule}", code=code)
        self.name, self.rule = name, rule

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ColumnError, code=self.code), (self.name, self.rule)


class MissingExtraError(BychanceError, ImportError):
    """Error for a feature whose optional packages are not installed."""


class BychanceWarning(_Rendered, UserWarning):
    """Warning that a result is usable with a caveat. `message` and `code` are as for errors."""

    code = Code.CAVEAT

    def __init__(self, message: str | Sentence | Remark) -> None:
        super().__init__(str(message))
        self.message = message


@contextmanager
def in_one_sentence(origin: str, fault: str = "could not be read") -> Iterator[None]:
    """Replace other libraries' exceptions in the context by a one-sentence BychanceError naming the file."""
    try:
        yield
    except BychanceError:
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        # Arrow wraps errors that Python code raised in a stream.
        reason = reason.partition(". Detail: Python exception")[0].removeprefix("Unknown error: ")
        raise BychanceError(f"{display_name(origin)} {fault}: {reason}.") from error


# Extra → the modules it brings, and the feature that needs them.
_EXTRAS = {
    "cli": (("typer", "rich"), "The command line needs typer and rich"),
    "excel": (("openpyxl",), "Reading Excel files needs openpyxl"),
    "forest": (("sklearn",), "Trees, forests and selectors need scikit-learn"),
    "plot": (("matplotlib",), "Plots need matplotlib"),
    "report": (("jinja2", "plotly"), "Reports need jinja2 and plotly"),
}


def require(extra: str) -> None:
    """Raise an error that names the extra to install, unless its packages are installed.

    >>> require("plot")
    """
    modules, need = _EXTRAS[extra]
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(f"{need}: pip install 'bychance[{extra}]'.")


def must_be(argument: str, rule: str | Sentence, value: object) -> BychanceError:
    """Return a BychanceError that says which rule the value of an argument violates.

    >>> print(must_be("top", "a positive integer", 0))
    `top` must be a positive integer, got 0.
    """
    return BychanceError(Option(argument) + " must be " + rule + f", got {value!r}.", argument)


def unknown_name(argument: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name, with the nearest known one as a suggestion.

    >>> print(unknown_name("target", "incme", ["income", "age"]))
    Did you mean 'income'? `target` must be one of age, income; got 'incme'.
    """
    names = sorted(known)
    by_lowercase = {known_name.lower(): known_name for known_name in names}
    nearest = get_close_matches(str(name).lower(), by_lowercase, n=1, cutoff=0.5)
    hint = f"Did you mean {by_lowercase[nearest[0]]!r}? " if nearest else ""
    rule = f" must be one of {_some_of(names)}; got {name!r}."
    return UnknownNameError(hint + Option(argument) + rule, argument)


def _some_of(names: list[str]) -> str:
    """Join names up to 200 characters, and add the total number if some are left out."""
    shown = [display_name(name, width=40) for name in names]
    lengths = accumulate(len(name) + 2 for name in shown)
    n_listed = max(1, sum(length <= _LISTED_CHARACTERS for length in lengths))
    more = f" … ({len(names):,} in all)" if n_listed < len(names) else ""
    return ", ".join(shown[:n_listed]) + more


_LISTED_CHARACTERS = 200  # length of the names that an error lists (taste)
