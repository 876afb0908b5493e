"""Common Arrow types of columns whose types differ between the parts of a source.

In:  Arrow types, schemas, tables.
Out: their common type or schema, and tables cast to it. Integers beyond 2^53 are rounded only if other parts
     have floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bychance.arrow_values import is_number

__all__ = ["cast_to", "common_schema", "common_type", "joined"]

_UINT64_DIGITS = 20


def common_type(first: Any, second: Any) -> Any | None:
    """Return the Arrow type that holds values of both types, or None if they are incompatible.

    >>> import pyarrow as pa
    >>> common_type(pa.int64(), pa.float32()), common_type(pa.null(), pa.string())
    (DataType(double), DataType(string))
    >>> common_type(pa.int64(), pa.string()) is None
    True
    """
    import pyarrow as pa
    import pyarrow.types as types

    if first == second or types.is_null(second):
        return first
    if types.is_null(first):
        return second
    if types.is_dictionary(first) and types.is_dictionary(second):
        values = common_type(first.value_type, second.value_type)
        return None if values is None else pa.dictionary(pa.int32(), values)
    if any(map(_is_text, (first, second))):
        return pa.large_string() if all(map(_is_text, (first, second))) else None
    if is_number(first) and is_number(second):
        return _common_number(first, second)
    return _unified(first, second)


def common_schema(schemas: Iterable[Any]) -> Any:
    """Return a schema with the columns of all schemas in their common types.

    Incompatible columns keep their first type.
    """
    import pyarrow as pa

    found: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            before = found.get(field.name, field.type)
            both = common_type(before, field.type)
            found[field.name] = before if both is None else both
    return pa.schema(found.items())


def cast_to(rows: Any, schema: Any) -> Any:
    """Select the schema's columns from a table and cast them to its types.

    >>> import pyarrow as pa
    >>> cast_to(pa.table({"x": [2**60 + 1]}), pa.schema([("x", pa.float64())]))["x"].to_pylist()
    [1.152921504606847e+18]
    """
    import pyarrow as pa
    import pyarrow.types as types

    columns = []
    for field in schema:
        values = rows.column(field.name)
        # Arrow calls it unsafe to round integers beyond 2^53.
        is_safe = not (types.is_integer(values.type) and types.is_floating(field.type))
        columns.append(values if values.type == field.type else values.cast(field.type, safe=is_safe))
    return pa.Table.from_arrays(columns, schema=schema)


def joined(pieces: Sequence[Any]) -> Any:
    """Join tables or batches with the same columns, in their common types."""
    import pyarrow as pa

    tables = [each if isinstance(each, pa.Table) else pa.Table.from_batches([each]) for each in pieces]
    if not all(table.schema.equals(tables[0].schema) for table in tables):
        schema = common_schema(table.schema for table in tables)
        tables = [cast_to(table, schema) for table in tables]
    return pa.concat_tables([table.replace_schema_metadata() for table in tables])


def _is_text(arrow_type: Any) -> bool:
    """Return True for strings, and for dictionary types of strings."""
    import pyarrow.types as types

    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    tests = (types.is_string, types.is_large_string, types.is_string_view)
    return any(test(inner) for test in tests)


def _common_number(first: Any, second: Any) -> Any | None:
    import pyarrow as pa
    import pyarrow.types as types

    both = first, second
    if any(map(types.is_floating, both)):
        return pa.float64()
    if any(map(types.is_decimal, both)) or (pa.uint64() in both and any(map(types.is_signed_integer, both))):
        whole = pa.decimal128(_UINT64_DIGITS, 0)
        both = tuple(whole if types.is_integer(each) else each for each in both)
    return both[0] if both[0] == both[1] else _unified(*both)


def _unified(first: Any, second: Any) -> Any | None:
    import pyarrow as pa

    try:
        schemas = [pa.schema([("values", each)]) for each in (first, second)]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None
