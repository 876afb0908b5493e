"""One type holds the values of all parts, and rows are cast to it without a loss."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.engine.streams import cast_to, common_schema, common_type, joined_tables

WORDS, CODED = pa.string(), pa.dictionary(pa.int8(), pa.string())


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.int64(), pa.float32(), pa.float64()),
        (pa.int8(), pa.float16(), pa.float64()),
        (pa.int8(), pa.uint32(), pa.int64()),
        (pa.int64(), pa.uint64(), pa.decimal128(20, 0)),
        (pa.decimal128(5, 2), pa.uint64(), pa.decimal128(22, 2)),
        (pa.decimal128(5, 2), pa.float32(), pa.float64()),
        (pa.null(), CODED, CODED),
        (WORDS, pa.large_string(), pa.large_string()),
        (WORDS, CODED, pa.large_string()),
        (CODED, pa.dictionary(pa.int16(), WORDS), pa.dictionary(pa.int32(), WORDS)),
        (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.duration("ms"), pa.duration("us"), pa.duration("us")),
        (pa.int64(), WORDS, None),
        (pa.int64(), pa.bool_(), None),
        (pa.int64(), pa.dictionary(pa.int8(), pa.int64()), None),
        (WORDS, pa.binary(), None),
        (pa.date32(), pa.timestamp("s"), None),
        (pa.timestamp("s"), pa.timestamp("s", "UTC"), None),
    ],
)
def test_the_common_type_holds_both_or_there_is_none(first, second, both):
    assert common_type(first, second) == common_type(second, first) == both


def test_a_schema_has_all_columns_and_of_two_kinds_the_first():
    schemas = [pa.schema([("a", pa.int8()), ("b", WORDS)]), pa.schema([("b", pa.int8()), ("c", pa.null())])]

    assert common_schema(schemas) == pa.schema([("a", pa.int8()), ("b", WORDS), ("c", pa.null())])


def test_the_largest_integers_of_both_signs_are_one_column():
    first, second = (
        pa.table({"h": [-(2**63), 2**63 - 1]}),
        pa.table({"h": pa.array([2**64 - 1], pa.uint64())}),
    )

    assert joined_tables([first, second])["h"].to_pylist() == [-(2**63), 2**63 - 1, 2**64 - 1]


def test_integers_are_rounded_beside_floats_and_nothing_else_is():
    whole = pa.table({"x": [2**60 + 1]})

    assert cast_to(whole, pa.schema([("x", pa.float64())]))["x"].to_pylist() == [2.0**60]
    with pytest.raises(pa.ArrowInvalid):
        cast_to(whole, pa.schema([("x", pa.int32())]))
