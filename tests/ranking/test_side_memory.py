"""What is kept about the columns of a side is the same object, has its limits, and goes nowhere else."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bychance as bc
from bychance.columns import log_ties, most_alike
from bychance.measures.dcor import DistanceCorrelation
from bychance.ranking import side_memory
from bychance.ranking.run import plan_ranking
from bychance.ranking.side_memory import SideMemory, rows_alike, ties_of
from bychance.read_column import read_column


@pytest.fixture
def columns():
    return [read_column([1.0, 2.0, 4.0], "a"), read_column([1.0, 2.0, 3.0], "b")]


def test_a_side_is_one_list_for_all_blocks_that_have_it():
    plan = plan_ranking({f"c{k}": np.arange(12.0) ** (1 + k) for k in range(6)}, measure="r2", block_size=9)
    blocks = [plan.block(number) for number in range(len(plan.tiles))]

    assert blocks[0].x_columns is blocks[0].y_columns is blocks[1].x_columns
    assert blocks[1].y_columns is not blocks[0].x_columns


def test_a_side_is_one_list_where_two_threads_ask_for_it_at_once(columns):
    memory, positions, found = SideMemory(), np.array([0, 1]), []

    class Slow(list):
        def __getitem__(self, k):
            if not found:  # the other thread
                found.append(())
                found[0] = memory.side(columns, positions)
            return super().__getitem__(k)

    assert memory.side(Slow(columns), positions) is found[0]


def test_large_facts_are_not_kept_beyond_the_room(columns, monkeypatch):
    monkeypatch.setattr(side_memory, "_ROOM", 100)
    memory = SideMemory()
    memory.of("first", columns, len, n_bytes=60)
    memory.of("second", columns, len, n_bytes=60)
    memory.of("small", columns, len)

    assert [memory.knows(what, columns) for what in ("first", "second", "small")] == [True, False, True]


def test_nothing_travels_and_nothing_stays(columns):
    memory = SideMemory()
    memory.of("length", columns, len)
    assert not pickle.loads(pickle.dumps(memory)).knows("length", columns)
    memory.forget()
    assert not memory.knows("length", columns)


@pytest.mark.parametrize("measure", ["r2", "spearman", "dcor", "xi"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_without_room_every_figure_is_the_same(rng, monkeypatch, measure, gaps):
    values = rng.normal(size=(60, 9))
    values[rng.random(values.shape) < gaps] = np.nan
    options = {"measure": measure, "null": "moments", "block_size": 9}
    expected = bc.rank(values, **options).to_frame()
    monkeypatch.setattr(side_memory, "_ROOM", -1)

    assert bc.rank(values, **options).to_frame().equals(expected)


@pytest.fixture
def prepared(monkeypatch):
    """How many rows each variable was prepared on."""
    sizes, prepare = [], DistanceCorrelation.prepare

    def counted(self, values, role):
        sizes.append(len(values))
        return prepare(self, values, role)

    monkeypatch.setattr(DistanceCorrelation, "prepare", counted)
    return sizes


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_a_column_is_prepared_once_for_all_blocks(rng, prepared, n_jobs):
    bc.rank(rng.normal(size=(30, 40)), measure="dcor", null="moments", block_size=16, n_jobs=n_jobs)

    assert prepared == 40 * [30]


def test_rows_that_only_a_pair_shares_serve_its_block_alone(rng, prepared):
    """Of blocks of one pair: each complete column is prepared anew on the rows that one with gaps has."""
    values = rng.normal(size=(30, 6))
    values[:4, 0] = np.nan
    bc.rank(values, measure="dcor", null="moments", block_size=1)

    assert sorted(prepared) == [26] * 6 + [30] * 5


def test_further_draws_prepare_nothing_anew(rng, prepared):
    x = rng.normal(size=40)
    values = np.column_stack([x + rng.normal(size=40), rng.normal(size=(40, 5)), x])
    ranking = bc.rank(values, measure="dcor", null=bc.Permutation("adaptive"), block_size=4)

    assert len(set(ranking.to_frame()["n_resamples"].to_pylist())) > 1
    assert len(prepared) == 7


def columns_of(rng, n):
    holed = rng.standard_normal(n).round(1)
    holed[::3] = np.nan
    values = [rng.standard_normal(n), rng.standard_normal(n).round(), np.arange(n) % 2.0, holed]
    return [read_column(some, f"c{k}") for k, some in enumerate(values)]


def test_rows_alike_are_those_of_each_column():
    columns = columns_of(np.random.default_rng(0), 50)

    assert rows_alike(columns).tolist() == [most_alike(column) for column in columns]


def test_ties_count_where_arrangements_are_few():
    columns = columns_of(np.random.default_rng(0), 50)
    ties = ties_of(columns, SideMemory())

    assert ties.log_ties.tolist() == [log_ties(column) for column in columns]
    assert ties.is_complete.tolist() == [True, True, True, False]


def test_ties_of_many_rows_do_not_count_but_for_two_values():
    columns = columns_of(np.random.default_rng(0), 1000)

    np.testing.assert_array_equal(ties_of(columns, SideMemory()).log_ties > 0, [False, False, True, False])
