"""Compact bytes of sums and sampled rows, for files that a later run reads and for results of workers.

In:  a Found.
Out: arrays in NumPy's format, integers in the smallest type that holds them, and the sampled rows as Parquet.
     Reading them back never runs code that they contain.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bychance.moments.label_sums import Dictionary, GroupSums, PairCounts
from bychance.moments.linear_sums import GivenSums
from bychance.moments.number_sums import LineSums
from bychance.moments.row_sums import RowSums
from bychance.ticks import Moment

if TYPE_CHECKING:
    from bychance.streaming.read import Found

__all__ = ["pack", "told_in", "unpack"]

Arrays = dict[str, NDArray[Any]]

_PARQUET = b"PAR1"


def pack(found: Found, **told: Any) -> bytes:
    """Pack sums, a sample and further values that JSON can hold as bytes."""
    arrays: Arrays = {}
    sums = found.sums
    told |= {"n_rows": sums.n_rows, "few": [None if few is None else sorted(few) for few in sums.lines.few]}
    told["n_left_out"] = sums.n_left_out
    told["labels"] = [[_told_label(label) for label in each.labels] for each in sums.dictionaries]
    _put_sums(arrays, sums)
    if sums.given is not None:
        told["regressors"] = [[_told_label(part) for part in each] for each in sums.given.regressors]
    sample = found.sample.trimmed()
    told["limit"] = int(sample.limit)
    if sample.rows is not None:
        order = np.lexsort(sample.places.T[::-1])
        arrays["rows"] = _bytes(_packed_rows(sample.rows.take(order).combine_chunks()))
        arrays["part"], arrays["row"] = (_least(each[order]) for each in sample.places.T)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, told=_bytes(json.dumps(told).encode()), **arrays)
    return file.getvalue()


def told_in(data: bytes) -> dict[str, Any]:
    """Return the values that were packed as JSON."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        told: dict[str, Any] = json.loads(arrays["told"].tobytes())
    return told


def unpack(data: bytes, none: Found) -> Found:
    """Unpack sums and a sample. `none` holds those of no rows."""
    told = told_in(data)
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        sample = replace(none.sample, limit=np.uint64(told["limit"]))
        if "rows" in arrays:
            places = np.column_stack([arrays[name].astype(np.int64) for name in ("part", "row")])
            sample = sample.holding(_unpacked_rows(arrays["rows"].tobytes()), places)
        return replace(none, sums=_sums_of(arrays, told, none.sums), sample=sample)


def _put_sums(arrays: Arrays, sums: RowSums) -> None:
    lines = sums.lines
    arrays |= {"counts": _least(sums.counts), "zeros": _least(lines.zeros)}
    arrays |= {"powers": lines.powers, "cross": lines.cross}
    if sums.given is not None:
        arrays |= {"with column": sums.given.with_column, "alone": sums.given.alone}
    for k, group in enumerate(sums.groups):
        arrays[f"sizes {k}"], arrays[f"missing {k}"] = _least(group.sizes), _least(group.missing)
        arrays[f"sums {k}"] = group.sums
    for (a, b), table in sums.tables.items():
        if table.table is not None:
            arrays[f"table {a} {b}"] = _least(table.table)
        else:
            arrays[f"keys {a} {b}"], arrays[f"cells {a} {b}"] = table.keys, _least(table.counts)


def _sums_of(arrays: Any, told: Mapping[str, Any], none: RowSums) -> RowSums:
    def counted(name: str) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = arrays[name].astype(np.int64)
        return counts

    few = tuple(None if values is None else frozenset(values) for values in told["few"])
    tables = {}
    for a, b in none.tables:
        if f"table {a} {b}" in arrays:
            tables[a, b] = replace(PairCounts.none(), table=counted(f"table {a} {b}"))
        else:
            tables[a, b] = PairCounts(None, arrays[f"keys {a} {b}"], counted(f"cells {a} {b}"))
    return replace(
        none,
        n_rows=told["n_rows"],
        counts=counted("counts"),
        lines=LineSums(arrays["powers"], arrays["cross"], counted("zeros"), few),
        dictionaries=tuple(Dictionary([_label(label) for label in labels]) for labels in told["labels"]),
        groups=tuple(
            GroupSums(counted(f"sizes {k}"), arrays[f"sums {k}"], counted(f"missing {k}"))
            for k in range(len(none.groups))
        ),
        tables=tables,
        given=None if none.given is None else _given_of(arrays, told),
        n_left_out=told["n_left_out"],
    )


def _given_of(arrays: Any, told: Mapping[str, Any]) -> GivenSums:
    regressors = tuple(tuple(_label(part) for part in each) for each in told["regressors"])
    return GivenSums(regressors, arrays["with column"], arrays["alone"])


def _least(numbers: NDArray[np.int64]) -> NDArray[Any]:
    """Convert counts to the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _bytes(data: Any) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def _told_label(label: object) -> object:
    """Convert a label to JSON. A type that JSON lacks is written beside its value."""
    if isinstance(label, Moment):
        return {"moment": [label.what, str(label.count)]}
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    return {"decimal": str(label)} if isinstance(label, Decimal) else label


def _label(told: Any) -> object:
    if not isinstance(told, dict):
        return told
    ((kind, value),) = told.items()
    if kind == "moment":
        return Moment(value[0], int(value[1]))
    return bytes.fromhex(value) if kind == "bytes" else Decimal(value)


def _packed_rows(rows: Any) -> Any:
    """Write rows as Parquet with the bytes of floats split by position, or else as Arrow."""
    import pyarrow as pa
    import pyarrow.types as types
    from pyarrow import feather, parquet

    floats = [field.name for field in rows.schema if types.is_floating(field.type)]
    others = [name for name in rows.column_names if name not in floats]
    sink = pa.BufferOutputStream()
    try:
        parquet.write_table(
            rows, sink, compression="zstd", use_dictionary=others, use_byte_stream_split=floats
        )
        packed = sink.getvalue()
        if parquet.read_schema(pa.BufferReader(packed)).equals(rows.schema):
            return packed
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        pass
    sink = pa.BufferOutputStream()
    feather.write_feather(rows, sink, compression="zstd")
    return sink.getvalue()


def _unpacked_rows(data: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import feather, parquet

    file = pa.BufferReader(data)
    return parquet.read_table(file) if data.startswith(_PARQUET) else feather.read_table(file)
