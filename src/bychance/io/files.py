"""Reading of files and standard input, with the format from the name or the first bytes.

Parquet, Feather and Arrow keep the types that they have. Packed files are unpacked up to a limit.
"""

from __future__ import annotations

import io
import lzma
import os
import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from bychance.errors import BychanceError, in_one_sentence, unknown_name
from bychance.io.arff import MISSING_IN_ARFF, from_arff
from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.csv import read_csv
from bychance.io.dialect import Layout, decode
from bychance.io.excel import from_excel
from bychance.io.frames import Source
from bychance.io.json import from_json
from bychance.io.preamble import renamed
from bychance.messages import OPEN, Option
from bychance.names import count_of, display_name

__all__ = ["FEATHER", "MAX_GIB", "PARQUET", "UnpackedLimit", "check_layout", "from_file", "is_readable"]

MAX_GIB = 2.0  # default limit of a decompressed file, in GiB (taste)
TEXT = frozenset({".csv", ".tsv", ".txt", ".tab", ".dat", ".data"})
JSON = frozenset({".jsonl", ".ndjson", ".json"})
PARQUET = frozenset({".parquet", ".pq"})
FEATHER = frozenset({".feather", ".arrow", ".ipc"})
EXCEL = frozenset({".xlsx", ".xlsm"})
PACKED = frozenset({".gz", ".bz2", ".xz", ".zst", ".lz4"})
ARFF, ZIP, STDIN = ".arff", ".zip", "-"
_AS_TEXT = TEXT | JSON | {ARFF}
_READABLE = _AS_TEXT | PARQUET | FEATHER | EXCEL | {ZIP}
_FIRST_BYTES = {
    b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow", b"SQLite format 3\0": ".sqlite",
    b"PK\x03\x04": ZIP, b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst",
    b"\x04\x22\x4d\x18": ".lz4", b"{": ".jsonl", b"[": ".json",
}  # fmt: skip
_ARROW_NAMES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_GIB, _CHUNK, _VALUE_BYTES = 1 << 30, 1 << 24, 8


@dataclass(frozen=True, slots=True)
class UnpackedLimit:
    """Largest size in GiB that a compressed file may have once decompressed.

    >>> UnpackedLimit("harvest.csv.gz", 0.5).check(1 << 30)
    Traceback (most recent call last):
    bychance.errors.BychanceError: harvest.csv.gz takes more than 0.5 GiB unpacked; \
read_table(…, max_gib=…) raises the limit.
    """

    origin: str
    max_gib: float = MAX_GIB

    def check(self, n_bytes: int, because: str = "") -> None:
        """Raise an error if `n_bytes` exceeds the limit. `because` continues the message."""
        if n_bytes > self.max_gib * _GIB:
            raise BychanceError(
                f"{self.origin} takes more than {self.max_gib:g} GiB unpacked{because}; "
                + Option("max_gib", OPEN)
                + " raises the limit."
            )


def from_file(path: str, layout: Layout, missing: frozenset[str] | None, max_gib: float) -> Source:
    """Return the columns of a file, or of one member of an archive or workbook (`file::member`)."""
    if path == STDIN:
        limit = UnpackedLimit("standard input", max_gib)
        return _from_bytes(_standard_input(), "", None, layout, missing, limit)
    file, part = _file_and_part(path)
    _check_readable(file)
    limit = UnpackedLimit(display_name(file.name + (f"::{part}" if part else "")), max_gib)
    suffix, packing = _suffixes(file.name)
    if part is not None and suffix not in EXCEL | {ZIP}:
        rule = ":: picks a file of a .zip archive or a sheet of a workbook"
        raise BychanceError(f"{display_name(file.name)} has no part {part!r}: {rule}.")
    if suffix in _AS_TEXT or suffix == ZIP:
        with in_one_sentence(limit.origin, "could not be opened"), file.open("rb") as opened:
            data = _unpacked(opened, packing, limit)
        return _from_bytes(data, suffix, part, layout, missing, limit)
    return _from_path(file, suffix, part, layout, limit)


