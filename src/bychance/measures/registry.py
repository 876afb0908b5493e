"""Registry of measures by name, built in or added by the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from bychance.errors import unknown_name
from bychance.kinds import PairKind
from bychance.measures.base import Measure
from bychance.measures.callables import CallableMeasure

__all__ = ["MeasureInfo", "MeasureTable", "Registry"]


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """Row of the table of measures: name, kinds of columns, symmetry and summary."""

    name: str
    kinds: str
    symmetric: bool
    summary: str


class MeasureTable(tuple[MeasureInfo, ...]):
    """Table of all known measures, printed in columns."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("name", "kinds", "symmetric", "what")]
        rows += [(m.name, m.kinds, "yes" if m.symmetric else "no", m.summary) for m in self]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[3]])
            for row in rows
        ]
        return "\n".join(lines)


class Registry:
    """Measures by name, built in or added by the user."""

    def __init__(self, measures: list[Measure[Any]], aliases: dict[str, str]) -> None:
        self._measures = {measure.name: measure for measure in measures}
        self._aliases = aliases

    def resolve(self, measure: str | Measure[Any] | Callable[[Any, Any], float]) -> Measure[Any]:
        """Return the measure for a name, a measure object or a plain function."""
        if isinstance(measure, Measure):
            return measure
        if isinstance(measure, str):
            name = self._aliases.get(measure, measure)
            if name not in self._measures:
                raise unknown_name("measure", measure, [*self._measures, *self._aliases])
            return self._measures[name]
        if isinstance(measure, type) and issubclass(measure, Measure):
            raise TypeError(f"`measure` must be a measure, not its class: {measure.__name__}().")
        if callable(measure):
            return CallableMeasure(cast("Callable[[Any, Any], float]", measure))
        raise TypeError(f"`measure` must be a name, a measure or a function f(x, y), got {measure!r}.")

    def add(self, measure: Measure[Any], *, overwrite: bool) -> None:
        """Add a measure under its name, or raise an error if the name is taken."""
        taken = measure.name in self._measures or measure.name in self._aliases
        if taken and not overwrite:
            raise ValueError(
                f"`name` must be new, {measure.name!r} is taken; pass overwrite=True to replace it."
            )
        if measure.name in self._aliases:
            raise ValueError(f"`name` must not be an alias, got {measure.name!r}.")
        self._measures[measure.name] = measure

    def table(self) -> MeasureTable:
        """Tabulate all measures in the order they were added."""
        infos = (
            MeasureInfo(m.name, _kinds(m.kinds), m.symmetric, m.summary) for m in self._measures.values()
        )
        return MeasureTable(infos)


def _kinds(kinds: PairKind) -> str:
    return {
        PairKind.NUMERIC: "numeric-numeric",
        PairKind.CATEGORICAL: "categorical-categorical",
        PairKind.MIXED: "numeric-categorical",
        PairKind.ANY: "any",
    }[kinds]
