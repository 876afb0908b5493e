"""Arguments named in messages, written as Python arguments or as command-line flags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from types import EllipsisType
from typing import Any

from bychance.names import display_name, shown

__all__ = ["NAMED", "OPEN", "OPTIONS", "Call", "Dialect", "Option", "Sentence"]

OPEN = ...
"""A value that only the caller knows, written as …."""


class Dialect(Enum):
    """Style of the options in a message: Python arguments or command-line flags."""

    PYTHON = auto()
    COMMAND_LINE = auto()


class _Named(Enum):
    NAMED = auto()


NAMED = _Named.NAMED
"""Mark of an option without a value: the message names only the argument."""

# Arguments of the library that are options of the command line.
OPTIONS = frozenset({
    "alpha", "block", "by", "categorical", "control", "dates", "day_first", "decimal", "delimiter",
    "device", "drop", "dry_run", "effect", "encoding", "fdr", "fdr_level", "given", "groups", "header",
    "intervals", "jobs", "measure", "merge", "min_n", "missing", "n_jobs", "no_data", "null", "numeric",
    "out", "report", "resume", "rng", "seed", "sheet", "skip_rows", "sort", "stream", "target", "top",
    "x", "y",
})  # fmt: skip
# Names of arguments on the command line, if they differ by more than dashes.
_RENAMED = {"day_first": "dates", "effect": "control", "rng": "seed", "n_jobs": "jobs"}
# What stands for true and false there.
_WORDS = {("day_first", True): "day-first", ("day_first", False): "month-first"}
_WITHIN = {
    "block": "bc.Permutation({})",
    "groups": "bc.Permutation({})",
    "tails": "null=bc.Auto({})",
    "decimal": "TextFormat({})",
    "encoding": "TextFormat({})",
    "max_gib": "read_table(…, {})",
}
_OPEN_VALUES = {"block": " ROWS", "groups": " COLUMN", "sheet": ""}
_PLAIN = re.compile(r"[\w.,]+")  # values that a shell takes without quotes
_COLUMNS = frozenset({"numeric", "categorical", "merge", "drop"})  # arguments whose values are column names


@dataclass(frozen=True, slots=True)
class Call:
    """Value of an option: a call such as bc.Permutation() in Python, a word on the command line."""

    call: str
    word: str

    def __repr__(self) -> str:
        return self.call


@dataclass(frozen=True, slots=True)
class Option:
    """Argument named in a message, with a suggested value, a tuple of them, `...` for any, or NAMED.

    >>> print(Option("missing", ("-", "n.d.")), Option("sheet", ...), Option("min_n"))
    missing=['-', 'n.d.'] sheet=… `min_n`
    >>> Option("missing", ("-", "n.d.")).render(Dialect.COMMAND_LINE)
    "--missing '-' --missing 'n.d.'"
    >>> Option("header", False).render(Dialect.COMMAND_LINE)
    '--no-header'
    """

    argument: str
    value: Any = NAMED

    def __str__(self) -> str:
        return self.render()

    def __add__(self, other: object) -> Sentence:
        return Sentence((self,)) + other

    def __radd__(self, other: object) -> Sentence:
        return Sentence((*_parts(other), self))

    def names_column(self, name: str) -> bool:
        """Return True if the option's only suggested value is the column `name`."""
        return self.argument in _COLUMNS and self.value == (name,)

    def render(self, dialect: Dialect = Dialect.PYTHON) -> str:
        """Write the argument and its value, as Python or as a command-line flag."""
        if dialect is Dialect.COMMAND_LINE and self.argument in OPTIONS:
            return self._as_flag()
        if self.value is NAMED:
            return f"`{self.argument}`"
        if isinstance(self.value, Call):
            return self.value.call
        value = f"[{', '.join(self._items())}]" if isinstance(self.value, tuple) else _in_python(self.value)
        text = f"{self.argument}={value}"
        if self.argument in _WITHIN:
            return _WITHIN[self.argument].format(text)
        return f"`{text}`" if isinstance(self.value, str) else text

    def _items(self) -> list[str]:
        """Format the items of a list value as text: column names in full, cells shortened and quoted."""
        is_cell = self.argument not in _COLUMNS
        return [shown(each) if is_cell and isinstance(each, str) else _in_python(each) for each in self.value]

    def _as_flag(self) -> str:
        name, value = _RENAMED.get(self.argument, self.argument).replace("_", "-"), self.value
        if (self.argument, value) in _WORDS:
            return f"--{name} {_WORDS[self.argument, value]}"
        if value is NAMED or value is True:
            return f"--{name}"
        if value is False:
            return f"--no-{name}"
        if isinstance(value, tuple):
            return " ".join(f"--{name} {each}" for each in self._items() or ["''"])
        if value is OPEN:
            return f"--{name}{_OPEN_VALUES.get(self.argument, ' …')}"
        if isinstance(value, Call):
            return f"--{name} {value.word}"
        needs_no_quotes = isinstance(value, str) and _PLAIN.fullmatch(value)
        return f"--{name} {value if needs_no_quotes else _in_python(value)}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """Message text made of strings, options and remarks, built by +.

    >>> sentence = "Too few rows: " + Option("min_n") + " is 10."
    >>> print(sentence, sentence.render(Dialect.COMMAND_LINE))
    Too few rows: `min_n` is 10. Too few rows: --min-n is 10.
    """

    parts: tuple[Any, ...]
    width: int | None = None  # to which the text is cut

    def __str__(self) -> str:
        return self.render()

    def __add__(self, other: object) -> Sentence:
        return Sentence((*_parts(self), *_parts(other)))

    def __radd__(self, other: object) -> Sentence:
        return Sentence((*_parts(other), *_parts(self)))

    @property
    def options(self) -> tuple[Option, ...]:
        """Arguments that the sentence names, in order."""
        found = list[Option]()
        for part in self.parts:
            found += [part] if isinstance(part, Option) else getattr(part, "options", ())
        return tuple(found)

    def render(self, dialect: Dialect = Dialect.PYTHON) -> str:
        """Write the sentence, with options as Python arguments or as command-line flags."""
        text = "".join(part if isinstance(part, str) else part.render(dialect) for part in self.parts)
        return text if self.width is None else display_name(text, self.width)


def _parts(value: object) -> tuple[Any, ...]:
    return value.parts if isinstance(value, Sentence) and value.width is None else (value,)


def _in_python(value: Any) -> str:
    if isinstance(value, EllipsisType):
        return "…"
    return f"{value:.16g}" if isinstance(value, float) else repr(value)
