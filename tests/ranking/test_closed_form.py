"""The whole-table route shares what both sides of a tile have in common."""

from __future__ import annotations

import numpy as np

from bychance.kinds import Kind
from bychance.ranking.run import plan_ranking


def sides_of(n_columns, block_size):
    columns = {f"c{k}": np.arange(12.0) ** (1 + k / 10) for k in range(n_columns)}
    plan = plan_ranking(columns, measure="r2", block_size=block_size)
    blocks = [plan.block(k) for k in range(len(plan.tiles))]
    return [block.sides(np.arange(len(block)), (Kind.NUMERIC, Kind.NUMERIC)) for block in blocks]


def test_a_tile_on_the_diagonal_has_one_list_of_columns():
    (sides,) = sides_of(9, 1_000)

    assert sides.x is sides.y
    assert [sides.x[k].name for k in sides.first[:3]] == ["c0"] * 3
    assert [sides.y[k].name for k in sides.second[:3]] == ["c1", "c2", "c3"]


def test_a_tile_beside_the_diagonal_has_two_short_lists():
    for sides in sides_of(9, 9):
        if sides.x is not sides.y:
            assert len(sides.x) + len(sides.y) <= 6
