"""Sums and sampled rows survive their way into bytes and back."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import bychance as bc
from tests.engine.settings import own, put
from tests.engine.streams import found_in, json_in, pack, task_of, unpack
from tests.streaming.tables import tables_to_stream

TABLES = tables_to_stream()


def assert_same(one, other):
    assert one.sums.digest() == other.sums.digest()
    assert one.sums.few == other.sums.few
    assert (one.sums.zeros == other.sums.zeros).all()
    assert one.sample.table().schema == other.sample.table().schema
    assert repr(one.sample.table().to_pydict()) == repr(other.sample.table().to_pydict())  # NaN is not NaN
    types = [[type(label) for label in each.labels] for each in one.sums.dictionaries]
    assert types == [[type(label) for label in each.labels] for each in other.sums.dictionaries]


@pytest.mark.parametrize("name", TABLES)
def test_what_is_unpacked_is_what_was_packed(name):
    task = task_of(TABLES[name])
    found = found_in(task)
    packed = pack(found, stamps=[1])
    assert json_in(packed)["stamps"] == [1]
    assert_same(unpack(packed, task.nothing()), found)


def test_labels_of_every_type_keep_it():
    days = [datetime.date(2020, 1, 1 + k % 5) for k in range(300)]
    columns = {
        "days": days,
        "times": pa.array([datetime.datetime(2020, 1, 1 + k % 3, 5) for k in range(300)], pa.timestamp("ns")),
        "decimals": [Decimal("1.50") + k % 3 for k in range(300)],
        "floats": [0.1 * (k % 4) for k in range(300)],
        "integers": [2**60 + k % 4 for k in range(300)],
        "bytes": [bytes([k % 4, 255]) for k in range(300)],
        "flags": [k % 2 == 0 for k in range(300)],
    }
    task = task_of(pa.table(columns), categorical=list(columns))
    found = found_in(task)
    assert_same(unpack(pack(found), task.nothing()), found)


def test_rows_that_parquet_has_no_type_for_are_packed_too():
    span = pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval()).as_py()] * 300)
    table = pa.table({"x": np.random.default_rng(0).normal(size=300), "span": span})
    task = task_of(table, columns_typed=["x"], sample_rows=50)
    found = found_in(task)
    assert_same(unpack(pack(found), task.nothing()), found)


def test_packed_is_a_fraction_of_pickled():
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=5000), "label": rng.choice(["north", "south"], 5000)})
    found = found_in(task_of(table))
    assert len(pack(found)) < 0.8 * len(pickle.dumps(found))


def test_a_stream_in_one_part_asks_for_no_more_rows_than_stay(monkeypatch):
    seen = []
    of = own("sample_expecting").__func__
    noted = classmethod(lambda cls, n, *rest: seen.append(n) or of(cls, n, *rest))
    put(monkeypatch, sample_expecting=noted)
    table = TABLES["numbers"]
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert len(bc.rank(reader, stream=bc.Streaming(100))) == 3
    assert seen == [None]