def check_layout(layout: Layout, origin: str, *, has_rows: bool = False, has_sheets: bool = False) -> None:
    """Raise an error if an option such as `skip_rows` does not apply to this kind of source."""
    if not has_rows and layout.names is not None:
        raise BychanceError(f"`names` is for files without a header; {origin} has one.")
    if not has_rows and (layout.skip_rows or not layout.has_header):
        argument = "skip_rows" if layout.skip_rows else "header"
        raise BychanceError(
            Option(argument) + f" is for text files and sheets; {origin} is neither.", argument
        )
    if not has_sheets and layout.sheet is not None:
        raise BychanceError(Option("sheet") + f" is for Excel files; {origin} has no sheets.", "sheet")


def _standard_input() -> bytes:
    # A process that was started without it, as `command <&-` does, has None.
    stdin = getattr(sys.stdin, "buffer", None)
    if stdin is None or stdin.closed:
        raise BychanceError("standard input is closed: pipe a table into it, or name a file.")
    data: bytes = stdin.read()
    return data


def is_readable(name: str) -> bool:
    """Return True if the file name has a supported format.

    >>> is_readable("harvest.csv.gz"), is_readable("a dict")
    (True, False)
    """
    try:
        return bool(_suffixes(_file_and_part(name)[0].name)[0])
    except BychanceError:
        return False


def _file_and_part(path: str) -> tuple[Path, str | None]:
    name, colons, part = path.rpartition("::")
    return (Path(name), part) if colons and not os.path.exists(path) else (Path(path), None)


def _check_readable(path: Path) -> None:
    shown = display_name(str(path))
    with in_one_sentence(shown, "could not be opened"):
        if path.is_dir():
            raise BychanceError(f"{shown} is a directory; a file is needed.")
        if not path.exists():
            raise BychanceError(f"There is no file {shown}.")
        # A pipe has no size.
        if path.is_file() and path.stat().st_size == 0:
            raise BychanceError(f"{shown} is empty.")


def _suffixes(name: str) -> tuple[str, str]:
    """Split a file name's endings into the suffixes of its format and compression, such as .csv and .gz."""
    suffixes = ["", *(suffix.lower() for suffix in Path(name).suffixes)]
    packing = suffixes.pop() if suffixes[-1] in PACKED else ""
    suffix, readable = suffixes[-1], _AS_TEXT if packing else _READABLE
    if suffix in readable:
        return suffix, packing
    if suffix == ".xls":
        raise BychanceError(f"{display_name(name)} is of the old Excel format; save it as .xlsx.")
    listed = ", ".join(sorted(readable))
    raise BychanceError(
        f"A file's name must end in one of {listed}, got {display_name(name)!r}; of another format, give the "
        "frame of a library that reads it, such as pandas."
    )


def _from_bytes(
    data: bytes,
    suffix: str,
    part: str | None,
    layout: Layout,
    missing: frozenset[str] | None,
    limit: UnpackedLimit,
) -> Source:
    """Read columns from a file's bytes. Without a suffix, the first bytes determine the format."""
    suffix = suffix or _found_out(data)
    if suffix in PACKED:
        return _from_bytes(_unpacked(io.BytesIO(data), suffix, limit), "", part, layout, missing, limit)
    if suffix == ZIP:
        name, data = _member_of(io.BytesIO(data), part, limit)
        inner, packing = _suffixes(name)
        data = _unpacked(io.BytesIO(data), packing, limit)
        return _from_bytes(data, inner, None, layout, missing, limit)
    if suffix not in _AS_TEXT:
        _suffixes(f"{limit.origin}{suffix}")  # an error for what is read elsewhere
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table{suffix}"
            path.write_bytes(data)
            return _from_path(path, suffix, part, layout, limit)
    check_layout(layout, limit.origin, has_rows=suffix in TEXT)
    if suffix in TEXT:
        return read_csv(data, limit.origin, layout, MISSING_IN_TEXT if missing is None else missing)[0]
    text, _ = decode(data, layout.text_format.encoding, limit.origin)
    if not text.strip():
        raise BychanceError(f"{limit.origin} is empty.")
    if suffix in JSON:
        return from_json(text, limit.origin)
    return from_arff(text, limit.origin, MISSING_IN_ARFF if missing is None else missing)


