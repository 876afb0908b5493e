"""Covariates of a ranking: removed from the table, with the rows in which any of them is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import codes_of
from bychance.covariates.covariates import Covariates
from bychance.covariates.settings import as_given
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.messages import Code, Note, Option
from bychance.names import in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.read_column import read_column

__all__ = ["names_of", "null_of_rows", "null_of_table", "set_covariates_aside"]


def set_covariates_aside(
    table: Table, given: Any, asked: Mapping[str, object]
) -> tuple[Table, Covariates, NDArray[np.bool_] | None]:
    """Return the table without the covariates and incomplete rows, the covariates, and the kept rows.

    `asked` are the columns that `target`, `x` and `y` name: none of them can be a covariate too.
    """
    settings = as_given(given)
    names = list(dict.fromkeys(names_of(settings.columns)))
    if not names:
        raise BychanceError(Option("given") + " must name at least one column, got none.", "given")
    positions = {table.position(name, "given") for name in names}
    for argument, columns in asked.items():
        if both := [name for name in names_of(columns) if name in names]:
            raise BychanceError(
                Option("given")
                + " must not name a column of "
                + Option(argument)
                + f", got {both[0]!r} in both.",
                "given",
                argument,
            )
    covariates = Covariates(tuple(table[name] for name in names), settings.control, settings.effect)
    rest = tuple(column for k, column in enumerate(table.columns) if k not in positions)
    is_missing, notes, kept = covariates.is_missing, table.notes, None
    if is_missing is not None:
        if is_missing.all():
            raise BychanceError(
                f"No row has {in_words(covariates.names)}: " + Option("given") + " leaves none.", "given"
            )
        kept = ~is_missing
        covariates, rest = covariates.at(kept), tuple(column.at(kept) for column in rest)
        lacking = int(is_missing.sum())
        notes = (*notes, Note.on_table(Code.COVARIATES_MISSING, n=lacking, covariates=covariates.names))
    return replace(table, columns=rest, notes=notes), covariates, kept


def null_of_table(null: NullSpec, table: Table) -> NullSpec:
    """Return the null with a group label per row, if its groups name a column of the table.

    Rows with a missing group form one more group.
    """
    if not isinstance(null, Permutation) or not isinstance(null.groups, str):
        return null
    column = table.columns[table.position(null.groups, "groups")]
    codes = np.unique(column.values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    groups = codes if column.is_missing is None else np.where(column.is_missing, -1, codes)
    return replace(null, groups=groups)


def null_of_rows(null: NullSpec, kept: NDArray[np.bool_] | None) -> NullSpec:
    """Return the null for the kept rows only, because permutation groups have one label per row."""
    if kept is None or not isinstance(null, Permutation) or null.groups is None:
        return null
    groups = read_column(null.groups, "groups")
    # Of another length they are refused where they are used, in words that name both lengths.
    return replace(null, groups=codes_of(groups, kept)) if len(groups) == len(kept) else null


def names_of(columns: object) -> list[str]:
    """Return column names, given as None, one name or several, as strings."""
    if columns is None:
        return []
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [str(columns)]
    return [str(name) for name in columns]
