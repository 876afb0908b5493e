"""The exceptions and warnings of bychance, and how an unknown name is reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
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
    "NullError",
    "UnknownNameError",
    "in_one_sentence",
    "unknown_name",
]


class BychanceError(ValueError):
    """Any error that bychance raises about its input.

    `code` is its kind. `arguments` are the arguments at fault, `options` those that its message names, and
    `suggestion` is the first option with a value, which would help.
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
        """Return what the message mentions, by name, if its kind has a sentence."""
        return self.message.values if isinstance(self.message, Remark) else {}

    @property
    def options(self) -> tuple[Option, ...]:
        """List the arguments that the message names, in order."""
        return () if isinstance(self.message, str) else self.message.options

    def render(self, dialect: Dialect) -> str:
        """Write the message, in Python or as options of the command line."""
        return self.message if isinstance(self.message, str) else self.message.render(dialect)

    @property
    def suggestion(self) -> Option | None:
        """Return the first argument with a value that would help."""
        return next((option for option in self.options if option.value is not NAMED), None)


class UnknownNameError(BychanceError):
    """A measure, null or bound was named that does not exist here."""

    code = Code.UNKNOWN_NAME


class CostError(BychanceError):
    """An exact answer would take too long. The message says how long."""

    code = Code.COST


class NullError(BychanceError):
    """These rows do not allow the null that was asked for."""

    code = Code.NULL


class MeasureError(BychanceError):
    """A measure written by the user raised, or returned something that is not a finite number."""

    code = Code.MEASURE


class ColumnError(BychanceError):
    """Values that cannot be a column. `rule` is the broken rule, to follow the column's name."""

    def __init__(self, name: str, rule: str | Remark, *, code: Code | None = None) -> None:
        super().__init__(rule if isinstance(rule, Remark) else f"`{name}` {rule}", code=code)
        self.name, self.rule = name, rule

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ColumnError, code=self.code), (self.name, self.rule)


class BychanceWarning(UserWarning):
    """A result is usable but carries a caveat. Its `message` and `code` are as those of an error."""

    code = Code.CAVEAT

    def __init__(self, message: str | Sentence | Remark) -> None:
        super().__init__(str(message))
        self.message = message

    def render(self, dialect: Dialect) -> str:
        """Write the message, in Python or as options of the command line."""
        return self.message if isinstance(self.message, str) else self.message.render(dialect)


@contextmanager
def in_one_sentence(origin: str, fault: str = "could not be read") -> Iterator[None]:
    """Turn errors of libraries into one sentence that names the file or part."""
    try:
        yield
    except BychanceError:
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        # Arrow wraps errors that Python code raised in a stream.
        reason = reason.partition(". Detail: Python exception")[0].removeprefix("Unknown error: ")
        raise BychanceError(f"{display_name(origin)} {fault}: {reason}.") from error


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
    """Join as many names as fit in two lines. A wide table has thousands."""
    shown = [display_name(name, width=40) for name in names]
    lengths = accumulate(len(name) + 2 for name in shown)
    n_listed = max(1, sum(length <= _LISTED_CHARACTERS for length in lengths))
    more = f" … ({len(names):,} in all)" if n_listed < len(names) else ""
    return ", ".join(shown[:n_listed]) + more


_LISTED_CHARACTERS = 200  # length of the names that an error lists (taste)
