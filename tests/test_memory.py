"""Stored facts about columns are the same object, have a size limit, and go nowhere else."""

from __future__ import annotations

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import bychance as bc
from bychance.columns import Memory
from bychance.measures.dcor import DistanceCorrelation
from bychance.read_column import read_column
from tests.engine.ranking import plan_of, ranked
from tests.engine.settings import put


@pytest.fixture
def columns():
    return [read_column([1.0, 2.0, 4.0], "a"), read_column([1.0, 2.0, 3.0], "b")]


def test_a_side_is_one_list_for_all_blocks_that_have_it():
    plan = plan_of({f"c{k}": np.arange(12.0) ** (1 + k) for k in range(6)}, measure="r2", block_size=9)
    blocks = [plan.block(number) for number in range(len(plan.tiles))]

    assert blocks[0].x_columns is blocks[0].y_columns is blocks[1].x_columns
    assert blocks[1].y_columns is not blocks[0].x_columns


def test_a_side_is_one_list_where_two_threads_ask_for_it_at_once(columns):
    plan, positions, found = plan_of({"a": [1.0, 2.0, 4.0], "b": [1.0, 2.0, 3.0]}), np.array([0, 1]), []

    class Slow(list):
        def __getitem__(self, k):
            if not found:  # the other thread
                found.append(())
                found[0] = slow.columns_of_block(positions, positions)[0]
            return super().__getitem__(k)

    slow = replace(plan, table=SimpleNamespace(columns=Slow(columns)))
    assert slow.columns_of_block(positions, positions)[0] is found[0]


def test_large_facts_are_not_kept_beyond_the_room(columns, monkeypatch):
    put(monkeypatch, room_of_memory=100)
    memory = Memory()
    memory.of("first", columns, len, n_bytes=60)
    memory.of("second", columns, len, n_bytes=60)
    memory.of("small", columns, len)

    memory.on_rows("third", columns, None, len, n_bytes=100)
    memory.on_rows("fourth", columns, None, len, n_bytes=100)
    found = [memory.of(what, columns, lambda _: "again", n_bytes=60) for what in ("first", "second", "small")]
    assert found == [len(columns), "again", len(columns)]


def test_nothing_travels_and_nothing_stays(columns):
    memory = Memory()
    memory.of("length", columns, len)
    assert pickle.loads(pickle.dumps(memory)).of("length", columns, lambda _: "again") == "again"
    memory.forget()
    assert memory.of("length", columns, lambda _: "again") == "again"


@pytest.mark.parametrize("measure", ["r2", "spearman", "dcor", "xi"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_without_room_every_figure_is_the_same(rng, monkeypatch, measure, gaps):
    values = rng.normal(size=(60, 9))
    values[rng.random(values.shape) < gaps] = np.nan
    options = {"measure": measure, "null": "moments", "block_size": 9}
    expected = ranked(values, **options).to_frame()
    put(monkeypatch, room_of_memory=-1)

    assert ranked(values, **options).to_frame().equals(expected)


@pytest.fixture
def prepared(monkeypatch):
    """Record the number of rows that each variable was prepared on."""
    sizes, prepare = [], DistanceCorrelation.prepare

    def counted(self, values, role):
        sizes.append(len(values))
        return prepare(self, values, role)

    monkeypatch.setattr(DistanceCorrelation, "prepare", counted)
    return sizes


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_a_column_is_prepared_once_for_all_blocks(rng, prepared, n_jobs):
    ranked(rng.normal(size=(30, 40)), measure="dcor", null="moments", block_size=16, n_jobs=n_jobs)

    assert prepared == 40 * [30]


def test_complete_columns_are_prepared_anew_on_the_rows_that_another_has(rng, prepared):
    values = rng.normal(size=(30, 6))
    values[:4, 0] = np.nan
    ranked(values, measure="dcor", null="moments", block_size=1)

    assert sorted(prepared) == [26] * 6 + [30] * 5


def test_further_draws_prepare_nothing_anew(rng, prepared):
    x = rng.normal(size=40)
    values = np.column_stack([x + rng.normal(size=40), rng.normal(size=(40, 5)), x])
    ranking = ranked(values, measure="dcor", null=bc.Permutation("adaptive"), block_size=4)

    assert len(prepared) == 7
    assert len(set(ranking.to_frame()["n_resamples"].to_pylist())) > 1


def test_without_room_the_target_is_still_prepared_once(rng, prepared, monkeypatch):
    put(monkeypatch, room_of_memory=0)
    columns = {f"c{k}": rng.normal(size=30) for k in range(8)}
    ranked(columns, target="c0", measure="dcor", null="moments", block_size=1)

    assert len(prepared) == 8
