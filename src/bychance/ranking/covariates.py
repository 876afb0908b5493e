"""Columns that a ranking looks beyond: out of the table, with the rows that lack any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bychance.errors import BychanceError
from bychance.given.covariates import Covariates
from bychance.given.record import in_words
from bychance.given.settings import as_given
from bychance.names import count_of
from bychance.table import Note, Table

__all__ = ["set_covariates_aside"]


def set_covariates_aside(table: Table, given: Any, asked: Mapping[str, object]) -> tuple[Table, Covariates]:
    """The table without the covariates and the rows that lack one, and the covariates on the rows left.

    `asked` are the columns that `target`, `x` and `y` name: none of them can be a covariate too.
    """
    settings = as_given(given)
    names = list(dict.fromkeys(_names(settings.columns)))
    if not names:
        raise BychanceError("`given` must name at least one column, got none.", "given")
    positions = {table.position(name, "given") for name in names}
    for argument, columns in asked.items():
        if both := [name for name in _names(columns) if name in names]:
            raise BychanceError(
                f"`given` must not name a column of `{argument}`, got {both[0]!r} in both.", "given", argument
            )
    covariates = Covariates(tuple(table[name] for name in names), settings.control, settings.effect)
    rest = tuple(column for k, column in enumerate(table.columns) if k not in positions)
    is_missing, notes = covariates.is_missing, table.notes
    if is_missing is not None:
        if is_missing.all():
            raise BychanceError(f"No row has {in_words(covariates.names)}: `given` leaves none.", "given")
        kept = ~is_missing
        covariates, rest = covariates.at(kept), tuple(column.at(kept) for column in rest)
        lacking = count_of(int(is_missing.sum()), "row")
        notes = (*notes, Note(None, f"{lacking} without {in_words(covariates.names)} left out"))
    return replace(table, columns=rest, notes=notes), covariates


def _names(columns: object) -> list[str]:
    """Names as strings, of none, one or several columns."""
    if columns is None:
        return []
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [str(columns)]
    return [str(name) for name in columns]
