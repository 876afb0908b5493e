"""The names of a file's columns, where they can be had without reading the file."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from bychance.errors import BychanceError
from bychance.names import first_line
from bychance.table.files import PARQUET, TEXT
from bychance.table.text_format import decode, find_delimiter

__all__ = ["names_in_header"]

_BEGINNING = 1 << 16


def names_in_header(path: Path) -> list[str]:
    """The names in a Parquet file, or in the first line of a text file; none for other kinds of files."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _from_parquet(path)
    return _from_text(path) if suffix in TEXT else []


def _from_parquet(path: Path) -> list[str]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return [str(name) for name in parquet.read_schema(path).names]
    except pa.ArrowException as error:
        raise BychanceError(f"{path.name} could not be read as Parquet: {first_line(error)}.") from None


def _from_text(path: Path) -> list[str]:
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    text = decode(beginning[: beginning.rfind(b"\n") + 1], None, path.name)
    # As the file is read: str.splitlines would end a line at U+2028 and other characters too.
    lines = io.StringIO(text, newline="")
    return next(csv.reader(lines, delimiter=find_delimiter(text)), []) if text else []
