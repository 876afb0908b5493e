"""Shared by the tests of many pairs at once: columns by rule, and one pair measured alone."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bychance.columns import Column, codes_of, numbers_of, shared_rows
from bychance.kinds import Kind, Role
from bychance.measures import registry


def labels(codes, is_missing=None, n_labels=None):
    """Draw a categorical column, whose labels may outnumber those that occur."""
    codes = np.asarray(codes, dtype=np.int32)
    count = int(codes.max()) + 1 if n_labels is None else n_labels
    return Column("labels", Kind.CATEGORICAL, codes, is_missing, tuple(map(str, range(count))))


def flags(values, is_missing=None):
    return Column("flags", Kind.CATEGORICAL, np.asarray(values, dtype=np.bool_), is_missing)


def numbers(values, is_missing=None):
    return Column("numbers", Kind.NUMERIC, np.asarray(values), is_missing)


def all_pairs(x, y):
    """Return every x with every y."""
    first, second = np.divmod(np.arange(len(x) * len(y)), max(len(y), 1))
    return first, second


def prepared(name, x, y):
    """Prepare both columns of a pair as for one pair alone, or return None without a shared row."""
    measure, rows = registry.resolve(name), shared_rows(x, y)
    if rows is not None and not rows.any():
        return None
    return measure, *(
        measure.prepare(
            codes_of(column, rows) if column.kind is Kind.CATEGORICAL else numbers_of(column, rows, name),
            role,
        )
        for column, role in ((x, Role.X), (y, Role.Y))
    )


@st.composite
def masks(draw, n):
    """Draw masks with nothing missing, or any rows."""
    return draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n).map(np.array))


@st.composite
def label_columns(draw, n, max_labels=5):
    """Draw labels that need not all occur, some rows perhaps missing."""
    count = draw(st.integers(1, max_labels))
    codes = draw(st.lists(st.integers(0, count - 1), min_size=n, max_size=n))
    return labels(codes, draw(masks(n)), count + draw(st.integers(0, 2)))


@st.composite
def label_lists(draw, max_labels=5):
    """Draw one to four columns of one length."""
    n = draw(st.integers(1, 40))
    return [draw(label_columns(n, max_labels)) for _ in range(draw(st.integers(1, 4)))]
