"""The tables by which Kendall's fourth moment is summed."""

from __future__ import annotations

from tests.engine.nulls import KENDALL_PARTS, KENDALL_TYPES
from tests.oracle.kendall_graphs import tables


def test_tables_are_those_that_are_derived():
    names = {tuple((int(u), int(v)) for u, v in part.split()): name for name, part in KENDALL_PARTS.items()}
    derived = [
        (n_vertices, count, {"".join(names[part] for part in parts): c for parts, c in sums.items()})
        for n_vertices, count, sums in tables()
    ]

    assert len(names) == 13
    assert derived == KENDALL_TYPES
