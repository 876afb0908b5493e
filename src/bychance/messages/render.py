"""Remarks: a message code with values, rendered as a sentence in Python's or the command line's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

from bychance.messages.codes import Code
from bychance.messages.options import Dialect, Option, Sentence
from bychance.messages.sentences import SENTENCES
from bychance.names import count_of, display_name, in_words, shown

__all__ = ["Remark", "joined_remarks", "lines_in_words", "remark"]

_FIELD, _OPTIONAL = re.compile(r"\{(\w+)(?::([^{}]*))?\}"), re.compile(r"\[([^\[\]]*)\]")
_ARGUMENT = re.compile(r"`(\w+)`")
_LISTED, _WIDTH = 3, 40  # cells that a sentence lists, and characters of each (taste)


@dataclass(frozen=True, slots=True)
class Remark:
    """Message code with the values that its sentence mentions: numbers, cells, columns and options.

    >>> told = remark(Code.CODES_PADDED, option=Option("numeric", ("ZIP",)))
    >>> print(told)
    codes padded with zeros, kept as categories; numeric=['ZIP'] reads numbers
    >>> told.code, told.options
    (<Code.CODES_PADDED: 'codes_padded'>, (Option(argument='numeric', value=('ZIP',)),))
    """

    code: Code
    items: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return self.render()

    @property
    def values(self) -> Mapping[str, Any]:
        """Values that the sentence mentions, by field name."""
        return dict(self.items)

    @property
    def options(self) -> tuple[Option, ...]:
        """Arguments that the remark suggests, including those of remarks within it."""
        found = list[Option]()
        for _, value in self.items:
            found += [value] if isinstance(value, Option) else getattr(value, "options", ())
        return tuple(found)

    def with_values(self, **values: Any) -> Remark:
        """Return a copy of the remark with other values. None removes a value."""
        return remark(self.code, **{**self.values, **values})

    def with_options(self, changed: Callable[[Option], Option]) -> Remark:
        """Return a copy with `changed` applied to each option, also in remarks within it."""

        def other(value: Any) -> Any:
            if isinstance(value, Remark):
                return value.with_options(changed)
            return changed(value) if isinstance(value, Option) else value

        return Remark(self.code, tuple((name, other(value)) for name, value in self.items))

    def mentions(self, cell: str) -> bool:
        """Return True if the remark mentions a cell's text, alone or in an option."""
        for _, value in self.items:
            if isinstance(value, Remark) and value.mentions(cell):
                return True
            named = value.value if isinstance(value, Option) else value
            if named == cell or (isinstance(named, tuple) and cell in named):
                return True
        return False

    def render(self, dialect: Dialect = Dialect.PYTHON) -> str:
        """Write the remark's sentence, with options in this dialect."""
        values = self.values

        def said(field: re.Match[str]) -> str:
            return _said(values[field[1]], field[2] or "", dialect)

        def kept(part: re.Match[str]) -> str:
            is_known = all(values.get(name, ()) != () for name, _ in _FIELD.findall(part[1]))
            return part[1] if is_known else ""

        template = _ARGUMENT.sub(
            lambda name: Option(name[1]).render(dialect), _OPTIONAL.sub(kept, SENTENCES[self.code])
        )
        return _FIELD.sub(said, template)


def remark(code: Code, **values: Any) -> Remark:
    """Create a remark with this code, leaving out values that are None."""
    return Remark(code, tuple((name, value) for name, value in values.items() if value is not None))


def joined_remarks(remarks: Sequence[Remark], dialect: Dialect = Dialect.PYTHON) -> str:
    """Join several remarks on one column or table to one sentence."""
    return "; ".join(each.render(dialect) for each in remarks)


def lines_in_words(numbers: Sequence[int]) -> str:
    """Name the first of these line numbers, and count the others.

    >>> lines_in_words([7]), lines_in_words([7, 9]), lines_in_words([1, 2, 3, 4, 5])
    ('Line 7', 'Lines 7 and 9', 'Lines 1, 2, 3 and 2 more')
    """
    lines = [f"{number:,}" for number in numbers]
    more = [f"{len(lines) - _LISTED:,} more"] if len(lines) > _LISTED + 1 else lines[_LISTED:]
    *before, last = [*lines[:_LISTED], *more]
    return f"Lines {', '.join(before)} and {last}" if before else f"Line {last}"


def _said(value: Any, spec: str, dialect: Dialect) -> str:
    """Format a value as its field in the sentence asks."""
    if isinstance(value, Option | Remark | Sentence):
        return value.render(dialect)
    if value is True:
        return spec
    if isinstance(value, int):
        if "|" in spec:
            return spec.split("|")[value != 1].replace("#", f"{value:,}")
        return count_of(value, spec) if spec else f"{value:,}"
    if isinstance(value, float):
        return format(value, spec or ".16g")
    if spec == "name":
        return display_name(value, _WIDTH)
    if spec == "ticks":
        return f"`{value}`"
    if spec == "lines":
        return lines_in_words(value)
    cells = value if isinstance(value, tuple) else (value,)
    if spec in ("and", "listed"):
        first = tuple(display_name(name, _WIDTH) for name in cells[:_LISTED])
        more = (f"{len(cells) - _LISTED:,} more",) if len(cells) > _LISTED else ()
        return in_words((*first, *more)) if spec == "and" else " and ".join((", ".join(first), *more))
    if spec == "…":
        return ", ".join(map(_quoted, cells[:_LISTED])) + (", …" if len(cells) > _LISTED else "") or "empty"
    if spec == "+":
        others = f" and {len(cells) - _LISTED:,} more" if len(cells) > _LISTED else ""
        return ", ".join(map(_quoted, cells[:_LISTED])) + others
    return ", ".join(map(_WRITERS[spec], cells))


def _quoted(cell: Any) -> str:
    return "…" if isinstance(cell, EllipsisType) else shown(str(cell))


def _name(name: str) -> str:
    return repr(display_name(name, _WIDTH))


_WRITERS: dict[str, Callable[[Any], str]] = {"shown": _quoted, "quoted": repr, "names": _name, "": str}
