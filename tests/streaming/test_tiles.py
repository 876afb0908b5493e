"""Columns in tiles give what all columns at once do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from tests.engine.settings import put
from tests.engine.streams import found_in, joined_tiles, task_of, tiles_of


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    names = {f"x{k}": pa.array(rng.normal(size=500), mask=rng.random(500) < 0.1) for k in range(5)}
    labels = {f"c{k}": pa.array(rng.choice(list("abc"), 500), mask=rng.random(500) < 0.2) for k in range(4)}
    return pa.table({**names, **labels})


@pytest.mark.parametrize("target", [None, "x1", "c2"])
@pytest.mark.parametrize("size", [4, 5, 8])
@pytest.mark.parametrize("is_bent", [False, True])
def test_tiles_join_to_the_whole(table, target, size, is_bent, monkeypatch):
    put(monkeypatch, tile_columns=size)
    task = task_of(table, target=target, is_bent=is_bent)
    parts = tiles_of(task)
    assert len(parts) > 1
    assert max(len(part.columns) for part in parts) <= size
    found = joined_tiles([found_in(part) for part in parts], task)
    expected = found_in(task)
    one, other = found.sums, expected.sums
    assert (one.names, one.n_rows) == (other.names, other.n_rows)
    assert [each.labels for each in one.dictionaries] == [each.labels for each in other.dictionaries]
    # With a target, rows that two others share are never asked for.
    asked = slice(None) if target is None else (*one.names[0], *one.names[1]).index(target)
    assert_allclose(one.counts[asked], other.counts[asked])
    assert_allclose(np.diag(one.counts), np.diag(other.counts))
    assert one.few == other.few
    for name in ("powers", "cross", "zeros"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-12)
    for a, b in zip(one.groups, other.groups, strict=True):
        own = asked if target in one.names[0] else slice(None)
        assert_allclose(a.sizes, b.sizes)
        assert_allclose(a.missing[:, own], b.missing[:, own])
        assert_allclose(a.sums[:, own], b.sums[:, own], rtol=1e-12, atol=1e-12)
    assert one.tables.keys() == other.tables.keys()
    for pair, table in one.tables.items():
        assert_allclose(table.cells(), other.tables[pair].cells())
    assert found.sample.table().equals(expected.sample.table())


def test_few_columns_are_one_tile(table):
    task = task_of(table)
    assert tiles_of(task) == [task]


def test_every_column_is_sampled_once(table, monkeypatch):
    put(monkeypatch, tile_columns=4)
    task = task_of(table)
    sampled = [name for part in tiles_of(task) for name in part.sampled]
    assert sorted(sampled) == sorted(table.column_names)
