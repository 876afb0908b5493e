"""Parts: rows that were read to infer types are not read again."""

from __future__ import annotations

import pickle
from itertools import chain

import pyarrow as pa

from tests.engine.streams import BegunPart, OncePart


def test_a_begun_part_gives_all_rows_once_without_reading_its_start_again():
    batches = pa.table({"a": [1, 2, 3, 4]}).to_batches(max_chunksize=2)
    part = OncePart("some rows", iter(batches))
    stream = part.batches(["a"])
    begun = BegunPart(part.name, part, ["a"], [chain([next(stream)], stream)])
    assert [batch.column(0).to_pylist() for batch in begun.batches(["a"])] == [[1, 2], [3, 4]]
    assert list(begun.batches(["a"])) == []  # the part itself, which has no more rows


def test_a_begun_part_that_travels_or_is_asked_for_other_columns_begins_anew():
    part = OncePart("some rows", pa.table({"a": [1, 2], "b": [3, 4]}).to_batches())
    begun = BegunPart(part.name, part, ["a", "b"], [iter(())])
    assert [batch.column_names for batch in begun.batches(["b"])] == [["b"]]
    there = pickle.loads(pickle.dumps(begun))
    assert there.name == "some rows"
    assert [batch.num_rows for batch in there.batches(["a", "b"])] == [2]
