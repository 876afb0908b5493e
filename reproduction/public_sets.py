"""The 19 sets of the paper's table of forests: a file or a rule → a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io import Table, make_frame, read_table
from bychance.io.frames import arrow_of
from bychance.kinds import Kind
from reproduction.by_rule import make_led7, make_tic_tac_toe

__all__ = ["PUBLIC_SETS", "PublicSet", "columns_and_classes", "read_public_set", "without_cells"]


@dataclass(frozen=True, slots=True)
class PublicSet:
    """One set: its ARFF file, its size, and the function that makes it if there is a rule.

    `is_exact` is true if the rule gives the very rows of the file. Otherwise they have the same distribution.
    """

    file: str
    n_rows: int
    n_categorical: int
    n_numeric: int
    n_classes: int
    make: Callable[[], Any] | None = None
    is_exact: bool = False


PUBLIC_SETS = {
    "Credit-g": PublicSet("Credit-g.arff", 1000, 13, 7, 2),
    "australian": PublicSet("australian.arff", 690, 8, 6, 2),
    "promoters": PublicSet("biology-promoters.arff", 106, 57, 0, 2),
    "flags": PublicSet("flags.arff", 194, 26, 2, 8),
    "kr-vs-kp": PublicSet("kr-vs-kp.arff", 3196, 36, 0, 2),
    "led7": PublicSet("led7.arff", 3200, 7, 0, 10, make_led7),
    "lymph": PublicSet("lymph.arff", 148, 15, 3, 4),
    "mfeat-pixel": PublicSet("mfeat-pixel.arff", 2000, 240, 0, 10),
    "mito": PublicSet("mito.arff", 175, 23, 0, 2),
    "monks1": PublicSet("monks-problems-1.arff", 556, 6, 0, 2),
    "monks2": PublicSet("monks-problems-2.arff", 601, 6, 0, 2),
    "monks3": PublicSet("monks-problems-3.arff", 554, 6, 0, 2),
    "solar-flare": PublicSet("solar-flare.arff", 323, 11, 0, 6),
    "splice": PublicSet("splice.arff", 3190, 60, 0, 3),
    "steel": PublicSet("steel.arff", 1941, 6, 27, 2),
    "tae": PublicSet("tae.arff", 151, 2, 3, 3),
    "tic-tac-toe": PublicSet("tic-tac-toe.arff", 958, 9, 0, 2, make_tic_tac_toe, is_exact=True),
    "c-to-u": PublicSet("c-to-u.arff", 2694, 42, 3, 2),
    "HIV": PublicSet("HIV.arff", 355, 1030, 0, 2),
}


def read_public_set(name: str, directory: Path | str | None = None) -> Table:
    """Read a set from its file, or make it by its rule, with its classes as the last column.

    A set whose rule gives its very rows is made by it. Another with a rule is made if its file is missing.

    Examples
    --------
    >>> read_public_set("tic-tac-toe")
    <Table of 958 rows and 10 columns (0 numeric, 10 categorical) from a dict>
    ...
    """
    known = PUBLIC_SETS[name]
    path = None if directory is None else Path(directory) / known.file
    has_file = path is not None and path.exists()
    if known.make is not None and (known.is_exact or not has_file):
        columns = known.make()
        # Their categories may be digits.
        return read_table(columns, categorical=[name for name in columns if columns[name].dtype.kind == "U"])
    if path is None:
        raise BychanceError(f"{name} is read from {known.file}: `directory` must say where that is.")
    return read_table(path)


def without_cells(table: Table, share: float, *, seed: int = 0) -> Table:
    """Remove this share of the cells of each column but the last at random.

    Examples
    --------
    >>> import numpy as np
    >>> table = without_cells(read_public_set("tic-tac-toe"), 0.3)
    >>> [int(np.sum(column.is_missing)) for column in table.columns[:2]], table.columns[-1].is_missing
    ([287, 287], None)
    """
    rng = np.random.default_rng(seed)
    n_removed = round(share * table.n_rows)
    if not n_removed:
        return table
    *columns, classes = table.columns
    return replace(table, columns=(*(_without(column, n_removed, rng) for column in columns), classes))


def columns_and_classes(table: Table) -> tuple[Any, Any]:
    """Split the last column, the classes, from an Arrow table of the others with strings as categories.

    Examples
    --------
    >>> X, y = columns_and_classes(read_public_set("tic-tac-toe"))
    >>> X.shape, sorted(set(y.tolist()))
    ((958, 9), ['negative', 'positive'])
    """
    *columns, classes = table.columns
    X = make_frame({column.name: _cells(column) for column in columns}, "pyarrow")
    return X, np.array(arrow_of(classes).to_pylist())


def _without(column: Column, n_removed: int, rng: np.random.Generator) -> Column:
    is_missing = (
        np.zeros(len(column), dtype=np.bool_) if column.is_missing is None else column.is_missing.copy()
    )
    is_missing[rng.choice(len(column), n_removed, replace=False)] = True
    return replace(column, is_missing=is_missing)


def _cells(column: Column) -> Any:
    cells = arrow_of(column)
    return cells.dictionary_encode() if column.kind is Kind.CATEGORICAL else cells
