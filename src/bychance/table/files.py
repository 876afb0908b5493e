"""A path → named columns, by what the file's name says that it is."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError
from bychance.names import display_name, first_line
from bychance.table.arff import MISSING_IN_ARFF, from_arff
from bychance.table.delimited import from_delimited
from bychance.table.excel import from_excel
from bychance.table.frames import Source
from bychance.table.record import check_unique
from bychance.table.text_format import TextFormat, decode
from bychance.table.typing_rules import MISSING_IN_TEXT
from bychance.table.unpacked import UnpackedLimit

__all__ = ["from_file", "is_readable"]

TEXT = frozenset({".csv", ".tsv", ".txt", ".tab", ".dat", ".data"})
PARQUET = frozenset({".parquet", ".pq"})
FEATHER = frozenset({".feather", ".arrow", ".ipc"})
EXCEL = frozenset({".xlsx", ".xlsm"})
PACKED = frozenset({".gz", ".bz2", ".zst", ".lz4"})
_CHUNK = 1 << 24
_VALUE_BYTES = 8


def from_file(
    path: Path,
    text_format: TextFormat,
    names: Sequence[str] | None,
    missing: frozenset[str] | None,
    max_gib: float,
) -> Source:
    """The columns of a file, or one clear error."""
    origin = display_name(path.name)
    limit = UnpackedLimit(origin, max_gib)
    _check_readable(path)
    suffix = _suffix(path)
    if names is not None and suffix not in TEXT:
        raise BychanceError(f"`names` is for files without a header; {origin} has names of its own.")
    if suffix in TEXT:
        tokens = MISSING_IN_TEXT if missing is None else missing
        return from_delimited(_bytes(path, limit), origin, text_format, names, tokens)
    if suffix == ".arff":
        text = decode(_bytes(path, limit), text_format.encoding, origin)
        if not text.strip():
            raise BychanceError(f"{origin} is empty.")
        return from_arff(text, origin, MISSING_IN_ARFF if missing is None else missing)
    if suffix in EXCEL:
        return from_excel(path, limit)
    return _from_arrow_file(path, suffix, limit)


def is_readable(name: str) -> bool:
    """Whether a file of this name is of a known format.

    >>> is_readable("harvest.csv.gz"), is_readable("a dict")
    (True, False)
    """
    try:
        return bool(_suffix(Path(name)))
    except BychanceError:
        return False


def _check_readable(path: Path) -> None:
    shown = display_name(str(path))
    try:
        if path.is_dir():
            raise BychanceError(f"{shown} is a directory; a file is needed.")
        if not path.exists():
            raise BychanceError(f"There is no file {shown}.")
        if path.stat().st_size == 0:
            raise BychanceError(f"{shown} is empty.")
    except (OSError, ValueError) as error:
        if isinstance(error, BychanceError):
            raise
        raise BychanceError(f"{shown} could not be opened: {_reason(error)}.") from None


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] in PACKED
    suffix = (suffixes[-2] if len(suffixes) > 1 else "") if packed else (suffixes or [""])[-1]
    readable = TEXT | {".arff"} if packed else TEXT | PARQUET | FEATHER | EXCEL | {".arff"}
    if suffix in readable:
        return suffix
    if suffix == ".xls":
        raise BychanceError(f"{display_name(path.name)} is of the old Excel format; save it as .xlsx.")
    listed = ", ".join(sorted(readable))
    raise BychanceError(f"A file's name must end in one of {listed}, got {display_name(path.name)!r}.")


def _bytes(path: Path, limit: UnpackedLimit) -> bytes:
    """All that is in the file; how much plain text that is, its size says to everyone."""
    import pyarrow as pa

    is_packed, unpacked = path.suffix.lower() in PACKED, io.BytesIO()
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            while chunk := stream.read(_CHUNK):
                unpacked.write(chunk)
                if is_packed:
                    limit.check(unpacked.tell())
    except BychanceError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:
        raise BychanceError(f"{limit.origin} could not be opened: {_reason(error)}.") from None
    return unpacked.getvalue()


def _from_arrow_file(path: Path, suffix: str, limit: UnpackedLimit) -> Source:
    import pyarrow as pa

    read: Callable[[Path, UnpackedLimit], Any] = _read_parquet if suffix in PARQUET else _read_feather
    origin = limit.origin
    try:
        table = read(path, limit)
        # Arrow trusts the offsets in a file, and a damaged one would end the process.
        table.validate(full=True)
    except BychanceError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:
        what = "Parquet" if suffix in PARQUET else "Feather or Arrow IPC"
        raise BychanceError(f"{origin} could not be read as {what}: {_reason(error)}.") from None
    check_unique(list(table.column_names), origin)
    columns: dict[str, object] = dict(zip(table.column_names, table.columns, strict=True))
    index = {name: "the index of a pandas frame" for name in columns if name.startswith("__index_level_")}
    return Source(columns, origin, asides=index)


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


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return first_line(error)
