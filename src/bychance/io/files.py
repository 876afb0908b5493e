"""A path, or standard input → named columns, by what the file's name or its first bytes say that it is."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from bychance.errors import BychanceError
from bychance.io.arff import MISSING_IN_ARFF, from_arff
from bychance.io.arrow_files import FEATHER, PARQUET, from_arrow_file
from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.databases import DATABASES, from_database
from bychance.io.delimited import from_delimited
from bychance.io.excel import from_excel
from bychance.io.frames import Source
from bychance.io.json_records import JSON, from_json
from bychance.io.layout import Layout
from bychance.io.packed import PACKED, member_of, unpacked
from bychance.io.text_format import decode
from bychance.io.unpacked import UnpackedLimit
from bychance.names import display_name, first_line

__all__ = ["from_file", "is_readable"]

TEXT = frozenset({".csv", ".tsv", ".txt", ".tab", ".dat", ".data"})
EXCEL = frozenset({".xlsx", ".xlsm"})
ARFF, ZIP, STDIN = ".arff", ".zip", "-"
# What reads files of other programs.
_ELSEWHERE = {
    ".sav": "pandas.read_spss",
    ".zsav": "pandas.read_spss",
    ".dta": "pandas.read_stata",
    ".sas7bdat": "pandas.read_sas",
    ".xpt": "pandas.read_sas",
    ".ods": "pandas.read_excel",
    ".xlsb": "pandas.read_excel",
    ".h5": "pandas.read_hdf",
    ".xml": "pandas.read_xml",
    ".html": "pandas.read_html",
    ".rds": "pyreadr.read_r",
    ".rdata": "pyreadr.read_r",
}
_AS_TEXT = TEXT | JSON | {ARFF}
_READABLE = _AS_TEXT | PARQUET | FEATHER | EXCEL | DATABASES | {ZIP}
_FIRST_BYTES = {
    b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow", b"SQLite format 3\0": ".sqlite",
    b"PK\x03\x04": ZIP, b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst",
    b"\x04\x22\x4d\x18": ".lz4", b"{": ".jsonl", b"[": ".json",
}  # fmt: skip


def from_file(path: str, layout: Layout, missing: frozenset[str] | None, max_gib: float) -> Source:
    """The columns of a file, or one clear error; `name::part` is a part of a database or an archive."""
    if path == STDIN:
        limit = UnpackedLimit("standard input", max_gib)
        return _from_bytes(_standard_input(), "", None, layout, missing, limit)
    file, part = _file_and_part(path)
    _check_readable(file)
    limit = UnpackedLimit(display_name(file.name + (f"::{part}" if part else "")), max_gib)
    suffix, packing = _suffixes(file.name)
    if suffix in _AS_TEXT or suffix == ZIP:
        try:
            with file.open("rb") as opened:
                data = unpacked(opened, packing, limit)
        except OSError as error:
            raise BychanceError(f"{limit.origin} could not be opened: {_reason(error)}.") from None
        return _from_bytes(data, suffix, part, layout, missing, limit)
    return _from_path(file, suffix, part, layout, limit)


def _standard_input() -> bytes:
    # A process that was started without it, as `command <&-` does, has None.
    stdin = getattr(sys.stdin, "buffer", None)
    if stdin is None or stdin.closed:
        raise BychanceError("standard input is closed: pipe a table into it, or name a file.")
    data: bytes = stdin.read()
    return data


def is_readable(name: str) -> bool:
    """Whether a file of this name is of a known format.

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
    try:
        if path.is_dir():
            raise BychanceError(f"{shown} is a directory; a file is needed.")
        if not path.exists():
            raise BychanceError(f"There is no file {shown}.")
        # A pipe has no size.
        if path.is_file() and path.stat().st_size == 0:
            raise BychanceError(f"{shown} is empty.")
    except (OSError, ValueError) as error:
        if isinstance(error, BychanceError):
            raise
        raise BychanceError(f"{shown} could not be opened: {_reason(error)}.") from None


def _suffixes(name: str) -> tuple[str, str]:
    """What a file is by its name, and how it is packed."""
    suffixes = ["", *(suffix.lower() for suffix in Path(name).suffixes)]
    packing = suffixes.pop() if suffixes[-1] in PACKED else ""
    suffix, readable = suffixes[-1], _AS_TEXT if packing else _READABLE
    if suffix in readable:
        return suffix, packing
    if suffix == ".xls":
        raise BychanceError(f"{display_name(name)} is of the old Excel format; save it as .xlsx.")
    if (reader := _ELSEWHERE.get(suffix)) is not None:
        raise BychanceError(
            f"{display_name(name)} is no table that bychance reads; save it as .csv or .parquet, or give the "
            f"frame of {reader}."
        )
    listed = ", ".join(sorted(readable))
    raise BychanceError(f"A file's name must end in one of {listed}, got {display_name(name)!r}.")


def _from_bytes(
    data: bytes,
    suffix: str,
    part: str | None,
    layout: Layout,
    missing: frozenset[str] | None,
    limit: UnpackedLimit,
) -> Source:
    """The columns of what is in memory; what it is its first bytes say where no name does."""
    suffix = suffix or _found_out(data)
    if suffix in PACKED:
        return _from_bytes(unpacked(io.BytesIO(data), suffix, limit), "", part, layout, missing, limit)
    if suffix == ZIP:
        name, data = member_of(io.BytesIO(data), part, _is_member, limit)
        inner, packing = _suffixes(name)
        data = unpacked(io.BytesIO(data), packing, limit)
        return _from_bytes(data, inner, None, layout, missing, limit)
    if suffix not in _AS_TEXT:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table{suffix}"
            path.write_bytes(data)
            return _from_path(path, suffix, part, layout, limit)
    layout.check_for(limit.origin, has_rows=suffix in TEXT, has_sheets=False)
    if suffix in TEXT:
        return from_delimited(data, limit.origin, layout, MISSING_IN_TEXT if missing is None else missing)
    text = decode(data, layout.text_format.encoding, limit.origin)
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


def _is_member(name: str) -> bool:
    return is_readable(name) and not name.lower().endswith(ZIP)


def _from_path(path: Path, suffix: str, part: str | None, layout: Layout, limit: UnpackedLimit) -> Source:
    layout.check_for(limit.origin, has_rows=suffix in EXCEL, has_sheets=suffix in EXCEL)
    if suffix in EXCEL:
        return from_excel(path, layout if part is None else replace(layout, sheet=part), limit)
    if suffix in DATABASES:
        return from_database(path, part, limit)
    return from_arrow_file(path, suffix, limit)


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or first_line(error)
