"""What the caller, and of streams the first rows, say about columns, missing values and dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Number, Real
from typing import Any

from bychance.errors import BychanceError, unknown_name
from bychance.io.frames import Source
from bychance.kinds import Kind
from bychance.messages import Option
from bychance.names import known_as

__all__ = ["Wishes"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller said about columns by name, and about missing values; nothing unless it is given.

    The first rows of a stream tell whether times of two parts are minutes and seconds in columns of spans.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    missing: frozenset[str] | None = None
    merge: frozenset[str] = frozenset()
    day_first: bool | None = None
    in_minutes: Mapping[str, bool] = field(default_factory=dict)

    @staticmethod
    def of(
        *,
        numeric: Any = (),
        categorical: Any = (),
        drop: Any = (),
        missing: Any = None,
        merge: Any = (),
        day_first: Any = None,
    ) -> Wishes:
        """The wishes, checked as far as they can be without the table."""
        if day_first not in (None, True, False):
            raise BychanceError(
                Option("day_first") + f" must be true, false or None, got {day_first!r}.", "day_first"
            )
        numbers, labels = _names(numeric, "numeric"), _names(categorical, "categorical")
        for name in sorted(numbers & labels):
            raise BychanceError(
                Option("numeric")
                + " and "
                + Option("categorical")
                + f" must not share names, got {name!r} in both.",
                "numeric",
                "categorical",
            )
        marks = None if missing is None else _marks(missing)
        return Wishes(
            dict.fromkeys(numbers, Kind.NUMERIC) | dict.fromkeys(labels, Kind.CATEGORICAL),
            _names(drop, "drop"),
            None if marks is None else frozenset({"", *(text for mark in marks for text in _written(mark))}),
            _names(merge, "merge"),
            day_first,
        )

    def for_names(self, source: Source) -> Wishes:
        """The same by the names that the table has; an error where a name is none of them."""
        known = {name: known_as(name, source.columns) for name in (*self.kinds, *self.drop, *self.merge)}
        gone = {note.column for note in source.notes if note.is_set_aside}
        arguments = {kind.value: [n for n, own in self.kinds.items() if own is kind] for kind in Kind}
        for argument, names in {**arguments, "drop": self.drop, "merge": self.merge}.items():
            for name in sorted(known[name] for name in names):
                if name not in source.columns and not (argument == "drop" and name in gone):
                    raise unknown_name(argument, name, source.columns)
        return replace(
            self,
            kinds={known[name]: kind for name, kind in self.kinds.items()},
            drop=frozenset(known[name] for name in self.drop),
            merge=frozenset(known[name] for name in self.merge),
        )


def _names(names: Any, argument: str) -> frozenset[str]:
    if isinstance(names, str):
        return frozenset({names})
    try:
        return frozenset(str(name) for name in names)
    except TypeError:
        raise BychanceError(
            Option(argument) + f" must be a name or a list of names, got {names!r}."
        ) from None


def _marks(missing: Any) -> list[Any]:
    try:
        return [missing] if isinstance(missing, str | Number) else list(missing)
    except TypeError:
        raise BychanceError(
            Option("missing") + f" must be a value or a list of values, got {missing!r}."
        ) from None


def _written(mark: Any) -> list[str]:
    """A mark as text; a whole number with and without its decimal point."""
    is_number = isinstance(mark, Real) and not isinstance(mark, bool)
    if not is_number or mark != mark // 1:
        return [str(mark)]
    # Larger ones are other numbers once they are read as floats.
    return [str(mark), f"{int(mark)}", *([f"{int(mark)}.0"] if abs(mark) <= 2**53 else [])]
