"""Parquet, Feather and Arrow IPC: a path → columns as their writer typed them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError
from bychance.io.frames import Source
from bychance.io.headers import renamed
from bychance.io.unpacked import UnpackedLimit
from bychance.messages import Code, remark
from bychance.names import first_line

__all__ = ["FEATHER", "PARQUET", "from_arrow_file"]

PARQUET = frozenset({".parquet", ".pq"})
FEATHER = frozenset({".feather", ".arrow", ".ipc"})
_VALUE_BYTES = 8


def from_arrow_file(path: Path, suffix: str, limit: UnpackedLimit) -> Source:
    """The columns of the file, or one clear error."""
    import pyarrow as pa

    read: Callable[[Path, UnpackedLimit], Any] = _read_parquet if suffix in PARQUET else _read_feather
    try:
        table = read(path, limit)
        # Arrow trusts the offsets in a file, and a damaged one would end the process.
        table.validate(full=True)
    except BychanceError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:
        what = "Parquet" if suffix in PARQUET else "Feather or Arrow IPC"
        reason = getattr(error, "strerror", None) or first_line(error)
        raise BychanceError(f"{limit.origin} could not be read as {what}: {reason}.") from None
    names, notes = renamed(table.column_names)
    columns: dict[str, object] = dict(zip(names, table.columns, strict=True))
    index = {name: (remark(Code.INDEX_OF_FRAME),) for name in columns if name.startswith("__index_level_")}
    return Source(columns, limit.origin, notes=notes, asides=index)


def _read_parquet(path: Path, limit: UnpackedLimit) -> Any:
    from pyarrow import parquet

    # read_table would add columns for folders such as year=2020.
    with parquet.ParquetFile(path) as file:
        told = file.metadata
        groups = [told.row_group(k) for k in range(told.num_row_groups)]
        n_values = sum(group.num_rows for group in groups) * told.num_columns
        # A run of equal values is packed as one, whatever its length.
        limit.check(max(n_values * _VALUE_BYTES, sum(group.total_byte_size for group in groups)))
        return file.read()


def _read_feather(path: Path, limit: UnpackedLimit) -> Any:
    import pyarrow as pa
    from pyarrow import dataset, feather

    try:
        told = dataset.dataset(path, format="ipc")
        limit.check(told.count_rows() * len(told.schema) * _VALUE_BYTES)
        return feather.read_table(path, memory_map=False)
    except pa.ArrowInvalid:
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
            return _read_batches(stream, limit)


def _read_batches(stream: Any, limit: UnpackedLimit) -> Any:
    import pyarrow as pa

    batches, n_bytes = [], 0
    for batch in stream:
        batches.append(batch)
        n_bytes += batch.nbytes
        limit.check(n_bytes)
    return pa.Table.from_batches(batches, stream.schema)