def _found_out(data: bytes) -> str:
    start = data.lstrip()[:256]
    for first, suffix in _FIRST_BYTES.items():
        if data.startswith(first) or (suffix in JSON and start.startswith(first)):
            # The names of its members stand in a workbook as they are.
            return ".xlsx" if suffix == ZIP and b"xl/workbook.xml" in data else suffix
    return ARFF if start.lower().startswith(b"@relation") else ".csv"


def _from_path(path: Path, suffix: str, part: str | None, layout: Layout, limit: UnpackedLimit) -> Source:
    check_layout(layout, limit.origin, has_rows=suffix in EXCEL, has_sheets=suffix in EXCEL)
    if suffix in EXCEL:
        return from_excel(path, layout if part is None else replace(layout, sheet=part), limit)
    return _from_arrow(path, suffix, limit)


def _from_arrow(path: Path, suffix: str, limit: UnpackedLimit) -> Source:
    what = "Parquet" if suffix in PARQUET else "Feather or Arrow IPC"
    with in_one_sentence(limit.origin, f"could not be read as {what}"):
        table = _read_parquet(path, limit) if suffix in PARQUET else _read_feather(path, limit)
        # Arrow trusts the offsets in a file, and a damaged one would end the process.
        table.validate(full=True)
    names, notes = renamed(table.column_names)
    return Source(dict(zip(names, table.columns, strict=True)), limit.origin, notes=notes)


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
            batches, n_bytes = [], 0
            for batch in stream:
                batches.append(batch)
                n_bytes += batch.nbytes
                limit.check(n_bytes)
            return pa.Table.from_batches(batches, stream.schema)


def _unpacked(file: IO[bytes], suffix: str, limit: UnpackedLimit) -> bytes:
    """Return the bytes of a file, decompressed if its suffix is that of a compressed format."""
    import pyarrow as pa

    if suffix not in PACKED:
        return file.read()
    with in_one_sentence(limit.origin, "could not be opened"):
        if suffix == ".xz":
            with lzma.open(file) as stream:
                return _read(stream, limit)
        with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), _ARROW_NAMES[suffix]) as stream:
            return _read(stream, limit)


def _member_of(file: IO[bytes], name: str | None, limit: UnpackedLimit) -> tuple[str, bytes]:
    """Return the name and bytes of an archive member: the named one, or the only one that is a table."""
    with in_one_sentence(limit.origin, "could not be opened"), zipfile.ZipFile(file) as archive:
        members = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        chosen = _chosen(list(members), name, limit.origin)
        limit.check(members[chosen].file_size)
        with archive.open(chosen) as stream:
            return chosen, _read(stream, limit)


def _chosen(members: list[str], name: str | None, origin: str) -> str:
    if name is not None:
        if name not in members:
            raise unknown_name("file", name, members)
        return name
    tables = [
        member
        for member in members
        if is_readable(member) and not member.lower().endswith(ZIP) and not member.startswith("__MACOSX/")
    ]
    if len(tables) != 1:
        listed = ", ".join(display_name(member, 40) for member in (tables or members)[:10])
        rule = f"name one, as in {origin}::{tables[0]}" if tables else "none is a table"
        raise BychanceError(
            f"{origin} has {count_of(len(tables) or len(members), 'file')}; {rule}: {listed}."
        )
    return tables[0]


def _read(stream: Any, limit: UnpackedLimit) -> bytes:
    whole = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        whole.write(chunk)
        limit.check(whole.tell())
    return whole.getvalue()
