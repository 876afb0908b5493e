"""Target y as a typed column of classes or numbers."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.estimators import checked_target
from bychance.io import is_frame
from bychance.io.frames import as_arrow, as_kind
from bychance.kinds import Kind
from bychance.ranking.options import Job
from bychance.read_column import read_column
from bychance.validation import one_of

__all__ = ["check_varies", "read_target"]

TARGET_KINDS = ("auto", "categorical", "numeric")
_ROWS_PER_CLASS = 5  # rows per distinct whole number on average, below which y is numbers (taste)


def read_target(y: Any, kind: str, job: Job, *, taken: Container[str]) -> Column:
    """Convert y to a column of the requested kind, under its own name unless that is taken.

    `ChanceSelector` describes the rule for the kind "auto".
    """
    one_of(kind, "target_kind", TARGET_KINDS)
    name = getattr(y, "name", None)
    if not isinstance(name, str) or not name or name in taken:
        name = next(free for n in count() if (free := "y" + "_" * n) not in taken)
    column = read_column(as_arrow(y if _is_series(y) else checked_target(y)), "y")
    present = column.present
    check_varies(present)
    return replace(as_kind(column, _kind(column, present, job) if kind == "auto" else Kind(kind)), name=name)


def check_varies(values: NDArray[Any]) -> None:
    """Raise an error if the target is constant or empty."""
    if len(values) == 0 or bool(np.all(values == values[0])):
        what = "one class or value throughout" if len(values) else "no values"
        raise BychanceError(f"`y` must vary, got {what}: nothing can explain it.")


def _kind(column: Column, present: NDArray[Any], job: Job) -> Kind:
    if column.kind is Kind.CATEGORICAL or job.only_numbers:
        return column.kind
    n_classes = len(np.unique(present))
    if n_classes > 2 and _ROWS_PER_CLASS * n_classes > len(present):
        return Kind.NUMERIC
    return Kind.CATEGORICAL if type_of_target(present) in ("binary", "multiclass") else Kind.NUMERIC


def _is_series(y: Any) -> bool:
    """Return True if y is a pandas, polars, pyarrow or narwhals series, which has typed values."""
    module = type(y).__module__.split(".")[0]
    return module in ("narwhals", "pandas", "polars", "pyarrow") and hasattr(y, "__len__") and not is_frame(y)
