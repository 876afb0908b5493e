"""Fields of records within records are columns."""

from __future__ import annotations

import json

import bychance as bc
from bychance.io.json import from_json


def written(*records):
    return "\n".join(map(json.dumps, records))


def test_fields_of_records_are_columns_with_a_note(tmp_path):
    records = [
        {"id": f"o{k}", "user": {"age": 20 + k % 9, "home": {"zip": "02139"}}, "total": {"amount": k % 5 / 2}}
        for k in range(30)
    ]
    (tmp_path / "orders.jsonl").write_text(written(*records))
    table = bc.read_table(tmp_path / "orders.jsonl")

    assert table.names == ("user.age", "user.home.zip", "total.amount")
    assert table["total.amount"].values.tolist() == [k % 5 / 2 for k in range(30)]
    assert "Fields of records within records are columns: 'user.age', 'user.home.zip'" in str(table.notes[0])


def test_records_that_are_not_there_are_missing():
    source = from_json(written({"user": {"age": 1}}, {"user": None}, {}, {"user": {}}), "t.jsonl")

    assert source.columns == {"user.age": [1, None, None, None]}


def test_values_beside_records_stay():
    source = from_json(written({"user": {"age": 1}}, {"user": "nobody"}), "t.jsonl")

    assert source.columns["user.age"] == [1, None]
    assert source.columns["user"].values.to_pylist() == [None, "nobody"]


def test_flat_records_and_lists_are_as_they_are():
    source = from_json(written({"a.b": 1, "tags": ["x"]}), "t.jsonl")

    assert source.columns == {"a.b": [1], "tags": [["x"]]}
    assert source.notes == ()


def test_deep_records_end_somewhere():
    nested = {}
    for _ in range(50):
        nested = {"a": nested}

    assert list(from_json(written(nested), "t.jsonl").columns) == ["a.a.a.a.a.a"]
