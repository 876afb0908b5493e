"""What the caller says about columns by name, and about missing values and dates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Number, Real
from typing import Any

from bychance.errors import BychanceError, unknown_name
from bychance.kinds import Kind
from bychance.names import known_as
from bychance.table.frames import Source

__all__ = ["Wishes"]

_BY_NAME = ("numeric", "categorical", "drop", "merge")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller said about columns by name, and about missing values."""

    numeric: frozenset[str]
    categorical: frozenset[str]
    drop: frozenset[str]
    missing: frozenset[str] | None
    merge: frozenset[str]
    day_first: bool | None

    @staticmethod
    def of(*, numeric: Any, categorical: Any, drop: Any, missing: Any, merge: Any, day_first: Any) -> Wishes:
        """The wishes, checked as far as they can be without the table."""
        if day_first not in (None, True, False):
            raise BychanceError(f"`day_first` must be true, false or None, got {day_first!r}.", "day_first")
        wishes = Wishes(
            _names(numeric, "numeric"),
            _names(categorical, "categorical"),
            _names(drop, "drop"),
            None if missing is None else _marks(missing),
            _names(merge, "merge"),
            day_first,
        )
        for name in sorted(wishes.numeric & wishes.categorical):
            raise BychanceError(
                f"`numeric` and `categorical` must not share names, got {name!r} in both.",
                "numeric",
                "categorical",
            )
        return wishes

    def kind_of(self, name: str) -> Kind | None:
        """What the column is to be, where that was said."""
        if name in self.numeric:
            return Kind.NUMERIC
        return Kind.CATEGORICAL if name in self.categorical else None

    def for_names(self, source: Source) -> Wishes:
        """The same by the names that the table has; an error where a name is none of them."""
        named: dict[str, Any] = {
            argument: frozenset(known_as(name, source.columns) for name in getattr(self, argument))
            for argument in _BY_NAME
        }
        gone = {note.column for note in source.notes if note.is_set_aside}
        for argument, names in named.items():
            for name in sorted(names):
                if name not in source.columns and not (argument == "drop" and name in gone):
                    raise unknown_name(argument, name, source.columns)
        return replace(self, **named)


def _names(names: Any, argument: str) -> frozenset[str]:
    if isinstance(names, str):
        return frozenset({names})
    try:
        return frozenset(str(name) for name in names)
    except TypeError:
        raise BychanceError(f"`{argument}` must be a name or a list of names, got {names!r}.") from None


def _marks(missing: Any) -> frozenset[str]:
    """The missing marks as text; a whole number with and without its decimal point."""
    marks = [missing] if isinstance(missing, str | Number) else missing
    try:
        return frozenset({"", *(text for mark in marks for text in _written(mark))})
    except TypeError:
        raise BychanceError(f"`missing` must be a value or a list of values, got {missing!r}.") from None


def _written(mark: Any) -> list[str]:
    is_number = isinstance(mark, Real) and not isinstance(mark, bool)
    if not is_number or mark != mark // 1:
        return [str(mark)]
    # Larger ones are other numbers once they are read as floats.
    return [str(mark), f"{int(mark)}", *([f"{int(mark)}.0"] if abs(mark) <= 2**53 else [])]
